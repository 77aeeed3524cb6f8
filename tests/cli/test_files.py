#!/usr/bin/env python3
"""Which files are checked, and in which order: walks, lists, patterns, shards. Memory and open files do not grow with
their number.

    test_files.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import random
import resource
import shutil
import stat
import subprocess
import sys
import unittest

from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest, Feed, is_sanitized, wrong_hashes

AWKWARD = ["a", "a-b", "a.b", "a b", "ab", "A", "a+", "\u00e9", "a\u00e9", "a!", "0", "~", "[a]", "a\\b", "-a", "a..", "a\t", "\U0001f4a1"]


def in_order(paths):
    return sorted(set(paths), key=os.fsencode)


def fnv1a(path):
    value = 0xCBF29CE484222325
    for byte in os.fsencode(path):
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return value


class FilesTest(CliTest):
    def place(self, *names, data=BAD):
        for name in names:
            self.put(name, data)

    def walked(self, operand):
        """Expected files of a walk, by the rules of the manual."""
        found = []
        for folder, folders, files in os.walk(self.path(operand)):
            folders[:] = [name for name in folders if not name.startswith(".")]
            relative = os.path.relpath(folder, self.path(operand))
            shown = os.path.normpath(os.path.join(operand, relative))
            found += [os.path.normpath(os.path.join(shown, name)) for name in files if name.lower().endswith((".grxla", ".rgm"))]
        return found


class Order(FilesTest):
    def test_bytewise_over_nested_directories(self):
        for one in AWKWARD:
            self.place(one + ".grxla", *["%s/%s.grxla" % (one, two) for two in AWKWARD], *["%s/%s/x.grxla" % (one, two) for two in AWKWARD])
        want = in_order(self.walked("."))
        self.assertEqual(len(want), len(AWKWARD) + 2 * len(AWKWARD) ** 2)
        self.assertEqual(self.checked("."), want)
        self.assertEqual(self.checked(*["./" + name for name in reversed(AWKWARD)]), [path for path in want if "/" in path])
        self.assertEqual(self.checked(".", "-j3"), want)

    def test_a_directory_sorts_as_what_lies_in_it(self):
        self.place("a/x.grxla", "a-b.grxla", "a.grxla", "a0.grxla", "a.d/x.grxla", "a-b/x.grxla")
        self.assertEqual(self.checked("."), ["a-b.grxla", "a-b/x.grxla", "a.d/x.grxla", "a.grxla", "a/x.grxla", "a0.grxla"])

    def test_overlapping_operands(self):
        self.place("a/b/x.grxla", "a/b/y.grxla", "a/c.grxla", "a/.h/z.grxla", "a/odd.bin", "a-x.grxla", "b.grxla")
        walk = ["a-x.grxla", "a/b/x.grxla", "a/b/y.grxla", "a/c.grxla", "b.grxla"]
        self.assertEqual(self.checked(".", "a", "a/b", "a/b/y.grxla", "./a/"), walk)
        self.assertEqual(self.checked("a/b", "a"), walk[1:4])
        self.assertEqual(self.checked(".", "a/.h", "a/odd.bin"), in_order([*walk, "a/.h/z.grxla", "a/odd.bin"]))
        self.assertEqual(self.checked("a/.h/z.grxla", "."), in_order([*walk, "a/.h/z.grxla"]))
        self.assertEqual(self.checked("a/.h", "a/.h/z.grxla", "a/.h/."), ["a/.h/z.grxla"])
        up = self.checked("..", ".", "../a-x.grxla", cwd=self.path("a"))
        self.assertEqual(up, in_order(["../" + path for path in walk] + ["b/x.grxla", "b/y.grxla", "c.grxla"]))

    def test_links_to_directories_are_followed_where_they_are_named(self):
        self.place("real/x.grxla", "real/deep/y.grxla")
        os.symlink("real", self.path("link"))
        os.symlink("..", self.path("real/up"))
        self.assertEqual(self.checked("."), ["real/deep/y.grxla", "real/x.grxla"])
        self.assertEqual(self.checked(".", "link"), ["link/deep/y.grxla", "link/x.grxla", "real/deep/y.grxla", "real/x.grxla"])
        self.assertEqual(self.checked("real", "real/up/real"),
                         ["real/deep/y.grxla", "real/up/real/deep/y.grxla", "real/up/real/x.grxla", "real/x.grxla"])

    def test_lists_are_merged(self):
        self.place("a/x.grxla", "a/y.grxla", "b.grxla", "a.grxla", "c/z.grxla")
        self.put("list", b"b.grxla\na\nb.grxla\n./a/y.grxla\na/\nc/z.grxla\n")
        want = ["a/x.grxla", "a/y.grxla", "b.grxla", "c/z.grxla"]
        self.assertEqual(self.checked("--files-from", "list"), want)
        self.put("windows", b"\xef\xbb\xbf" + self.get("list").replace(b"\n", b"\r\n"))
        self.assertEqual(self.checked("--files-from", "windows"), want)
        self.assertEqual(self.checked("--files-from", "list", "c", "b.grxla", "a/x.grxla"), want)
        self.assertEqual(self.checked("--files-from", "list", "."), in_order([*want, "a.grxla"]))

    def test_random_trees_and_operands(self):
        names = ["a", "a-b", "a.b", "b", ".h", "\u00e9"]
        for seed in range(30):
            rng = random.Random(seed)
            shutil.rmtree(self.path("t"), ignore_errors=True)
            folders = [""]
            for _ in range(12):
                folders.append(rng.choice(folders) + rng.choice(names) + "/")
            for folder in set(folders):
                os.makedirs(self.path("t/" + folder), exist_ok=True)
                for name in rng.sample(names, 3):
                    self.place("t/%s%s%s" % (folder, name, rng.choice([".grxla", ".RGM", ".txt", "x.grxla"])))
            files = [os.path.relpath(os.path.join(folder, name), self.path("t"))
                     for folder, _, found in os.walk(self.path("t")) for name in found]
            operands = rng.choices([folder + "." for folder in folders], k=rng.randint(1, 4)) + rng.choices(files, k=rng.randint(0, 4))
            rng.shuffle(operands)
            want = []
            for operand in operands:
                path = os.path.normpath(operand)
                if os.path.isdir(self.path("t/" + path)):
                    want += [os.path.relpath(name, "t") for name in self.walked(os.path.join("t", path))]
                else:
                    want.append(path)
            self.assertEqual(self.checked(*operands, cwd=self.path("t")), in_order(want), "seed %d: %r" % (seed, operands))

    def test_an_unreadable_directory_stands_where_its_files_would(self):
        """The path of the directory is longer than any system accepts, so that not even root can read it."""
        self.place("a.grxla", "z.grxla")
        name, here = "d" * 250, os.open(self.home, os.O_RDONLY)
        for _ in range(18):
            os.mkdir(name, dir_fd=here)
            deeper = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = deeper
        os.close(here)
        self.addCleanup(subprocess.run, ["rm", "-rf", self.path(name)], check=False)
        for jobs in ("-j1", "-j3"):
            result = self.run_cli("--format", "jsonl", "--select", "name-hash", jobs, ".", code=2)
            found = [(line["file"][:9], line["rule"]) for line in result.findings()]
            self.assertEqual([rule == "LL001" for _, rule in found], [False, True, False])
            self.assertEqual([file for file, _ in found], ["a.grxla", "d" * 9, "z.grxla"])
            self.assertIn("File name too long", result.text)

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_a_locked_directory(self):
        self.place("d/x.grxla", "e.grxla")
        os.chmod(self.path("d"), 0)
        self.addCleanup(os.chmod, self.path("d"), stat.S_IRWXU)
        result = self.run_cli("--format", "jsonl", "--select", "name-hash", ".", code=2)
        self.assertEqual([line["file"] for line in result.findings()], ["d", "e.grxla"])


class Patterns(FilesTest):
    def setUp(self):
        super().setUp()
        self.place("a.grxla", "b.rgm", "old/c.grxla", "old/deep/d.rgm", "new/old/e.grxla", "new/f.rgm", data=b"")

    def left(self, *arguments, cwd=None):
        result = self.run_cli("--format", "jsonl", *arguments, cwd=cwd)
        return sorted({line["file"] for line in result.findings()})

    def test_exclude(self):
        self.assertEqual(self.left("."), ["a.grxla", "b.rgm", "new/f.rgm", "new/old/e.grxla", "old/c.grxla", "old/deep/d.rgm"])
        self.assertEqual(self.left(".", "--exclude", "*.rgm"), ["a.grxla", "new/old/e.grxla", "old/c.grxla"])
        self.assertEqual(self.left(".", "--exclude", "old"), ["a.grxla", "b.rgm", "new/f.rgm"])
        self.assertEqual(self.left(".", "--exclude", "/old/"), ["a.grxla", "b.rgm", "new/f.rgm", "new/old/e.grxla"])
        self.assertEqual(self.left(".", "--exclude", "old/**/d.rgm", "--exclude=a.*"),
                         ["b.rgm", "new/f.rgm", "new/old/e.grxla", "old/c.grxla"])
        self.assertEqual(self.left("old", "--exclude", "old/deep"), ["old/c.grxla"])

    def test_include(self):
        self.assertEqual(self.left(".", "--include", "*.rgm"), ["b.rgm", "new/f.rgm", "old/deep/d.rgm"])
        self.assertEqual(self.left(".", "--include", "old/**", "--exclude", "*.rgm"), ["old/c.grxla"])

    def test_what_is_named_is_checked(self):
        self.assertEqual(self.left("b.rgm", "--exclude", "*.rgm"), ["b.rgm"])
        self.assertEqual(self.left("old", "--exclude", "old/"), [])  # its files were not named
        self.assertEqual(self.left(".", "old/c.grxla", "--exclude", "old"), ["a.grxla", "b.rgm", "new/f.rgm", "old/c.grxla"])

    def test_force_exclude(self):
        self.assertEqual(self.left("b.rgm", "a.grxla", "--exclude", "*.rgm", "--force-exclude"), ["a.grxla"])
        self.assertEqual(self.left("old", "--exclude", "old/", "--force-exclude"), [])
        self.assertEqual(self.left("old/deep/d.rgm", "--exclude", "old/", "--force-exclude"), [])
        self.assertEqual(self.left(".", "--exclude", "old", "--force-exclude"), ["a.grxla", "b.rgm", "new/f.rgm"])

    def test_notices(self):
        os.mkdir(self.path("none"))
        result = self.run_cli("none", "old", "--exclude", "deep", "--exclude", "*.grxla", code=0)
        lines = result.errors.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertRegex(lines[0], r"notice: no file to check in 'none' \(known:.* \.grxla")
        self.assertIn("notice: no file to check in 'old': the include and exclude patterns leave out its files", lines[1])
        self.assertEqual(self.run_cli(".", "none/..", "--exclude", "old", "-qq").err, b"")
        self.assertEqual(self.run_cli("new", "new/old").err, b"")


class Shards(FilesTest):
    def test_any_number_of_shards_is_a_partition(self):
        names = ["d%d/%d.grxla" % (i % 5, i) for i in range(60)]
        self.place(*names)
        for count in (1, 2, 3, 7, 61, 1000):
            seen = []
            for index in range(1, count + 1) if count < 100 else sorted({fnv1a(name) % count + 1 for name in names}):
                part = self.checked(".", "--shard", "%d/%d" % (index, count))
                self.assertEqual(part, in_order(name for name in names if fnv1a(name) % count == index - 1))
                seen += part
            self.assertEqual(in_order(seen), in_order(names))
            self.assertEqual(len(seen), len(names))

    def test_shards_stay_the_same(self):
        """The shard of a file must never change: a corpus is swept in parts, on different machines, by different
        versions."""
        golden = {"a.grxla": 3, "b.grxla": 4, "d/a.grxla": 2, "d/e/f.rgm": 3, "\u00e9.mrea": 1, "area.lights": 4}
        self.place(*golden, data=b"")
        for index in range(1, 5):
            files = {line["file"] for line in self.run_cli("--format", "jsonl", ".", "--shard", "%d/4" % index).findings()}
            self.assertEqual(files, {name for name, shard in golden.items() if shard == index})

    def test_an_empty_shard_is_clean_and_silent(self):
        self.place("a.grxla")
        other = 2 - fnv1a("a.grxla") % 2
        self.assertEqual(self.run_cli("-q", ".", "--shard", "%d/2" % other, code=0).err, b"")

    def test_shards_of_what_cannot_be_read(self):
        codes = [self.run_cli("gone.grxla", "--shard", "%d/3" % index).code for index in (1, 2, 3)]
        self.assertEqual(sorted(codes), [0, 0, 2])


class Limits(FilesTest):
    def peak(self, *arguments):
        """Peak resident memory of a run in kB, read when it has reached its last file, standard input. The value
        after the end of a process would include what it used before exec."""
        feed = Feed(GOOD)
        process = subprocess.Popen([PROGRAM, *arguments, "-", "--stdin-name", "zz"], stdin=feed.reader, cwd=self.home, env=self.environment)
        feed.wait(process)
        with open("/proc/%d/status" % process.pid, encoding="ascii") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
        feed.finish()
        self.assertEqual(process.wait(), 0)
        return peak

    @unittest.skipUnless(os.path.exists("/proc/self/status"), "no /proc")
    def test_memory_does_not_grow_with_the_count_of_files_or_directories(self):
        if is_sanitized():
            self.skipTest("the address sanitizer keeps what was freed")
        self.place("one.grxla", data=GOOD)
        for name, folders, files in (("few", 5, 100), ("many", 200, 100), ("apart", 4000, 1)):
            for folder in range(folders):
                os.makedirs(self.path("%s/%03d" % (name, folder)))
                for number in range(files):
                    os.link(self.path("one.grxla"), self.path("%s/%03d/%03d.grxla" % (name, folder, number)))
        for jobs in ("-j1", "-j2"):
            few = min(self.peak("-q", jobs, "few") for _ in range(3))
            for name in ("many", "apart"):
                more = min(self.peak("-q", jobs, name) for _ in range(3))
                self.assertLess(more - few, 1024, "%s: %d kB for 500 files, %d kB for %s" % (jobs, few, more, name))
        summary = self.run_cli("--format", "jsonl", "many", code=0).lines()[-1]
        self.assertEqual(summary["files"], 20000)

    def test_few_handles_are_enough(self):
        deep = "/".join(["d"] * 200)
        os.makedirs(self.path(deep))
        for number in range(2000):
            folder = "/".join(["d"] * (number % 200 + 1))
            self.put("%s/%04d.grxla" % (folder, number), BAD)
        names = self.checked(".", "-j4", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32)))
        self.assertEqual(len(names), 2000)
        self.assertEqual(names, in_order(names))


class Races(FilesTest):
    def test_a_directory_goes_away_in_the_middle(self):
        self.place("d/e/x.grxla", "d/y.grxla", "named/x.grxla", "z.grxla")

        feed = Feed(BAD)
        process = subprocess.Popen([PROGRAM, "--format", "jsonl", "--select", "name-hash", "-j1", ".", "--stdin-name", "a-first", "-", "named"],
                                   stdin=feed.reader, stdout=subprocess.PIPE, cwd=self.home, env=self.environment)
        feed.wait(process)
        shutil.rmtree(self.path("d"))
        shutil.rmtree(self.path("named"))
        feed.finish()
        found = [json.loads(line) for line in process.communicate()[0].splitlines()]
        self.assertEqual(process.returncode, 2)
        self.assertEqual([(line["file"], line["rule"] == "LL001") for line in found if line["type"] == "finding"],
                         [("a-first", False), ("d", True), ("named", True), ("z.grxla", False)])

    def test_an_output_becomes_an_input(self):
        """The walk finds a file that an output would replace: the program does not overwrite it."""
        for target, many in (("d/x.grxla", 0), ("hard", 0), ("link", 300)):
            self.place("d/x.grxla", *["d/%d.grxla" % i for i in range(many)])
            for name in ("hard", "link"):
                if os.path.lexists(self.path(name)):
                    os.remove(self.path(name))
            os.link(self.path("d/x.grxla"), self.path("hard"))
            os.symlink("d/x.grxla", self.path("link"))
            before = sorted(os.listdir(self.home))
            for arguments in (["d"], [".", "-j3"], ["--files-from", "-"]):
                result = self.run_cli(*arguments, "-o", target, "--format=full", "--format=jsonl:new", stdin=b"d\n", code=2)
                self.assertEqual(len(result.errors.splitlines()), 1, result.errors)
                self.assertIn("'%s' is an input" % target, result.errors)
                self.assertEqual(self.get("d/x.grxla"), BAD)
                self.assertEqual(sorted(os.listdir(self.home)), before)

    def test_an_output_that_is_not_there_yet_is_no_input(self):
        self.place("d/x.grxla")
        self.run_cli("d", "--format=jsonl:d/y.grxla", code=1)
        self.assertIn(b"name-hash", self.get("d/y.grxla"))
        self.refused("d", "--format=jsonl:d/y.grxla", saying="'d/y.grxla' is an input")

    def test_many_findings_and_threads_keep_the_order(self):
        for i in range(400):
            self.put("d%02d/%03d.grxla" % (i % 20, i), wrong_hashes(40) if i % 9 == 0 else BAD if i % 2 else GOOD)
        want = self.run_cli("-j1", "--format=jsonl", ".", code=1).out
        for jobs in ("-j2", "-j7", "-j64"):
            self.assertEqual(self.run_cli(jobs, "--format=jsonl", ".", code=1).out, want)


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
