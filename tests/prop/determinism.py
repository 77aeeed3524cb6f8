#!/usr/bin/env python3
"""The output is the same for any number of threads, any order of arguments and any folder that contains the files.

usage: determinism.py LIGHTLINT CORPUS [STEP]     STEP: only every STEPth case; exit: 0 it holds, 1 it does not"""
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop  # noqa: E402
from recipe import Corpus, build_all  # noqa: E402

FORMATS = ("full", "concise", "json", "jsonl", "sarif", "sarif-github", "github", "gitlab", "junit", "markdown", "html", "statistics")
# formats that are tried with all runs and orders; two runs suffice for the others, because a format does not affect the
# run
IN_EVERY_WAY = ("full", "jsonl")
SHOWN = 40  # bytes before and after a difference


def difference(reference, got):
    """The first difference of two runs (exit code, output, messages), or ""."""
    for what, a, b in zip(("exit code", "output", "messages"), reference, got, strict=True):
        if a != b and what == "exit code":
            return f"{what} {a}, {b}"
        if a != b:
            at = len(os.path.commonprefix([a, b]))
            return f"{what} at {at}: {a[max(0, at - SHOWN):at + SHOWN]!r}, {b[max(0, at - SHOWN):at + SHOWN]!r}"
    return ""


def main(lightlint, corpus, step="1"):
    program, faults, runs = Program(lightlint), [], 0
    with Workshop() as workshop:
        here = os.path.join(workshop.path, "a")
        there = os.path.join(workshop.path, "another place, deeper", "b")
        cases = sorted(Corpus(corpus).recipes)[::int(step)]
        if int(step) > 1:  # files at limits take as long as all others together
            cases = [case for case in cases if "-limit" not in case or "-limits-" in case]
        files = sorted(os.path.relpath(path, here) for path in build_all(corpus, here, tuple(cases)).values())
        shutil.copytree(here, there)
        shuffled = random.Random(7).sample(files, len(files))
        # (folder, arguments, threads); the others are compared with the first of each list
        by_name = [(here, files, 1), (here, files, 1), (here, files, 2), (here, files, 7), (here, shuffled, 2),
                   (there, files, 2)]
        by_walk = [(here, ["."], 1), (here, ["."], 7), (there, ["."], 2)]
        for format_ in FORMATS:
            few = [by_name[:1] + by_name[4:5], by_walk[:2]]
            for ways in (by_name, by_walk) if format_ in IN_EVERY_WAY else few:
                outputs = [program.call("--format", format_, "-j", str(threads), "--", *names, cwd=folder)
                           for folder, names, threads in ways]
                runs += len(outputs)
                for (folder, names, threads), got in zip(ways, outputs, strict=True):
                    why = difference(outputs[0], got)
                    if why:
                        faults.append(f"{format_}, -j {threads}, {len(names)} names, {folder}: {why}")
        for shard in ("1/2", "2/2"):
            ways = [(here, 1), (here, 2), (here, 7), (there, 2)]
            outputs = [program.call("sweep", "--shard", shard, "-j", str(threads), ".", cwd=folder) for folder, threads in ways]
            runs += len(outputs)
            for (folder, threads), got in zip(ways, outputs, strict=True):
                why = difference(outputs[0], got)
                if why:
                    faults.append(f"shard {shard} of a sweep, -j {threads}, {folder}: {why}")
    print("\n".join(faults + [f"{runs} runs, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (3, 4) else __doc__)
