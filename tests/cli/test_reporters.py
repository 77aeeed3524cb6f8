#!/usr/bin/env python3
"""Output formats for continuous integration, parsed by the rules of their consumers.

    test_reporters.py BINARY SOURCE_DIR [unittest arguments]

The parsers below follow the documentation of GitHub's runner, GitLab, the JUnit schema of Jenkins, and CommonMark,
independently of how lightlint writes."""
import json
import os
import re
import sys
import unicodedata
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest, wrong_hashes  # noqa: E402

NEW = ["github", "gitlab", "junit", "markdown", "html", "statistics"]
DEMO = os.path.join(SOURCE, "corpus", "demo")
ERROR, WARNING, NOTE = "bad-tail-range.grxla", "bad-occ-w.grxoc", "odd-name-absent.grxla"  # one finding each
NAMES = [b"a b", b"50%", b"%0A%25", b"a,b", b"c:d::e", b"::error::x", b"##[error]x", b"q\"'", b"<&>", b"]]>", b"n\nl", b"r\rn",
         b"t\tb", b"\x1b[31m", b"\x01\x7f", b"\xff\xfe", "\u00e9\U0001f600".encode(), "\u202e\u200f".encode(),
         b"\xef\xbf\xbe", b"a|b", b"`a``b", b"[x](y)", b"*a*_b_", b"@user #1", b"back\\slash", b"\\n", b" lead", b"=a=b",
         b"--x", b"\xc2\x85"]
BIDI = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def visible(name, keep="", double=False):
    """Bytes as text without hidden characters: these become \\xNN, except those in `keep`. double: as in
    human-readable text, with two backslashes for one, and the second character of "::" and "##" hidden."""
    out, before = "", ""
    for c in name.decode("utf-8", "surrogateescape"):
        hidden = unicodedata.category(c) in ("Cc", "Cs") or c in BIDI or c in "\ufffe\uffff" or (double and c in "#:" and c == before)
        before = c
        if c in keep or not hidden:
            out += "\\\\" if c == "\\" and double else c
        else:
            out += "".join("\\x%02x" % byte for byte in c.encode("utf-8", "surrogateescape"))
    return out


class ReporterTest(CliTest):
    def put_demo(self, demo, *names):
        """Writes a file of corpus/demo under other names."""
        with open(os.path.join(DEMO, demo), "rb") as file:
            data = file.read()
        for name in names:
            self.put(name, data)

    def put_odd(self, data=BAD):
        """Writes one file per odd name; returns the names as bytes, in the order of the report."""
        names = sorted(name + b".grxla" for name in NAMES)
        for name in names:
            with open(os.path.join(os.fsencode(self.home), name), "wb") as file:
                file.write(data)
        return names

    def report(self, name, *arguments, code=1, **more):
        return self.run_cli("--format", name, *arguments, code=code, **more).out.decode("utf-8")


# ---------------------------------------------------------------- GitHub Actions

class Command:
    """A log line as parsed by ActionCommand.TryParseV2 of the runner. kind None: no command."""

    def __init__(self, line):
        self.kind, self.properties, self.message = None, {}, line
        line = line.lstrip()
        end = line.find("::", 2)
        if not line.startswith("::") or end < 0:
            return
        self.kind, _, properties = line[2:end].partition(" ")
        for pair in properties.strip().split(","):
            key, equals, value = pair.partition("=")
            if equals and value:
                self.properties[key] = self.unescape(value, ":%3A", ",%2C")
        self.message = self.unescape(line[end + 2:])

    @staticmethod
    def unescape(text, *more):
        for c, *escaped in ("\r%0D", "\n%0A", *more, "%%25"):
            text = text.replace("".join(escaped), c)
        return text


