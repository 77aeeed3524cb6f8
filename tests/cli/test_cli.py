#!/usr/bin/env python3
"""The command line as a user sees it: exit codes, options, which files are checked, where output goes.

    test_cli.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import random
import re
import resource
import signal
import stat
import struct
import subprocess
import sys
import time
import unittest

from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest, Feed, light_file, probe, strcode64, wrong_hashes
from recipe import Corpus  # found by cli_test

FORMATS = ["full", "concise", "json", "jsonl", "sarif", "sarif-github"]


# ---------------------------------------------------------------- words

class Words(CliTest):
    def test_no_argument_is_short_help_on_stderr(self):
        result = self.run_cli(code=2)
        self.assertEqual(result.out, b"")
        self.assertIn("usage: lightlint", result.errors)
        self.assertLess(len(result.errors.splitlines()), 27)

    def test_help_is_one_screen_on_stdout(self):
        result = self.run_cli("--help", code=0)
        self.assertEqual(result.err, b"")
        lines = result.text.splitlines()
        self.assertTrue(lines[0].startswith("usage: lightlint"))
        self.assertLessEqual(len(lines), 80)
        self.assertLessEqual(max(map(len, lines)), 85)
        for word in ("Examples:", "Exit codes:", "--select", "--fail-on"):
            self.assertIn(word, result.text)
        for arguments in (["-h"], ["--select", "nonsense", "--help"], ["-h", "--", "dump"]):
            self.assertEqual(self.run_cli(*arguments, code=0).out, result.out)

    def test_help_of_a_command_is_its_own(self):
        text = self.run_cli("dump", "-h", code=0).text
        self.assertIn("--script ACTOR", text)
        self.assertNotIn("--fail-on LEVEL", text)
        self.assertLess(text.count("usage:"), 2)
        self.assertNotIn("lightlint sweep", text)
        self.assertEqual(text, self.run_cli("--help", "dump", code=0).text)

    def test_examples_of_the_help_run(self):
        self.put("room.grxla", GOOD)
        text = self.run_cli("--help").text.split("Examples:\n")[1].split("\n\n")[0]
        examples = text.splitlines()
        self.assertEqual(len(examples), 3)
        path = os.path.dirname(PROGRAM) + os.pathsep + os.environ.get("PATH", "")
        for example in examples:
            done = subprocess.run(["sh", "-c", example], cwd=self.home, env=dict(self.environment, PATH=path),
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), example)
        self.assertTrue(os.path.exists(self.path("lights.sarif")))

    def test_version(self):
        result = self.run_cli("version", code=0)
        self.assertRegex(result.text, r"\Alightlint \d+\.\d+\.\d+\n\Z")
        self.assertEqual(self.run_cli("--version", code=0).out, result.out)

    def test_unknown_words_get_the_nearest(self):
        self.put("a.grxla", GOOD)
        self.refused("--selct", "x", "a.grxla", saying="did you mean --select?")
        self.refused("--selct=x", "a.grxla", saying="unknown option '--selct'; did you mean --select?")
        self.refused("--max-per", "1", "a.grxla", saying="did you mean --max-per-rule?")
        self.refused("--frobnicate", "a.grxla", saying="unknown option '--frobnicate'")
        self.refused("-x", "a.grxla", saying="unknown option '-x'")
        self.refused("-qx", "a.grxla", saying="unknown option '-x'")
        self.refused("--format", "sarf", "a.grxla", saying="did you mean 'sarif'?")
        self.refused("--format", "tiff:x", "a.grxla", saying="there are: full, concise")
        self.refused("--color", "alway", "a.grxla", saying="did you mean 'always'?")
        self.refused("--fail-on", "warn", "a.grxla", saying="did you mean 'warning'?")
        self.refused("--severity", "name-hash=eror", "a.grxla", saying="did you mean 'error'?")
        self.refused("chekc", "a.grxla", saying="did you mean 'check'?")
        self.refused("explain", "name-hahs", saying="name-hash")
        self.refused("--select", "name-hahs", "a.grxla", saying="name-hash")
        self.refused("--ignore", "name-hahs", "a.grxla", saying="name-hash")
        self.refused("--severity", "name-hahs=note", "a.grxla", saying="name-hash")
        self.refused("dump", "--format", "jsno", "a.grxla", saying="did you mean 'json'?")
        self.refused("rules", "--format", "markdwon", saying="did you mean 'markdown'?")

    def test_wrong_use_is_refused(self):
        self.put("a.grxla", GOOD)
        cases = [
            (["check"], "no file or directory"),
            (["", "a.grxla"], "empty"),
            (["a.grxla", "--select"], "--select needs a value"),
            (["a.grxla", "--select="], "empty"),
            (["a.grxla", "--select", "name-hash,,all"], "empty"),
            (["a.grxla", "-o"], "--output needs a value"),
            (["a.grxla", "--all=yes"], "takes no value"),
            (["a.grxla", "--jobs", "two"], "not a number"),
            (["a.grxla", "-j-1"], "not a number"),
            (["a.grxla", "--max-per-rule", "4294967296"], "not a number"),
            (["a.grxla", "--max-per-rule", "99999999999999999999999"], "not a number"),
            (["a.grxla", "--severity", "name-hash"], "RULE=LEVEL"),
            (["a.grxla", "--format", "json:"], "no file name"),
            (["a.grxla", "--stdin-name", "x"], "--stdin-name"),
            (["a.grxla", "-0"], "--files-from"),
            (["a.grxla", "--game", "mp4"], "did you mean 'mp1'?"),
            (["a.grxla", "--game", "redguard"], "there are: auto, mp1, mp2, mp3"),
            (["-", "--files-from", "-"], "standard input"),
            (["dump", "--select", "all", "a.grxla"], "--select is not an option of 'dump'"),
            (["explain", "-q", "name-hash"], "--quiet is not an option of 'explain'"),
            (["dump"], "one file"),
            (["dump", "a.grxla", "a.grxla"], "one file"),
            (["explain"], "one rule"),
            (["rules", "name-hash"], "no file"),
            (["version", "1"], "no file"),
        ]
        for arguments, words in cases:
            with self.subTest(arguments):
                self.refused(*arguments, saying=words)

    def test_spellings_of_an_option(self):
        self.put("bad.grxla", BAD)
        expected = self.run_cli("--format", "jsonl", "--fail-on", "never", "-o", "out", "bad.grxla", code=0)
        want = self.get("out")
        self.assertIn(b"name-hash", want)
        for arguments in (["--format=jsonl", "--fail-on=never", "--output=out"],
                          ["--format", "jsonl:out", "--fail-on", "never"],
                          ["--format=jsonl:out", "--fail-on=error", "--fail-on=never", "-j1"],
                          ["--format=jsonl", "-oout", "-j", "1", "--fail-on=never"]):
            os.remove(self.path("out"))
            self.assertEqual(self.run_cli(*arguments, "bad.grxla", code=0).out, expected.out)
            self.assertEqual(self.get("out"), want, arguments)

    def test_options_may_stand_anywhere_and_clusters_split(self):
        self.put("good.grxla", GOOD)
        self.put("list", b"good.grxla\0")
        for arguments in (["-q", "check", "good.grxla"], ["good.grxla", "-q"], ["-qq", "--", "good.grxla"],
                          ["-q0", "--files-from", "list"], ["-q0j2", "--files-from=list"]):
            result = self.run_cli(*arguments, code=0)
            self.assertEqual((result.out, result.err), (b"", b""), arguments)

    def test_files_named_like_words(self):
        for name in ("check", "dump", "-q", "-", "--all"):
            self.put(name, BAD)
        self.assertEqual(self.checked("./check"), ["check"])
        self.assertEqual(self.checked("--", "check"), ["check"])
        self.assertEqual(self.checked("check", "check"), ["check"])
        self.assertEqual(self.checked("check", "dump"), ["dump"])
        self.assertEqual(self.checked("--", "-q", "--all", "dump"), ["--all", "-q", "dump"])
        self.assertEqual(self.checked("./-", stdin=GOOD), ["-"])

    def test_messages_cannot_command_a_terminal(self):
        result = self.refused("x", "--severity", "a=\x1b[2J\u202eb\r\n\u00e9")
        self.assertNotRegex(result.errors[:-1], "[\x00-\x1f\u202e]")
        self.assertIn("\\x0d\\x0a\u00e9", result.errors)
        result = self.refused(b"--\xff\xfe")
        self.assertIn("\\xff\\xfe", result.errors)


# ---------------------------------------------------------------- verdicts

class Verdicts(CliTest):
    def test_clean_is_0(self):
        self.put("good.grxla", GOOD)
        result = self.run_cli("good.grxla", code=0)
        self.assertEqual(result.err, b"")
        self.assertEqual(len(result.text.splitlines()), 1)
        self.assertEqual(self.run_cli("-q", "good.grxla", code=0).out, b"")
        self.assertIn("good.grxla", self.run_cli("-v", "good.grxla", code=0).text)

    def test_findings_are_1_on_stdout(self):
        self.put("bad.grxla", BAD)
        for name in FORMATS:
            result = self.run_cli("--format", name, "bad.grxla", code=1)
            self.assertEqual(result.err, b"", name)
            self.assertIn("bad.grxla", result.text, name)

    def test_fail_level(self):
        self.put("bad.grxla", BAD)
        levels = ["note", "warning", "error", "never"]
        for at, severity in enumerate(levels[:3]):
            for fail_at, fail_on in enumerate(levels):
                result = self.run_cli("--select=name-hash", "--severity=name-hash=" + severity, "--fail-on", fail_on,
                                      "--format=jsonl", "bad.grxla", code=1 if at >= fail_at else 0)
                self.assertEqual([finding["severity"] for finding in result.findings()], [severity])
                self.assertEqual(result.err, b"")
        self.run_cli("--severity", "name-hash=note", "bad.grxla", code=0)
        self.run_cli("--severity", "name-hash=off", "bad.grxla", code=0)

    def test_unreadable_is_2_and_the_rest_is_checked(self):
        self.put("good.grxla", GOOD)
        self.put("bad.grxla", BAD)
        result = self.run_cli("--format", "jsonl", "missing.grxla", "bad.grxla", "good.grxla", code=2)
        rules = {line["file"]: line["name"] for line in result.findings()}
        self.assertEqual(rules["bad.grxla"], "name-hash")
        self.assertEqual([line["rule"] for line in result.findings() if line["file"] == "missing.grxla"], ["LL001"])
        self.assertIn("No such file or directory", result.text)
        self.run_cli("good.grxla", "missing.grxla", "--fail-on", "never", code=2)
        self.run_cli("good.grxla", "missing.grxla", "--select", "GRX", code=2)

    def test_links_that_lead_nowhere_are_2(self):
        os.symlink("gone", self.path("broken.grxla"))
        os.symlink("loop.grxla", self.path("loop.grxla"))
        result = self.run_cli("--format", "jsonl", ".", code=2)
        self.assertEqual([line["file"] for line in result.findings()], ["broken.grxla", "loop.grxla"])
        self.assertIn("symbolic links", result.text)

    def test_huge_file_is_2_and_quick(self):
        with open(self.path("huge.grxla"), "wb") as file:
            file.write(GOOD)
            file.truncate((1 << 32) + 1)
        start = time.monotonic()
        result = self.run_cli("--format", "jsonl", "huge.grxla", code=2)
        self.assertLess(time.monotonic() - start, 5)
        self.assertTrue(result.findings()[0]["rule"].startswith("LL"))

    def test_files_of_all_sizes_are_read_whole(self):
        """Sizes around the limits where the program changes how it reads: block size and mapping."""
        for size in (0, 1, 288, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1 << 20, (16 << 20) - 1, 16 << 20,
                     (16 << 20) + 1, (17 << 20) + 3):
            self.put("f.grxla", GOOD[:size].ljust(size, b"\0"))
            result = self.run_cli("dump", "--format", "json", "f.grxla")
            self.assertEqual(json.loads(result.text)["size"], size)

    def test_streams_are_read_whole(self):
        """A pipe returns short reads, which together make one file."""
        data = light_file([b"LP_%04d" % i for i in range(3000)])
        want = self.run_cli("dump", "--format", "json", "-", stdin=data, code=0).out
        for chunk in (1000, 65536):
            process = subprocess.Popen([PROGRAM, "dump", "--format", "json", "-"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, cwd=self.home)
            for at in range(0, len(data), chunk):
                process.stdin.write(data[at:at + chunk])
                process.stdin.flush()
            out = process.communicate()[0]
            self.assertEqual((process.returncode, out), (0, want))


# ---------------------------------------------------------------- files made to be slow

class Hostile(CliTest):
    def test_names_that_share_a_slot_lose_findings_and_no_time(self):
        """Names whose hashes start at the same slot of the map of name-duplicate, with equal tags: only a limited
        number is stored."""
        mixed = 0x9E3779B97F4A7C15
        unmixed = pow(mixed, -1, 1 << 64)
        folded = [(5 << 32 | lower) * unmixed % (1 << 64) for lower in range(250)]
        hashes = [key ^ key >> 32 ^ 8 * mixed % (1 << 64) for key in folded]  # 8: size of a hash in bytes
        for again, findings in ((0, 1), (100, 1), (249, 0)):
            data = light_file([b"LP"] * 251)
            start = data.index(probe(b"LP"))
            size = len(probe(b"LP"))
            for number, name_hash in enumerate([*hashes, hashes[again]]):
                at = start + number * size + 8
                self.assertEqual(data[at:at + 8], struct.pack("<Q", strcode64(b"LP")))
                data = data[:at] + struct.pack("<Q", name_hash) + data[at + 8:]
            self.put("a.grxla", data)
            result = self.run_cli("--format", "jsonl", "--select", "name-duplicate", "a.grxla")
            self.assertEqual(len(result.findings()), findings, again)


# ---------------------------------------------------------------- files

class Files(CliTest):
    def test_directory_walk(self):
        for name in ("z.grxla", "a/B.GRXLA", "a/c.grxoc", "a.grxla", "a/.hidden/x.grxla", ".git/y.grxla", "a/notes.txt",
                     "a/grxla", "a/b/c/d/deep.GrxLa", ".dot.grxla", "a-b.grxla"):
            self.put(name, BAD)
        want = [".dot.grxla", "a-b.grxla", "a.grxla", "a/B.GRXLA", "a/b/c/d/deep.GrxLa", "a/c.grxoc", "z.grxla"]
        self.assertEqual(self.checked("."), want)
        self.assertEqual(self.checked(self.home), want)
        self.assertEqual(self.checked("a/", "./a//b"), want[3:6])
        self.assertEqual(self.checked(".git"), [".git/y.grxla"])
        self.assertEqual(self.checked("..", cwd=self.path("a/b")), ["../B.GRXLA", "../b/c/d/deep.GrxLa", "../c.grxoc"])

    def test_explicit_files_need_no_extension(self):
        self.put("light.bin", BAD)
        self.assertEqual(self.checked("light.bin"), ["light.bin"])

    def test_links(self):
        self.put("real/a.grxla", BAD)
        os.symlink("a.grxla", self.path("real/b.grxla"))
        os.symlink("../real", self.path("real/loop"))
        os.symlink("real", self.path("real.grxla"))
        os.symlink("/", self.path("real/root.grxla"))
        os.mkfifo(self.path("real/pipe.grxla"))
        self.assertEqual(self.checked("real"), ["real/a.grxla", "real/b.grxla"])
        self.assertEqual(self.checked("real.grxla"), ["real.grxla/a.grxla", "real.grxla/b.grxla"])

    def test_directory_without_a_known_file(self):
        self.put("empty/notes.txt", b"x")
        self.put("good.grxla", GOOD)
        result = self.run_cli("empty", code=0)
        self.assertIn("notice: no file to check in 'empty'", result.errors)
        self.assertIn(".grxla", result.errors)
        self.assertNotIn("notice", result.text)
        self.assertIn("notice", self.run_cli("-q", "empty", "good.grxla", code=0).errors)
        self.assertEqual(self.run_cli("-qq", "empty", code=0).err, b"")
        self.assertEqual(self.run_cli(".", code=0).err, b"")

    def test_only_what_fails(self):
        self.put("bad.grxla", BAD)
        self.put("unread.mgsv", b"PK\3\4" + bytes(26) + b"metadata.xml")  # a note, and exit code 2
        for form in ("full", "concise"):
            shown = self.run_cli("--format", form, "-qq", ".", code=2).text
            self.assertEqual(re.findall(r"(?:warning|note)\[(\w+) ", shown), ["GRX265", "LL020"])
            self.assertNotIn("with findings", shown)
            self.assertEqual(re.findall(r"(?:warning|note)\[(\w+) ", self.run_cli("--format", form, "-qq", "--fail-on", "error", ".", code=2).text), ["LL020"])
            self.assertEqual(self.run_cli("--format", form, "-qq", "--fail-on", "error", "--unsupported", "allow", ".", code=0).out, b"")

    def test_a_file_is_checked_once(self):
        self.put("d/bad.grxla", BAD)
        names = ["d/bad.grxla", "./d/bad.grxla", "d//bad.grxla", "d/./bad.grxla", self.path("d/bad.grxla"), "d", ".",
                 "./", self.home + "//./d/", "d/bad.grxla"]
        self.assertEqual(self.checked(*names), ["d/bad.grxla"])

    def test_absolute_paths_elsewhere_stay(self):
        self.put("here/x", b"")
        self.put("herein/bad.grxla", BAD)
        self.assertEqual(self.checked(self.path("herein"), cwd=self.path("here")), [self.path("herein/bad.grxla")])

    def test_the_shells_name_of_the_directory_counts(self):
        self.put("real/bad.grxla", BAD)
        os.symlink("real", self.path("link"))
        name = self.path("link/bad.grxla")
        self.assertEqual(self.checked(name, cwd=self.path("link"), env={"PWD": self.path("link")}), ["bad.grxla"])
        self.assertEqual(self.checked(name, cwd=self.path("link"), env={"PWD": "/"}), [name])

    def test_same_bytes_in_any_directory(self):
        outputs = set()
        for place in ("one", "two/deeper"):
            self.put(place + "/sub/bad.grxla", BAD)
            for arguments in (["."], [self.path(place)], ["sub/bad.grxla"]):
                for name in FORMATS:
                    out = self.run_cli("--format", name, *arguments, cwd=self.path(place), code=1).out
                    self.assertNotIn(self.home.encode(), out)
                    outputs.add((name, out))
        self.assertEqual(len(outputs), len(FORMATS))

    def test_lists(self):
        for name in ("a.grxla", "b c.grxla", "d\n.grxla", "\u00e9.grxla"):
            self.put(name, BAD)
        self.put("lines", "./b c.grxla\n\na.grxla\n\u00e9.grxla".encode())
        self.put("nuls", b"d\n.grxla\0a.grxla\0\0")
        self.assertEqual(self.checked("--files-from", "lines"), ["a.grxla", "b c.grxla", "\u00e9.grxla"])
        self.assertEqual(self.checked("--files-from", "lines", "a.grxla", "b c.grxla"),
                         ["a.grxla", "b c.grxla", "\u00e9.grxla"])
        self.assertEqual(len(self.checked("--files-from", "nuls", "-0")), 2)
        self.assertEqual(len(self.checked("--files-from", "-", "--null", stdin=self.get("nuls"))), 2)
        self.assertEqual(self.checked("--files-from", "-", stdin=b"a.grxla\n"), ["a.grxla"])
        self.assertEqual(self.checked("--files-from", "-", stdin=b"a.grxla\r\nb c.grxla\r\n\r\n"), ["a.grxla", "b c.grxla"])
        self.assertEqual(self.checked("--files-from", "-", stdin=b".\n"),
                         self.checked("."))
        self.assertEqual(self.checked("--files-from", "-", stdin=b""), [])
        self.refused("--files-from", "nuls", saying="-0")
        self.refused("--files-from", "gone", saying="No such file")
        self.run_cli("--files-from", "-", stdin=b"a.grxla\ngone.grxla\n", code=2)

    def test_stdin(self):
        self.assertEqual(self.run_cli("-", stdin=GOOD, code=0).err, b"")
        self.assertEqual(self.checked("-", stdin=BAD), ["<stdin>"])
        self.assertEqual(self.checked("-", "-", "--stdin-name", "room.grxla", stdin=BAD), ["room.grxla"])
        self.put("room.grxla", BAD)
        self.assertEqual(self.checked("-", "room.grxla", "--stdin-name=room.grxla", stdin=BAD), ["room.grxla"] * 2)
        self.run_cli("-", stdin=b"", code=None)

    def test_closed_stdin_is_unreadable(self):
        result = self.run_cli("--format", "jsonl", "-", code=2, preexec_fn=lambda: os.close(0))
        self.assertEqual(result.findings()[0]["rule"], "LL001")

    def test_output_does_not_depend_on_order_or_threads(self):
        for i in range(300):
            self.put("d%d/%d.grxla" % (i % 7, i), [GOOD, BAD, wrong_hashes(20), b"", b"not a light file"][i % 5])
        self.put("big.grxla", wrong_hashes(1000))
        names = ["d%d/%d.grxla" % (i % 7, i) for i in range(300)] + ["big.grxla", "gone.grxla"]
        for name in FORMATS:
            want = self.run_cli("-v", "-j1", "--format", name, ".", "gone.grxla", code=2).out
            for jobs in ("0", "2", "16", "1000000"):
                random.Random(int(jobs)).shuffle(names)
                result = self.run_cli("-v", "--jobs", jobs, "--format", name, *names, code=2)
                self.assertEqual(result.out, want, "%s with %s threads" % (name, jobs))


# ---------------------------------------------------------------- rules

class Rules(CliTest):
    def setUp(self):
        super().setUp()
        self.put("bad.grxla", wrong_hashes(300))

    def names(self, *arguments, code=1):
        return {f["name"] for f in self.run_cli("--format", "jsonl", *arguments, "bad.grxla", code=code).findings()}

    def test_select_and_ignore(self):
        self.assertEqual(self.names("--select", "name-hash"), {"name-hash"})
        self.assertEqual(self.names("--select", "grx/name-hash,LL"), {"name-hash"})
        self.assertEqual(self.names("--select", "LL", "--select", "GRX"), {"name-hash"})
        self.assertEqual(self.names("--select", "all", "--ignore", "GRX", code=0), set())
        self.assertEqual(self.names("--ignore", "name-hash,GRX0", code=0), set())
        self.refused("--ignore", "LL001", "bad.grxla", saying="LL001")
        self.assertEqual(self.names("--select", "LL", code=0), set())

    def test_limits(self):
        def counts(*arguments):
            lines = self.run_cli("--format=jsonl", *arguments, "bad.grxla", code=1).lines()
            return sum(line["type"] == "finding" for line in lines)
        self.assertEqual(counts(), 300)
        self.assertEqual(counts("--max-per-rule=7"), 7)
        self.assertEqual(counts("--max-per-rule=0"), 300)
        self.assertEqual(counts("--max-per-rule=0", "--max-per-file=9"), 9)
        self.assertEqual(counts("--all"), 300)
        self.assertEqual(counts("--all", "--max-per-file", "11"), 11)

    def test_user_pack(self):
        self.put("broken.yaml", b"- id: [\n")
        result = self.refused("--rules", "broken.yaml", "bad.grxla", saying="broken.yaml:")
        self.assertRegex(result.errors, r"broken\.yaml:\d+")
        self.refused("--rules", "gone.yaml", "bad.grxla", saying="No such file")
        self.put("mine.yaml", b"- id: MINE001\n  name: low-priority\n  severity: note\n  tags: [value]\n"
                              b"  on: grx.probe\n  field: priority\n  check: range\n  value: '>= 100'\n"
                              b"  title: Probe has a low priority.\n  why: It is what we agreed on.\n"
                              b"  fix: Raise the priority.\n")
        self.assertEqual(self.names("--rules", "mine.yaml", "--select", "MINE001", code=0), {"low-priority"})
        self.assertEqual(self.names("--severity=MINE001=error", "--select=MINE", "--rules=mine.yaml"), {"low-priority"})
        text = self.run_cli("explain", "MINE001", "--rules", "mine.yaml", code=0).text
        self.assertIn("It is what we agreed on", text)
        rules = json.loads(self.run_cli("rules", "--format", "json", "--rules", "mine.yaml", code=0).text)["rules"]
        self.assertIn("MINE001", [rule["id"] for rule in rules])

    def test_user_pack_on_properties(self):
        """A pack judges properties by class and name, and texts by their hashes; its cases have words of their own."""
        corpus = Corpus(os.path.join(SOURCE, "corpus"))
        self.put("a_NIGHT_1.fox2", bytes(corpus.assemble(corpus.recipes["good-fox2"]).data))
        self.put("a.bin", self.get("a_NIGHT_1.fox2"))
        pack = os.path.join(SOURCE, "corpus", "packs", "good-properties.yaml")

        def said(file):
            lines = self.run_cli("--format=jsonl", "--all", "--select=OWN", "--rules", pack, file, code=0).lines()
            return [(line["path"].split(":")[1], line["found"], line["expected"]) for line in lines if line["type"] == "finding"]
        path = "text that matches \\A/Assets/mymod/"
        folder = "/Assets/tpp/level/location/demo/demo_light_fox2_"
        everywhere = [
            ("LightArray].property[flags].value", "0x8000007", "7, our flags"),
            ("LightArray].property[lightArrayFile].value", f'"{folder}grxla_win.grxla"', path),
            ("TppLightProbeArray].property[flags].value", "0x8000007", "7, our flags"),
            ("TppLightProbeArray].property[lightArrayFile].value", f'"{folder}tgrxla_win.grxla"', path),
            ("OccluderArray].property[flags].value", "0x8000007", "7, our flags"),
            *[("StaticModelArrayLinkTarget].class_version", "version 0", "at least 1")] * 3]
        self.assertEqual(said("a.bin"), everywhere)
        by_name = [(f"TppLightProbeArray].property[drawRejectionLevels].item[{i}].value", found, "3")
                   for i, found in ((0, "0x0"), (2, "0x7"))]
        self.assertEqual(said("a_NIGHT_1.fox2"), everywhere[:3] + by_name + everywhere[3:])

    def test_catalogue(self):
        rules = json.loads(self.run_cli("rules", "--format", "json", code=0).text)["rules"]
        ids = [rule["id"] for rule in rules]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertIn("LL001", ids)
        for name in ("text", "markdown"):
            text = self.run_cli("rules", "--format", name, code=0).text
            self.assertTrue(all(i in text for i in ids))
        one = next(rule for rule in rules if rule["name"] == "name-hash")
        text = self.run_cli("explain", one["id"], code=0).text
        self.assertIn(one["title"], text)
        self.assertEqual(self.run_cli("explain", "name-hash", code=0).text, text)
        self.assertEqual(self.run_cli("explain", "grx/name-hash", code=0).text, text)

    def test_the_game_of_a_lights_section(self):
        self.put("none.lights", struct.pack(">I", 0xBABEDEAD) + bytes(28))

        def names(*arguments):
            result = self.run_cli("--format", "jsonl", *arguments, "none.lights", code=0)
            return [f["name"] for f in result.findings()]

        self.assertEqual(names(), ["variant-ambiguous"])
        self.assertEqual(names("--game", "auto"), ["variant-ambiguous"])
        for game, layers in (("mp1", 2), ("mp2", 2), ("mp3", 4)):
            self.assertEqual(names("--game", game), [])
            dump = self.run_cli("dump", "--game", game, "none.lights", code=0).text
            self.assertEqual(dump.count("].count"), layers)

    def test_dump(self):
        self.put("good.grxla", GOOD)
        dump = json.loads(self.run_cli("dump", "--format", "json", "good.grxla", code=0).text)
        self.assertEqual((dump["file"], dump["format"], dump["size"]), ("good.grxla", "grx", len(GOOD)))
        at = 0
        for span in dump["spans"]:
            self.assertEqual(span["offset"], at)
            at += span["length"]
        self.assertEqual(at, len(GOOD))
        text = self.run_cli("dump", "good.grxla", code=0).text
        self.assertIn("46 47 78 4c", text.lower())
        dump = json.loads(self.run_cli("dump", "--format=json", "-", "--stdin-name=n", stdin=GOOD, code=0).text)
        self.assertEqual(dump["file"], "n")
        self.refused("dump", "gone.grxla", saying="No such file")
        stable = json.loads(self.run_cli("dump", "--stable", "--format", "json", "good.grxla", code=0).text)
        whole = json.loads(self.run_cli("dump", "--format", "json", "good.grxla", code=0).text)
        self.assertEqual(stable, {key: whole[key] for key in ("file", "format", "size", "records")})
        self.refused("dump", ".", saying="directory")


# ---------------------------------------------------------------- scripts

MAP = b"""title: An actor whose script has a loop and a subroutine, and one with the least script.

