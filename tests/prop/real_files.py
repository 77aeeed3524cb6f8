#!/usr/bin/env python3
"""Real files, and sound samples of other tools, have neither errors nor warnings, and no unclaimed byte. Spans of real
mod files tile the file; real_packages.py checks their findings.

usage: real_files.py LIGHTLINT     exit: 0 it holds, 1 it does not, 77 there are no such files"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import LOUD, Program, files_below, real_corpus, real_mods, samples, tiling_fault  # noqa: E402


def sweep(program, folder, files):
    """Faults found in the files of a folder, and the number of notes."""
    faults = []
    run = program.lint(files, "--unsupported", "allow", cwd=folder)  # for the lights of DKCR
    for file, findings in run.findings.items():
        faults += [f"{file}: {f['severity']} {f['name']} at {f['path']}: {f['message']}"
                   for f in findings if f["severity"] in LOUD]
        dump = program.spans(file, cwd=folder)
        why = tiling_fault(dump, os.path.getsize(os.path.join(folder, file)))
        holes = [s for s in dump["spans"] if s["type"] in ("gap", "unparsed")]
        faults += [f"{file}: {why}"] if why else []
        faults += [f"{file}: unclaimed bytes at +{s['offset']:#x}" for s in holes]
    notes = sum(f["severity"] == "note" for found in run.findings.values() for f in found)
    if run.code not in (0, 2):  # 2: the lights of an area of DKCR are not checked
        faults.append(f"exit code {run.code}\n{run.stderr}")
    return faults, notes


def untiled(program, folder, files):
    for file in files:
        why = tiling_fault(program.spans(file, cwd=folder), os.path.getsize(os.path.join(folder, file)))
        if why:
            yield f"{file}: {why}"


def main(lightlint):
    program, failed, files = Program(lightlint), False, 0
    if real_mods():
        names = files_below(real_mods())
        why = list(untiled(program, real_mods(), names))
        print("\n".join(why + [f"{len(names)} real files of mods, {len(why)} not tiled"]))
        failed, files = bool(why), len(names)
    for what, folder in (("real", real_corpus()), ("made", samples())):
        names = files_below(folder) if folder else []
        files += len(names)
        if names:
            faults, notes = sweep(program, folder, names)
            failed = failed or bool(faults)
            print("\n".join(faults + [f"{len(names)} {what} files, {notes} notes, {len(faults)} faults"]))
    if not files:
        print("skipped: there are none; LIGHTLINT_REAL_CORPUS, LIGHTLINT_REAL_MODS and LIGHTLINT_SAMPLES name folders of them")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
