#!/usr/bin/env python3
"""A build without liblzo2: a compressed block is a note, the exit code says that it was not checked, and the area around it is checked all the
same.

usage: without_lzo.py PROGRAM CASES    CASES: the assembled recipes; PROGRAM was linked without liblzo2"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
from program import Program, tiling_fault  # noqa: E402


def check(program, cases, case, code, names):
    """Findings by name and exit code of one case; its dump tiles."""
    file = os.path.join(case, case + ".mrea")
    run = program.lint([file], cwd=cases)
    found = sorted({finding["name"] for finding in run.findings[file]})
    fault = tiling_fault(program.spans(file, cwd=cases), os.path.getsize(os.path.join(cases, file)))
    right = run.code == code and found == sorted(names) and not fault
    if not right:
        print(f"{case}: exit code {run.code}, not {code}; found {found}, not {sorted(names)}; {fault or 'tiles'}")
    return right


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    program, cases = Program(sys.argv[1]), sys.argv[2]
    results = [
        check(program, cases, "good-mp2-lzo", 2, ["block-not-checked"]),
        check(program, cases, "good-mp3-lzo", 2, ["block-not-checked"]),
        check(program, cases, "good-mp2", 0, []),  # its blocks are stored as they are
        check(program, cases, "bad-block-buffer-size-lzo", 2, ["block-not-checked", "block-buffer-size"]),
        check(program, cases, "bad-lzo-brightness", 2, ["block-not-checked"]),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
