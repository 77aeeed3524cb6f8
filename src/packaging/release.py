#!/usr/bin/env python3
"""Makes all that a release consists of, from what is committed, in one folder: packages, archives, wheels, the source, a bill of materials
(CycloneDX) and SHA256SUMS. The same commit gives the same bytes: the time in them is that of the commit, or SOURCE_DATE_EPOCH.

usage: release.py [--older-libraries] FOLDER    FOLDER is made anew
  --older-libraries  allows libraries without the newest security updates, where these could not be fetched
exit:  0 made; 1 a step failed; 2 wrong usage, or something is missing"""
import collections
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import uuid
import zipfile

import lightlint_build

ROOT = lightlint_build.ROOT
# preset: of CMake; unknown ones are skipped. generator: of cpack, or npm, which also makes the page. target: of
# src/cmake/dependencies.sh, whose libraries the program contains. before: (preset, target) pairs to build first.
# platforms: of a wheel with the same program; empty: no wheel. tools: programs needed for building.
Build = collections.namedtuple("Build", "preset generator target before platforms tools")
BUILDS = (
    Build("minimal", "DEB", "", (), (), ("cc", "dpkg-shlibdeps")),
    Build("musl", "TGZ", "musl", (), ("manylinux_2_5_x86_64", "manylinux1_x86_64", "musllinux_1_1_x86_64"), ("musl-gcc",)),
    Build("windows", "ZIP", "windows", (("release", "packc"),), ("win_amd64",), ("x86_64-w64-mingw32-gcc",)),
    Build("wasm", "npm", "wasm", (("release", "packc"),), (), ("clang", "wasm-ld", "wasm-opt", "npm")),
)
# A third-party component of a program: a row of src/cmake/contents.txt.
Part = collections.namedtuple("Part", "target name licence package linked text")


def stop(text, code=2):
    print(f"release: {text}", file=sys.stderr)
    sys.exit(code)


def run(*command):
    print("+ " + " ".join(command), file=sys.stderr, flush=True)
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        stop(f"exit code {done.returncode} of: {' '.join(command)}\n{done.stdout[-4000:]}", 1)
    return done.stdout


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def presets():
    with open(os.path.join(ROOT, "CMakePresets.json"), encoding="utf-8") as file:
        return {row["name"] for row in json.load(file)["configurePresets"]}


def rows_of(name):
    with open(os.path.join(ROOT, "src", "cmake", name), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if not line.startswith("#")]


def libraries_of(target):
    """{name: (version, SHA-256 of the .dsc)} of the libraries that dependencies.sh built."""
    with open(os.path.join(ROOT, "build/dependencies", target, "built"), encoding="utf-8") as file:
        return {name: (version, sha) for name, version, sha in map(str.split, file)}


def refuse_older_libraries(target):
    """Ends the program if a library is not the first choice of its row in dependencies.txt."""
    built = libraries_of(target)
    first = {row[0]: row[1] for row in map(str.split, rows_of("dependencies.txt")) if row[0] in built}
    older = [f"{name} {built[name][0]} instead of {version}" for name, version in first.items() if built[name][0] != version]
    if older:
        stop(f"expected libraries with security updates for the target {target}, found {', '.join(older)}. Get the source packages (docs/releasing.md,\n"
             f"  Libraries), put them into build/dependencies/sources and remove build/dependencies/{target}; or allow older ones: --older-libraries")


def parts_of(target):
    """What programs for a target contain."""
    parts = [Part(*row.split(" | ")) for row in rows_of("contents.txt")]
    return [part for part in parts if part.target in ("*", target)] if target else []


def licences_of(target):
    """{name: path} of the full texts; ends the program where one is missing."""
    found = {}
    for part in parts_of(target):
        of_library = os.path.join(ROOT, "build/dependencies", target, "share/doc", part.name, "copyright")
        found[part.name] = of_library if part.target == "*" else f"/usr/share/doc/{part.package}/copyright"
        if part.text != "-":
            found[part.text] = f"/usr/share/common-licenses/{part.text}"
    missing = [path for path in found.values() if not os.path.isfile(path)]
    if missing:
        stop(f"expected the licences of what the program for {target} contains, found no {', '.join(missing)}")
    return found


def check_changelog(version):
    with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
        if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", file.read(), re.M):
            print(f"release: CHANGELOG.md has no section '## [{version}] - DATE': this is a trial and no release", file=sys.stderr)


# ---------------------------------------------------------------- artefacts


def take_out(archive, folder):
    """Extracts the program, which cpack has stripped, from a package; returns its path."""
    opened = zipfile.ZipFile(archive) if archive.endswith(".zip") else tarfile.open(archive)
    with opened as packed:
        names = packed.namelist() if archive.endswith(".zip") else packed.getnames()
        name = next(name for name in names if re.search(r"/bin/lightlint(\.exe)?$", name))
        path = os.path.join(folder, os.path.basename(name))
        with open(path, "wb") as file, (packed.open(name) if archive.endswith(".zip") else packed.extractfile(name)) as inner:
            shutil.copyfileobj(inner, file)
    return path


