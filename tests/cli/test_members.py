#!/usr/bin/env python3
"""Members of archives: they are checked inside their archive, reported with the file that the user has, and named
ARCHIVE!PATH.

    test_members.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest, archive, light_file, wrong_hashes

ONE, TWO = "/Assets/tpp/a/one.grxla", "/Assets/tpp/a/two.grxla"
RULE = ("--select", "name-hash")


class MembersTest(CliTest):
    """Checks files individually; test_mod.py tests relations between archives."""

    def run_cli(self, *arguments, **more):
        joins = arguments[:1] in (("sweep",), ("baseline",)) or arguments[0] not in ("census", "dump", "config", "rules")
        alone = ("--no-cross",) if joins and "--diff" not in arguments else ()
        return super().run_cli(*arguments, *alone, **more)

    def lines(self, *arguments, **more):
        return self.run_cli("--format", "jsonl", *RULE, *arguments, **more).lines()

    def found(self, *arguments, **more):
        """(file, member) of each name-hash finding, and the summary."""
        lines = self.lines(*arguments, **more)
        return [(line["file"], line.get("member")) for line in lines[:-1] if line["name"] == "name-hash"], lines[-1]

    def totals(self, summary, *names):
        return tuple(summary[name] for name in names)


class Places(MembersTest):
    def test_a_finding_is_in_the_file_that_the_user_has(self):
        data = archive([(ONE, GOOD), (TWO, BAD)])
        self.put("mod/a.fpk", data)
        found, = self.lines("mod", code=1)[:-1]
        alone, = self.run_cli("--format", "jsonl", *RULE, self.put("two.grxla", BAD), code=1).findings()
        start = data.index(BAD)
        self.assertEqual((found["file"], found["member"]), ("mod/a.fpk", TWO))
        self.assertEqual(found["offset"], start + alone["offset"])
        self.assertEqual(found["inner"], {"offset": alone["offset"], "length": alone["length"]})
        self.assertEqual(found["related"][0]["offset"], start + alone["related"][0]["offset"])
        self.assertEqual(found["related"][0]["inner"]["offset"], alone["related"][0]["offset"])
        self.assertIn("in " + TWO, found["message"])
        for key in ("path", "raw", "found", "expected", "length", "record"):
            self.assertEqual(found[key], alone[key])

    def test_a_patch_mends_the_archive(self):
        data = bytearray(archive([(ONE, BAD), (TWO, BAD)]))
        self.put("a.fpk", data)
        patches = [line["patch"] for line in self.lines("a.fpk", code=1)[:-1]]
        for patch in patches:
            new = bytes.fromhex(patch["bytes"])
            self.assertEqual(len(new), patch["removed"])
            data[patch["offset"]:patch["offset"] + len(new)] = new
        self.assertEqual(len(patches), 2)
        self.put("a.fpk", data)
        self.lines("a.fpk", code=0)

    def test_people_see_the_place_in_both(self):
        data = archive([(ONE, BAD)])
        self.put("a.fpk", data)
        start = data.index(BAD)
        inner = self.lines("a.fpk")[0]["inner"]["offset"]
        full = self.run_cli(*RULE, "a.fpk").text
        self.assertIn("a.fpk!%s +%#x.." % (ONE, inner), full)
        self.assertIn("+%#x..%#x in the archive\n" % (start + inner, start + inner + self.lines("a.fpk")[0]["length"]), full)
        concise = self.run_cli("--format", "concise", *RULE, "a.fpk").text
        self.assertTrue(concise.startswith("a.fpk!%s:+%#x: warning" % (ONE, inner)), concise)
        self.assertIn("+%#x..%#x in the archive: " % (start + inner, start + inner + self.lines("a.fpk")[0]["length"]), concise)
        markdown = self.run_cli("--format", "markdown", *RULE, "a.fpk").text
        self.assertIn("### `a.fpk!%s`" % ONE, markdown)
        self.assertIn("+%#x.." % (start + inner), markdown)

    def test_services_are_told_the_file(self):
        self.put("a.fpk", archive([(ONE, BAD)]))
        github = self.run_cli("--format", "github", *RULE, "a.fpk").text
        self.assertTrue(github.startswith("::warning file=a.fpk,title=GRX265 name-hash::a.fpk: "), github)
        self.assertIn("in " + ONE, github)
        issue, = json.loads(self.run_cli("--format", "gitlab", *RULE, "a.fpk").text)
        self.assertEqual(issue["location"]["path"], "a.fpk")
        self.assertIn("in " + ONE, issue["description"])
        suites = ElementTree.fromstring(self.run_cli("--format", "junit", *RULE, "a.fpk").text)
        self.assertEqual([suite.get("name") for suite in suites], ["a.fpk", "a.fpk!" + ONE])
        self.assertEqual([suite.get("failures") for suite in suites], ["0", "1"])

    def test_json_lists_every_member(self):
        self.put("a.fpk", archive([(ONE, GOOD), (TWO, BAD)]))
        files = json.loads(self.run_cli("--format", "json", *RULE, "a.fpk").text)["files"]
        self.assertEqual([(f["file"], f.get("member"), f["format"], len(f["findings"])) for f in files],
                         [("a.fpk", None, "fpk", 0), ("a.fpk", ONE, "grx", 0), ("a.fpk", TWO, "grx", 1)])
        self.assertEqual([f["size"] for f in files], [len(self.get("a.fpk")), len(GOOD), len(BAD)])

    def test_sarif_nests_members(self):
        data = archive([(ONE, GOOD), (TWO, BAD)])
        self.put("a.fpk", data)
        self.put("b.grxla", BAD)
        for name in ("sarif", "sarif-github"):
            run = json.loads(self.run_cli("--format", name, *RULE, ".").text)["runs"][0]
            artifacts, result = run["artifacts"], run["results"][0]
            self.assertEqual(len(artifacts), 3)
            nested = artifacts[1]
            self.assertEqual((nested["parentIndex"], nested["offset"], nested["length"]), (0, data.index(BAD), len(BAD)))
            self.assertEqual(artifacts[0]["roles"], ["analysisTarget", "resultFile"])
            place = result["locations"][0]["physicalLocation"]
            inner = result["relatedLocations"][0]["physicalLocation"]
            self.assertEqual(place["artifactLocation"]["uri"], "a.fpk")
            self.assertEqual(place["region"]["byteOffset"], nested["offset"] + inner["region"]["byteOffset"])
            self.assertEqual(inner["artifactLocation"]["index"], 1)
            self.assertEqual(result["fixes"][0]["artifactChanges"][0]["artifactLocation"]["uri"], "a.fpk")


class Which(MembersTest):
    def test_by_extension_then_by_content(self):
        self.put("a.fpk", archive([("/a.bin", BAD), ("/b.grxla", BAD), ("/c.lua", b"print(1)"), ("/noext", b"")]))
        self.assertEqual(self.found("a.fpk")[0], [("a.fpk", "/a.bin"), ("a.fpk", "/b.grxla")])

    def test_an_archive_in_an_archive_is_named_and_not_opened(self):
        self.put("a.fpk", archive([("/in.fpk", archive([(ONE, BAD)])), ("/other", archive([(TWO, BAD)])), ("/bad.fpkd", b"x")]))
        lines = self.run_cli("--format", "jsonl", "--select", "archive-unread,name-hash", "a.fpk", code=2).lines()
        self.assertEqual([line["found"] for line in lines[:-1]], [f'an archive in an archive: "{path}"' for path in ("/in.fpk", "/other", "/bad.fpkd")])
        self.assertEqual((self.totals(lines[-1], "files", "members"), lines[-1]["unchecked"]), ((1, 0), 1))
        found, summary = self.found("--unsupported", "allow", "a.fpk", code=0)
        self.assertEqual((found, summary["partly"]), ([], 1))

    def test_an_empty_member_is_the_archives_matter(self):
        self.put("a.fpk", archive([(ONE, b"")]))
        lines = self.run_cli("--format", "jsonl", "--select", "LL", "a.fpk").lines()
        self.assertEqual((len(lines), lines[-1]["members"]), (1, 0))

    def test_an_archive_from_a_stream(self):
        found, _ = self.found("-", "--stdin-name", "x/a.fpk", stdin=archive([(ONE, BAD)]), code=1)
        self.assertEqual(found, [("x/a.fpk", ONE)])


class Counts(MembersTest):
    def test_every_file_counts_once(self):
        self.put("a.fpk", archive([(ONE, BAD), (TWO, BAD)]))
        self.put("b.fpk", archive([(ONE, GOOD)]))
        self.put("c.grxla", BAD)
        _, summary = self.found(".", code=1)
        self.assertEqual(self.totals(summary, "files", "members", "warnings", "files_with_findings"), (3, 3, 3, 2))
        self.assertIn("\n3 files with 3 members checked, 2 with findings: 0 errors, 3 warnings, 0 notes.\n",
                      self.run_cli(*RULE, ".").text)
        self.assertIn("| 3 | 2 | warning | GRX265 name-hash |", self.run_cli("--format", "markdown", *RULE, ".").text)

    def test_a_part_that_is_not_read_is_one_file(self):
        self.put("a.fpk", archive([(ONE, GOOD[:40]), (TWO, GOOD[:40])]))
        lines = self.run_cli("--format", "jsonl", "a.fpk").lines()
        self.assertEqual(self.totals(lines[-1], "files", "members", "unchecked", "files_with_findings"), (1, 2, 1, 1))

    def test_what_is_found_across_files_counts_their_archive_once(self):
        arrays = [("/Assets/tpp/%s_fox2_tgrxla_win.grxla" % name, light_file(data_set=b"/Assets/tpp/%s.fox2" % name.encode()))
                  for name in "ab"]
        data = bytearray(archive([]))
        data[6] = ord("d")
        self.put("m.fpk", archive(arrays))
        self.put("m.fpkd", data)
        for rules, findings in (("mod-dataset-missing", 2), ("mod-dataset-missing,cm00-path-shape", 4)):
            summary = CliTest.run_cli(self, "--format", "jsonl", "--select", rules, ".").lines()[-1]
            self.assertEqual(self.totals(summary, "files", "members", "warnings", "files_with_findings"), (2, 2, findings, 1))

    def test_limits_are_for_each_member(self):
        self.put("a.fpk", archive([(ONE, wrong_hashes(5)), (TWO, wrong_hashes(5))]))
        lines = self.lines("--max-per-file", "2", "a.fpk", code=1)
        self.assertEqual([line["member"] for line in lines[:-1]], [ONE, ONE, TWO, TWO])
        self.assertEqual(lines[-1]["dropped"], 6)

    def test_the_order_depends_on_nothing(self):
        for i in range(30):
            self.put("d%d/%02d.fpk" % (i % 3, i), archive([("/m%02d.grxla" % k, wrong_hashes(1 + (i + k) % 3)) for k in range(9)]))
        runs = {self.run_cli("--format", name, "-j", jobs, ".").out
                for name in ("jsonl",) for jobs in ("1", "2", "4")}
        self.assertEqual(len(runs), 1)
        self.assertEqual(len({self.run_cli("-j", jobs, "--format", "sarif", *order).out for jobs in ("1", "4")
                              for order in (("d0", "d1", "d2"), ("d2", "d0", "d1"))}), 1)


class Profiles(MembersTest):
    def test_overrides_go_by_the_path_in_the_archive(self):
        self.put("a.fpk", archive([(ONE, BAD), (TWO, BAD)]))
        for pattern in ("two.grxla", "a.fpk!/Assets/tpp/a/two.grxla", "a.fpk!/**/two.*", "**/a/two.grxla"):
            self.put(".lightlint.yaml", b"overrides:\n  - {files: ['%s'], severity: {name-hash: note}}\n" % pattern.encode())
            self.assertEqual([line["severity"] for line in self.lines(".")[:-1]], ["warning", "note"], pattern)
        self.put(".lightlint.yaml", b"overrides:\n  - {files: ['*.fpk'], fail-on: never}\n")
        self.found(".", code=1)
        self.put(".lightlint.yaml", b"overrides:\n  - {files: ['a.fpk!/**'], fail-on: never}\n")
        self.found(".", code=0)

    def test_excluded_members_are_left_out(self):
        self.put("sub/a.fpk", archive([(ONE, BAD), (TWO, BAD)]))
        for pattern in ("two.grxla", "sub/a.fpk!/Assets/tpp/a/two.*", "two.*"):
            self.assertEqual(self.found("--exclude", pattern, ".")[0], [("sub/a.fpk", ONE)], pattern)
            self.put(".lightlint.yaml", b"exclude: ['%s']\n" % pattern.encode())
            self.assertEqual(self.found("sub/a.fpk")[0], [("sub/a.fpk", ONE)], pattern)
            os.remove(self.path(".lightlint.yaml"))
        # named explicitly, with all its members
        self.assertEqual(len(self.found("--exclude", "*.fpk", "sub/a.fpk")[0]), 2)
        self.assertEqual(len(self.found("--include", "*.fpk", ".")[0]), 2)

    def test_suppressions_go_by_the_path_in_the_archive(self):
        self.put("sub/a.fpk", archive([(ONE, BAD), (TWO, BAD)]))
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: 'sub/a.fpk!%s', rule: name-hash, reason: known}\n"
                 % TWO.encode())
        found, summary = self.found(".", code=1)
        self.assertEqual((found, summary["suppressed"]), ([("sub/a.fpk", ONE)], 1))
        self.put("sub/a.fpk", archive([(ONE, BAD), (TWO, GOOD)]))
        lines = self.run_cli("--format", "jsonl", "--select", "name-hash,unused-suppression", ".").lines()
        self.assertEqual([line["name"] for line in lines[:-1]], ["name-hash", "unused-suppression"])
        self.put("sub/a.fpk", self.get("sub/a.fpk")[:0x40])  # its members are unknown now
        lines = self.run_cli("--format", "jsonl", "--select", "FPK,name-hash,unused-suppression", ".").lines()
        self.assertNotIn("unused-suppression", [line.get("name") for line in lines])


class Baselines(MembersTest):
    NAME = ".lightlint-baseline.jsonl"

    def known(self, code=0):
        found, summary = self.found("--baseline", self.NAME, ".", code=code)
        return found, summary["baselined"]

    def entries(self):
        return [json.loads(line) for line in self.get(self.NAME).decode().splitlines()][1:]

    def stale(self):
        lines = self.run_cli("--format", "jsonl", "--baseline", self.NAME, "--select", "name-hash,stale-baseline", ".").lines()
        return [line["found"] for line in lines if line.get("name") == "stale-baseline"]

    def test_they_stay_when_an_archive_is_packed_anew(self):
        self.put("a.fpk", archive([(ONE, BAD), (TWO, BAD)]))
        before = self.lines("a.fpk")
        self.run_cli("baseline", "create", *RULE, "a.fpk", code=0)
        self.assertEqual([e["file"] for e in self.entries()], ["a.fpk!" + ONE, "a.fpk!" + TWO])
        self.put("a.fpk", archive([(TWO, BAD), ("/first.lua", b"x" * 100), (ONE, BAD)]))
        after = self.lines("a.fpk")
        self.assertEqual([f.get("fingerprint") for f in before], [f.get("fingerprint") for f in after])
        self.assertNotEqual(before[0]["offset"], after[0]["offset"])
        self.assertEqual(self.known(), ([], 2))
        self.assertEqual(self.stale(), [])

    def test_what_an_archive_lost_is_stale(self):
        self.put("a.fpk", archive([(ONE, BAD), (TWO, BAD)]))
        self.run_cli("baseline", "create", *RULE, ".", code=0)
        self.put("a.fpk", archive([(ONE, BAD)]))
        self.assertEqual(len(self.stale()), 1)
        self.assertIn(TWO, self.stale()[0])
        self.run_cli("baseline", "prune", *RULE, ".", code=0)
        self.assertEqual([e["file"] for e in self.entries()], ["a.fpk!" + ONE])

    def test_what_nobody_looked_at_is_not(self):
        self.put("a.fpk", archive([(ONE, BAD), (TWO, BAD)]))
        self.put("b.grxla", GOOD)
        self.run_cli("baseline", "create", *RULE, ".", code=0)
        self.run_cli("baseline", "prune", *RULE, "--exclude", "two.grxla", ".", code=0)
        self.run_cli("baseline", "prune", *RULE, "--exclude", "a.fpk", ".", code=0)
        self.run_cli("baseline", "prune", *RULE, "b.grxla", code=0)
        self.put("a.fpk", archive([(ONE, BAD), (TWO, BAD)])[:0x40])  # the members of a cut archive are unknown
        self.run_cli("baseline", "prune", *RULE, ".")
        self.assertEqual(len(self.entries()), 2)

    def test_a_renamed_archive_is_followed(self):
        self.put("a.fpk", archive([(ONE, BAD), (TWO, BAD)]))
        self.run_cli("baseline", "create", *RULE, ".", code=0)
        os.rename(self.path("a.fpk"), self.path("z.fpk"))
        self.assertEqual(self.known(), ([], 2))
        self.run_cli("baseline", "update", *RULE, ".", code=0)
        self.assertEqual([e["file"] for e in self.entries()], ["z.fpk!" + ONE, "z.fpk!" + TWO])


class Corpora(MembersTest):
    def corpus(self):
        for i in range(12):
            self.put("c/%02d.fpk" % i, archive([("/m%d.grxla" % k, wrong_hashes(1 + (i + k) % 2)) for k in range(4)]))
        self.put("c/00.fpk (copy).fpk", archive([("/m.grxla", BAD)]))  # sorts before "00.fpk!"

    def test_shards_of_a_sweep_join(self):
        self.corpus()
        self.run_cli("sweep", "-o", "all", "c", code=0)
        for shard in "123":
            self.run_cli("sweep", "--shard", shard + "/3", "-o", "s" + shard, "c", code=0)
        self.assertEqual(self.run_cli("sweep", "--merge", "s1", "s2", "s3", code=0).out, self.get("all"))
        self.assertEqual(json.loads(self.get("all").splitlines()[-1])["members"], 49)
        self.run_cli("sweep", "--diff", "all", "all", code=0)

    def test_a_comparison_names_the_member(self):
        self.put("c/a.fpk", archive([(ONE, BAD), (TWO, BAD)]))
        self.run_cli("sweep", *RULE, "-o", "old", "c", code=0)
        self.put("c/a.fpk", archive([(TWO, BAD), (ONE, GOOD)]))
        self.run_cli("sweep", *RULE, "-o", "new", "c", code=0)
        page = json.loads(self.run_cli("sweep", "--diff", "--format", "json", "old", "new", code=1).text)
        self.assertEqual([f["file"] for f in page["files"]], ["c/a.fpk!" + ONE])

    def test_members_of_one_name_are_swept(self):
        self.put("c/a.fpk", archive([(ONE, BAD), (ONE, wrong_hashes(2))]))
        self.run_cli("sweep", "-o", "one", "c")
        self.assertEqual(self.run_cli("sweep", "--merge", "one", code=0).out, self.get("one"))
        self.run_cli("sweep", "--diff", "one", "one", code=0)

    def test_a_census_counts_what_members_hold(self):
        self.corpus()
        whole = self.run_cli("census", "--format", "json", "c").out
        census = json.loads(whole)
        self.assertEqual((census["files"], census["members"]), (13, 49))
        self.assertEqual({f["format"]: f["files"] for f in census["formats"]}, {"fpk": 13, "grx": 49})
        self.assertTrue(self.run_cli("census", "c").text.startswith("13 files with 49 members, "))
        self.assertEqual(self.run_cli("census", "-j", "4", "--format", "json", "c").out, whole)
        for shard in "12":
            self.run_cli("census", "--shard", shard + "/2", "--format", "jsonl", "-o", "p" + shard, "c")
        self.assertEqual(self.run_cli("census", "--merge", "--format", "json", "p1", "p2").out, whole)


class Dump(MembersTest):
    def test_a_member_and_what_an_archive_holds(self):
        data = archive([(ONE, GOOD), ("/x.lua", b"print(1)")])
        self.put("a.fpk", data)
        alone = json.loads(self.run_cli("dump", "--format", "json", self.put("one.grxla", GOOD), code=0).text)
        member = json.loads(self.run_cli("dump", "--format", "json", "a.fpk!" + ONE, code=0).text)
        self.assertEqual((member["file"], member["member"], member["offset"]), ("a.fpk", ONE, data.index(GOOD)))
        self.assertEqual(member["spans"], alone["spans"])
        whole = json.loads(self.run_cli("dump", "--format", "json", "a.fpk", code=0).text)
        self.assertEqual(whole["members"], [{"path": ONE, "offset": data.index(GOOD), "length": len(GOOD)}])
        text = self.run_cli("dump", "a.fpk", code=0).text
        self.assertTrue(text.endswith("%7d  %s\n" % (len(GOOD), ONE)), text)
        self.assertTrue(self.run_cli("dump", "a.fpk!" + ONE, code=0).text.startswith("a.fpk!%s: grx, " % ONE))

    def test_what_is_not_there(self):
        self.put("a.fpk", archive([(ONE, GOOD), ("/x.lua", b"print(1)")]))
        self.refused("dump", "a.fpk!/x.lua", saying="a.fpk: no member '/x.lua' that can be dumped")
        self.refused("dump", "b.fpk!" + ONE, saying="No such file")
        self.put("b!/c.grxla", GOOD)  # a file of that name has priority over a member
        self.run_cli("dump", "b!/c.grxla", code=0)


class Hostile(MembersTest):
    PATHS = [b"../../../../etc/passwd.grxla", b"/a!/b!.grxla", b"/\x1b[31mred.grxla", b"/a\0b.grxla", b"/\xff\xfe.grxla",
             b"/long/" + b"x" * 20000 + b".grxla", b"/\n::error::x.grxla", b"/##[error]x.grxla", b"", b".grxla", b"//", b"/a/../b.grxla"]
    FORMATS = ("full", "concise", "json", "jsonl", "sarif", "sarif-github", "github", "gitlab", "junit", "markdown", "html", "statistics",
               "sweep")

    def test_names_are_escaped_and_open_nothing(self):
        self.put("passwd.grxla", GOOD)
        self.put("a.fpk", archive([(path, BAD) for path in self.PATHS]))
        self.put(".lightlint.yaml", b"exclude: ['/x/**']\noverrides:\n  - {files: ['*.nothing'], ignore: [name-hash]}\n")
        for name in self.FORMATS:
            result = self.run_cli("--format", name, *RULE, "a.fpk")
            self.assertIn(result.code, (0, 1), name)
            self.assertFalse(any(c < 32 and c != 10 for c in result.out + result.err), name)
            self.assertNotIn(b"\n::error::x", result.out, name)
            self.assertNotIn(b"##[", result.out.replace(b"::", b""), name)
            self.assertLess(len(result.out), 100000, name)
            result.out.decode()
        found, summary = self.found("a.fpk", code=1)
        self.assertEqual((len(found), summary["members"]), (len(self.PATHS), len(self.PATHS)))
        self.assertIn(("a.fpk", "/a\\x00b.grxla"), found)
        self.assertIn(("a.fpk", "..." + "x" * 1018 + ".grxla"), found)

    def test_names_that_are_said_twice(self):
        self.put("a.fpk", archive([(ONE, BAD), (ONE, BAD)]))
        self.run_cli("baseline", "create", *RULE, ".", code=0)
        self.found("--baseline", ".lightlint-baseline.jsonl", ".", code=0)

    def test_baselines_with_such_names(self):
        self.put("a.fpk", archive([(path, BAD) for path in self.PATHS]))
        self.run_cli("baseline", "create", *RULE, ".", code=0)
        found, summary = self.found("--baseline", ".lightlint-baseline.jsonl", ".", code=0)
        self.assertEqual((found, summary["errors"] + summary["warnings"]), ([], 0))

    def test_a_wrong_offset_hides_no_member(self):
        data = bytearray(archive([(ONE, BAD), (TWO, BAD)]))
        data[0x60:0x70] = data[0x30:0x40]  # both entries lead to the same bytes
        self.put("a.fpk", data)
        self.assertEqual(len(self.found("a.fpk")[0]), 2)


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
