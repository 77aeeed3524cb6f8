#!/usr/bin/env python3
"""An unread file is never clean: whatever rules are selected, an error names it, the summary counts it, and dump says
why.

    test_unread.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import sys
import unittest
from collections import Counter

from cli_test import GOOD, PROGRAM, SOURCE, CliTest, is_sanitized, light_file
from recipe import Corpus  # found by cli_test

CUT = GOOD[:-40]  # ends in the last entry
SHORT = b'{"lights": [1]}'
CORPUS = Corpus(f"{SOURCE}/corpus")


def case(name):
    return bytes(CORPUS.assemble(CORPUS.recipes[name]).data)


class Unread(CliTest):
    def setUp(self):
        super().setUp()
        self.put("cut.grxla", CUT)
        self.put("good.grxla", GOOD)
        self.put("console.grxla", case("bad-grx-byte-order"))
        self.put("dkcr.mrea", case("odd-dkcr"))
        self.put("dl00.grxla", case("unsupported-dl00"))

    def said(self, *arguments, code):
        """Names of the findings, and the summary."""
        items = [json.loads(line) for line in self.run_cli("--format", "jsonl", *arguments, code=code).text.splitlines()]
        self.assertEqual(items[-1]["exit_code"], code)
        return [item["name"] for item in items[:-1]], items[-1]

    # ------------------------------------------------------------ the rule

    def test_nothing_selected_hides_it(self):
        for name, data in (("other.grxla", b"\x7fELG\x02\x01\x01" + bytes(200)), ("short.grxla", SHORT[:9] + b"\1"), ("short.mrea", SHORT[:9] + b"\1"),
                           ("cut.grxla", CUT), ("empty.grxla", b""), ("version.mrea", case("bad-version-unknown")),
                           ("lights.lights", case("good-lights")[:-70]), ("map.rgm", case("good-min")[:-200]),
                           ("cut-before-end.grxla", GOOD[:-8])):
            self.put(name, data)
            for arguments in (["--select", "name-hash"], ["--select", "tag:value"], ["--ignore", "all"]):
                names, summary = self.said(*arguments, name, code=2)
                said = "foreign-file" if name == "other.grxla" else "unread"
                self.assertEqual((said in names, summary["unchecked"], summary["errors"] > 0), (True, 1, True), (name, arguments))
                self.assertNotIn("no findings", self.run_cli(*arguments, name, code=2).text)

    def test_it_is_silent_where_another_rule_speaks(self):
        names, summary = self.said("cut.grxla", code=2)
        self.assertEqual((names, summary["unchecked"]), (["entry-size-overrun"], 1))
        self.assertEqual(self.said("--select", "entry-size-overrun", "cut.grxla", code=2)[0], ["entry-size-overrun"])
        self.assertEqual(self.said("--severity", "entry-size-overrun=note", "cut.grxla", code=2)[0], ["entry-size-overrun"])

    def test_a_configuration_hides_it_neither(self):
        for text in (b"ignore: [entry-size-overrun]\n", b"select: ['tag:value']\n", b"severity: {entry-size-overrun: off}\n"):
            self.put(".lightlint.yaml", text)
            self.assertEqual(self.said("cut.grxla", code=2)[0], ["unread"], text)
            self.assertEqual(self.said("good.grxla", code=0)[1]["unchecked"], 0)
        self.put(".lightlint.yaml", b"ignore: [unread]\n")
        self.assertIn("locked", self.run_cli("cut.grxla", code=2).errors)

    def test_a_text_that_is_called_like_a_map(self):
        """A file without any section has nothing that rules can check; it must not be clean."""
        self.put("a.rgm", SHORT)
        self.assertEqual(self.said("a.rgm", code=2)[0], ["foreign-file"])
        self.assertEqual(self.said("--select", "name-hash", "a.rgm", code=2)[0], ["foreign-file"])

    # ------------------------------------------------------------ marks

    def test_a_suppression_may_mark_it_and_the_summary_counts(self):
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: cut.grxla, rule: unread, reason: kept as a test}\n")
        for arguments in ([], ["-q"]):
            result = self.run_cli("--ignore", "entry-size-overrun", *arguments, "cut.grxla", code=2)
            self.assertIn("0 files checked, 1 not checked or not in full, no findings, 1 suppressed.", result.text)
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: cut.grxla, rule: entry-size-overrun, reason: kept as a test}\n")
        self.assertEqual(self.said("cut.grxla", code=2)[1]["unchecked"], 1)

    def test_a_baseline_may_hold_it_and_the_summary_counts(self):
        self.put(".lightlint.yaml", b"ignore: [entry-size-overrun]\nbaseline: base.jsonl\n")
        self.run_cli("baseline", "create", "cut.grxla", code=2)
        self.assertIn(b"LL011", self.get("base.jsonl"))
        names, summary = self.said("cut.grxla", code=2)
        self.assertEqual((names, summary["baselined"], summary["unchecked"]), ([], 1, 1))

    # ------------------------------------------------------------ dump

    def test_dump_says_why(self):
        for name, words in (("cut.grxla", "not read in full: GRX115 entry-size-overrun"), ("console.grxla", "GRX015 grx-byte-order"),
                            ("dkcr.mrea", "MREA415 version-lights-undocumented"), ("dl00.grxla", "not checked in full")):
            result = self.run_cli("dump", name, code=2)
            self.assertTrue(result.out)
            self.assertIn(f"lightlint: {name}: ", result.errors)
            self.assertIn(words, result.errors)
        self.put(".lightlint.yaml", b"ignore: [entry-size-overrun]\n")
        self.assertIn("because of entry-size-overrun", self.run_cli("dump", "--format", "json", "cut.grxla", code=2).errors)
        self.assertEqual(self.run_cli("dump", "good.grxla", code=0).errors, "")

    # ------------------------------------------------------------ what cannot be checked

    def test_what_cannot_be_checked_is_exit_code_2(self):
        for name in ("console.grxla", "dkcr.mrea", "dl00.grxla"):
            self.assertEqual(self.said(name, code=2)[1]["unchecked"], 1)
            self.assertEqual(self.said("--fail-on", "never", name, code=2)[1]["unchecked"], 1)

    def test_it_may_be_allowed_and_is_counted(self):
        self.assertEqual(self.said("--unsupported", "allow", "dkcr.mrea", code=0)[1]["partly"], 1)
        self.assertIn("1 file checked, 1 in part, which is allowed", self.run_cli("--unsupported", "allow", "dkcr.mrea", code=0).text)
        self.assertEqual(self.said("--unsupported", "allow", "console.grxla", code=1)[0], ["grx-byte-order"])
        self.assertEqual(self.said("--unsupported=allow", "--select", "name-hash", "console.grxla", "dkcr.mrea", code=0)[0], [])
        self.put(".lightlint.yaml", b"overrides:\n  - {files: '*.mrea', unsupported: allow}\n")
        self.said("dkcr.mrea", code=0)
        self.said("dl00.grxla", code=2)
        self.said("--unsupported", "refuse", "dkcr.mrea", code=2)
        self.assertIn("unsupported: allow  # .lightlint.yaml:2, override", self.run_cli("config", "show", "dkcr.mrea", code=0).text)
        self.put(".lightlint.yaml", b"unsupported: perhaps\n")
        self.assertIn("no such value: 'perhaps'", self.run_cli("dkcr.mrea", code=2).errors)
        self.assertIn("--unsupported: no such value", self.run_cli("--isolated", "--unsupported", "maybe", "dkcr.mrea", code=2).errors)

    def test_sarif_does_not_say_that_everything_was_checked(self):
        for form in ("sarif", "sarif-github"):
            for names, says in ((["dkcr.mrea"], "1 file checked in part, which is allowed; no finding at or above the fail level."),
                                (["good.grxla"], "Everything was checked; no finding at or above the fail level.")):
                log = json.loads(self.run_cli("--format", form, "--unsupported", "allow", *names, code=0).text)
                self.assertEqual(log["runs"][0]["invocations"][0]["exitCodeDescription"], says)

    def test_other_commands_go_by_it_too(self):
        for arguments in (["sweep"], ["census"]):
            self.run_cli(*arguments, "dkcr.mrea", code=2)
            self.run_cli(*arguments, "--unsupported", "allow", "dkcr.mrea", code=0)

    # ------------------------------------------------------------ archives that are not opened

    def archives(self):
        self.put("only/mod.mgsv", b"PK\3\4" + bytes(26) + b"metadata.xml")
        self.put("only/data/00.DAT", b"SQAR" + bytes(28))

    def test_a_folder_of_archives_that_are_not_opened(self):
        self.archives()
        found, summary = self.said("only", code=2)
        self.assertEqual((found, summary["unchecked"], summary["errors"]), (["archive-unread"] * 2, 2, 0))
        self.assertEqual(self.said("--fail-on", "never", "only", code=2)[1]["unchecked"], 2)
        self.assertEqual(self.said("--unsupported", "allow", "only", code=0)[1]["partly"], 2)
        self.assertEqual(self.said("--unsupported", "allow", "--select", "name-hash", "only", code=0)[0], [])
        self.assertEqual(self.said("--select", "name-hash", "only", code=2)[0], ["unread"] * 2)
        self.assertIn("no finding at or above the fail level", self.run_cli("--format", "sarif", "--unsupported", "allow", "only", code=0).text)
        self.assertEqual(self.said("--exclude", "*.mgsv", "--exclude", "*.DAT", "only", code=0)[0], [])
        for name in ("only/mod.mgsv", "only/data/00.DAT"):
            self.assertEqual(self.said(name, code=2)[0], ["archive-unread"])
        for arguments in (["sweep"], ["census"], ["fix"]):
            self.run_cli(*arguments, "only", code=2)

    def test_the_name_of_a_mod_tells_whatever_is_in_it(self):
        for data, name in ((b"PK\3\4" + bytes(60), "archive-unread"), (b"PK\5\6" + bytes(18), "archive-unread"), (b"<!doctype html><html>", "foreign-file"), (b"", "empty"),
                           (b"\1\2\3\4", "unknown-format")):
            self.put("mods/cut.mgsv", data)
            self.assertEqual(self.said("mods", code=2)[0], [name])

    def test_files_of_other_programs_are_no_noise(self):
        self.put("mod/good.grxla", GOOD)
        for name, data in (("a.dat", b"SQA"), ("b.dat", b""), ("c.dat", b"\1\2\3\4"), ("d.data", b"SQAR"), (".e.dat", b"SQAR"), ("f.mgsv.txt", b"PK\3\4"), ("g.zip", b"PK\3\4")):
            self.put(f"mod/{name}", data)
            self.put(f"mod/x_fpk/{name}", data)
        os.mkfifo(self.path("mod/pipe.dat"))
        os.symlink("nowhere", self.path("mod/link.dat"))
        self.put("b.dat", b"\1\2\3\4")
        os.symlink("../b.dat", self.path("mod/out.dat"))
        for arguments, counted in (([], "1 file and 1 package"), (["--no-cross"], "1 file")):
            result = self.run_cli(*arguments, "mod", code=0)
            self.assertEqual((result.errors, result.text), ("", f"{counted} checked, no findings.\n"))

    def test_an_archive_in_an_archive(self):
        self.put("mod/a.fpk", case("odd-archive-unread-nested"))
        lines = [json.loads(line) for line in self.run_cli("--format", "jsonl", "mod", code=2).text.splitlines()]
        found, = [line for line in lines if line.get("name") == "archive-unread"]
        self.assertEqual((found["found"], lines[-1]["unchecked"]), ('an archive in an archive: "/Assets/tpp/b.fpk"', 1))
        self.run_cli("--unsupported", "allow", "mod", code=0)

    def test_junit_calls_an_error_what_is_exit_code_2(self):
        self.assertIn('errors="1"', self.run_cli("--format", "junit", "dkcr.mrea", code=2).text)
        self.assertIn('failures="0" errors="1"', self.run_cli("--format", "junit", "cut.grxla", code=2).text)
        self.put("bad.grxla", case("bad-name-hash"))
        self.assertIn('failures="1" errors="0"', self.run_cli("--format", "junit", "bad.grxla", code=1).text)


class Patterns(CliTest):
    """Patterns of user rules that exceed the limit of steps."""

    def pack(self, *patterns):
        rows = ("- {id: YARD%03d, name: yard-%d, severity: warning, tags: [name], on: grx.name, field: text, check: regex, value: '%s', "
                "title: T., why: W., fix: F.}\n" % (i, i, pattern) for i, pattern in enumerate(patterns))
        return self.put("yard.yaml", "".join(rows).encode())

    def lint(self, *arguments, code):
        result = self.run_cli("--isolated", "-j1", "--all", "--format", "jsonl", "--rules", "yard.yaml", *arguments, code=code)
        return Counter(line["rule"] for line in result.findings()), result.lines()[-1]

    def test_what_is_not_decided_is_no_finding_of_the_rule_and_never_clean(self):
        self.pack("^(a+)+(a+)+(a+)+[bc]")
        self.put("a.grxla", light_file([b"a" * 40]))
        for more in ([], ["--select", "YARD"], ["--ignore", "LL", "--fail-on", "never"]):
            found, summary = self.lint(*more, "a.grxla", code=2)
            self.assertEqual((found, summary["unchecked"]), ({"LL012": 1}, 1))
        self.refused("--isolated", "--rules", "yard.yaml", "--severity", "undecided=note", "a.grxla", saying="locked")
        self.put("b.grxla", light_file([b"aaab"]))
        self.assertEqual(self.lint("b.grxla", code=0)[0], {})

    def test_a_guard_that_is_not_decided_guards(self):
        self.put("yard.yaml", b"- {id: YARD000, name: yard-0, severity: warning, tags: [name], on: grx.name, field: text, check: regex, "
                 b"value: '^b', when: {field: text, check: regex, value: '^(a+)+(a+)+(a+)+[bc]'}, title: T., why: W., fix: F.}\n")
        self.put("a.grxla", light_file([b"a" * 40]))
        self.assertEqual(self.lint("a.grxla", code=2)[0], {"LL012": 1})

    def test_steps_are_limited_in_a_file(self):
        """900 patterns, 100 names: took 7.5 s when only single matches were limited."""
        self.pack(*("^(a+)+(a+)+(a+)+%d" % (i % 10) for i in range(900)), "^b", "^a")
        self.put("a.grxla", light_file([b"a" * 60 + b"!0123456789.%d" % i for i in range(100)]))
        for name in "bcdef":
            self.put(name + ".grxla", self.get("a.grxla"))
        start = os.times()
        found, summary = self.lint("--max-per-file", "3", ".", code=2)
        seconds = sum(os.times()[2:4]) - sum(start[2:4])
        self.assertEqual((found["LL012"], summary["unchecked"]), (6, 6))
        self.assertLess(seconds / 6, .5 * (20 if is_sanitized() else 1))


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
