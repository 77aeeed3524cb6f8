#!/usr/bin/env python3
"""Cuts every good file at every length (or every STEPth, and always before the last byte): the program reports it and
goes on. The exit code is 2, or 1 if only padding is missing; each cut file has an error or warning, unless only padding
is missing; findings lie inside the file. If no selected rule reports the cut, an error does so, and the summary counts
each of these files unless only padding is missing.

usage: truncation.py LIGHTLINT CORPUS [STEP]      exit: 0 it holds, 1 it does not"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import LOUD, Program, Workshop, outside  # noqa: E402
from recipe import Corpus  # noqa: E402

PADDING = {"section-unaligned-bare", "file-end-unfilled"}  # rules for missing padding: the file was read completely
SIZES = {"fpk-size", "lpsh-size", "lpsh-data-size"}  # likewise, if the patch appends zeros to reach the stated size


def is_padding(findings, length):
    """Is only padding missing? True if all findings say so, or a patch appends zeros."""
    names, patch = {f["name"] for f in findings}, findings[0].get("patch")
    appends = patch and (patch["offset"], patch["removed"]) == (length, 0)
    return names <= PADDING or (names <= SIZES and appends and not patch["bytes"].strip("0"))


def cut(workshop, case, name, data, step):
    """{path: length} of the pieces of one file. Each is in a folder of its own, so that it keeps its name."""
    return {workshop.write(f"{case}/{length}/{name}", data[:length]): length for length in range((len(data) - 1) % step, len(data), step)}


def faults_of(run, pieces):
    for file, length in pieces.items():
        findings = run.findings[file]
        if not any(f["severity"] in LOUD or f["name"] in PADDING for f in findings):
            yield f"{file}: neither error nor warning"
        bad = outside(findings, length)
        if bad:
            yield f"{file}: {bad['name']} at {bad['offset']:#x}, {bad['length']} bytes: outside the file"


def main(lightlint, folder, step="1"):
    program, corpus = Program(lightlint), Corpus(folder)
    faults, count = [], 0
    with Workshop() as workshop:
        for case, recipe in corpus.recipes.items():
            if not case.startswith("good-"):
                continue
            data = bytes(corpus.assemble(recipe).data)
            pieces = cut(workshop, case, corpus.file_name(recipe), data, int(step))
            run = program.lint(pieces, cwd=workshop.path)
            faults += faults_of(run, pieces)
            silent = program.lint(pieces, "--select", "stale-baseline", cwd=workshop.path)
            cut_off = [file for file, found in run.findings.items() if found and not is_padding(found, pieces[file])]
            faults += [f"{file}: clean where no rule is selected" for file in cut_off
                       if not any(f["severity"] == "error" for f in silent.findings[file])]
            if {run.summary["unchecked"], silent.summary["unchecked"]} != {len(cut_off)}:
                faults.append(f"{case}: unchecked: expected {len(cut_off)}, found {run.summary['unchecked']}, {silent.summary['unchecked']}")
            if run.code != (2 if cut_off else 1):
                faults.append(f"{case}: exit code {run.code}\n{run.stderr}")
            count += len(pieces)
            workshop.clear()
    print("\n".join(faults[:50] + [f"{count} cut files, {len(faults)} faults"]))
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (3, 4) else __doc__)
