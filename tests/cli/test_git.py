#!/usr/bin/env python3
"""Information from Git about walked directories: ignored paths, and the commit of a tree.

usage: test_git.py BINARY SOURCE_DIR [unittest arguments]; exit 77: there is no Git"""
import json
import os
import shutil
import struct
import subprocess
import sys
import time
import unittest

from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest, light_file

IDENTITY = ["-c", "user.name=test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false",
            "-c", "init.defaultBranch=main"]


class GitTest(CliTest):
    def setUp(self):
        super().setUp()
        self.environment = {name: value for name, value in self.environment.items()
                            if not name.startswith(("GIT", "CI", "BUILD_", "BITBUCKET_"))}
        self.environment.update(HOME=self.home, GIT_CONFIG_NOSYSTEM="1", XDG_CONFIG_HOME=self.path(".none"))
        self.tree = self.path("tree")
        os.makedirs(self.tree)
        self.git("init", "-q")

    def git(self, *arguments, cwd=None):
        return subprocess.run(["git", *IDENTITY, *arguments], cwd=cwd or self.tree, env=self.environment, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode().strip()

    def lights(self, *names):
        for name in names:
            self.put(os.path.join("tree", name), BAD)

    def rules(self, text, name=".gitignore"):
        self.put(os.path.join("tree", name), text.encode())

    def taken(self, *arguments, cwd=None, **more):
        return self.checked(*arguments, cwd=cwd or self.tree, **more)

    def program(self, name, text):
        """Environment with a program that comes first in PATH."""
        self.put(os.path.join("bin", name), b"#!/bin/sh\n" + text.encode())
        os.chmod(self.path(os.path.join("bin", name)), 0o755)
        return {"PATH": self.path("bin") + os.pathsep + self.environment["PATH"]}


class Ignored(GitTest):
    def test_what_git_ignores_is_left_out(self):
        self.lights("a.grxla", "b.tmp.grxla", "build/c.grxla", "sub/b.tmp.grxla", "sub/d.grxla", "sub/deep/e.grxla", "f.grxla")
        self.rules("*.tmp.grxla\nbuild/\n")
        self.rules("/deep\n", "sub/.gitignore")
        self.rules("f.grxla\n", ".git/info/exclude")
        self.assertEqual(self.taken("."), ["a.grxla", "sub/d.grxla"])
        self.assertEqual(self.taken("sub"), ["sub/d.grxla"])
        self.assertEqual(self.taken(".", cwd=self.path("tree/sub")), ["d.grxla"])
        self.assertEqual(self.taken("tree", cwd=self.home), ["tree/a.grxla", "tree/sub/d.grxla"])
        everything = ["a.grxla", "b.tmp.grxla", "build/c.grxla", "f.grxla", "sub/b.tmp.grxla", "sub/d.grxla", "sub/deep/e.grxla"]
        self.assertEqual(self.taken("--no-ignore", "."), everything)
        self.assertEqual(self.taken("--isolated", "."), ["a.grxla", "sub/d.grxla"])
        self.put("tree/.lightlint.yaml", b"root: true\ngitignore: false\n")
        self.assertEqual(self.taken("."), everything)
        self.put("tree/sub/.lightlint.yaml", b"gitignore: true\n")
        self.assertEqual(self.taken("."), everything[:4] + ["sub/d.grxla"])

    def test_what_is_tracked_is_checked(self):
        self.lights("a.grxla", "old/b.grxla", "old/c.grxla")
        self.rules("*.grxla\nold/\n")
        self.git("add", "-f", "a.grxla", "old/b.grxla")
        self.assertEqual(self.taken("."), ["a.grxla", "old/b.grxla"])

    def test_what_is_named_is_checked(self):
        self.lights("a.grxla", "build/b.grxla", "build/deep/c.grxla", "build/deep/x.tmp.grxla")
        self.rules("a.grxla\nbuild/\n*.tmp.grxla\n")
        self.assertEqual(self.taken("a.grxla", "build/b.grxla"), ["a.grxla", "build/b.grxla"])
        self.assertEqual(self.taken("build/deep"), ["build/deep/c.grxla", "build/deep/x.tmp.grxla"])
        self.assertEqual(self.taken(".", "build/b.grxla"), ["build/b.grxla"])
        self.assertEqual(self.taken(".", "build"), ["build/b.grxla", "build/deep/c.grxla", "build/deep/x.tmp.grxla"])
        for named in ("a.grxla", "build/b.grxla", "build/deep", "build/deep/c.grxla"):
            self.assertEqual(self.taken("--force-exclude", named), [], named)
        self.assertEqual(self.taken("--force-exclude", "--no-ignore", "a.grxla", "build/deep/c.grxla"),
                         ["a.grxla", "build/deep/c.grxla"])

    def test_nested_repositories_have_rules_of_their_own(self):
        self.lights("a.tmp.grxla", "inner/a.tmp.grxla", "inner/b.grxla", "inner/deep/b.grxla", "inner/deep/c.grxla")
        self.rules("*.tmp.grxla\n")
        self.rules("b.grxla\n", "inner/.gitignore")
        self.git("init", "-q", cwd=self.path("tree/inner"))
        want = ["inner/a.tmp.grxla", "inner/deep/c.grxla"]
        self.assertEqual(self.taken("."), want)
        self.assertEqual(self.taken("inner"), want)
        self.assertEqual(self.taken("inner/deep", "inner"), want)
        self.assertEqual(self.taken("tree/inner/deep", cwd=self.home), ["tree/inner/deep/c.grxla"])

    def test_submodules_and_linked_work_trees(self):
        self.lights("a.grxla")
        self.git("add", "."), self.git("commit", "-qm", "one")
        self.git("worktree", "add", "-q", self.path("linked"))
        self.put("linked/.gitignore", b"*.tmp.grxla\n")
        self.put("linked/x.tmp.grxla", BAD)
        self.assertEqual(self.taken("linked", cwd=self.home), ["linked/a.grxla"])
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", self.tree, "part")
        self.rules("x.grxla\n", "part/.gitignore")
        self.lights("part/x.grxla", "part/y.grxla")
        self.assertEqual(self.taken("."), ["a.grxla", "part/a.grxla", "part/y.grxla"])

    def test_names_of_any_bytes(self):
        names = ["a b.grxla", "n\nl.grxla", "-x.grxla", "[ab]*.grxla", "\udcff.grxla"]
        self.lights("keep.grxla", *names, *["[d]/" + name for name in names])
        self.rules("/[!k]*.grxla\n\\[d]/-x.grxla\n")
        self.assertEqual(len(self.taken(".")), 5)
        self.assertEqual(len(self.taken("[d]")), 4)

    def test_many_roots_are_asked_for_at_once(self):
        folders = ["maps/%02d" % i for i in range(30)]
        self.lights(*[folder + "/a.grxla" for folder in folders], *[folder + "/b.grxla" for folder in folders])
        self.rules("b.grxla\nmaps/07/\n")
        log = self.path("calls")
        env = self.program("git", f"echo $$ >>'{log}'\nexec '{shutil.which('git')}' \"$@\"\n")
        want = [folder + "/a.grxla" for folder in folders]
        want.insert(8, "maps/07/b.grxla")  # named explicitly, so nothing in it is ignored
        self.assertEqual(self.taken(*folders, env=env), want)
        with open(log, encoding="ascii") as file:
            self.assertEqual(len(file.readlines()), 1)

    def test_a_link_as_root(self):
        self.lights("lights/a.grxla", "lights/b.tmp.grxla")
        self.rules("*.tmp.grxla\n")
        os.symlink("tree/lights", self.path("link"))
        self.assertEqual(self.taken("link", cwd=self.home), ["link/a.grxla"])
        os.symlink("lights", os.path.join(self.tree, "again"))
        self.assertEqual(self.taken("again", "lights"), ["again/a.grxla", "lights/a.grxla"])

    def test_the_repository_of_a_hook_is_not_that_of_the_files(self):
        self.lights("a.grxla", "b.grxla")
        self.rules("b.grxla\n")
        other = self.path("other")
        os.makedirs(other)
        self.git("init", "-q", cwd=other)
        env = {"GIT_DIR": os.path.join(other, ".git"), "GIT_WORK_TREE": other, "GIT_INDEX_FILE": "/nonexistent"}
        self.assertEqual(self.taken(".", env=env), ["a.grxla"])

    def test_outside_of_a_work_tree_git_is_not_started(self):
        self.put("plain/a.grxla", BAD)
        self.put("plain/.gitignore", b"*\n")
        env = self.program("git", f"touch '{self.path('called')}'\n")
        self.assertEqual(self.checked("plain", env=env), ["plain/a.grxla"])
        self.lights("a.grxla")
        self.assertEqual(self.taken("--no-ignore", ".", env=env), ["a.grxla"])
        self.assertFalse(os.path.exists(self.path("called")))

    def test_without_git_all_is_checked_and_said(self):
        self.lights("a.grxla", "b/c.grxla")
        self.rules("a.grxla\n")
        for env, why in (({"PATH": self.path("nothing")}, "No such file"), (self.program("git", "exit 128\n"), "status")):
            result = self.run_cli("--format", "concise", "a.grxla", "b", ".", code=1, cwd=self.tree, env=env)
            self.assertIn("2 files checked", result.text)
            self.assertEqual(result.errors.count("lightlint: notice: cannot ask Git"), 1, result.errors)
            self.assertIn(why, result.errors)
            self.assertEqual(self.run_cli("-qq", ".", code=1, cwd=self.tree, env=env).err, b"")

    def test_a_pipe_of_patterns_is_not_waited_for(self):
        self.lights("a.grxla", "sub/b.grxla")
        for name in (".git/info/exclude", ".gitignore", "sub/.gitignore"):
            with self.subTest(name=name):
                path = self.path(os.path.join("tree", name))
                if os.path.exists(path):
                    os.remove(path)
                os.mkfifo(path)
                began = time.monotonic()
                result = self.run_cli("sub", cwd=self.tree, code=1)
                self.assertLess(time.monotonic() - began, 5)
                self.assertIn(name + "' is a pipe or a device", result.errors)
                os.remove(path)

    def test_a_repository_runs_nothing(self):
        """A foreign repository may configure programs; none of them is run."""
        self.lights("a.grxla", "b.grxla")
        self.rules("b.grxla\n")
        self.put("trap", b"#!/bin/sh\ntouch '%s'\n" % self.path("sprung").encode())
        os.chmod(self.path("trap"), 0o755)
        for key in ("core.fsmonitor", "core.pager", "pager.ls-files", "core.editor", "core.sshCommand", "core.askPass",
                    "filter.x.clean", "filter.x.process", "diff.external", "alias.ls-files", "core.gitProxy"):
            self.git("config", key, "!" * key.startswith("alias") + self.path("trap"))
        self.put("tree/.git/hooks/post-index-change", self.get("trap"))
        os.chmod(self.path("tree/.git/hooks/post-index-change"), 0o755)
        self.rules("*.grxla filter=x\n", ".gitattributes")
        before = {name: os.stat(os.path.join(self.tree, ".git", name)).st_mtime_ns
                  for name in os.listdir(os.path.join(self.tree, ".git"))}
        self.assertEqual(self.taken("."), ["a.grxla"])
        self.assertEqual(self.run_cli("--format", "sarif", ".", code=1, cwd=self.tree).err, b"")
        self.assertFalse(os.path.exists(self.path("sprung")))
        after = {name: os.stat(os.path.join(self.tree, ".git", name)).st_mtime_ns
                 for name in os.listdir(os.path.join(self.tree, ".git"))}
        self.assertEqual(after, before)

    def test_ignored_files_are_not_gone(self):
        self.lights("a.grxla")
        self.run_cli("baseline", "create", ".", code=0, cwd=self.tree)
        before = self.get("tree/.lightlint-baseline.jsonl")
        self.rules("a.grxla\n")
        self.run_cli("baseline", "update", ".", code=0, cwd=self.tree)
        self.assertEqual(self.get("tree/.lightlint-baseline.jsonl"), before)

    def test_a_search_that_finds_what_is_ignored_says_so(self):
        self.lights("lights/a.grxla", "lights/deep/b.grxla")
        self.rules("*.grxla\n")
        said = "notice: no file to check in 'lights': Git ignores its files; --no-ignore checks them"
        self.assertIn(said, self.run_cli("lights", cwd=self.tree, code=0).errors)
        self.assertIn(said[8:], self.run_cli("--require-files", "lights", cwd=self.tree, code=2).errors)
        self.assertNotIn("no file", self.run_cli("lights", "lights/a.grxla", cwd=self.tree, code=1).errors)

    def test_config_show(self):
        self.lights("a.grxla")
        self.assertIn("gitignore: true", self.run_cli("config", "show", "a.grxla", cwd=self.tree, code=0).text)
        self.assertIn("gitignore: false", self.run_cli("config", "show", "--no-ignore", "a.grxla", cwd=self.tree, code=0).text)
        self.assertIn("# not left out", self.run_cli("config", "show", "a.grxla", cwd=self.tree, code=0).text)
        self.lights("old/b.grxla")
        self.rules("old/\n")
        for path in ("old", "old/", "old/b.grxla"):
            self.assertIn("# left out when directories are searched: Git ignores it\n",
                          self.run_cli("config", "show", path, cwd=self.tree, code=0).text, path)
        self.put("tree/.lightlint.yaml", b"gitignore: maybe\n")
        self.refused(".", cwd=self.tree, saying="gitignore: expected true or false")


class Provenance(GitTest):
    """versionControlProvenance in SARIF."""

    def stated(self, *, cwd=None, env=None):
        said = []
        for profile in ("sarif", "sarif-github"):
            log = self.path("log.json")
            self.run_cli("--format", f"{profile}:{log}", "--no-ignore", ".", code=0, cwd=cwd or self.tree, env=env)
            done = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "tests", "tools", "check_sarif.py"),
                                   "--profile", profile, log], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(log, encoding="utf-8") as file:
                said.append(json.load(file)["runs"][0].get("versionControlProvenance"))
        self.assertEqual(said[0], said[1])
        return said[0]

    def test_github(self):
        job = {"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "some/mod",
               "GITHUB_SHA": "0123abcd", "GITHUB_REF_NAME": "main", "GITHUB_REF_TYPE": "branch"}
        want = {"repositoryUri": "https://git.example/some/mod", "revisionId": "0123abcd", "branch": "main"}
        self.assertEqual(self.stated(cwd=self.home, env=job), [want])
        self.assertEqual(self.stated(env=job), [{**want, "mappedTo": {"uriBaseId": "%SRCROOT%"}}])
        tag = {**want, "revisionTag": "main"}
        del tag["branch"]
        self.assertEqual(self.stated(cwd=self.home, env={**job, "GITHUB_REF_TYPE": "tag"}), [tag])
        for name in ("GITHUB_ACTIONS", "GITHUB_REPOSITORY"):
            self.assertIsNone(self.stated(cwd=self.home, env={**job, name: ""}))
        self.assertIsNone(self.stated(cwd=self.home, env={**job, "GITHUB_REPOSITORY": "a \"b"}))

    def test_gitlab(self):
        job = {"GITLAB_CI": "true", "CI_PROJECT_URL": "https://lab.example/some/mod", "CI_COMMIT_SHA": "0123abcd"}
        want = {"repositoryUri": "https://lab.example/some/mod", "revisionId": "0123abcd"}
        self.assertEqual(self.stated(cwd=self.home, env=job), [want])
        self.assertEqual(self.stated(cwd=self.home, env={**job, "CI_COMMIT_BRANCH": "main"}), [{**want, "branch": "main"}])
        self.assertEqual(self.stated(cwd=self.home, env={**job, "CI_COMMIT_TAG": "v1"}), [{**want, "revisionTag": "v1"}])

    def test_git(self):
        self.assertIsNone(self.stated())
        self.put("tree/a.grxla", GOOD)
        self.git("add", "."), self.git("commit", "-qm", "one")
        self.assertIsNone(self.stated())  # there is no other repository
        self.git("remote", "add", "origin", "https://somebody:secret@git.example/mod.git")
        commit = self.git("rev-parse", "HEAD")
        want = {"repositoryUri": "https://git.example/mod.git", "revisionId": commit, "branch": "main",
                "mappedTo": {"uriBaseId": "%SRCROOT%"}}
        self.assertEqual(self.stated(), [want])
        self.assertEqual(self.stated(), self.stated(env={"PWD": "/"}))
        self.git("checkout", "-q", "--detach")
        del want["branch"]
        for remote, uri in (("git@git.example:some/mod.git", "ssh://git@git.example/some/mod.git"),
                            ("ssh://git@git.example:22/mod", "ssh://git.example:22/mod"),
                            ("/srv/mod.git", None), ("file:///srv/mod.git", None), ("../mod", None)):
            self.git("remote", "set-url", "origin", remote)
            self.assertEqual(self.stated(), uri and [{**want, "repositoryUri": uri}], remote)
        self.assertIsNone(self.stated(cwd=self.home))
        self.git("remote", "set-url", "origin", "https://git.example/mod.git")
        self.assertIsNone(self.stated(env={"PATH": self.path("nothing")}))