actor DOOR
phrase "lamp1"
variable 0, 0, 3
script {
var 2 = 5
again:
if var 2 > 0
task Wait(30)
objcall string 0 function SetAttribute(3, 100)
var 2 = var 2 - 1
goto again
endif
call ACTIVATE(key "door")
gosub sub
end
sub:
flag TimeOfDay = 3
return
}
actor LAMP
object DOOR
object LAMP
"""


class Scripts(CliTest):
    def setUp(self):
        super().setUp()
        self.put("rgm/map.txt", MAP)
        corpus = Corpus()
        self.image = corpus.assemble(corpus.add(self.path("rgm/map.txt")))
        self.put("map.rgm", bytes(self.image.data))

    def listed(self, actor, name="map.rgm", code=0):
        """Header, {offset of the next line: label}, bytes, and lines without offset and bytes."""
        head, *lines = self.run_cli("dump", "--script", actor, name, code=code).text.splitlines()
        labels, data, texts = {}, b"", []
        for line in lines:
            if line.startswith("0x"):
                row, text = line[10:33], line[35:]
                self.assertEqual(int(line[:8], 16), self.image.named("RASC.block[%s]" % actor).start + len(data))
                data += bytes.fromhex(row)
                texts += [text] if text else []
            elif line.startswith(" "):
                texts.append(line)
            else:
                labels[len(data)] = line.removesuffix(":")
        return head, labels, data, texts

    def damage(self, path, value):
        data = bytearray(self.image.data)
        place = self.image.named(path)
        data[place.start:place.end] = value
        self.put("bad.rgm", bytes(data))
        return place

    def test_a_script_beside_its_bytes(self):
        head, labels, data, texts = self.listed("DOOR")
        block = self.image.named("RASC.block[DOOR]")
        self.assertEqual(head, "map.rgm: rgm, script of DOOR")
        self.assertEqual(data, bytes(self.image.data[block.start:block.end]))
        loop = self.image.named("RASC.block[DOOR].statement[1]").start - block.start
        sub = self.image.named("RASC.block[DOOR].statement[9]").start - block.start
        for place in (loop, sub):
            self.assertEqual(labels[place], "L%04x" % place)
        self.assertEqual(texts[0], "var2 = 5")
        self.assertIn("    Wait(30)", texts)
        self.assertIn('    "lamp1".SetAttribute(health, 100)', texts)
        self.assertIn("    Goto L%04x" % loop, texts)
        self.assertIn('ACTIVATE("door")', texts)
        self.assertIn("Gosub L%04x" % sub, texts)
        self.assertEqual(texts[-2:], ["TimeOfDay = 3", "Return"])

    def test_findings_stand_under_their_statement(self):
        place = self.damage("RASC.block[DOOR].statement[6].function", struct.pack("<H", 999))
        texts = self.listed("DOOR", "bad.rgm")[3]
        under = [texts[i + 1] for i, text in enumerate(texts) if "function 999(" in text]
        self.assertEqual(len(under), 1)
        self.assertRegex(under[0], r"\A {10}error\[SOUP205 func-id\] \+0x%x\.\.0x%x: " % (place.start, place.end))
        self.assertIn("found function 999, expected a number below 367", under[0])
        self.assertEqual(len(self.listed("LAMP", "bad.rgm")[3]), 1)

    def test_what_cannot_be_read_is_one_line(self):
        self.damage("RASC.block[DOOR].statement[8].opcode", b"\xee")
        _, _, data, texts = self.listed("DOOR", "bad.rgm", code=2)  # not completely checked
        block = self.image.named("RASC.block[DOOR]")
        self.assertEqual(len(data), block.end - block.start)
        self.assertEqual([text for text in texts if "SOUP" in text], texts[-1:])
        self.assertIn("error[SOUP105 op-unknown]", texts[-1])
        self.assertEqual([text for text in texts if text.startswith("unparsed")], ["unparsed: 0xee"])

    def test_names_of_actors(self):
        by_name = self.run_cli("dump", "--script", "DOOR", "map.rgm", code=0).text.splitlines()
        by_number = self.run_cli("dump", "--script=0", "map.rgm", code=0).text.splitlines()
        self.assertEqual(by_name[1:], by_number[1:])
        self.assertEqual(len(self.run_cli("dump", "--script", "LAMP", "-", stdin=bytes(self.image.data), code=0).text.splitlines()), 3)
        self.refused("dump", "--script", "DOR", "map.rgm", saying="unknown script 'DOR'; did you mean 'DOOR'?")
        self.refused("dump", "--script", "lamp", "map.rgm", saying="unknown script 'lamp'; did you mean 'LAMP'?")
        self.refused("dump", "--script", "2", "map.rgm", saying="unknown script '2'")
        self.refused("dump", "--script", "DOOR", "--format", "json", "map.rgm", saying="only text")
        self.put("good.grxla", GOOD)
        self.refused("dump", "--script", "DOOR", "good.grxla", saying="no scripts")
        self.refused("--script", "DOOR", "map.rgm", saying="--script is not an option of 'check'")


# ---------------------------------------------------------------- output

class Output(CliTest):
    def setUp(self):
        super().setUp()
        self.put("bad.grxla", BAD)
        self.put("good.grxla", GOOD)

    def test_several_outputs(self):
        plain = {name: self.run_cli("--format", name, "bad.grxla", code=1).out for name in FORMATS}
        result = self.run_cli("bad.grxla", *["--format=%s:out/%s" % (n, n) for n in FORMATS[1:]], code=2)
        self.assertIn("out/concise: No such file or directory", result.errors)
        os.mkdir(self.path("out"))
        wishes = ["--format=%s:out/%s" % (name, name) for name in FORMATS[1:]]
        result = self.run_cli("bad.grxla", "--format", "full", *wishes, code=1)
        self.assertEqual(result.out, plain["full"])
        for name in FORMATS[1:]:
            self.assertEqual(self.get("out/" + name), plain[name])
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted(FORMATS[1:]))
        result = self.run_cli("bad.grxla", "--format=json:out/j", "--format=jsonl:-", code=1)
        self.assertEqual((result.out, self.get("out/j")), (plain["jsonl"], plain["json"]))
        result = self.run_cli("bad.grxla", "-o", "out/full", code=1)
        self.assertEqual((result.out, self.get("out/full")), (b"", plain["full"]))
        self.assertEqual(self.run_cli("bad.grxla", "-o", "-", code=1).out, plain["full"])

    def test_outputs_that_collide(self):
        os.symlink(".", self.path("here"))
        self.put("old", b"old")
        os.link(self.path("old"), self.path("hard"))
        self.refused("bad.grxla", "--format=full", "--format=json", saying="only one format")
        self.refused("bad.grxla", "--format=full:a", "--format=json", "--format=sarif:-", saying="only one format")
        self.refused("bad.grxla", "--format=full:a", "-o", "b", saying="already goes to 'a'")
        for one, two in (("a", "a"), ("a", "./a"), ("a", "here/a"), ("old", "here/old"), ("old", "hard"),
                         ("a", self.path("a"))):
            self.refused("bad.grxla", "--format=full:" + one, "--format=json:" + two, saying="two outputs")
        self.assertEqual(self.get("old"), b"old")
        self.assertFalse(os.path.exists(self.path("a")))

    def test_inputs_are_not_overwritten(self):
        os.symlink("bad.grxla", self.path("link"))
        self.put("list", b"bad.grxla\n")
        for target in ("bad.grxla", "./bad.grxla", "link"):
            self.refused(".", "-o", target, saying="input")
        self.refused("--files-from=list", "-o", "list", saying="input")
        self.put("pack.yaml", b"[]\n")
        self.run_cli("bad.grxla", "--rules=pack.yaml", "-o", "pack.yaml", code=2)
        self.assertEqual(self.get("bad.grxla"), BAD)
        self.assertEqual(self.get("list"), b"bad.grxla\n")
        self.assertEqual(self.get("pack.yaml"), b"[]\n")

    def test_targets(self):
        os.mkdir(self.path("dir"))
        self.refused("bad.grxla", "-o", "dir", saying="Is a directory")
        self.run_cli("bad.grxla", "-o", "/dev/null", code=1)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.put("old", b"x" * 100000)
        os.chmod(self.path("old"), 0o640)
        os.symlink("old", self.path("link"))
        self.run_cli("bad.grxla", "-o", "link", code=1)
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("old")).st_mode), 0o640)
        self.assertEqual(self.get("old"), self.run_cli("bad.grxla").out)
        old = os.umask(0o027)
        try:
            self.run_cli("bad.grxla", "-o", "new", code=1)
        finally:
            os.umask(old)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o640)

    def test_an_output_is_complete_or_not_there(self):
        """Writing fails half way: the old report is unchanged, and no temporary file is left."""
        self.put("bad.grxla", wrong_hashes(500))
        self.put("old.sarif", b"old")
        before = sorted(os.listdir(self.home))
        for target in ("old.sarif", "new.sarif"):
            result = self.run_cli("--all", "--format=full", "--format=sarif:" + target, "bad.grxla", code=2,
                                  restore_signals=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
            self.assertIn(target + ": File too large", result.errors)
            self.assertIn("name-hash", result.text)
        self.assertEqual(sorted(os.listdir(self.home)), before)
        self.assertEqual(self.get("old.sarif"), b"old")

    def test_a_signal_leaves_nothing_behind(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen([PROGRAM, "-", "-o", "report"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, cwd=self.home)
            for _ in range(500):
                if any(name.endswith(".tmp") for name in os.listdir(self.home)):
                    break
                time.sleep(0.01)
            self.assertTrue(any(name.endswith(".tmp") for name in os.listdir(self.home)))
            process.send_signal(number)
            process.communicate()
            self.assertEqual(process.returncode, -number)
            self.assertEqual(sorted(os.listdir(self.home)), ["bad.grxla", "good.grxla"])

    def test_full_disk(self):
        for arguments in (["bad.grxla"], ["dump", "good.grxla"], ["rules"], ["explain", "name-hash"], ["--help"],
                          ["version"], ["--format=json", "good.grxla"]):
            with open("/dev/full", "wb") as full:
                result = self.run_cli(*arguments, stdout=full, code=2)
            self.assertIn("standard output: No space left on device", result.errors)
        self.run_cli("bad.grxla", "-o", "/dev/full", code=2)
        with open("/dev/full", "wb") as full:
            self.run_cli("-q", "good.grxla", stdout=full, code=0)
            self.run_cli("bad.grxla", "--format=full", "--format=jsonl:kept", stdout=full, code=2)
        self.assertIn(b"name-hash", self.get("kept"))

    def test_closed_stdout(self):
        def close_stdout():
            os.close(1)
        before = self.get("bad.grxla")
        result = self.run_cli("bad.grxla", stdout=None, code=2, preexec_fn=close_stdout)
        self.assertIn("standard output: Bad file descriptor", result.errors)
        self.run_cli("-q", "good.grxla", stdout=None, code=0, preexec_fn=close_stdout)
        self.run_cli("bad.grxla", "-o", "report", stdout=None, code=1, preexec_fn=close_stdout)
        self.assertEqual(self.get("report"), self.run_cli("bad.grxla").out)
        self.assertEqual(self.get("bad.grxla"), before)

    def test_a_reader_that_hangs_up(self):
        for i in range(200):
            self.put("many/%03d.grxla" % i, wrong_hashes(20))
        for arguments in (["many"], ["many", "-j4", "--format=jsonl"], ["dump", "good.grxla"], ["rules"]):
            read, write = os.pipe()
            os.close(read)
            result = self.run_cli(*arguments, stdout=write, code=2)
            os.close(write)
            self.assertEqual(result.err, b"", arguments)
        read, write = os.pipe()
        os.close(read)
        result = self.run_cli("many", "--format=concise", "--format=jsonl:kept", stdout=write, code=2)
        os.close(write)
        self.assertEqual(len(self.get("kept").splitlines()), 200 * 20 + 1)

    def test_color(self):
        self.assertNotIn(b"\x1b", self.run_cli("bad.grxla").out)
        self.assertIn(b"\x1b[", self.run_cli("--color=always", "bad.grxla", env={"NO_COLOR": "1"}).out)
        self.assertNotIn(b"\x1b", self.run_cli("--color=always", "--format=jsonl", "bad.grxla").out)
        self.assertIn(b"\x1b[", self.on_terminal("bad.grxla"))
        self.assertIn(b"\x1b[", self.on_terminal("bad.grxla", env={"NO_COLOR": ""}))
        self.assertNotIn(b"\x1b", self.on_terminal("bad.grxla", env={"NO_COLOR": "1"}))
        self.assertNotIn(b"\x1b", self.on_terminal("bad.grxla", env={"TERM": "dumb"}))
        self.assertNotIn(b"\x1b", self.on_terminal("bad.grxla", "--color", "never"))
        self.on_terminal("bad.grxla", "-o", "report")
        self.assertNotIn(b"\x1b", self.get("report"))

    def test_progress_of_a_long_run(self):
        """Standard input that arrives slowly makes a long run."""
        def slowly(*arguments):
            feed = Feed(GOOD)

            def finish():
                time.sleep(1.2)
                feed.finish()
            return self.on_terminal("--stdin-name", "a-first", "-", *arguments, stdin=feed.reader, meanwhile=finish)
        text = slowly("-j1", "bad.grxla", "good.grxla")
        self.assertIn(b"\rchecked 1 file\x1b", text)
        self.assertGreater(text.rfind(b"\r\x1b[K"), text.rfind(b"\rchecked"))
        self.assertLess(text.index(b"\r\x1b[K"), text.index(b"bad.grxla"))
        self.assertNotIn(b"checked 1 file", slowly("-q", "good.grxla"))
        self.assertNotIn(b"checked 1 file", self.on_terminal("good.grxla", "bad.grxla"))


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
