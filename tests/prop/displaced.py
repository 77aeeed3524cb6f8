#!/usr/bin/env python3
"""Good files from which bytes are gone, or into which bytes were put: after `fix` a file is what it was before it was damaged, or it is
as damaged as it was, or closer to the original, and hardly ever farther from it. The distance is the number of bytes that have to be put in
or taken out.

usage: displaced.py [--unsafe] [--verbose] LIGHTLINT CORPUS [NUMBER]     NUMBER: damages of a file (12); exit: 0 it holds, 1 it does not"""
import os
import random
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop, files_below, real_corpus, real_mods  # noqa: E402
from recipe import Corpus  # noqa: E402

SIZE_MAX = 60000
SEED = 27
WRONG_MAX = 0.005  # share that may end farther, or as far and other: a size alone that was made to fit


def distance(one, other):
    """Bytes to put in and take out, as Myers counts them, up to 300; else 301."""
    start = len(os.path.commonprefix((one, other)))
    one, other = one[start:], other[start:]
    end = len(os.path.commonprefix((one[::-1], other[::-1])))
    one, other = one[:len(one) - end], other[:len(other) - end]
    reach = {1: 0}
    for edits in range(min(len(one) + len(other), 300) + 1):
        for k in range(-edits, edits + 1, 2):
            x = reach[k + 1] if k == -edits or (k != edits and reach[k - 1] < reach[k + 1]) else reach[k - 1] + 1
            while x < len(one) and x - k < len(other) and one[x] == other[x - k]:
                x += 1
            reach[k] = x
            if x >= len(one) and x - k >= len(other):
                return edits
    return 301


def damages(dice, data, number):
    """What was done, and the bytes: put in or taken out, also as many as records of the families have."""
    for i in range(number):
        at, size = dice.randrange(len(data) + 1), dice.choice((1, 2, 3, 4, 8, 12, 16, 24, 32, 48, 64))
        at = at & ~3 if dice.random() < 0.5 else at
        kind = ("put in zeros", "put in noise", "put in a copy", "taken out", "taken out")[i % 5]
        if kind == "taken out":
            cut = data[:at] + data[at + size:]
        else:
            cut = data[:at] + (bytes(size) if kind == "put in zeros" else dice.randbytes(size) if kind == "put in noise"
                               else data[max(at - size, 0):at]) + data[at:]
        if cut and cut != data:
            yield f"{i}: {size} {kind} at {at:#x}", cut


def good_files(folder):
    corpus = Corpus(folder)
    for case, recipe in corpus.recipes.items():
        if case.startswith("good-"):
            yield case, corpus.file_name(recipe), bytes(corpus.assemble(recipe).data)
    for folder in filter(None, (real_corpus(), real_mods())):
        for name in files_below(folder)[::7]:
            with open(os.path.join(folder, name), "rb") as file:
                yield "real-" + name.replace("/", "-"), os.path.basename(name), file.read()


def main(lightlint, folder, number=12, unsafe=False, verbose=False):
    program, table, faults = Program(lightlint), Counter(), []
    with Workshop() as workshop:
        files = {}
        for case, name, data in good_files(folder):
            if not 16 <= len(data) <= SIZE_MAX:
                continue
            for what, damaged in damages(random.Random(f"{SEED} {case}"), data, number):
                path = f"{case}/{what.split(':')[0]}/{name}"
                workshop.write(path, damaged)
                files[path] = (os.path.splitext(name)[1].lower() or "none", what, data, damaged)
        said = program.lint(files, "--no-cross", cwd=workshop.path).findings if verbose else {}
        names = b"".join(os.fsencode(name) + b"\0" for name in files)
        program.call("fix", *(["--unsafe"] if unsafe else []), "-0", "--files-from", "-", cwd=workshop.path, stdin=names)
        for path, (family, what, data, damaged) in files.items():
            with open(os.path.join(workshop.path, path), "rb") as file:
                fixed = file.read()
            before = distance(data, damaged) if fixed not in (data, damaged) else 0
            after = distance(data, fixed) if before else 0
            result = ("as it was damaged" if fixed == damaged else "the original" if fixed == data else
                      "closer" if after < before else "as far" if after == before else "farther")
            table[family, result] += 1
            if result in ("farther", "as far"):
                faults.append(f"{path}: {what}: {result}: {before} bytes from the original, then {after}")
                if verbose:
                    faults.append("    " + " ".join(f"{f['rule']}{'!' * (f['severity'] != 'note')}{f.get('patch', {}).get('tier', '')}"
                                                    for f in said[path]))
    results = ("the original", "closer", "as it was damaged", "as far", "farther")
    print(f"{'':8}" + "".join(f"{result:>20}" for result in results))
    for family in sorted({family for family, _ in table}):
        print(f"{family:8}" + "".join(f"{table[family, result]:20}" for result in results))
    wrong = sum(n for (_, result), n in table.items() if result in ("farther", "as far"))
    print("\n".join((faults if verbose else faults[:20]) + [f"{len(files)} damaged files, {wrong} farther or as far"]))
    return 1 if wrong > WRONG_MAX * len(files) and not unsafe else 0


if __name__ == "__main__":
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    sys.exit(main(*words[:2], int(words[2]) if len(words) > 2 else 12, "--unsafe" in options, "--verbose" in options)
             if len(words) in (2, 3) else __doc__)
