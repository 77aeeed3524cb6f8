#!/usr/bin/env python3
"""The exports of `lightlint fields`. The Kaitai Struct specification of each family is compiled and reads every sound
file (of the corpus, samples and real files): it must give every value that `dump` shows, at the same place. ImHex
patterns cannot be run here; their structs are compared with fields and sizes of the layouts.

usage: test_exports.py SOURCE_DIR PROGRAM CASES_DIR NODE_MODULES
exit:  0 all passed, 1 not, 77 skipped (no node, or packages missing: tests/tools/get_npm_tools.sh)"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest

SOURCE, PROGRAM, CASES, MODULES = sys.argv[1:5]
sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
from program import Program, files_below, mod_rows, real_corpus, real_mods, samples  # noqa: E402

import yaml  # noqa: E402

# Paths in dump that a specification does not describe.
BEYOND = {"grx": r".*\.(name|path)\.padding$",  # zeros before the next field
          "rgm": r"RASC\.block\["}  # statements of SOUP
LARGEST = 4 << 20  # maximum size of a real file
program = Program(PROGRAM)


def export(family, language):
    code, out, err = program.call("fields", "--format", language, family)
    assert code == 0, err
    return out.decode()


def records(family):
    return json.loads(program.call("fields", "--format", "json", family)[1])["records"]


def sound_files():
    """Paths of sound files by family."""
    folders = [(CASES, files) for files in [[name for name in files_below(CASES, ("",)) if name.startswith("good-")]]]
    folders += [(folder, files_below(folder)) for folder in (real_corpus(), samples()) if folder]
    if real_mods():
        folders.append((real_mods(), [path for path, rules in mod_rows(real_mods()) if not rules]))
    found = {}
    for folder, names in folders:
        for path in (os.path.join(folder, name) for name in names):
            if os.path.isfile(path) and os.path.getsize(path) <= LARGEST:
                dump = program.spans(path)
                found.setdefault(dump["format"], {})[path] = dump["spans"]
    return found


def elements(span):
    """(offset, length, value) of each element of a vector, or of the single value."""
    values = span["value"] if isinstance(span["value"], list) else [span["value"]]
    width = span["length"] // len(values)
    return [(span["offset"] + i * width, width, value) for i, value in enumerate(values)]


def same(value, read, width):
    """Is a value of dump equal to the value read: a number, a text, or (None) bytes?"""
    if read is None:
        return re.fullmatch(r"[0-9a-f]{2}( [0-9a-f]{2})*", str(value)) is not None
    if isinstance(value, str) and isinstance(read, str) and not re.fullmatch("-?(NaN|Infinity)", read):
        text = re.sub(rb"\\(x..|\\)", lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]), value.encode())
        return read in (text.decode("cp1252", "replace"), text.decode("utf-8", "replace"))
    number = float(int(value.split()[0], 0)) if re.match(r"(0x)?[0-9]", str(value)) and isinstance(value, str) else float(value)
    read = float(read)
    code = {2: "<e", 4: "<f"}.get(width)
    if number == read or (number != number and read != read):
        return True
    return isinstance(value, float) and code is not None and struct.pack(code, number) == struct.pack(code, read)


@unittest.skipUnless(shutil.which("node") and os.path.isdir(os.path.join(MODULES, "kaitai-struct")), "no node, or no packages in " + MODULES)
class Kaitai(unittest.TestCase):
    files = {}

    @classmethod
    def setUpClass(cls):
        cls.files = sound_files()

    def read(self, family):
        work = {"ksy": yaml.safe_load(export(family, "ksy")), "files": sorted(self.files[family])}
        done = subprocess.run(["node", os.path.join(SOURCE, "tests", "integration", "kaitai.js"), MODULES], input=json.dumps(work),
                              capture_output=True, text=True, timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def compare(self, family):
        values = excepted = 0
        for path, found in self.read(family).items():
            self.assertIsInstance(found, list, f"{path}: {found}")
            places = {}
            for start, end, read in found:
                places.setdefault((start, end), []).append(read)
            for span in self.files[family][path]:
                if "value" not in span:
                    continue
                if re.match(BEYOND.get(family, "$^"), span["path"]):
                    excepted += 1
                    continue
                for offset, width, value in elements(span):
                    reads = places.get((offset, offset + width), [])
                    if not any(same(value, read, width) for read in reads):
                        self.fail(f"{path}: {span['path']} at {offset}: {value!r}, and read was {reads}")
                    values += 1
        print(f"{family}: {len(self.files[family])} files, {values} values read, {excepted} excepted")
        self.assertGreater(values, 0)


class Patterns(unittest.TestCase):
    """Compares structs with layouts; ImHex has no interpreter to run here."""
    WIDTHS = {"u8": 1, "char": 1, "s8": 1, "u16": 2, "s16": 2, "type::float16": 2, "u24": 3, "s24": 3, "u32": 4, "s32": 4, "float": 4, "u64": 8}

    def compare(self, family):
        text = re.sub(r'"(\\.|[^"\\])*"', '""', export(family, "hexpat"))
        for pair in ("()", "[]", "{}"):
            self.assertEqual(text.count(pair[0]), text.count(pair[1]))
        for record in records(family):
            if record["kind"] != "record":
                continue
            body = re.search(r"^struct %s \{\n(.*?)^\};" % record["record"].replace(".", "_"), text, re.M | re.S)[1]
            fields = re.findall(r"^    (?:(le|be) )?([\w:]+) (\w+?)_?(?:\[(\d+)\])? \[\[comment\(\"\"\)\]\];$", body, re.M)
            self.assertEqual([(name, self.WIDTHS[kind] * int(count or 1)) for _, kind, name, count in fields],
                             [(field["name"].rstrip("_"), field["bytes"]) for field in record["fields"]], record["record"])
            self.assertLessEqual({order for order, *_ in fields}, {"", record["endian"][:1] + "e"})
        self.assertLessEqual(set(re.findall(rf"\b{family}_\w+", text)), set(re.findall(r"^struct (\w+)", text, re.M)))


for name in {record["family"] for record in json.loads(program.call("fields", "--format", "json")[1])["records"]}:
    setattr(Kaitai, "test_" + name, lambda self, family=name: self.compare(family))
    setattr(Patterns, "test_" + name, lambda self, family=name: self.compare(family))

if __name__ == "__main__":
    result = unittest.main(argv=[sys.argv[0], *sys.argv[5:]], exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)
