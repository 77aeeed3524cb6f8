#!/usr/bin/env python3
"""A crash of the program affects only the file that causes it.

    test_crash.py BINARY SOURCE_DIR [unittest arguments]

BINARY is a copy of the program linked with crash.c."""
import json
import os
import sys
import unittest
import xml.dom.minidom

from cli_test import BAD, GOOD, UNDER_WINE, CliTest, archive

NAMES = ["m/a.grxla", "m/b.grxla", "m/c.grxla", "m/d.grxla"]


class CrashTest(CliTest):
    def crash(self, *arguments, at="b.grxla", how="memory", **more):
        env = {"CRASH_AT": at, "CRASH_HOW": how}
        return self.run_cli(*arguments, env=env, **more)

    def left_behind(self):
        return [name for _, _, names in os.walk(self.home) for name in names if ".tmp" in name]

    def rules_by_file(self, result):
        return {line["file"]: line["rule"] for line in result.findings()}


class Files(CrashTest):
    def setUp(self):
        super().setUp()
        for name in NAMES:
            self.put(name, BAD)

    def test_the_other_files_are_checked(self):
        whole = self.run_cli("m", "--format", "jsonl", code=1)
        result = self.crash("m", "--format", "jsonl", code=2)
        self.assertEqual(self.rules_by_file(result), {"m/b.grxla": "LL015", **{n: "GRX265" for n in NAMES if n != "m/b.grxla"}})
        self.assertEqual([f for f in result.findings() if f["file"] != "m/b.grxla"],
                         [f for f in whole.findings() if f["file"] != "m/b.grxla"])
        self.assertEqual(result.lines()[-1]["files"], 4)

    def test_each_kind_of_crash(self):
        for how in ("memory", "abort", "stack"):
            with self.subTest(how=how):
                self.assertEqual(self.rules_by_file(self.crash("m", "--format", "jsonl", how=how, code=2))["m/b.grxla"], "LL015")

    def test_the_verdict_counts_the_file_as_not_checked(self):
        self.assertRegex(self.crash("m", code=2).verdict(), "^3 files checked, 1 not checked")

    def test_in_a_thread_that_is_not_the_first(self):
        for i in range(400):
            self.put("m/x%03d.grxla" % i, BAD)
        self.put("m/y.grxla", BAD)
        result = self.crash("m", "-j", "4", "--format", "jsonl", at="y.grxla", how="stack", code=2)
        self.assertEqual(self.rules_by_file(result)["m/y.grxla"], "LL015")
        self.assertEqual(len(result.findings()), 405)

    def test_what_was_written_before_is_not_written_again(self):
        for i in range(3000):
            self.put("m/x%04d.grxla" % i, BAD)
        self.put("m/y.grxla", BAD)
        self.put("m/z.grxla", BAD)
        whole = self.run_cli("m", "--format", "jsonl", "-j", "1", code=1)
        result = self.crash("m", "--format", "jsonl", "-j", "1", at="y.grxla", code=2)
        self.assertGreater(len(result.out), 1 << 20)
        self.assertEqual([f for f in result.findings() if f["file"] != "m/y.grxla"],
                         [f for f in whole.findings() if f["file"] != "m/y.grxla"])

    def test_several_files(self):
        for name in ("m/e/b.grxla", "m/f/b.grxla"):
            self.put(name, BAD)
        found = self.rules_by_file(self.crash("m", "--format", "jsonl", code=2))
        self.assertEqual(sorted(n for n in found if found[n] == "LL015"), ["m/b.grxla", "m/e/b.grxla", "m/f/b.grxla"])

    def test_more_files_than_a_run_begins_again_for(self):
        for i in range(80):
            self.put("m/%02d/b.grxla" % i, BAD)
        result = self.crash("m", "--format", "json:out.json", code=2)
        self.assertIn("the program failed here, please report it", result.errors)
        self.assertEqual(self.left_behind(), [])

    def test_outputs_to_files_are_whole(self):
        formats = ("json", "jsonl", "sarif", "junit", "gitlab", "html", "markdown")
        self.crash("m", *[word for f in formats for word in ("--format", f + ":out." + f)], code=2)
        self.assertEqual(self.left_behind(), [])
        for name in ("json", "sarif", "gitlab"):
            json.loads(self.get("out." + name))
        xml.dom.minidom.parseString(self.get("out.junit"))
        for name in formats:
            self.assertIn(b"b.grxla", self.get("out." + name))

    def test_other_commands_over_files(self):
        self.assertEqual(self.rules_by_file(self.crash("sweep", "m", code=2))["m/b.grxla"], "LL015")
        self.crash("census", "m", code=2)
        self.crash("baseline", "create", "m", code=2)
        self.assertEqual(self.left_behind(), [])

    def test_a_list_of_files_on_standard_input_is_not_there_twice(self):
        result = self.crash("--files-from", "-", stdin="\n".join(NAMES).encode(), code=2)
        self.assertIn("m/b.grxla: not checked: the program failed here, please report it", result.errors)

    def test_fix_changes_nothing_twice(self):
        result = self.crash("fix", "m", code=2)
        self.assertIn("m/b.grxla: not checked: the program failed here, please report it", result.errors)
        self.assertEqual(self.get("m/b.grxla"), BAD)
        self.assertEqual(self.left_behind(), [])

    def test_a_variable_that_is_not_of_the_program(self):
        for value in ("", "x", "0" * 16, "0" * 16 + ":", "f" * 16 + ":xyz", "f" * 16 + ":" + "0" * 15, "0" * 5000):
            with self.subTest(value=value):
                self.assertEqual(self.run_cli("m", code=1, env={"LIGHTLINT_FAILED": value}).out, self.run_cli("m", code=1).out)


