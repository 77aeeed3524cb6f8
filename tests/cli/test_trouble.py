#!/usr/bin/env python3
"""Difficult conditions: unreadable directories, simultaneous runs, killed runs, pipes and devices instead of files,
links.

    test_trouble.py BINARY SOURCE_DIR [unittest arguments]"""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from cli_test import BAD, GOOD, NOBODY, PROGRAM, SOURCE, CliTest, Feed, is_sanitized, wrong_hashes

BASELINE = ".lightlint-baseline.jsonl"
PACK = b"- id: MYMOD001\n  name: mymod\n  title: t\n  severity: error\n"
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void note(const char *what, const char *path)
{
    int fd = open(getenv("NOTES"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    dprintf(fd, "%s %s\n", what, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    close(fd);
}
int fsync(int fd)
{
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    (void)!readlink(link, path, sizeof path - 1);
    note("fsync", path);
    return 0;
}
int rename(const char *from, const char *to)
{
    note("rename", to);
    return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
"""


class TroubleTest(CliTest):
    def entries(self, name=BASELINE):
        return [json.loads(line)["file"] for line in self.get(name).decode().splitlines()[1:]]

    def start(self, *arguments, feed, **more):
        """Starts a run that waits for its standard input."""
        process = subprocess.Popen([PROGRAM, *arguments], stdin=feed.reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.home, env=self.environment, **more)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        feed.wait(process)
        return process


class Unseen(TroubleTest):
    """A file that cannot be seen does not count as removed."""

    def setUp(self):
        super().setUp()
        for name in ("d/a.grxla", "d/b.grxla", "e/c.grxla"):
            self.put(name, BAD)
        self.run_cli("baseline", "create", ".", code=0)

    def test_a_loop_of_links(self):
        os.rename(self.path("d"), self.path("gone"))
        os.symlink("d", self.path("d"))
        shutil.rmtree(self.path("gone"))
        for verb in ("prune", "update"):
            self.run_cli("baseline", verb, ".", code=0)
            self.assertEqual(self.entries(), ["d/a.grxla", "d/b.grxla", "e/c.grxla"])
        self.assertEqual(self.run_cli("--format=jsonl", "--baseline", BASELINE, ".", code=0).findings(), [])

    def test_what_is_gone_is_gone(self):
        shutil.rmtree(self.path("d"))
        self.put("d", b"a file where a directory was")
        os.remove(self.path("e/c.grxla"))
        self.run_cli("baseline", "prune", ".", code=0)
        self.assertEqual(self.entries(), [])

    def denied(self, *arguments):
        """Runs as a user whose permissions are checked."""
        more = self.unprivileged()
        if more:
            os.chmod(self.home, 0o777)
            os.chown(self.path(BASELINE), NOBODY, NOBODY)
        result = self.run_cli(*arguments, **more)
        return result.code, result.err

    def test_a_directory_without_permission(self):
        """Permission neither to list nor to search; only to list; only to search."""
        self.addCleanup(os.chmod, self.path("d"), 0o755)
        for mode in (0o000, 0o444):
            os.chmod(self.path("d"), mode)
            for verb in ("prune", "update"):
                code, said = self.denied("baseline", verb, ".")
                self.assertEqual(code, 2)
                self.assertRegex(said, b": [12] files? w[a-z]+ not checked; lightlint check says why\n")
                self.assertEqual(self.entries(), ["d/a.grxla", "d/b.grxla", "e/c.grxla"], "%o %s" % (mode, verb))
        os.chmod(self.path("d"), 0o755)
        os.remove(self.path("d/a.grxla"))
        os.chmod(self.path("d"), 0o111)
        self.assertEqual(self.denied("baseline", "prune", ".")[0], 2)
        self.assertEqual(self.entries(), ["d/a.grxla", "d/b.grxla", "e/c.grxla"])

    def test_suppressions_below_a_directory_without_permission_are_not_unused(self):
        self.addCleanup(os.chmod, self.path("d"), 0o755)
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: 'd/*.grxla', rule: name-hash, reason: known}\n")
        os.chmod(self.path("d"), 0)
        os.chmod(self.home, 0o777)
        self.denied("--format", "jsonl:found", "--baseline", BASELINE, ".")
        self.assertNotIn(b"unused-suppression", self.get("found"))


class AtOnce(TroubleTest):
    def setUp(self):
        super().setUp()
        self.put("z.grxla", BAD)
        self.run_cli("baseline", "create", "z.grxla", code=0)

    def test_many_updates_lose_nothing(self):
        for i in range(8):
            for k in range(40):
                self.put("d%d/%02d.grxla" % (i, k), BAD)
        runs = [subprocess.Popen([PROGRAM, "baseline", "update", "--accept-new", "-q", "d%d" % i], cwd=self.home, env=self.environment,
                                 stderr=subprocess.PIPE) for i in range(8)]
        for run in runs:
            self.assertEqual((run.communicate()[1].replace(b"lightlint: notice: waiting for another run that writes '%s'\n"
                                                           % BASELINE.encode(), b""), run.returncode), (b"", 0))
        self.assertEqual(len(self.entries()), 8 * 40 + 1)
        self.assertEqual(sorted(name for name in os.listdir(self.home) if name.startswith(".")), [BASELINE])

    def two(self, end):
        """Starts a run that waits for its list of files, and another one; `end` ends the first."""
        self.put("b.grxla", BAD)
        self.put("a.grxla", BAD)
        feed = Feed(b"a.grxla\n")
        one = self.start("baseline", "update", "--accept-new", "--files-from", "-", feed=feed)
        two = subprocess.Popen([PROGRAM, "baseline", "update", "--accept-new", "b.grxla"], stderr=subprocess.PIPE, cwd=self.home,
                               env=self.environment)
        self.assertIn(b"notice: waiting for another run", two.stderr.readline())
        end(one, feed)
        self.assertIn(b"1 new finding added", two.communicate()[1])
        self.assertEqual(two.returncode, 0)

    def test_the_second_waits_for_the_first(self):
        self.two(lambda one, feed: feed.finish())
        self.assertEqual(self.entries(), ["a.grxla", "b.grxla", "z.grxla"])

    def test_a_killed_run_holds_nothing(self):
        self.two(lambda one, feed: one.kill())
        self.assertEqual(self.entries(), ["b.grxla", "z.grxla"])

    def test_what_somebody_else_wrote_meanwhile_stays(self):
        for verb in ("update", "create"):
            if verb == "create":
                os.remove(self.path(BASELINE))
            feed = Feed(b"z.grxla\n")
            run = self.start("baseline", verb, "--files-from", "-", feed=feed)
            self.put(BASELINE, b'{"type":"baseline","schema":1}\n\n')
            feed.finish()
            self.assertIn(b"was changed by another program while files were checked", run.communicate()[1])
            self.assertEqual((run.returncode, self.get(BASELINE)), (2, b'{"type":"baseline","schema":1}\n\n'))


class Killed(TroubleTest):
    def temporary(self):
        return sorted(name for name in os.listdir(self.home) if name.endswith(".tmp"))

    def test_what_a_killed_run_left_is_removed_by_the_next(self):
        self.put("a.grxla", BAD)
        run = self.start("-", "-o", "report", feed=Feed(BAD))
        self.assertEqual(len(self.temporary()), 1)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertEqual(len(self.temporary()), 1)
        others = ["report.2026-11.tmp", "report.lightlint-x.tmp", "report.lightlint-1-2.tmp.tmp", "other"]
        for name in others:
            self.put(name, b"kept")
        self.put("report2.lightlint-1-2.tmp", b"of another file")
        self.run_cli("a.grxla", "-o", "report", code=1)
        self.assertEqual(sorted(os.listdir(self.home)), sorted(["a.grxla", "report", *others]))

    def test_what_a_living_run_writes_stays(self):
        self.put("a.grxla", GOOD)
        feed = Feed(BAD)
        run = self.start("--format", "concise", "-", "-o", "report", feed=feed)
        self.run_cli("a.grxla", "-o", "report", code=0)
        self.assertEqual(len(self.temporary()), 1)
        feed.finish()
        run.communicate()
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"<stdin>", self.get("report"))
        self.assertEqual(self.temporary(), [])

    @unittest.skipUnless(shutil.which("cc") and sys.platform == "linux", "no compiler")
    def test_bytes_are_on_the_disk_before_the_name_and_the_name_before_the_end(self):
        if is_sanitized():
            self.skipTest("the address sanitizer wants to be the first library")
        self.put("shim/shim.c", SHIM.encode())
        self.put("d/a.grxla", BAD)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.path("shim/shim.so"), self.path("shim/shim.c"), "-ldl"], check=True)
        env = {"LD_PRELOAD": self.path("shim/shim.so"), "NOTES": self.path("notes")}
        self.run_cli("baseline", "create", ".", cwd=self.path("d"), env=env, code=0)
        notes = self.get("notes").decode().splitlines()
        self.assertRegex(notes[0], r"^fsync %s\.lightlint-[0-9]+-0\.tmp$" % BASELINE.replace(".", r"\."))
        self.assertEqual(notes[1:], ["rename " + BASELINE, "fsync d"])


class Special(TroubleTest):
    """The program does not wait for a pipe, and does not read a device."""

    def setUp(self):
        super().setUp()
        self.put("a.grxla", GOOD)
        os.mkfifo(self.path("pipe"))
        os.symlink("/dev/zero", self.path("zero"))
        self.environment["TMPDIR"] = self.home

    def quick(self, *arguments, saying="not a regular file, but a pipe or a device", **more):
        begin = time.monotonic()
        result = self.run_cli(*arguments, code=2, **more)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertIn(saying, result.errors + result.text)
        return result

    def test_on_the_command_line(self):
        for name in ("pipe", "zero", "/dev/null"):
            with self.subTest(name=name):
                self.assertEqual(self.quick("--format", "jsonl", name, "a.grxla").findings()[0]["rule"], "LL001")
                for option in ("--rules", "--baseline", "--config"):
                    self.quick(option, name, "a.grxla")
                self.quick("dump", name)
                self.quick("baseline", "update", "--baseline", name, "a.grxla")

    def test_in_files_of_the_tree(self):
        for name in ("pipe", "zero"):
            for key in ("rules: [%s]\n", "baseline: %s\n"):
                self.put("sub/.lightlint.yaml", (key % ("../" + name)).encode())
                self.put("sub/a.grxla", GOOD)
                self.quick("sub")
            os.remove(self.path("sub/.lightlint.yaml"))
            for own in (".lightlint.yaml", ".lightlint-ignore.yaml"):
                os.symlink("../" + name, self.path("sub/" + own))
                self.quick("sub", saying="sub/%s: not a regular file" % own)
                os.remove(self.path("sub/" + own))

    def test_met_on_a_walk(self):
        os.mkfifo(self.path("pipe.grxla"))
        os.symlink("/dev/zero", self.path("zero.grxla"))
        self.assertEqual(self.run_cli(".", code=0).errors, "")

    def test_a_pipe_with_a_writer_is_none_the_better(self):
        """Process substitution gives such a path. It is refused, except as a list of files; bytes can be given on
        standard input."""
        reader, writer = os.pipe()
        os.write(writer, b"a.grxla\n")
        os.close(writer)
        path = "/dev/fd/%d" % reader
        if not os.path.exists(path):
            self.skipTest("no /dev/fd")
        self.quick(path, pass_fds=[reader])
        self.run_cli("--files-from", path, pass_fds=[reader], code=0)
        os.close(reader)
        self.assertEqual(self.run_cli("-", stdin=GOOD, code=0).err, b"")

    @unittest.skipUnless(hasattr(fcntl, "F_SETLEASE"), "no leases")
    def test_a_lease_is_waited_for(self):
        """A file server holds a lease on files that its clients have open, and releases it when another process
        wants to read."""
        self.put("b.grxla", BAD)
        with open(self.path("b.grxla"), "r+b") as file:
            before = signal.signal(signal.SIGIO, lambda *_: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK))
            self.addCleanup(signal.signal, signal.SIGIO, before)
            try:
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            except OSError as error:
                self.skipTest("no leases: %s" % error)
            self.assertEqual(self.checked("b.grxla"), ["b.grxla"])

    def test_own_files_that_lead_nowhere(self):
        self.put("sub/a.grxla", GOOD)
        for own in (".lightlint.yaml", ".lightlint-ignore.yaml"):
            for target in ("gone", own):
                os.symlink(target, self.path("sub/" + own))
                self.quick("sub", saying="sub/%s: a broken link" % own)
                self.quick("sub/a.grxla", saying="sub/%s: a broken link" % own)
                os.remove(self.path("sub/" + own))
        os.symlink("gone", self.path(".lightlint.yaml"))
        self.quick("config", "init", saying="already exists")

    def test_names_that_are_not_read(self):
        self.put("sub/deep/a.grxla", GOOD)
        self.put("sub/.lightlint.yml", b"nonsense\n")
        self.put("sub/.lightlint-ignore.yml", b"nonsense\n")
        for operand in ("sub", "sub/deep/a.grxla"):
            said = self.run_cli(operand, code=0).errors.splitlines()
            self.assertEqual(said, ["lightlint: notice: sub/%s.yml is not read: its name must end in .yaml" % name
                                    for name in (".lightlint", ".lightlint-ignore")])
        self.assertEqual(self.run_cli("-qq", "sub", code=0).err, b"")
        self.assertEqual(self.run_cli("--isolated", "sub", code=0).err, b"")


class Links(TroubleTest):
    def setUp(self):
        super().setUp()
        for name in ("out/secret.grxla", "tree/a.grxla", "tree/sub/b.grxla"):
            self.put(name, BAD)
        os.symlink("../a.grxla", self.path("tree/sub/in.grxla"))
        os.symlink("../../out/secret.grxla", self.path("tree/sub/out.grxla"))
        os.symlink(self.path("out/secret.grxla"), self.path("tree/z.grxla"))
        os.symlink("../out", self.path("tree/folder"))

    def test_links_that_lead_out_of_the_tree_are_not_followed(self):
        self.assertEqual(self.checked("tree"), ["tree/a.grxla", "tree/sub/b.grxla", "tree/sub/in.grxla"])
        said = self.run_cli("tree", code=1).errors
        self.assertEqual(said, "lightlint: notice: links that lead out of the given directories are not followed: 2, the first "
                               "is 'tree/sub/out.grxla'; to follow a link, give its path\n")
        self.assertEqual(self.run_cli("-qq", "tree", code=1).err, b"")
        self.assertEqual(self.checked("sub", cwd=self.path("tree")), ["sub/b.grxla"])

    def test_they_are_followed_where_they_are_named(self):
        self.assertEqual(self.checked("tree/z.grxla", "tree/folder"), ["tree/folder/secret.grxla", "tree/z.grxla"])
        self.assertIn("tree/z.grxla", self.checked("tree/z.grxla", "tree"))
        self.put("list", b"tree/z.grxla\n")
        self.assertEqual(self.checked("--files-from", "list"), ["tree/z.grxla"])

    def test_the_tree_is_all_that_was_named(self):
        want = ["out/secret.grxla", "tree/a.grxla", "tree/sub/b.grxla", "tree/sub/in.grxla", "tree/sub/out.grxla", "tree/z.grxla"]
        self.assertEqual(self.checked("."), want)
        self.assertEqual(self.checked("out", "tree"), want)
        self.put("list", b"out\ntree\n")
        self.assertEqual(self.checked("--files-from", "list"), want)

    def test_a_tree_that_is_reached_by_a_link(self):
        os.symlink("tree", self.path("name"))
        self.assertEqual(self.checked("name"), ["name/a.grxla", "name/sub/b.grxla", "name/sub/in.grxla"])

    def test_a_directory_of_such_links_alone_says_one_thing(self):
        os.makedirs(self.path("alone"))
        os.symlink("../out/secret.grxla", self.path("alone/x.grxla"))
        self.assertEqual(self.run_cli("alone", code=0).errors.count("notice"), 1)
        self.assertEqual(self.run_cli("alone", "--exclude", "x.grxla", code=0).errors.count("links"), 0)


class Untrusted(TroubleTest):
    """The advice of docs/ci.md about trees written by others."""

    def test_the_tree_decides_what_counts_unless_told_otherwise(self):
        self.put("a.grxla", wrong_hashes(3))
        mine = ["--isolated", "--no-suppressions", "."]
        self.run_cli(".", code=1)
        self.put(".lightlint.yaml", b"select: [LL]\nfail-on: never\n")
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: a.grxla, rule: name-hash, reason: none of your business}\n")
        self.run_cli(".", code=0)
        self.run_cli(*mine, code=1)
        os.makedirs(self.path("../%s-trusted" % os.path.basename(self.home)))
        self.addCleanup(shutil.rmtree, self.home + "-trusted")
        with open(self.home + "-trusted/strict.yaml", "w", encoding="utf-8") as file:
            file.write("fail-on: error\nseverity: {name-hash: error}\n")
        self.run_cli("--config", self.home + "-trusted/strict.yaml", "--no-suppressions", ".", code=1)

    def test_nothing_is_written_and_nothing_outside_is_shown(self):
        self.put("tree/a.grxla", BAD)
        self.put("secret", b"password: hunter2\n")
        os.symlink("../secret", self.path("tree/b.grxla"))
        before = sorted(os.listdir(self.home)) + sorted(os.listdir(self.path("tree")))
        result = self.run_cli("--all", "tree", code=1)
        self.assertNotIn("hunter2", result.text + result.errors)
        self.assertEqual(sorted(os.listdir(self.home)) + sorted(os.listdir(self.path("tree"))), before)


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
