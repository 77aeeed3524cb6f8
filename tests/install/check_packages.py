#!/usr/bin/env python3
"""Makes both packages of the program and uses each on a machine that has nothing else: the Debian package in a scratch
root, the archive behind chroot, alone.

usage: check_packages.py --source DIR --build DIR --work DIR --cmake CMAKE --version VERSION [--hardened WORDS]
exit:  0 all fine, 1 not, 77 skipped (no cpack, or not on Linux)"""
import argparse
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tarfile

import hardening

GOOD, BAD = "good-point-tpp.grxla", "bad-name-hash-one-letter.grxla"
BAD_RULE = "GRX265"
EVERYWHERE = ["bin/lightlint", "share/man/man1/lightlint.1", "share/bash-completion/completions/lightlint",
              "share/zsh/site-functions/_lightlint", "share/fish/vendor_completions.d/lightlint.fish",
              "share/lightlint/rules/core.yaml", "share/lightlint/rules/README.md",
              "share/lightlint/schema/finding.schema.json", "share/doc/lightlint/README.md",
              "share/doc/lightlint/NOTICE", "share/doc/lightlint/copyright", "share/doc/lightlint/docs/rules.md",
              "share/doc/lightlint/docs/formats/grx.md"]
NOWHERE = ["include/", "cmake/", "pkgconfig/", ".a"]


class Failure(Exception):
    """What went wrong."""


