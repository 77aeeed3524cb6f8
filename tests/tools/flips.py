"""Changes single bytes of good files and counts how many changes the program notices at that very byte."""
import os
import re
from collections import Counter

from program import LOUD, STRUCTURAL, overlaps

BATCH = 2000


def changes_of(byte):
    """Other values for a byte: one bit low and high, all bits, a carry, and the two ends."""
    return sorted({byte ^ 0x01, byte ^ 0x80, byte ^ 0xFF, (byte + 0x10) & 0xFF, 0x00, 0xFF} - {byte})


class Tally:
    """Changes made and noticed, by field and by type."""

    def __init__(self):
        self.made, self.noticed, self.survivors = Counter(), Counter(), []

    def add(self, leaf, noticed, words):
        for key in (("type", leaf["type"]), ("field", re.sub(r"\[\d+\]", "[]", leaf["path"]) + " " + leaf["type"])):
            self.made[key] += 1
            self.noticed[key] += noticed
        if not noticed:
            self.survivors.append(words)

    def total(self):
        made = sum(n for (kind, _), n in self.made.items() if kind == "type")
        return sum(n for (kind, _), n in self.noticed.items() if kind == "type"), made

    def rate(self):
        noticed, made = self.total()
        return noticed / made if made else 0.0

    def rows(self, kind):
        for (k, name), made in sorted(self.made.items(), key=lambda item: (self.noticed[item[0]] / item[1], item[0])):
            if k == kind:
                yield f"{100 * self.noticed[k, name] / made:6.1f} %  {made:7}  {name}"


def mutants(leaves, data):
    for leaf in leaves:
        for at in range(leaf["offset"], leaf["offset"] + leaf["length"]):
            for value in changes_of(data[at]):
                yield leaf, at, value


def judge(program, workshop, name, batch, data, tally):
    files = []
    for number, (_, at, value) in enumerate(batch):
        changed = bytearray(data)
        changed[at] = value
        files.append(workshop.write(f"{number}/{name}", changed))
    run = program.lint(files, cwd=workshop.path)
    for file, (leaf, at, value) in zip(files, batch, strict=True):
        noticed = any(f["severity"] in LOUD and overlaps(f, at) for f in run.findings[file])
        tally.add(leaf, noticed, f"{name} +{at:#x} {leaf['path']}: {data[at]:#04x} -> {value:#04x}")


def measure(program, workshop, path, tally, structural=True):
    """Adds what becomes of every change of one file to the tally."""
    with open(path, "rb") as file:
        data = file.read()
    leaves = [s for s in program.spans(path)["spans"] if (s["type"] in STRUCTURAL) == structural]
    batch = []
    for mutant in mutants(leaves, data):
        batch.append(mutant)
        if len(batch) == BATCH:
            judge(program, workshop, os.path.basename(path), batch, data, tally)
            batch = []
    if batch:
        judge(program, workshop, os.path.basename(path), batch, data, tally)
    workshop.clear()
