#!/usr/bin/env python3
"""Which version of a library src/cmake/dependencies.sh builds, and what it and a release say of an older one. Sources are
made up, tools are replaced, and nothing is fetched.

usage: test_dependencies.py SOURCE_DIR"""
import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = ""


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Dependencies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lightlint-dependencies-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.archive, self.sources, self.bin = map(self.path, ("archive", "build/dependencies/sources", "bin"))
        for folder in (self.archive, self.sources, self.bin, self.path("src/cmake")):
            os.makedirs(folder)
        for name in ("dependencies.sh", "dependencies.cmake", "vendored.cmake"):
            shutil.copy(os.path.join(SOURCE, "src/cmake", name), self.path("src/cmake"))
        rows = [f"libyaml {self.package('libyaml', '0.2.5-1')}",
                f"pcre2 {self.package('pcre2', '10.46-1~deb13u2')} {self.package('pcre2', '10.42-1')}"]
        self.put("src/cmake/dependencies.txt", "# a comment\n" + "\n".join(rows) + "\n")
        self.tool("dpkg-source", 'for folder in "$@"; do :; done\nmkdir -p "$folder/debian" && touch "$folder/debian/copyright"')
        self.tool("cmake", "exit 0")
        # Fetches what is in the archive, as apt-get does: into the current folder, or nothing.
        self.tool("apt-get", f"""case $* in
*indextargets*) echo 'http://mirror.example/debian/ bookworm main' && echo 'http://mirror.example/debian/ bookworm-updates main' ;;
*update*) echo update >>{self.folder}/log ;;
*) for package in "$@"; do :; done
   echo "$package" >>{self.folder}/log
   cp {self.archive}/"${{package%%=*}}_${{package#*=}}".* . ;;
esac""")

    def path(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def tool(self, name, text):
        self.put(f"bin/{name}", f"#!/bin/bash\n{text}\n")
        os.chmod(self.path(f"bin/{name}"), 0o755)

    def package(self, name, version):
        """Puts a source package into the archive; returns its version and the checksum of its .dsc."""
        archive = f"{name}_{version}.orig.tar"
        dsc = f"Source: {name}\nChecksums-Sha256:\n {digest(archive.encode())} {len(archive)} {archive}\nFiles:\n - 1 other\n"
        self.put(f"archive/{archive}", archive)
        self.put(f"archive/{name}_{version}.dsc", dsc)
        return f"{version} {digest(dsc.encode())}"

    def drop(self, version):
        for name in os.listdir(self.archive):
            if version in name:
                os.remove(os.path.join(self.archive, name))

    def build(self, *words, code=0):
        done = subprocess.run(["bash", self.path("src/cmake/dependencies.sh"), "vendored", *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, code, done.stderr)
        return [line for line in done.stderr.splitlines() if "notice" in line or "expected" in line]

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def versions(self):
        return dict(line.split()[:2] for line in self.read("build/dependencies/vendored/built").splitlines())

    def test_newer_version(self):
        self.assertEqual(self.build(), [])
        self.assertEqual(self.versions(), {"libyaml": "0.2.5-1", "pcre2": "10.46-1~deb13u2"})
        self.assertIn("Version: 10.46\n", self.read("build/dependencies/vendored/lib/pkgconfig/libpcre2-8.pc"))
        self.assertEqual(self.read("log").split(), ["update", "libyaml=0.2.5-1", "pcre2=10.46-1~deb13u2"])
        self.assertEqual(self.read("build/dependencies/sources.list").splitlines(), [
            "deb-src http://mirror.example/debian/ bookworm main", "deb-src http://mirror.example/debian/ sid main",
            "deb-src http://mirror.example/debian/ bookworm-updates main"])

    def test_older_version_with_a_notice_each_time(self):
        for missing in ("10.46-1~deb13u2.orig", "10.46-1~deb13u2.dsc"):
            with self.subTest(missing):
                shutil.rmtree(self.path("build/dependencies"), ignore_errors=True)
                self.drop(missing)
                for _ in range(2):
                    notice, = self.build()
                    self.assertRegex(notice, "pcre2 10.42-1, because 10.46-1~deb13u2, .* could not be fetched")
                self.assertEqual(self.versions(), {"libyaml": "0.2.5-1", "pcre2": "10.42-1"})
                self.assertIn("Version: 10.42\n", self.read("build/dependencies/vendored/lib/pkgconfig/libpcre2-8.pc"))

    def test_no_version(self):
        self.drop("pcre2")
        message, = self.build(code=3)
        self.assertIn("pcre2=10.42-1", message)
        self.assertFalse(os.path.exists(self.path("build/dependencies/vendored")))

    def test_given_sources_are_all(self):
        self.drop("10.46")
        notice, = self.build(self.archive)
        self.assertIn("10.42-1", notice)
        self.assertFalse(os.path.exists(self.path("log")))

    def test_altered_file_is_fetched_again(self):
        for name in ("pcre2_10.46-1~deb13u2.dsc", "libyaml_0.2.5-1.orig.tar"):
            shutil.copy(os.path.join(self.archive, name), self.sources)
            self.put(f"build/dependencies/sources/{name}", "altered")
        self.assertEqual(self.build(), [])
        self.assertEqual(self.versions()["pcre2"], "10.46-1~deb13u2")

    def test_release_refuses_the_older_version(self):
        sys.path.insert(0, os.path.join(SOURCE, "src", "packaging"))
        import release  # pylint: disable=import-outside-toplevel
        release.ROOT = self.folder
        self.build()
        release.refuse_older_libraries("vendored")
        shutil.rmtree(self.path("build/dependencies"))
        self.drop("10.46")
        self.build()
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as end:
            release.refuse_older_libraries("vendored")
        self.assertEqual(end.exception.code, 2)
        self.assertIn("found pcre2 10.42-1 instead of 10.46-1~deb13u2", said.getvalue())
        self.assertIn("--older-libraries", said.getvalue())
        self.assertEqual(release.libraries_of("vendored")["pcre2"][0], "10.42-1")


if __name__ == "__main__":
    SOURCE = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
