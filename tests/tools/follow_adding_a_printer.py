#!/usr/bin/env python3
"""Follows docs/adding-a-printer.md literally, in a copy of the tree with a build of its own. Checks what the new printer
writes, and that it is small.

usage: follow_adding_a_printer.py SOURCE_DIR WORK_DIR      exit: 0 the page works, 1 it does not"""
import csv
import io
import json
import sys

from follow import Page, copy_tree

LINES_MAX = 120


def main(source, work):
    page = Page(copy_tree(source, work), "docs/adding-a-printer.md")
    printer = next(text for kind, _, text in page.blocks if kind == "c")
    page.expect(printer.count("\n") <= LINES_MAX, f"a printer takes at most {LINES_MAX} lines")
    (lists, build, shown), written = page.follow()
    page.expect(written == ["src/output/outline_csv.c"], "it is one file")
    page.expect(lists.returncode == build.returncode == 0, "it builds")
    page.expect(shown.stdout == next(text for kind, _, text in page.blocks if kind == "text"), "the example is what comes out")
    command = "build/lightlint census --isolated --format %s corpus/demo"
    rows = list(csv.reader(io.StringIO(page.run(command % "csv").stdout)))
    census = json.loads(page.run(command % "json").stdout)
    fields = [row for row in rows if len(row) == 7 and row[2] != "count"]
    page.expect([row[0] for row in fields if row[1]] ==
                [field["field"] for record in census["records"] for field in record["fields"]], "every field has a row")
    page.expect(["References"] in rows, "tables have their heading")
    print("as the page says")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
