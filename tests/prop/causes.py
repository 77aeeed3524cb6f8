#!/usr/bin/env python3
"""What the search for causes (src/diagnosis/search.h) makes of the pairs of tests/prop/pairs.py, for families whose parts are rows.
grx still has a parser, and no output shows what the search finds of it. That of lba and lpsh is shown, and pairs.py judges it too.

  noticed  an error or a warning, or something is not as the rows of the format say
  cause    the best hypothesis is about the damaged record
  same     it is the only one so good, leaves hardly anything over, and undone it is the original file
  other    the same, and it is another file

causes.tsv holds these numbers by family. None may be worse.

usage: causes.py [OPTIONS] PROP_DIAGNOSE LIGHTLINT CORPUS
  --every N        each N-th pair (5)
  --family FAMILY  this one only
  --examples N     of each way to fail
  --update         keep what was measured in causes.tsv
exit: 0 nothing is worse, 1 something is"""
import argparse
import os
import sys
from collections import Counter, defaultdict

from pairs import Run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop  # noqa: E402

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "causes.tsv")
READ_BY_PARTS = ("lba", "grx", "lpsh")
COLUMNS = ("pairs", "noticed", "cause", "same", "other")
# Hundredths, as in search.c: how far a rival may be, what a cause has to explain, and what a repaired file may leave over.
MARGIN, GAIN, LEFT = 60, 80, 75
AT_ONCE = 100  # files of one call


class Hypothesis:
    def __init__(self, words):
        self.kind, numbers = words[0], [int(word) for word in words[1:8]]
        self.offset, self.length, self.score, self.cost, self.tier, self.at, self.removed = numbers
        self.bytes = bytes.fromhex(words[8])

    def undone(self, data):
        """The file without the damage; None: its bytes cannot be told."""
        return data[:self.at] + self.bytes + data[self.at + self.removed:] if self.tier else None


def searched(program, files, cwd):
    """Of each file its weight and hypotheses, best first."""
    found = {}
    for first in range(0, len(files), AT_ONCE):
        code, out, words = program.call("--best", "400", *files[first:first + AT_ONCE], cwd=cwd)
        if code:
            sys.exit(f"{program.path}: exit code {code}\n{words}")
        for line in out.decode().splitlines():
            words = line.split("\t")
            if words[0]:
                found[words[0]] = (int(words[1]), best := [])
            else:
                best.append(Hypothesis(words[1:]))
    return found


def judge(fault, weight, best, row, examples):
    row.update(pairs=1)
    if weight < LEFT:
        return
    row.update(noticed=1)
    if not best or best[0].score > weight + 100 - GAIN:
        examples[f"none: {fault.kind}"].append(fault.name)
        return
    first = best[0]
    row.update(cause=fault.holds({"offset": first.offset, "length": first.length}))
    if not fault.holds({"offset": first.offset, "length": first.length}):
        examples[f"elsewhere: {fault.kind}"].append(f"{fault.name}: {first.kind} at +{first.offset:#x}, {first.score} of {weight}")
    undone = {h.undone(fault.data) for h in best if h.score <= first.score + MARGIN}
    if first.kind != "added" and len(undone) == 1 and None not in undone and first.score - first.cost <= LEFT:
        same = undone == {fault.original}
        row.update(same=same, other=not same)
        if not same:
            examples[f"other: {fault.kind}"].append(f"{fault.name}: {first.kind} at +{first.offset:#x}, {first.score} of {weight}")


def measure(run, diagnose, family, every):
    row, examples = Counter(), defaultdict(list)
    with Workshop() as workshop:
        faults = {}
        for number, (name, fault) in enumerate(run.faults(family)):
            if number % every == 0:
                faults[workshop.write(name, fault.data)] = fault
        found = searched(diagnose, list(faults), workshop.path)
    for file, fault in faults.items():
        if file in found:
            judge(fault, *found[file], row, examples)
    return row, examples


def read_options():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1], add_help=False)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--family")
    parser.add_argument("--examples", type=int, default=0)
    parser.add_argument("--update", action="store_true")
    for name in ("diagnose", "lightlint", "corpus"):
        parser.add_argument(name)
    parser.set_defaults(real=False, kind=None, seed="1", number=None, anatomies=None)
    return parser.parse_args()


def main():
    options = read_options()
    run, diagnose = Run(options), Program(options.diagnose)
    rows = {}
    for family in [options.family] if options.family else READ_BY_PARTS:
        rows[family], examples = measure(run, diagnose, family, options.every)
        print(f"{family}: " + ", ".join(f"{rows[family][column]} {column}" for column in COLUMNS))
        for kind in sorted(examples if options.examples else ()):
            print("\n".join([f"  {len(examples[kind])} {kind}", *(f"    {name}" for name in examples[kind][:options.examples])]))
    if options.update:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write("\n".join("\t".join(map(str, line)) for line in [("family", *COLUMNS), *((f, *(r[c] for c in COLUMNS)) for f, r in rows.items())]) + "\n")
    if options.every != 5:
        return 0
    with open(TABLE, encoding="utf-8") as file:
        kept = {line.split()[0]: dict(zip(COLUMNS, map(int, line.split()[1:]))) for line in file.readlines()[1:]}
    worse = [f"{family}: {column} was {kept[family][column]}, is {row[column]}" for family, row in rows.items() for column in COLUMNS
             if (row[column] > kept[family][column] if column == "other" else row[column] < kept[family][column])]
    print("\n".join(worse) or "nothing is worse")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
