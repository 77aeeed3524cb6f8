#!/usr/bin/env python3
"""Every patch that is offered for a case of the corpus corrects what it is offered for: applied to the file, the finding
is gone. A safe patch brings nothing new; one that is not safe brings no new error.

usage: patches.py LIGHTLINT CORPUS     exit: 0 it holds, 1 it does not"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop  # noqa: E402
from recipe import Corpus  # noqa: E402


def apply(data, patch):
    start, new = patch["offset"], bytes.fromhex(patch["bytes"])
    if patch["removed"] not in (0, len(new)) or (patch["removed"] == 0 and start != len(data)):
        raise ValueError("a patch replaces bytes by as many, or inserts at the end")
    return data[:start] + new + data[start + patch["removed"]:]


def key(finding):
    return finding["rule"], finding["path"]


def judge(finding, before, after):
    if key(finding) in map(key, after):
        return "the finding is still there"
    new = [f for f in after if key(f) not in map(key, before)]
    if finding["patch"]["tier"] != "safe":
        new = [f for f in new if f["severity"] == "error"]
    return f"brings {new[0]['severity']} {new[0]['name']} at {new[0]['path']}" if new else ""


def main(lightlint, folder):
    program, corpus, faults = Program(lightlint), Corpus(folder), []
    with Workshop() as workshop:
        files = {}
        for case, recipe in corpus.recipes.items():
            data = bytes(corpus.assemble(recipe).data)
            files[workshop.write(f"{case}/{corpus.file_name(recipe)}", data)] = data
        before = program.lint(files, cwd=workshop.path).findings
        patched = {}
        for file, data in files.items():
            for number, finding in enumerate(before[file]):
                if "patch" in finding:
                    name = f"{os.path.dirname(file)}-{number}/{os.path.basename(file)}"
                    patched[workshop.write(name, apply(data, finding["patch"]))] = (file, finding)
        after = program.lint(patched, cwd=workshop.path).findings
    for name, (file, finding) in patched.items():
        why = judge(finding, before[file], after[name])
        if why:
            faults.append(f"{name}: {finding['patch']['tier']} patch of {finding['name']}: {why}")
    print("\n".join(faults + [f"{len(patched)} patches, {len(faults)} faults"]))
    return 1 if faults or not patched else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
