#!/usr/bin/env python3
"""What the program says, and to whom: words of files that must not become commands of a terminal or of a CI runner, help, versions,
colour, links, lists of rules and fields, limits, timing.

usage: test_words.py BINARY SOURCE_DIR [unittest arguments]"""
import os
import re
import sys
import unittest

from cli_test import BAD, CliTest, light_file, padded, wrong_hashes


# ---------------------------------------------------------------- runners of CI jobs, terminals

COMMANDS = [b"::error file=a::b", b"::stop-commands::x", b"##[error]x", b"a ##vso[task.complete result=Failed]", b" ::add-mask::***"]
MARKS = "\x85\x7f\u061c\u200e\u202e\u2028\u2066"


class Runners(CliTest):
    """Names of files and strings in them do not reach a log as commands: GitHub's runner takes a line that begins with "::", behind
    spaces too, and "##[" wherever it stands; that of Azure "##vso[" as well."""

    def setUp(self):
        super().setUp()
        self.names = []
        for i, command in enumerate(COMMANDS):
            data = bytearray(light_file([command]))
            at = data.index(padded(command)) - 0x58
            data[at - 8] ^= 1  # its hash
            self.names.append(self.put(command.decode() + ".grxla", bytes(data)))
        self.put("ascii.grxla", light_file([b"##[x]" * 3])[:-8])

    def assert_silent(self, text):
        for line in re.split(r"[\r\n]", text):
            self.assertNotRegex(line, r"##[\[\w]")
            self.assertFalse(line.lstrip().startswith("::"), line)

    def test_no_format_speaks(self):
        found = 0
        for name in ("full", "concise", "markdown", "statistics", "json", "jsonl", "sarif", "sarif-github", "gitlab", "junit", "sweep"):
            for more in ([], ["--all"], ["-v"]):
                with self.subTest(name, more=more):
                    result = self.run_cli("--format", name, *more, ".")
                    self.assert_silent(result.text + "\n" + result.errors)
                    found += "stop-commands" in result.text
        self.assertGreater(found, 20)

    def test_github_has_its_own_commands_and_no_others(self):
        for line in self.run_cli("--format", "github", ".").text.splitlines():
            self.assertRegex(line, r"^::(error|warning|notice) (file|title)=|^[^:#]*[^:]:[^:]|^\d+ files? checked")

    def test_other_commands_do_not_speak(self):
        for name in self.names:
            path = "./" + name
            for arguments in (["dump", path], ["dump", "--format", "json", path], ["census", path], ["config", "show", path],
                              ["baseline", "create", "-o", "b.jsonl", path]):
                result = self.run_cli(*arguments)
                self.assert_silent(result.text + "\n" + result.errors)
        self.assert_silent(self.get("b.jsonl").decode())
        self.assert_silent(self.run_cli("##[error]y.grxla", code=2).errors)

    def test_packs_with_commands_are_refused(self):
        pack = ("- id: MINE001\n  name: mine\n  severity: note\n  tags: [value]\n  on: grx.probe\n  field: priority\n"
                "  check: range\n  value: '>= 100'\n  title: \"Priority %s.\"\n  why: W.\n  fix: F.\n")
        for word, refused in (("##[error]x", True), ("::error::x", True), ("a::b", False), ("#1", False)):
            self.put("mine.yaml", (pack % word).encode())
            result = self.run_cli("rules", "--rules", "mine.yaml", code=2 if refused else 0)
            self.assertEqual("takes for a command" in result.errors, refused, word)
            self.assert_silent(result.errors)

    def test_json_is_what_it_was(self):
        files = {line["file"] for line in self.run_cli("--format", "jsonl", ".").findings()}
        self.assertLessEqual(set(self.names), {os.path.normpath(file) for file in files})

    def test_marks_are_escapes_in_every_json(self):
        name = self.put("a%sb.grxla" % MARKS, BAD)
        self.put("c.grxla", wrong_hashes()[:-4] + MARKS.encode())
        unsafe = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
        for format in ("json", "jsonl", "sarif", "sarif-github", "gitlab", "sweep"):
            text = self.run_cli("--format", format, ".").text
            self.assertIsNone(unsafe.search(text), format)
            self.assertIn("\\u202e" if "sarif" not in format else "%E2%80%AE", text)
        for arguments in (["dump", "--format", "json", name], ["census", "--format", "json", "."]):
            self.assertIsNone(unsafe.search(self.run_cli(*arguments).text), arguments)
        for format in ("full", "concise", "markdown", "junit", "github"):
            self.assertIsNone(unsafe.search(self.run_cli("--format", format, ".").text), format)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
