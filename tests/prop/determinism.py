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
SHOWN = 40  # bytes before and after a difference


def difference(reference, got):
    """Where two outputs differ, and what is there; or both exit codes."""
    if isinstance(got, int):
        return f"{reference}, {got}"
    at = len(os.path.commonprefix([reference, got]))
    return f"at {at}: {reference[max(0, at - SHOWN):at + SHOWN]!r}, {got[max(0, at - SHOWN):at + SHOWN]!r}"


class Ways:
    """Compares the outputs of runs on one set of files. A way is a folder, names in it, and a number of threads."""

    def __init__(self, program):
        self.program, self.faults, self.runs = program, [], 0

    def outputs(self, folder, arguments, names, threads):
        """Exit code, standard output, messages, and the output in each format: one run writes a file for each."""
        with Workshop() as workshop:
            files = [os.path.join(workshop.path, format_) for format_ in FORMATS]
            formats = [word for format_, file in zip(FORMATS, files) for word in ("--format", f"{format_}:{file}")] if not arguments else []
            code, out, words = self.program.call(*arguments, *formats, "-j", str(threads), "--", *names, cwd=folder)
            self.runs += 1
            return {"exit code": code, "output": out, "messages": words} | {format_: workshop.read(format_) for format_ in FORMATS if formats}

    def compare(self, ways, *arguments):
        first = None
        for folder, names, threads in ways:
            got = self.outputs(folder, arguments, names, threads)
            first = first or got
            self.faults += [f"{' '.join(arguments)} -j {threads}, {len(names)} names, {folder}: {what} {difference(first[what], got[what])}"
                            for what in got if got[what] != first[what]]


def main(lightlint, corpus, step="1"):
    ways = Ways(Program(lightlint))
    with Workshop() as workshop:
        here = os.path.join(workshop.path, "a")
        there = os.path.join(workshop.path, "another place, deeper", "b")
        cases = sorted(Corpus(corpus).recipes)[::int(step)]
        if int(step) > 1:  # files at limits take as long as all others together
            cases = [case for case in cases if "-limit" not in case or "-limits-" in case]
        files = sorted(os.path.relpath(path, here) for path in build_all(corpus, here, tuple(cases)).values())
        shutil.copytree(here, there)
        shuffled = random.Random(7).sample(files, len(files))
        ways.compare([(here, files, 1), (here, files, 1), (here, files, 2), (here, files, 7), (here, shuffled, 2), (there, files, 2)])
        ways.compare([(here, ["."], 1), (here, ["."], 7), (there, ["."], 2)])
        for shard in ("1/2", "2/2"):
            ways.compare([(here, ["."], 1), (here, ["."], 2), (here, ["."], 7), (there, ["."], 2)], "sweep", "--shard", shard)
    print("\n".join(ways.faults + [f"{ways.runs} runs, {len(ways.faults)} faults"]))
    return 1 if ways.faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (3, 4) else __doc__)
