#!/usr/bin/env python3
"""Makes the files of a release (src/packaging/release.py) again and compares their bytes. Tries each file where users
use it: the archive alone and in bare chroots of Debian 11 and 12, the Debian package with apt, the wheel with pip and
the pre-commit hook without a compiler, zip and wheel for Windows under Wine, the npm package in node, the page and the
extension in a browser.

usage: check_release.py FOLDER SOURCE WORK [TESTS...]
SOURCE: source tree of the release; WORK: emptied, except for chroots
exit:  0 all passed, 1 not; what could not be tried is listed"""
import glob
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

FOLDER, SOURCE, WORK = "", "", ""
GOOD, BAD, BAD_RULE = "good-point-tpp.grxla", "bad-name-hash-one-letter.grxla", "GRX265"
# Packages for pip and the hook. The nodeenv of pre-commit depends on a compiler, which is removed.
DEBIAN = {"bullseye": "", "bookworm": "git,pre-commit,python3-pip,python3-venv,ca-certificates"}


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **{"timeout": 900, **more})


def only(pattern):
    found = glob.glob(os.path.join(FOLDER, pattern))
    assert len(found) == 1, f"expected one {pattern} in {FOLDER}, found {found}"
    return found[0]


def linux_program(folder):
    """Extracts the program of the archive into a folder; returns its path."""
    path = os.path.join(folder, "lightlint")
    with tarfile.open(only("*-linux-*.tar.gz")) as archive, open(path, "wb") as file:
        name = next(name for name in archive.getnames() if name.endswith("/bin/lightlint"))
        file.write(archive.extractfile(name).read())
    os.chmod(path, 0o755)
    return path


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Files(unittest.TestCase):
    def test_checksums_are_of_all_files(self):
        with open(os.path.join(FOLDER, "SHA256SUMS"), encoding="utf-8") as file:
            sums = {name: value for value, name in map(str.split, file)}
        self.assertEqual(sums, {name: digest(os.path.join(FOLDER, name)) for name in os.listdir(FOLDER) if name != "SHA256SUMS"})

    def test_bill_of_materials(self):
        with open(only("*.cdx.json"), encoding="utf-8") as file:
            bill = json.load(file)
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.5"))
        files = {part["name"]: part["hashes"][0]["content"] for part in bill["components"] if part["type"] == "file"}
        self.assertEqual(files, {name: digest(os.path.join(FOLDER, name)) for name in os.listdir(FOLDER)
                                 if name != "SHA256SUMS" and not name.endswith(".cdx.json")})
        refs = {part["bom-ref"] for part in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
        self.assertEqual(len(refs), len(bill["components"]) + 1)
        for row in bill["dependencies"]:
            self.assertLessEqual({row["ref"], *row["dependsOn"]}, refs)
        for part in bill["components"]:
            if part["type"] == "library":
                stated, = part["licenses"]
                self.assertNotIn("GPL", stated.get("license", {}).get("id", ""), part["name"])
                self.assertTrue("GPL" not in stated.get("expression", "") or "WITH GCC-exception" in stated["expression"], part["name"])
                self.assertRegex(part["hashes"][0]["content"], "^[0-9a-f]{64}$", part["name"])

    def test_licences(self):
        """What is in a program is in NOTICE, and each package has the full text of its licence."""
        sys.path.insert(0, os.path.join(SOURCE, "src", "packaging"))
        import release  # pylint: disable=import-outside-toplevel
        with open(os.path.join(SOURCE, "NOTICE"), encoding="utf-8") as file:
            notice = file.read().lower()
        for target, patterns in (("musl", ("*-linux-*.tar.gz", "*manylinux*.whl")), ("windows", ("*-windows-*.zip", "*win_amd64.whl")),
                                 ("wasm", ("*.tgz", "*.vsix"))):
            texts = {**{part.name: None for part in release.parts_of(target)}, **{part.text: None for part in release.parts_of(target) if part.text != "-"}}
            for part in release.parts_of(target):
                self.assertIn(part.name, notice)
            for path in map(only, patterns):
                opened = tarfile.open(path) if path.endswith(("gz", "tgz")) else zipfile.ZipFile(path)
                with opened as packed:
                    names = packed.getnames() if path.endswith(("gz", "tgz")) else packed.namelist()
                held = {re.sub(r".*/licences/|\.txt$", "", name) for name in names if "/licences/" in name}
                self.assertLessEqual(set(texts), held, path)

    def test_same_bytes_again(self):
        """Releases made from another clone in another place are equal."""
        again = os.path.join(WORK, "again")
        shutil.rmtree(again, ignore_errors=True)
        self.assertEqual(run(["git", "clone", "-q", SOURCE, again]).stdout, "")
        sources = os.path.join(SOURCE, "build/dependencies/sources")
        if os.path.isdir(sources):
            shutil.copytree(sources, os.path.join(again, "build/dependencies/sources"))
        make = [sys.executable, "-B", os.path.join(again, "src/packaging/release.py"), "--older-libraries", os.path.join(again, "files")]
        done = run(make, timeout=7200)  # whether older libraries are allowed was decided for FOLDER
        self.assertEqual(done.returncode, 0, done.stdout)
        with open(os.path.join(FOLDER, "SHA256SUMS"), encoding="utf-8") as one, open(os.path.join(again, "files/SHA256SUMS"), encoding="utf-8") as other:
            self.assertEqual(one.read(), other.read())
        shutil.rmtree(again)

    def test_no_path_of_the_machine(self):
        """Neither programs nor texts contain paths, so it does not matter where a release is made."""
        for path in glob.glob(os.path.join(FOLDER, "*")):
            parts = {}
            if path.endswith((".json", ".html", "SUMS")):
                with open(path, "rb") as file:
                    parts[os.path.basename(path)] = file.read()
            elif path.endswith((".whl", ".zip", ".vsix")):
                with zipfile.ZipFile(path) as file:
                    parts = {name: file.read(name) for name in file.namelist()}
            elif path.endswith((".tar.gz", ".tgz", ".deb")):
                packed = path if path.endswith("gz") else None
                content = None if packed else io.BytesIO(subprocess.run(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE, check=True).stdout)
                with tarfile.open(packed, fileobj=content) as file:
                    parts = {name.name: file.extractfile(name).read() for name in file.getmembers() if name.isfile()}
            self.assertTrue(parts, path)
            for name, content in parts.items():
                self.assertNotIn(os.fsencode(SOURCE) + b"/", content, f"{path}: {name}")


class UnderWine(unittest.TestCase):
    """Zip and wheel for Windows, in a Wine prefix of their own."""
    WINE = ("src", "cmake", "under_wine.sh")

    def wine(self, *arguments):
        return run([os.path.join(SOURCE, *self.WINE), *arguments], cwd=SOURCE, stdin=subprocess.DEVNULL,
                   env=dict(os.environ, LIGHTLINT_WINEPREFIX=os.path.join(WORK, "wine")))

    def setUp(self):
        if self.wine("--start").returncode:
            self.skipTest("wine is not installed, or does not start")
        self.addCleanup(self.wine, "--end")
        self.folder = tempfile.mkdtemp(dir=WORK)
        self.addCleanup(shutil.rmtree, self.folder)

    def program_in(self, path):
        with zipfile.ZipFile(path) as packed:
            name = next(name for name in packed.namelist() if name.endswith("/lightlint.exe"))
            return packed.extract(name, self.folder)

    def test_zip(self):
        """The output for the demo corpus equals that of the Linux program, in every format."""
        program = self.program_in(only("*-windows-*.zip"))
        self.assertIn("lightlint ", self.wine(program, "version").stdout)
        native = linux_program(self.folder)
        for name in ("full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown", "html", "statistics"):
            arguments = ("check", "--no-ignore", "--format", name, "corpus/demo")  # there is no Git for Windows
            linux = run([native, *arguments], cwd=SOURCE, stdin=subprocess.DEVNULL)
            windows = self.wine(program, *arguments)
            self.assertEqual(linux.returncode, 2, name)  # some of its files cannot be checked
            self.assertEqual((windows.returncode, windows.stdout), (2, linux.stdout), name)

    def test_wheel_holds_the_program_of_the_zip(self):
        """pip accepts the wheel only for Windows."""
        wheel, target = only("*win_amd64.whl"), os.path.join(self.folder, "target")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", target]
        if run([*command[:3], "--version"]).returncode:
            self.skipTest("pip is not installed")
        self.assertIn("is not a supported wheel on this platform", run([*command, wheel]).stdout)
        self.assertEqual(run([*command, "--platform", "win_amd64", "--only-binary", ":all:", wheel]).returncode, 0)
        self.assertEqual(digest(os.path.join(target, "bin", "lightlint.exe")), digest(self.program_in(only("*-windows-*.zip"))))


class Web(unittest.TestCase):
    """The npm package and the page, compared with the program of the archive."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=WORK)
        self.addCleanup(shutil.rmtree, self.folder)

    def passes(self, *command):
        done = run(command, cwd=SOURCE, stdin=subprocess.DEVNULL)
        if done.returncode == 77:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_npm_package(self):
        with tarfile.open(only("*.tgz")) as archive:
            archive.extractall(self.folder)
        self.passes(sys.executable, "-B", "tests/web/check_npm.py", linux_program(self.folder), os.path.join(self.folder, "package"), "corpus")

    def test_page(self):
        self.passes("node", "tests/web/page.mjs", only("*.html"), linux_program(self.folder), "two clicks", "saved", "policy")

    def test_extension(self):
        self.passes(sys.executable, "-B", "tests/web/check_vsix.py", linux_program(self.folder), only("*.vsix"), SOURCE)


class Places(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0 or not shutil.which("chroot"):
            self.skipTest("chroot is for root")

    def prepare(self, root):
        """Copies the program of the archive, and files to lint, into the root."""
        for name in ("files", "release"):
            shutil.rmtree(os.path.join(root, name), ignore_errors=True)
        os.makedirs(os.path.join(root, "files"))
        for name in (GOOD, BAD):
            shutil.copy(os.path.join(SOURCE, "corpus", "demo", name), os.path.join(root, "files"))
        shutil.copytree(FOLDER, os.path.join(root, "release"))
        linux_program(root)

    def inside(self, root, *command, code=0, **more):
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", **more}
        done = run([shutil.which("chroot"), root, *command], env=environment)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}")
        return done.stdout

    def lints(self, root, program, **more):
        self.assertIn("lightlint ", self.inside(root, program, "version", **more))
        self.inside(root, program, "check", f"/files/{GOOD}", **more)
        self.assertIn(BAD_RULE, self.inside(root, program, "check", "--format", "concise", f"/files/{BAD}", code=1, **more))

    def debian(self, suite):
        """Root of a bare Debian; made once."""
        if not shutil.which("mmdebstrap"):
            self.skipTest("mmdebstrap is not installed")
        root = os.path.join(WORK, suite)
        if not os.path.exists(os.path.join(root, "made")):
            shutil.rmtree(root, ignore_errors=True)
            listed = run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]).stdout.split()
            include = [f"--include={DEBIAN[suite]}"] if DEBIAN[suite] else []
            done = run(["mmdebstrap", "--mode=root", "--variant=apt", "--aptopt=APT::Install-Recommends \"false\"", *include, suite, root, *listed[:1]])
            if done.returncode:
                self.skipTest(f"mmdebstrap could not make {suite}: {done.stdout[-300:]}")
            for name in os.listdir(os.path.join(root, "usr/bin")):
                if re.fullmatch(r"cc|c[89]9|c\+\+|([\w-]+-)?(gcc|g\+\+|cpp)(-\d+)?", name):
                    os.remove(os.path.join(root, "usr/bin", name))
            open(os.path.join(root, "made"), "w", encoding="utf-8").close()
        shutil.copy("/etc/resolv.conf", os.path.join(root, "etc"))
        self.prepare(root)
        self.inside(root, "sh", "-c", "command -v cc gcc clang", code=127)
        return root

    def test_archive_alone(self):
        with tempfile.TemporaryDirectory(dir=WORK) as root:
            self.prepare(root)
            self.lints(root, "/lightlint")

    def test_archive_in_debian_11(self):
        self.lints(self.debian("bullseye"), "/lightlint")

    def test_archive_in_debian_12(self):
        self.lints(self.debian("bookworm"), "/lightlint")

    def test_debian_package_by_apt(self):
        root = self.debian("bookworm")
        package = "/release/" + os.path.basename(only("*.deb"))
        self.inside(root, "apt-get", "update", "-qq")
        self.inside(root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", package, DEBIAN_FRONTEND="noninteractive")
        self.lints(root, "/usr/bin/lightlint")
        self.inside(root, "apt-get", "remove", "-y", "-qq", "lightlint")
        self.assertFalse(os.path.exists(os.path.join(root, "usr/bin/lightlint")))

    def test_wheel_by_pip(self):
        root = self.debian("bookworm")
        wheel = "/release/" + os.path.basename(only("*manylinux*.whl"))
        shutil.rmtree(os.path.join(root, "venv"), ignore_errors=True)
        self.inside(root, "python3", "-m", "venv", "/venv")
        self.inside(root, "/venv/bin/pip", "install", "--no-index", wheel)
        self.lints(root, "/venv/bin/lightlint")

    def test_hook_of_pre_commit(self):
        """The hook installs the wheel of the release, because the project is at the commit of the release; nothing
        else could build it."""
        root = self.debian("bookworm")
        version = os.path.basename(only("*.cdx.json"))[len("lightlint-"):-len(".cdx.json")]
        for name in ("project", "mods", "releases", "root/.cache"):
            shutil.rmtree(os.path.join(root, name), ignore_errors=True)
        self.assertEqual(run(["git", "clone", "-q", SOURCE, os.path.join(root, "project")]).stdout, "")
        shutil.copytree(FOLDER, os.path.join(root, "releases", "v" + version))
        shutil.copytree(os.path.join(root, "files"), os.path.join(root, "mods"))
        self.inside(root, "sh", "-c", "cd /mods && git init -q && git add -A")
        said = self.inside(root, "sh", "-c", "cd /mods && git config --global --add safe.directory '*' && exec pre-commit try-repo /project lightlint --all-files",
                           code=1, LIGHTLINT_RELEASES="file:///releases")
        self.assertIn(BAD_RULE, said)
        self.assertNotIn(GOOD, said)


def main():
    global FOLDER, SOURCE, WORK
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    FOLDER, SOURCE, WORK = map(os.path.abspath, sys.argv[1:4])
    os.makedirs(WORK, exist_ok=True)
    return 0 if unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
