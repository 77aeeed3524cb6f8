#!/usr/bin/env python3
"""The same bytes come out for any number of threads, any order of arguments and any folder in which the files lie.

usage: determinism.py LIGHTLINT CORPUS     exit: 0 it holds, 1 it does not"""
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop  # noqa: E402
from recipe import build_all  # noqa: E402

FORMATS = ("full", "concise", "json", "jsonl", "sarif", "sarif-github")


def outputs(program, format_, folder, files, *options):
    code, out, err = program.call("--format", format_, *options, "--", *files, cwd=folder)
    return code, out, err


def main(lightlint, corpus):
    program, faults, runs = Program(lightlint), [], 0
    dice = random.Random(7)
    with Workshop() as workshop:
        first = os.path.join(workshop.path, "a")
        second = os.path.join(workshop.path, "another place, deeper", "b")
        files = sorted(os.path.relpath(path, first) for path in build_all(corpus, first).values())
        shutil.copytree(first, second)
        shuffled = dice.sample(files, len(files))
        for format_ in FORMATS:
            reference = outputs(program, format_, first, files, "-j", "1")
            others = {
                "again": (first, files, "-j", "1"), "-j 2": (first, files, "-j", "2"), "-j 7": (first, files, "-j", "7"),
                "shuffled": (first, shuffled, "-j", "2"), "another folder": (second, files, "-j", "2"),
                "a walk": (first, ["."], "-j", "2")}
            for what, (folder, names, *options) in others.items():
                got = outputs(program, format_, folder, names, *options)
                runs += 1
                if what == "a walk":  # finds the files under the names ./CASE/NAME and passes over those of other extensions
                    again = outputs(program, format_, second, names, "-j", "7")
                    reference_here = again
                else:
                    reference_here = reference
                if got != reference_here:
                    faults.append(f"{format_}: {what} gives other bytes: {first_difference(reference_here, got)}")
    print("\n".join(faults + [f"{runs} runs, {len(faults)} faults"]))
    return 1 if faults else 0


def first_difference(a, b):
    for what, x, y in zip(("exit code", "output", "messages"), a, b, strict=True):
        if x != y:
            at = next((i for i in range(min(len(x), len(y))) if x[i] != y[i]), 0) if what != "exit code" else 0
            return f"{what}: {x if what == 'exit code' else x[max(0, at - 40):at + 40]!r}, {y if what == 'exit code' else y[max(0, at - 40):at + 40]!r}"
    return ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
