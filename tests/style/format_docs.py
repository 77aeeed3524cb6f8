#!/usr/bin/env python3
"""Compares docs/formats/<f>.md with <f>_layout.def: every field has a row on the page, no row has a wrong offset, type
or certainty, and the sources of a field are in the table of sources.

usage: format_docs.py SOURCE_DIR      exit: 0 they agree, 1 they do not"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from layouts import read  # noqa: E402

# some tables have no column for certainty
ROW = re.compile(r"^\| ([0-9A-F]{2}) \| (\S+) \| `(\w+)` \|(?:.* (known|seen|guess) \|$)?", re.M)
SOURCE = re.compile(r"^\| `(\w+)` \| [^|]* \| (?:seed|corpus|engine|tool) \|", re.M)
LETTERS = {"chars": "char", "bytes": "byte"}


def type_text(field):
    many = field.bytes if field.type in LETTERS else field.elements
    return LETTERS.get(field.type, field.type) + (f"[{many}]" if many > 1 else "")


def compare(def_file, page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    stated = {(int(offset, 16), *row) for offset, *row in ROW.findall(text)}
    sources = set(SOURCE.findall(text))
    fields = [field for record in read(def_file)[0].values() for field in record.fields]
    known = {(field.offset, type_text(field), field.name, sure) for field in fields for sure in (field.sure, "")}
    faults = [f"{page}: no {type} `{name}` at {offset:02X} {sure and '(' + sure + ') '}in {def_file}" for offset, type, name, sure in sorted(stated - known)]
    missing = {row[2] for row in known} - {row[2] for row in stated}
    for field in fields:
        faults += [f"{def_file}: `{field.name}`: {page} has no source {key}" for key in field.sources.split(", ")
                   if sources and key not in sources]
    return len(fields), faults + [f"{page}: no row for `{name}` of {def_file}" for name in sorted(missing)]


def main():
    top, checked, faults = sys.argv[1], 0, []
    for def_file in sorted(glob.glob(os.path.join(top, "src/formats/*/*_layout.def"))):
        family = os.path.basename(os.path.dirname(def_file))
        count, found = compare(def_file, os.path.join(top, "docs/formats", family + ".md"))
        checked += count
        faults += found
    print("\n".join(faults + [f"{checked} fields, {len(faults)} faults"]))
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
