#!/usr/bin/env python3
"""The build backend for pip: contents of wheels, whether pip accepts them, contents of source archives, and messages if
something is missing. test_pre_commit.py tests that it compiles the program.

usage: test_build_backend.py SOURCE_DIR PROGRAM WORK_DIR
exit:  0 all passed, 1 not, 77 skipped (no git)"""
import base64
import csv
import hashlib
import io
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import unittest
import zipfile

import snapshot

SOURCE, PROGRAM, WORK = "", "", ""


def call(project, code, path=None):
    """Runs the backend as pip does: in a process of its own, in the root of the project."""
    scratch = os.path.join(WORK, "scratch")
    os.makedirs(scratch, exist_ok=True)
    environment = snapshot.environment(scratch, PYTHONPATH=os.path.join(project, "src", "packaging"))
    environment["PATH"] = path or os.environ["PATH"]
    return subprocess.run([sys.executable, "-B", "-c", "import lightlint_build as b\n" + code], cwd=project, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def only_file(folder):
    names = os.listdir(folder)
    return os.path.join(folder, names[0]) if len(names) == 1 else None


class Backend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.project = os.path.join(WORK, "project")
        snapshot.take(SOURCE, cls.project)
        cls.wheels, cls.again = (os.path.join(WORK, name) for name in ("wheels", "again"))
        for folder in (cls.wheels, cls.again):
            os.makedirs(folder)
            done = call(cls.project, f"b.write_wheel({folder!r}, {PROGRAM!r})")
            assert done.returncode == 0, done.stdout
        cls.wheel = only_file(cls.wheels)

    def test_wheel_name(self):
        self.assertRegex(os.path.basename(self.wheel), r"^lightlint-\d+\.\d+\.\d+-py3-none-(linux|macosx)_\w+\.whl$")

    def test_same_bytes_again(self):
        with open(self.wheel, "rb") as one, open(only_file(self.again), "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_record(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            record = next(name for name in names if name.endswith("/RECORD"))
            rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
            self.assertEqual(set(rows), set(names))
            for name in set(names) - {record}:
                content = wheel.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual(rows[name], ["sha256=" + digest, str(len(content))], name)

    def test_program_is_native_and_a_script(self):
        with zipfile.ZipFile(self.wheel) as wheel, open(PROGRAM, "rb") as program:
            name = next(name for name in wheel.namelist() if name.endswith(".data/scripts/lightlint"))
            self.assertEqual(wheel.read(name), program.read())
            self.assertEqual(wheel.getinfo(name).external_attr >> 16, stat.S_IFREG | 0o755)
            text = wheel.read(next(name for name in wheel.namelist() if name.endswith("/WHEEL"))).decode()
            self.assertIn("Root-Is-Purelib: false", text)
            self.assertIn("Tag: " + os.path.basename(self.wheel)[:-4].split("-", 2)[2], text)

    def test_pip_installs_it(self):
        folder = os.path.join(WORK, "venv")
        for command in (["virtualenv", "-q", folder], [sys.executable, "-m", "venv", folder]):
            shutil.rmtree(folder, ignore_errors=True)
            if shutil.which(command[0]) and subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                           check=False).returncode == 0:
                break
        else:
            self.skipTest("neither virtualenv nor venv works here")
        run = {"env": snapshot.environment(os.path.join(WORK, "scratch")), "stdout": subprocess.PIPE,
               "stderr": subprocess.STDOUT, "text": True, "check": False}
        done = subprocess.run([os.path.join(folder, "bin", "pip"), "install", self.wheel], **run)
        self.assertEqual(done.returncode, 0, done.stdout)
        installed = os.path.join(folder, "bin", "lightlint")
        with open(installed, "rb") as one, open(PROGRAM, "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertIn("lightlint", subprocess.run([installed, "version"], **run).stdout)
        as_module = [os.path.join(folder, "bin", "python"), "-m", "lightlint"]
        self.assertEqual(subprocess.run([*as_module, "version"], **run).stdout, subprocess.run([installed, "version"], **run).stdout)
        self.assertEqual(subprocess.run([*as_module, "no-such-file.rgm"], **run).returncode, 2)
        os.remove(installed)
        done = subprocess.run([*as_module, "version"], **run)
        self.assertEqual(done.returncode, 1)
        self.assertIn(installed, done.stdout)
        self.assertNotIn("Traceback", done.stdout)

    def test_home(self):
        """It is in the metadata where it is stated, and links of the README lead there; else there is neither."""
        said = call(self.project, "b.stated = lambda: ('lightlint', '1.2', 'words', '')\nprint(b.metadata().decode())").stdout
        self.assertNotIn("Project-URL", said)
        self.assertNotIn("](docs/", said)
        said = call(self.project, "b.stated = lambda: ('lightlint', '1.2', 'words', 'https://example.org/l')\nprint(b.metadata().decode())").stdout
        self.assertIn("Project-URL: Homepage, https://example.org/l\n", said)
        self.assertIn("](https://example.org/l/blob/v1.2/docs/", said)

    def test_source_archive(self):
        folder = os.path.join(WORK, "sdist")
        os.makedirs(folder)
        with open(os.path.join(self.project, "untracked.txt"), "w", encoding="utf-8") as file:
            file.write("not tracked\n")
        done = call(self.project, f"b.build_sdist({folder!r})")
        os.remove(os.path.join(self.project, "untracked.txt"))
        self.assertEqual(done.returncode, 0, done.stdout)
        tracked = {name for name in snapshot.git(self.project, "ls-files", "-z").split("\0") if name}
        with tarfile.open(only_file(folder)) as archive:
            names = archive.getnames()
            top = os.path.basename(only_file(folder))[:-len(".tar.gz")]
            self.assertEqual({name.partition("/")[2] for name in names}, tracked | {"PKG-INFO"})
            self.assertEqual({name.partition("/")[0] for name in names}, {top})
            self.assertTrue(archive.getmember(top + "/dev").mode & 0o100)

    def test_source_archive_needs_git(self):
        folder = os.path.join(WORK, "no-git")
        shutil.copytree(self.project, folder, ignore=shutil.ignore_patterns(".git", "corpus", "tests"))
        done = call(folder, f"b.build_sdist({WORK!r})")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no Git checkout", done.stdout)
        self.assertNotIn("Traceback", done.stdout)

    def release(self, name, sums=None, commit=True):
        """Makes a folder of releases with the wheel of this project, and runs the backend without a compiler.
        commit: was the wheel built from this commit?"""
        folder = os.path.join(WORK, name)
        place = os.path.join(folder, "v" + os.path.basename(self.wheel).split("-")[1])
        os.makedirs(place)
        program = os.path.join(folder, "lightlint")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho 'lightlint 0'\necho 'commit   %s'\n" % (snapshot.git(self.project, "rev-parse", "HEAD").strip() if commit else "1" * 40))
        done = call(self.project, f"b.write_wheel({place!r}, {program!r}, ['manylinux_2_5_x86_64', 'manylinux1_x86_64'])")
        self.assertEqual(done.returncode, 0, done.stdout)
        wheel = only_file(place)
        with open(wheel, "rb") as file, open(os.path.join(place, "SHA256SUMS"), "w", encoding="utf-8") as listing:
            listing.write(f"{'0' * 64}  lightlint-9-linux.tar.gz\n{sums or hashlib.sha256(file.read()).hexdigest()}  {os.path.basename(wheel)}\n")
        out = os.path.join(folder, "out")
        os.makedirs(out)
        code = f"import os\nos.environ['LIGHTLINT_RELEASES'] = 'file://{folder}'\nb.missing = lambda: [b.needs()[0]]\nprint(b.build_wheel({out!r}))"
        done = call(self.project, code)
        self.assertNotIn("Traceback", done.stdout)
        return done, wheel, out

    @unittest.skipUnless(sys.platform == "linux" and os.uname().machine == "x86_64", "releases are for Linux on x86-64")
    def test_wheel_of_the_release(self):
        done, wheel, out = self.release("released")
        self.assertEqual(done.returncode, 0, done.stdout)
        with open(wheel, "rb") as one, open(only_file(out), "rb") as other:
            self.assertEqual(one.read(), other.read())
        done, _, out = self.release("released-damaged", sums="0" * 64)
        self.assertEqual((done.returncode, os.listdir(out)), (1, []))
        self.assertIn("another checksum than SHA256SUMS states", done.stdout)
        done, _, out = self.release("released-other", commit=False)
        self.assertEqual((done.returncode, os.listdir(out)), (1, []))
        self.assertIn("is of another commit", done.stdout)
        self.assertIn("missing: a C compiler.", done.stdout)

    def test_no_release(self):
        for address, words in ("file:///nowhere", "missing: a C compiler."), ("http://example.invalid", "expected an address of https or file"):
            done = call(self.project, f"import os\nos.environ['LIGHTLINT_RELEASES'] = {address!r}\nb.missing = lambda: [b.needs()[0]]\nb.build_wheel({WORK!r})")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(words, done.stdout)
        done = call(self.project, f"import os\nos.environ['LIGHTLINT_BUILD'] = 'never'\nb.build_wheel({WORK!r})")
        self.assertIn("there is no release of this commit", done.stdout)

    def tools(self, name, **scripts):
        folder = os.path.join(WORK, name)
        os.makedirs(folder)
        for tool, text in scripts.items():
            path = os.path.join(folder, tool.replace("_", "-"))
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(path, 0o755)
        return folder

    def refused(self, path):
        done = call(self.project, f"b.build_wheel({WORK!r})", path)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertNotIn("Traceback", done.stdout)
        return done.stdout

    def test_nothing_there(self):
        said = self.refused(self.tools("empty"))
        for words in ("a C compiler", "CMake 3.21 or newer", "make or ninja", "pkg-config", "PCRE2", "cJSON", "libyaml", "zlib",
                      "apt-get install", "libpcre2-dev", "dnf install", "cjson-devel", "brew install", "lightlint-system"):
            self.assertIn(words, said)

    def test_old_cmake_and_a_library_missing(self):
        said = self.refused(self.tools("old", cc="", make="", cmake="echo cmake version 3.18.4\n",
                                       pkg_config='[ "$2" != libcjson ]\n'))
        self.assertIn("missing: CMake 3.21 or newer, cJSON.", said)
        self.assertIn("libcjson-dev", said)
        self.assertNotIn("libpcre2-dev", said)

    def test_failing_build_is_said(self):
        said = self.refused(self.tools("failing", cc="", make="", pkg_config="",
                                       cmake='[ "$1" = --version ] && echo cmake version 3.25.1 && exit 0\necho no luck\nexit 7\n'))
        self.assertIn("no luck", said)
        self.assertIn("exit code 7 of: cmake -S", said)


def main():
    global SOURCE, PROGRAM, WORK
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    SOURCE, PROGRAM, WORK = map(os.path.abspath, sys.argv[1:])
    if not shutil.which("git"):
        print("skipped: no git here")
        return 77
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    return 0 if unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
