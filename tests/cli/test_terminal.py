#!/usr/bin/env python3
"""Output on a terminal of a given size: lines fit, nothing is repeated; files and pipes get everything.

usage: test_terminal.py BINARY SOURCE_DIR [unittest arguments]"""
import os
import re
import struct
import subprocess
import sys
import unicodedata
import unittest

from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest, light_file, wrong_hashes

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

    def test_equal_findings_are_folded_over_files(self):
        self.put_equal(109)
        text = self.show(".")
        self.assertEqual(text.count("warning[GRX265 name-hash]: "), 1)
        self.assertIn("\n  warning[GRX265 name-hash] in room_000.grxla, and in 108 more files\n", text)
        self.assertIn("109 files checked, 109 with findings", text)
        self.assertLess(text.count("\n"), 30)
        every = self.show("--all", ".")
        self.assertEqual(every.count("warning[GRX265 name-hash]: "), 109)
        self.assertNotIn("more file", every)
        self.assertEqual(self.run_cli("--format", "full", ".").text.count("warning[GRX265 name-hash]: "), 109)

    def test_the_list_of_equal_findings_has_an_end(self):
        for i in range(42):
            data = bytearray(light_file([b"LP_%04d" % (i // 2)]))
            data[data.index(b"EP00") + 8] ^= 1  # the hash of the name
            self.put("room_%02d.grxla" % i, bytes(data))
        text = self.show(".")
        self.assertEqual(text.count("warning[GRX265 name-hash]: "), 21)
        self.assertEqual(text.count(", and in 1 more file\n"), 20)
        self.assertIn("\n  and 1 more such finding\n", text)

    def test_findings_that_differ_are_all_shown(self):
        for i in range(5):
            self.put("room_%d.grxla" % i, light_file([b"LP_%04d" % i])[:-8])  # equal ends of files
            self.put("name_%d.grxla" % i, BAD if i else wrong_hashes(2))
        text = self.show(".", "--severity", "name-hash=error")
        self.assertEqual(text.count("error[GRX265 name-hash]: "), 1)
        self.assertIn("room_0.grxla", text)
        self.assertIn("and in 4 more files", text)
        self.put("name_3.grxla", wrong_hashes(1).replace(b"LP_0000", b"LP_0009"))
        self.assertEqual(self.show(".").count("warning[GRX265 name-hash]: "), 2)

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
        self.assertEqual(short, [*table[:11], "  and 7 more (--statistics shows all)"])

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
