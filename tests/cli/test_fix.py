#!/usr/bin/env python3
"""`lightlint fix`: which patches are applied and which skipped, messages, changes to files, and undo.

    test_fix.py BINARY SOURCE_DIR [unittest arguments]"""
import collections
import fcntl
import itertools
import json
import math
import os
import pty
import random
import re
import shutil
import stat
import struct
import subprocess
import sys
import time
import unittest

from cli_test import BAD, GOOD, LFS, NOBODY, PROGRAM, SOURCE, CliTest, archive, light_file, wrong_hashes
from recipe import Corpus  # found by cli_test

try:
    import jsonschema
except ImportError:
    jsonschema = None


def fnv(data):
    """64-bit FNV-1a, as in a journal."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def demo(name):
    with open(os.path.join(SOURCE, "corpus", "demo", name), "rb") as file:
        return file.read()


def case(name):
    corpus = Corpus(os.path.join(SOURCE, "corpus"))
    return bytes(corpus.assemble(corpus.recipes[name]).data)


WHOLE = demo("good-lights.lights")
CUT = WHOLE[:-12]  # without padding: the patch is safe, and inserts bytes
VERTEX = demo("bad-occ-w.grxoc")  # its patch is unsafe
OFFSET = 0xD8  # of that patch
MENDED = VERTEX[:OFFSET] + b"\0\0\x80\x3f" + VERTEX[OFFSET + 4:]
LETTER = demo("bad-name-hash-one-letter.grxla")  # its patch is unsafe, too
TWO = bytearray(case("good-fox2"))  # two wrong values in two records: version 0x36, and a reserved byte
TWO[4], TWO[0x54] = 0x36, 1
NO_VERSION = b"""- {id: MYMOD001, name: no-35, severity: note, tags: [mine], on: fox.header, field: version, check: not_equals, value: 0x35,
  title: T., why: W., fix: F.}
"""
SPOIL = b"""- {id: MYMOD001, name: w-is-two, severity: note, tags: [mine], on: grx.vertex, field: w, check: range, value: '>= 1.5',
  title: T., why: W., fix: F.}
