#!/usr/bin/env python3
"""Runs the real pre-commit with the hooks of this project, from a clean copy, without a network.

usage: test_pre_commit.py SOURCE_DIR PROGRAM WORK_DIR
exit:  0 all passed, 1 not, 77 skipped (no pre-commit, no git)"""
import os
import re
import shutil
import subprocess
import sys
import unittest

import snapshot

SOURCE, PROGRAM, WORK = "", "", ""
MARK = "this is the installed lightlint"
POINTER = ("version https://git-lfs.github.com/spec/v1\n"
           "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n")
GOOD, BAD = "good-point-tpp.grxla", "bad-name-hash-one-letter.grxla"
FILES = {  # name in the scratch repository: file of the demo corpus, or text
    "lights/good.grxla": GOOD,
    "lights/bad.grxla": BAD,
    "lights/pointer.grxla": POINTER,
    "lights/with spaces in its name.grxla": BAD,
    "lights/MAP.RGM": "bad-section-length.rgm",
    "lights/clean.rgm": "good-map.rgm",
    "left/out.grxla": BAD,
    "notes.txt": "no light file\n",
    ".lightlint.yaml": "root: true\nexclude: [left/**]\n",
}
HOOKS = ["lightlint", "lightlint-fix", "lightlint-system", "lightlint-tree"]
FAULTY = ["lights/MAP.RGM", "lights/bad.grxla", "lights/pointer.grxla", "lights/with spaces in its name.grxla"]


def make_repository(name, wanted):
    folder = os.path.join(WORK, name)
    for path in wanted:
        full, content = os.path.join(folder, path), FILES[path]
        os.makedirs(os.path.dirname(full), exist_ok=True)
        demo = os.path.join(SOURCE, "corpus", "demo", content)
        if "\n" not in content:
            shutil.copy(demo, full)
        else:
            with open(full, "w", encoding="utf-8") as file:
                file.write(content)
    snapshot.commit(folder)
    return folder


def install_program():
    """Puts a lightlint on the path that prints MARK, to show that the installed one was run."""
    folder = os.path.join(WORK, "bin")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "lightlint")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\necho '{MARK}'\nexec '{PROGRAM}' \"$@\"\n")
    os.chmod(path, 0o755)
    return folder


def configure(repository):
    """Configures all hooks of the project for a repository. The file is not committed, so no hook checks it."""
    revision = snapshot.git(os.path.join(WORK, "project"), "rev-parse", "HEAD").strip()
    with open(os.path.join(repository, ".pre-commit-config.yaml"), "w", encoding="utf-8") as file:
        file.write(f"repos:\n- repo: {os.path.join(WORK, 'project')}\n  rev: {revision}\n  hooks:\n" + "".join(f"  - id: {hook}\n" for hook in HOOKS))


