#!/usr/bin/env python3
"""Compares docs/formats/<f>.md with <f>_layout.def: every field has its row there, and no row states another offset.

usage: format_docs.py SOURCE_DIR      exit: 0 they agree, 1 they do not"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from layouts import read  # noqa: E402

ROW = re.compile(r"^\| ([0-9A-F]{2}) \| [^|]+ \| `(\w+)` \|", re.M)


def compare(def_file, page):
    stated = {(int(offset, 16), name) for offset, name in ROW.findall(open(page, encoding="utf-8").read())}
    known = {(field.offset, field.name) for record in read(def_file)[0].values() for field in record.fields}
    faults = [f"{page}: no field `{name}` at {offset:02X} in {def_file}" for offset, name in sorted(stated - known)]
    missing = {name for _, name in known} - {name for _, name in stated}
    return len(known), faults + [f"{page}: no row for `{name}` of {def_file}" for name in sorted(missing)]


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