"""


class FixTest(CliTest):
    def fix(self, *arguments, **more):
        return self.run_cli("fix", *arguments, **more)

    def lines(self, *arguments, **more):
        return self.fix("--format", "jsonl", *arguments, **more).lines()

    def names(self):
        return sorted(os.path.relpath(os.path.join(at, name), self.home) for at, _, names in os.walk(self.home) for name in names)


class Patches(FixTest):
    def test_safe_ones_unless_told_otherwise(self):
        self.put("cut.lights", CUT)
        self.put("w.grxoc", VERTEX)
        result = self.fix(".", code=1)
        self.assertEqual(self.get("cut.lights"), WHOLE)
        self.assertEqual(self.get("w.grxoc"), VERTEX)
        self.assertRegex(result.text, r"^cut\.lights:\+0x214: fixed warning\[MREA046 section-unaligned-bare\] lights: lights\.padding nothing -> ")
        self.assertIn("2 files checked, 1 changed by 1 patch, 0 left out; findings left: 1.\n", result.text)
        self.fix("--unsafe", ".", code=0)
        self.assertEqual(self.get("w.grxoc"), MENDED)
        self.assertEqual(self.fix("--unsafe", ".", code=0).text, "2 files checked, 0 changed by 0 patches, 0 left out; findings left: 0.\n")

    def test_rule_narrows_the_patches_and_all_rules_count(self):
        self.put("w.grxoc", VERTEX)
        self.put("l.grxla", LETTER)
        self.fix("--unsafe", "--rule", "occ-w", ".", code=1)
        self.assertEqual((self.get("w.grxoc"), self.get("l.grxla")), (MENDED, LETTER))
        self.fix("--unsafe", "--rule", "GRX1,name-hash", ".", code=0)
        self.assertNotEqual(self.get("l.grxla"), LETTER)
        self.refused("fix", "--rule", "name-hahs", ".", saying="name-hash")
        self.refused("fix", "--rule", "GRX,", ".", saying="empty")

    def test_select_narrows_the_rules(self):
        self.put("w.grxoc", VERTEX)
        self.put("l.grxla", LETTER)
        self.fix("--unsafe", "--select", "occ-w", ".", code=0)
        self.assertEqual((self.get("w.grxoc"), self.get("l.grxla")), (MENDED, LETTER))

    def test_many_at_once(self):
        self.put("many.grxla", wrong_hashes(40))
        result = self.lines("--unsafe", "many.grxla", code=0)
        self.assertEqual(len(result), 42)
        self.assertEqual(result[0]["warnings_before"], 40)
        self.assertEqual(result[0]["warnings_after"], 0)
        self.run_cli("many.grxla", code=0)

    def test_one_that_spoils_something_is_not_offered(self):
        self.put("my.yaml", NO_VERSION)
        self.put("w.fox2", TWO)
        result = self.lines("--unsafe", "--rules", "my.yaml", ".", code=1)
        self.assertEqual([line["type"] for line in result], ["file", "patch", "summary"])
        self.assertEqual((result[1]["offset"], result[2]["why"]["no_patch"]), (0x54, 1))
        self.assertEqual(self.get("w.fox2"), bytes(TWO[:0x54] + b"\0" + TWO[0x55:]))

    def test_so_many_spoil_something_that_the_rest_is_not_tried(self):
        data = bytearray(light_file([b"LP_%04d" % i for i in range(1200)]))
        at = data.index(b"EP00")
        for _ in range(1200):
            data[at + 0x14] = 1  # name_reserved
            at = data.index(b"EP00", at + 1) if data.find(b"EP00", at + 1) > 0 else at
        self.put("many.grxla", bytes(data))
        self.put("my.yaml", SPOIL.replace(b"grx.vertex", b"grx.probe").replace(b"field: w", b"field: name_reserved").replace(b"1.5", b"1"))
        lines = self.lines("--unsafe", "--rules", "my.yaml", "many.grxla", code=1)
        why = [line["why"] for line in lines if line["type"] == "left"]
        self.assertEqual((len(why), set(why)), (1200, {"untried"}))  # the search for causes used up its limit
        self.assertEqual(lines[0]["patches"], 0)
        self.assertEqual(len([line for line in self.lines("--unsafe", "many.grxla", code=0) if line["type"] == "patch"]), 1200)

    def test_what_is_not_selected_is_not_broken(self):
        """The magic of the other kind of file would add a finding about the name, from a rule that was not selected."""
        bad = b"FG\xf8O" + GOOD[4:]
        self.put("a.grxoc", bad)
        result = self.lines("--unsafe", "--select", "grx-magic", "a.grxoc", code=1)
        self.assertEqual([line.get("brings", {}).get("name") for line in result], [None, "grx-extension", None])
        self.assertEqual(self.get("a.grxoc"), bad)
        text = self.fix("--unsafe", "--select", "grx-magic", "a.grxoc", code=1).text
        self.assertRegex(text, r": left error\[GRX\d+ grx-magic\] header.magic: its patch adds \w+\[GRX\d+ grx-extension\]")
        self.assertIn("0 changed by 0 patches, 1 left out", text)
        self.assertEqual(self.fix("--diff", "--unsafe", "--select", "grx-magic", "a.grxoc", code=1).out, b"")
        self.put("a.grxla", bad)
        self.fix("--unsafe", "--select", "grx-magic", "a.grxla", code=0)
        self.assertEqual(self.get("a.grxla"), GOOD)

    def test_what_is_known_is_left_alone(self):
        self.put("w.grxoc", VERTEX)
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: w.grxoc, rule: occ-w, reason: wanted}\n")
        self.fix("--unsafe", ".", code=0)
        self.assertEqual(self.get("w.grxoc"), VERTEX)
        self.fix("--unsafe", "--marked", ".", code=1)  # its suppression is now unused
        self.assertEqual(self.get("w.grxoc"), MENDED)
        self.put("w.grxoc", VERTEX)
        self.fix("--unsafe", "--no-suppressions", ".", code=0)
        self.assertEqual(self.get("w.grxoc"), MENDED)

    def test_what_the_baseline_holds_is_left_alone(self):
        self.put("w.grxoc", VERTEX)
        self.put("cut.lights", CUT)
        self.run_cli("baseline", "create", "w.grxoc", code=0)
        self.fix("--unsafe", "--baseline", ".lightlint-baseline.jsonl", ".", code=0)
        self.assertEqual((self.get("w.grxoc"), self.get("cut.lights")), (VERTEX, WHOLE))
        self.fix("--unsafe", "--marked", "--baseline", ".lightlint-baseline.jsonl", ".", code=0)
        self.assertEqual(self.get("w.grxoc"), MENDED)

    def test_exit_codes(self):
        self.put("cut.lights", CUT)
        self.put("w.grxoc", VERTEX)
        self.fix("cut.lights", code=0)
        self.fix("w.grxoc", code=1)
        self.fix("--fail-on", "error", "w.grxoc", code=0)
        self.put("lfs.grxla", LFS)
        self.put("again.lights", CUT)
        result = self.fix("again.lights", "lfs.grxla", "missing.grxla", code=2)
        self.assertEqual(self.get("again.lights"), WHOLE)
        self.assertIn("lightlint: missing.grxla: ", result.errors)
        self.assertIn("lightlint: lfs.grxla: ", result.errors)
        self.refused("fix", saying="no file")
        self.refused("fix", "-", saying="'-'")


class Covered(FixTest):
    """Fix does not hide damage: it moves no value into its range, and cuts off nothing to match a size."""

    def place(self, name, field):
        spans = json.loads(self.run_cli("dump", "--format", "json", name).out)["spans"]
        return next(span["offset"] for span in spans if span["path"].endswith(field))

    def assert_kept(self, name, data):
        self.put(name, data)
        found = [json.loads(line) for line in self.run_cli("--format", "jsonl", name).out.splitlines()][:-1]
        self.assertTrue(any(f["severity"] in ("error", "warning") for f in found))
        self.assertEqual([f["rule"] for f in found if "patch" in f], [])
        self.fix("--unsafe", name)
        self.assertEqual(self.get(name), data)

    def test_a_colour_of_bytes(self):
        data = bytearray(demo("good-lights.lights"))
        self.put("room.lights", bytes(data))
        struct.pack_into(">3f", data, self.place("room.lights", "light[2].color"), 255, 200, 100)
        self.assert_kept("room.lights", bytes(data))

    def test_a_rotation_in_the_other_byte_order(self):
        data = bytearray(demo("good-probes.grxla"))
        self.put("probes.grxla", bytes(data))
        at = self.place("probes.grxla", ".rotation")
        numbers = struct.pack("<4f", 0.6, 0.0, 0.64, 0.48)
        data[at:at + 16] = b"".join(numbers[i:i + 4][::-1] for i in range(0, 16, 4))
        self.assert_kept("probes.grxla", bytes(data))

    def test_locators_mangled_as_text(self):
        dice = random.Random(8)
        places = b""
        for _ in range(60):
            angle = dice.uniform(0, 2 * math.pi)
            places += struct.pack("<8f", *(dice.uniform(-900, 900) for _ in range(3)), 1, 0, math.sin(angle), 0, math.cos(angle))
        data = struct.pack("<IIQ", 60, 0, 0) + places
        self.assertEqual(self.run_cli(self.put("whole.lba", data)).code, 0)
        self.assert_kept("places.lba", data.decode("utf-8", "replace").encode())
        self.put("places.lba", data.decode("latin-1").encode())
        self.fix("places.lba")
        self.assertEqual(self.get("places.lba"), data)


class Shown(FixTest):
    def setUp(self):
        super().setUp()
        self.environment["SOURCE_DATE_EPOCH"] = "1577923199"  # 2020-01-01
        self.put("w.grxoc", VERTEX)
        self.put("cut.lights", CUT)

    def test_diff_writes_nothing(self):
        before = os.stat(self.path("w.grxoc"))
        result = self.fix("--diff", "--unsafe", ".", code=1)
        after = os.stat(self.path("w.grxoc"))
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))
        self.assertEqual((self.get("w.grxoc"), self.get("cut.lights")), (VERTEX, CUT))
        self.assertEqual(self.names(), ["cut.lights", "w.grxoc"])
        self.assertIn("--- a/w.grxoc\n+++ b/w.grxoc\n@@ ", result.text)
        self.assertRegex(result.text, r"\n-0x0000d8 +4  00 00 00 40 .* entry\[1\]\.vertex\[5\]\.w .* 2\n\+0x0000d8 +4  00 00 80 3f .* 1\n")
        result = self.fix("--diff", "w.grxoc", code=1)  # its finding remains
        self.assertEqual((result.out, result.errors), (b"", "lightlint: notice: not changed: 1 with an unsafe patch (--unsafe applies it)\n"))
        self.assertEqual(self.fix("--diff", "-q", "w.grxoc", code=1).err, b"")
        self.put("cut.lights", WHOLE)
        self.assertEqual(self.fix("--diff", "cut.lights", code=0).out, b"")

    def test_diff_is_that_of_the_dumps(self):
        """Of a file with other spans then, and of one in which only values change."""
        for name in ("cut.lights", "w.grxoc"):
            with self.subTest(name):
                self.put("old", self.run_cli("dump", name).out)
                shown = self.fix("--diff", "--unsafe", name, code=1).text
                self.fix("--unsafe", name, code=0)
                self.put("new", self.run_cli("dump", name).out)
                theirs = subprocess.run(["diff", "-u", "old", "new"], cwd=self.home, capture_output=True, text=True, check=False).stdout
                self.assertIn("\n+0x", shown)
                self.assertEqual(re.sub(r",1(?= )", "", shown).splitlines()[2:], re.sub(r",1(?= )", "", theirs).splitlines()[2:])

    def test_what_would_be_changed_fails(self):
        """Even for findings below the fail level."""
        self.fix("--diff", "--unsafe", "--fail-on", "never", "w.grxoc", code=1)
        self.fix("--unsafe", "--fail-on", "never", "w.grxoc", code=0)
        self.put("mark.grxla", b"\xef\xbb\xbf" + GOOD)  # a byte order mark: without the fix, nothing can be read
        self.fix("--diff", "mark.grxla", code=2)
        self.fix("mark.grxla", code=0)
        self.assertEqual(self.get("mark.grxla"), GOOD)

    def test_text(self):
        result = self.fix("--diff", "--format", "text", "--unsafe", "w.grxoc", code=1)
        self.assertEqual(result.text, "w.grxoc:+0xd8: would fix warning[GRX825 occ-w] entry[1].vertex[5].w: 2 -> 1 (00 00 00 40 -> 00 00 80 3f)\n"
                                      "1 file checked, 1 would be changed by 1 patch, 0 left out; findings now: 1.\n")
        self.assertEqual(self.fix("-q", "--unsafe", "w.grxoc", code=0).text.count("\n"), 3)
        self.assertEqual(self.fix("-q", "w.grxoc", code=0).out, b"")
        self.assertEqual(self.fix("-qq", "cut.lights", code=0).out, b"")
        self.assertEqual(self.get("cut.lights"), WHOLE)

    def test_lines(self):
        result = self.lines("--unsafe", ".", code=0)
        self.assertEqual([line["type"] for line in result], ["file", "patch", "file", "patch", "summary"])
        self.assertEqual({**result[2], "hash_before": "", "hash_after": ""},
                         {"type": "file", "file": "w.grxoc", "schema": 1, "format": "grx", "written": True, "patches": 1, "left_out": 0,
                          "size_before": 276, "errors_before": 0, "warnings_before": 1, "notes_before": 0, "hash_before": "",
                          "size_after": 276, "errors_after": 0, "warnings_after": 0, "notes_after": 0, "hash_after": ""})
        self.assertEqual(result[3], {"type": "patch", "file": "w.grxoc", "rule": "GRX825", "name": "occ-w", "severity": "warning",
                                     "path": "entry[1].vertex[5].w", "tier": "unsafe", "offset": 0xD8, "was": "00000040", "bytes": "0000803f",
                                     "changes": [{"path": "entry[1].vertex[5].w", "was": "2", "is": "1"}]})
        self.assertEqual(result[4], {"type": "summary", "schema": 1, "written": True, "files": 2, "changed": 2, "patches": 2, "left_out": 0,
                                     "findings_left": 0, "errors": 0, "warnings": 0, "notes": 0, "exit_code": 0,
                                     "in_git": 0, "journal": "lightlint-undo-2020-01-01.jsonl",
                                     "why": dict.fromkeys(("not_checked", "across", "left_out", "unsafe", "not_chosen", "note", "in_member", "no_patch"), 0)})

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_schema(self):
        with open(os.path.join(SOURCE, "docs", "schema", "fix.schema.json"), encoding="utf-8") as file:
            validator = jsonschema.Draft7Validator(json.load(file))
        self.put("my.yaml", NO_VERSION)
        self.put("two.fox2", TWO)
        lines = self.lines("--diff", "--unsafe", "--rules", "my.yaml", ".", code=1)
        self.put("a.grxoc", b"FG\xf8O" + GOOD[4:])
        lines += self.lines("--unsafe", "--select", "grx-magic", "a.grxoc", code=1)
        os.remove(os.path.join(self.home, "a.grxoc"))
        lines += self.lines("--unsafe", "--journal", "j", ".", code=0)
        self.assertEqual({line["type"] for line in lines}, {"file", "patch", "left", "summary"})
        for line in lines + [json.loads(line) for line in self.get("j").splitlines()]:
            self.assertEqual(list(validator.iter_errors(line)), [], line)
        for wrong in ({**lines[0], "schema": 2}, {**lines[1], "was": "0"}, {"type": "x"}, {"type": "left"}):
            self.assertTrue(list(validator.iter_errors(wrong)), wrong)


class Files(FixTest):
    def test_mode_stays(self):
        for mode in (0o600, 0o644, 0o4751):
            self.put("w.grxoc", VERTEX)
            os.chmod(self.path("w.grxoc"), mode)
            self.fix("--unsafe", "w.grxoc", code=0)
            self.assertEqual(stat.S_IMODE(os.stat(self.path("w.grxoc")).st_mode), mode)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_owner_stays(self):
        self.put("w.grxoc", VERTEX)
        os.chown(self.path("w.grxoc"), NOBODY, NOBODY)
        self.fix("--unsafe", "--backup", "w.grxoc", code=0)
        for name in ("w.grxoc", "w.grxoc.orig"):
            self.assertEqual((os.stat(self.path(name)).st_uid, os.stat(self.path(name)).st_gid), (NOBODY, NOBODY))

    def test_what_may_not_be_written_stays(self):
        self.put("w.grxoc", VERTEX)
        os.chmod(self.path("w.grxoc"), 0o444)
        os.chmod(self.home, 0o755)
        more = self.unprivileged()
        result = self.fix("--unsafe", "w.grxoc", code=2, **more)
        self.assertIn("lightlint: w.grxoc: Permission denied\n", result.errors)
        self.assertIn("would fix", result.text)
        self.assertEqual(self.get("w.grxoc"), VERTEX)

    def test_links(self):
        self.put("d/w.grxoc", VERTEX)
        os.symlink("d/w.grxoc", self.path("link.grxoc"))
        self.fix("--unsafe", "link.grxoc", code=0)
        self.assertTrue(os.path.islink(self.path("link.grxoc")))
        self.assertEqual(self.get("d/w.grxoc"), MENDED)
        self.put("d/w.grxoc", VERTEX)
        lines = self.lines("--unsafe", ".", code=0)
        self.assertEqual((lines[-1]["files"], lines[-1]["changed"], lines[-1]["findings_left"]), (2, 1, 0))
        self.assertTrue(os.path.islink(self.path("link.grxoc")))

    def test_files_of_several_names_are_refused(self):
        self.put("w.grxoc", VERTEX)
        os.link(self.path("w.grxoc"), self.path("other"))
        result = self.fix("--unsafe", "w.grxoc", code=2)
        self.assertIn("w.grxoc: the file has other names (hard links)", result.errors)
        self.assertEqual((self.get("w.grxoc"), self.get("other")), (VERTEX, VERTEX))

    def test_backups(self):
        self.put("w.grxoc", VERTEX)
        os.chmod(self.path("w.grxoc"), 0o640)
        self.fix("--unsafe", "--no-journal", "--backup", "w.grxoc", code=0)
        self.assertEqual((self.get("w.grxoc"), self.get("w.grxoc.orig")), (MENDED, VERTEX))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("w.grxoc.orig")).st_mode), 0o640)
        self.put("w.grxoc", VERTEX)
        self.fix("--unsafe", "--no-journal", "--backup=.bak", "w.grxoc", code=0)
        self.assertEqual(self.get("w.grxoc.bak"), VERTEX)
        self.put("w.grxoc", VERTEX[:4] + b"\1" + VERTEX[5:])
        result = self.fix("--unsafe", "--no-journal", "--backup", "w.grxoc", code=2)
        self.assertIn("'w.grxoc.orig' already exists; not replaced", result.errors)
        self.assertEqual(self.get("w.grxoc.orig"), VERTEX)
        self.assertEqual(self.get("w.grxoc")[4], 1)
        self.refused("fix", "--backup=/x", "w.grxoc", saying="'/'")
        self.refused("fix", "--backup=", "w.grxoc", saying="empty")
        self.assertEqual(self.names(), ["w.grxoc", "w.grxoc.bak", "w.grxoc.orig"])

    def test_full_disk(self):
        import resource
        self.put("big.grxla", wrong_hashes(400))
        before = self.get("big.grxla")
        result = self.fix("--unsafe", "--no-journal", "big.grxla", code=2, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
        self.assertIn("big.grxla: File too large", result.errors)
        self.assertEqual(self.get("big.grxla"), before)
        self.assertEqual(self.names(), ["big.grxla"])


class Archives(FixTest):
    MEMBER = "/Assets/a.grxla"

    def setUp(self):
        super().setUp()
        self.put("b/bad.grxla", BAD)
        self.fix("b", code=0)
        self.mended = self.get("b/bad.grxla")
        shutil.rmtree(self.path("b"))
        self.assertNotEqual(self.mended, BAD)

    def test_members_are_fixed_where_they_lie(self):
        data = archive([(self.MEMBER, BAD), ("/Assets/b.grxla", GOOD), ("/Assets/c.grxla", BAD)])
        self.put("a.fpk", data)
        lines = self.lines("--unsafe", "a.fpk", code=0)
        self.assertEqual([line["file"] for line in lines if line["type"] == "patch"], ["a.fpk!/Assets/a.grxla", "a.fpk!/Assets/c.grxla"])
        self.assertEqual(lines[-1]["changed"], 1)
        self.assertEqual(self.get("a.fpk"), archive([(self.MEMBER, self.mended), ("/Assets/b.grxla", GOOD), ("/Assets/c.grxla", self.mended)]))
        self.run_cli("a.fpk", "--no-cross", code=0)

    def test_members_by_the_rules_that_hold_for_them(self):
        data = archive([(self.MEMBER, BAD), ("/Assets/b.grxla", BAD)])
        self.put("a.fpk", data)
        self.put(".lightlint.yaml", b"overrides:\n  - {files: ['*!/Assets/a.grxla'], ignore: [name-hash]}\n")
        lines = self.lines("--unsafe", ".", code=0)
        self.assertEqual([line["file"] for line in lines if line["type"] == "patch"], ["a.fpk!/Assets/b.grxla"])
        self.put("a.fpk", data)
        self.put(".lightlint.yaml", b"exclude: ['*!/Assets/b.grxla']\n")
        lines = self.lines("--unsafe", ".", code=0)
        self.assertEqual([line["file"] for line in lines if line["type"] == "patch"], ["a.fpk!/Assets/a.grxla"])

    def test_an_archive_and_its_members_are_fixed(self):
        data = archive([(self.MEMBER, BAD), ("/Assets/b.grxla", GOOD)])
        self.put("a.fpk", data[:0x10] + b"\1" + data[0x11:])
        before = self.get("a.fpk")
        lines = self.lines("--unsafe", "--journal", "j", "a.fpk", code=0)
        self.assertEqual([line.get("name") for line in lines if line["type"] == "patch"], ["fpk-reserved", "name-hash"])
        self.assertEqual(self.get("a.fpk"), archive([(self.MEMBER, self.mended), ("/Assets/b.grxla", GOOD)]))
        self.assertEqual(self.fix("--undo", "j", code=0).text, "2 changes undone, 0 undone before.\n")
        self.assertEqual(self.get("a.fpk"), before)

    def test_an_archive_is_backed_up_once(self):
        data = archive([(self.MEMBER, BAD), ("/Assets/b.grxla", BAD)])
        self.put("a.fpk", data[:0x10] + b"\1" + data[0x11:])
        before = self.get("a.fpk")
        self.fix("--unsafe", "--backup", "a.fpk", code=0)
        self.assertEqual(self.get("a.fpk"), archive([(self.MEMBER, self.mended), ("/Assets/b.grxla", self.mended)]))
        self.assertEqual(self.get("a.fpk.orig"), before)

    def test_a_member_keeps_its_length(self):
        self.put("a.lights", CUT)
        self.assertIn("patch", self.run_cli("a.lights", "--format", "jsonl", code=1).lines()[0])
        data = archive([("/Assets/a.lights", CUT)])
        self.put("a.fpk", data)
        found = self.run_cli("a.fpk", "--select", "section-unaligned-bare", "--format", "jsonl", code=1).findings()
        self.assertEqual(["patch" in line for line in found], [False])
        result = self.fix("--unsafe", "a.fpk", code=1)
        self.assertEqual(self.get("a.fpk"), data)
        self.assertIn("\nNot changed: 1 in archive members", result.text)

    def test_diff_shows_members(self):
        data = archive([("/Assets/w.grxoc", VERTEX)])
        self.put("a.fpk", data)
        result = self.fix("--diff", "--unsafe", "a.fpk", code=1)
        self.assertIn("--- a/a.fpk!/Assets/w.grxoc\n", result.text)
        self.assertEqual(self.get("a.fpk"), data)
        self.assertIn("1 with an unsafe patch", self.fix("--diff", "a.fpk", code=1).errors)


class LikeCheck(FixTest):
    """fix ends with the exit code and findings of a following check."""
    PATHS = (b"/Assets/tpp/level/a_light.fox2",)

    def both(self, *arguments):
        """Exit code and counts of fix, compared with those of a following check."""
        fixed = self.fix("--format", "jsonl", *arguments, code=None)
        checked = self.run_cli("check", "--format", "jsonl", *arguments, code=None)
        said, counts = fixed.lines()[-1], checked.lines()[-1]
        self.assertEqual((fixed.code, said["errors"], said["warnings"], said["notes"]),
                         (checked.code, counts["errors"], counts["warnings"], counts["notes"]))
        return said

    def test_rules_across_files(self):
        """An array whose DataSet is missing in the other part of the package."""
        self.put("p_fpk/Assets/tpp/level/a_fox2_grxla_win.grxla", GOOD)
        self.put("p_fpkd/Assets/tpp/level/b.txt", b"")
        said = self.both(".")
        self.assertGreater(said["why"]["across"], 0)
        self.assertGreater(said["findings_left"], 0)
        text = self.fix(".", code=None).text
        self.assertIn("across files, which have no patch", text)
        self.assertEqual(self.both("--no-cross", ".")["why"]["across"], 0)

    def test_what_suppressions_are_left_over(self):
        self.put("w.grxoc", MENDED)
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: w.grxoc, rule: occ-w, reason: wanted}\n")
        self.assertEqual(self.both("--fail-on", "note", ".")["exit_code"], 1)

    def test_what_was_known_and_is_mended(self):
        """A suppression and a baseline entry that match nothing after the fix are reported by check."""
        for name, make in ((".lightlint-ignore.yaml", None), (".lightlint-baseline.jsonl", ("baseline", "create", "w.grxoc"))):
            self.put("w.grxoc", VERTEX)
            if make:
                self.run_cli(*make, code=0)
                self.put(".lightlint.yaml", b"baseline: .lightlint-baseline.jsonl\n")
            else:
                self.put(name, b"suppress:\n  - {file: w.grxoc, rule: occ-w, reason: wanted}\n")
            said = self.lines("--unsafe", "--marked", ".", code=None)[-1]
            checked = self.run_cli("check", "--format", "jsonl", ".", code=said["exit_code"]).lines()[-1]
            self.assertEqual(self.get("w.grxoc"), MENDED)
            self.assertEqual([said[key] for key in ("errors", "warnings", "notes")], [checked[key] for key in ("errors", "warnings", "notes")])
            self.assertEqual(sum(said["why"].values()), said["findings_left"])
            self.assertGreater(said["findings_left"], 0)
            os.remove(self.path(name))

    def test_why_each_is_left(self):
        self.put("w.grxoc", VERTEX)
        self.put("l.grxla", LETTER)
        self.assertEqual(self.both(".")["why"]["unsafe"], 2)
        lines = self.lines("--unsafe", "--rule", "occ-w", ".", code=1)
        self.assertEqual((lines[-1]["why"]["not_chosen"], lines[-1]["findings_left"]), (1, 1))
        self.put("x.grxla", b"x")
        self.assertGreater(self.both(".")["why"]["not_checked"], 0)


class Leftovers(FixTest):
    """Temporary files left by a killed run are removed by the next run, whatever their target."""
    OURS = "w.grxoc.lightlint-999999999-0.tmp"
    OTHERS = ("w.grxoc.lightlint-1-0.tmp.bak", ".lightlint-1-0.tmp", "w.grxoc.lightlint-1.tmp", "w.grxoc.lightlint-x-0.tmp", "w.grxoc.tmp",
              "w.grxoc.lightlint--0.tmp", "w.grxoc.lightlint-1-0.tmp.lightlint-a-0.tmp")

    def test_they_are_removed_and_nothing_else(self):
        self.put("d/w.grxoc", MENDED)
        for name in (self.OURS, "gone.lightlint-1-12.tmp", *self.OTHERS):
            self.put("d/" + name, b"x")
        os.mkdir(self.path("d/y.lightlint-1-0.tmp"))
        self.fix("--diff", ".", code=0)
        self.run_cli("check", ".", code=0)
        self.assertIn(self.OURS, os.listdir(self.path("d")))
        self.fix(".", code=0)
        self.assertEqual(sorted(os.listdir(self.path("d"))), sorted(("w.grxoc", *self.OTHERS, "y.lightlint-1-0.tmp")))

    def test_links_of_such_a_name_stay(self):
        self.put("w.grxoc", MENDED)
        os.symlink("w.grxoc", self.path("z.lightlint-1-0.tmp"))
        self.fix("w.grxoc", code=0)
        self.assertEqual(self.names(), ["w.grxoc", "z.lightlint-1-0.tmp"])

    def test_an_output_removes_them_beside_it(self):
        self.put("w.grxoc", MENDED)
        self.put("out/" + self.OURS, b"x")
        self.run_cli("check", "w.grxoc", "--format", "json:out/new.json", code=0)
        self.assertEqual(os.listdir(self.path("out")), ["new.json"])

    def test_what_a_living_process_writes_stays(self):
        self.put("w.grxoc", MENDED)
        self.put(self.OURS, b"x")
        with open(self.path(self.OURS), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.fix(".", code=0)
            self.assertEqual(self.names(), ["w.grxoc", self.OURS])
        self.fix(".", code=0)
        self.assertEqual(self.names(), ["w.grxoc"])

    def wait_for_two(self):
        """The names in the folder, once there are two."""
        for _ in range(2000):
            if len(self.names()) > 1:
                break
            time.sleep(0.005)
        return self.names()

    def test_a_killed_output(self):
        """A check is killed while it waits for its input; meanwhile fix runs in the folder."""
        self.put("w.grxoc", MENDED)
        process = subprocess.Popen([PROGRAM, "check", "-", "-o", "report"], cwd=self.home, env=self.environment, stdin=subprocess.PIPE)
        first = self.wait_for_two()
        self.fix(".", code=0)
        # fix may have removed the file before the run locked it; then the run creates another
        left = self.wait_for_two()
        ended = process.poll()
        process.kill()
        process.communicate()
        self.assertIsNone(ended, f"the run ended by itself; the names before fix: {first}")
        self.assertRegex(" ".join(left), r"^report\.lightlint-\d+-\d+\.tmp w\.grxoc$", f"the names before fix: {first}")
        self.fix(".", code=0)
        self.assertEqual(self.names(), ["w.grxoc"])


class Journal(FixTest):
    def test_undo(self):
        before = {"w.grxoc": VERTEX, "cut.lights": CUT, "many.grxla": wrong_hashes(20), "d/good.grxla": GOOD}
        for name, data in before.items():
            self.put(name, data)
        self.fix("--journal", "j", ".", code=1)
        self.fix("--journal", "j", "--unsafe", ".", code=0)
        self.assertEqual([self.get("cut.lights"), self.get("w.grxoc")], [WHOLE, MENDED])
        result = self.run_cli("fix", "--undo", "j", code=0)
        self.assertEqual(result.text, "3 changes undone, 0 undone before.\n")
        self.assertEqual({name: self.get(name) for name in before}, before)
        self.assertEqual(self.fix("--undo", "j", code=0).text, "0 changes undone, 3 undone before.\n")
        self.assertEqual(self.fix("-q", "--undo", "j", code=0).out, b"")

    def test_what_was_changed_since_stays(self):
        self.put("w.grxoc", VERTEX)
        self.put("cut.lights", CUT)
        self.fix("--journal", "j", "--unsafe", ".", code=0)
        mine = MENDED[:-1] + b"\1"
        self.put("w.grxoc", mine)
        result = self.fix("--undo", "j", code=2)
        self.assertIn("w.grxoc: changed after the journal was written", result.errors)
        self.assertEqual((self.get("w.grxoc"), self.get("cut.lights")), (mine, CUT))
        os.remove(self.path("w.grxoc"))
        self.assertIn("w.grxoc: No such file", self.fix("--undo", "j", code=2).errors)

    def test_a_file_that_is_none_is_refused(self):
        self.put("w.grxoc", VERTEX)
        self.put("notes.txt", b"mine\n")
        self.refused("fix", "--journal", "notes.txt", "--unsafe", "w.grxoc", saying="notes.txt:1")
        self.refused("fix", "--undo", "notes.txt", saying="notes.txt:1")
        self.refused("fix", "--undo", "w.grxoc", saying="w.grxoc:1")
        self.refused("fix", "--undo", "missing", saying="missing: ")
        self.refused("fix", "--undo", "j", "--unsafe", saying="--unsafe")
        self.assertEqual((self.get("w.grxoc"), self.get("notes.txt")), (VERTEX, b"mine\n"))
        self.refused("fix", "--journal", "j", "--diff", "w.grxoc", saying="writes no file")

    def test_what_a_killed_run_left(self):
        self.put("w.grxoc", VERTEX)
        self.put("cut.lights", CUT)
        self.fix("--journal", "whole", "--unsafe", ".", code=0)
        whole = self.get("whole")
        entries = [len(whole) - len(rest) for rest in (whole[whole.index(b"\n", whole.index(b'"type":"patch"')) + 1:], b"")]
        for end in sorted({0, 1, 20, *range(0, len(whole), 97), *(e + d for e in entries for d in (-1, 0) if e + d <= len(whole))}):
            self.put("j", whole[:end])
            self.put("cut.lights", WHOLE if end >= entries[0] else CUT)
            self.put("w.grxoc", MENDED if end >= entries[1] else VERTEX)
            self.fix("--undo", "j", code=0)
            self.assertEqual((self.get("w.grxoc"), self.get("cut.lights")), (VERTEX, CUT), end)
        self.put("j", whole[:-20])
        self.fix("--journal", "j", "--unsafe", ".", code=0)
        self.fix("--undo", "j", code=0)
        self.assertEqual((self.get("w.grxoc"), self.get("cut.lights")), (VERTEX, CUT))

    def test_names_that_look_alike(self):
        """A file named with the letters \\xE9, and one with that byte."""
        letters, byte = os.path.join(self.home.encode(), b"caf\\xe9.grxoc"), os.path.join(self.home.encode(), b"caf\xe9.grxoc")
        for mended, other in ((letters, byte), (byte, letters)):
            for name, data in ((mended, VERTEX), (other, MENDED)):
                with open(name, "wb") as file:
                    file.write(data)
            self.fix("--journal", "j", "--unsafe", os.path.basename(mended), code=0)
            os.remove(other)
            os.rename(mended, other)  # the name in the journal does not exist any more
            self.assertIn("No such file", self.fix("--undo", "j", code=2).errors)
            os.rename(other, mended)
            self.fix("--undo", "j", code=0)
            with open(mended, "rb") as file:
                self.assertEqual(file.read(), VERTEX)
            os.remove(self.path("j"))

    def test_one_that_cannot_be_undone_does_not_keep_the_others(self):
        for name in ("a.grxoc", "b.grxoc", "c.grxoc", "d.grxoc"):
            self.put(name, VERTEX)
        self.fix("--journal", "j", "--unsafe", ".", code=0)
        os.link(self.path("b.grxoc"), self.path("other"))
        os.remove(self.path("c.grxoc"))
        result = self.fix("--undo", "j", code=2)
        self.assertEqual([self.get(name) for name in ("a.grxoc", "b.grxoc", "d.grxoc")], [VERTEX, MENDED, VERTEX])
        self.assertIn("b.grxoc: the file has other names", result.errors)
        self.assertIn("c.grxoc: No such file", result.errors)
        self.assertEqual(result.text, "2 changes undone, 0 undone before.\n")

    def test_a_journal_of_a_stranger_writes_nothing_elsewhere(self):
        """A foreign journal with a path that leads outside: upwards, absolute, through a link to a folder, or
        through a link to a file."""
        os.mkdir(self.path("mod"))
        for way in ("../out/w.grxoc", self.path("out/w.grxoc"), "folder/w.grxoc", "link.grxoc"):
            shutil.rmtree(self.path("mod"))
            self.put("out/w.grxoc", VERTEX)
            self.put("mod/x", b"")
            os.symlink("../out", self.path("mod/folder"))
            os.symlink("../out/w.grxoc", self.path("mod/link.grxoc"))
            self.fix("--journal", "j", "--unsafe", way, code=0, cwd=self.path("mod"))
            result = self.fix("--undo", "j", code=2, cwd=self.path("mod"))
            self.assertIn("outside the folder of the journal", result.errors, way)
            self.assertEqual(self.get("out/w.grxoc"), MENDED, way)
            self.fix("--undo", "j", "../out", code=0, cwd=self.path("mod"))
            self.assertEqual(self.get("out/w.grxoc"), VERTEX, way)

    def test_a_journal_that_lies_elsewhere(self):
        self.put("mod/w.grxoc", VERTEX)
        os.mkdir(self.path("away"))
        self.fix("--journal", "away/j", "--unsafe", "mod", code=0)
        self.fix("--undo", "away/j", code=2)
        self.assertIn("gone: does not exist", self.fix("--undo", "away/j", "gone", code=2).errors)
        self.fix("--undo", "away/j", "mo", "mod/w.grxoc", code=2)
        self.assertEqual(self.get("mod/w.grxoc"), MENDED)
        self.fix("--undo", "away/j", "mod/w.grxoc", code=0)
        self.assertEqual(self.get("mod/w.grxoc"), VERTEX)

    def test_a_journal_writes_files_of_our_families_alone(self):
        """The journal describes a text file correctly, but fix does not touch it."""
        self.put("w.grxoc", VERTEX)
        self.fix("--journal", "j", "--unsafe", ".", code=0)
        was, now = b"export A=1\n", b"export A=2\n"
        lines = [json.loads(line) for line in self.get("j").splitlines()]
        for line in lines:
            line["file"] = ".profile"
        lines[0].update(size_before=len(was), size_after=len(now), hash_before=fnv(was), hash_after=fnv(now))
        lines[1].update(offset=0, was=was.hex(), bytes=now.hex())
        self.put("j", "".join(json.dumps(line) + "\n" for line in lines).encode())
        self.put(".profile", now)
        self.assertIn(".profile: not a format that fix writes", self.fix("--undo", "j", code=2).errors)
        self.assertEqual(self.get(".profile"), now)

    def test_names_of_any_bytes(self):
        for name in (b"a\xff.grxoc", b"b\\x41.grxoc", "ü\u2028.grxoc".encode(), b'q".grxoc'):
            with open(os.path.join(self.home.encode(), name), "wb") as file:
                file.write(VERTEX)
        self.fix("--journal", "j", "--unsafe", ".", code=0)
        self.fix("--undo", "j", code=0)
        for name in os.listdir(self.home.encode()):
            if name != b"j":
                with open(os.path.join(self.home.encode(), name), "rb") as file:
                    self.assertEqual(file.read(), VERTEX, name)


class Promised(FixTest):
    """The last line of a check states what fix can fix."""

    def last(self, *arguments, code=None):
        return self.run_cli(*arguments, code=code).text.splitlines()[-1]

    def test_safe_and_unsafe_patches(self):
        self.put("cut.lights", CUT)
        self.assertEqual(self.last("."), "1 fixable: lightlint fix")
        self.put("w.grxoc", VERTEX)
        self.put("letter.grxla", LETTER)
        self.assertEqual(self.last("."), "1 fixable: lightlint fix; 2 more with --unsafe")
        self.fix(".", code=1)
        self.assertEqual(self.last("."), "2 fixable: lightlint fix --unsafe")
        self.fix("--unsafe", ".", code=0)
        self.assertEqual(self.last("."), "3 files checked, no findings.")

    def test_what_fix_leaves_alone(self):
        """Notes, suppressed findings, and members that would grow."""
        self.put("w.grxoc", VERTEX)
        self.assertIn("1 note.", self.last("--severity", "occ-w=note", "w.grxoc"))
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - {file: w.grxoc, rule: occ-w, reason: x}\n")
        self.put("cut.fpk", archive([("/Assets/cut.lights", CUT)]))
        self.assertIn(" fixable: ", self.last("--no-suppressions", "w.grxoc"))
        shown = self.run_cli("--select", "grx/*", "--select", "section-unaligned-bare", ".").text
        self.assertIn("MREA046", shown)
        self.assertNotIn(" fixable: ", shown)

    def test_quiet_runs_say_it_where_there_is_something(self):
        self.put("w.grxoc", VERTEX)
        self.assertEqual(self.last("-q", "."), "1 fixable: lightlint fix --unsafe")
        self.assertNotIn("fixable", self.run_cli("-qq", ".").text)
        self.assertNotIn("fixable", self.run_cli("--format", "concise", ".").text)


class Undoable(FixTest):
    """By default, files that Git does not have are recorded in a journal, which fix names."""

    def setUp(self):
        super().setUp()
        self.environment["SOURCE_DATE_EPOCH"] = "1577923199"  # 2020-01-01
        for name in ("mod/a/cut.lights", "mod/b/w.grxoc"):
            self.put(name, CUT if name.endswith("s") else VERTEX)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@y", *arguments], cwd=self.path("mod"), check=True, env=self.environment,
                       stdout=subprocess.DEVNULL)

    def journals(self):
        return [name for name in self.names() if "undo" in name and ".git" not in name]

    def test_the_journal_lies_in_the_folder_common_to_the_arguments(self):
        for place, arguments in (("mod", ("mod",)), ("mod", ("mod/a", "mod/b/w.grxoc")), ("mod/b", ("mod/b/w.grxoc",)), (".", ("mod", "other.grxoc")),
                                 ("mod", ("$/mod/a", "mod/b")), ("mod/b", ("link",))):
            self.setUp()
            self.put("other.grxoc", VERTEX)
            os.symlink("mod/b", self.path("link"))
            before = {name: self.get(name) for name in self.names() if name != "link"}
            journal = os.path.normpath(os.path.join(place, "lightlint-undo-2020-01-01.jsonl"))
            result = self.fix("--unsafe", *(argument.replace("$", self.home) for argument in arguments), code=0)
            self.assertEqual(self.journals(), [journal], arguments)
            self.assertEqual(result.text.splitlines()[-1], f"To undo: lightlint fix --undo {journal}")
            self.fix("--undo", journal, code=0)
            self.assertEqual({name: self.get(name) for name in before}, before)

    def test_a_folder_with_a_blank(self):
        self.put("my mod/w.grxoc", VERTEX)
        last = self.fix("--unsafe", "my mod", code=0).text.splitlines()[-1]
        self.assertEqual(last, 'To undo: lightlint fix --undo "my mod/lightlint-undo-2020-01-01.jsonl"')

    def test_a_list_has_it_in_the_current_directory(self):
        self.fix("--unsafe", "--files-from", "-", code=0, stdin=b"mod/b/w.grxoc\n")
        self.assertEqual(self.journals(), ["lightlint-undo-2020-01-01.jsonl"])

    def test_each_run_has_its_own(self):
        self.fix("mod", code=1)
        self.fix("--unsafe", "mod", code=0)
        first, second = "mod/lightlint-undo-2020-01-01.jsonl", "mod/lightlint-undo-2020-01-01-2.jsonl"
        self.assertEqual(self.journals(), [second, first])
        self.fix("--undo", second, code=0)
        self.assertEqual((self.get("mod/a/cut.lights"), self.get("mod/b/w.grxoc")), (WHOLE, VERTEX))

    def test_no_change_has_none(self):
        self.put("good/good.grxla", GOOD)
        self.assertNotIn("undo", self.fix("--unsafe", "good", code=0).text)
        self.fix("--diff", "--unsafe", "mod", code=1)
        self.assertEqual(self.journals(), [])

    def test_where_it_cannot_be_written_nothing_is_changed(self):
        for epoch, place, says in (("x", "mod", "SOURCE_DATE_EPOCH"), ("0", "mod", "too many journals of today")):
            for number in range(1, 1001 if epoch == "0" else 0):
                self.put("mod/lightlint-undo-1970-01-01" + (f"-{number}" if number > 1 else "") + ".jsonl", b"")
            result = self.fix("--unsafe", place, code=2, env={"SOURCE_DATE_EPOCH": epoch})
            self.assertIn(says, result.errors)
            self.assertEqual(len(result.errors.splitlines()), 1)
            self.assertEqual((self.get("mod/a/cut.lights"), self.get("mod/b/w.grxoc")), (CUT, VERTEX))

    def test_a_folder_that_may_not_be_written(self):
        more = self.unprivileged()
        os.chmod(self.home, 0o755)
        for at, _, names in os.walk(self.path("mod")):
            os.chmod(at, 0o777)
            for name in names:
                os.chmod(os.path.join(at, name), 0o666)
        os.chmod(self.path("mod"), 0o555)
        result = self.fix("--unsafe", "mod", code=2, **more)
        self.assertRegex(result.errors, r"mod/lightlint-undo-2020-01-01\.jsonl: Permission denied; files that Git does not hold .* --journal FILE, .* --no-journal")
        self.assertEqual((self.get("mod/a/cut.lights"), self.get("mod/b/w.grxoc")), (CUT, VERTEX))
        self.fix("--unsafe", "--no-journal", "mod", code=0, **more)
        self.assertEqual((self.get("mod/a/cut.lights"), self.get("mod/b/w.grxoc")), (WHOLE, MENDED))

    def test_a_full_disk(self):
        import resource
        self.put("many.grxla", wrong_hashes(400))
        result = self.fix("--unsafe", "many.grxla", code=2, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
        self.assertIn("lightlint-undo-2020-01-01.jsonl: File too large", result.errors)
        self.assertEqual(self.get("many.grxla"), wrong_hashes(400))

    def test_no_journal(self):
        self.assertNotIn("undo", self.fix("--no-journal", "--unsafe", "mod", code=0).text)
        self.assertEqual(self.journals(), [])
        self.refused("fix", "--no-journal", "--journal", "j", "mod", saying="cannot be combined")

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_what_git_holds_is_not_noted_down(self):
        """Only files unchanged since the checked-out commit are not recorded; files that are merely staged, or
        changed since, are."""
        self.git("init", "-q")
        self.git("add", "a")
        self.git("commit", "-qm", "x")
        self.git("add", "b")
        self.put("mod/a/later.lights", CUT)
        summary = self.lines("--unsafe", "mod", code=0)[-1]
        self.assertEqual((summary["in_git"], summary["journal"]), (1, "mod/lightlint-undo-2020-01-01.jsonl"))
        named = {json.loads(line)["file"] for line in self.get(summary["journal"]).splitlines()}
        self.assertEqual(named, {"mod/a/later.lights", "mod/b/w.grxoc"})
        self.git("checkout", "-q", "HEAD", "--", "a/cut.lights")
        self.assertEqual(self.get("mod/a/cut.lights"), CUT)

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_all_is_in_git(self):
        self.put("mod/two.fpk", archive([("/Assets/a.grxoc", VERTEX), ("/Assets/b.grxoc", VERTEX)]))
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "x")
        result = self.fix("--unsafe", "mod", code=None)
        self.assertEqual(result.text.splitlines()[-1], "To undo: git checkout HEAD -- FILE, for 3 files that Git holds")
        self.assertEqual(self.journals(), [])

    def test_a_journal_is_not_checked(self):
        """A journal is not checked: not if it is named, e.g. by a shell pattern, not in a folder, and not as a file
        that is missing in the manifest of an unpacked archive."""
        self.put("mod/x_fpk/a.grxla", GOOD[:-4] + b"\0\0\0\0")  # size of the terminator: the patch is safe
        self.put("mod/x.fpk.xml", b'<ArchiveFile Name="x.fpk" FpkType="Fpk"><Entries><Entry FilePath="/a.grxla" /></Entries></ArchiveFile>')
        journal = "mod/x_fpk/lightlint-undo-2020-01-01.jsonl"
        self.fix("mod/x_fpk", code=0)
        self.assertEqual(self.journals(), [journal])
        self.run_cli(journal, "mod/x_fpk/a.grxla", code=0)
        self.run_cli("mod/x_fpk", "mod/x.fpk.xml", code=0)


class Asked(FixTest):
    def answer(self, text, *arguments):
        main, side = pty.openpty()
        os.write(main, text)
        shown = self.on_terminal("fix", "--interactive", "--unsafe", *arguments, stdin=side)
        os.close(side)
        os.close(main)
        return shown

    def test_answers(self):
        files = ("a.grxoc", "b.grxoc", "c.grxoc")
        for text, wanted in ((b"y\nn\ny\n", "y-y"), (b"n\na\n", "-yy"), (b"q\n", "---"), (b"what\n\ny\nq\n", "y--"), (b"y\n\x04", "y--")):
            for name in files:
                self.put(name, VERTEX)
            shown = self.answer(text, *files)
            self.assertEqual("".join("y" if self.get(name) == MENDED else "-" for name in files), wanted, shown)
            self.assertIn(b"patch: unsafe, at +0xd8: 00 00 80 3f", shown)

    def test_no_terminal(self):
        self.put("w.grxoc", VERTEX)
        self.refused("fix", "-i", "--unsafe", "w.grxoc", saying="terminal")
        self.refused("fix", "-i", "--diff", "w.grxoc", saying="writes no file")
        self.assertEqual(self.get("w.grxoc"), VERTEX)


@unittest.skipUnless("Killed" in sys.argv, "needs a program that CRASH_CHANGE kills (crash.c)")
class Killed(FixTest):
    def test_no_file_is_lost_or_half_written(self):
        """If fix is killed at any moment of its changes, each file has its old or its new contents, and the journal
        restores it."""
        names = [f"{number}.grxla" for number in range(3)]
        before = {name: wrong_hashes(1 + number) for number, name in enumerate(names)}
        after, states = {}, collections.Counter()
        for moment in itertools.count():  # 0: none
            for name, data in before.items():
                self.put(name, data)
            code = subprocess.run([PROGRAM, "fix", "-qq", "--unsafe", "--journal", "j", "."], cwd=self.home, check=False,
                                  env={**self.environment, "CRASH_CHANGE": str(moment)}, stdin=subprocess.DEVNULL).returncode
            now = {name: self.get(name) for name in names}
            after = after or now
            self.assertEqual([name for name in names if now[name] not in (before[name], after[name])], [], moment)
            states[sum(now[name] == after[name] for name in names)] += 1
            if os.path.exists(self.path("j")):
                self.fix("--undo", "j", code=0)
                os.remove(self.path("j"))
            self.assertEqual({name: self.get(name) for name in names}, before, moment)
            if moment and code == 0:
                break
        self.assertEqual(sorted(states), [0, 1, 2, 3])
        self.assertGreater(moment, 8 * len(names))
        self.fix("--unsafe", ".", code=0)
        self.assertEqual([name for name in self.names() if name.endswith(".tmp")], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
