#!/usr/bin/env python3
"""Configuration files: which ones apply to a path, what they may contain, and the errors in wrong ones.

    test_config.py BINARY SOURCE_DIR [unittest arguments]"""
import ctypes
import json
import os
import re
import shutil
import struct
import sys
import unittest

from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest

try:
    import jsonschema
    import yaml
except ImportError:
    print("skipped: python3-jsonschema and python3-yaml are needed")
    sys.exit(77)

CONFIG = ".lightlint.yaml"
PACK = """- id: MYMOD001
  name: probe-far-away
  severity: warning
  tags: [value, tool]
  on: grx.probe
  field: priority
  check: range
  value: '<= -5'
  title: Priority is not far below zero.
  why: This pack wants it so.
  evidence: made for a test
  fix: Write a number below -5.
"""


class Loader(yaml.SafeLoader):
    """YAML 1.2: true and false are booleans, other unquoted values are texts or empty."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("^$"), [""])


def parse(text):
    return yaml.load(text, Loader=Loader)


class Watch:
    """Counts how often a file is opened, by inotify. Also watches for the end of reading, because inotify merges
    equal consecutive events."""

    OPEN, CLOSE = 0x20, 0x10

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.handle = libc.inotify_init1(os.O_NONBLOCK)
        if self.handle < 0 or libc.inotify_add_watch(self.handle, os.fsencode(path), self.OPEN | self.CLOSE) < 0:
            raise unittest.SkipTest("no inotify here")

    def opened(self):
        count = 0
        try:
            data = os.read(self.handle, 1 << 16)
        except BlockingIOError:
            data = b""
        while data:
            _, mask, _, length = struct.unpack_from("iIII", data)
            count += bool(mask & self.OPEN)
            data = data[16 + length:]
        os.close(self.handle)
        return count


class ConfigTest(CliTest):
    """A repository in self.home/repo that ends the search for configuration. name-hash is a warning in every file."""

    def setUp(self):
        super().setUp()
        self.repo = self.path("repo")
        self.config("repo", "root: true\n")
        for name in ("repo/a.grxla", "repo/sub/b.grxla", "repo/sub/deep/c.grxla"):
            self.put(name, BAD)

    def config(self, directory, text):
        return self.put(os.path.join(directory, CONFIG), text.encode())

    def levels(self, *arguments, cwd="repo", **more):
        """{file: severity of name-hash, or None without a finding} of the checked files."""
        where = self.path(cwd)
        result = self.run_cli("--format", "jsonl", *arguments, cwd=where, **more)
        self.assertEqual(result.errors, "")
        found = {line["file"]: line["severity"] for line in result.findings() if line["name"] == "name-hash"}
        self.assertEqual(len(result.findings()), len(found))
        return found

    def level(self, path, *arguments, **more):
        return self.levels(path, *arguments, **more).get(path)

    def shown(self, path, *arguments, cwd="repo"):
        return self.run_cli("config", "show", path, *arguments, cwd=self.path(cwd), code=0).text

    def values(self, path, *arguments, **more):
        return parse(self.shown(path, *arguments, **more))


class Search(ConfigTest):
    def test_a_file_beside_the_light_file_counts(self):
        self.config("repo/sub", "severity: {name-hash: error}\n")
        self.assertEqual(self.levels("."), {"a.grxla": "warning", "sub/b.grxla": "error", "sub/deep/c.grxla": "error"})

    def test_from_a_subdirectory_those_above_count(self):
        self.config("repo", "root: true\nseverity: {name-hash: error}\n")
        self.assertEqual(self.levels(".", cwd="repo/sub/deep"), {"c.grxla": "error"})
        self.assertEqual(self.level("../../a.grxla", cwd="repo/sub/deep"), "error")

    def test_from_elsewhere_by_an_absolute_path(self):
        self.config("repo/sub", "severity: {name-hash: error}\n")
        os.makedirs(self.path("elsewhere"))
        path = self.path("repo/sub/b.grxla")
        self.assertEqual(self.level(path, cwd="elsewhere"), "error")
        self.assertEqual(self.level("../repo/sub/b.grxla", cwd="elsewhere"), "error")
        self.assertEqual(self.level(self.path("repo/a.grxla"), cwd="elsewhere"), "warning")

    def test_the_search_goes_beyond_the_current_directory(self):
        self.config("repo", "")
        self.config(".", "root: true\nseverity: {name-hash: error}\n")
        self.assertEqual(self.level("b.grxla", cwd="repo/sub"), "error")

    def test_root_true_ends_the_search(self):
        self.config(".", "root: true\nseverity: {name-hash: error}\n")
        self.assertEqual(self.level("b.grxla", cwd="repo/sub"), "warning")

    def test_what_lies_above_a_root_is_not_even_read(self):
        self.config(".", "nonsense: [\n")
        self.assertEqual(self.level("a.grxla"), "warning")

    def test_root_false_changes_nothing(self):
        self.config("repo/sub", "root: false\n")
        self.config("repo", "root: true\nseverity: {name-hash: error}\n")
        self.assertEqual(self.level("sub/b.grxla"), "error")

    def test_a_link_to_a_directory_is_taken_as_it_is_written(self):
        self.config("other", "root: true\nseverity: {name-hash: note}\n")
        self.put("other/place/d.grxla", BAD)
        self.config("repo", "root: true\nseverity: {name-hash: error}\n")
        os.symlink("../other/place", self.path("repo/link"))
        self.assertEqual(self.level("link/d.grxla"), "error")
        self.assertEqual(self.level(self.path("other/place/d.grxla")), "note")

    def test_a_file_behind_a_link_to_a_directory_counts(self):
        self.config("other/place", "severity: {name-hash: note}\n")
        self.put("other/place/d.grxla", BAD)
        os.symlink("../other/place", self.path("repo/link"))
        self.assertEqual(self.level("link/d.grxla"), "note")

    def test_up_from_a_link_leads_where_the_system_goes(self):
        self.config("other", "root: true\nseverity: {name-hash: error}\n")
        self.put("other/d.grxla", BAD)
        self.put("other/place/e.grxla", BAD)
        os.symlink("../other/place", self.path("repo/link"))
        self.assertEqual(self.level("link/../d.grxla"), "error")

    def test_the_current_directory_by_a_link(self):
        self.config("repo", "root: true\nseverity: {name-hash: error}\n")
        os.symlink("repo/sub", self.path("shortcut"))
        self.assertEqual(self.level("b.grxla", cwd="shortcut"), "error")
        self.assertEqual(self.levels(self.path("shortcut/b.grxla"), cwd="shortcut", env={"PWD": self.path("shortcut")}),
                         {"b.grxla": "error"})

    def test_standard_input_is_judged_where_its_name_says(self):
        self.config("repo/sub", "severity: {name-hash: error}\n")
        self.assertEqual(self.level("-", "--stdin-name", "sub/new.grxla", stdin=BAD), None)
        self.assertEqual(self.levels("-", "--stdin-name", "sub/new.grxla", stdin=BAD), {"sub/new.grxla": "error"})
        self.assertEqual(self.levels("-", stdin=BAD), {"<stdin>": "warning"})

    def test_a_directory_of_many_files_is_looked_at_once(self):
        self.config("repo/many", "fail-on: error\n")
        for i in range(200):
            self.put("repo/many/%03d.grxla" % i, GOOD)
        self.put("list", "".join("many/%03d.grxla\n" % i for i in range(200)).encode())
        for arguments in (["many"], ["--files-from", "../list"]):
            watch = Watch(self.path("repo/many/.lightlint.yaml"))
            self.run_cli("-q", "-j2", *arguments, cwd=self.repo, code=0)
            self.assertEqual(watch.opened(), 1)

    def test_config_names_one_file_for_all_paths(self):
        self.config("repo/sub", "severity: {name-hash: note}\n")
        self.put("ci/strict.yaml", b"severity: {name-hash: error}\n")
        found = self.levels("--config", "../ci/strict.yaml", ".")
        self.assertEqual(set(found.values()), {"error"})
        self.assertEqual(len(found), 3)

    def test_paths_in_the_file_of_config_start_at_its_directory(self):
        self.put("repo/ci/strict.yaml", b"rules: [extra.yaml]\nexclude: [x.grxla]\n")
        self.put("repo/ci/extra.yaml", PACK.encode())
        self.put("repo/ci/x.grxla", BAD)
        result = self.run_cli("rules", "--config", "ci/strict.yaml", cwd=self.repo, code=0)
        self.assertIn("MYMOD001", result.text)
        self.assertNotIn("ci/x.grxla", self.levels("--config", "ci/strict.yaml", "--ignore", "MYMOD001", "."))

    def test_a_missing_file_of_config_is_refused(self):
        self.refused("--config", "none.yaml", "a.grxla", cwd=self.repo, saying="--config none.yaml: no such file")

    def test_root_in_the_file_of_config_ends_the_search_for_suppressions_there(self):
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - file: repo/a.grxla\n    rule: name-hash\n    reason: made for a test\n")
        self.put("repo/strict.yaml", b"root: true\n")
        self.put("repo/loose.yaml", b"fail-on: warning\n")
        self.run_cli("a.grxla", "--config", "strict.yaml", cwd=self.repo, code=1)
        self.run_cli(".", "--config", "repo/strict.yaml", code=1)
        self.run_cli("a.grxla", "--config", "loose.yaml", cwd=self.repo, code=0)

    def test_isolated_reads_no_configuration(self):
        self.config("repo", "root: true\nseverity: {name-hash: error}\n")
        self.assertEqual(self.level("a.grxla", "--isolated"), "warning")
        self.config("repo", "nonsense: 1\n")
        self.assertEqual(self.level("a.grxla", "--isolated"), "warning")

    def test_isolated_with_config_reads_that_file(self):
        self.put("ci/strict.yaml", b"severity: {name-hash: error}\n")
        self.assertEqual(self.level("a.grxla", "--isolated", "--config", "../ci/strict.yaml"), "error")


class Cascade(ConfigTest):
    def test_keys_are_decided_one_by_one(self):
        self.config("repo", "root: true\nignore: [grx-header-gap]\nfail-on: note\ngame: mp1\n")
        self.config("repo/sub", "game: mp3\n")
        values = self.values("sub/b.grxla")
        self.assertEqual((values["ignore"], values["fail-on"], values["game"]), (["grx-header-gap"], "note", "mp3"))

    def test_the_nearest_file_decides_the_whole_key(self):
        self.config("repo", "root: true\nseverity: {name-hash: error}\n")
        self.config("repo/sub", "severity: {probe-pad: error}\n")
        self.assertEqual(self.level("sub/b.grxla"), "warning")

    def test_an_empty_list_takes_back_what_was_said_above(self):
        self.config("repo", "root: true\nignore: [name-hash]\n")
        self.config("repo/sub", "ignore: []\n")
        self.assertEqual(self.levels("."), {"sub/b.grxla": "warning", "sub/deep/c.grxla": "warning"})

    def test_select_leaves_other_rules_out(self):
        self.config("repo", "root: true\nselect: [SOUP]\n")
        self.config("repo/sub", "select: [all]\n")
        self.assertEqual(self.levels("."), {"sub/b.grxla": "warning", "sub/deep/c.grxla": "warning"})

    def test_the_fail_level_is_that_of_the_file(self):
        self.config("repo", "root: true\nfail-on: error\n")
        self.config("repo/sub", "fail-on: warning\n")
        self.run_cli("a.grxla", cwd=self.repo, code=0)
        self.run_cli("sub/b.grxla", cwd=self.repo, code=1)
        self.run_cli(".", cwd=self.repo, code=1)

    def test_packs_hold_where_they_are_named(self):
        self.put("repo/sub/extra.yaml", PACK.encode())
        self.config("repo/sub", "rules: extra.yaml\nselect: [MYMOD001]\n")
        result = self.run_cli("--format", "jsonl", "sub/b.grxla", cwd=self.repo, code=1)
        self.assertEqual([line["rule"] for line in result.findings()], ["MYMOD001"])
        self.assertEqual(self.levels("a.grxla"), {"a.grxla": "warning"})

    def test_packs_of_one_name_in_two_directories_are_two(self):
        self.put("repo/extra.yaml", PACK.encode())
        self.put("repo/sub/extra.yaml", PACK.replace("001", "002").encode())
        for directory in ("repo", "repo/sub"):
            self.config(directory, "root: true\nrules: [extra.yaml]\nselect: [MYMOD]\n")
        result = self.run_cli("--format", "jsonl", "a.grxla", "sub/b.grxla", cwd=self.repo, code=1)
        self.assertEqual([line["rule"] for line in result.findings()], ["MYMOD001", "MYMOD002"])

    def test_explain_and_rules_know_the_packs_of_the_current_directory(self):
        self.put("repo/extra.yaml", PACK.encode())
        self.config("repo", "root: true\nrules: [extra.yaml]\n")
        self.assertIn("far below zero", self.run_cli("explain", "MYMOD001", cwd=self.repo, code=0).text)
        self.assertIn("MYMOD001", self.run_cli("rules", cwd=self.path("repo/sub"), code=0).text)
        self.run_cli("explain", "MYMOD001", "--isolated", cwd=self.repo, code=2)

    def test_a_pack_that_is_named_twice_counts_once(self):
        self.put("repo/extra.yaml", PACK.encode())
        self.config("repo", "root: true\nrules: [extra.yaml]\n")
        self.run_cli("explain", "MYMOD001", "--rules", "./extra.yaml", cwd=self.repo, code=0)

    def test_dump_takes_the_game_of_its_file(self):
        shutil.copy(os.path.join(SOURCE, "corpus/demo/good-lights.lights"), self.path("repo/sub/x.lights"))
        plain = self.run_cli("dump", "sub/x.lights", cwd=self.repo, code=0).text
        self.config("repo/sub", "game: mp3\n")
        third = self.run_cli("dump", "sub/x.lights", cwd=self.repo).text
        self.assertNotEqual(plain, third)
        self.assertEqual(third, self.run_cli("dump", "--isolated", "--game", "mp3", "sub/x.lights", cwd=self.repo).text)
        self.assertEqual(plain, self.run_cli("dump", "--game", "auto", "sub/x.lights", cwd=self.repo).text)


class Overrides(ConfigTest):
    def test_they_hold_for_paths_that_match(self):
        self.config("repo", "root: true\noverrides:\n  - files: sub/deep/\n    severity: {name-hash: note}\n"
                            "  - files: ['a.*', 'nothing']\n    severity: {name-hash: error}\n")
        self.assertEqual(self.levels("."), {"a.grxla": "error", "sub/b.grxla": "warning", "sub/deep/c.grxla": "note"})

    def test_patterns_start_at_the_directory_of_the_file(self):
        self.config("repo", "root: true\noverrides: [{files: 'sub/*.grxla', ignore: name-hash}]\n")
        self.assertIsNone(self.level("b.grxla", cwd="repo/sub"))
        self.assertEqual(self.level("deep/c.grxla", cwd="repo/sub"), "warning")
        self.assertIsNone(self.level(self.path("repo/sub/b.grxla"), cwd="."))

    def test_later_ones_win(self):
        self.config("repo", "root: true\nfail-on: never\noverrides:\n"
                            "  - {files: '*', severity: {name-hash: note}, game: mp1, fail-on: error}\n"
                            "  - {files: 'a.*', severity: {name-hash: error}, game: mp2}\n")
        values = self.values("a.grxla")
        self.assertEqual((values["severity"], values["game"], values["fail-on"]), ({"name-hash": "error"}, "mp2", "error"))
        self.assertEqual(self.level("a.grxla"), "error")

    def test_the_last_one_that_states_a_key_decides_it(self):
        self.config("repo", "root: true\noverrides:\n  - {files: '*', fail-on: error}\n  - {files: 'a.*', fail-on: note}\n"
                            "  - {files: '*', game: mp1}\n")
        self.run_cli("a.grxla", cwd=self.repo, code=1)
        self.run_cli("sub/b.grxla", cwd=self.repo, code=0)

    def test_ignored_rules_add_up(self):
        self.config("repo", "root: true\nignore: [probe-pad]\noverrides:\n"
                            "  - {files: '*', ignore: name-hash}\n  - {files: 'a.*', ignore: [name-padding]}\n")
        self.assertEqual(self.values("a.grxla")["ignore"], ["probe-pad", "name-hash", "name-padding"])
        self.assertIsNone(self.level("a.grxla"))

    def test_select_takes_the_place_of_what_was_selected(self):
        self.config("repo", "root: true\nselect: [SOUP]\noverrides: [{files: 'a.*', select: name-hash}]\n")
        self.assertEqual(self.levels("."), {"a.grxla": "warning"})

    def test_the_nearest_file_that_has_any_decides(self):
        self.config("repo", "root: true\noverrides: [{files: '*.grxla', ignore: name-hash}]\n")
        self.config("repo/sub", "overrides: []\n")
        self.assertEqual(self.levels("."), {"sub/b.grxla": "warning", "sub/deep/c.grxla": "warning"})

    def test_the_game_of_a_directory(self):
        self.config("repo", "root: true\noverrides: [{files: 'prime3/', game: mp3}]\n")
        self.put("repo/prime3/x.lights", GOOD)
        self.assertEqual(self.values("prime3/x.lights")["game"], "mp3")
        self.assertEqual(self.values("a.grxla")["game"], "auto")


class Excludes(ConfigTest):
    def test_directories_and_files_are_left_out(self):
        self.config("repo", "root: true\nexclude: [deep/, a.grxla]\n")
        self.assertEqual(set(self.levels(".")), {"sub/b.grxla"})

    def test_patterns_start_at_the_directory_of_the_file(self):
        self.config("repo", "root: true\nexclude: [/sub/b.grxla]\n")
        self.assertEqual(set(self.levels(".", cwd="repo/sub")), {"deep/c.grxla"})

    def test_what_is_named_is_checked_unless_forced(self):
        self.config("repo", "root: true\nexclude: [a.grxla]\n")
        self.assertEqual(set(self.levels("a.grxla")), {"a.grxla"})
        self.assertEqual(set(self.levels("a.grxla", "sub/b.grxla", "--force-exclude")), {"sub/b.grxla"})

    def test_a_directory_that_is_left_out_decides_for_all_it_holds(self):
        self.config("repo", "root: true\nexclude: [sub]\n")
        self.config("repo/sub", "exclude: []\n")
        self.assertEqual(set(self.levels(".")), {"a.grxla"})
        self.assertEqual(set(self.levels("a.grxla", "sub/b.grxla", "--force-exclude")), {"a.grxla"})

    def test_exclude_on_the_command_line_adds(self):
        self.config("repo", "root: true\nexclude: [a.grxla]\n")
        self.assertEqual(set(self.levels(".", "--exclude", "deep")), {"sub/b.grxla"})

    def test_include_takes_only_what_matches(self):
        self.config("repo", "root: true\ninclude: ['sub/*.grxla']\n")
        self.assertEqual(set(self.levels(".")), {"sub/b.grxla"})
        self.assertEqual(set(self.levels(".", "--include", "a.*")), {"a.grxla"})

    def test_an_anchored_pattern_says_nothing_of_what_lies_elsewhere(self):
        self.put("repo/ci/c.yaml", b"exclude: ['sub/b.grxla', 'c.grxla']\n")
        self.assertEqual(set(self.levels("--config", "ci/c.yaml", ".")), {"a.grxla", "sub/b.grxla"})


class CommandLine(ConfigTest):
    def test_select_replaces_select_and_ignore(self):
        self.config("repo", "root: true\nselect: [SOUP]\nignore: [name-hash]\noverrides: [{files: '*', ignore: name-hash}]\n")
        self.assertEqual(self.level("a.grxla", "--select", "name-hash"), "warning")

    def test_what_the_file_selects_is_gone_under_select(self):
        self.config("repo", "root: true\nselect: [name-hash]\n")
        self.assertIsNone(self.level("a.grxla", "--select", "SOUP"))

    def test_severities_of_the_file_stay_under_select(self):
        self.config("repo", "root: true\nseverity: {name-hash: error}\n")
        self.assertEqual(self.level("a.grxla", "--select", "name-hash"), "error")

    def test_ignore_and_severity_come_on_top(self):
        self.config("repo", "root: true\nignore: [probe-pad]\nseverity: {name-hash: error}\n")
        self.assertIsNone(self.level("a.grxla", "--ignore", "name-hash"))
        self.assertEqual(self.level("a.grxla", "--severity", "name-hash=note"), "note")
        self.assertEqual(self.values("a.grxla", "--ignore", "name-hash")["ignore"], ["probe-pad", "name-hash"])

    def test_severity_is_stronger_than_an_override(self):
        self.config("repo", "root: true\noverrides: [{files: '*', severity: {name-hash: error}}]\n")
        self.assertEqual(self.level("a.grxla", "--severity", "name-hash=note"), "note")

    def test_fail_on_and_game_replace(self):
        self.config("repo", "root: true\nfail-on: never\ngame: mp1\noverrides: [{files: '*', fail-on: never, game: mp2}]\n")
        self.run_cli("a.grxla", cwd=self.repo, code=0)
        self.run_cli("a.grxla", "--fail-on", "warning", cwd=self.repo, code=1)
        values = self.values("a.grxla", "--fail-on", "note", "--game", "auto")
        self.assertEqual((values["fail-on"], values["game"]), ("note", "auto"))

    def test_rules_add_to_those_of_the_file(self):
        self.put("repo/extra.yaml", PACK.encode())
        self.put("repo/more.yaml", PACK.replace("001", "002").replace("far-away", "further-away").encode())
        self.config("repo", "root: true\nrules: [extra.yaml]\n")
        text = self.run_cli("rules", "--rules", "more.yaml", cwd=self.repo, code=0).text
        self.assertIn("MYMOD001", text)
        self.assertIn("MYMOD002", text)

    def test_a_selection_of_rules_that_only_the_current_directory_has_leaves_others_silent(self):
        self.put("repo/extra.yaml", PACK.encode())
        self.config("repo", "root: true\nrules: [extra.yaml]\n")
        self.config("repo/sub", "root: true\n")
        result = self.run_cli("--format", "jsonl", "--select", "MYMOD001", ".", cwd=self.repo, code=1)
        self.assertEqual([line["file"] for line in result.findings()], ["a.grxla"])

    def test_bad_patterns_are_refused(self):
        self.refused("--exclude", "[a", ".", cwd=self.repo, saying="--exclude [a: bad pattern")
        self.refused("--include", "a\\", ".", cwd=self.repo, saying="--include a\\: bad pattern")


class Identity(ConfigTest):
    def fingerprint(self, path, *arguments, cwd="repo"):
        result = self.run_cli("--format", "jsonl", path, *arguments, cwd=self.path(cwd), code=1)
        return result.findings()[0]["fingerprint"]

    def test_fingerprints_do_not_depend_on_where_the_run_was_started(self):
        shown = self.fingerprint("sub/b.grxla")
        self.assertEqual(self.fingerprint("b.grxla", cwd="repo/sub"), shown)
        self.assertEqual(self.fingerprint(self.path("repo/sub/b.grxla"), cwd="."), shown)
        self.assertNotEqual(self.fingerprint("a.grxla"), shown)

    def test_the_outermost_file_in_force_is_where_names_start(self):
        shown = self.fingerprint("sub/b.grxla")
        self.config("repo/sub", "fail-on: warning\n")
        self.assertEqual(self.fingerprint("b.grxla", cwd="repo/sub"), shown)
        self.config("repo/sub", "root: true\n")
        self.assertNotEqual(self.fingerprint("b.grxla", cwd="repo/sub"), shown)

    def test_a_baseline_changes_no_fingerprint(self):
        self.config("repo", "root: true\n")
        shown = self.fingerprint("sub/b.grxla")
        os.makedirs(self.path("repo/ci"))
        self.run_cli("baseline", "create", "-o", "ci/known.jsonl", "a.grxla", cwd=self.path("repo"), code=0)
        self.assertEqual(self.fingerprint("sub/b.grxla", "--baseline", "ci/known.jsonl"), shown)
        self.config("repo", "root: true\nbaseline: ci/known.jsonl\n")
        self.assertEqual(self.fingerprint("b.grxla", cwd="repo/sub"), shown)
        sweep = self.run_cli("sweep", "sub/b.grxla", cwd=self.path("repo"), code=0)
        self.assertEqual([f["fingerprint"] for f in sweep.findings()], [shown])

    def test_without_configuration_suppressions_say_where_names_start(self):
        self.put("repo/.lightlint-ignore.yaml", b"suppress: []\n")
        self.put("repo/sub/.lightlint-ignore.yaml", b"suppress: []\n")
        shown = self.fingerprint("sub/b.grxla")
        self.assertEqual(self.fingerprint("b.grxla", cwd="repo/sub"), shown)
        self.assertEqual(self.fingerprint("b.grxla", "--no-suppressions", cwd="repo/sub"), shown)
        self.assertEqual(self.fingerprint(self.path("repo/sub/b.grxla"), cwd="."), shown)
        self.config("repo/sub", "root: true\n")
        self.assertEqual(self.fingerprint("b.grxla", "--isolated", cwd="repo/sub"), self.fingerprint("b.grxla", cwd="repo/sub"))

    def test_without_configuration_it_is_the_path_as_shown(self):
        self.assertNotEqual(self.fingerprint("sub/b.grxla", "--isolated"),
                            self.fingerprint("b.grxla", "--isolated", cwd="repo/sub"))


# Contents of a wrong file, position, part of the message.
ERRORS = [
    ("selcet: [all]", "1:1", "unknown key 'selcet'; did you mean 'select'?"),
    ("zzz: 1", "1:1", "unknown key 'zzz'; there are: root, select, ignore,"),
    ("root: true\nfail_on: error", "2:1", "unknown key 'fail_on'; did you mean 'fail-on'?"),
    ("files: x", "1:1", "is only for an entry of 'overrides'"),
    ("ignore:\n  - nmae-hash", "2:5", "ignore: unknown rule 'nmae-hash'; did you mean 'name-hash'?"),
    ("select: [\"tag:sieze\"]", "1:10", "unknown tag"),
    ("select: [QQQ*]", "1:10", "no rule matches 'QQQ*'"),
    ("select: GRX26O", "1:9", "select: unknown rule 'GRX26O'; did you mean 'GRX26"),
    ("select: []", "1:9", "for all rules write [all]"),
    ("select:", "1:8", "select: expected a rule or a list, not nothing"),
    ("ignore: {a: b}", "1:9", "ignore: expected a rule or a list, not a map"),
    ("ignore: [[name-hash]]", "1:10", "ignore: expected a rule, not a list"),
    ("ignore: LL001", "1:9", "is locked"),
    ("severity: {name-hash: eror}", "1:23", "severity: no such value: 'eror'; did you mean 'error'?"),
    ("severity: {name-hash: 7}", "1:23", "there are: off, note, warning, error"),
    ("severity: {nmae-hash: error}", "1:12", "severity: unknown rule 'nmae-hash'; did you mean 'name-hash'?"),
    ("severity: [name-hash]", "1:11", "expected a map as in '{name-hash: error}', not a list"),
    ("severity: {name-hash: [error]}", "1:23", "not a list"),
    ("rules: [none.yaml]", "1:9", "rules: 'none.yaml': No such file or directory"),
    ("rules: {none.yaml: 1}", "1:8", "rules: expected the path of a file or a list, not a map"),
    ("fail-on: wraning", "1:10", "did you mean 'warning'?"),
    ("fail-on: off", "1:10", "there are: never, note, warning, error"),
    ("game: mp4", "1:7", "game: no such value: 'mp4'; did you mean 'mp1'?"),
    ("game: zelda", "1:7", "there are: auto, mp1, mp2, mp3"),
    ("exclude: [\"[a\"]", "1:11", "exclude: bad pattern '[a'"),
    ("include: \"a\\\\\"", "1:10", "include: bad pattern"),
    ("exclude: [\"\"]", "1:11", "exclude: expected a pattern"),
    ("root: yes", "1:7", "root: expected true or false"),
    ("root: \"true\"", "1:7", "root: expected true or false"),
    ("baseline:", "1:10", "baseline: expected the path of a file"),
    ("baseline: [a]", "1:11", "baseline: expected the path of a file"),
    ("overrides: {files: a}", "1:12", "overrides: expected a list of maps"),
    ("overrides: [a]", "1:13", "expected a map with 'files' and their settings, not 'a'"),
    ("overrides:\n  - ignore: name-hash", "2:5", "the entry of 'overrides' lacks the key 'files'"),
    ("overrides:\n  - files: a", "2:5", "expected a key besides 'files'"),
    ("overrides:\n  - files: []\n    game: mp1", "2:12", "files: the list is empty"),
    ("overrides:\n  - files: a\n    root: true", "3:5", "key 'root' is not allowed in an override"),
    ("overrides:\n  - files: a\n    gane: mp1", "3:5", "unknown key 'gane'; did you mean 'game'?"),
    ("overrides:\n  - files: \"[a\"\n    game: mp1", "2:12", "files: bad pattern"),
    ("overrides:\n  - files: a\n    ignore: nmae-hash", "3:13", "did you mean 'name-hash'?"),
    ("- a", "1:1", "expected a map of keys"),
    ("word", "1:1", "expected a map of keys"),
    ("a: b: c", "1:5", "not YAML"),
    ("root: true\nroot: true", "2:1", "duplicate key 'root'"),
    ("game: &a mp1", "1:7", "anchors and aliases are not allowed"),
]
# Errors that only lightlint finds: they depend on rules, files or patterns.
BEYOND_THE_SCHEMA = re.compile("unknown rule|did you mean 'name-hash'|unknown tag|no rule matches|locked|rules: 'none|bad pattern|YAML|duplicate|anchors")


class Found(CliTest):
    """The summary names a configuration that was found, not given, and that reduces what is reported."""

    def setUp(self):
        super().setUp()
        for name in ("mod/a.grxla", "mod/sub/b.grxla", "own/c.grxla"):
            self.put(name, BAD)

    def verdict(self, *arguments, code=0, **more):
        return self.run_cli(*arguments, code=code, **more).verdict()

    def say(self, folder, text):
        self.put(os.path.join(folder, ".lightlint.yaml"), text.encode())

    def rules(self, *arguments):
        rules = json.loads(self.run_cli("rules", "--isolated", "--format", "json", *arguments, code=0).text)["rules"]
        return {rule["id"]: rule["severity"] for rule in rules if rule["severity"] != "off"}

    def test_rules_that_are_off(self):
        off = len(self.rules()) - len(self.rules("--ignore", "all"))
        for text in ("ignore: all\n", "select: [LED]\nignore: [LED]\n", "overrides: [{files: '*', ignore: all}]\n"):
            with self.subTest(text=text):
                self.say("mod", text)
                self.assertTrue(self.verdict("mod").endswith(
                    f"; {off} rules off by mod/.lightlint.yaml; --isolated ignores it."), self.verdict("mod"))
        self.say("mod", "ignore: name-hash\n")
        self.assertTrue(self.verdict("mod").endswith("; 1 rule off by mod/.lightlint.yaml; --isolated ignores it."))

    def test_one_above_what_is_checked(self):
        self.say("mod", "ignore: name-hash\n")
        self.assertIn("; 1 rule off by mod/.lightlint.yaml;", self.verdict("mod/sub"))
        self.assertIn("; 1 rule off by ../.lightlint.yaml;", self.verdict(".", cwd=self.path("mod/sub")))

    def test_rules_that_are_less_severe(self):
        self.say("mod", "severity: {name-hash: note}\n")
        self.assertIn("; 1 rule less severe by mod/.lightlint.yaml;", self.verdict("mod"))
        self.say("mod", "severity: {name-hash: error}\n")
        self.assertNotIn("lightlint.yaml", self.verdict("mod", code=1))

    def test_paths_that_are_left_out(self):
        self.say("mod", "exclude: [sub/, a.grxla]\n")
        self.assertIn("; 2 paths left out by mod/.lightlint.yaml;", self.verdict("mod"))
        self.say("mod", "include: [a.grxla]\n")
        self.assertIn("; 1 path left out by mod/.lightlint.yaml;", self.verdict("mod", code=1))

    def test_what_else_it_allows(self):
        self.say("mod", "fail-on: never\ncross: false\nunsupported: allow\n")
        self.assertIn("; fail level never, rules across files off, unsupported files allowed by mod/.lightlint.yaml;", self.verdict("mod"))

    def test_what_keeps_nothing_out_is_not_named(self):
        for text in ("root: true\n", "fail-on: note\n", "severity: {name-hash: error}\n", "unsupported: refuse\n", "game: mp1\n"):
            with self.subTest(text=text):
                self.say("mod", text)
                self.assertNotIn("lightlint.yaml", self.verdict("mod", code=1))

    def test_one_that_is_named_is_known(self):
        self.say("mod", "ignore: all\n")
        self.assertNotIn("lightlint.yaml", self.verdict("mod", "--config", "mod/.lightlint.yaml"))
        self.assertNotIn("lightlint.yaml", self.verdict("mod", "--isolated", code=1))

    def test_only_those_that_hold_for_files_that_are_checked(self):
        self.say("mod", "ignore: name-hash\n")
        self.say("own", "ignore: name-hash\n")
        self.assertIn("; 1 rule off by own/.lightlint.yaml; --isolated ignores it.", self.verdict("own"))
        self.assertIn("; 1 rule off by mod/.lightlint.yaml; 1 rule off by own/.lightlint.yaml; --isolated ignores them.",
                      self.verdict("mod", "own"))

    def test_each_is_named_for_what_it_says_itself(self):
        self.say("mod", "ignore: name-hash\n")
        self.say("mod/sub", "severity: {mpsl-channels: note}\n")
        self.assertIn("; 1 rule off by mod/.lightlint.yaml; 1 rule less severe by mod/sub/.lightlint.yaml;", self.verdict("mod"))

    def test_programs_are_told(self):
        self.say("mod", "ignore: name-hash\n")
        said = [{"file": "mod/.lightlint.yaml", "rules_off": 1, "rules_lowered": 0, "left_out": 0, "cross": True, "unsupported_allowed": False}]
        self.assertEqual(self.run_cli("mod", "--format", "jsonl", code=0).lines()[-1]["configurations"], said)
        self.assertEqual(json.loads(self.run_cli("mod", "--format", "json", code=0).text)["summary"]["configurations"], said)

    def test_its_name_is_no_markup(self):
        self.put("<b>_x_/a.grxla", BAD)
        self.say("<b>_x_", "ignore: name-hash\n")
        self.assertIn("&lt;b&gt;_x_/.lightlint.yaml", self.run_cli("<b>_x_", "--format", "html", code=0).text)
        self.assertNotIn("<b>", self.run_cli("<b>_x_", "--format", "markdown", code=0).text)

    def test_a_sweep_of_such_a_run_can_be_read(self):
        self.say("mod", "ignore: name-hash\n")
        self.run_cli("sweep", "-o", "s.jsonl", "mod", code=0)
        self.run_cli("sweep", "--diff", "s.jsonl", "s.jsonl", code=0)


class Errors(ConfigTest):
    def test_a_pipe_is_not_waited_for(self):
        self.put("a.grxla", GOOD)
        os.mkfifo(self.path(".lightlint.yaml"))
        self.assertIn(".lightlint.yaml: not a regular file", self.run_cli("a.grxla", code=2).errors)

    def test_every_error_has_its_place_and_its_words(self):
        for text, place, words in ERRORS:
            with self.subTest(text=text):
                self.config("repo", text + "\n")
                result = self.refused("a.grxla", cwd=self.repo, saying=words)
                self.assertTrue(result.errors.startswith("lightlint: .lightlint.yaml:" + place + ": "), result.errors)
                self.assertEqual(len(result.errors.splitlines()), 1)

    def test_the_file_is_named_as_seen_from_here(self):
        self.config("repo", "root: true\nzzz: 1\n")
        self.refused("b.grxla", cwd=self.path("repo/sub"), saying="lightlint: ../.lightlint.yaml:2:1: ")
        os.makedirs(self.path("elsewhere"))
        result = self.run_cli(self.path("repo/a.grxla"), cwd=self.path("elsewhere"), code=2)
        self.assertIn("lightlint: " + self.path("repo/.lightlint.yaml") + ":2:1: ", result.errors)

    def test_a_refused_file_below_is_said_once_and_leaves_exit_code_2(self):
        self.config("repo/sub", "zzz: 1\n")
        result = self.run_cli(".", "--format", "jsonl", cwd=self.repo, code=2)
        self.assertEqual(result.errors.count("sub/.lightlint.yaml:1:1: unknown key 'zzz'"), 1)

    def test_a_fault_in_a_pack_has_the_place_in_the_pack(self):
        self.put("repo/extra.yaml", PACK.replace("severity", "severty").encode())
        self.config("repo", "root: true\nrules: [extra.yaml]\n")
        self.refused("a.grxla", cwd=self.repo, saying="lightlint: extra.yaml:3:3: ")

    def test_a_rule_of_a_pack_that_is_not_named_there_is_unknown(self):
        self.put("repo/sub/extra.yaml", PACK.encode())
        self.config("repo", "root: true\nignore: [MYMOD001]\n")
        self.config("repo/sub", "rules: [extra.yaml]\n")
        self.refused("a.grxla", cwd=self.repo, saying=".lightlint.yaml:2:10: ignore: unknown rule 'MYMOD001'")

    def test_a_file_that_cannot_be_read(self):
        os.remove(self.path("repo/.lightlint.yaml"))
        os.makedirs(self.path("repo/.lightlint.yaml"))
        self.refused("a.grxla", cwd=self.repo, saying=".lightlint.yaml: Is a directory")

    def test_more_overrides_than_there_is_room_for(self):
        self.config("repo", "overrides:\n" + "  - {files: a, game: mp1}\n" * 4097)
        self.refused("a.grxla", cwd=self.repo, saying="overrides: more than 4096 entries; move some to")
        self.config("repo", "root: true\noverrides:\n" + "  - {files: a, game: mp1}\n" * 4095
                    + "  - {files: a.grxla, severity: {name-hash: error}}\n")
        self.assertEqual(self.level("a.grxla"), "error")

    def test_files_from_windows(self):
        for mark in (b"", b"\xef\xbb\xbf"):
            self.put("repo/.lightlint.yaml", mark + b"root: true\r\nseverity:\r\n  name-hash: error\r\n")
            self.assertEqual(self.level("a.grxla"), "error")
            self.put("repo/.lightlint.yaml", mark + b"roof: true\r\n")
            self.assertIn(".lightlint.yaml:1:1: unknown key 'roof'", self.run_cli("a.grxla", cwd=self.path("repo"), code=2).errors)

    def test_bytes_that_are_no_text(self):
        self.put("repo/.lightlint.yaml", b"root: true\ngame: \xff\n")
        self.refused("a.grxla", cwd=self.repo, saying=".lightlint.yaml:2:")


class Show(ConfigTest):
    def test_every_key_is_there_with_its_source(self):
        self.config("repo", "root: true\nfail-on: error\nexclude:\n  - old/\n")
        self.config("repo/sub", "game: mp2\n")
        lines = self.shown("sub/b.grxla", "--ignore", "name-hash,SOUP").splitlines()
        for line in ("root: true  # .lightlint.yaml:1", "select: [all]  # default", "  - name-hash  # command line",
                     "  - SOUP  # command line", "fail-on: error  # .lightlint.yaml:2", "game: mp2  # sub/.lightlint.yaml:1",
                     "  - old/  # .lightlint.yaml:4", "rules: []  # default", "baseline: \"\"  # default"):
            self.assertIn(line, lines)
        keys = set(parse("\n".join(lines)))
        self.assertEqual(keys, {"root", "select", "ignore", "severity", "rules", "fail-on", "unsupported", "game", "include", "gitignore", "cross",
                                "exclude", "baseline", "docs_url", "overrides"})

    def test_sources_are_named_as_seen_from_here(self):
        self.config("repo", "root: true\nfail-on: error\n")
        self.assertIn("fail-on: error  # ../.lightlint.yaml:2", self.shown("b.grxla", cwd="repo/sub"))
        self.assertIn("fail-on: error  # repo/.lightlint.yaml:2", self.shown(self.path("repo/sub/b.grxla"), cwd="."))

    def test_it_is_a_configuration_that_says_the_same(self):
        self.config("repo", "root: true\nselect: [GRX, 'tag:size']\nignore: ['*-padding']\nseverity: {name-hash: error, probe-pad: off}\n"
                            "fail-on: never\ngame: mp3\ninclude: '*.grxla'\nexclude: ['a b', \"quo\\\"te\", \"\u00fc\"]\n")
        before = self.shown("a.grxla")
        self.config("repo", before)
        self.assertEqual(parse(self.shown("a.grxla")), parse(before))

    def test_overrides_say_whether_they_hold(self):
        self.config("repo", "root: true\noverrides:\n  - files: [a.grxla]\n    game: mp1\n  - files: b.grxla\n    game: mp2\n")
        text = self.shown("a.grxla")
        self.assertIn("  - files: [a.grxla]  # .lightlint.yaml:3, applies to this file\n    game: mp1\n", text)
        self.assertIn("  - files: b.grxla  # .lightlint.yaml:5, does not apply to this file\n", text)
        self.assertIn("game: mp1  # .lightlint.yaml:4, override\n", text)
        self.assertIn("game: auto  # default", self.shown("."))

    def test_an_override_that_selects_shows_alone(self):
        self.config("repo", "root: true\nselect: [SOUP]\noverrides: [{files: 'a.*', select: name-hash}]\n")
        self.assertEqual(self.values("a.grxla")["select"], ["name-hash"])
        self.assertEqual(self.values("sub/b.grxla")["select"], ["SOUP"])

    def test_a_level_that_is_said_twice_shows_once(self):
        self.config("repo", "root: true\nseverity: {name-hash: error, SOUP: note}\n")
        text = self.shown("a.grxla", "--severity", "name-hash=note")
        self.assertEqual(text.count("  name-hash: "), 1)
        self.assertIn("  SOUP: note  # .lightlint.yaml:2\n  name-hash: note  # command line\n", text)

    def test_rules_with_another_severity_are_named(self):
        self.config("repo", "root: true\nseverity: {name-hash: error}\n")
        self.assertRegex(self.shown("a.grxla"), r"# \d+ of \d+ rules are on; with a changed severity:\n"
                                                r"#   GRX265 grx/name-hash: error, not warning\n")
        self.assertRegex(self.shown("a.grxla", "--isolated"), r"# \d+ of \d+ rules are on, all with their default severity\n")

    def test_why_a_path_is_left_out(self):
        self.config("repo", "root: true\nexclude:\n  - sub/\n  - 'a.*'\n")
        self.assertIn("# left out when directories are searched: the path matches \"a.*\" of exclude  # .lightlint.yaml:4\n", self.shown("a.grxla"))
        for path in ("sub/deep/c.grxla", "sub/deep", "sub"):
            self.assertIn("the directory sub matches sub/ of exclude  # .lightlint.yaml:3\n", self.shown(path))
        self.assertIn("# not left out", self.shown("."))
        self.config("repo", "root: true\ninclude:\n  - sub/\n")
        self.assertIn("no include pattern matches it  # .lightlint.yaml:3\n", self.shown("a.grxla"))
        self.assertIn("matches deep of exclude  # command line\n", self.shown("sub/deep/c.grxla", "--exclude", "deep"))

    def test_a_path_that_is_not_there_is_refused(self):
        self.refused("config", "show", "nothing.grxla", cwd=self.repo, saying="'nothing.grxla' does not exist")

    def test_the_baseline_of_a_file(self):
        self.config("repo", "root: true\nbaseline: old.jsonl\n")
        self.config("repo/sub", "baseline: \"\"\n")
        self.assertIn("baseline: old.jsonl  # .lightlint.yaml:2\n", self.shown("a.grxla"))
        self.assertIn("baseline: \"\"  # sub/.lightlint.yaml:1\n", self.shown("sub/b.grxla"))


class Start(ConfigTest):
    def fresh(self):
        os.makedirs(self.path("fresh"), exist_ok=True)
        result = self.run_cli("config", "init", cwd=self.path("fresh"), code=0)
        self.assertIn("wrote .lightlint.yaml", result.text)
        return self.get("fresh/.lightlint.yaml").decode()

    def awake(self):
        """The start file with all commented examples enabled."""
        return re.sub("^#(?! )", "", re.sub("^#  ", "  ", self.fresh(), flags=re.M), flags=re.M)

    def test_what_init_writes_is_accepted(self):
        self.fresh()
        self.put("fresh/a.grxla", BAD)
        self.assertIn("root: true  # .lightlint.yaml:", self.shown("a.grxla", cwd="fresh"))
        self.assertEqual(self.level("a.grxla", cwd="fresh"), "warning")

    def test_options_that_would_do_nothing_are_refused(self):
        self.refused("config", "init", "--select", "GRX", saying="--select is not an option of 'config init'")
        self.refused("config", "schema", "--isolated", saying="--isolated is not an option of 'config schema'")

    def test_init_never_overwrites(self):
        self.config("repo", "game: mp1\n")
        self.refused("config", "init", cwd=self.repo, saying=".lightlint.yaml already exists")
        self.assertEqual(self.get("repo/.lightlint.yaml"), b"game: mp1\n")

    def test_every_example_of_the_start_file_is_accepted(self):
        text = self.awake()
        self.config("fresh", text)
        self.put("fresh/my-rules.yaml", PACK.encode())
        self.put("fresh/lights/a.grxla", BAD)
        values = self.values("lights/a.grxla", cwd="fresh")
        self.assertEqual(set(parse(text)), set(values))
        self.assertEqual(values["baseline"], ".lightlint-baseline.jsonl")


class Schema(ConfigTest):
    def schema(self):
        return json.loads(self.run_cli("config", "schema", code=0).text)

    def accepts(self, text):
        try:
            jsonschema.validate(parse(text), self.schema(), cls=jsonschema.Draft7Validator)
        except jsonschema.ValidationError:
            return False
        return True

    def test_it_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(self.schema())

    def test_the_published_one_is_what_the_program_prints(self):
        with open(os.path.join(SOURCE, "docs", "schema", "config.schema.json"), "rb") as file:
            self.assertEqual(file.read(), self.run_cli("config", "schema", code=0).out, "./dev update refreshes it")

    def test_it_works_where_a_configuration_is_broken(self):
        self.config("repo", "nonsense: 1\n")
        self.run_cli("config", "schema", cwd=self.repo, code=0)

    def test_it_accepts_what_the_program_accepts(self):
        self.run_cli("config", "init", code=0)
        start = self.get(CONFIG).decode()
        awake = re.sub("^#(?! )", "", re.sub("^#  ", "  ", start, flags=re.M), flags=re.M)
        for text in (start, awake, "# nothing\n", "{}", "ignore: []", "baseline: \"\"", "overrides: []", "severity: {}"):
            self.assertTrue(self.accepts(text), text)
        self.config("repo", "# nothing\n")
        self.run_cli("config", "show", "repo", code=0)

    def test_it_rejects_what_the_program_rejects(self):
        for text, _, words in ERRORS:
            if not BEYOND_THE_SCHEMA.search(words):
                self.assertFalse(self.accepts(text), text)


class Documentation(ConfigTest):
    def page(self):
        with open(os.path.join(SOURCE, "docs", "configuration.md"), encoding="utf-8") as file:
            return file.read().split("\n## Suppressions")[0]  # the rest is about other files

    def test_every_example_of_the_page_is_accepted(self):
        examples = re.findall("^```yaml\n(.*?)^```", self.page(), flags=re.M | re.S)
        self.assertGreater(len(examples), 2)
        self.put("repo/ci/house-rules.yaml", PACK.encode())
        for text in examples:
            with self.subTest(text=text):
                self.config("repo", text)
                self.run_cli("config", "show", ".", cwd=self.repo, code=0)

    def test_the_page_knows_every_key(self):
        keys = re.findall(r"^\| `([a-z][a-z_-]*)` \|", self.page(), flags=re.M)
        definitions = Schema.schema(self)["definitions"]
        known = set(definitions["settings"]["properties"]) | set(definitions["override"]["properties"])
        self.assertEqual(set(keys), known)


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
