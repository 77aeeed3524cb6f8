#!/usr/bin/env python3
"""A build without expat does not check manifests, reports that in a notice, and checks the rest of the package.

usage: without_expat.py PROGRAM    PROGRAM was linked without expat"""
import json
import os
import sys

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "tools"))
from program import Program  # noqa: E402


def main():
    """Checks the demo folder: it has one fault across files, and manifests, which are skipped."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    code, out, err = Program(sys.argv[1]).call("--format", "jsonl", os.path.join(TOP, "corpus", "demo-mod"))
    found = [line["name"] for line in map(json.loads, out.decode().splitlines()) if line["type"] == "finding"]
    right = code == 1 and "mod-array-file" in found and "manifests are not checked, as this build has no expat: 2" in err
    if not right:
        print(f"demo-mod: exit code {code}, found {found}\n{err}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
