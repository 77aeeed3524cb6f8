#!/usr/bin/env python3
"""Changes every structural byte of every good file in several ways: nearly every change is an error or warning at that
byte.

usage: flips.py LIGHTLINT CORPUS     good files of the corpus
       flips.py LIGHTLINT --real     real files
exit: 0 at or above the floor, 1 below it, 77 there are no real files"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from flips import Tally, measure  # noqa: E402
from program import Program, Workshop, files_below, real_corpus  # noqa: E402
from recipe import build_all  # noqa: E402

FLOOR = {"corpus": 0.99, "real": 0.99}


def main(lightlint, what):
    program, tally, kind = Program(lightlint), Tally(), "real" if what == "--real" else "corpus"
    with Workshop() as sources, Workshop() as workshop:
        folder = sources.path
        if kind == "corpus":
            build_all(what, folder, ("good-",))
        else:
            folder = real_corpus()
        if not folder:
            print("skipped: no real files; LIGHTLINT_REAL_CORPUS names a folder of them")
            return 77
        files = files_below(folder, "")
        for file in files:
            measure(program, workshop, os.path.join(folder, file), tally)
    noticed, made = tally.total()
    print("\n".join(tally.rows("field")))
    print("\n".join(tally.survivors[:20]))
    floor = FLOOR[kind]
    print(f"{len(files)} files, {made} changes, {noticed} noticed: {tally.rate():.2%}, floor {floor:.0%}")
    return 0 if made and tally.rate() >= floor else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
