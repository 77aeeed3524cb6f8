#!/usr/bin/env python3
"""An infinity or NaN in any float field of any layout gives one finding, at its bytes. Damages each field once in a
good case, at its first and its last element. For a field in no good case, a rule with the predicate `finite` must name
the record.

usage: not_finite.py LIGHTLINT CORPUS     exit: 0 it holds, 1 not"""
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import LOUD, Program, Workshop  # noqa: E402
from recipe import Corpus  # noqa: E402

# Fields of unknown meaning: a note, not an error.
NOTES = ("mrea.light.unknown_", "mrea.light_mp3.unknown_")
VALUES = {"f16": ("e", (0x7C00, 0xFE00)), "f32": ("f", (0x7F800000, 0xFFC00000))}


def float_fields(program):
    """{record.field: field} of the float fields of all layouts."""
    records = json.loads(program.call("fields", "--format", "json")[1])["records"]
    return {f"{record['record']}.{field['name']}": field for record in records for field in record["fields"] if field["type"] in VALUES}


def places(dump, wanted):
    """Yields (record.field, offset, type, elements, byte order) of every float field in a dump."""
    for span in dump["spans"]:
        name = f"{span.get('record')}.{span['path'].split('.')[-1]}"
        if name in wanted:
            kind = span["type"].split("[")[0].split(" ")[0]
            size = 2 if kind == "f16" else 4
            yield name, span["offset"], kind, span["length"] // size, ">" if span["type"].endswith("BE") else "<"


def damaged(data, offset, kind, element, order, bits):
    size = 2 if kind == "f16" else 4
    at = offset + element * size
    return data[:at] + struct.pack(order + ("H" if size == 2 else "I"), bits) + data[at + size:], at, size


def cases(program, corpus, workshop, wanted):
    """Yields (case, file name, bytes, field, offset, type, elements, byte order): the first occurrence of every
    field in the good cases."""
    seen = set()
    for name, recipe in sorted(corpus.recipes.items()):
        if not name.startswith("good-"):
            continue
        file, data = corpus.file_name(recipe), bytes(corpus.assemble(recipe).data)
        workshop.write(file, data)
        code, out, _ = program.call("dump", "--isolated", "--format", "json", file, cwd=workshop.path)
        for place in places(json.loads(out), wanted) if code == 0 else ():
            if place[0] not in seen:
                seen.add(place[0])
                yield name, file, data, *place


def main(program_path, corpus_folder):
    program, corpus = Program(program_path), Corpus(corpus_folder)
    wanted, seen, wrong, tries = float_fields(program), set(), [], {}
    with Workshop() as workshop:
        for name, file, data, field, offset, kind, elements, order in cases(program, corpus, workshop, wanted):
            seen.add(field)
            for element in sorted({0, elements - 1}):
                for bits in VALUES[kind][1]:
                    bad, at, size = damaged(data, offset, kind, element, order, bits)
                    where = workshop.write(f"{len(tries)}/{file}", bad)
                    tries[where] = (f"{name}: {field}[{element}] = {bits:#x}", field, at, size)
        run = program.lint(list(tries), "--isolated", cwd=workshop.path)
    for where, (words, field, at, size) in tries.items():
        found = run.findings[where]
        loud = [f for f in found if f["severity"] in LOUD]
        there = [f for f in (found if field.startswith(NOTES) else loud) if f["offset"] <= at and at + size <= f["offset"] + f["length"]]
        if len(there) != 1 or len(loud) > 1:
            wrong.append(f"{words}: {[f['name'] for f in found]}")
    rules = json.loads(program.call("rules", "--isolated", "--format", "json")[1])["rules"]
    named = {record for rule in rules if rule["check"] == "finite" for record in re.findall(r"[\w.]+(?=[,:])", rule["target"])}
    wrong += [f"no good case holds {field}, and no rule names it" for field in sorted(set(wanted) - seen) if field.rpartition(".")[0] not in named]
    print("\n".join(wrong + [f"{len(seen)} of {len(wanted)} float fields"]))
    print(f"{len(tries) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong or not tries else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
