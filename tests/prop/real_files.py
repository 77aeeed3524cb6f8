#!/usr/bin/env python3
"""Real files have neither errors nor warnings, and no byte without an owner.

usage: real_files.py LIGHTLINT     exit: 0 it holds, 1 it does not, 77 there are no real files"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import LOUD, Program, files_below, real_corpus, tiling_fault  # noqa: E402


def main(lightlint):
    folder = real_corpus()
    files = files_below(folder) if folder else []
    if not files:
        print("skipped: no real files; LIGHTLINT_REAL_CORPUS names a folder of them")
        return 77
    program, faults = Program(lightlint), []
    run = program.lint(files, cwd=folder)
    for file, findings in run.findings.items():
        faults += [f"{file}: {f['severity']} {f['name']} at {f['path']}: {f['message']}"
                   for f in findings if f["severity"] in LOUD]
        dump = program.spans(file, cwd=folder)
        why = tiling_fault(dump, os.path.getsize(os.path.join(folder, file)))
        holes = [s for s in dump["spans"] if s["type"] in ("gap", "unparsed")]
        faults += [f"{file}: {why}"] if why else []
        faults += [f"{file}: nobody owns +{s['offset']:#x}" for s in holes]
    notes = sum(f["severity"] == "note" for found in run.findings.values() for f in found)
    if run.code != 0:
        faults.append(f"exit code {run.code}\n{run.stderr}")
    print("\n".join(faults + [f"{len(files)} real files, {notes} notes, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