def make(build, out, commit, older_libraries):
    """Builds one preset; returns the names of the files: a package and, if platforms are given, a wheel."""
    missing = [tool for tool in (*build.tools, "cmake", "cpack", "ninja") if not shutil.which(tool)]
    if missing:
        stop(f"expected {', '.join(missing)} for the preset {build.preset}; ./dev release installs what it takes")
    if build.target:
        run("src/cmake/dependencies.sh", build.target)
        if not older_libraries:
            refuse_older_libraries(build.target)
    for preset, target in build.before:
        run("cmake", "--preset", preset)
        run("cmake", "--build", "--preset", preset, "--target", target)
    licences = licences_of(build.target)
    folder = os.path.join(ROOT, "build", build.preset)
    shutil.rmtree(folder, ignore_errors=True)  # remove an older configuration
    if build.generator == "npm":
        run("npm", "ci", "--silent", "--no-audit", "--no-fund", "--prefix", "src/web")  # for building the page
    run("cmake", "--preset", build.preset, "-DLIGHTLINT_BUILD_TESTS=OFF", f"-DLIGHTLINT_COMMIT={commit}")
    run("cmake", "--build", "--preset", build.preset)
    if build.generator == "npm":
        extension = f"lightlint-{lightlint_build.project()[1]}.vsix"
        shutil.copy(os.path.join(folder, "lightlint.html"), out)
        shutil.copy(os.path.join(folder, "lightlint.vsix"), os.path.join(out, extension))
        return ["lightlint.html", extension, run("npm", "pack", "--silent", "--pack-destination", out, os.path.join(folder, "npm")).strip()]
    packed = os.path.join(folder, "packed")
    run("cpack", "-G", build.generator, "--config", os.path.join(folder, "CPackConfig.cmake"), "-B", packed)
    package, = (path for path in glob.glob(os.path.join(packed, "lightlint*")) if os.path.isfile(path))
    shutil.copy(package, out)
    made = [os.path.basename(package)]
    if build.platforms:
        texts = [(f"licences/{name}", path) for name, path in sorted(licences.items())]
        made.append(lightlint_build.write_wheel(out, take_out(package, folder), build.platforms, texts))
    return made


# ---------------------------------------------------------------- bill of materials


def component(kind, name, version, licence="", **more):
    stated = {"expression": licence} if " " in licence else {"license": {"id": licence}}
    licences = {"licenses": [stated]} if licence else {}
    return {"type": kind, "bom-ref": more.get("purl", name), "name": name, **({"version": version} if version else {}), **licences, **more}


def contents(build):
    """Returns the third-party components in a program: libraries with the checksum of their source, parts of compilers
    with that of the linked file."""
    built, parts = libraries_of(build.target), []
    for part in parts_of(build.target):
        if part.target == "*":
            (version, sha), purl = built[part.name], f"pkg:deb/debian/{part.name}@{built[part.name][0]}?arch=source"
        else:
            version = run("dpkg-query", "-W", "-f", "${Version}", part.package).strip()
            linked = sorted(path for path in run("dpkg-query", "-L", part.package).split() if os.path.basename(path) == part.linked)
            if not linked:
                stop(f"expected {part.linked} in the package {part.package}, found none")
            sha, purl = digest(linked[0]), f"pkg:deb/debian/{part.package}@{version}#{part.linked}"
        parts.append(component("library", part.name, version, part.licence, purl=purl, hashes=[{"alg": "SHA-256", "content": sha}]))
    return parts


def write_bill(out, names, inside, version, commit, epoch):
    """Writes the CycloneDX 1.5 file. names: files of the release; inside: third-party components by file name."""
    files = [component("file", name, "", hashes=[{"alg": "SHA-256", "content": digest(os.path.join(out, name))}]) for name in names]
    libraries = {part["bom-ref"]: part for parts in inside.values() for part in parts}
    own = component("application", "lightlint", version, "MIT", purl=f"pkg:generic/lightlint@{version}",
                    properties=[{"name": "commit", "value": commit}])
    if lightlint_build.home():
        own["externalReferences"] = [{"type": "website", "url": lightlint_build.home()}]
    bill = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(files))),
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)), "component": own},
        "components": [*files, *(libraries[ref] for ref in sorted(libraries))],
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": names},
                         *({"ref": name, "dependsOn": [part["bom-ref"] for part in inside.get(name, ())]} for name in names)],
    }
    name = f"lightlint-{version}.cdx.json"
    with open(os.path.join(out, name), "w", encoding="utf-8") as file:
        json.dump(bill, file, indent=1)
        file.write("\n")
    return name


def main():
    older_libraries = "--older-libraries" in sys.argv[1:2]
    words = sys.argv[2 if older_libraries else 1:]
    if len(words) != 1 or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    out = os.path.abspath(words[0])
    changed = run("git", "status", "--porcelain")
    if changed:
        stop(f"expected all changes committed, as a release is of a commit; found:\n{changed}")
    _, version, _ = lightlint_build.project()
    commit, epoch = run("git", "log", "-1", "--format=%H %ct").split()
    epoch = os.environ.setdefault("SOURCE_DATE_EPOCH", epoch)
    os.environ["TZ"], os.environ["LC_ALL"] = "UTC", "C.UTF-8"
    os.umask(0o022)
    check_changelog(version)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    names, inside, known = [lightlint_build.build_sdist(out)], {}, presets()
    for build in BUILDS:
        if build.preset in known:
            made = make(build, out, commit, older_libraries)
            names += made
            inside.update(dict.fromkeys(made, contents(build)) if build.target else {})
    names.append(write_bill(out, sorted(names), inside, version, commit, int(epoch)))
    with open(os.path.join(out, "SHA256SUMS"), "w", encoding="utf-8") as file:
        file.writelines(f"{digest(os.path.join(out, name))}  {name}\n" for name in sorted(names))
    print("\n".join(os.path.join(out, name) for name in [*sorted(names), "SHA256SUMS"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