class GitHub(ReporterTest):
    def commands(self, *arguments, **more):
        lines = self.report("github", *arguments, **more).split("\n")
        self.assertEqual(lines.pop(), "")
        commands = [Command(line) for line in lines]
        for command in commands:
            self.assertIn(command.kind, (None, "error", "warning", "notice"))
            if command.kind is None:
                self.assertNotIn("##[", command.message)  # the other form of a command, anywhere in a line
        return commands

    def test_odd_names(self):
        names = self.put_odd()
        commands = self.commands(".")
        self.assertEqual([c.kind for c in commands], ["warning"] * len(names) + ["notice", None])
        for name, command in zip(names, commands, strict=False):
            self.assertEqual(command.properties, {"file": visible(name, "\r\n"), "title": "GRX265 name-hash"})
            sentence, help_ = command.message.split("\n")
            self.assertTrue(sentence.startswith(visible(name, double=True) + ": 'entry[1]."), sentence)
            self.assertRegex(sentence.split(". ")[0], r" at '\+0x[0-9a-f]+\.\.0x[0-9a-f]+': ")
            self.assertTrue(help_.startswith("Help: "), help_)

    def test_kinds(self):
        self.put_demo(ERROR, "e.grxla")
        self.put_demo(WARNING, "w.grxoc")
        self.put_demo(NOTE, "n.grxla")
        commands = self.commands("e.grxla", "n.grxla", "w.grxoc")
        self.assertEqual([c.kind for c in commands], ["error", "notice", "warning", None])
        self.assertEqual(commands[-1].message, "3 files checked, 3 with findings: 1 error, 1 warning, 1 note.")
        self.assertEqual(self.commands("-q", "./e.grxla")[0].properties["file"], "e.grxla")

    def put_many(self, errors, warnings, notes):
        self.put_demo(ERROR, *["e%02d.grxla" % i for i in range(errors)])
        self.put_demo(WARNING, *["w%02d.grxoc" % i for i in range(warnings)])
        self.put_demo(NOTE, *["n%02d.grxla" % i for i in range(notes)])

    def test_nothing_is_said_while_everything_has_an_annotation(self):
        self.put_many(10, 10, 9)
        commands = self.commands(".")
        self.assertEqual(len(commands), 30)
        self.assertEqual([c.kind for c in commands].count("notice"), 9)

    def test_the_last_notice_counts_what_has_no_annotation(self):
        for counts in ((11, 0, 0), (0, 12, 0), (0, 0, 10), (13, 11, 25)):
            with self.subTest(counts):
                for name in os.listdir(self.home):
                    os.remove(self.path(name))
                self.put_many(*counts)
                commands = self.commands(".", code=1 if counts[0] + counts[1] else 0)
                last = commands[-2]
                self.assertEqual((last.kind, last.properties), ("notice", {"title": "lightlint"}))
                shown = {kind: [c for c in commands if c.kind == kind][:10] for kind in ("error", "warning", "notice")}
                self.assertIn(last, shown["notice"])
                hidden = sum(counts) - sum(map(len, shown.values())) + 1
                self.assertTrue(last.message.startswith("%d of %d message" % (hidden, sum(counts))), last.message)
                for name in os.listdir(self.home):  # in the log, even if not as a command
                    self.assertEqual(sum(name + ": 'entry" in c.message for c in commands), 1, name)

    def test_notes_without_a_command_cannot_be_one(self):
        self.put_demo(NOTE, *["%02d::add-mask::x##[add-mask]x%%.grxla" % i for i in range(20)])
        commands = self.commands(".", code=0)
        plain = [c.message for c in commands if c.kind is None]
        self.assertEqual(len(plain), 12)
        self.assertTrue(plain[0].startswith("note: GRX290 name-absent: 09:\\x3aadd-mask:\\x3ax\\x23\\x23[add-mask]x%.grxla: '"), plain[0])

    def test_equal_findings_are_told_once(self):
        self.put("many.grxla", wrong_hashes(50))
        commands = self.commands("many.grxla")
        self.assertEqual([c.kind for c in commands], ["warning", None])
        self.assertTrue(commands[0].message.split("\n")[0].endswith(" (50 times in this file)"))
        commands = self.commands("--all", "many.grxla")
        self.assertEqual([c.kind for c in commands], ["warning"] * 50 + ["notice", None])
        self.assertNotIn("times in this file", commands[0].message)

    def test_limits_are_told(self):
        self.put("many.grxla", wrong_hashes(50))
        commands = self.commands("--all", "--max-per-rule=7", "many.grxla")
        self.assertEqual([c.kind for c in commands], ["warning"] * 7 + ["notice", None, None])
        self.assertIn("43 findings beyond the limits of the run", commands[7].message)


