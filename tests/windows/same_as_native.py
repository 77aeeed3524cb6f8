#!/usr/bin/env python3
"""The output of two builds of the program is equal, byte for byte: for all cases and available real files, in every
format, and in dumps.

usage: same_as_native.py LIGHTLINT OTHER CORPUS      exit: 0 equal, 1 not"""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, files_below, real_corpus, real_mods  # noqa: E402
from recipe import VERDICTS, Corpus  # noqa: E402


def formats(program):
    """The formats of check, as the program lists them."""
    words = program.call("check", "--format", "?", ".")[2]
    return re.search(r"there are: ([\w, -]+)", words).group(1).split(", ")


def put_cases(corpus, folder):
    for recipe in corpus.recipes.values():
        if recipe.case.startswith(VERDICTS):
            directory = os.path.join(folder, "cases", recipe.case)
            os.makedirs(directory)
            with open(os.path.join(directory, corpus.file_name(recipe)), "wb") as file:
                file.write(bytes(corpus.assemble(recipe).data))


def fault(programs, arguments, folder):
    """How the two outputs differ, or ""."""
    one, other = (program.call(*arguments, cwd=folder) for program in programs)
    if one == other:
        return ""
    if one[0] != other[0] or one[2] != other[2]:
        return f"exit codes {one[0]} and {other[0]}\n{one[2]}{other[2]}"[:2000]
    lines = zip(one[1].split(b"\n"), other[1].split(b"\n"))
    return "\n".join(next(([repr(a), repr(b)] for a, b in lines if a != b), ["one is longer"]))


def main(native, other, corpus):
    programs = Program(native), Program(other)
    failed = runs = 0
    with tempfile.TemporaryDirectory(prefix="lightlint-same-") as folder:
        put_cases(Corpus(corpus), folder)
        shutil.copytree(os.path.join(corpus, "demo-mod"), os.path.join(folder, "demo-mod"))
        for real in (real_corpus(), real_mods()):
            if real:
                shutil.copytree(real, os.path.join(folder, os.path.basename(real)))
        calls = [("check", "--all", "--no-ignore", "--format", name, ".") for name in formats(programs[0])]
        calls += [("dump", "--format", "json", name) for name in files_below(folder) if not name.startswith("cases/") or "/good-" in name]
        calls += [("census", "."), ("packages", "."), ("sweep", "."), ("rules", "--format", "json"), ("config", "schema")]
        for call in calls:
            why = fault(programs, call, folder)
            runs += 1
            if why:
                failed += 1
                print(f"FAILED {' '.join(call)}\n{why}")
    print(f"{runs - failed} passed, {failed} failed")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 4 else __doc__)
