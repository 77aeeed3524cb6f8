#!/usr/bin/env python3
"""A build without liblzo2 and expat. A compressed block is a note, the exit code says that it was not checked, and the area around it is checked
all the same. A manifest is not checked, which a notice says, and the package around it is.

usage: without_libraries.py PROGRAM CASES    CASES: the assembled recipes; PROGRAM was linked without these libraries"""
import json
import os
import sys

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "tools"))
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


def check_manifests(program):
    """The demo folder: one fault across files, and manifests, which are not looked into."""
    code, out, err = program.call("--format", "jsonl", os.path.join(TOP, "corpus", "demo-mod"))
    found = [line["name"] for line in map(json.loads, out.decode().splitlines()) if line["type"] == "finding"]
    right = code == 1 and "mod-array-file" in found and "manifests are not checked, as this build has no expat: 2" in err
    if not right:
        print(f"demo-mod: exit code {code}, found {found}\n{err}")
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
        check_manifests(program),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