class Anywhere(CrashTest):
    def test_at_every_allocation(self):
        """In the walk, in a member, in rules across files, in an output: the output is complete, or the run reports
        that it is not."""
        self.put("m/a.grxla", BAD)
        self.put("m/b.fpk", archive([("/Assets/x.grxla", GOOD), ("/Assets/y.grxla", BAD)]))
        self.put("m/c.grxla", GOOD)
        marker = self.path("crashed")
        env = {"CRASH_HOW": "memory", "CRASH_ONCE": marker}
        whole = self.run_cli("m", "--format", "jsonl", "--format", "json:out.json", "-j", "1").findings()
        by_name, ended, number = {}, 0, 0
        while True:
            number += 7 if UNDER_WINE else 1
            result = self.run_cli("m", "--format", "jsonl", "--format", "json:out.json", "-j", "1",
                                  env={**env, "CRASH_ALLOCATION": str(number)})
            self.assertEqual(self.left_behind(), [])
            if not os.path.exists(marker):
                break
            os.remove(marker)
            if not by_name and not ended and result.code != 2:
                continue  # before main(), where the program has no handlers yet
            self.assertEqual(result.code, 2, number)
            if "not checked against each other" in result.errors:
                by_name["&"] = by_name.get("&", 0) + 1
                continue
            if "the program failed here, please report it" in result.errors:
                ended += 1
                continue
            crashed = {f["file"] for f in result.findings() if f["rule"] == "LL015"}
            self.assertEqual(len(crashed), 1, number)
            name = crashed.pop()
            file = name.split("!")[0]
            by_name[name] = by_name.get(name, 0) + 1
            self.assertEqual([f for f in result.findings() if not f["file"].startswith(file)],
                             [f for f in whole if not f["file"].startswith(file)], (number, name))
            json.loads(self.get("out.json"))
        self.assertGreater(ended, 0)
        self.assertGreaterEqual(set(by_name), {"m/a.grxla", "m/b.fpk", "m/b.fpk!/Assets/y.grxla", "&"})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