# ---------------------------------------------------------------- GitLab Code Quality

class GitLab(ReporterTest):
    def issues(self, *arguments, **more):
        issues = json.loads(self.report("gitlab", *arguments, **more))
        for issue in issues:
            self.assertEqual(sorted(issue), ["check_name", "description", "fingerprint", "location", "severity"])
            self.assertIn(issue["severity"], ("info", "minor", "major", "critical", "blocker"))
            self.assertEqual(issue["location"]["lines"], {"begin": 1})
            self.assertEqual(sorted(issue["location"]), ["lines", "path"])
            self.assertNotRegex(issue["location"]["path"], r"^\./|^/")
            self.assertRegex(issue["fingerprint"], r"\A[0-9a-f]{16}\Z")
            self.assertRegex(issue["description"], r"\A'[^']+' at '\+0x[0-9a-f]+(\.\.0x[0-9a-f]+)?( in \S+)?': \S")
        prints = [issue["fingerprint"] for issue in issues]
        self.assertEqual(len(prints), len(set(prints)))
        return issues

    def test_odd_names(self):
        names = self.put_odd()
        paths = [issue["location"]["path"] for issue in self.issues(".")]
        whole = "".join(map(chr, range(0xD800)))
        self.assertEqual(paths, [visible(name, keep=whole + BIDI + "\ufffe") for name in names])

    def test_severities(self):
        self.put_demo(ERROR, "e.grxla")
        self.put_demo(WARNING, "w.grxoc")
        self.put_demo(NOTE, "n.grxla")
        issues = self.issues("e.grxla", "n.grxla", "w.grxoc")
        self.assertEqual([issue["severity"] for issue in issues], ["critical", "info", "major"])
        self.assertEqual(issues[0]["check_name"], "GRX405 tail-range")

    def test_equal_findings_have_fingerprints_of_their_own(self):
        self.put("a/many.grxla", wrong_hashes(300))
        self.put("b/many.grxla", wrong_hashes(300))
        issues = self.issues("--all", "a", "b")
        self.assertEqual(len(issues), 600)

    def test_equal_names_below_two_roots_have_fingerprints_of_their_own(self):
        for root in "ab":
            self.put(root + "/.lightlint.yaml", b"root: true\n")
            self.put(root + "/bad.grxla", BAD)
        self.assertEqual(len(self.issues(".")), 2)

    def test_fingerprints_stay_when_other_files_come(self):
        self.put("b.grxla", BAD)
        alone = self.issues("./b.grxla")
        self.put("a.grxla", BAD)
        self.assertEqual(self.issues(".")[1], alone[0])

    def test_clean(self):
        self.put("good.grxla", GOOD)
        self.assertEqual(self.report("gitlab", "good.grxla", code=0), "[]\n")


# ---------------------------------------------------------------- JUnit XML

