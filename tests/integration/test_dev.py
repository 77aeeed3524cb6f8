#!/usr/bin/env python3
"""`./dev` on machines with pretended packages: what it installs, and what it says if it cannot.

usage: test_dev.py SOURCE_DIR"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = ""
BASE = ("bash", "env", "dirname", "awk", "grep", "uname", "mkdir", "cat", "sed", "tail")
NEEDS = ("gcc", "libc6-dev", "cmake", "ninja-build", "pkg-config", "libpcre2-dev", "libcjson-dev", "libyaml-dev", "zlib1g-dev", "libexpat1-dev")
ONLY_TESTS = ("libcmocka-dev", "python3-jsonschema", "universal-ctags")


class Machine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lightlint-dev-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin = os.path.join(self.folder, "bin")
        os.makedirs(os.path.join(self.folder, "src", "cmake"))
        os.mkdir(self.bin)
        for name in ("dev", "src/cmake/needs.txt"):
            shutil.copy(os.path.join(SOURCE, name), os.path.join(self.folder, name))
        for name in BASE:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        self.tool("dpkg-query", "exit 1")
        self.tool("id", "echo 0")

    def tool(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!{self.bin}/bash\n{text}\n")
        os.chmod(path, 0o755)

    def dev(self, *words):
        environment = {"PATH": self.bin, "HOME": self.folder, "LOG": os.path.join(self.folder, "log")}
        return subprocess.run(["bash", os.path.join(self.folder, "dev"), *words], env=environment, capture_output=True, text=True, check=False)

    def installed(self, *words):
        """The packages that apt-get is asked for, which it does not get."""
        self.tool("apt-get", 'echo "$*" >>"$LOG"\n[ "$1" = update ]')
        self.dev(*words)
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            return set(file.read().split())

    def refused(self, done):
        """Checks the two lines of a machine on which nothing can be installed."""
        self.assertEqual(done.returncode, 2, done.stderr)
        missing, instead = done.stderr.splitlines()[-2:]
        for name in NEEDS:
            self.assertIn(name, missing.split())
        self.assertNotIn("libcmocka-dev", missing)
        for words in ("docs/install.md", "./dev lint --vendored DIR"):
            self.assertIn(words, instead)
        return done.stderr.splitlines()

    def test_lint_installs_what_building_needs(self):
        packages = self.installed("lint")
        self.assertLessEqual(set(NEEDS), packages)
        self.assertFalse(packages & {*ONLY_TESTS, "git", "python3"})

    def test_test_installs_what_tests_need(self):
        self.assertLessEqual({*NEEDS, *ONLY_TESTS}, self.installed("test"))

    def test_test_leaves_out_long_tests(self):
        for name in ("cmake", "pkg-config", "cc", "ninja", "ctags", "groff", "git", "apt-get"):
            self.tool(name, "exit 0")
        self.tool("ctest", 'echo "$*"')
        self.assertEqual(self.dev("test").stdout, "--preset release -LE long\n")
        self.assertEqual(self.dev("test", "-L", "long").stdout, "--preset release -L long\n")

    def test_vendored_needs_no_library(self):
        packages = self.installed("lint", "--vendored", "sources")
        self.assertLessEqual({"gcc", "cmake", "pkg-config", "dpkg-dev"}, packages)
        self.assertNotIn("libpcre2-dev", packages)

    def test_neither_root_nor_sudo(self):
        self.tool("id", "echo 1000")
        self.tool("apt-get", 'echo "$*" >>"$LOG"')
        self.assertEqual(len(self.refused(self.dev("lint"))), 2)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "log")))

    def test_no_network(self):
        self.tool("apt-get", 'echo "E: Unable to fetch" >&2\n[ "$1" = update ]')
        self.assertEqual(len(self.refused(self.dev("lint"))), 3)
        with open(os.path.join(self.folder, "build", "apt.log"), encoding="utf-8") as file:
            self.assertIn("Unable to fetch", file.read())

    def test_another_system(self):
        self.assertEqual(len(self.refused(self.dev("lint"))), 2)


if __name__ == "__main__":
    SOURCE = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
