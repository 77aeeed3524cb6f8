#!/usr/bin/env python3
"""Suppression files: what they suppress, what they may not contain, reports of unused entries, and how outputs show
suppressions.

    test_suppressions.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import re
import subprocess
import sys
import unittest

from cli_test import BAD, GOOD, LFS, PROGRAM, SOURCE, CliTest, is_sanitized, wrong_hashes

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = yaml = None

NAME = ".lightlint-ignore.yaml"
DAY = {"SOURCE_DATE_EPOCH": "1577923199"}  # 2020-01-01 23:59:59 UTC
HEAD = "suppress:\n"


class SuppressTest(CliTest):
    def sidecar(self, text, folder=""):
        """Writes a suppression file. Adds the key if only entries are given."""
        text = text if text.startswith(("suppress", "#!")) else HEAD + text
        return self.put(os.path.join(folder, NAME), text.encode())

    def lint(self, *arguments, code=None, **more):
        """Findings as (file, rule name, field path), and the summary."""
        lines = self.run_cli("--format", "jsonl", *arguments, code=code, **more).lines()
        return [(f["file"], f["name"], f["path"]) for f in lines[:-1]], lines[-1]

    def remarks(self, *arguments, **more):
        found, _ = self.lint(*arguments, **more)
        return [(name, path) for file, name, path in found if os.path.basename(file) == NAME]

    def refuses(self, text, where, *words, folder=""):
        self.put(os.path.join(folder, "a.grxla"), BAD)
        name = self.sidecar(text, folder)
        result = self.run_cli(".", code=2)
        first = result.errors.splitlines()[0]
        self.assertTrue(first.startswith("lightlint: %s:%s: " % (name, where)), first)
        for word in words:
            self.assertIn(word, first)


# ---------------------------------------------------------------- matching

class What(SuppressTest):
    def test_a_finding_is_suppressed_and_counted(self):
        self.put("a.grxla", BAD)
        self.put("b.grxla", BAD)
        self.sidecar("- {file: a.grxla, rule: name-hash, reason: shipped so}\n")
        found, summary = self.lint(".", code=1)
        self.assertEqual([f[0] for f in found], ["b.grxla"])
        self.assertEqual((summary["warnings"], summary["suppressed"], summary["files_with_findings"]), (1, 1, 1))
        found, summary = self.lint("a.grxla", code=0)
        self.assertEqual((found, summary["suppressed"], summary["baselined"]), ([], 1, 0))
        self.assertIn(", 1 suppressed.", self.run_cli("a.grxla", code=0).text)
        self.assertNotIn("suppressed", self.run_cli("--no-suppressions", "a.grxla", code=1).text)
        self.assertNotIn("suppressed", self.run_cli("--isolated", "a.grxla", code=1).text)

    def test_rules_go_by_id_and_by_name(self):
        self.put("a.grxla", BAD)
        identity = self.run_cli("--format=jsonl", "a.grxla").findings()[0]["rule"]
        for rule in (identity, "name-hash", "grx/name-hash"):
            self.sidecar("- {file: a.grxla, rule: %s, reason: x}\n" % rule)
            self.assertEqual(self.lint("a.grxla", code=0)[0], [])
        self.sidecar("- {file: a.grxla, rule: name-absent, reason: x}\n")
        self.assertEqual(len(self.lint("a.grxla", code=1)[0]), 2)  # one of them is an unused suppression

    def test_paths_are_patterns_with_plain_brackets(self):
        self.put("a.grxla", wrong_hashes(3))
        paths = [path for _, _, path in self.lint("a.grxla")[0]]
        self.assertEqual(len(paths), 3)
        for pattern, left in ((paths[1], 2), (paths[1].replace("2", "?"), 0), ("*", 0), (paths[0].split(".")[0] + ".*", 2),
                              ("entry[*].name_hash", 0), ("entry[*].name", None)):
            self.sidecar('- {file: a.grxla, rule: name-hash, path: "%s", reason: x}\n' % pattern)
            found, summary = self.lint("a.grxla")
            hashes = [f for f in found if f[1] == "name-hash"]
            self.assertEqual(len(hashes), 3 if left is None else left, pattern)
            self.assertEqual(summary["suppressed"], 3 - len(hashes))

    def test_fingerprints_need_neither_file_nor_rule(self):
        self.put("a/x.grxla", wrong_hashes(2))
        first, second = self.run_cli("--format=jsonl", ".").findings()
        self.sidecar('- {fingerprint: "%s", reason: x}\n' % second["fingerprint"])
        self.assertEqual(self.lint(".", code=1)[0], [("a/x.grxla", "name-hash", first["path"])])
        self.sidecar('- {fingerprint: "%s", file: b/**, reason: x}\n' % second["fingerprint"])
        self.assertEqual(len(self.lint("a/x.grxla", code=1)[0]), 2)
        self.sidecar('- {fingerprint: "%s", rule: name-absent, reason: x}\n' % second["fingerprint"])
        self.assertEqual(len([f for f in self.lint(".", code=1)[0] if f[1] == "name-hash"]), 2)

    def test_of_entries_that_fit_the_first_gives_the_reason(self):
        self.put("a.grxla", BAD)
        print_of = self.run_cli("--format", "jsonl", ".", code=1).lines()[0]["fingerprint"]
        entries = ["- {file: a.grxla, rule: name-hash, reason: by file}\n", '- {fingerprint: "%s", reason: by print}\n' % print_of,
                   '- {file: "*", rule: name-hash, reason: by pattern}\n']
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            self.sidecar("".join(entries[i] for i in order))
            self.assertEqual(self.remarks(".", code=0), [])
            log = json.loads(self.run_cli("--format=sarif", ".").text)
            said = log["runs"][0]["results"][0]["suppressions"][0]["justification"]
            self.assertEqual(said, ("by file", "by print", "by pattern")[order[0]])

    def test_a_fingerprint_holds_wherever_the_run_starts_and_whatever_the_baseline(self):
        self.put("p/sub/a.grxla", BAD)
        self.put("p/b.grxla", BAD)
        self.sidecar("suppress: []\n", "p")
        prints = [f["fingerprint"] for f in self.run_cli("--format=jsonl", ".", cwd=self.path("p"), code=1).findings()]
        self.sidecar("".join("- {fingerprint: '%s', reason: r}\n" % p for p in prints), "p")
        for top in ("", "p/.lightlint.yaml"):
            if top:
                self.put(top, b"root: true\n")
            for cwd, path in (("p", "."), ("p/sub", ".."), ("p/sub", "a.grxla"), (".", "p"), ("/", self.path("p"))):
                found, summary = self.lint(path, cwd=self.path(cwd), code=0)
                self.assertEqual((found, summary["suppressed"]), ([], 1 if path == "a.grxla" else 2), (cwd, path))
            self.run_cli("baseline", "create", "-o", "known.jsonl", "p", code=0)
            self.assertEqual(len(self.get("known.jsonl").splitlines()), 1)
            self.assertEqual(self.lint("--baseline", "known.jsonl", "p", code=0)[1]["suppressed"], 2)
            os.remove(self.path("known.jsonl"))

    def test_files_are_anchored_to_the_directory_of_the_sidecar(self):
        names = ("x.grxla", "d/x.grxla", "d/e/x.grxla", "d/y.grxla", "d[1]/x.grxla")
        for name in names:
            self.put(name, BAD)
        for pattern, fits in (("x.grxla", "x.grxla"), ("/x.grxla", "x.grxla"), ("d/x.grxla", "d/x.grxla"), ("d/*.grxla", "d/x.grxla d/y.grxla"),
                              ("**/x.grxla", "x.grxla d/x.grxla d/e/x.grxla d[1]/x.grxla"), ("d", "d/x.grxla d/e/x.grxla d/y.grxla"),
                              ("d/", "d/x.grxla d/e/x.grxla d/y.grxla"), ("*/e/**", "d/e/x.grxla"), ("d/[x-z].grxla", "d/x.grxla d/y.grxla"),
                              ("d\\[1]/*", "d[1]/x.grxla"), ("./d/y.grxla", "d/y.grxla"), ("**", " ".join(names))):
            self.sidecar("- {file: '%s', rule: name-hash, reason: x}\n" % pattern)
            for operands in (["."], [self.home], list(names)):
                found, summary = self.lint(*operands)
                left = {os.path.relpath(os.path.join(self.home, f[0]), self.home) for f in found}
                self.assertEqual(set(names) - left, set(fits.split()), (pattern, operands))
                self.assertEqual(summary["suppressed"], len(fits.split()))

    def test_all_sidecars_above_hold_the_nearest_first(self):
        self.put("a/b/x.grxla", wrong_hashes(2))
        paths = [f[2] for f in self.lint(".")[0]]
        self.sidecar("- {file: a/b/x.grxla, rule: name-hash, reason: outer}\n")
        self.sidecar('- {file: "*/x.grxla", rule: name-hash, path: "%s", reason: inner}\n' % paths[1], "a")
        self.assertEqual(self.lint(".", code=0)[1]["suppressed"], 2)
        self.assertEqual(self.lint(".", "a/b/x.grxla", "a/b", code=0)[1]["suppressed"], 2)
        log = json.loads(self.run_cli("--format=sarif", "a/b/x.grxla").text)
        said = [result["suppressions"][0] for result in log["runs"][0]["results"]]
        self.assertEqual([s["justification"] for s in said], ["outer", "inner"])
        places = [s["location"]["physicalLocation"] for s in said]
        self.assertEqual([p["artifactLocation"]["uri"] for p in places], [NAME, "a/" + NAME])
        self.assertEqual([p["region"]["startLine"] for p in places], [2, 2])
        self.assertEqual(self.lint("x.grxla", cwd=self.path("a/b"), code=0)[1]["suppressed"], 2)

    def test_the_search_ends_where_that_for_configurations_does(self):
        self.put("a/b/x.grxla", BAD)
        self.sidecar("- {file: a/**, rule: name-hash, reason: x}\n")
        self.assertEqual(self.lint("a/b/x.grxla", code=0)[1]["suppressed"], 1)
        self.put("a/.lightlint.yaml", b"root: true\n")
        self.assertEqual(self.lint("a/b/x.grxla", code=1)[1]["suppressed"], 0)

    def test_a_change_of_severity_is_no_matter(self):
        self.put("a.grxla", BAD)
        self.sidecar("- {file: a.grxla, rule: name-hash, reason: x}\n")
        self.assertEqual(self.lint("--severity", "name-hash=note", "a.grxla", code=0)[1]["suppressed"], 1)

    def test_limits_act_on_what_is_left(self):
        self.put("a.grxla", wrong_hashes(6))
        paths = [f[2] for f in self.lint("--all", "a.grxla")[0]]
        self.sidecar("".join('- {file: a.grxla, rule: name-hash, path: "%s", reason: x}\n' % path for path in paths[:3]))
        found, summary = self.lint("--max-per-rule=2", "a.grxla", code=1)
        self.assertEqual([f[2] for f in found], paths[3:5])
        self.assertEqual((summary["warnings"], summary["suppressed"], summary["dropped"]), (3, 3, 1))
        self.assertEqual(len(self.lint("--max-per-file=1", "a.grxla", code=1)[0]), 1)

    def test_standard_input_has_the_sidecars_of_its_name(self):
        os.mkdir(self.path("a"))
        self.sidecar("- {file: x.grxla, rule: name-hash, reason: x}\n", "a")
        self.assertEqual(self.lint("--stdin-name", "a/x.grxla", "-", stdin=BAD, code=0)[1]["suppressed"], 1)
        self.assertEqual(self.lint("--stdin-name", "x.grxla", "-", stdin=BAD, code=1)[1]["suppressed"], 0)

    def test_threads_make_no_difference(self):
        for i in range(60):
            self.put("d%d/%02d.grxla" % (i % 7, i), wrong_hashes(3) if i % 3 else GOOD)
        self.sidecar('- {file: "d*/?[0-4].grxla", rule: name-hash, reason: x}\n- {file: d1/99.grxla, rule: name-hash, reason: gone}\n')
        for i in range(7):
            self.sidecar('- {file: "*", rule: name-hash, path: "entry[2]*", reason: x}\n', "d%d" % i)
        want = self.run_cli("-j1", "--format=sarif", ".", code=1).out
        self.assertGreater(want.count(b'"kind":"external"'), 50)
        for jobs in ("-j2", "-j8"):
            self.assertEqual(self.run_cli(jobs, "--format=sarif", ".", code=1).out, want)


# ---------------------------------------------------------------- unused suppressions

class Unused(SuppressTest):
    ENTRY = "- file: %s\n  rule: name-hash\n  reason: x\n"

    def test_a_file_that_was_checked(self):
        self.put("a.grxla", GOOD)
        self.put("b.grxla", GOOD)
        name = self.sidecar("# known\n- {file: x, rule: name-hash, reason: y}\n".replace("# known", "").lstrip() + self.ENTRY % "a.grxla")
        lines = self.run_cli("--format=jsonl", "a.grxla", code=1).lines()
        self.assertEqual(len(lines), 2)
        finding = lines[0]
        self.assertEqual((finding["file"], finding["name"], finding["severity"], finding["path"]), (name, "unused-suppression", "warning", "suppress[1]"))
        text = self.get(NAME)
        self.assertEqual(text[finding["offset"]:][:finding["length"]], b"file: a.grxla\n  rule: name-hash\n  reason: x")
        self.assertIn("a.grxla", finding["found"])
        self.assertEqual(lines[1]["files"], 2)
        self.assertEqual(self.remarks("b.grxla", code=0), [])

    def test_patterns_are_judged_where_everything_was_walked(self):
        self.put("d/a.grxla", GOOD)
        self.put("d/e/b.grxla", GOOD)
        self.sidecar("".join(self.ENTRY % name for name in ("d/*.grxla", "'**/b.grxla'", "d/gone.grxla", "d/e/b.grxla")))
        every = [("unused-suppression", "suppress[%d]" % i) for i in range(4)]
        self.assertEqual(self.remarks("."), every)
        self.assertEqual(self.remarks(self.home), every)
        self.assertEqual(self.remarks("d"), [every[0], every[2], every[3]])
        self.assertEqual(self.remarks("d/e"), [every[3]])
        self.assertEqual(self.remarks("d/a.grxla"), [])
        self.assertEqual(self.remarks("d/a.grxla", "d/e/b.grxla"), [every[3]])
        self.assertEqual(self.remarks(".", "--exclude", "*.rgm"), [every[3]])
        self.assertEqual(self.remarks(".", cwd=self.path("d/e")), [every[3]])
        shards = [self.remarks(".", "--shard", "%d/2" % i) for i in (1, 2)]
        self.assertEqual(sorted(shards), [[], [every[3]]])

    def test_what_was_not_seen_is_not_judged(self):
        self.put("a.grxla", BAD)
        self.put("lfs.grxla", LFS)
        self.sidecar(self.ENTRY % "a.grxla" + self.ENTRY % "lfs.grxla" + "- {fingerprint: 0123456789abcdef, reason: x}\n")
        self.assertEqual(self.remarks("."), [])  # the fingerprint may belong to the file that was not checked
        os.remove(self.path("lfs.grxla"))
        gone, unused = ("unused-suppression", "suppress[1]"), ("unused-suppression", "suppress[2]")
        self.assertEqual(self.remarks("."), [gone, unused])
        self.assertEqual(self.remarks("a.grxla"), [])
        self.assertEqual(self.remarks(".", "--ignore", "name-hash"), [])
        self.assertEqual(self.remarks(".", "--ignore", "tail-range"), [gone])  # the rule of a fingerprint is unknown

    def test_remarks_are_rules_like_others(self):
        self.put("a.grxla", GOOD)
        self.sidecar(self.ENTRY % "a.grxla")
        self.assertEqual(self.run_cli("a.grxla", "--fail-on=error", code=0).text.count("LL008"), 2)
        self.run_cli("a.grxla", "--severity=LL008=error", "--fail-on=error", code=1)
        self.assertEqual(self.remarks("a.grxla", "--ignore", "unused-suppression", code=0), [])
        self.assertEqual(self.remarks("a.grxla", "--select", "GRX", code=0), [])
        self.assertEqual(self.remarks("a.grxla", "--no-suppressions", code=0), [])

    def test_they_come_after_all_files_in_the_order_of_paths(self):
        for folder in ("", "b", "a", "a/z"):
            self.put(os.path.join(folder, "x.grxla"), BAD)
            self.sidecar(self.ENTRY % "gone.grxla", folder)
        found, _ = self.lint("b", ".", code=1)
        self.assertEqual([f[0] for f in found], ["a/x.grxla", "a/z/x.grxla", "b/x.grxla", "x.grxla"] +
                         [NAME, "a/" + NAME, "a/z/" + NAME, "b/" + NAME])

    def test_a_file_of_one_line_has_a_place_for_each_entry(self):
        self.put("a.grxla", GOOD)
        self.sidecar("suppress: [{file: a.grxla, rule: name-hash, reason: \u00e4\u00f6\u00fc}, {file: a.grxla, rule: tail-range, reason: \u20ac}]\n")
        found = self.run_cli("--format=jsonl", ".", code=1).findings()
        text = self.get(NAME)
        places = [text[f["offset"]:][:f["length"]] for f in found]
        self.assertEqual(places[0], "{file: a.grxla, rule: name-hash, reason: \u00e4\u00f6\u00fc}".encode())
        self.assertTrue(places[1].startswith("{file: a.grxla, rule: tail-range, reason: \u20ac}".encode()), places)

    def test_a_byte_order_mark_moves_no_place(self):
        self.put("a.grxla", GOOD)
        entry = "{file: a.grxla, rule: name-hash, reason: \u00e4}"
        for text in ("suppress: [%s]\r\n" % entry, "suppress:\r\n  - %s\r\n" % entry):
            self.put(NAME, b"\xef\xbb\xbf" + text.encode())
            [found] = self.run_cli("--format=jsonl", ".", code=1).findings()
            self.assertTrue(self.get(NAME)[found["offset"]:][:found["length"]].startswith(entry.encode()), found)

    def test_comments_behind_an_entry_are_not_part_of_it(self):
        self.put("a.grxla", GOOD)
        self.sidecar(self.ENTRY % "a.grxla" + "\n# about the next one\n  # and more\n" + self.ENTRY % "a.grxla" + "# end\n\n")
        text = self.get(NAME)
        found = self.run_cli("--format=jsonl", ".", code=1).findings()
        self.assertEqual(len(found), 2)
        for f in found:
            self.assertEqual(text[f["offset"]:][:f["length"]], (self.ENTRY % "a.grxla")[2:].strip().encode())


class Expired(SuppressTest):
    def test_the_last_day_counts(self):
        self.put("a.grxla", BAD)
        for day, code in (("2020-01-01", 0), ("2020-01-02", 0), ("2019-12-31", 1)):
            self.sidecar("- {file: a.grxla, rule: name-hash, reason: x, expires: %s}\n" % day)
            found, summary = self.lint(".", code=code, env=DAY)
            self.assertEqual(summary["suppressed"], 1 - code)
            want = [("a.grxla", "name-hash"), (NAME, "expired-suppression")] if code else []
            self.assertEqual([f[:2] for f in found], want)

    def test_an_expired_one_says_since_when(self):
        self.put("a.grxla", GOOD)
        self.sidecar("- {file: gone.grxla, rule: name-hash, reason: x, expires: 2019-12-31}\n")
        finding, = self.run_cli("--format=jsonl", "a.grxla", code=1, env=DAY).findings()
        self.assertEqual((finding["found"], finding["expected"]), ("expires: 2019-12-31", "2020-01-01 or later"))

    def test_the_day_comes_from_the_system(self):
        self.put("a.grxla", BAD)
        self.sidecar("- {file: a.grxla, rule: name-hash, reason: x, expires: 2020-01-01}\n")
        self.environment.pop("SOURCE_DATE_EPOCH", None)
        self.assertEqual(self.remarks("."), [("expired-suppression", "suppress[0]")])
        self.sidecar("- {file: a.grxla, rule: name-hash, reason: x, expires: 9999-12-31}\n")
        self.lint(".", code=0)
        for bad in ("", "x", "-1", "1 ", "99999999999999999999", "253402300800"):
            self.assertIn("SOURCE_DATE_EPOCH", self.run_cli(".", code=2, env={"SOURCE_DATE_EPOCH": bad}).errors)
        self.lint(".", code=0, env={"SOURCE_DATE_EPOCH": "253402300799"})
        self.sidecar("- {file: a.grxla, rule: name-hash, reason: x}\n")
        self.lint(".", code=0, env={"SOURCE_DATE_EPOCH": "x"})  # the day is not needed


# ---------------------------------------------------------------- refused files

class Refused(SuppressTest):
    GOOD_ENTRY = "- {file: a.grxla, rule: name-hash, reason: x%s}\n"

    def test_keys(self):
        self.refuses(self.GOOD_ENTRY % ", rules: x", "2:47", "unknown key 'rules'", "did you mean 'rule'?")
        self.refuses(self.GOOD_ENTRY % ", zzzzzzzz: x", "2:47", "unknown key 'zzzzzzzz'", "fingerprint")
        self.refuses("suppressions: []\n", "1:1", "unknown key 'suppressions'", "suppress")
        self.refuses("suppress: {}\n", "1:11", "expected a list")
        self.refuses("suppress:\n", "1:10", "expected a list", "nothing")
        self.refuses("#!\n- x\n", "2:1", "expected a map")
        self.refuses("- x\n", "2:3", "expected an entry")

    def test_a_file_beyond_the_limit_has_no_place(self):
        name = self.sidecar("# " + "x" * 16 * 1024 * 1024)
        self.put("a.grxla", BAD)
        self.assertEqual(self.run_cli(".", code=2).errors, "lightlint: %s: more than 16 MiB of YAML; split the file\n" % name)

    def test_many_entries(self):
        entries = "".join("- {file: %d.grxla, rule: name-hash, reason: x}\n" % number for number in range(60000))
        self.put("a.grxla", BAD)
        for form in ("", "# \u00e9\n"):
            self.sidecar("suppress:\n%s%s- {file: a.grxla, rule: name-hash, reason: x}\n" % (form, entries))
            self.run_cli("--ignore", "unused-suppression", ".", code=0)

    def test_what_an_entry_needs(self):
        self.refuses("- {file: a.grxla, rule: name-hash}\n", "2:3", "'reason'")
        self.refuses("- {file: a.grxla, rule: name-hash, reason: ' '}\n", "2:44", "reason")
        self.refuses("- {file: a.grxla, rule: name-hash, reason: [x]}\n", "2:44", "reason", "a list")
        self.refuses("- {file: a.grxla, reason: x}\n", "2:3", "'rule' or 'fingerprint'")
        self.refuses("- {rule: name-hash, reason: x}\n", "2:3", "'file'")
        self.refuses("- {file: a.grxla, path: '*', reason: x}\n", "2:3", "'rule' or 'fingerprint'")

    def test_rules(self):
        self.refuses("- {file: a.grxla, rule: name-hsh, reason: x}\n", "2:25", "name-hsh", "did you mean 'name-hash'?")
        self.refuses("- {file: a.grxla, rule: GRX, reason: x}\n", "2:25")
        self.refuses("- {file: a.grxla, rule: unreadable, reason: x}\n", "2:25", "LL001", "locked")
        self.refuses("- {file: a.grxla, rule: LL005, reason: x}\n", "2:25", "unknown-format", "locked")
        for rule in ("unused-suppression", "LL009", "stale-baseline"):
            self.refuses("- {file: a.grxla, rule: %s, reason: x}\n" % rule, "2:25", "cannot be suppressed", "--ignore")

    def test_dates(self):
        for day in ("2020-13-01", "2020-00-01", "2020-01-00", "2021-02-29", "2020-04-31", "1900-02-29", "2020-1-1", "20200101", "tomorrow",
                    "2020-01-01T00:00", "2020-01-1"):
            self.refuses(self.GOOD_ENTRY % (", expires: '%s'" % day), "2:56", day, "2026-11-21")
        self.sidecar(self.GOOD_ENTRY % ", expires: 2400-02-29")
        self.put("a.grxla", BAD)
        self.lint(".", code=0)

    def test_patterns_and_fingerprints(self):
        self.refuses("- {file: 'a[.grxla', rule: name-hash, reason: x}\n", "2:10", "a[.grxla", "']'")
        self.refuses("- {file: '../a.grxla', rule: name-hash, reason: x}\n", "2:10", "'..'")
        self.refuses("- {file: '/', rule: name-hash, reason: x}\n", "2:10")
        self.refuses(self.GOOD_ENTRY % ", path: 'x\\'", "2:53", "backslash")
        for print_ in ("0123456789abcde", "0123456789ABCDEF", "0123456789abcdef0", "0x23456789abcdef"):
            self.refuses("- {fingerprint: '%s', reason: x}\n" % print_, "2:17", "16 hex digits")

    def test_yaml(self):
        self.refuses("- {file: a.grxla, rule: name-hash, reason: x\n", "3:1")
        self.refuses(self.GOOD_ENTRY % ", reason: y", "2:47", "duplicate key")
        self.refuses("- &a {file: a.grxla, rule: name-hash, reason: x}\n", "2:3", "anchor")

    def test_a_sidecar_below_ends_the_run_as_well(self):
        self.refuses("- x\n", "2:3", folder="d/e")

    def test_nothing_to_suppress_is_fine(self):
        self.put("a.grxla", GOOD)
        for text in ("", "# nothing yet\n", "suppress: []\n"):
            self.put(NAME, text.encode())
            self.assertEqual(self.run_cli(".", code=0).text, "1 file checked, no findings.\n")

    def test_a_sidecar_that_cannot_be_read(self):
        self.put("a.grxla", GOOD)
        os.mkdir(self.path(NAME))
        self.assertIn(NAME + ": ", self.run_cli(".", code=2).errors)
        self.run_cli("--no-suppressions", ".", code=0)

    def test_findings_of_locked_rules_have_fingerprints_that_suppress_nothing(self):
        self.put("a.grxla", b"")
        self.put("b.grxla", LFS)
        prints = {f["name"]: f["fingerprint"] for f in self.run_cli("--format=jsonl", ".").findings()}
        locked = ["foreign-file"]
        self.assertEqual(sorted(prints), ["empty", *locked])
        self.sidecar("".join("- {fingerprint: '%s', reason: x}\n" % value for value in prints.values()))
        found, summary = self.lint(".")
        self.assertEqual(sorted(f[1] for f in found if f[0] != NAME), sorted(locked))
        self.assertEqual(summary["suppressed"], len(prints) - len(locked))


# ---------------------------------------------------------------- outputs and documents

class Outputs(SuppressTest):
    def setUp(self):
        super().setUp()
        self.put("d/a.grxla", wrong_hashes(3))
        self.put("d/b.grxla", BAD)
        self.sidecar("- {file: d/a.grxla, rule: name-hash, reason: 'one\n    reason'}\n- {file: d/c.grxla, rule: name-hash, reason: gone}\n")

    def test_sarif_follows_the_rules_of_the_standard(self):
        for profile in ("sarif", "sarif-github"):
            log = self.put(profile + ".json", self.run_cli("--format", profile, ".", code=1).out)
            check = os.path.join(SOURCE, "tests", "tools", "check_sarif.py")
            done = subprocess.run([sys.executable, "-B", check, "--profile", profile, "--root", self.home, log], cwd=self.home,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            results = json.loads(self.get(log))["runs"][0]["results"]
            marked = [r["suppressions"][0]["justification"] for r in results if r["suppressions"]]
            self.assertEqual(marked, ["one reason"] * (3 if profile == "sarif" else 0))
            self.assertEqual({r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results},
                             {"d/b.grxla", ".lightlint-ignore.yaml"} | ({"d/a.grxla"} if profile == "sarif" else set()))

    def test_the_checker_finds_what_the_standard_forbids(self):
        """Tests that the checks of suppressions in check_sarif.py can fail."""
        log = json.loads(self.run_cli("--format=sarif", ".", code=1).text)
        check = os.path.join(SOURCE, "tests", "tools", "check_sarif.py")

        def spoil(change):
            spoiled = json.loads(json.dumps(log))
            change(spoiled["runs"][0]["results"])
            self.put("spoiled.json", json.dumps(spoiled).encode())
            return subprocess.run([sys.executable, "-B", check, "--profile", "sarif", self.path("spoiled.json")],
                                  capture_output=True, text=True, check=False).returncode

        self.assertEqual(spoil(lambda results: None), 0)
        self.assertEqual(spoil(lambda results: results[3].pop("suppressions")), 1)
        self.assertEqual(spoil(lambda results: results[0]["suppressions"][0].pop("justification")), 1)
        self.assertEqual(spoil(lambda results: results[0]["suppressions"][0].update(kind="inSource")), 1)
        self.assertEqual(spoil(lambda results: results[0]["suppressions"][0].pop("status")), 1)
        self.assertEqual(spoil(lambda results: results[0].update(baselineState="new")), 1)
        self.assertEqual(spoil(lambda results: [r.update(baselineState="new") for r in results]), 0)
        self.assertEqual(spoil(lambda results: results[0]["suppressions"][0]["location"]["physicalLocation"].pop("region")), 1)

    def test_no_other_format_shows_them(self):
        formats = self.run_cli("--help", code=0).text
        self.assertIn("sarif", formats)
        for format_ in ("full", "concise", "json", "jsonl", "github", "gitlab", "junit", "markdown", "html"):
            text = self.run_cli("--format", format_, "--all", ".", code=1).text
            self.assertIn("b.grxla", text)
            self.assertNotIn("entry[2]", text, format_)
            if format_ not in ("json", "junit"):  # these list the file, without findings
                self.assertNotIn("a.grxla", text, format_)
        files = json.loads(self.run_cli("--format=json", ".", code=1).text)["files"]
        self.assertEqual([(file["file"], file["format"], len(file["findings"])) for file in files],
                         [("d/a.grxla", "grx", 0), ("d/b.grxla", "grx", 1), (NAME, "text", 1)])


class Many(SuppressTest):
    """9,000 entries for 300 files: the file is read once, and only entries that may match a file are compared with
    it."""

    def seconds(self, code, *arguments):
        start = os.times()
        result = self.run_cli("-j1", "-q", "--format", "concise", *arguments, code=code)
        return sum(os.times()[2:4]) - sum(start[2:4]), result

    def test_time(self):
        for i in range(300):
            self.put("d%d/f%03d.grxla" % (i % 20, i), wrong_hashes(30))
        plain = self.seconds(1, "--select", "name-hash", ".")[0]
        for shape in ("d{0}/f{1:03}.grxla", "**/f{1:03}.*"):
            rows = ("- {file: '%s', rule: name-hash, path: 'entry[%d].name*', reason: known}\n" %
                    (shape.format(i % 300 % 20, i % 300), 1 + i // 300) for i in range(9000))
            self.sidecar("".join(rows))
            seconds, result = self.seconds(0, "--select", "name-hash", ".")
            self.assertEqual(result.out, b"", shape)
            self.assertLess(seconds, plain + 1 * (10 if is_sanitized() else 1), shape)
        self.sidecar("".join("- {file: '*', rule: name-hash, path: '*entry[%d]*', reason: known}\n" % i for i in range(3000)))
        seconds, result = self.seconds(1, "--select", "name-hash,unused-suppression", ".")
        self.assertIn(b"9000 suppressed", result.out)
        self.assertLess(seconds, plain + 3 * (10 if is_sanitized() else 1))


class Documents(SuppressTest):
    def blocks(self):
        with open(os.path.join(SOURCE, "docs", "configuration.md"), encoding="utf-8") as file:
            return [block for block in re.findall(r"```yaml\n(.*?)```", file.read(), re.S) if "suppress:" in block]

    def test_examples_are_accepted(self):
        blocks = self.blocks()
        self.assertTrue(blocks)
        self.put("a.grxla", GOOD)
        for block in blocks:
            self.put(NAME, block.encode())
            result = self.run_cli("--ignore=unused-suppression,expired-suppression", ".", code=0)
            self.assertEqual(result.err, b"")

    @unittest.skipUnless(yaml, "python3-jsonschema or python3-yaml is not installed")
    def test_the_schema_takes_what_the_program_takes(self):
        with open(os.path.join(SOURCE, "docs", "schema", "suppressions.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        validator = jsonschema.validators.validator_for(schema)(schema)
        self.put("a.grxla", GOOD)
        for text in self.blocks() + ["", "suppress: []\n", HEAD + Refused.GOOD_ENTRY % "", HEAD + Refused.GOOD_ENTRY % ", expires: 2030-12-31"]:
            self.assertEqual([e.message for e in validator.iter_errors(yaml.load(text, yaml.BaseLoader) or None)], [], text)
        for text in ("- x\n", "- {file: a.grxla, rule: name-hash}\n", "- {file: a.grxla, reason: x}\n", "- {rule: name-hash, reason: x}\n",
                     "- {file: a.grxla, rule: name-hash, reason: ' '}\n", Refused.GOOD_ENTRY % ", rules: x",
                     Refused.GOOD_ENTRY % ", expires: 2020-13-01", "- {fingerprint: '0123', reason: x}\n"):
            self.assertTrue(list(validator.iter_errors(yaml.load(HEAD + text, yaml.BaseLoader))), text)
            self.sidecar(text)
            self.run_cli(".", code=2)


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