class JUnit(ReporterTest):
    # Element: (required attributes, optional attributes, children in order with their maximum number)
    SCHEMA = {
        "testsuites": ("", "name time tests failures disabled errors", [("testsuite", None)]),
        "testsuite": ("name tests", "failures errors time disabled skipped timestamp hostname id package",
                      [("properties", 1), ("testcase", None), ("system-out", 1), ("system-err", 1)]),
        "testcase": ("name", "assertions time classname status",
                     [("skipped", 1), ("error", None), ("failure", None), ("system-out", None), ("system-err", None)]),
        "failure": ("", "type message", []),
        "error": ("", "type message", []),
        "system-out": ("", "", []),
    }

    def check_element(self, element):
        must, may, children = self.SCHEMA[element.tag]
        self.assertLessEqual(set(must.split()), set(element.attrib), element.tag)
        self.assertLessEqual(set(element.attrib), set(must.split() + may.split()), element.tag)
        order = [name for name, _ in children]
        places = [order.index(child.tag) for child in element]
        self.assertEqual(places, sorted(places))
        for name, most in children:
            self.assertTrue(most is None or len(element.findall(name)) <= most, name)
        if children:
            self.assertEqual((element.text or "").strip(), "")
        for child in element:
            self.check_element(child)

    def suites(self, *arguments, **more):
        text = self.report("junit", *arguments, **more)
        self.assertTrue(text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n'))
        root = xml.etree.ElementTree.fromstring(text.encode())
        self.assertEqual(root.tag, "testsuites")
        self.check_element(root)
        for suite in root:
            cases = suite.findall("testcase")
            self.assertEqual(int(suite.get("tests")), len(cases))
            for what, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                self.assertEqual(int(suite.get(what)), sum(case.find(tag) is not None for case in cases))
            for case in cases:
                self.assertLessEqual(len(case.findall("failure") + case.findall("error")), 1)
                self.assertEqual(case.get("name"), suite.get("name"))
                self.assertRegex(case.get("classname"), r"\Alightlint\.(grx|unknown|text)\Z")
        return list(root)

    def outcome(self, suite):
        tags = [child.tag for child in suite.find("testcase")]
        return "+".join(tags) or "passed"

    def test_odd_names(self):
        names = self.put_odd()
        self.assertEqual([suite.get("name") for suite in self.suites(".")], [visible(name, "\t\n\r") for name in names])

    def test_found_texts_are_escaped(self):
        self.put("bad.grxla", wrong_hashes().replace(b"LP_0000", b"<&\x01]]>_"))
        text = self.suites("bad.grxla")[0].find("testcase/failure").text
        self.assertIn("<&\\x01]]>_", text)

    def test_outcomes_by_fail_level(self):
        self.put_demo(ERROR, "e.grxla")
        self.put_demo(WARNING, "w.grxoc")
        self.put_demo(NOTE, "n.grxla")
        self.put("good.grxla", GOOD)
        files = ["e.grxla", "good.grxla", "n.grxla", "w.grxoc"]
        wanted = {"error": ["failure", "passed", "system-out", "system-out"],
                  "warning": ["failure", "passed", "system-out", "failure"],
                  "note": ["failure", "passed", "failure", "failure"],
                  "never": ["system-out", "passed", "system-out", "system-out"]}
        for level, outcomes in wanted.items():
            suites = self.suites("--fail-on", level, *files, code=0 if level == "never" else 1)
            self.assertEqual([self.outcome(suite) for suite in suites], outcomes, level)
        failure = self.suites("e.grxla")[0].find("testcase/failure")
        self.assertEqual(failure.attrib, {"type": "error", "message": "1 error, 0 warnings, 0 notes"})

    def test_the_fail_level_is_that_of_the_file(self):
        self.put_demo(WARNING, "a/w.grxoc", "b/w.grxoc")
        self.put("a/.lightlint.yaml", b"fail-on: error\n")
        self.assertEqual([self.outcome(suite) for suite in self.suites(".")], ["system-out", "failure"])
        self.assertEqual([self.outcome(suite) for suite in self.suites("--fail-on=warning", ".")], ["failure", "failure"])

    def test_one_file_with_both(self):
        self.put_demo("bad-h11-vertex-added.grxoc", "a.grxoc")
        suite = self.suites("a.grxoc")[0]
        self.assertEqual(self.outcome(suite), "failure+system-out")
        failure, out = suite.find("testcase/failure"), suite.find("testcase/system-out")
        lines = [line for line in failure.text.split("\n") if not line.startswith("  ")]
        self.assertEqual([line.split("[")[0] for line in lines], ["error", "error", ""])
        self.assertTrue(out.text.startswith("note[GRX850 "), out.text)
        self.assertEqual(self.outcome(self.suites("--fail-on=note", "a.grxoc")[0]), "failure")

    def test_what_was_not_checked_is_an_error(self):
        self.put("good.grxla", GOOD)
        for level in ("warning", "never"):
            suites = self.suites("--fail-on", level, "gone.grxla", "good.grxla", code=2)
            self.assertEqual([self.outcome(suite) for suite in suites], ["error", "passed"])
            error = suites[0].find("testcase/error")
            self.assertIn("error[LL001 unreadable] ", error.text)
            self.assertTrue(error.get("message").startswith("Not checked, or not in full: 1 error"), error.get("message"))

    def test_limits_are_told(self):
        self.put("many.grxla", wrong_hashes(50))
        failure = self.suites("--all", "--max-per-rule=7", "many.grxla")[0].find("testcase/failure")
        self.assertIn("50 warnings", failure.get("message"))
        self.assertIn("43 findings not shown", failure.get("message"))
        self.assertEqual(failure.text.count("warning[GRX265"), 7)
        out = self.suites("--all", "--max-per-rule=7", "--fail-on=never", "many.grxla", code=0)[0].find("testcase/system-out")
        self.assertTrue(out.text.endswith("\n43 findings not shown (--all shows up to 50000 of a file)\n"),
                        out.text)

    def test_no_option_lifts_the_last_limit(self):
        self.put("many.grxla", wrong_hashes(50001))
        for limits in (["--all"], ["--max-per-rule=0", "--max-per-file=90000"]):
            lines = self.run_cli("--format", "jsonl", *limits, "many.grxla", code=1).text.splitlines()
            summary = json.loads(lines[-1])
            self.assertEqual((len(lines) - 1, summary["warnings"], summary["dropped"]), (50000, 50001, 1))

    def test_a_run_without_files_is_a_document(self):
        os.mkdir(self.path("empty"))
        self.assertEqual(self.suites("empty", code=0), [])


# ---------------------------------------------------------------- Markdown

class Page:
    """Blocks of a page: the parts of CommonMark that lightlint uses, with GitHub's tables."""

    def __init__(self, text):
        self.text = text
        self.headings = re.findall(r"^(#+) (.*)$", text, re.M)
        self.rows = [self.cells(line) for line in text.split("\n") if line.startswith("|")]
        self.items = re.findall(r"^- (.*)$", text, re.M)

    @staticmethod
    def cells(line):
        """A pipe ends a cell, even in a code span, unless a backslash precedes it."""
        return [cell.strip() for cell in re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]]

    @staticmethod
    def spans(text):
        """(is code, text) of the parts of a line. A code span ends at the next run of backticks of the same length."""
        at, plain = 0, ""
        while at < len(text):
            if text[at] == "\\" and at + 1 < len(text) and text[at + 1] in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~":
                plain, at = plain + text[at:at + 2], at + 2
                continue
            fence = re.match("`+", text[at:])
            if not fence:
                plain, at = plain + text[at], at + 1
                continue
            n = len(fence.group())
            end = re.search("(?<!`)`{%d}(?!`)" % n, text[at + n:])
            if not end:
                plain, at = plain + fence.group(), at + n
                continue
            yield False, plain
            code = text[at + n:at + n + end.start()]
            yield True, code[1:-1] if code[:1] == code[-1:] == " " and code.strip() else code
            plain, at = "", at + n + end.end()
        yield False, plain


