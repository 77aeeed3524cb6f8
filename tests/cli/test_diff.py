#!/usr/bin/env python3
"""The command diff: files, directories, members, arguments from Git, and output formats.

usage: test_diff.py BINARY SOURCE_DIR [unittest arguments]"""
import json
import os
import sys
import unittest

from cli_test import GOOD, SOURCE, CliTest, archive, light_file, probe

try:
    import jsonschema
except ImportError:
    jsonschema = None

NAMES = [b"LP_%04d" % i for i in range(4)]
FOUR = light_file(NAMES)
FIELD = FOUR.replace(probe(NAMES[2], 2), probe(NAMES[2], 7))


def member(name):
    return "/Assets/test/%s_fox2_grxla_win.grxla" % name


class Diff(CliTest):
    def diff(self, before, after, *arguments, code=1):
        self.put("a.grxla", before)
        self.put("b.grxla", after)
        return self.run_cli("diff", *arguments, "a.grxla", "b.grxla", code=code).text

    def test_equal_files(self):
        self.assertEqual(self.diff(FOUR, FOUR, code=0), "")

    def test_a_field(self):
        self.assertEqual(self.diff(FOUR, FIELD), "entry[LP_0002].sh_data_index: 2 -> 7\n")

    def test_a_record(self):
        gone = FOUR.replace(probe(NAMES[1], 1), b"")
        self.assertEqual(self.diff(FOUR, gone), "removed entry[LP_0001] EP00, +0xc4..0x134\n")
        self.assertEqual(self.diff(gone, FOUR), "added entry[LP_0001] EP00, +0xc4..0x134\n")

    def test_a_record_that_moved(self):
        one, two = probe(NAMES[0], 0), probe(NAMES[2], 2)
        rest = probe(NAMES[1], 1)
        moved = FOUR.replace(one + rest + two, two + one + rest)
        text = self.diff(FOUR, moved)
        self.assertTrue(text.startswith("moved entry[LP_0002] EP00, ") and text.count("\n") == 1, text)

    def test_a_name_that_is_new(self):
        """The changed hash and sizes are not listed."""
        new = FOUR.replace(probe(NAMES[1], 1), probe(b"LP_much_longer_than_before", 1))
        self.assertEqual(self.diff(FOUR, new), 'entry[LP_much_longer_than_before].name.text: "LP_0001" -> "LP_much_longer_than_before"\n')

    def test_a_size_that_is_wrong(self):
        wrong = bytearray(FOUR)
        wrong[-4] = 9
        self.assertEqual(self.diff(FOUR, bytes(wrong)), "terminator.entry_size: 8 -> 9\n")

    def test_bytes_that_nothing_explains(self):
        self.assertEqual(self.diff(FOUR + b"ab", FOUR + b"ac"), "bytes gap: 61 62 -> 61 63\n")

    def test_other_formats_and_none(self):
        self.put("x.grxla", b"no light file")
        self.put("y.grxla", b"no light file at all")
        self.assertEqual(self.run_cli("diff", "x.grxla", "y.grxla", code=1).text.count("\n"), 1)
        self.run_cli("diff", "x.grxla", "x.grxla", code=0)
        self.put("lights.lights", b"\xba\xbe\xde\xad" + bytes(28))
        self.assertEqual(self.diff(FOUR, b"\xba\xbe\xde\xad" + bytes(28)).count("\n"), 1)

    def test_directories(self):
        self.put("old/same.grxla", GOOD)
        self.put("new/same.grxla", GOOD)
        self.put("old/sub/a.grxla", FOUR)
        self.put("new/sub/a.grxla", FIELD)
        self.put("old/gone.grxla", GOOD)
        self.put("new/came.grxla", GOOD)
        text = self.run_cli("diff", "old", "new", code=1).text
        self.assertEqual(text.splitlines(), ["only after: new/came.grxla", "only before: old/gone.grxla",
                                             "old/sub/a.grxla -> new/sub/a.grxla", "entry[LP_0002].sh_data_index: 2 -> 7"])
        self.assertEqual(self.run_cli("diff", "old/", "old", code=0).text, "")
        self.refused("diff", "old", "new/same.grxla", saying="'old' is a directory")

    def test_members(self):
        self.put("a.fpk", archive([(member("x"), FOUR), (member("y"), GOOD)]))
        self.put("b.fpk", archive([(member("x"), FIELD), (member("y"), GOOD)]))
        self.assertEqual(self.run_cli("diff", "a.fpk", "b.fpk", code=1).text.splitlines(),
                         [f"a.fpk!{member('x')} -> b.fpk!{member('x')}", "entry[LP_0002].sh_data_index: 2 -> 7"])
        self.put("c.fpk", archive([(member("x"), FOUR)]))
        text = self.run_cli("diff", "a.fpk", "c.fpk", code=1).text
        self.assertTrue(text.startswith(f"removed entry[{member('y')}], ") and text.count("\n") == 1, text)
        self.put("x.grxla", FIELD)
        self.assertEqual(self.run_cli("diff", "a.fpk!" + member("x"), "x.grxla", code=1).text.count("\n"), 2)
        self.refused("diff", "a.fpk!/none", "x.grxla", saying="no member '/none'")

    def test_what_git_passes(self):
        """Arguments as Git passes them to the program in diff.DRIVER.command. The exit code is always 0."""
        self.put("old", FOUR)
        self.put("new", FIELD)
        git = ["lights/a.grxla", "old", "0" * 40, "100644", "new", "0" * 40, "100644"]
        self.assertEqual(self.run_cli("diff", *git, code=0).text.splitlines(), ["lights/a.grxla", "entry[LP_0002].sh_data_index: 2 -> 7"])
        self.assertEqual(self.run_cli("diff", git[0], "/dev/null", *git[2:], code=0).text, "only after: lights/a.grxla\n")
        self.assertEqual(self.run_cli("diff", *git[:4], "/dev/null", *git[5:], code=0).text, "only before: lights/a.grxla\n")

    def test_formats(self):
        self.assertEqual(self.diff(FOUR, FIELD, "--format", "markdown"),
                         "#### `a.grxla` -> `b.grxla`\n\n- `entry[LP_0002].sh_data_index`: `2` -> `7`\n")
        self.assertIn("\x1b[1;31mremoved ", self.diff(FOUR, GOOD, "--color", "always"))
        self.diff(FOUR, FIELD, "-o", "out.txt")
        with open(self.path("out.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "entry[LP_0002].sh_data_index: 2 -> 7\n")

    def test_json(self):
        whole = json.loads(self.diff(FOUR, FIELD.replace(probe(NAMES[0], 0), b""), "--format", "json"))
        changed, removed = sorted(whole["files"][0]["differences"], key=lambda d: d["kind"])
        self.assertEqual((whole["schema"], whole["count"], removed["kind"], removed["path"]), (1, 2, "removed", "entry[LP_0000]"))
        self.assertEqual((changed["was"], changed["is"], changed["type"]), ("2", "7", "u16 LE"))
        self.assertEqual(FOUR[changed["offset_before"]], 2)
        if jsonschema:
            with open(os.path.join(SOURCE, "docs", "schema", "diff.schema.json"), encoding="utf-8") as file:
                schema = json.load(file)
            jsonschema.Draft7Validator.check_schema(schema)
            jsonschema.validate(whole, schema)
            self.put("only/a.grxla", GOOD)
            os.makedirs(self.path("none"))
            self.put("none/b.grxla", GOOD + b"x")
            jsonschema.validate(json.loads(self.run_cli("diff", "--format", "json", "only", "none", code=1).text), schema)

    def test_trouble(self):
        self.put("a.grxla", GOOD)
        self.refused("diff", "a.grxla", saying="two files or two directories")
        self.refused("diff", "a.grxla", "gone.grxla", saying="gone.grxla: No such file")
        self.refused("diff", "a.grxla", "HEAD:a.grxla", saying="COMMIT:PATH")
        self.refused("diff", "--format", "jsonl", "a.grxla", "a.grxla", saying="did you mean 'json'?")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
