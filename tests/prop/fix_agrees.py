#!/usr/bin/env python3
"""`lightlint fix` ends with the same exit code, and the same number of findings of each severity, as a following
`check` with the same arguments, options and configuration; the reasons that it gives add up to these numbers. Tested on
packages with one fault across files, of every class of tests/tools/package_damages.py, on every case of the corpus, and
on every fourth as a member of an archive. Safe patches are applied: afterwards `check` shows no safe patch except those
that fix reported as skipped.

usage: fix_agrees.py [--every N] LIGHTLINT CORPUS      --every N: only every Nth of these
exit: 0 they agree, 1 not"""
import argparse
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from fox_package import Archive  # noqa: E402
from made_package import Maker  # noqa: E402
from package_damages import FAULTS  # noqa: E402
from program import LOUD, Program, Workshop  # noqa: E402
from recipe import Corpus  # noqa: E402

FORMS = ({"fpk": "F", "fpkd": "F"}, {"fpk": "A", "fpkd": "A"}, {"fpk": "FA", "fpkd": "A"})
# (options of fix alone, options of both).
WAYS = (((), ()), (("--unsafe",), ()), ((), ("--fail-on", "note")), (("--unsafe",), ("--select", "MOD,GRX2,tag:padding")), ((), ("--no-cross",)),
        (("--unsafe",), ("--fail-on", "error")), ((), ("--no-suppressions",)))
SETTINGS = {".lightlint-ignore.yaml": b"suppress:\n  - {file: '**', rule: MOD101, reason: known}\n  - {file: gone.grxla, rule: GRX140, reason: old}\n",
            ".lightlint.yaml": b"fail-on: warning\nseverity: {name-hash: error}\n"}


def lines_of(out):
    return [json.loads(line) for line in out.decode().splitlines()]


class Judge:
    def __init__(self, lightlint):
        self.program, self.faults, self.runs, self.failing, self.safe = Program(lightlint), [], 0, 0, 0

    def agree(self, name, files, number):
        mine, both = WAYS[number % len(WAYS)]
        with Workshop() as workshop:
            for file, data in {**files, **(SETTINGS if number % 3 == 0 else {})}.items():
                workshop.write(f"it/{file}", data)
            code, out, errors = self.program.call("fix", "--format", "jsonl", *mine, *both, "it", cwd=workshop.path)
            lines = lines_of(out)
            then, out, errors_of_check = self.program.call("check", "--all", "--format", "jsonl", *both, "it", cwd=workshop.path)
        if not lines or not lines_of(out):
            sys.exit(f"{name}: {errors} {errors_of_check}")
        checked = lines_of(out)
        fixed, counts = lines[-1], checked[-1]
        self.runs += 1
        self.failing += code != 0
        said = (code, fixed["exit_code"], fixed["errors"], fixed["warnings"], fixed["notes"], fixed["findings_left"], sum(fixed["why"].values()))
        total = counts["errors"] + counts["warnings"] + counts["notes"]
        if said != (then, then, counts["errors"], counts["warnings"], counts["notes"], total, total):
            self.faults.append(f"{name}: fix {' '.join(mine + both)}: {fixed} {errors}; check: {then} {counts}")
        left = {(line["rule"], line["path"]) for line in lines if line["type"] == "left"}
        for finding in checked[:-1]:
            if finding.get("patch", {}).get("tier") == "safe" and finding["severity"] in LOUD:
                self.safe += 1
                if (finding["rule"], finding["path"]) not in left:
                    self.faults.append(f"{name}: fix {' '.join(mine + both)}: a safe patch is not applied: {finding}")


def cases(folder):
    maker, corpus = Maker(folder), Corpus(folder)
    packages = [maker.package(f"agrees/{number}", root) for number, root in enumerate(("tpp", "ssd"))]
    for at, (kind, plant) in enumerate(FAULTS.items()):
        package = packages[at % 2].copy()
        if plant(package, random.Random(kind)):
            for number, forms in enumerate(FORMS):
                yield f"{kind}/{number}", package.some_of(package.written(), forms)
    for number, (case, recipe) in enumerate(corpus.recipes.items()):
        data = bytes(corpus.assemble(recipe).data)
        file = corpus.file_name(recipe)
        yield case, {file: data}
        if number % 4 == 0 and file.endswith((".grxla", ".grxoc", ".lpsh", ".fox2")):
            part = "fpkd" if file.endswith(".fox2") else "fpk"
            yield f"{case} in an archive", {f"a.{part}": Archive(part, {f"/Assets/tpp/level/{os.path.basename(file)}": data}, []).write()}


def main(every, lightlint, corpus):
    judge = Judge(lightlint)
    for number, (name, files) in enumerate(cases(corpus)):
        if number % every == 0:
            judge.agree(name, files, number // every)
    print("\n".join(judge.faults[:40] + [f"{judge.runs} runs, {judge.failing} with findings that fail, {judge.safe} safe patches skipped, "
                                         f"{len(judge.faults)} faults"]))
    return 1 if judge.faults or not judge.failing else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("lightlint")
    parser.add_argument("corpus")
    sys.exit(main(**vars(parser.parse_args())))