class Markdown(ReporterTest):
    def page(self, *arguments, **more):
        page = Page(self.report("markdown", *arguments, **more))
        for row in page.rows:
            self.assertEqual(len(row), 5, row)
        for _, heading in page.headings[1:]:
            if heading == "By rule":
                continue
            self.assertEqual([part[0] for part in Page.spans(heading) if part[1]], [True], heading)
        for line in page.text.split("\n"):
            for code, text in Page.spans(line):
                if not code:
                    self.assertNotRegex(text, r"[<>]|(?<!&#64;)@", line)
        return page

    def test_odd_names(self):
        names = self.put_odd()
        page = self.page(".")
        files = [[text for code, text in Page.spans(heading) if code] for level, heading in page.headings if level == "###" and heading != "By rule"]
        self.assertEqual(files, [[visible(name, "\ufffe", double=True)] for name in names])
        self.assertEqual(page.rows[2], [str(len(names)), str(len(names)), "warning", "GRX265 name-hash",
                                        "The name hash is not the StrCode64 of the name."])
        self.assertEqual(len(page.items), len(names))

    def test_verdicts(self):
        self.put_demo(WARNING, "w.grxoc")
        self.put("good.grxla", GOOD)
        self.assertEqual(self.report("markdown", "good.grxla", code=0), "## lightlint: passed\n\n1 file checked, no findings.\n")
        self.assertEqual(self.page("w.grxoc").headings, [("##", "lightlint: failed"), ("###", "By rule"), ("###", "`w.grxoc`")])
        self.assertEqual(self.page("--fail-on=error", "w.grxoc", code=0).headings[0][1], "lightlint: passed")
        page = self.page("gone.grxla", "good.grxla", code=2)
        self.assertEqual(page.headings[0][1], "lightlint: not everything was checked")
        self.assertIn("LL001 unreadable", page.items[0])

    def test_items_say_place_and_field(self):
        self.put_demo("bad-h11-vertex-added.grxoc", "a.grxoc")
        page = self.page("a.grxoc")
        self.assertEqual([item.split(" at ")[0] for item in page.items],
                         ["**error** GRX125 entry-size-exact", "**error** GRX810 occ-arrays-range", "**note** GRX850 occ-vertex-use"])
        codes = [text for code, text in Page.spans(page.items[0]) if code]
        self.assertEqual(codes[:3], ["+0x64..0x68", "entry[1].entry_size", "entry_size 172"])

    def test_a_title_from_a_pack_means_nothing(self):
        title = "A | `b` <script>@me #1 *c* _d_ [e](f) \\ &amp; $x$ ~~y~~."
        self.put("pack.yaml", json.dumps([{
            "id": "YARD001", "name": "odd-title", "severity": "warning", "tags": ["value"], "on": "grx.name",
            "field": "text", "check": "regex", "value": "^`x`|``$", "title": title, "why": "W.", "fix": "F."}]).encode())
        self.put("good.grxla", GOOD)
        page = self.page("--rules", "pack.yaml", "--select", "YARD001", "good.grxla")
        self.assertEqual(len(page.rows), 3)
        plain = re.sub(r"\\(.)", r"\1", page.rows[2][4])
        plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&#64;", "@").replace("&amp;", "&")
        self.assertEqual(plain, title)
        for special in "|`*_[]#$~":
            self.assertNotRegex(page.rows[2][4].replace("&#64;", ""), r"(?<!\\)(?:\\\\)*" + re.escape(special))

    def test_the_severest_are_listed_and_the_rest_counted(self):
        self.put("many.grxla", wrong_hashes(50))
        page = self.page("--all", "many.grxla")
        self.assertEqual(len(page.items), 10)
        self.assertTrue(page.text.endswith("\n\nand 40 more\n"))
        page = self.page("many.grxla")
        self.assertTrue(page.items[0].endswith(" (50 times in this file)"))
        self.assertEqual(len(page.items), 1)
        page = self.page("--all", "--max-per-rule=7", "many.grxla")
        self.assertEqual((len(page.items), page.text.split("\n\n")[-1]), (7, "and 43 more\n"))

    def test_a_page_stays_below_what_github_takes(self):
        count = 4000
        for i in range(count):
            self.put("%s/%d.grxla" % ("d" * 200, i), BAD)
        page = self.page(".")
        self.assertLess(len(page.text.encode()), 1 << 20)
        self.assertGreater(len(page.text.encode()), 850_000)
        left = count - len(page.items)
        self.assertIn("\n**The page is full:** %d findings in %d files not shown. " % (left, left), page.text)
        self.assertEqual(page.rows[2][:2], [str(count)] * 2)


