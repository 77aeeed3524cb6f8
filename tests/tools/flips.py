"""Changes single bytes of good files and counts the changes that the program reports at that very byte."""
import os
import re
from collections import Counter
from dataclasses import dataclass

from program import LOUD, STRUCTURAL

BATCH = 2000


@dataclass
class Scope:
    """For a family: which changes are faults, and which findings count as noticing them."""
    severities: tuple = LOUD
    whole_field: bool = False  # a finding anywhere in the field counts, or one that names the field as related
    free: str = "(?!)"  # fields that may hold any value
    text: str = "(?!)"  # strings that nothing else repeats: replacing a printable letter by another is no fault
    pads: str = "(?!)"  # bytes that may be 0x00 or 0xff

    def is_fault(self, path, old, new):
        if re.fullmatch(self.text, path) and 0x20 <= old <= 0x7E and 0x20 <= new <= 0x7E:
            return False
        return not re.fullmatch(self.free, path) and not (re.fullmatch(self.pads, path) and new in (0x00, 0xFF))

    def notices(self, finding, leaf, at, was):
        if finding["severity"] not in self.severities:
            return False
        patch = finding.get("patch")
        if patch and patch["offset"] <= at < patch["offset"] + patch["removed"] and was == put_at(patch, at):
            return True  # the patch restores the byte
        places = [finding, *finding.get("related", [])] if self.whole_field else [finding]
        start, end = (leaf["offset"], leaf["offset"] + leaf["length"]) if self.whole_field else (at, at + 1)
        return any(place["offset"] < end and place["offset"] + place["length"] > start for place in places)


STRICT = Scope()


def put_at(patch, at):
    """The byte that a patch of equal size writes at a file offset; None if it writes none there."""
    replacement = bytes.fromhex(patch.get("bytes", ""))
    within = at - patch["offset"]
    return replacement[within] if len(replacement) == patch["removed"] and within < len(replacement) else None


def changes_of(byte):
    """Other values for a byte: lowest or highest bit flipped, all bits flipped, 0x10 added, and 0x00 and 0xff."""
    return sorted({byte ^ 0x01, byte ^ 0x80, byte ^ 0xFF, (byte + 0x10) & 0xFF, 0x00, 0xFF} - {byte})


class Tally:
    """Numbers of changes made and noticed, by field and by type."""

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


def mutants(leaves, data, scope):
    for leaf in leaves:
        for at in range(leaf["offset"], leaf["offset"] + leaf["length"]):
            for value in changes_of(data[at]):
                if scope.is_fault(leaf["path"], data[at], value):
                    yield leaf, at, value


def judge(program, workshop, name, batch, data, tally, scope):
    files = []
    for number, (_, at, value) in enumerate(batch):
        changed = bytearray(data)
        changed[at] = value
        files.append(workshop.write(f"{number}/{name}", changed))
    run = program.lint(files, cwd=workshop.path)
    for file, (leaf, at, value) in zip(files, batch, strict=True):
        noticed = any(scope.notices(f, leaf, at, data[at]) for f in run.findings[file])
        tally.add(leaf, noticed, f"{name} +{at:#x} {leaf['path']}: {data[at]:#04x} -> {value:#04x}")


def measure(program, workshop, path, tally, structural=True, scope=STRICT):
    """Makes every change to one file and adds the results to the tally."""
    with open(path, "rb") as file:
        data = file.read()
    leaves = [s for s in program.spans(path)["spans"] if (s["type"] in STRUCTURAL) == structural]
    batch = []
    for mutant in mutants(leaves, data, scope):
        batch.append(mutant)
        if len(batch) == BATCH:
            judge(program, workshop, os.path.basename(path), batch, data, tally, scope)
            batch = []
    if batch:
        judge(program, workshop, os.path.basename(path), batch, data, tally, scope)
    workshop.clear()
