#!/usr/bin/env python3
"""The command that a rule names for its patches changes a file with such a finding. Every rule with patches names a
command, except where patches follow from other files.

usage: commands.py LIGHTLINT CORPUS     exit: 0 it holds, 1 it does not"""
import json
import os
import sys
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop  # noqa: E402
from recipe import Corpus  # noqa: E402

TIERS = ("none", "safe", "unsafe")


def main(lightlint, folder):
    program, corpus, faults, tried = Program(lightlint), Corpus(folder), [], 0
    rules = json.loads(program.call("rules", "--format", "json")[1])["rules"]
    with Workshop() as workshop:
        files = {workshop.write(f"{case}/{corpus.file_name(recipe)}", data): data
                 for case, recipe in corpus.recipes.items() if "options" not in recipe.header for data in [bytes(corpus.assemble(recipe).data)]}
        found = defaultdict(lambda: defaultdict(list))  # found[rule][tier]: files
        for file, findings in program.lint(files, cwd=workshop.path).findings.items():
            for finding in findings:
                found[finding["rule"]][finding.get("patch", {}).get("tier", "none")].append(file)
        for rule in rules:
            fitting = [file for tier in TIERS[1:TIERS.index(rule["patch"]) + 1] for file in found[rule["id"]][tier]]
            if "command" not in rule and (rule["patch"] != "none" or fitting) and rule["family"] != "mod":
                faults.append(f"{rule['id']}: has patches, but names no command")
            if "command" in rule and not any(changes(program, workshop, rule, file, files[file]) for file in fitting[-4:]):
                faults.append(f"{rule['id']}: {rule['command']} changes no file of {fitting[-4:]}")
            tried += "command" in rule
    print("\n".join(faults + [f"{tried} commands, {len(faults)} faults"]))
    return 1 if faults or not tried else 0


def changes(program, workshop, rule, file, data):
    name = workshop.write(f"{rule['id']}/{file}", data)
    words = rule["command"].split()
    assert words[0] == "lightlint" and words[-1] == "FILE", rule["command"]
    program.call(*words[1:-1], "--no-journal", name, cwd=workshop.path)
    return workshop.read(name) != data


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
