#!/usr/bin/env python3
"""Baselines: what they contain, which findings they accept, reports of stale entries, merging.

    test_baseline.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import subprocess
import shutil
import sys
import unittest

from cli_test import BAD, GOOD, LFS, PROGRAM, SOURCE, CliTest, wrong_hashes

try:
    import jsonschema
except ImportError:
    jsonschema = None

NAME = ".lightlint-baseline.jsonl"
HEADER = {"type": "baseline", "schema": 1}


class BaselineTest(CliTest):
    def entries(self, name=NAME):
        lines = [json.loads(line) for line in self.get(name).decode().splitlines()]
        self.assertEqual(lines[0], HEADER)
        return lines[1:]

    def write(self, entries, name=NAME):
        text = "".join(json.dumps(line) + "\n" for line in [HEADER, *entries])
        return self.put(name, text.encode())

    def lint(self, *arguments, code=None, **more):
        lines = self.run_cli("--format", "jsonl", *arguments, code=code, **more).lines()
        return [(f["file"], f["name"]) for f in lines[:-1]], lines[-1]

    def create(self, *arguments, code=0, **more):
        return self.run_cli("baseline", "create", *(arguments or ["."]), code=code, **more)


class Create(BaselineTest):
    def test_none_when_no_file_could_be_read(self):
        result = self.run_cli("baseline", "create", "missing.grxla", code=2)
        self.assertIn("no baseline was written", result.errors)
        self.assertFalse(os.path.exists(self.path(NAME)))
        self.put("a.grxla", BAD)
        self.run_cli("baseline", "create", "missing.grxla", "a.grxla", code=2)
        self.assertTrue(os.path.exists(self.path(NAME)))

    def test_what_no_report_keeps_is_told(self):
        self.put("a.grxla", wrong_hashes(50002))
        self.assertIn("2 findings are not in it: it keeps at most 50000 per file\n", self.create(code=2).errors)
        found, summary = self.lint("--baseline", NAME, ".", code=1)
        self.assertEqual((found, summary["baselined"], summary["warnings"], summary["dropped"]), ([], 50000, 2, 2))

    def test_everything_known_and_only_what_is_new_fails(self):
        self.put("a.grxla", wrong_hashes(3))
        self.put("sub/b.grxla", BAD)
        said = self.create().errors
        self.assertEqual(said, "lightlint: %s: written with 4 entries\n" % NAME)
        found, summary = self.lint("--baseline", NAME, ".", code=0)
        self.assertEqual((found, summary["baselined"], summary["errors"] + summary["warnings"]), ([], 4, 0))
        self.put("c.grxla", BAD)
        self.put("a.grxla", wrong_hashes(4))
        found, summary = self.lint("--baseline", NAME, ".", code=1)
        self.assertEqual(found, [("a.grxla", "name-hash"), ("c.grxla", "name-hash")])
        self.assertEqual(summary["baselined"], 4)

    def test_sorted_lines_with_the_documented_keys(self):
        self.put("b/x.grxla", wrong_hashes(12))
        self.put("a.grxla", BAD)
        self.create()
        entries = self.entries()
        for line in self.get(NAME).decode().splitlines()[1:]:
            self.assertEqual(list(json.loads(line))[:5], ["fingerprint", "rule", "file", "path", "count"])
            self.assertEqual(line, json.dumps(json.loads(line), separators=(",", ":")))
        keys = [(e["file"], e["rule"], e["path"], e["fingerprint"]) for e in entries]
        self.assertEqual(keys, sorted(keys))
        self.assertEqual({e["file"] for e in entries}, {"a.grxla", "b/x.grxla"})

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_schema(self):
        with open(os.path.join(SOURCE, "docs", "schema", "baseline.schema.json"), encoding="utf-8") as file:
            validator = jsonschema.Draft7Validator(json.load(file))
        self.put("a.grxla", wrong_hashes(2))
        self.create()
        for line in self.get(NAME).decode().splitlines():
            self.assertEqual(list(validator.iter_errors(json.loads(line))), [])
        good = self.entries()[0]
        for change in ({"count": 0}, {"fingerprint": "xyz"}, {"file": ""}, {"rule": 3}, {"type": "finding"}):
            self.assertTrue(list(validator.iter_errors({**good, **change})), change)
            self.write([{**good, **change}])
            self.refused("--baseline", NAME, ".", saying="%s:2:" % NAME)

    def test_never_overwrites_and_ignores_the_baseline_in_force(self):
        self.put("a.grxla", BAD)
        self.create()
        self.refused("baseline", "create", ".", saying="lightlint baseline update")
        self.put(".lightlint.yaml", ("baseline: %s\n" % NAME).encode())
        self.create("-o", "other.jsonl", ".")
        self.assertEqual(len(self.entries("other.jsonl")), 1)

    def test_place_by_option_or_configuration(self):
        self.put("a.grxla", BAD)
        self.put(".lightlint.yaml", b"baseline: known/base.jsonl\n")
        os.mkdir(self.path("known"))
        self.create()
        self.assertEqual(self.entries("known/base.jsonl")[0]["file"], "../a.grxla")
        found, summary = self.lint(".", code=0)
        self.assertEqual((found, summary["baselined"]), ([], 1))
        self.create("--baseline", "x.jsonl", ".")
        self.assertEqual(self.entries("x.jsonl")[0]["file"], "a.grxla")
        self.refused("baseline", "create", "-o", "y", "--baseline", "z", ".", saying="another file")
        self.refused("baseline", "create", "-o", "-", ".", saying="a baseline needs a file")

    def test_from_wherever_it_is_run(self):
        self.put("p/a.grxla", BAD)
        self.put("p/sub/b.grxla", BAD)
        self.create("--baseline", "p/" + NAME, "p")
        self.assertEqual([e["file"] for e in self.entries("p/" + NAME)], ["a.grxla", "sub/b.grxla"])
        self.lint("--baseline", NAME, ".", code=0, cwd=self.path("p"))
        self.lint("--baseline", "../" + NAME, ".", code=0, cwd=self.path("p/sub"))
        self.lint("--baseline", self.path("p/" + NAME), self.path("p/a.grxla"), code=0, cwd="/")
        os.rename(self.path("p"), self.path("q"))
        self.lint("--baseline", "q/" + NAME, "q", code=0)

    def test_files_from_windows(self):
        self.put("a.grxla", wrong_hashes(2))
        self.create()
        text = self.get(NAME).replace(b"\n", b"\r\n")
        self.put(NAME, b"\xef\xbb\xbf" + text)
        self.assertEqual(self.lint("--baseline", NAME, ".", code=0)[1]["baselined"], 2)
        self.put("a.grxla", GOOD)
        stale = self.run_cli("--format=jsonl", "--baseline", NAME, ".", code=0).findings()
        self.assertEqual([self.get(NAME)[f["offset"]:][:f["length"]].strip()[:2] for f in stale], [b'{"'] * 2)

    def test_a_baseline_holds_whatever_the_configuration(self):
        self.put("p/a.grxla", BAD)
        os.mkdir(self.path("p/ci"))
        self.create("-o", "p/ci/known.jsonl", "p")
        for text in (b"", b"root: true\n", b"root: true\nbaseline: ci/known.jsonl\n"):
            self.put("p/.lightlint.yaml", text)
            for options in (("--baseline", self.path("p/ci/known.jsonl")), ("--isolated", "--baseline", self.path("p/ci/known.jsonl"))):
                self.assertEqual(self.lint(*options, self.path("p"), cwd="/", code=0)[1]["baselined"], 1)
                self.assertEqual(self.lint(*options, "a.grxla", cwd=self.path("p"), code=0)[1]["baselined"], 1)
        self.assertEqual(self.lint("p", code=0)[1]["baselined"], 1)
        self.create("-o", "p/ci/again.jsonl", "p")
        self.assertEqual(self.get("p/ci/again.jsonl"), self.get("p/ci/known.jsonl"))

    def test_suppressed_and_locked_findings_stay_out(self):
        self.put("a.grxla", BAD)
        self.put("b.grxla", BAD)
        self.put("lfs.grxla", LFS)
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: a.grxla, rule: name-hash, reason: known}\n")
        self.create(code=2)  # the Git LFS pointer was not checked
        self.assertEqual([(e["file"], e["rule"][:3]) for e in self.entries()], [("b.grxla", "GRX")])
        found, summary = self.lint("--baseline", NAME, ".", code=2)
        self.assertEqual(found, [("lfs.grxla", "foreign-file")])
        self.assertEqual((summary["suppressed"], summary["baselined"]), (1, 1))
        entry = self.entries()[0]
        locked = [f for f in self.run_cli("--format", "jsonl", "lfs.grxla", "--baseline", NAME).findings()][0]
        self.write([entry, {**entry, "rule": locked["rule"], "file": "lfs.grxla", "fingerprint": locked["fingerprint"]}])
        found, _ = self.lint("--baseline", NAME, "lfs.grxla", code=2)
        self.assertEqual(found, [("lfs.grxla", "foreign-file")])

    def test_same_bytes_for_any_threads(self):
        for i in range(150):
            self.put("d%d/%03d.grxla" % (i % 7, i), wrong_hashes(1 + i % 4))
        for jobs in ("1", "2", "5"):
            self.create("-j", jobs, "-o", "b" + jobs, "-q", ".")
        self.assertEqual(self.get("b1"), self.get("b2"))
        self.assertEqual(self.get("b1"), self.get("b5"))
        outputs = {self.run_cli("--format", "jsonl", "--baseline", "b1", "-j", jobs, ".", code=0).out for jobs in "135"}
        self.assertEqual(len(outputs), 1)

    def test_names_that_are_no_text(self):
        name = os.fsdecode(b"a\xff\"\n\\.grxla")
        self.put(name, BAD)
        self.create()
        self.assertEqual(self.entries()[0]["file"], 'a\\xff"\n\\.grxla')
        self.lint("--baseline", NAME, ".", code=0)
        os.remove(self.path(name))
        found, _ = self.lint("--baseline", NAME, ".", code=0)
        self.assertEqual(found, [(NAME, "stale-baseline")])

    def test_limits_count_what_is_new(self):
        self.put("a.grxla", wrong_hashes(5))
        self.create()
        self.put("a.grxla", wrong_hashes(9))
        found, summary = self.lint("--baseline", NAME, "--max-per-rule", "3", ".", code=1)
        self.assertEqual((len(found), summary["baselined"], summary["dropped"]), (3, 5, 1))


class Stale(BaselineTest):
    def remarks(self, *arguments, code=0, **more):
        lines = self.run_cli("--format", "jsonl", "--baseline", NAME, *arguments, code=code, **more).lines()
        return [f for f in lines[:-1] if f["name"] == "stale-baseline"]

    def test_mended_findings_and_lost_files(self):
        self.put("a.grxla", wrong_hashes(2))
        self.put("b.grxla", BAD)
        self.put("c.grxla", BAD)
        self.create()
        self.assertEqual(self.remarks("."), [])
        self.put("a.grxla", GOOD)
        os.remove(self.path("b.grxla"))
        found = self.remarks(".")
        self.assertEqual(len(found), 3)
        text = self.get(NAME)
        for remark, entry in zip(found, self.entries()):
            line = text[remark["offset"]:remark["offset"] + remark["length"]]
            self.assertEqual((remark["file"], json.loads(line)), (NAME, entry))
        self.assertIn("0 of 1 findings", found[0]["found"])
        self.assertIn("is gone", found[2]["found"])
        self.assertEqual(self.lint("--baseline", NAME, "--fail-on", "note", ".", code=1)[1]["notes"], 3)

    def test_what_was_not_looked_for_is_not_stale(self):
        self.put("a.grxla", BAD)
        self.put("sub/b.grxla", BAD)
        self.create()
        self.put("a.grxla", GOOD)
        os.remove(self.path("sub/b.grxla"))
        self.assertEqual(self.remarks("sub/", code=0)[0]["found"][:4], "file")
        self.put("sub/c.grxla", GOOD)
        self.assertEqual(self.remarks("sub/c.grxla"), [])
        self.assertEqual(len(self.remarks("a.grxla")), 1)
        self.assertEqual(self.remarks("a.grxla", "--ignore", "name-hash"), [])
        self.assertEqual(self.remarks(".", "--ignore", "stale-baseline"), [])
        self.put("a.grxla", LFS)
        self.assertEqual(self.remarks("a.grxla", code=2), [])
        self.put("a.grxla", GOOD)
        self.assertEqual(len(self.remarks(".", "--shard", "1/3") + self.remarks(".", "--shard", "2/3") +
                             self.remarks(".", "--shard", "3/3")), 2)

    def test_met_less_often(self):
        self.put("a.grxla", BAD)
        self.create()
        self.write([{**self.entries()[0], "count": 3}])
        self.assertIn("1 of 3 findings", self.remarks(".")[0]["found"])
        self.run_cli("baseline", "prune", ".", code=0)
        self.assertEqual(self.entries()[0]["count"], 3)
        self.run_cli("baseline", "update", ".", code=0)
        self.assertEqual(self.entries()[0]["count"], 1)
        self.assertEqual(self.remarks("."), [])


class Update(BaselineTest):
    def test_drops_what_is_stale_and_takes_nothing_new(self):
        for name in "abc":
            self.put(name + ".grxla", BAD)
        self.create()
        self.put("a.grxla", GOOD)
        os.remove(self.path("b.grxla"))
        self.put("d.grxla", wrong_hashes(2))
        said = self.run_cli("baseline", "update", ".", code=1).errors
        self.assertEqual(said.count("\n"), 1)
        for words in ("2 stale entries dropped", "2 new findings left out", "1 entry left"):
            self.assertIn(words, said)
        self.assertEqual([e["file"] for e in self.entries()], ["c.grxla"])
        said = self.run_cli("baseline", "update", "--accept-new", ".", code=0).errors
        self.assertIn("2 new findings added", said)
        self.assertEqual([e["file"] for e in self.entries()], ["c.grxla", "d.grxla", "d.grxla"])
        self.lint("--baseline", NAME, ".", code=0)
        before = self.get(NAME)
        self.assertEqual(self.run_cli("-q", "baseline", "update", ".", code=0).err, b"")
        self.assertEqual(self.get(NAME), before)

    def test_touches_only_what_was_checked(self):
        self.put("x/a.grxla", BAD)
        self.put("y/b.grxla", BAD)
        self.put("y/c.grxla", BAD)
        self.create()
        self.put("x/a.grxla", GOOD)
        self.put("y/b.grxla", GOOD)
        os.remove(self.path("y/c.grxla"))
        for verb in ("prune", "update"):
            self.run_cli("baseline", verb, "x", code=0)
            self.assertEqual([e["file"] for e in self.entries()], ["y/b.grxla", "y/c.grxla"])
        self.run_cli("baseline", "update", "y/b.grxla", code=0)
        self.assertEqual([e["file"] for e in self.entries()], ["y/c.grxla"])
        self.assertIn("1 stale entry dropped, 0 entries left", self.run_cli("baseline", "prune", "y", code=0).errors)
        self.assertEqual(self.entries(), [])

    def test_prune_says_nothing_of_new_findings(self):
        self.put("a.grxla", BAD)
        self.create()
        self.put("b.grxla", BAD)
        self.run_cli("baseline", "prune", ".", code=0)
        self.assertEqual(len(self.entries()), 1)

    def test_trouble_leaves_the_file_alone(self):
        self.put("a.grxla", BAD)
        self.create()
        before = self.get(NAME)
        self.put("a.grxla", GOOD)
        self.put("sub/.lightlint.yaml", b"nonsense: 1\n")
        self.put("sub/b.grxla", BAD)
        self.run_cli("baseline", "update", ".", code=2)
        self.assertEqual(self.get(NAME), before)
        self.assertEqual(sorted(os.listdir(self.home)), [NAME, "a.grxla", "sub"])
        self.refused("baseline", "update", "--baseline", "nowhere.jsonl", ".", saying="lightlint baseline create makes one")
        said = self.refused("baseline", "update", "--baseline", "sub", ".", saying="baseline 'sub': Is a directory").errors
        self.assertNotIn("create makes one", said)


class Merged(BaselineTest):
    """A baseline after a union merge, or edited by hand."""

    def setUp(self):
        super().setUp()
        self.put("a.grxla", BAD)
        self.put("b.grxla", BAD)
        self.create()
        self.one, self.two = self.entries()

    def test_order_and_doubles(self):
        text = "\n".join(json.dumps(line) for line in (self.two, self.one, HEADER, self.one, {**self.one, "path": "x"}, HEADER))
        self.put(NAME, text.encode() + b"\r\n\n  \n")
        found, _ = self.lint("--baseline", NAME, ".", code=0)
        self.assertEqual(found, [])
        self.run_cli("baseline", "update", ".", code=0)
        self.assertEqual(self.entries(), [self.one, self.two])

    def test_the_highest_count_holds(self):
        self.write([{**self.one, "count": 2}, self.one, {**self.one, "count": 3}, self.two])
        self.run_cli("baseline", "prune", ".", code=0)
        self.assertEqual([e["count"] for e in self.entries()], [3, 1])

    def test_malformed_lines(self):
        good = json.dumps(HEADER) + "\n"
        bad = [("{", ":2:2: "), ('{"a":1}x', ":2:8: "), ("[]", ":2:1: "), ("<<<<<<< HEAD", ":2: a conflict mark"),
               (json.dumps({**self.one, "count": 1.5}), ": count: expected a whole number, not '1.5'"), ('{"fingerprint":"0"}', ":2:16: fingerprint: expected 16 hex digits"),
               ("{}", ":2:1: the line lacks the key 'fingerprint'"), ('{"type":"finding"}', ":2: this is of type 'finding'"),
               ('{"type":"baseline","schema":2}', ":2: this baseline has another schema"), ("x" * 2000000, ":2: the line is longer"),
               ('{"a":' * 40 + "1" + "}" * 40, "deeper than 16"), ('{"a":"\\u0000"}', "a NUL")]
        for line, words in bad:
            self.put(NAME, (good + line + "\n").encode())
            self.refused("--baseline", NAME, ".", saying=words)
        for text in ("", "\n\n", json.dumps(self.one) + "\n"):
            self.put(NAME, text.encode())
            self.refused("--baseline", NAME, ".", saying="not a baseline: it has no line")

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_git_merges_it(self):
        def git(*arguments):
            subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@y", *arguments], cwd=self.home, check=True,
                           capture_output=True)
        self.put(".gitattributes", b".lightlint-baseline.jsonl merge=union\n")
        git("init", "-q", "-b", "main")
        git("add", ".")
        git("commit", "-qm", "one")
        for branch, name in (("left", "c"), ("right", "d")):
            git("checkout", "-q", "-b", branch, "main")
            self.put(name + ".grxla", BAD)
            self.put("e.grxla", BAD)
            self.run_cli("baseline", "update", "--accept-new", ".", code=0)
            git("add", ".")
            git("commit", "-qm", branch)
        git("merge", "-q", "left")
        found, summary = self.lint("--baseline", NAME, ".", code=0)
        self.assertEqual((found, summary["baselined"]), ([], 5))


class Moved(BaselineTest):
    """A moved file is recognised by its bytes."""

    def setUp(self):
        super().setUp()
        self.put("old/a.grxla", wrong_hashes(5))
        self.put("old/b.grxla", wrong_hashes(3))
        self.put("old/c.grxla", GOOD)
        self.create()
        self.before = self.get(NAME)

    def known(self, code=0):
        """Findings that count, and the number of known ones. Equal for any number of threads."""
        outputs = {self.run_cli("--format", "jsonl", "-j", str(jobs), "--baseline", NAME, ".", code=code).out
                   for jobs in (1, 2, 4)}
        self.assertEqual(len(outputs), 1)
        lines = [json.loads(line) for line in outputs.pop().splitlines()]
        return sorted({(line["file"], line["name"]) for line in lines[:-1]}), lines[-1]["baselined"]

    def move(self, old, new):
        os.makedirs(os.path.dirname(self.path(new)), exist_ok=True)
        os.rename(self.path(old), self.path(new))

    def names(self):
        return sorted({entry["file"] for entry in self.entries()})

    def test_one_line_of_a_file_says_what_it_held(self):
        stated = [entry["file"] for entry in self.entries() if "content" in entry]
        self.assertEqual(stated, ["old/a.grxla", "old/b.grxla"])
        if jsonschema:
            with open(os.path.join(SOURCE, "docs", "schema", "baseline.schema.json"), encoding="utf-8") as file:
                schema = json.load(file)
            self.assertIn("content", schema["definitions"]["entry"]["properties"])
            for entry in self.entries():
                jsonschema.validate(entry, schema)

    def test_a_moved_file_keeps_its_entries(self):
        self.move("old/a.grxla", "new/deep/x.grxla")
        self.assertEqual(self.known(), ([], 8))
        self.move("old", "lights")
        self.assertEqual(self.known(), ([], 8))
        for verb, code in (("prune", 0), ("update", 0)):
            self.run_cli("baseline", verb, ".", code=code)
            self.assertEqual(self.known(), ([], 8), verb)
        self.assertEqual(self.names(), ["lights/b.grxla", "new/deep/x.grxla"])
        self.put("new/deep/x.grxla", wrong_hashes(6))  # the entries now have the new name, so the bytes may change
        self.assertEqual(self.known(code=1), ([("new/deep/x.grxla", "name-hash")], 8))

    def test_prune_leaves_them_as_they_are(self):
        self.move("old", "new")
        self.run_cli("baseline", "prune", ".", code=0)
        self.assertEqual(self.get(NAME), self.before)

    def test_update_writes_what_create_would(self):
        self.move("old", "new")
        said = self.run_cli("baseline", "update", ".", code=0).errors
        self.assertEqual(said, f"lightlint: {NAME}: 0 stale entries dropped, 0 counts reduced, 0 new findings left out, 8 entries left\n")
        updated = self.get(NAME)
        os.remove(self.path(NAME))
        self.create()
        self.assertEqual(self.get(NAME), updated)

    def test_update_keeps_up_with_the_bytes(self):
        self.put("old/a.grxla", wrong_hashes(4))
        self.run_cli("baseline", "update", ".", code=0)
        self.move("old/a.grxla", "new.grxla")
        self.assertEqual(self.known(), ([], 7))

    def test_what_was_moved_and_changed_is_new(self):
        self.move("old/b.grxla", "b.grxla")
        self.put("b.grxla", wrong_hashes(2))
        self.assertEqual(self.known(code=1), ([(NAME, "stale-baseline"), ("b.grxla", "name-hash")], 5))

    def test_a_copy_is_new(self):
        shutil.copy(self.path("old/a.grxla"), self.path("copy.grxla"))
        self.assertEqual(self.known(code=1), ([("copy.grxla", "name-hash")], 8))
        self.move("old/a.grxla", "other.grxla")  # one of two equal files is taken for the moved one: the first
        self.assertEqual(self.known(code=1), ([("other.grxla", "name-hash")], 8))

    def test_equal_files(self):
        for name in ("old/d.grxla", "old/e.grxla"):
            self.put(name, wrong_hashes(5))
        self.run_cli("baseline", "update", "--accept-new", ".", code=0)
        self.move("old/d.grxla", "new/d.grxla")
        self.assertEqual(self.known(), ([], 18))
        self.move("old/a.grxla", "new/a.grxla")
        self.assertEqual(self.known(), ([], 18))
        os.remove(self.path("old/e.grxla"))
        self.assertEqual(self.known(), ([(NAME, "stale-baseline")], 13))
        self.run_cli("baseline", "update", ".", code=0)
        self.assertEqual(self.names(), ["new/a.grxla", "new/d.grxla", "old/b.grxla"])
        self.assertEqual(self.known(), ([], 13))

    def test_many_equal_files_in_many_threads(self):
        for i in range(200):
            self.put("many/%03d.grxla" % i, wrong_hashes(2))
        self.run_cli("baseline", "update", "--accept-new", ".", code=0)
        self.move("many", "more")
        for i in range(3):
            self.put("more/copy-%d.grxla" % i, wrong_hashes(2))
        self.assertEqual(self.known(code=1), ([("more/copy-%d.grxla" % i, "name-hash") for i in range(3)], 408))

    def test_rules_that_are_off_keep_their_entries(self):
        self.move("old", "new")
        self.run_cli("baseline", "update", "--ignore", "name-hash", ".", code=0)
        self.assertEqual(self.known(), ([], 8))

    def test_both_sides_of_a_merge(self):
        """Either side of a merge may have changed the file: entries of both are accepted."""
        self.put("old/a.grxla", wrong_hashes(4))
        self.run_cli("baseline", "update", ".", code=0)
        self.put(NAME, self.before + self.get(NAME))
        self.move("old/a.grxla", "new.grxla")
        self.assertEqual(self.known(), ([(NAME, "stale-baseline")], 7))
        self.put("new.grxla", wrong_hashes(5))
        self.assertEqual(self.known(), ([], 8))

    def test_baselines_without_contents(self):
        self.write([{key: value for key, value in entry.items() if key != "content"} for entry in self.entries()])
        self.assertEqual(self.known(), ([], 8))
        self.move("old/b.grxla", "b.grxla")
        self.assertEqual(self.known(code=1)[1], 5)
        self.move("b.grxla", "old/b.grxla")
        self.run_cli("baseline", "update", ".", code=0)
        self.assertEqual(self.get(NAME), self.before)

    def test_a_spoiled_content_is_refused(self):
        first, *others = self.entries()
        self.write([{**first, "content": "12"}, *others])
        self.refused("--baseline", NAME, ".", saying="content")


class Shown(BaselineTest):
    def test_sarif_says_what_is_new(self):
        self.put("a.grxla", BAD)
        self.create()
        self.put("b.grxla", BAD)
        log = json.loads(self.run_cli("--format", "sarif", "--baseline", NAME, ".", code=1).out)
        states = [(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], r["baselineState"])
                  for r in log["runs"][0]["results"]]
        self.assertEqual(states, [("a.grxla", "unchanged"), ("b.grxla", "new")])

    def test_code_scanning_gets_what_is_new(self):
        """Code scanning opens alerts for all results, even those marked as known; so only new ones are written."""
        self.put("a.grxla", wrong_hashes(7))
        self.create()
        run = json.loads(self.run_cli("--format", "sarif-github", "--baseline", NAME, ".", code=0).out)["runs"][0]
        self.assertEqual((run["results"], [a["roles"] for a in run["artifacts"]]), ([], []))
        self.put("b.grxla", BAD)
        run = json.loads(self.run_cli("--format", "sarif-github", "--baseline", NAME, ".", code=1).out)["runs"][0]
        self.assertEqual([(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], r["baselineState"])
                          for r in run["results"]], [("b.grxla", "new")])

    def test_nested_configuration_and_isolated(self):
        self.put(".lightlint.yaml", b"baseline: one.jsonl\n")
        self.put("sub/.lightlint.yaml", b"baseline: two.jsonl\n")
        self.put("a.grxla", BAD)
        self.put("sub/b.grxla", BAD)
        self.create("a.grxla")
        self.create(cwd=self.path("sub"))
        self.assertEqual([e["file"] for e in self.entries("one.jsonl")], ["a.grxla"])
        self.assertEqual([e["file"] for e in self.entries("sub/two.jsonl")], ["b.grxla"])
        found, summary = self.lint(".", code=0)
        self.assertEqual((found, summary["baselined"]), ([], 2))
        self.assertEqual(len(self.lint("--isolated", ".", code=1)[0]), 2)
        self.put("sub/b.grxla", GOOD)
        self.assertEqual(self.lint(".", code=0)[0], [("sub/two.jsonl", "stale-baseline")])


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