# ---------------------------------------------------------------- statistics

class Statistics(ReporterTest):
    def tables(self, *arguments, **more):
        """{title: [(findings, files, name)]}, and the last line."""
        *parts, verdict = self.report("statistics", *arguments, **more).rstrip("\n").split("\n\n")
        tables = {}
        for part in parts:
            title, heads, *rows = part.split("\n")
            self.assertRegex(heads, r"^ +findings +files  (severity  rule +what is wrong|field|record)$")
            column = len(re.match(" +findings +files  ", heads).group())
            rows = [(*map(int, row[:column].split()), re.sub(r"(?<=\S) {2}.*", "", row[column:]) if title != "By rule" else
                     re.match(r"\S+ +\S+ \S+", row[column:]).group()) for row in rows]
            self.assertTrue(all(row[column - 3:column] != "   " for row in part.split("\n")[2:]))
            self.assertEqual(rows, sorted(rows, key=lambda row: (-row[0], row[2])))
            tables[title] = rows
        return tables, verdict

    def test_it_has_no_limits_but_those_that_are_given(self):
        self.put("many.grxla", wrong_hashes(150))
        counted = [self.tables(*words, "many.grxla")[0]["By rule"][0][0]
                   for words in ([], ["--all", "--max-per-rule", "7"], ["--format", "jsonl:lines"], ["--format", "full:lines"])]
        self.assertEqual(counted, [150, 7, 150, 150])

    def test_they_are_the_sums_of_the_findings(self):
        tables, verdict = self.tables("--all", DEMO, code=2)
        findings = self.run_cli("--format=jsonl", "--all", DEMO).findings()
        wanted = {"By rule": {}, "By record": {}, "By field": {}}
        for f in findings:
            record = f.get("record", "(gap)" if f["path"].split(".")[-1] == "gap" else "(file)")
            path = re.sub(r"([^\]])\.[xyz]$", r"\1", f["path"])  # one element of a vector
            field = re.sub(r"\[\d+\]", "", path).rsplit(".", 1)[-1]
            field = record + "." + field if "field_type" in f else record  # some findings are about a whole record
            rule = "%-10s%s %s" % (f["severity"], f["rule"], f["name"])
            for title, name in (("By rule", rule), ("By record", record), ("By field", field)):
                wanted[title].setdefault(name, []).append(f["file"])
        for title, names in wanted.items():
            got = {name: (count, files) for count, files, name in tables[title]}
            self.assertEqual(got, {name: (len(files), len(set(files))) for name, files in names.items()}, title)
        self.assertEqual(verdict, self.run_cli("--all", DEMO).verdict())

    def test_the_option_is_the_format(self):
        self.put("bad.grxla", wrong_hashes(3))
        self.put("good.grxla", GOOD)
        self.assertEqual(self.run_cli("--statistics", ".", code=1).text, self.report("statistics", "."))
        tables, _ = self.tables(".")
        self.assertEqual(tables["By rule"], [(3, 1, "warning   GRX265 name-hash")])

    def test_clean(self):
        self.put("good.grxla", GOOD)
        self.assertEqual(self.report("statistics", "good.grxla", code=0), "1 file checked, no findings.\n")
        self.assertEqual(self.report("statistics", "-q", "good.grxla", code=0), "")


