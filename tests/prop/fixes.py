#!/usr/bin/env python3
"""Runs `lightlint fix` over every case of the corpus, with safe patches and with all patches:

  - There are no new findings, compared by rule and place, by rule and path, or (for moved records) by rule and texts;
    and not more of any severity, except that a less severe one may appear where a finding of the same field had
    suppressed it.
  - A file equals the original with its patches applied, byte for byte; a file without patches is unchanged.
  - Fixing again changes nothing.
  - Undoing the journal restores every byte.
  - A file without errors and warnings, of the corpus or a real one, is unchanged; so is one without a patch in its
    findings.
  - The last line of a check states as many fixable findings as `fix` and `fix --unsafe` fix, except for a few that
    depend on each other.

Then counts, by rule, the cases derived from a sound one that are restored to it, byte for byte.

usage: fixes.py [--table] LIGHTLINT CORPUS      --table: by rule
exit: 0 it holds and enough cases are restored, 1 not"""
import json
import os
import re
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import LOUD, Program, Workshop, files_below, listed, real_corpus, real_mods  # noqa: E402
from recipe import Corpus  # noqa: E402

RANKS = ("note", "warning", "error")
# minimum share of restored cases, in percent; raised with improvements, lowered where a patch was only a guess
LEAST = {"safe": 12, "unsafe": 46}
FEW = 0.01  # share of fixable findings whose patches depend on other patches of the file


def newcomers(before, after):
    """Findings of `after` that match none of `before`. Each of `before` matches at most one."""
    left = list(before)
    new = []
    for kind in (lambda f: (f["rule"], f["offset"], str(f.get("inner"))), lambda f: (f["rule"], f["path"]),
                 lambda f: (f["rule"], re.sub(r"\[\w+\]", "", f["path"]), f["found"], f["expected"])):
        new, after = [], new or after
        pool = defaultdict(list)
        for f in left:
            pool[kind(f)].append(f)
        for f in after:
            if pool[kind(f)]:
                left.remove(pool[kind(f)].pop())
            else:
                new.append(f)
        if not new:
            break
    return new


def applied(data, steps):
    for step in steps:
        start, was, new = step["offset"], bytes.fromhex(step["was"]), bytes.fromhex(step["bytes"])
        if data[start:start + len(was)] != was:
            return None
        data = data[:start] + new + data[start + len(was):]
    return data


def lines_by_file(out):
    steps = defaultdict(list)
    for line in out.decode().splitlines():
        item = json.loads(line)
        if item["type"] == "patch":
            steps[item["file"]].append(item)
    return steps


def is_loud(findings):
    return any(f["severity"] in LOUD for f in findings)


def changed_real_files(program):
    """Real files without errors and warnings that `fix --unsafe` changes."""
    for folder in filter(None, (real_corpus(), real_mods())):
        with Workshop() as workshop:
            files = {}
            for name in files_below(folder):
                with open(os.path.join(folder, name), "rb") as file:
                    files[workshop.write(name, file.read())] = None
                files[name] = workshop.read(name)
            members = program.lint(files, "--no-cross", cwd=workshop.path)
            loud = {name.split("!")[0] for name, found in members.findings.items() if is_loud(found)}
            program.call("fix", "--unsafe", "--no-cross", "-0", "--files-from", "-", cwd=workshop.path, stdin=listed(files))
            yield from (f"{name}: real, and changed" for name, data in files.items()
                        if name not in loud and workshop.read(name) != data)


