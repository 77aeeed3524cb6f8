#!/usr/bin/env python3
"""The HTML report of a check, parsed strictly: its contents, and that nothing in the files becomes markup.

    test_html.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest, archive, light_file, wrong_hashes  # noqa: E402
sys.path.insert(0, os.path.join(SOURCE or ".", "tests", "tools"))
from html_page import HtmlPage  # noqa: E402
from recipe import build_all  # noqa: E402

DEMO = os.path.join(SOURCE or ".", "corpus", "demo")
HOSTILE = [b"<script>alert(1)</script>", b"\"onmouseover=\"x", b"' onload='x", b"</article></main>", b"<!--", b"]]>", b"<?php", b"&lt;b&gt;", b"&#60;",
           b"javascript:x", b"\xff\xfe<b>", b"\x1b[31m", b"n\nl", b"\xe2\x80\xaegpj", b"\x00"[:0] + b"\x01", b"<img src=x>", b"</title>", b"</style>", b"{{7*7}}"]
ROLES = {"magic", "size", "count", "offset", "hash", "string", "padding", "reserved", "terminator", "code", "gap", "unparsed"}


class HtmlTest(CliTest):
    def page(self, *arguments, code=1, **more):
        return HtmlPage(self.run_cli("--format", "html", *arguments, code=code, **more).text)

    def facts(self, page):
        """{label: [text]} of all findings."""
        facts, label = {}, ""
        for tag, _, text in page.elements:
            label = text if tag == "dt" else label
            if tag == "dd":
                facts.setdefault(label, []).append(text)
        return facts


# ---------------------------------------------------------------- what it says

class Says(HtmlTest):
    def test_verdicts(self):
        self.put("good.grxla", GOOD)
        self.put("bad.grxla", BAD)
        page = self.page("good.grxla", code=0)
        self.assertEqual(page.texts("h1"), ["lightlint: passed"])
        self.assertEqual(page.texts("p"), ["1 file checked, no findings."])
        self.assertEqual(page.texts("article"), [])
        self.assertEqual(self.page("bad.grxla").texts("h1"), ["lightlint: failed"])
        self.assertEqual(self.page("--fail-on=error", "bad.grxla", code=0).texts("h1"), ["lightlint: passed"])
        page = self.page("gone.grxla", "good.grxla", code=2)
        self.assertEqual(page.texts("h1"), ["lightlint: not everything was checked"])
        self.assertIn("LL001 unreadable", page.source)

    def test_it_says_what_full_says(self):
        """Every text after a label is the same in both formats."""
        for name in sorted(os.listdir(DEMO)):
            path = os.path.join(DEMO, name)
            full = self.run_cli("--all", path).text
            if " no findings" in full:
                continue
            facts = self.facts(self.page("--all", path, code=None))
            for label in ("found", "expected", "see", "why", "likely", "help", "patch"):
                self.assertEqual(facts.get(label, []), re.findall(r"^   = %s: +(.*)$" % label, full, re.M), (name, label))
            self.assertEqual([where.split(")")[0] for where in facts["where"]], [where.split(")")[0] for where in re.findall(r"^  --> \S+ (.*)$", full, re.M)])

    def test_tables_are_sums(self):
        for arguments in ((DEMO,), ("--all", DEMO)):
            self.assert_sums(*arguments)

    def assert_sums(self, *arguments):
        findings = self.run_cli("--format=jsonl", *arguments).findings()
        page = self.page(*arguments, code=2)
        rows = [re.sub(r"\s+", " ", text).strip() for text in page.texts("tr")]
        for severity, sign in (("error", "\u2715"), ("warning", "\u25b2"), ("note", "\u25cf")):
            count = sum(f["severity"] == severity for f in findings)
            files = len({f["file"] for f in findings if f["severity"] == severity})
            self.assertIn(f"{count}{files}{sign} {severity}", rows)
        for f in findings:
            same = [g for g in findings if (g["rule"], g["severity"]) == (f["rule"], f["severity"])]
            self.assertTrue(any(f"{f['rule']} {f['name']}" in row and row.startswith(f"{len(same)}{len({g['file'] for g in same})}") for row in rows), f["rule"])
        names = sorted({f["file"] for f in findings})
        self.assertEqual(sorted(page.texts("a")), names)
        self.assertEqual(page.texts("h2")[-len(names):], names)

    def test_groups(self):
        self.put("many.grxla", wrong_hashes(50))
        page = self.page("many.grxla")
        self.assertEqual(len(page.texts("article")), 1)
        self.assertIn("(50 times in this file)", page.texts("h3")[0])
        self.assertTrue(self.facts(page)["others"][0].startswith("and 49 more at +0x"))
        self.assertEqual(len(self.page("--all", "many.grxla").texts("article")), 50)
        page = self.page("--all", "--max-per-rule=7", "many.grxla")
        self.assertEqual(len(page.texts("article")), 7)
        self.assertIn("43 findings not shown (--all", page.texts("p", cls="verdict")[0])

    def test_rules_are_links_where_there_is_a_page(self):
        self.put("a.grxla", BAD)
        self.assertNotIn("<a ", self.page("--isolated", "a.grxla").source)
        self.put(".lightlint.yaml", b"docs_url: https://example.org/rules.md?a=%22&b\n")
        page = self.page("a.grxla")
        self.assertEqual(page.texts("a", href="https://example.org/rules.md?a=%22&b#grx265-name-hash"), ["GRX265 name-hash"] * 2)

    def test_lines_of_a_file_that_has_lines(self):
        self.put("a.grxla", GOOD)
        self.put(".lightlint-ignore.yaml", b"suppress:\n- file: a.grxla\n  rule: name-hash\n  reason: <b>Never</b> was.\n")
        page = self.page(".", "--fail-on=note")
        self.assertEqual(page.texts("article")[0].count("LL008"), 1)
        self.assertTrue(any("rule: name-hash" in text for text in page.texts("div", cls="lines")), page.texts("div"))
        self.assertEqual(self.facts(page)["where"], ["2:3"])

    def test_members_and_regions(self):
        self.put("a.fpk", archive([(b"/Assets/a.grxla", BAD), (b"/Assets/b.grxla", GOOD)]))
        page = self.page("--select=name-hash", "a.fpk")
        self.assertEqual(page.texts("h2")[-1], "a.fpk!/Assets/a.grxla")
        self.assertRegex(self.facts(page)["where"][0], r"^\+0x[0-9a-f]+\.\.0x[0-9a-f]+ \(byte \d+, 8 bytes\), \+0x[0-9a-f]+\.\.0x[0-9a-f]+ in the archive$")
        shutil.copy(os.path.join(DEMO, "bad-lzo-brightness.mrea"), self.home)
        self.assertIn(", which decompress to section[", self.facts(self.page("bad-lzo-brightness.mrea"))["where"][0])

    def test_findings_across_files(self):
        shutil.copytree(os.path.join(SOURCE, "corpus", "demo-mod"), self.path("mod"))
        findings = self.run_cli("--format=jsonl", "mod").findings()
        page = self.page("mod", code=None)
        self.assertEqual(len(page.texts("article")), len(findings))
        self.assertTrue(any(heading.endswith(" together with other files") for heading in page.texts("h2")), page.texts("h2"))
        self.assertRegex(" ".join(page.texts("p", cls="verdict")), r"and \d+ packages? checked")

    def test_plans(self):
        """A file with positions has a plan that shows the findings. A finding across files does not repeat it."""
        page = self.page(os.path.join(DEMO, "bad-tail-range.grxla"))
        self.assertEqual(len(page.texts("figure", cls="plan")), 1)
        self.assertIn("PL_gate2", page.texts("svg")[-1])
        self.assertIn("GRX405", page.texts("svg")[-1])
        self.put("empty.grxla", b"")
        self.assertEqual(self.page("empty.grxla", code=None).texts("figure", cls="plan"), [])
        self.put("a.fpk", archive([(b"/a.grxla", BAD), (b"/b.grxla", BAD)]))
        self.assertEqual(len(self.page("a.fpk").texts("figure", cls="plan")), 2)

    def test_output_file(self):
        self.put("a.grxla", BAD)
        self.run_cli("--format", "html", "-o", "report.html", "a.grxla", code=1)
        self.assertEqual(self.get("report.html"), self.run_cli("--format", "html", "a.grxla", code=1).out)


# ---------------------------------------------------------------- byte rows

class Row:
    """A row of bytes: its offset, and for each byte (value, role, tag of its mark)."""
    SPAN = re.compile(r"<(/?)(span|b|i)(?: class=\"role-([a-z]+)\")?>|([^<]+)")

    def __init__(self, text):
        offset, left, right, _ = re.fullmatch(r"<div><span>([0-9a-f]+)</span>  (<span>.*)  (<span>.*)  (<span>.*)</div>", text).groups()
        self.offset, self.bytes, self.ends = int(offset, 16), [], False
        for half in (left, right):
            stack = []
            for close, tag, role, words in self.SPAN.findall(half):
                if close:
                    stack.pop()
                elif tag:
                    stack.append((role, tag))
                else:
                    self.bytes += [(int(word, 16), stack[-1][0], stack[-1][1] if stack[-1][1] != "span" else "") for word in words.split()]
                    self.ends = self.ends or (words == "  " and stack[-1][1] == "b")


class Bytes(HtmlTest):
    @classmethod
    def setUpClass(cls):
        cls.cases = os.path.join(os.path.realpath(os.environ.get("TMPDIR", "/tmp")), "lightlint-html-%d" % os.getpid())
        cls.paths = sorted(build_all(os.path.join(SOURCE, "corpus"), cls.cases).values())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.cases)

    def test_the_page_of_all_cases(self):
        """The page is valid, for `tidy` as well if it is installed, and contains each finding of each case."""
        out = self.run_cli("--format=html:" + self.path("page.html"), "--format=jsonl", "--isolated", "--max-per-file=0", ".", cwd=self.cases, code=2)
        text, summary = self.get("page.html").decode(), out.lines()[-1]
        page = HtmlPage(text)
        self.assertIn(", %d with findings: %d errors, %d warnings, %d notes" % (
            summary["files_with_findings"], summary["errors"], summary["warnings"], summary["notes"]), "\n".join(page.texts("p", cls="verdict")))
        if not shutil.which("tidy"):
            self.skipTest("read by the strict reader; there is no tidy")
        done = subprocess.run(["tidy", "-q", "-e", "--show-warnings", "yes", "--show-info", "no"], input=text.encode(), capture_output=True, check=False)
        known = re.compile(r"inserting implicit <body>|<svg> proprietary attribute|trimming empty <(b|i|span|rect)>")
        self.assertEqual([line for line in done.stderr.decode().splitlines() if not known.search(line)][:5], [])

    def test_rows_are_the_bytes_with_what_they_are_for(self):
        """For one case in seventeen: bytes equal those of the file, roles those of the dump, and marks those of the
        finding and its related place."""
        marked = 0
        for path in self.paths[::17]:
            name = os.path.relpath(path, self.cases)
            findings = [f for f in self.run_cli("--format=jsonl", "--all", "--isolated", "--no-cross", name, cwd=self.cases).findings() if "inner" not in f]
            text = self.run_cli("--format=html", "--all", "--isolated", "--no-cross", name, cwd=self.cases).text
            articles = [part for part in re.findall(r"<article.*?</article>", text, re.S) if " in section[" not in part and "!" not in part.split("<dd>")[1]]
            if not findings or not os.path.getsize(path) or len(findings) != len(articles):
                continue
            with open(path, "rb") as file:
                data = file.read()
            dump = self.run_cli("dump", "--format=json", "--isolated", name, cwd=self.cases)
            types = {}
            for span in json.loads(dump.text)["spans"] if dump.out else []:
                if "inner" not in span and "region" not in span:
                    types.update(dict.fromkeys(range(span["offset"], span["offset"] + span["length"]), span["type"]))
            for f, article in zip(findings, articles, strict=True):
                rows = [Row(row) for row in re.findall(r"^<div><span>.*</div>$", article, re.M)]
                seen = {}
                for row in rows:
                    seen.update({row.offset + i: byte for i, byte in enumerate(row.bytes)})
                self.assertEqual({at: byte[0] for at, byte in seen.items()}, {at: data[at] for at in seen}, name)
                for at, (_, role, _) in seen.items():
                    if types and dump.code == 0:
                        wanted = types[at] if types[at] in ROLES else ""
                        self.assertIn(role, (wanted, "code") if not wanted or role == "code" else (wanted,), (name, hex(at), types[at]))
                hit = range(f["offset"], f["offset"] + max(1, f["length"]))
                self.assertEqual({at for at, byte in seen.items() if byte[2] == "b"}, set(hit) & set(seen), (name, f["rule"]))
                self.assertIn(f["offset"], {*seen, len(data)})
                self.assertEqual(any(row.ends for row in rows), f["offset"] == len(data), name)
                marked += any(byte[2] == "i" for byte in seen.values())
        self.assertGreater(marked, 10)

    def test_long_findings_and_far_related_places_are_cut(self):
        self.put("a.grxla", GOOD + b"\xaa" * 4096)
        page = self.page("--fail-on=note", "a.grxla")
        self.assertLess(max(text.count("\n") for text in page.texts("div", cls="hex")), 20)
        self.assertRegex(page.source, r">\.\.\. \d+ bytes more</div>")


# ---------------------------------------------------------------- no markup from files

class Hostile(HtmlTest):
    def test_names_of_files(self):
        names = []
        for name in HOSTILE:
            name = name.replace(b"/", b"_") + b".grxla"
            with open(os.path.join(os.fsencode(self.home), name), "wb") as file:
                file.write(BAD)
            names.append(name)
        page = self.page(".")
        self.assertEqual(len(page.texts("h2")) - 3, len(names))
        for name in names:
            if name.isascii() and all(32 <= c < 127 for c in name):
                self.assertIn(name.decode(), page.texts("h2"))

    def test_members_and_strings(self):
        members = []
        for i, name in enumerate(HOSTILE):
            data = bytearray(light_file([name, b"LP_%d" % i]))
            data[-40] ^= 1
            members.append((b"/" + name + b".grxla", bytes(data)))
        self.put("a.fpk", archive(members))
        page = self.page("--select=all", "--all", "a.fpk", code=None)
        self.assertGreater(len(page.texts("article")), len(HOSTILE))
        for path in ("/<script>alert(1)</script>.grxla", "/\"onmouseover=\"x.grxla"):
            self.assertIn("a.fpk!" + path, page.texts("h2"))
        self.assertIn("&lt;script&gt;", page.source)

    def test_words_of_a_pack(self):
        bad = "<b onclick=x>&amp; \"'</article>."
        self.put("pack.yaml", json.dumps([{
            "id": "YARD001", "name": "odd", "severity": "warning", "tags": ["value"], "on": "grx.name", "field": "text", "check": "regex",
            "value": "^`x`", "title": bad, "why": bad, "fix": bad, "evidence": bad}]).encode())
        self.put("a.grxla", GOOD)
        page = self.page("--rules", "pack.yaml", "--select", "YARD001", "a.grxla")
        facts = self.facts(page)
        self.assertEqual((facts["why"][0], facts["help"][0], facts["evidence"][0]), (bad, bad, bad))
        self.assertTrue(page.texts("h3")[0].endswith(bad[:-1]))


# ---------------------------------------------------------------- limits

class Limits(HtmlTest):
    def test_a_page_that_is_full_says_so(self):
        for i in range(5100):
            self.put("%d/%d.grxla" % (i % 10, i), BAD)
        self.put("z.grxla", wrong_hashes(3))
        text = self.run_cli("--format=html", "--all", ".", code=1).text
        self.assertEqual((text.count("<article "), text.count("<a href=\"#part-"), text.count("<h2 id=\"part-")), (5000, 5000, 5000))
        self.assertIn(">The page is full:</b> 103 findings in 101 files not shown. The tables count them, and other formats have them.</p>", text)
        self.assertRegex(text, r"Not drawn, as the page would be too large: \d+ plans\.</p>")
        self.assertRegex(text, r"<td class=\"number\">5103</td><td class=\"number\">5101</td>.*GRX265 name-hash</th>")

    def test_bytes_of_a_page_are_bounded(self):
        self.put("many.grxla", wrong_hashes(40000))
        text = self.run_cli("--format=html", "--all", "many.grxla", code=1).text
        self.assertLess(len(text.encode()), 21 << 20)
        self.assertEqual((text.count("<article "), text.count("</article>")), (1000, 1000))
        self.assertIn("<p>and 39000 more</p>", text)


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
