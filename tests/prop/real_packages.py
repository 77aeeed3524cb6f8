#!/usr/bin/env python3
"""Real mod folders and archives, each alone and all together, have exactly the findings listed in their MANIFEST.tsv.

usage: real_packages.py LIGHTLINT     exit: 0 they do, 1 they do not, 77 there are none"""
import json
import os
import sys
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, mod_rows, real_mods  # noqa: E402


def expectations(folder):
    """{(file, rule): minimum offset of each expected finding: that of the entity in the list, or 0}."""
    expected = defaultdict(list)
    for path, rules in mod_rows(folder):
        for name, _, at in (rule.partition("@") for rule in rules):
            expected[path, name.strip()].append(int(at or "0", 16))
    return expected


def found(program, folder, *names):
    """{(file, rule): offsets} of the findings. FILE!MEMBER for a finding in a member."""
    places = defaultdict(list)
    for item in map(json.loads, program.call("--format", "jsonl", "--all", *names, cwd=folder)[1].splitlines()):
        if item["type"] == "finding":
            name = item["file"] + ("!" + item["member"] if "member" in item else "")
            places[os.path.normpath(name), item["name"]].append(item["offset"])
    return places


def differences(expected, places, what):
    """Compares both. Rules across files must match in number; a rule of a single file is listed once and may have
    several findings."""
    for key in sorted(expected.keys() | places.keys()):
        wanted, got = expected.get(key, []), places.get(key, [])
        across = key[1].startswith("mod-")
        same = len(wanted) == len(got) if across else bool(wanted) == bool(got)
        if not same or any(place < least for least, place in zip(sorted(wanted), sorted(got))):
            yield f"{what}: {key[0]}: {key[1]} at {got}, not at or after {wanted}"


def main(lightlint):
    program, folder = Program(lightlint), real_mods()
    if not folder:
        print("skipped: there are none; LIGHTLINT_REAL_MODS names a folder of them")
        return 77
    expected, faults = expectations(folder), []
    single = [os.path.join("folders", name) for name in sorted(os.listdir(os.path.join(folder, "folders")))]
    runs = [["."], ["archives"], ["folders"], *([name] for name in single)]
    for names in runs:
        below = tuple(f"{name}/" for name in names if name != ".")
        here = {key: n for key, n in expected.items() if not below or key[0].startswith(below)}
        faults += differences(here, found(program, folder, *names), names[0])
    print("\n".join(faults + [f"{len(runs)} runs, {len(expected)} findings, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