class Pass:
    """One run of fix over all files. before: the findings of check, which are the same for each tier."""

    def __init__(self, program, files, tier, before):
        self.faults, self.before = [], before
        arguments = ("fix", "-0", "--files-from", "-", "--format", "jsonl") + (("--unsafe",) if tier == "unsafe" else ())
        with Workshop() as workshop:
            for name, data in files.items():
                workshop.write(name, data)
            code, out, err = program.call(*arguments, "--journal", "undo.jsonl", cwd=workshop.path, stdin=listed(files))
            self.steps, self.mended = lines_by_file(out), json.loads(out.decode().splitlines()[-1])["patches"]
            # Files without steps have the same bytes as before: check and fix say of them what they said.
            self.after = before | program.lint(self.steps, "--no-cross", cwd=workshop.path).findings
            for name, data in files.items():
                self.check(workshop, name, data)
            again = lines_by_file(program.call(*arguments, cwd=workshop.path, stdin=listed(self.steps))[1])
            self.faults += [f"{name}: fixing it again changes it" for name in again]
            code, _, err = program.call("fix", "--undo", "undo.jsonl", cwd=workshop.path)
            self.faults += [f"undo: exit code {code}: {err}"] if code else []
            self.faults += [f"{name}: not restored by undo" for name, data in files.items() if workshop.read(name) != data]

    def check(self, workshop, name, data):
        if applied(data, self.steps.get(name, [])) != workshop.read(name):
            self.faults.append(f"{name}: differs from the file with its patches applied")
        if workshop.read(name) != data and not (is_loud(self.before[name]) and any("patch" in f for f in self.before[name])):
            self.faults.append(f"{name}: changed without an error or a warning, or without a patch in its findings")
        ranks = Counter(f["severity"] for f in self.before[name])
        for f in newcomers(self.before[name], self.after[name]):
            if any(f["path"] == step["path"] and RANKS.index(f["severity"]) < RANKS.index(step["severity"]) for step in self.steps.get(name, [])):
                ranks[f["severity"]] += 1
            else:
                self.faults.append(f"{name}: new {f['severity']} {f['name']} at {f['path']}")
        ranks.subtract(f["severity"] for f in self.after[name])
        if any(n < 0 for n in ranks.values()):
            self.faults.append(f"{name}: more findings of a severity than before")


def wrong_promises(said, passes):
    """said: what a check of the same files says on a terminal."""
    words = re.fullmatch(r"(\d+) fixable: lightlint fix; (\d+) more with --unsafe", said.splitlines()[-1])
    if not words:
        return [f"the last line is {said.splitlines()[-1]}"]
    promised = [int(words[1]), int(words[1]) + int(words[2])]
    mended = [run.mended for run in passes.values()]
    print(f"promised {promised}, mended {mended}")
    return [] if all(abs(a - b) <= FEW * a for a, b in zip(promised, mended)) else ["check promises other patches than fix applies"]


def is_sound(name):
    return name.startswith(("good-", "odd-"))


def main(lightlint, folder, table=False):
    program, corpus = Program(lightlint), Corpus(folder)
    files, case_of = {}, {}
    for case, recipe in corpus.recipes.items():
        name = f"{case}/{corpus.file_name(recipe)}"
        files[name], case_of[name] = bytes(corpus.assemble(recipe).data), case
    with Workshop() as workshop:
        for name, data in files.items():
            workshop.write(name, data)
        found = program.lint(files, "--no-cross", "--format", "full:said.txt", cwd=workshop.path).findings
        said = workshop.read("said.txt").decode()
    passes = {tier: Pass(program, files, tier, found) for tier in ("safe", "unsafe")}
    name_of = {case: name for name, case in case_of.items()}
    counts, same = Counter(), {tier: Counter() for tier in passes}
    for name, case in case_of.items():
        base = corpus.recipes[case].one("from")
        before = found[name]
        if is_sound(case) or not base or not is_sound(base) or not before:
            continue
        rule = f"{before[0]['rule']} {before[0]['name']}"
        counts[rule] += 1
        for tier, run in passes.items():
            same[tier][rule] += applied(files[name], run.steps.get(name, [])) == files[name_of[base]]
    rows = [f"{rule:40} {n:5} {same['safe'][rule]:6} {same['unsafe'][rule]:6}" for rule, n in sorted(counts.items())]
    print("\n".join([f"{'rule':40} cases   safe unsafe"] + rows) if table else "", end="\n" if table else "")
    faults = [f"{tier}: {fault}" for tier, run in passes.items() for fault in run.faults]
    made = sum(counts.values())
    for tier, run in passes.items():
        share = 100 * sum(same[tier].values()) / made
        print(f"{tier}: {sum(map(len, run.steps.values()))} patches in {len(run.steps)} files; "
              f"{sum(same[tier].values())} of {made} cases end as the original, {share:.1f} %")
        if share < LEAST[tier]:
            faults.append(f"{tier}: fewer than {LEAST[tier]} % are restored")
    faults += [*wrong_promises(said, passes), *changed_real_files(program)]
    print("\n".join(faults + [f"{len(files)} files, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--table"]
    sys.exit(main(*words, table="--table" in sys.argv) if len(words) == 2 else __doc__)
