#!/usr/bin/env python3
"""Which bytes does no rule watch? Prints, for files or folders of good files, how many single-byte changes of each
field are reported at that byte, the least watched fields first. A measurement, not a test.

usage: flips.py [--data] [--survivors N] LIGHTLINT PATH...
--data        fields that hold values; by default the structural ones (magic, sizes, offsets, padding, hashes, strings,
...)
--survivors   print N changes that were not reported"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from flips import Tally, measure  # noqa: E402
from program import Program, Workshop  # noqa: E402


def files_of(path):
    if os.path.isfile(path):
        return [path]
    return sorted(os.path.join(directory, name) for directory, _, names in os.walk(path) for name in names)


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--data", action="store_true")
    parser.add_argument("--survivors", type=int, default=0)
    parser.add_argument("lightlint")
    parser.add_argument("paths", nargs="+")
    arguments = parser.parse_args()
    program, tally = Program(arguments.lightlint), Tally()
    with Workshop() as workshop:
        for path in [file for given in arguments.paths for file in files_of(given)]:
            measure(program, workshop, path, tally, structural=not arguments.data)
    for kind in ("field", "type"):
        print(f"noticed   changes  {kind}")
        print("\n".join(tally.rows(kind)) + "\n")
    print("\n".join(tally.survivors[:arguments.survivors]))
    noticed, made = tally.total()
    print(f"{made} changes, {noticed} noticed: {tally.rate():.2%}")


if __name__ == "__main__":
    main()