class TextConv(GitTest):
    """The setup in docs/diff.md."""

    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE, "docs", "diff.md"), encoding="utf-8") as page:
            lines = page.read().partition("## In `git diff`")[2].split("```sh\n", 1)[1].split("```", 1)[0].splitlines()
        self.assertEqual(len(lines), 3)
        self.environment["PATH"] = os.path.dirname(PROGRAM) + os.pathsep + self.environment["PATH"]
        for line in lines:
            subprocess.run(["sh", "-c", line], cwd=self.tree, env=self.environment, check=True)

    def shown(self, name, before, after):
        self.put(os.path.join("tree", name), before)
        self.git("add", ".")
        self.put(os.path.join("tree", name), after)
        return self.git("diff").splitlines()

    def test_a_probe_that_is_removed_is_one_piece(self):
        with open(os.path.join(SOURCE, "corpus", "demo", "good-probes.grxla"), "rb") as file:
            before = file.read()
        at = [0x10]
        while before[at[-1]:at[-1] + 4] != bytes(4):
            at.append(at[-1] + struct.unpack_from("<I", before, at[-1] + 4)[0])
        for begin, end in zip(at[1:], at[2:]):
            lines = self.shown("a.grxla", before, before[:begin] + before[end:])
            self.assertLessEqual(len(lines), 30)
            self.assertFalse([line for line in lines[4:] if line[0] == "+"])
            self.assertEqual(len([line for line in lines[4:] if line.startswith("-entry[")]), 1)

    def test_a_field_that_changed_is_one_line(self):
        before = light_file([b"LP_0000", b"LP_0001"])
        after = before.replace(struct.pack("<e", 0.5), struct.pack("<e", 0.25), 1)
        changed = [line for line in self.shown("a.grxla", before, after)[4:] if line[0] in "+-"]
        self.assertEqual([line.split(None, 2) for line in changed],
                         [["-", "inner_scale_positive", "[0.5, 0.5, 0.5]"], ["+", "inner_scale_positive", "[0.25, 0.5, 0.5]"]])