# ---------------------------------------------------------------- all of them

class Together(ReporterTest):
    def test_several_outputs_of_one_run(self):
        self.put_odd()
        self.put("good.grxla", GOOD)
        alone = {name: self.run_cli("--format", name, ".", "gone.grxla", code=2).out for name in NEW}
        wishes = ["--format=%s:out.%s" % (name, name) for name in NEW]
        self.run_cli("--format=concise", *wishes, ".", "gone.grxla", code=2)
        self.assertEqual({name: self.get("out." + name) for name in NEW}, alone)

    def test_all_formats_in_one_run(self):
        self.put("a.grxla", BAD)
        names = re.findall(r"[a-z-]+", self.run_cli("--format", "none", code=2).errors.split("there are:")[1])
        self.assertGreater(len(names), 10)
        self.run_cli(*["--format=%s:out.%s" % (name, name) for name in names], "a.grxla", code=1)
        for name in names:
            self.assertEqual(self.get("out." + name), self.run_cli("--format", name, "a.grxla", code=1).out, name)

    def test_order_and_threads(self):
        for i in range(60):
            self.put("%d/%d.grxla" % (i % 7, i), [GOOD, BAD, wrong_hashes(20), b"", b"not a light file"][i % 5])
        self.put("big.grxla", wrong_hashes(1000))
        for name in NEW:
            outputs = {self.run_cli("-j", str(jobs), "--format", name, *order, code=2).out
                       for jobs in (1, 2, 5) for order in ([".", "gone.grxla"], ["gone.grxla", "."])}
            self.assertEqual(len(outputs), 1, name)

    def test_an_unreadable_file_is_named(self):
        for name in NEW:
            text = self.report(name, "gone.grxla", code=2)
            self.assertIn("LL001", text)
            if name != "statistics":
                self.assertIn("gone.grxla", text)

    def test_an_absolute_path_is_left_alone(self):
        """Paths are relative only to what the caller knows, as the page on output formats says."""
        outside = self.put("elsewhere/bad.grxla", BAD)
        os.mkdir(self.path("here"))
        path = os.path.join(self.home, outside)
        issues = json.loads(self.report("gitlab", path, cwd=self.path("here")))
        self.assertEqual(issues[0]["location"]["path"], path)