def run(command, expect=0, **more):
    """Standard output and errors of a command that has to end with `expect`."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode != expect:
        raise Failure(f"exit code {done.returncode}, expected {expect}: {shlex.join(command)}\n{done.stdout}")
    return done.stdout


def check_list(what, names, wanted):
    for name in wanted:
        if name not in names:
            raise Failure(f"{what} lacks {name}; it holds {sorted(names)}")
    for name in names:
        if any(part in name for part in NOWHERE if not name.startswith("share/doc/")):
            raise Failure(f"{what} holds {name}, which is for compilers")


def check_texts(what, prefix):
    """What was made by running the program asks it."""
    for name in EVERYWHERE[2:5]:
        with open(os.path.join(prefix, name), encoding="utf-8") as file:
            if "completions line" not in file.read():
                raise Failure(f"{what}: {name} does not ask the program what may stand at the end of a line")


class Packages:
    def __init__(self, options):
        self.options = options
        self.demo = os.path.join(options.source, "corpus", "demo")
        self.cpack = os.path.join(os.path.dirname(options.cmake), "cpack")

    def folder(self, name):
        path = os.path.join(self.options.work, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def pack(self, build, kind, where):
        run([self.cpack, "-G", kind, "--config", os.path.join(build, "CPackConfig.cmake"), "-B", where])
        made = [path for path in glob.glob(os.path.join(where, "lightlint*")) if os.path.isfile(path)]
        if len(made) != 1:
            raise Failure(f"cpack -G {kind} made {made}, expected one package")
        return made[0]

    def lint(self, prefix_command, place, **more):
        """The program does its work: version, a good file, a bad one."""
        if self.options.version not in run([*prefix_command, "version"], **more):
            raise Failure(f"{prefix_command} version does not say {self.options.version}")
        run([*prefix_command, "check", f"{place}/{GOOD}"], **more)
        found = run([*prefix_command, "check", "--format", "concise", f"{place}/{BAD}"], expect=1, **more)
        if BAD_RULE not in found:
            raise Failure(f"{BAD}: expected {BAD_RULE}, found {found!r}")

    def check_hardening(self, program):
        faults = hardening.faults(program, self.options.hardened.split(","))
        if faults:
            raise Failure("; ".join(faults))

    # ---------------------------------------------------------------- Debian package

    def debian(self):
        if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
            print("Debian package: skipped, no dpkg-deb or dpkg-shlibdeps")
            return
        where = self.folder("deb")
        package = self.pack(self.options.build, "DEB", where)
        fields = {}
        for name in ("Package", "Version", "Depends", "Section", "Maintainer", "Description"):
            fields[name] = run(["dpkg-deb", "-f", package, name]).strip()
        for name, wanted in (("Package", "lightlint"), ("Version", self.options.version), ("Section", "devel"),
                             ("Depends", "libc6"), ("Depends", "libpcre2-8-0"), ("Depends", "libcjson1"),
                             ("Maintainer", "lightlint"), ("Description", "\n Reads a light file")):
            if wanted not in fields[name]:
                raise Failure(f"field {name}: expected {wanted!r} in it, found {fields[name]!r}")
        root = os.path.join(where, "root")
        run(["dpkg-deb", "-x", package, root])
        names = {os.path.relpath(os.path.join(folder, name), os.path.join(root, "usr"))
                 for folder, _, files in os.walk(root) for name in files}
        wanted = [name + ".gz" if "/man" in name else name for name in EVERYWHERE]
        check_list("the Debian package", names, [*wanted, "share/doc/lightlint/changelog.gz"])
        check_texts("the Debian package", os.path.join(root, "usr"))
        self.lint([os.path.join(root, "usr/bin/lightlint")], self.demo, env={})
        self.check_hardening(os.path.join(root, "usr/bin/lightlint"))
        self.install_debian(package, where)
        self.lintian(package)

    def install_debian(self, package, where):
        """dpkg takes the package; what it depends on is not in the scratch root, so that is not asked for."""
        if os.geteuid() != 0:
            print("installation of the Debian package: skipped, not root")
            return
        root = os.path.join(where, "installed")
        for name in ("info", "updates", "triggers"):
            os.makedirs(os.path.join(root, "var/lib/dpkg", name))
        open(os.path.join(root, "var/lib/dpkg/status"), "w", encoding="utf-8").close()
        dpkg = ["dpkg", f"--root={root}", "--force-depends", "--log=/dev/null"]
        run([*dpkg, "-i", package])
        if "install ok installed" not in run([*dpkg, "-s", "lightlint"]):
            raise Failure("dpkg does not know the package that it installed")
        self.lint([os.path.join(root, "usr/bin/lightlint")], self.demo, env={})
        run([*dpkg, "-r", "lightlint"])
        if os.path.exists(os.path.join(root, "usr/bin/lightlint")):
            raise Failure("the package was removed and its program is still there")

    def lintian(self, package):
        if not shutil.which("lintian"):
            print("lintian: skipped, not installed")
            return
        run(["lintian", "--fail-on", "error,warning", *(["--allow-root"] if os.geteuid() == 0 else []), package])

    # ---------------------------------------------------------------- archive

    def archive(self):
        """Of a build by musl, behind chroot: no other file is there at all."""
        if not os.path.exists(os.path.join(self.options.source, "build/dependencies/musl/stamp")) or not shutil.which("musl-gcc"):
            print("archive: skipped, no musl-gcc, or 'src/cmake/dependencies.sh musl' was not run")
            return
        build = self.folder("static")
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run([self.options.cmake, "-S", self.options.source, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DLIGHTLINT_BUILD_TESTS=OFF",
             "-DCMAKE_TOOLCHAIN_FILE=" + os.path.join(self.options.source, "src/cmake/musl.cmake")])
        run([self.options.cmake, "--build", build, "--parallel", "2"])
        where = self.folder("archive")
        package = self.pack(build, "TGZ", where)
        with tarfile.open(package) as tar:
            tops = {name.split("/")[0] for name in tar.getnames()}
            if len(tops) != 1:
                raise Failure(f"the archive holds {sorted(tops)} at its top, expected one folder")
            run(["tar", "-xzf", package, "-C", where])
        top = os.path.join(where, tops.pop())
        names = {os.path.relpath(os.path.join(folder, name), top) for folder, _, files in os.walk(top) for name in files}
        licences = ("cjson", "expat", "libyaml", "pcre2", "zlib", "musl", "libgcc", "GPL-3")
        check_list("the archive", names, [*EVERYWHERE, *(f"share/doc/lightlint/licences/{name}" for name in licences)])
        check_texts("the archive", top)
        program = os.path.join(top, "bin/lightlint")
        self.lint([program], self.demo, env={})
        faults = hardening.faults(program, ["pie", "relro"], alone=True)
        if faults:
            raise Failure("; ".join(faults))
        self.check_alone(program, os.path.join(where, "alone"))

    def check_alone(self, program, root):
        """The program, files to lint, and nothing else."""
        if os.geteuid() != 0 or not shutil.which("chroot"):
            print("the archive alone: skipped, chroot is for root")
            return
        os.makedirs(os.path.join(root, "files"))
        for name in (GOOD, BAD):
            shutil.copy(os.path.join(self.demo, name), os.path.join(root, "files"))
        shutil.copy(program, root)
        self.lint([shutil.which("chroot"), root, "/lightlint"], "/files", env={})


def main():
    parser = argparse.ArgumentParser(description="Checks the packages.")
    for name in ("source", "build", "work", "cmake", "version"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--hardened", default="", help="what LIGHTLINT_HARDENED holds, with commas")
    options = parser.parse_args()
    packages = Packages(options)
    if not sys.platform.startswith("linux") or not os.access(packages.cpack, os.X_OK):
        print("skipped: no cpack beside cmake, or not on Linux")
        return 77
    try:
        packages.debian()
        packages.archive()
    except (Failure, OSError) as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