class Required(CliTest):
    def test_an_empty_walk(self):
        self.put("some/a.grxla", GOOD)
        self.put("none/a.txt", b"")
        for command in ((), ("sweep",), ("census",)):
            self.assertIn("notice: no file to check", self.run_cli(*command, "none", code=0).errors)
            self.assertIn("lightlint: no file to check", self.run_cli(*command, "--require-files", "none", code=2).errors)
        self.run_cli("--require-files", "some", "none", code=2)
        self.run_cli("--require-files", "some", code=0)
        for i in (1, 2):
            self.run_cli("--require-files", "--shard", f"{i}/2", "some", code=0)
        self.assertIn("leave out", self.run_cli("--require-files", "--exclude", "*.grxla", "some", code=2).errors)
        os.makedirs(self.path("links"))
        os.symlink("../some/a.grxla", self.path("links/a.grxla"))
        self.assertIn("links that lead out", self.run_cli("--require-files", "links", code=2).errors)
        self.run_cli("--require-files", "--files-from", "-", stdin=b"", code=2)
        self.run_cli("--files-from", "-", stdin=b"", code=0)
        self.run_cli("baseline", "create", "--require-files", "none", code=2)

    def test_hidden_directories(self):
        self.put(".hidden/a.grxla", BAD)
        self.put("some/.deep/b.grxla", BAD)
        self.put("some/c.grxla", BAD)
        self.assertEqual(self.checked("."), ["some/c.grxla"])
        self.assertEqual(self.checked(".hidden", "some/.deep"), [".hidden/a.grxla", "some/.deep/b.grxla"])


if __name__ == "__main__":
    if not shutil.which("git"):
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