class Marks(ReporterTest):
    """No format shows a suppressed finding; each shows an unused suppression, with its line."""

    def setUp(self):
        super().setUp()
        self.put_demo(WARNING, "w.grxoc")
        self.put(".lightlint-ignore.yaml", b"suppress:\n- file: w.grxoc\n  rule: occ-w\n  reason: Known.\n"
                                           b"- file: w.grxoc\n  rule: name-hash\n  reason: Never was.\n")

    def test_suppressed_findings_are_left_out(self):
        for name in NEW:
            text = self.report(name, ".")
            self.assertNotIn("GRX825", text, name)
            self.assertIn("LL008", text, name)
        self.assertIn(", 1 suppressed", self.report("statistics", "."))

    def test_remarks_have_lines(self):
        command = Command(self.report("github", ".").split("\n")[0])
        self.assertEqual(command.properties, {"file": ".lightlint-ignore.yaml", "line": "5", "title": "LL008 unused-suppression"})
        issue = json.loads(self.report("gitlab", "."))[0]
        self.assertEqual(issue["location"], {"path": ".lightlint-ignore.yaml", "lines": {"begin": 5}})

    def test_a_file_of_suppressed_findings_passes(self):
        root = xml.etree.ElementTree.fromstring(self.report("junit", "."))
        outcomes = {suite.get("name"): [child.tag for child in suite.find("testcase")] for suite in root}
        self.assertEqual(outcomes, {".lightlint-ignore.yaml": ["failure"], "w.grxoc": []})


# ---------------------------------------------------------------- the page on output formats

class Docs(ReporterTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE, "docs", "output-formats.md"), encoding="utf-8") as file:
            self.text = file.read()

    def test_every_format_has_a_section(self):
        formats = self.run_cli("--help").text.split("Formats:")[1].split("Exit codes:")[0]
        names = re.findall(r"[a-z]+(?:-[a-z]+)*", formats)
        self.assertLessEqual({"full", *NEW}, set(names))
        for name in names:
            self.assertTrue(re.search("^## .*`%s`" % name, self.text, re.M), name)
            self.assertTrue(re.search(r"^\| `%s` \|" % name, self.text, re.M), name)

    def test_the_problem_matcher_reads_concise(self):
        matcher = json.loads(re.search(r"^```json\n(.*?)^```", self.text, re.M | re.S).group(1))
        pattern = matcher["problemMatcher"][0]["pattern"][0]
        findings = self.run_cli("--format=jsonl", "--all", DEMO).findings()
        lines = self.run_cli("--format=concise", "--all", DEMO).text.split("\n")[:len(findings)]
        for line, f in zip(lines, findings, strict=True):
            match = re.search(pattern["regexp"], line)
            self.assertTrue(match, line)
            self.assertEqual([match[pattern[key]] for key in ("file", "severity", "code")],
                             [f["file"], f["severity"], f["rule"]])
            self.assertIn(f["path"], match[pattern["message"]])
        self.assertIsNone(re.search(pattern["regexp"], "24 files checked, no findings."))

    def test_the_examples_are_what_comes_out(self):
        examples = re.findall(r"```\w*\n\$ lightlint ([^\n]+)\n(.*?)^```", self.text, re.M | re.S)
        self.assertGreaterEqual(len(examples), 8)
        for arguments, text in examples:
            out = self.run_cli(*arguments.split(), cwd=SOURCE).text
            for piece in text.split("...\n"):
                self.assertIn(piece, out, arguments)


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
