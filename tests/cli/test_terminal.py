#!/usr/bin/env python3
"""Output on a terminal of a given size: lines fit, nothing is repeated, and the severest come first in 200 lines; files,
pipes and CI get everything.

usage: test_terminal.py BINARY SOURCE_DIR [unittest arguments]"""
import os
import re
import struct
import subprocess
import sys
import unicodedata
import unittest

from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest, archive, light_file, wrong_hashes

DEMO = os.path.join(SOURCE, "corpus", "demo")
BROKEN = light_file()[:-8]  # without a terminator
COLORS = re.compile(r"\x1b\[[0-9;]*m")


def columns(text):
    """Width in terminal columns, by the Unicode database."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Terminal(CliTest):
    def show(self, *arguments, width=80, height=24, env=None):
        """Output on a terminal of that size, without colours unless TERM is given."""
        return self.on_terminal(*arguments, env={"TERM": "dumb"} if env is None else env, stderr=subprocess.DEVNULL,
                                size=(height, width)).decode()

    def assert_fits(self, text, width):
        for line in text.split("\n"):
            self.assertLessEqual(columns(COLORS.sub("", line)), width, line)

    def put_equal(self, count):
        """Writes files with the same finding."""
        for i in range(count):
            self.put("room_%03d.grxla" % i, BAD)

    # ------------------------------------------------------------ width

    def test_lines_fit_and_break_between_words(self):
        words = self.run_cli("--format", "full", "--all", DEMO).text.split()
        for width in (40, 80, 120):
            for env in (None, {"TERM": "xterm"}):
                text = self.show("--all", DEMO, width=width, env=env)
                self.assertEqual("\x1b[" in text, env is not None)
                if width >= 80:
                    self.assert_fits(text, width)
                    broken = {w for w in COLORS.sub("", text).split() if w.isalpha()} - {*words, "By", "rule", "files", "findings"}
                    self.assertFalse(broken)
        first = self.show(os.path.join(DEMO, "bad-g9-exposure.grxla")).split("\n")
        self.assertIn("   = why:      The 0x28 bytes of a light area, irradiation point or inner area", first)
        self.assertIn("               are read from there. Outside the entry, they come from another", first)

    def test_the_variables_of_the_environment_count_more_than_the_terminal(self):
        wide = self.show(DEMO, width=80, env={"TERM": "dumb", "COLUMNS": "132"})
        self.assert_fits(wide, 132)
        self.assertGreater(max(map(len, wide.split("\n"))), 80)
        for odd in ("", "0", "wide"):
            self.assertEqual(self.show(DEMO, env={"TERM": "dumb", "COLUMNS": odd}), self.show(DEMO))
        self.assertEqual(self.show(DEMO, width=0, height=0), self.show(DEMO, width=80, height=24))
        self.assertEqual(self.run_cli(DEMO, env={"COLUMNS": "40"}).text, self.run_cli(DEMO).text)

    def test_what_marked_bytes_say_is_in_one_piece(self):
        text = self.show(os.path.join(DEMO, "bad-g3-path-edited.grxla"))
        self.assertRegex(text, r"\n   \| +\^{23}\n   \| +u64 LE = 0x00000e5217182150\n")
        self.assertIn("^ u64 LE = 0x00000e5217182150", self.show(os.path.join(DEMO, "bad-g3-path-edited.grxla"), width=100))

    def test_rows_of_bytes_are_not_split(self):
        self.put("large.grxla", wrong_hashes(900))
        for width, row in ((120, 16), (80, 16), (60, 8), (48, 8)):
            text = self.show("--all", "large.grxla", width=width)
            self.assertRegex(text, r"(?m)^   \| (0x)?[0-9a-f]{6}  " + "([0-9a-f]{2} {1,2}){%d}" % row + " *[^ ]+$")
            self.assert_fits(text, width)

    def test_wide_characters_take_two_columns(self):
        name = "照明" * 30 + ".grxla"
        self.put(name, BAD)
        lines = self.show(name, width=132).split("\n")
        self.assertIn("  --> " + name, lines)
        self.assertTrue(lines[lines.index("  --> " + name) + 1].startswith("      +0x"))
        self.put("e" + "\u0301" * 60 + ".grxla", BAD)  # combining characters take no column
        self.assertIn(".grxla +0x", self.show("e" + "\u0301" * 60 + ".grxla"))

    def test_dumps_fit_a_narrow_terminal_alone(self):
        for name in ("good-map.rgm", "good-mp3-lzo.mrea", "good-point-tpp.grxla"):
            file = os.path.join(DEMO, name)
            text = self.show("dump", file)
            self.assert_fits(text, 80)
            plain = self.run_cli("dump", file).text
            self.assertGreater(max(map(len, plain.split("\n"))), 100)
            self.assertEqual(re.findall(r"(?m)^0x\w+ +\d+", text), re.findall(r"(?m)^0x\w+ +\d+", plain))
        self.assertEqual(self.show("dump", file, width=400), self.run_cli("dump", file).text)
        with open(os.path.join(DEMO, "good-map.rgm"), "rb") as file:
            self.put("map.rgm", file.read())
        listing = ("dump", "--script", "GOLEM", "map.rgm")
        self.assert_fits(self.show(*listing, width=40), 40)
        self.assertEqual(self.show(*listing), self.run_cli(*listing).text)

    def test_help_breaks_between_words(self):
        for arguments in (["--help"], ["dump", "--help"]):
            for width in (80, 60):
                text = self.show(*arguments, width=width)
                self.assert_fits(text, width)
                self.assertEqual(text.split(), self.run_cli(*arguments).text.split())
            self.assertEqual(self.show(*arguments, width=200), self.run_cli(*arguments).text)

    def test_lists_break_between_words_below_their_last_column(self):
        for arguments in (["rules"], ["fields"], ["explain", "GRX220"]):
            text = self.show(*arguments)
            self.assert_fits(text, 80)
            self.assertEqual("".join(text.split()), "".join(self.run_cli(*arguments).text.split()))
            self.assertEqual(self.show(*arguments, width=300), self.run_cli(*arguments).text)
        self.assertRegex(self.show("rules"), r"\nGRX010   error    grx-magic +The first four bytes are\n {51}neither FGxL nor FGxO.\n")
        self.assertEqual(self.show("rules", "--format", "json"), self.run_cli("rules", "--format", "json").text)

    # ------------------------------------------------------------ amount

    def test_what_a_rule_always_says_is_said_once(self):
        for name in ("a", "b"):
            self.put(name + ".grxla", wrong_hashes(2) if name == "a" else wrong_hashes(3)[:-8])
        text = self.show("--all", ".", height=400)
        self.assertEqual(text.count("warning[GRX265"), 5)
        self.assertEqual(text.count("= why:      Where lights are referenced"), 1)
        self.assertEqual(text.count("lightlint explain GRX265"), 1)
        self.assertEqual(text.count("= help:     Write the hash"), 1)
        self.assertEqual(self.run_cli("--format", "full", "--all", ".").text.count("= why:      Where lights are referenced"), 5)

    def test_findings_of_one_kind_are_folded_over_files(self):
        self.put_equal(109)
        text = self.show(".")
        self.assertEqual(text.count("warning[GRX265 name-hash]: "), 1)
        self.assertEqual(re.findall(r"(?m)^  --> (\S+) \+0x5c(?:\.\.0x64| entry\[1\]\.name_hash: found stored hash 0x)", text),
                         ["room_%03d.grxla" % i for i in range(5)])
        self.assertIn("\n      and in 104 more files (--all shows each)\n\n", text)
        self.assertIn("109 files checked, 109 with findings", text)
        self.assertLess(text.count("\n"), 35)
        every = self.show("--all", ".")
        self.assertEqual(every.count("warning[GRX265 name-hash]: "), 109)
        self.assertEqual(re.findall(r"(?m)^  --> (\S+)", every), ["room_%03d.grxla" % i for i in range(109)])
        self.assertNotIn("more file", every)
        self.assertEqual(self.run_cli("--format", "full", ".").text.count("warning[GRX265 name-hash]: "), 109)

    def test_members_of_one_archive_are_one_file(self):
        self.put("a.fpk", archive([("/Assets/room_%d.grxla" % i, BAD) for i in range(8)]))
        self.assertIn("\n      and 3 more (--all shows each)\n", self.show("--select", "name-hash", "a.fpk"))
        self.put("b.fpk", archive([("/Assets/room_%d.grxla" % i, BAD) for i in range(8)]))
        self.assertIn("\n      and in 1 more file (--all shows each)\n", self.show("--select", "name-hash", "a.fpk", "b.fpk"))

    def test_other_evidence_is_another_entry_but_of_notes(self):
        self.put("hash.grxla", BAD)
        self.put("hash_too.grxla", wrong_hashes(2))
        self.put("other.grxla", BROKEN)
        self.put("name.grxla", wrong_hashes(1).replace(b"LP_0000", b"LP_0009"))
        headings = r"(?m)^(?:error|warning|note)\[(\w+) "
        text = self.show("-v", ".", "--severity", "terminator-missing=note")
        self.assertEqual(re.findall(headings, text), ["GRX265", "GRX265", "GRX140"])
        self.assertIn("\n  --> hash_too.grxla +0x5c entry[1].name_hash (2 times in this file): found s...\n", text)
        text = self.show(".", "--severity", "name-hash=note")
        self.assertEqual(re.findall(headings, text), ["GRX140", "GRX265"])
        self.assertRegex(text, r"\n  --> hash_too\.grxla \+0x5c [^\n]*\n  --> name\.grxla \+0x\w+ [^\n]*\n\n")

    def test_a_line_for_a_place_is_cut_behind_the_name(self):
        deep = "/".join(["the long name of a folder"] * 4)
        self.put("a.grxla", BAD)
        self.put(deep + "/b.grxla", BAD)
        self.assertIn("\n  --> %s/b.grxla +0x5c\n\n" % deep, self.show("."))
        self.assertRegex(self.show(".", width=180), r"b\.grxla \+0x5c entry\[1\]\.name_hash: found [^\n]{,60}\.\.\.\n\n")

    def test_order(self):
        """By severity, then what explains others, then by rule; findings of one kind by file."""
        names = ("odd-name-absent", "bad-spot-umbra-order", "bad-rasb-total", "bad-occ-w", "bad-layer-count", "bad-tail-range")
        files = [name for name in sorted(os.listdir(DEMO)) if name.rsplit(".", 1)[0] in names]
        text = self.show(*(os.path.join(DEMO, name) for name in files), width=160)
        self.assertEqual(re.findall(r"(?m)^(\w+)\[(\w+) ", text),
                         [("error", "MREA040"), ("error", "GRX405"), ("error", "RGM235"), ("warning", "GRX610"), ("warning", "GRX825"),
                          ("note", "GRX290")])
        self.assertEqual(re.findall(r"(?m)^   = (explains|more): ", text), ["explains"] + ["more"] * 6)
        self.assertEqual(self.show(*(os.path.join(DEMO, name) for name in reversed(files)), width=160), text)
        self.assertNotIn("do not fit", text)
        self.assertRegex(text, r"\n6 files checked, 6 with findings: [^\n]*\n[^\n]*\n$")

    # ------------------------------------------------------------ 200 lines

    def found(self, *arguments):
        """Numbers of errors, warnings and notes, each finding a line."""
        lines = self.run_cli("--format", "concise", *arguments).text
        return [len(re.findall(r"(?m): %s\[" % severity, lines)) for severity in ("error", "warning", "note")]

    def shown(self, text):
        """The findings that a terminal shows, up to the line about those that do not fit."""
        counts = {"error": 0, "warning": 0, "note": 0}
        for entry in re.split(r"\n(?=(?:error|warning|note)\[)", re.split(r"\n\d+ errors?, ", text)[0]):
            severity = entry.split("[")[0]
            counts[severity] += entry.count("  --> ")
            counts[severity] += sum(int(n) for n in re.findall(r"   = and (\d+) more at", entry))
        return list(counts.values())

    def test_a_run_is_at_most_200_lines(self):
        for width, height in ((100, 24), (160, 24), (160, 300), (60, 10)):
            text = self.show(DEMO, width=width, height=height)
            self.assertLessEqual(text.count("\n"), 200)
            self.assertGreater(text.count("\n"), 150)
            flat = re.sub(r"\n +", " ", text)
            left = [int(n) for n in re.search(r"\n(\d+) errors?, (\d+) warnings?, (\d+) notes? do not fit into 200 lines, \d+ more are not shown "
                                              r"\(--all shows each, --format concise a line for each\)\n\nBy rule", flat).groups()]
            shown = self.shown(text)
            self.assertEqual([a + b for a, b in zip(shown, left)], self.found(DEMO))
            self.assertFalse(shown[1] and left[0] or shown[2] and left[1])  # the severest are shown
            self.assertRegex(text, r"\n\d+ files checked, ")
            self.assertEqual(text.count("not shown"), 1)
        for every in (self.show("--all", DEMO), self.run_cli("--format", "full", DEMO).text):
            self.assertNotIn("do not fit into 200", every)
            self.assertGreater(every.count("\n"), 300)

    def test_what_comes_last_is_shown_first_if_it_is_severe(self):
        first = self.show(DEMO, "--severity", "all=note")
        self.assertTrue(first.startswith("note["), first[:100])
        text = self.show(DEMO, self.put("z.grxla", BAD), "--severity", "all=note", "--severity", "name-hash=error")
        self.assertRegex(text, r"^error\[GRX265 name-hash\][^\n]*\n[^\n]*bad-name-hash[^$]*\nerror\[GRX265 name-hash\][^\n]*\n  --> z\.grxla ")
        self.assertLessEqual(text.count("\n"), 200)

    def test_clean_files_come_last(self):
        for i in range(300):
            self.put("room_%03d.grxla" % i, GOOD)
        self.put("z.grxla", BAD)
        text = self.show("-v", ".")
        self.assertEqual(text.count("\n"), 200)
        self.assertTrue(text.startswith("warning[GRX265 "))
        left = 300 - text.count(": clean (")
        self.assertIn("\n0 errors, 0 warnings, 0 notes, %d clean files do not fit into 200 lines" % left, text)
        self.assertIn("\nroom_000.grxla: clean (", text)
        self.assertEqual(self.show("-v", "--all", ".").count(": clean ("), 300)

    def test_the_log_of_a_job_has_everything(self):
        self.assertEqual(self.show(DEMO, env={"TERM": "dumb", "CI": "true"}), self.run_cli("--format", "full", DEMO).text)
        self.assertEqual(self.show(DEMO, env={"TERM": "dumb", "CI": "0"}), self.show(DEMO))

    def test_a_table_by_rule_ends_what_is_longer_than_a_screen(self):
        self.put("a.grxla", BAD)
        self.put("b.grxla", BROKEN)
        self.assertIn("\nBy rule\n  findings  files  rule\n         1      1  error[GRX140 terminator-missing]\n", self.show("."))
        self.assertNotIn("By rule", self.show(".", height=100))
        self.assertIn("By rule", self.show(".", height=100, env={"TERM": "dumb", "LINES": "10"}))
        self.assertNotIn("By rule", self.run_cli(".").text)
        table = self.show(DEMO).split("By rule\n")[1].split("\n\n")[0].split("\n")
        self.assertEqual(len(table), 18)
        short = self.show(DEMO, height=18).split("By rule\n")[1].split("\n\n")[0].split("\n")
        self.assertEqual(short, [*table[:11], "      and 7 more (--statistics shows all)"])

    def test_any_number_of_threads_shows_the_same(self):
        for i in range(60):
            self.put("room_%03d.grxla" % i, (BAD, BROKEN, GOOD, wrong_hashes(3))[i % 4])
        self.assertEqual(self.show("-j", "1", "-v", "."), self.show("-j", "4", "-v", "."))

    # ------------------------------------------------------------ contents of findings

    def test_files_with_lines_are_shown_by_line(self):
        self.put("good.grxla", GOOD)
        self.put(".lightlint-ignore.yaml", "suppress:\n  - rule: name-hash\n    file: good.grxla\n    reason: ünd so on and so forth\n".encode())
        place = ".lightlint-ignore.yaml:2:5"
        text = self.run_cli(".").text
        self.assertIn("  --> %s\n" % place, text)
        self.assertIn("   |  2    - rule: name-hash\n   |         ^^^^^^^^^^^^^^^\n", text)
        self.assertIn("   |  4      reason: ünd so on and so forth\n   |         %s\n" % ("^" * 30), text)
        self.assertNotRegex(text, r"\+0x|0x0000")
        self.assertIn("\n%s: warning[LL008 " % place, "\n" + self.run_cli("--format", "concise", ".").text)
        self.assertIn("`2:5`", self.run_cli("--format", "markdown", ".").text)
        self.assert_fits(self.show(".", width=30), 30)

    def test_a_record_goes_by_its_kind(self):
        data = bytearray(GOOD)
        at = data.index(b"EP00")
        data[at + 4:at + 8] = struct.pack("<I", 0x7FFF)
        self.put("a.grxla", bytes(data))
        found = self.run_cli("--format", "jsonl", "a.grxla").findings()
        self.assertTrue(found)
        self.assertIn("grx.probe", [f.get("record") for f in found])
        self.assertNotIn("unknown_entry", self.run_cli("--format", "jsonl", "a.grxla").text)
        self.assertIn("entry[1].entry_size  of EP00, grx.probe\n", self.run_cli("a.grxla").text)
        self.assertIn(" entry[1].entry_size of EP00: ", self.run_cli("--format", "concise", "a.grxla").text)

    def test_every_file_counts_once(self):
        self.put("a.grxla", GOOD)
        self.assertIn("\n0 files checked, 1 not checked or not in full, 1 with findings: 1 error,", self.run_cli("gone.grxla", code=2).text)
        self.assertIn("\n1 file checked, 1 not checked or not in full, 1 with findings: ", self.run_cli("a.grxla", "gone.grxla", code=2).text)


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
