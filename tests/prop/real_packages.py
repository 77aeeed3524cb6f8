#!/usr/bin/env python3
"""Real mod folders and archives, each by itself and all together, give exactly the findings that their MANIFEST.tsv says.

usage: real_packages.py LIGHTLINT     exit: 0 they do, 1 they do not, 77 there are none"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, optional_folder  # noqa: E402


def expectations(folder):
    """(file, rule): how often; `RULE@PLACE` names the entity too, which findings do not."""
    expected = {}
    with open(os.path.join(folder, "MANIFEST.tsv"), encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            path, *_, rules = line.split("\t")
            for rule in [] if rules == "-" else rules.split(","):
                key = path, rule.partition("@")[0].strip()
                expected[key] = expected.get(key, 0) + 1
    return expected


def found(program, folder, *names):
    """The same of what is found, and the names of files with findings in members. A file may have several of a rule that it is listed with once."""
    counts = {}
    out = program.call("--format", "jsonl", "--all", *names, cwd=folder)[1].decode()
    for line in out.splitlines():
        item = json.loads(line)
        if item["type"] == "finding":
            name = item["file"] + ("!" + item["member"] if "member" in item else "")
            key = os.path.normpath(name), item["name"]
            counts[key] = counts.get(key, 0) + 1
    return counts


def differences(expected, counts, what):
    for key in sorted(expected.keys() | counts.keys()):
        across, wanted, got = key[1].startswith("mod-"), expected.get(key, 0), counts.get(key, 0)
        if wanted != got if across else bool(wanted) != bool(got):
            yield f"{what}: {key[0]}: {key[1]} {got} times, not {wanted}"


def main(lightlint):
    program, folder = Program(lightlint), optional_folder("LIGHTLINT_REAL_MODS", "real-fox-mod")
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