def run_hooks(repository, *arguments, path=""):
    """Exit code, output by hook id, and output. Builds are cached, so each is built once."""
    scratch = os.path.join(WORK, "scratch")
    os.makedirs(scratch, exist_ok=True)
    configure(repository)
    before = os.environ["PATH"]
    environment = snapshot.environment(scratch, PATH=f"{path}:{before}" if path else before)
    done = subprocess.run(["pre-commit", "run", *arguments, "--verbose", "--all-files"],
                          cwd=repository, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    os.remove(os.path.join(repository, ".pre-commit-config.yaml"))
    parts = re.split(r"^- hook id: (\S+)\n", done.stdout, flags=re.M)
    return done.returncode, dict(zip(parts[1::2], parts[2::2])), done.stdout


def code_of(output):
    """Exit code of a hook; pre-commit does not print 0."""
    found = re.search(r"^- exit code: (\d+)$", output, re.M)
    return int(found.group(1)) if found else 0


def named(output):
    """Files with findings."""
    return sorted(set(re.findall(r"^(.+?):\+0x[0-9a-f]+: (?:error|warning|note)\[", output, re.M)))


class PreCommit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        snapshot.take(SOURCE, os.path.join(WORK, "project"))
        cls.path = install_program()
        cls.clean = make_repository("clean", ["lights/good.grxla", "lights/clean.rgm", "notes.txt"])
        cls.mixed = make_repository("mixed", FILES)
        cls.code, cls.hooks, cls.output = run_hooks(cls.mixed, path=cls.path)

    def check_findings(self, hook):
        output = self.hooks[hook]
        self.assertEqual(named(output), FAULTY, output)
        self.assertIn("GRX265", output)
        self.assertIn("LL017", output)  # the Git LFS pointer, a text file
        self.assertEqual(code_of(output), 2, "what the pointer stands for was not checked\n" + output)
        self.assertNotIn("note[", output, "a note makes no hook fail")
        self.assertNotIn("files checked", output)

    def test_all_hooks_ran_and_failed(self):
        self.assertEqual(self.code, 1, self.output)
        self.assertEqual(sorted(self.hooks), HOOKS, self.output)

    def test_built_from_source(self):
        self.check_findings("lightlint")
        self.assertNotIn(MARK, self.hooks["lightlint"])  # its own program, not the one on the path

    def test_whole_tree(self):
        self.check_findings("lightlint-tree")
        self.assertNotIn(MARK, self.hooks["lightlint-tree"])

    def test_installed(self):
        self.check_findings("lightlint-system")
        self.assertEqual(self.hooks["lightlint-system"].count(MARK), 1, "one process sees all files")

    def test_fix_fails_when_it_changed_something(self):
        """Fails the first time, because pre-commit sees that the file differs from the staged one."""
        folder = make_repository("size", ["lights/good.grxla"])
        with open(os.path.join(folder, "lights", "good.grxla"), "r+b") as file:
            file.seek(-4, os.SEEK_END)  # size of the terminator
            file.write(bytes(4))
        snapshot.commit(folder)
        code, hooks, output = run_hooks(folder, "lightlint-fix", path=self.path)
        self.assertEqual(code, 1, output)
        self.assertIn("files were modified by this hook", hooks["lightlint-fix"])
        self.assertIn("fixed warning[GRX145 terminator-size]", hooks["lightlint-fix"])
        snapshot.commit(folder)
        code, _, output = run_hooks(folder, "lightlint-fix", path=self.path)
        self.assertEqual(code, 0, output)

    def test_clean_repository(self):
        code, hooks, output = run_hooks(self.clean, "lightlint-system", path=self.path)
        self.assertEqual((code, code_of(hooks.get("lightlint-system", ""))), (0, 0), output)
        self.assertEqual((output.count(MARK), named(output)), (1, []), output)

    def test_findings_without_trouble(self):
        folder = make_repository("findings", ["lights/good.grxla", "lights/with spaces in its name.grxla"])
        code, hooks, output = run_hooks(folder, "lightlint-system", path=self.path)
        self.assertEqual((code, code_of(hooks.get("lightlint-system", ""))), (1, 1), output)
        self.assertEqual(named(output), ["lights/with spaces in its name.grxla"])

    def test_a_name_is_no_option(self):
        folder = make_repository("names", ["lights/good.grxla"])
        for name in ("--output=x.grxla", "-q.grxla"):
            shutil.copy(os.path.join(SOURCE, "corpus", "demo", BAD), os.path.join(folder, name))
        snapshot.commit(folder)
        code, hooks, output = run_hooks(folder, "lightlint-system", path=self.path)
        self.assertEqual((code, code_of(hooks.get("lightlint-system", ""))), (1, 1), output)
        self.assertEqual(named(output), ["--output=x.grxla", "-q.grxla"], output)

    def test_nothing_to_check(self):
        folder = make_repository("none", ["notes.txt"])
        code, _, output = run_hooks(folder, "lightlint-system", path=self.path)
        self.assertEqual(code, 0, output)
        self.assertIn("no files to check", output)

    def test_not_installed(self):
        if shutil.which("lightlint"):
            self.skipTest("there is a lightlint on this machine")
        code, _, output = run_hooks(self.clean, "lightlint-system")
        self.assertEqual(code, 1, output)
        self.assertIn("`lightlint` not found", output)


def main():
    global SOURCE, PROGRAM, WORK
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    SOURCE, PROGRAM, WORK = map(os.path.abspath, sys.argv[1:])
    for tool in ("git", "pre-commit"):
        if not shutil.which(tool):
            print(f"skipped: no {tool} here")
            return 77
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    return 0 if unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
