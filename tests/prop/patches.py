#!/usr/bin/env python3
"""Every patch offered for a case of the corpus, or for a case with one more change, is right: applied alone, it removes
its finding and adds none. Unsafe patches may add those that may_come() allows.

usage: patches.py LIGHTLINT CORPUS [MUTANTS [SEED]]     MUTANTS: changes of each case (6)
exit: 0 it holds, 1 it does not"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from patching import apply, brought  # noqa: E402
from program import Program, Workshop  # noqa: E402
from recipe import Corpus  # noqa: E402

WORDS = (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\1\0\0\0", b"\0\0\0\1")


def changed(data, rnd):
    """Makes one change: a bit, a byte or a word, or bytes inserted, removed or cut off."""
    out, at = bytearray(data), rnd.randrange(len(data))
    kind = rnd.randrange(8)
    if kind < 3:
        out[at] ^= 1 << rnd.randrange(8)
    elif kind == 3:
        out[at] = rnd.choice((0, 1, 0x7F, 0x80, 0xFF))
    elif kind == 4:
        at -= at % 4
        out[at:at + 4] = rnd.choice(WORDS)[:len(out) - at]
    elif kind == 5:
        del out[at:at + rnd.choice((1, 2, 4, 16))]
    elif kind == 6:
        out[at:at] = rnd.randbytes(rnd.choice((1, 4, 16)))
    else:
        del out[max(at, 1):]
    return bytes(out)


def files_of(corpus, mutants, seed):
    for case, recipe in corpus.recipes.items():
        data, name = bytes(corpus.assemble(recipe).data), corpus.file_name(recipe)
        yield f"{case}/{name}", data
        rnd = random.Random(f"{seed} {case}")
        for number in range(mutants if data and case.startswith(("good-", "odd-")) else 0):
            yield f"{case}~{number}/{name}", changed(data, rnd)


def main(lightlint, folder, mutants="6", seed="1"):
    program, faults = Program(lightlint), []
    with Workshop() as workshop:
        files = {workshop.write(name, data): data for name, data in files_of(Corpus(folder), int(mutants), seed)}
        before = program.lint(files, cwd=workshop.path).findings
        patched = {}
        for file, data in files.items():
            for number, finding in enumerate(before[file]):
                if "patch" in finding:
                    name = f"{os.path.dirname(file)}-{number}/{os.path.basename(file)}"
                    patched[workshop.write(name, apply(data, finding["patch"]))] = (file, finding)
        after = program.lint(patched, cwd=workshop.path).findings
    for name, (file, finding) in patched.items():
        source = file.partition("~")[0] + "/" + os.path.basename(file) if "~" in file else file
        why = brought(finding, before[file], after[name], before[source])
        if why:
            faults.append(f"{name}: {finding['patch']['tier']} patch of {finding['name']} at {finding['path']}: {why}")
    print("\n".join(faults + [f"{len(files)} files, {len(patched)} patches, {len(faults)} faults"]))
    return 1 if faults or not patched else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if 3 <= len(sys.argv) <= 5 else __doc__)
