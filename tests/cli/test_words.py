#!/usr/bin/env python3
"""Messages and their safety: names in files must not become commands of a terminal or CI runner; help, versions,
colour, links, lists of rules and fields, limits, timing.

usage: test_words.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import re
import struct
import subprocess
import sys
import unittest

from cli_test import BAD, PROGRAM, SOURCE, CliTest, is_sanitized, light_file, wrong_hashes


# ---------------------------------------------------------------- CI runners, terminals

COMMANDS = [b"::error file=a::b", b"::stop-commands::x", b"##[error]x", b"a ##vso[task.complete result=Failed]", b" ::add-mask::***"]
MARKS = "\x85\x7f\u061c\u200e\u202e\u2028\u2066"


class Runners(CliTest):
    """Names of files, and strings in them, do not reach a log as commands. GitHub's runner takes lines that begin
    with "::", also after blanks, and "##[" anywhere in a line; that of Azure also "##vso["."""

    def setUp(self):
        super().setUp()
        self.names = []
        for i, command in enumerate(COMMANDS):
            data = bytearray(light_file([command]))
            at = data.index(command + b"\0") - 0x58
            data[at - 8] ^= 1  # the hash of the name
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
            self.assertEqual("interpret as a command" in result.errors, refused, word)
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


# ---------------------------------------------------------------- arguments, lists

class Lists(CliTest):
    def test_capitals_make_no_difference(self):
        self.put("bad.grxla", BAD)
        want = self.run_cli("--format", "concise", "--select", "GRX265", "bad.grxla", code=1).out
        self.assertIn(b"name-hash", want)
        for selector in ("grx265", "Grx26", "NAME-hash", "grx/Name-Hash", "GRX/name-hash", "Name-h*", "grx2?5"):
            self.assertEqual(self.run_cli("--format", "concise", "--select", selector, "bad.grxla", code=1).out, want, selector)
        self.run_cli("--ignore", "grx265", "--select", "Tag:NAME", "bad.grxla", code=0)
        self.run_cli("--severity", "grx265=note", "bad.grxla", code=0)
        self.put(".lightlint.yaml", b"ignore: [grx265]\n")
        self.run_cli("bad.grxla", code=0)
        self.put(".lightlint.yaml", b"root: true\n")
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: bad.grxla, rule: Grx265, reason: known}\n")
        self.run_cli("bad.grxla", code=0)
        self.assertEqual(self.run_cli("explain", "grx265", code=0).out, self.run_cli("explain", "GRX265", code=0).out)

    def test_help_of_a_command(self):
        for command in ("dump", "check", "fields", "version"):
            self.assertEqual(self.run_cli("help", command, code=0).out, self.run_cli(command, "--help", code=0).out)
        self.assertEqual(self.run_cli("help", code=0).out, self.run_cli("--help", code=0).out)
        self.refused("help", "dmup", saying="did you mean 'dump'?")
        self.refused("help", "dump", "check", saying="one command")

    def test_version_tells_what_it_is(self):
        text = self.run_cli("version", "-v", code=0).text
        found = json.loads(self.run_cli("version", "--format", "json", code=0).text)
        rules = json.loads(self.run_cli("rules", "--format", "json", "--isolated", code=0).text)["rules"]
        self.assertEqual(found["rules"]["count"], len(rules))
        self.assertRegex(found["rules"]["hash"], r"\A[0-9a-f]{16}\Z")
        names = {library["name"] for library in found["libraries"]}
        self.assertLessEqual({"PCRE2", "cJSON", "libyaml", "zlib"}, names)
        for library in found["libraries"]:
            self.assertIn("%-8s %s" % (library["name"], library["version"]), text)
        self.assertTrue("expat" in names or "expat    not built in" in text)
        self.assertIn(found["rules"]["hash"], text)
        self.put("good.grxla", light_file())
        self.assertEqual(self.run_cli("sweep", "--isolated", "good.grxla", code=0).lines()[0]["rules"], found["rules"]["hash"])
        if os.path.exists(os.path.join(SOURCE, ".git")):
            self.assertRegex(found["commit"], r"\A[0-9a-f]{40,64}\Z")
            self.assertIn(found["commit"], text)
        self.assertEqual(len(self.run_cli("version", code=0).text.splitlines()), 1)

    def test_explain_in_every_format(self):
        one = json.loads(self.run_cli("explain", "--format", "json", "name-hash", code=0).text)
        rules = json.loads(self.run_cli("rules", "--format", "json", code=0).text)["rules"]
        self.assertIn(one, rules)
        page = self.run_cli("explain", "--format=markdown", "name-hash", code=0).text
        self.assertTrue(page.startswith("\n### GRX265 name-hash\n"), page)
        self.assertIn(page, self.run_cli("rules", "--format=markdown", code=0).text)
        self.assertEqual(self.run_cli("explain", "--format=text", "name-hash", code=0).out, self.run_cli("explain", "name-hash").out)

    def test_rules_of_a_selection(self):
        def ids(*arguments):
            rules = json.loads(self.run_cli("rules", "--format", "json", *arguments, code=0).text)["rules"]
            return {rule["id"] for rule in rules}
        self.assertEqual(ids("--select", "name-hash"), {"GRX265"})
        self.assertEqual({i[:3] for i in ids("--select", "GRX")}, {"GRX"})
        self.assertEqual(ids("--select", "GRX") - ids("--select", "GRX", "--ignore", "GRX265"), {"GRX265"})
        self.assertGreater(len(ids()), 300)
        self.assertIn("1 rule: 0 errors, 1 warning", self.run_cli("rules", "--select", "name-hash", code=0).text)
        self.assertNotIn("### MREA", self.run_cli("rules", "--select", "GRX", "--format", "markdown", code=0).text)

    def test_fields_are_those_of_the_layouts(self):
        from layouts import of_family
        records = json.loads(self.run_cli("fields", "--format", "json", code=0).text)["records"]
        seen = {record["record"]: record for record in records}
        families = {record["family"] for record in records}
        for family in families:
            text = self.run_cli("fields", family, code=0).text
            known, others = of_family(family)
            for name, record in known.items():
                shown = seen[family + "." + name]
                self.assertEqual((shown["size"], shown["endian"], shown["label"]), (record.size, record.endian, record.label))
                self.assertEqual([(f["name"], f["offset"], f["bytes"], f["certainty"], f["source"]) for f in shown["fields"]],
                                 [(f.name, f.offset, f.bytes, f.sure, f.sources) for f in record.fields])
                block = text[text.index("%s.%s: " % (family, name)):].split("\n\n")[0].splitlines()
                self.assertEqual(len(block), 1 + len(record.fields))
                for line, field in zip(block[1:], record.fields):
                    self.assertIn("+0x%03x" % field.offset, line)
                    self.assertIn(" %s " % field.name, line)
                    self.assertIn(" %s " % field.sure, line)
            self.assertLessEqual({"%s.%s" % (family, name) for name in others}, set(seen))
        self.assertIn(" -> grx.light_area", self.run_cli("fields", "grx").text)
        names = self.run_cli("completions", "line", "--", "fields", ".", code=0).text.split()
        self.assertEqual(set(names), families)
        self.refused("fields", "gxr", saying="did you mean 'grx'?")
        for language in ("ksy", "hexpat"):
            self.refused("fields", "--format", language, saying="needs a family")
            for family in families:
                self.assertIn(family + "_", self.run_cli("fields", "--format", language, family, code=0).text)

    def test_the_schema_of_fields(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema")
        with open(os.path.join(SOURCE, "docs", "schema", "fields.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.Draft7Validator(schema).validate(json.loads(self.run_cli("fields", "--format", "json").text))


# ---------------------------------------------------------------- colour

class Terminal(CliTest):
    def test_which_variable_decides(self):
        self.put("bad.grxla", BAD)
        for env, more, there, elsewhere in (
                ({}, [], True, False),
                ({"FORCE_COLOR": "1"}, [], True, True),
                ({"FORCE_COLOR": ""}, [], True, False),
                ({"FORCE_COLOR": "0"}, [], True, False),
                ({"CLICOLOR_FORCE": "1"}, [], True, True),
                ({"CLICOLOR_FORCE": "0"}, [], True, False),
                ({"FORCE_COLOR": "1", "TERM": "dumb"}, [], True, True),
                ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False, False),
                ({"FORCE_COLOR": "1", "NO_COLOR": ""}, [], True, True),
                ({"NO_COLOR": "1"}, ["--color=always"], True, True),
                ({"FORCE_COLOR": "1"}, ["--color=never"], False, False)):
            with self.subTest(env=env, more=more):
                self.assertEqual(b"\x1b[" in self.run_cli(*more, "bad.grxla", env=env).out, elsewhere)
                if "TERM" not in env:
                    self.assertEqual(b"\x1b[" in self.on_terminal(*more, "bad.grxla", env=env), there)
        self.run_cli("-o", "report", "bad.grxla", env={"FORCE_COLOR": "1"})
        self.assertNotIn(b"\x1b", self.get("report"))

    def test_ids_are_links_where_there_is_a_page(self):
        self.put("bad.grxla", BAD)
        page = "https://example.org/rules"
        link = ("\x1b]8;;%s#grx265-name-hash\x1b\\GRX265\x1b]8;;\x1b\\ name-hash]" % page).encode()
        for name in ("full", "concise"):
            self.assertNotIn(b"\x1b]8", self.on_terminal("--format", name, "bad.grxla"))
        self.put(".lightlint.yaml", b"docs_url: %s\n" % page.encode())
        for name in ("full", "concise"):
            self.assertIn(link, self.on_terminal("--format", name, "bad.grxla"))
            self.assertNotIn(b"\x1b]8", self.on_terminal("--format", name, "--color=never", "bad.grxla"))
            self.assertNotIn(b"\x1b]8", self.run_cli("--format", name, "--color=always", "bad.grxla").out)
            self.assertNotIn(b"\x1b]8", self.on_terminal("--format", name, "--isolated", "bad.grxla"))


class Links(CliTest):
    def log(self, *arguments):
        driver = json.loads(self.run_cli("--format", "sarif", *arguments, "bad.grxla").text)["runs"][0]["tool"]["driver"]
        return driver.get("informationUri"), [rule.get("helpUri") for rule in driver["rules"]]

    def test_sarif_states_the_page_of_the_configuration_and_no_other(self):
        self.put("bad.grxla", BAD)
        home = self.log("--isolated")[0]
        self.assertEqual(self.log(), self.log("--isolated"))
        self.assertEqual(home is None, self.log()[1] == [None])
        self.put(".lightlint.yaml", b"docs_url: https://example.org/a?b=c\n")
        information, rules = self.log()
        self.assertEqual((information, rules), (home or "https://example.org/a?b=c", ["https://example.org/a?b=c#grx265-name-hash"]))
        self.put(".lightlint.yaml", b"docs_url: ''\n")
        self.assertEqual(self.log(), (home, [None]))

    def test_what_is_no_address_is_refused(self):
        self.put("bad.grxla", BAD)
        for value in ("ftp://x", "https://", "[]", "'https://a b'", '"https://a\\x1b]8"', "'https://a\"b'", "https://\u00e9", "javascript:x"):
            self.put(".lightlint.yaml", ("docs_url: %s\n" % value).encode())
            self.refused("bad.grxla", saying="docs_url" if "x1b" not in value else "lightlint.yaml")
        self.put(".lightlint.yaml", b"docs_url: https://example.org/{id}\n")
        self.refused("bad.grxla", saying="docs_url: an address cannot contain '{'; expected the address of one page, to which the section of a rule is added")


# ---------------------------------------------------------------- limits

class Limits(CliTest):
    """Formats for programs are complete, even if human-readable formats of the same run omit findings."""

    def count(self, name, text):
        if name in ("jsonl", "sweep"):
            return sum(json.loads(line)["type"] == "finding" for line in text.splitlines())
        data = json.loads(text)
        return len(data) if name == "gitlab" else len(data["runs"][0]["results"] if name == "sarif" else data["files"][0]["findings"])

    def test_formats_for_programs_are_complete(self):
        self.put("many.grxla", wrong_hashes(1500))
        for name in ("json", "jsonl", "gitlab", "sarif", "sweep"):
            result = self.run_cli("--format", name, "many.grxla", code=1)
            self.assertEqual((self.count(name, result.text), result.err), (1500, b""), name)
            beside = self.run_cli("--format", "concise", "--format", name + ":out", "many.grxla", code=1).text
            self.assertEqual(self.get("out"), result.out, name)
            self.assertEqual(beside.count("GRX265"), 100)
            self.assertIn("1400 findings not shown", beside)
            result = self.run_cli("--format", name, "--max-per-rule", "7", "many.grxla", code=1)
            self.assertEqual(self.count(name, result.text), 7)
            self.assertEqual(result.errors, "lightlint: --format %s: 1493 findings are left out, by a limit or because another one "
                                            "explains them; the severest are kept\n" % name)
        self.assertIn("(1500 times)", self.run_cli("many.grxla").text)
        for name in ("junit", "markdown", "github"):
            self.assertIn("(1500 times in this file)", self.run_cli("--format", name, "many.grxla").text)
        self.assertIn('"occurrenceCount":1500', self.run_cli("--format", "sarif-github", "many.grxla").text)

    def test_the_severest_stay(self):
        data = bytearray(wrong_hashes(20))
        at = data.rindex(b"EP00")  # the last entry has another fault, an error
        struct.pack_into("<I", data, at + 0x18 + 8, 0x7FFFFFFF)
        self.put("many.grxla", bytes(data))
        every = self.run_cli("--format", "jsonl", "many.grxla").findings()
        self.assertIn("error", {f["severity"] for f in every[-4:]})
        kept = self.run_cli("--format", "jsonl", "--max-per-file", "3", "many.grxla").findings()
        self.assertEqual(len(kept), 3)
        self.assertIn("error", {f["severity"] for f in kept})
        self.assertEqual([f["offset"] for f in kept], sorted(f["offset"] for f in kept))
        self.assertIn(": error[", self.run_cli("--format", "concise", "--max-per-file", "3", "many.grxla").text)

    def test_memory_stays_when_there_are_many(self):
        if is_sanitized():
            self.skipTest("its memory is not its own")
        data = wrong_hashes(30000)
        self.put("many.grxla", data)
        for name in ("jsonl", "sarif", "json", "full"):
            process = subprocess.Popen([PROGRAM, "--all", "-j1", "--format", name, "-o", "out", "many.grxla"], cwd=self.home)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 1)
            self.assertLess(usage.ru_maxrss * 1024, 2 * len(data) + 64 * 2**20, name)
            self.assertGreater(os.path.getsize(self.path("out")), 20 * 2**20)

    def test_what_github_does_not_show_is_said(self):
        """One result per rule and field of a file, so many files give many results."""
        for i in range(5010):
            self.put("%04d.grxla" % i, BAD)
        result = self.run_cli("--format", "sarif-github", ".", code=1)
        run = json.loads(result.text)["runs"][0]
        self.assertEqual(len(run["results"]), 5000)
        self.assertIn("10 findings are left out", result.errors)
        self.assertIn("10 findings were left out", json.dumps(run["invocations"]))


# ---------------------------------------------------------------- timing

class Timing(CliTest):
    def test_phases_and_slowest_rules_on_stderr(self):
        for i in range(30):
            self.put("%d/%d.grxla" % (i % 3, i), BAD)
        plain = self.run_cli(".", code=1)
        self.assertNotIn("timing", plain.errors)
        for jobs in ("1", "4"):
            result = self.run_cli("--timing", "-j", jobs, ".", code=1)
            self.assertEqual(result.out, plain.out)
            rows = re.findall(r"^lightlint: timing: +([0-9.]+) s  (.*)$", result.errors, re.M)
            self.assertEqual([what for _, what in rows[:5]], ["walk", "read", "parse", "rules", "report"])
            self.assertIn("one by one", rows[5][1])
            self.assertIn("GRX265 name-hash", [what for _, what in rows[6:]])
            self.assertLessEqual(len(rows), 16)
            spent = [float(number) for number, _ in rows[6:]]
            self.assertEqual(spent, sorted(spent, reverse=True))
            self.assertLessEqual(sum(spent), float(rows[5][0]) + 1e-5)
            self.assertLessEqual(float(rows[5][0]), float(rows[3][0]) + 1e-5)
        self.assertIn("timing", self.run_cli("sweep", "--timing", "-o", "s", ".", code=0).errors)
        self.assertIn("timing", self.run_cli("census", "--timing", ".", code=0).errors)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
