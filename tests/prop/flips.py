#!/usr/bin/env python3
"""Changes every structural byte of every good file in several ways: nearly every change is an error or warning at that byte.

usage: flips.py LIGHTLINT CORPUS     good files of the corpus
       flips.py LIGHTLINT --real     real files
exit: 0 at or above the floor, 1 below it, 77 there are no real files"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from flips import Tally, measure  # noqa: E402
from program import Program, Workshop, real_files  # noqa: E402
from recipe import build_all  # noqa: E402

FLOOR = {"corpus": 0.97, "real": 0.98}


def main(lightlint, what):
    program, tally, real = Program(lightlint), Tally(), what == "--real"
    with Workshop() as sources, Workshop() as workshop:
        files = real_files() if real else sorted(build_all(what, sources.path, ("good-",)).values())
        if real and not files:
            print("skipped: no real files; LIGHTLINT_REAL_CORPUS names a folder of them")
            return 77
        for path in files:
            measure(program, workshop, path, tally)
    noticed, made = tally.total()
    floor = FLOOR["real" if real else "corpus"]
    print("\n".join(tally.rows("field")))
    print("\n".join(tally.survivors[:20]))
    print(f"{len(files)} files, {made} changes, {noticed} noticed: {100 * tally.rate():.2f} %, floor {100 * floor:.0f} %")
    return 0 if tally.rate() >= floor else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
