#!/usr/bin/env python3
"""Sweeps: their contents, merging of parts (equal to the whole byte for byte), and comparisons.

    test_sweep.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import unittest
from collections import Counter

from cli_test import BAD, GOOD, LFS, PROGRAM, SOURCE, CliTest, is_sanitized, wrong_hashes

sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
from html_page import HtmlPage  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

HEAD = {"type": "sweep", "schema": 1, "lightlint": "0.1.0", "rules": "0" * 16}
MEGABYTE = 1024 * 1024


def dumps(line):
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False)


def finding(file, number, **more):
    return {"type": "finding", "file": file, "rule": "GRX%03d" % (number % 40), "name": "rule-%d" % (number % 40),
            "severity": "error", "offset": number, "length": 4, "path": "entry[%d].name" % number,
            "found": "x", "expected": "y", "message": "'entry[%d].name' at '+0x0..0x4': Wrong." % number, "why": "w", "fix": "f",
            "fingerprint": "%016x" % (hash((file, number)) & (1 << 64) - 1), **more}


def file_line(file, errors=0):
    return {"type": "file", "file": file, "format": "grx", "size": 100, "errors": errors, "warnings": 0, "notes": 0}


def summary(files, errors=0, **more):
    return {"type": "summary", "schema": 2, "files": files, "members": 0, "errors": errors, "warnings": 0, "notes": 0,
            "files_with_findings": files if errors else 0, "dropped": 0, "suppressed": 0, "baselined": 0, "unchecked": 0,
            "exit_code": 0, **more}


class SweepTest(CliTest):
    def corpus(self, n=40):
        for i in range(n):
            self.put("c/d%d/%03d.grxla" % (i % 5, i), wrong_hashes(i % 4) if i % 4 else GOOD)

    def sweep(self, *arguments, code=0, **more):
        return self.run_cli("sweep", *arguments, code=code, **more).lines()

    def write(self, name, lines):
        """Writes a sweep of (file, findings) pairs."""
        out = [HEAD]
        for file, findings in lines:
            out += [*findings, file_line(file, len(findings))]
        out.append(summary(len(lines), sum(len(f) for _, f in lines)))
        return self.put(name, "".join(dumps(line) + "\n" for line in out).encode())

    def diff(self, *arguments, code=None):
        return json.loads(self.run_cli("sweep", "--diff", "--format", "json", *arguments, code=code).out)


class Show(SweepTest):
    """The summary of a sweep."""

    def numbers(self, lines):
        """Independent counts: {table: {name: findings}}."""
        counts = {"By severity": Counter(), "By rule": Counter(), "By folder": Counter(), "By file": Counter()}
        for line in lines:
            if line["type"] == "finding":
                name = line["file"] + ("!" + line["member"] if "member" in line else "")
                for table, key in (("By severity", line["severity"]), ("By rule", f"{line['severity']} {line['rule']} {line['name']}"),
                                   ("By folder", os.path.dirname(line["file"]) + "/"), ("By file", name)):
                    counts[table][key] += 1
        return counts

    def test_every_format_says_what_was_counted(self):
        self.corpus()
        self.put("c/lfs.grxla", LFS)
        self.put("c/d1/bad.grxla", BAD)
        want = self.numbers(self.sweep("c", code=2))
        text = self.run_cli("sweep", "--format", "text", "c", code=2).text
        markdown = self.run_cli("sweep", "--format", "markdown", "c", code=2).text
        page = HtmlPage(self.run_cli("sweep", "--format", "html", "c", code=2).text)
        tables = dict(zip(want, page.tables))
        parts = json.loads(self.run_cli("sweep", "--format", "json", "c", code=2).text)["parts"]
        of_json = {head["heading"]: table["rows"] for head, table in zip(parts, parts[1:]) if "heading" in head}
        for name, counts in want.items():
            skip = 1 if name == "By file" else 2
            rows = [(" ".join(row[skip:]), int(row[0])) for row in tables[name][1:]]
            self.assertEqual(rows, sorted(counts.items(), key=lambda item: (-item[1], item[0])))
            shown = text.split(f"\n{name}\n")[1].split("\n\n")[0].splitlines()[1:]
            self.assertEqual([(" ".join(line.split()[skip:]), int(line.split()[0])) for line in shown], rows)
            self.assertEqual([row[skip:] and (" ".join(row[skip:]), row[0]) for row in of_json[name]], rows)
            for row in tables[name][1:]:
                self.assertIn("| " + " | ".join(cell.replace("_", "\\_") for cell in row) + " |", markdown)
        files = {}
        for line in self.sweep("c", code=2):
            if line["type"] == "finding":
                files.setdefault(line["rule"], set()).add(line["file"])
        self.assertEqual({row[3].split()[0]: int(row[1]) for row in tables["By rule"][1:]}, {rule: len(names) for rule, names in files.items()})
        self.assertTrue(text.endswith("\n" + page.words[page.words.index("Sweep") + 2] + "\n"), page.words[:20])

    def test_it_is_the_same_whatever_made_it(self):
        self.corpus()
        for form in ("text", "json", "markdown", "html"):
            whole = self.run_cli("sweep", "--format", form, "-j1", "c", code=0).out
            self.assertEqual(self.run_cli("sweep", "--format", form, "-j3", "c", code=0).out, whole)
            for i in (1, 2, 3):
                self.run_cli("sweep", "--shard", f"{i}/3", "-o", f"part{i}", "c", code=0)
            self.assertEqual(self.run_cli("sweep", "--merge", "--format", form, "part2", "part1", "part3", code=0).out, whole)
            self.run_cli("sweep", "-o", "all", "c", code=0)
            self.assertEqual(self.run_cli("sweep", "--merge", "--format", form + ":page", "all", code=0).out, b"")
            self.assertEqual(self.get("page"), whole)
        self.assertIn("part 2 of 3", self.run_cli("sweep", "--format", "text", "--shard", "2/3", "c", code=0).text)

    def test_findings_across_files_and_in_members_are_counted(self):
        for args in ((os.path.join(SOURCE, "corpus", "demo-mod"),), (os.path.join(SOURCE, "corpus", "demo"),)):
            want = self.numbers(self.sweep("--isolated", *args, code=None))
            page = HtmlPage(self.run_cli("sweep", "--isolated", "--format", "html", *args).text)
            self.assertEqual({row[1]: int(row[0]) for row in page.tables[3][1:]}, dict(want["By file"]))
        self.assertTrue(any("MOD" in row[3] for row in HtmlPage(self.run_cli("sweep", "--isolated", "--format", "html",
                                                                              os.path.join(SOURCE, "corpus", "demo-mod")).text).tables[1]))

    def test_nothing_is_markup(self):
        nasty = "<img src=x onerror=y>/a</td>&amp;\"'.grxla"
        self.write("s", [(nasty, [finding(nasty, 1, severity="<b>", name="n<i>\t"), finding(nasty, 2, rule="</table>")])])
        page = HtmlPage(self.run_cli("sweep", "--merge", "--format", "html", "s", code=0).text)
        self.assertEqual([row[-1] for table in (page.tables[0], *page.tables[2:]) for row in table[1:]],
                         ["<b>", "error", "<img src=x onerror=y>/a</", nasty])
        self.assertEqual(page.tables[1][1][2:], ["<b>", "GRX001 n<i>\\x09"])
        self.assertEqual(page.tables[1][2][2:], ["error", "</table> rule-2"])

    def test_what_is_not_shown_is_counted(self):
        files = ["d%05d/f" % i for i in range(66000)]
        self.write("s", [(name, [finding(name, 1)]) for name in files])
        for form in ("text", "markdown", "html"):
            text = self.run_cli("sweep", "--merge", "--format", form, "s", code=0).text
            text = HtmlPage(text).text if form == "html" else text
            self.assertEqual(text.count("and 65437 more"), 2, form)
            self.assertEqual(len(re.findall(r"all others", text)), 2)
            self.assertRegex(text, r"\b464[ |]*(464)?[ |]*\\?\(all others" if form != "html" else r"464\(all others")

    def test_refusals(self):
        self.corpus(2)
        self.refused("sweep", "--diff", "--format", "jsonl", "c", "c", saying="is not for sweep --diff")
        self.refused("sweep", "--format", "html:c/d1/001.grxla", "c", saying="is an input")
        self.put("cut", b'{"type":"sweep"')
        self.refused("sweep", "--merge", "--format", "html:page", "cut", saying="cut")
        self.assertFalse(os.path.exists(self.path("page")))
        self.assertEqual(self.run_cli("sweep", "--format", "jsonl", "c", code=0).out, self.run_cli("sweep", "c", code=0).out)


class Record(SweepTest):
    def test_all_findings_whatever_else_holds(self):
        self.put("a.grxla", wrong_hashes(150))
        self.put("b.grxla", GOOD)
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: a.grxla, rule: name-hash, reason: known}\n")
        self.run_cli("baseline", "create", "--no-suppressions", "-q", "-o", "base.jsonl", ".", code=0)
        self.put(".lightlint.yaml", b"baseline: base.jsonl\n")
        lines = self.sweep(".")
        self.assertEqual([line["type"] for line in lines], ["sweep"] + ["finding"] * 150 + ["file", "file", "summary"])
        self.assertEqual(lines[-1], {**summary(2, 0), "errors": lines[-1]["errors"], "warnings": lines[-1]["warnings"],
                                     "files_with_findings": 1})
        self.assertEqual(lines[-3]["errors"] + lines[-3]["warnings"], 150)
        self.assertEqual((lines[-2]["file"], lines[-2]["format"], lines[-2]["size"]), ("b.grxla", "grx", len(GOOD)))
        jsonl = self.run_cli("--format", "jsonl", "--all", "--isolated", "--config", ".lightlint.yaml", ".").findings()
        self.assertEqual([set(f) for f in lines[1:151]], [set(f) for f in self.run_cli(
            "--format", "jsonl", "--all", "--isolated", ".").findings()])
        self.assertEqual(jsonl, [])

    def test_configuration_holds(self):
        self.put("a.grxla", BAD)
        self.put("skip/b.grxla", BAD)
        self.put(".lightlint.yaml", b"ignore: [name-hash]\nexclude: [skip/]\n")
        self.assertEqual([line.get("file") for line in self.sweep(".")], [None, "a.grxla", None])
        self.assertNotEqual(self.sweep(".")[0]["rules"], self.sweep("--isolated", ".")[0]["rules"])

    def test_exit_codes_and_output(self):
        self.put("a.grxla", BAD)
        self.assertEqual(self.run_cli("sweep", "-o", "new.jsonl", ".", code=0).out, b"")
        self.assertEqual(self.get("new.jsonl"), self.run_cli("sweep", ".").out)
        self.run_cli("sweep", "-o", "x.jsonl", "a.grxla", "missing.grxla", code=2)
        self.assertEqual(json.loads(self.get("x.jsonl").splitlines()[-1])["exit_code"], 2)
        self.assertEqual(len(self.sweep("--select", "GRX", os.curdir)), 4)

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_schema(self):
        with open(os.path.join(SOURCE, "docs", "schema", "sweep.schema.json"), encoding="utf-8") as file:
            validator = jsonschema.Draft7Validator(json.load(file))
        with open(os.path.join(SOURCE, "docs", "schema", "finding.schema.json"), encoding="utf-8") as file:
            findings = jsonschema.Draft7Validator(json.load(file))
        self.corpus(12)
        self.run_cli("sweep", "-o", "one", "c", code=0)
        os.remove(self.path("c/d1/001.grxla"))
        self.put("c/d2/002.grxla", wrong_hashes(5))
        self.put("c/d3/003.grxla", wrong_hashes(1))
        self.put("c/new.grxla", BAD)
        self.run_cli("sweep", "--severity", "name-hash=note", "-o", "two", "c", code=0)
        for name in ("one", "two"):
            for line in map(json.loads, self.get(name).splitlines()):
                self.assertEqual(list(validator.iter_errors(line)), [])
                if line["type"] in ("finding", "summary"):
                    self.assertEqual(list(findings.iter_errors(line)), [])
        diff = self.diff("one", "two", code=1)
        self.assertEqual(list(validator.iter_errors(diff)), [])
        with open(os.path.join(SOURCE, "docs", "schema", "report.schema.json"), encoding="utf-8") as file:
            reports = jsonschema.Draft7Validator(json.load(file))
        for command in (["sweep", "--merge", "--format", "json", "one"], ["--format", "statistics-json", "c"]):
            self.assertEqual(list(reports.iter_errors(json.loads(self.run_cli(*command).text))), [])
        self.assertTrue(all(diff["summary"][key] for key in ("came", "went", "changed", "files", "old_files", "new_files")))
        for wrong in ({**HEAD, "schema": 2}, {"type": "file", "file": "x"}, {**diff, "files": [{"file": "a"}]}, {"type": "x"}):
            self.assertTrue(list(validator.iter_errors(wrong)), wrong)


class Merge(SweepTest):
    def parts(self, n, *arguments):
        names = []
        for i in range(1, n + 1):
            names.append("part%d" % i)
            self.run_cli("sweep", "--shard", "%d/%d" % (i, n), "-o", names[-1], *arguments, "c", code=0)
        return names

    def test_parts_join_to_the_whole(self):
        self.corpus(120)
        self.put("c/" + os.fsdecode(b"odd\xff.grxla"), BAD)
        self.put("c/odd\u00e9.grxla", BAD)
        self.put("c/odd.grxla", BAD)
        whole = self.run_cli("sweep", "-j1", "c", code=0).out
        for n in (1, 3, 8):
            names = self.parts(n, "-j", str(n))
            self.assertEqual(self.run_cli("sweep", "--merge", *reversed(names), code=0).out, whole)
        self.run_cli("sweep", "--merge", "-o", "all", *names, code=0)
        self.assertEqual(self.get("all"), whole)
        self.assertEqual(self.run_cli("sweep", "-j7", "c", code=0).out, whole)

    def test_parts_say_which_they_are(self):
        self.corpus(30)
        names = self.parts(3)
        self.assertEqual([json.loads(self.get(name).splitlines()[0])["shard"] for name in names], ["1/3", "2/3", "3/3"])
        self.run_cli("sweep", "-o", "whole", "c", code=0)
        self.run_cli("sweep", "-o", "other", "--shard", "1/4", "c", code=0)
        self.assertNotIn(b"shard", self.get("whole"))
        for given, words in ((["part1", "part3"], "part 2 of 3 is missing"), (["part2"], "part 1 of 3 is missing"),
                             (["part1", "part2", "part3", "part2"], "part 2 of 3 is given twice: 'part2' and 'part2'"),
                             (["part1", "part1", "part2"], "part 1 of 3 is given twice"),
                             (["part1", "part2", "other"], "'part1' is one of 3, but 'other' one of 4"),
                             (["whole", "part1"], "'whole' is one of 1, but 'part1' one of 3")):
            self.refused("sweep", "--merge", "-o", "out", *given, saying=words)
            self.assertFalse(os.path.exists(self.path("out")))
        for shard in ("0/3", "4/3", "1", "/3", "1/", "1/3x", "1/1000001", 3):
            self.put("bad", self.get("part1").replace(b'"1/3"', dumps(shard).encode()))
            self.refused("sweep", "--merge", "bad", "part2", "part3", saying="shard: expected ")

    def test_summaries_add_up(self):
        self.put("a", "".join(dumps(line) + "\n" for line in (HEAD, summary(0, unchecked=2, exit_code=2))).encode())
        self.write("b", [("x", [finding("x", 1)])])
        self.assertEqual(self.run_cli("sweep", "--merge", "a", "b", code=0).lines()[-1],
                         summary(1, 1, unchecked=2, exit_code=2))

    def test_refusals(self):
        self.write("a", [("x", [finding("x", 1)])])
        self.write("b", [("y", [])])
        self.refused("sweep", "--merge", "-o", "out", "a", "b", "a", saying="'x' is in 'a' as well")
        good = self.get("b").decode().splitlines()
        cases = [(good[:-1], "b:3: it ends without a summary"), ([], "b:1: it is empty"), (good[1:], "b:1: no sweep"),
                 (good[:1] + good[:1] + good[1:], "b:2: a second header"), (good + good[1:2], "b:4: a line after the summary"),
                 (good[:2] + good[1:], "b:3: 'y' cannot come after 'y'"), ([good[0], "{", *good[1:]], "b:2:2: not JSON"),
                 ([good[0], dumps(finding("v", 1)), *good[1:]], "b:3: the line of file 'v' is missing"),
                 ([good[0], dumps(finding("v", 1)), good[2]], "b:3: the line of file 'v' is missing"),
                 ([good[0], '{"type":"odd"}', *good[1:]], "no line of type 'odd'"),
                 ([dumps({**HEAD, "lightlint": "9.9"}), *good[1:]], "made by lightlint 9.9, but 'a' by 0.1.0"),
                 ([dumps({**HEAD, "rules": "1" * 16}), *good[1:]], "other rules than 'a'"),
                 ([dumps({**HEAD, "schema": 2}), *good[1:]], "another schema")]
        for lines, words in cases:
            self.put("b", "".join(line + "\n" for line in lines).encode())
            self.refused("sweep", "--merge", "a", "b", "-o", "out", saying=words)
            if "'a'" not in words:
                self.refused("sweep", "--diff", "-o", "out", "b", "b", saying=words)
            self.assertFalse(os.path.exists(self.path("out")))
        self.put("b", "\n".join(good).encode())
        self.refused("sweep", "--merge", "-o", "out", "a", "b", saying="not complete")
        self.refused("sweep", "--merge", "a", "nowhere", saying="nowhere: No such file")
        self.refused("sweep", "--merge", "a", "-o", "a", saying="will not be overwritten")
        self.refused("sweep", "--merge", "a", ".", saying="Is a directory")

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_gnu_parallel(self):
        self.corpus(60)
        whole = self.run_cli("sweep", "c", code=0).out
        command = "parallel --will-cite -j 2 '%s' sweep -q -j 1 --shard {}/4 -o part-{}.jsonl c ::: 1 2 3 4" % PROGRAM
        subprocess.run(["sh", "-c", command], cwd=self.home, check=True, capture_output=True, env=dict(self.environment, HOME=self.home))
        names = ["part-%d.jsonl" % i for i in range(1, 5)]
        self.assertEqual(self.run_cli("sweep", "--merge", *names, code=0).out, whole)


class Diff(SweepTest):
    def setUp(self):
        super().setUp()
        a, b, c = (finding("m", n) for n in (1, 2, 3))
        self.write("old", [("gone", [finding("gone", 7)]), ("m", [a, b, {**b, "offset": 9}, c]), ("same", [finding("same", 1)])])
        self.write("new", [("m", [{**a, "severity": "warning", "offset": 50}, b, finding("m", 4)]),
                           ("other", []), ("same", [finding("same", 1)])])

    def test_came_went_changed(self):
        diff = self.diff("old", "new", code=1)
        self.assertEqual(diff["summary"], {"came": 1, "went": 2, "changed": 1, "files": 2, "old_files": 1, "old_findings": 1,
                                           "new_files": 1, "new_findings": 0})
        self.assertEqual([(f["file"], f["in"]) for f in diff["files"]], [("gone", "old"), ("m", "both"), ("other", "new")])
        changes = diff["files"][1]
        self.assertEqual([f["rule"] for f in changes["came"]], ["GRX004"])
        self.assertEqual([(f["rule"], f["offset"]) for f in changes["went"]], [("GRX002", 9), ("GRX003", 3)])
        self.assertEqual([(f["severity"], f["before"]["severity"], f["offset"], f["before"]["offset"]) for f in changes["changed"]],
                         [("warning", "error", 50, 1)])
        self.assertEqual([(r["rule"], r["came"], r["went"], r["changed"]) for r in diff["rules"]],
                         [("GRX001", 0, 0, 1), ("GRX002", 0, 1, 0), ("GRX003", 0, 1, 0), ("GRX004", 1, 0, 0)])

    def test_text(self):
        text = self.run_cli("sweep", "--diff", "old", "new", code=1).text
        for words in ("  came: GRX004 rule-4 error: 'entry[4].name'", "  went: GRX003", "  changed: GRX001 rule-1 error -> warning, +0x1..0x5 -> +0x32..0x36",
                      "only in old: 1 file, 1 finding\n  gone (1 finding)\n", "only in new: 1 file, 0 findings\n",
                      "different: 1 came, 2 went, 1 changed in 2 files of both sweeps\n"):
            self.assertIn(words, text)
        self.run_cli("sweep", "--diff", "-o", "page", "old", "new", code=1)
        self.assertEqual(self.get("page").decode(), text)

    def test_a_byte_order_mark_is_no_part_of_a_sweep(self):
        self.put("marked", b"\xef\xbb\xbf" + self.get("old").replace(b"\n", b"\r\n"))
        self.assertEqual(self.diff("old", "marked", code=0)["files"], [])

    def test_equal(self):
        result = self.run_cli("sweep", "--diff", "old", "old", code=0)
        self.assertIn("equal: 0 came", result.text)
        self.assertEqual(self.diff("new", "new", code=0)["files"], [])

    def test_versions_and_rules_are_named(self):
        self.put("new", self.get("old").replace(b'"0.1.0"', b'"0.2.0"', 1).replace(b"0" * 16, b"f" * 16, 1))
        text = self.run_cli("sweep", "--diff", "old", "new", code=0).text
        self.assertIn("old: old (lightlint 0.1.0, rules %s)" % ("0" * 16), text)
        self.assertIn("new: new (lightlint 0.2.0, rules %s)" % ("f" * 16), text)
        self.assertIn("The versions and the rules differ.", text)
        diff = self.diff("old", "new", code=0)
        self.assertEqual((diff["same_version"], diff["same_rules"]), (False, False))

    def test_examples_are_few_and_the_rest_is_counted(self):
        files = ["f%02d" % i for i in range(30)]
        self.write("old", [(f, []) for f in files])
        self.write("new", [(f, [finding(f, 3), finding(f, 43)]) for f in files] + [("z%02d" % i, []) for i in range(15)])
        for form in ("text", "markdown", "html"):
            text = self.run_cli("sweep", "--diff", "--format", form, "old", "new", code=1).text
            text = HtmlPage(text).text if form == "html" else text
            self.assertEqual(text.count("Wrong."), 5)
            self.assertIn("and 55 more of GRX003 rule-3", text)
            self.assertIn("and 5 more\n", text)
        self.assertEqual(sum(len(f.get("came", [])) for f in self.diff("old", "new", code=1)["files"]), 60)

    def test_markdown_is_safe(self):
        nasty = finding("a|b`<i>@x", 1, message="*x* | <b> `y` @team")
        self.write("old", [("a|b`<i>@x", [])])
        self.write("new", [("a|b`<i>@x", [nasty])])
        text = self.run_cli("sweep", "--diff", "--format", "markdown", "old", "new", code=1).text
        self.assertIn("| GRX001 rule-1 | 1 | 0 | 0 |", text)
        self.assertIn("### a\\|b\\`&lt;i&gt;&#64;x\n", text)
        self.assertIn("\\*x\\* \\| &lt;b&gt; \\`y\\` &#64;team", text)
        self.write("new", [("a|b`<i>@x", [{**nasty, "message": "\033[2Jx"}])])
        self.assertIn("\\x1b[2Jx", self.run_cli("sweep", "--diff", "old", "new", code=1).text)

    def test_html_says_what_text_says(self):
        """Every row and line is in both; HTML has charts as well, and no markup from the files."""
        names = ["a<b>.grxla", "</li><script>alert(1)</script>", "c&amp;'\"", "d onload=x"]
        self.write("old", [(name, [finding(name, i + k) for k in range(i)]) for i, name in enumerate(sorted(names))] + [("gone<i>", [])])
        self.write("new", [(name, [finding(name, i + 2 * k, message="<b>&\"'" + "x" * (k == 0), severity="note") for k in range(3)])
                           for i, name in enumerate(sorted(names))] + [("new<i>", [finding("new<i>", 1)])])
        text = self.run_cli("sweep", "--diff", "old", "new", code=1).text
        page = HtmlPage(self.run_cli("sweep", "--diff", "--format", "html", "old", "new", code=1).text)
        rows = [line.strip().rsplit(None, 3) for line in text.splitlines() if line.startswith(("  GRX", "  in all"))]
        self.assertEqual([row[:4] for row in page.tables[0][1:]], rows)
        self.assertGreater(len(rows), 4)
        for line in text.splitlines():
            if not line.startswith(("  GRX", "  in all", "  rule ")):
                self.assertIn(line.strip(), page.text)
        want = self.run_cli("sweep", "--diff", "--format", "html:page.html", "old", "new", code=1)
        self.assertEqual((want.out, HtmlPage(self.get("page.html").decode()).text), (b"", page.text))

    def test_a_new_rule_and_another_severity_over_files(self):
        self.corpus(12)
        self.run_cli("sweep", "--ignore", "name-hash", "-o", "old", "c", code=0)
        self.run_cli("sweep", "-o", "new", "c", code=0)
        count = len([line for line in self.get("new").splitlines() if b'"finding"' in line])
        self.assertEqual(self.diff("old", "new", code=1)["summary"]["came"], count)
        self.assertEqual(self.diff("new", "old", code=1)["summary"]["went"], count)
        self.run_cli("sweep", "--severity", "name-hash=note", "-o", "old", "c", code=0)
        self.assertEqual(self.diff("old", "new", code=1)["summary"]["changed"], count)


class Roots(SweepTest):
    """Sweeps of two directories: files are compared by their paths below them."""

    def setUp(self):
        super().setUp()
        for root in ("one/old", "new"):
            for i in range(8):
                self.put("%s/d%d/%d.grxla" % (root, i % 3, i), wrong_hashes(i % 4))
        self.put("one/old/gone.grxla", BAD)
        self.put("new/d0/0.grxla", wrong_hashes(2))
        self.put("new/d1/came.grxla", GOOD)

    def test_paths_below_the_two(self):
        for old, new, cwd in (("one/old", "new", ""), ("one/old/", self.path("new"), ""), (".", "../../new", "one/old"), ("./one//old", "./new/.", "")):
            diff = json.loads(self.run_cli("sweep", "--diff", "--format", "json", old, new, cwd=self.path(cwd), code=1).out)
            self.assertEqual([(f["file"], f["in"]) for f in diff["files"]], [("d0/0.grxla", "both"), ("d1/came.grxla", "new"), ("gone.grxla", "old")])
            self.assertEqual((diff["summary"]["came"], diff["summary"]["files"], diff["old"]["name"]), (2, 8, old))
        self.run_cli("sweep", "--diff", "new", "new", code=0)

    def test_it_is_what_two_sweeps_say(self):
        for root in ("one/old", "new"):
            self.run_cli("sweep", "-o", self.path(root.replace("/", "-") + ".jsonl"), ".", cwd=self.path(root), code=0)
        want = self.diff("one-old.jsonl", "new.jsonl", code=1)
        got = self.diff("one/old", "new", code=1)
        for side in ("old", "new"):
            want[side].pop("name")
            got[side].pop("name")
        self.assertEqual(got, want)

    def test_options_and_configuration_hold(self):
        self.put(".lightlint.yaml", b"exclude: [gone.grxla]\n")
        diff = self.diff("-j2", "--select", "name-hash", "--exclude", "came.grxla", "one/old", "new", code=1)
        self.assertEqual([f["file"] for f in diff["files"]], ["d0/0.grxla"])
        self.put("new/.lightlint.yaml", b"ignore: [name-hash]\n")
        self.assertEqual(self.diff("--config", "new/.lightlint.yaml", "one/old", "new", code=1)["summary"]["came"], 0)

    def test_what_was_not_checked_is_told(self):
        self.put("new/x.grxla", LFS)
        result = self.run_cli("sweep", "--diff", "one/old", "new", code=2)
        self.assertIn("different: 2 came", result.text)
        self.assertIn("new: not everything was checked", result.errors)

    def test_nothing_stays_behind(self):
        os.mkdir(self.path("tmp"))
        self.run_cli("sweep", "--diff", "one/old", "new", code=1, env={"TMPDIR": self.path("tmp")})
        self.assertEqual(os.listdir(self.path("tmp")), [])
        self.refused("sweep", "--diff", "one/old", "new", env={"TMPDIR": self.path("nowhere")}, saying="a temporary file: No such file")

    def test_refusals(self):
        self.put("s", b"")
        self.refused("sweep", "--diff", "one/old", "s", saying="two sweeps, or two directories")
        self.refused("sweep", "--diff", "--shard", "1/2", "one/old", "new", saying="--shard")
        self.refused("sweep", "--diff", "-o", "new/d0/0.grxla", "one/old", "new", saying="is an input")
        self.put("new/.lightlint.yaml", b"selct: [GRX]\n")
        self.refused("sweep", "--diff", "one/old", "new", saying="unknown key 'selct'")


class Forms(SweepTest):
    """Comparing and merging read only sweeps."""

    def test_options_that_would_do_nothing_are_refused(self):
        self.put("a.grxla", BAD)
        self.run_cli("sweep", "a.grxla", "-o", "s", code=0)
        for option in (["--select", "GRX"], ["--shard", "1/2"], ["-j2"], ["--isolated"], ["-q"]):
            name = {"-j2": "--jobs", "-q": "--quiet"}.get(option[0], option[0])
            self.refused("sweep", "--diff", *option, "s", "s", saying=name + " is not an option of 'sweep --diff'")
            if name not in ("--select", "--isolated"):  # these choose the rules across files
                self.refused("sweep", "--merge", *option, "s", "-o", "t", saying=name + " is not an option of 'sweep --merge'")

    def test_a_broken_configuration_is_not_asked(self):
        self.put("a.grxla", BAD)
        self.run_cli("sweep", "a.grxla", "-o", "s", code=0)
        self.put(".lightlint.yaml", b"selct: [GRX]\n")
        self.refused("sweep", "a.grxla", saying="unknown key 'selct'")
        self.run_cli("sweep", "--diff", "s", "s", code=0)
        self.run_cli("sweep", "--merge", "s", "-o", "t", code=0)
        self.assertEqual(self.get("t"), self.get("s"))


class Large(SweepTest):
    """100,000 lines take seconds, and memory that does not depend on their number."""

    MEASURE = ("import os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ); _, status, usage = os.wait4(pid, 0); "
               "print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)")

    def peak(self, *arguments, code):
        """Seconds and peak memory in MB of one run. A small process starts it, because the memory of the parent is
        counted as well."""
        before = time.monotonic()
        out = subprocess.run([sys.executable, "-S", "-c", self.MEASURE, PROGRAM, *arguments, "-o", "out"], cwd=self.home,
                             check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(int(out[0]), code)
        return time.monotonic() - before, int(out[1]) / 1024

    def test_memory_and_time(self):
        if is_sanitized():
            self.skipTest("the address sanitizer keeps what was freed")
        files = []
        for i in range(10000):
            name = "d/%06d" % i
            lines = [dumps(finding(name, n)) + "\n" for n in range(9)]
            files.append((lines, dumps(file_line(name, 9)) + "\n"))

        def write(name, some):
            text = [dumps(HEAD) + "\n", *("".join(lines) + end for lines, end in some),
                    dumps(summary(len(some), sum(len(lines) for lines, _ in some))) + "\n"]
            self.put(name, "".join(text).encode())

        write("all", files)
        write("one", files[::2])
        write("two", files[1::2])
        write("new", [(lines[1:] if i % 10 == 0 else lines, end) for i, (lines, end) in enumerate(files)])
        write("small", files[:50])
        base = self.peak("sweep", "--diff", "small", "small", code=0)[1]
        rows = {"merge": self.peak("sweep", "--merge", "one", "two", code=0)}
        self.assertEqual(self.get("out"), self.get("all"))
        rows["diff"] = self.peak("sweep", "--diff", "all", "new", code=1)
        rows["diff as json"] = self.peak("sweep", "--diff", "--format", "json", "all", "new", code=1)
        size = len(self.get("all")) / MEGABYTE
        for name, (seconds, megabytes) in rows.items():
            print("%s of %.0f MB: %.1f s, %.1f MB (of 50 files: %.1f MB)" % (name, size, seconds, megabytes, base), file=sys.stderr)
            self.assertLess(seconds, 60)
            self.assertLess(megabytes, base + 4)


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
