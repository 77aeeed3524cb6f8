#!/usr/bin/env python3
"""Lints the cases of corpus/ and checks the output.

usage: run_cases.py [--only PART] [--tile N] [--update] [--corpus FOLDER] [--golden FOLDER] LIGHTLINT
  expectations   findings are exactly those of the recipe, at its bytes; the exit code is right
  patches        each patch that a recipe states is offered; applied alone, it removes its finding and adds none
  dump           spans tile the file; in good cases there is no gap
  golden         findings, renderings and dumps equal tests/cases/golden (--update writes them); golden.py lists what is
                 kept
  packages       the same checks for the folders of corpus/mod, which packages.py writes
  gate           every rule fires in a case and is silent in a near one; a rule with patches has a case that states one
--only PART: only cases with PART in their name, without golden outputs and gate
--tile N: check only every Nth case for tiling, where starting the program is slow
exit: 0 all passed, 1 a check failed, 2 wrong usage"""
import argparse
import concurrent.futures
import os
import sys

import golden
import packages
from patching import apply, brought
from program import Program, Workshop, outside, outside_regions, tiling_fault
from recipe import VERDICTS, Corpus, RecipeError

HERE = os.path.dirname(os.path.abspath(__file__))
# Rules that no file can fire, only a defective parser that skips bytes or claims them twice. Unit tests have such
# parsers.
# core/crash: tests/cli/test_crash.py
PARSER_DEFECTS = ("ledger/gap", "ledger/overlap", "core/unexplained", "core/crash")
# Rules about suppressions, baselines and patterns in users' rules. tests/cli/test_suppressions.py, test_baseline.py and
# test_unread.py fire them.
REMARKS = ("core/unused-suppression", "core/expired-suppression", "core/stale-baseline", "core/undecided", "core/manifest-refused")
NO_EXPAT = "this build has no expat"  # message about manifests from a program without expat


class Case:
    def __init__(self, corpus, recipe):
        self.recipe = recipe
        self.name = recipe.case
        image = corpus.assemble(recipe)
        self.data = bytes(image.data)
        self.expected = corpus.expectations(recipe, image)
        self.file = f"{self.name}/{corpus.file_name(recipe)}"
        self.options = recipe.one("options").split()
        self.near = recipe.header.get("near", [])
        fails = any(e.severity in ("error", "warning") for e in self.expected)
        self.code = int(recipe.one("exit", "1" if fails else "0"))

    def bytes_of(self, _file):
        """The bytes of a file of the case; this kind has one file."""
        return self.data


class Results:
    def __init__(self):
        self.passed = self.failed = 0

    def add(self, name, faults):
        if faults:
            self.failed += 1
            lines = [f"  {line}" for fault in faults for line in fault.splitlines()]
            print("\n".join([f"FAILED {name}", *lines]), flush=True)
        else:
            self.passed += 1


# ------------------------------------------------------------------ expectations

def show(offset, end, path, inner):
    where = f"{path or '(any path)'} +{offset:#x}..{end:#x}"
    if inner:
        where += f" ({inner.get('region', inner.get('member'))} +{inner['offset']:#x}..{inner['offset'] + inner['length']:#x})"
    return where


def tier_of(finding):
    return finding.get("patch", {"tier": "none"})["tier"]


def show_finding(f):
    where = show(f["offset"], f["offset"] + f["length"], f["path"], f.get("inner"))
    return f"{f['name']} {f['severity']} at {where}"


def matches(expected, finding):
    texts = " ".join(str(value) for value in finding.values())
    return (finding["name"] == expected.rule.split("/")[-1] and finding["severity"] == expected.severity and
            (not expected.path or finding["path"] == expected.path) and finding["offset"] == expected.start and
            finding["offset"] + finding["length"] == expected.end and finding.get("inner") == expected.inner and
            expected.says in texts and expected.patch in ("", tier_of(finding)))


def compare(case, findings):
    """Descriptions of all missing and unexpected findings."""
    left, faults = list(findings), []
    for e in case.expected:
        hit = next((f for f in left if matches(e, f)), None)
        if hit:
            left.remove(hit)
        else:
            says = f" patch {e.patch}" * bool(e.patch) + f' says "{e.says}"' * bool(e.says)
            faults.append(f"missing  {e.rule} {e.severity} at {show(e.start, e.end, e.path, e.inner)}{says}")
    for f in left:
        if f.get("explained"):  # its cause was expected; only --all shows it
            continue
        faults.append(f"too many {show_finding(f)}, patch {tier_of(f)}: {f['message']}")
    bad = outside(findings, len(case.data))
    if bad:
        faults.append(f"outside the file: {show_finding(bad)}")
    return faults


def run_findings(program, cases, workshop):
    """Faults and findings by case. Cases with the same exit code and no options share a process."""
    faults, findings, groups = {}, {}, {}
    for case in cases:
        alone = case.options or case.code == 2
        groups.setdefault((case.name if alone else "", case.code), []).append(case)
    for (_, code), group in groups.items():
        run = program.lint([case.file for case in group], *group[0].options, cwd=workshop.path)
        for case in group:
            findings[case.name] = run.findings[case.file]
            faults[case.name] = compare(case, run.findings[case.file])
        code = 2 if run.summary["unchecked"] else code  # prop/exit_codes.py checks the exit code of each case alone
        if run.code != code and not any(faults[case.name] for case in group):
            for case in group:
                faults[case.name] = [f"exit code {run.code} of its group, not {code}\n{run.stderr}"]
    return faults, findings


# ------------------------------------------------------------------ patches

def stated_patches(case, findings):
    """Findings whose patch the recipe states."""
    stated = [e for e in case.expected if e.patch in ("safe", "unsafe")]
    return [f for f in findings if any(matches(e, f) for e in stated)]


def patch_faults(program, cases, findings, workshop):
    """Applies each stated patch alone. Returns the faults by case, and the names of the rules whose patches were
    applied."""
    faults, applied, patched = {}, set(), {}
    for case in cases:
        for number, f in enumerate(stated_patches(case, findings[case.name])):
            name = workshop.write(f"{case.name}~{number}/{os.path.basename(case.file)}", apply(case.data, f["patch"]))
            patched[name] = (case, f)
    groups = {}
    for name, (case, _) in patched.items():
        groups.setdefault(tuple(case.options), []).append(name)
    for options, names in groups.items():
        run = program.lint(names, *options, cwd=workshop.path)
        for name in names:
            case, f = patched[name]
            why = brought(f, findings[case.name], run.findings[name])
            applied |= set() if why else {f["rule"]}
            faults.setdefault(case.name, []).extend([f"patch of {show_finding(f)}: {why}"] if why else [])
    return faults, applied


# ------------------------------------------------------------------ dump

def dump_faults(case, findings, program, workshop):
    if not case.data:
        return []
    dump = program.spans(case.file, cwd=workshop.path)
    why = tiling_fault(dump, len(case.data))
    faults = [f"dump: {why}"] if why else []
    holes = [s for s in dump["spans"] if s["type"] in ("gap", "unparsed")]
    bad = outside_regions(findings, dump.get("regions", []))
    if bad:
        faults.append(f"outside its region: {show_finding(bad)}")
    if case.name.startswith("good-") and holes:
        faults.append(f"dump: a good file with a gap at {holes[0]['offset']:#x}")
    return faults


# ------------------------------------------------------------------ cases without a recipe

def special_cases(program, workshop, results):
    """Files that cannot be read or are too large. Returns the names of the rules that fired, and golden outputs."""
    huge = os.path.join(workshop.path, "huge.grxla")
    with open(huge, "wb") as file:
        file.truncate(1 << 32)
    fired = set()
    for rule, name in (("unreadable", "missing.grxla"), ("too-large", "huge.grxla")):
        run = program.lint([name], cwd=workshop.path)
        names = [f["name"] for f in run.findings[name]]
        fine = names == [rule] and run.code == 2
        results.add(f"special {rule}", [] if fine else [f"findings {names}, exit code {run.code}"])
        fired |= {f"core/{name}" for name in names}
    outputs = {f"special.{name}": program.call("--format", name, "missing.grxla", "huge.grxla", cwd=workshop.path)[1]
               for name in ("jsonl", "full")}
    os.remove(huge)
    return fired, outputs


# ------------------------------------------------------------------ the gate

def full_name(name, family, names):
    """FAMILY/NAME of a rule that a recipe of a family names; families may share names. "" if there is none."""
    own = f"{family}/{name}"
    return own if own in names else next((full for full in names if name in (full, full.split("/")[1])), "")


def is_alone(found):
    """Has the file findings of at most one rule above notes? Next to findings of other rules, a safe patch may
    become unsafe."""
    return len({f["rule"] for f in found if f["severity"] != "note"}) <= 1


def offer_fault(rule, findings, applied):
    """Why a rule's `patch` key does not fit the patches it offers. A rule with safe patches may offer unsafe ones in
    some cases, but not in all."""
    offered = {tier_of(f) for found in findings.values() for f in found if f["rule"] == rule["id"] and is_alone(found)} - {"none"}
    if rule["patch"] == "none" and offered or rule["patch"] == "safe" and offered == {"unsafe"}:
        return [f"offers a patch that is {max(offered)}; 'patch' in its pack says {rule['patch']}"]
    return ["no case states its patch"] if rule["patch"] != "none" and rule["id"] not in applied else []


def check_gate(rules, cases, findings, applied, special, results):
    names = {rule["id"]: f"{rule['family']}/{rule['name']}" for rule in rules}
    known, silent = set(names.values()), set(special)  # all other cases can be read and are small enough
    fired = {names[f["rule"]] for found in findings.values() for f in found} | special
    for case in cases:
        here = {names[f["rule"]] for f in findings[case.name]}
        words = case.near + [e.rule for e in case.expected]
        spoken_of = {name: full_name(name, case.recipe.family, known) for name in words}
        silent |= {spoken_of[name] for name in case.near} - here
        unknown = [name for name, full in spoken_of.items() if not full]
        if unknown:
            results.add(case.name, [f"there is no rule {unknown[0]}"])
    for rule in rules:
        full = names[rule["id"]]
        faults = [] if full in fired else ["no case fires it"]
        faults += [] if full in silent else ["no case is near it"]
        faults += offer_fault(rule, findings, applied)
        exempt = full in PARSER_DEFECTS + REMARKS or rule["severity"] == "off"
        results.add(f"gate {full}", [] if exempt else faults)


# ------------------------------------------------------------------ main

def load(folder, only):
    corpus = Corpus(folder)
    for recipe in corpus.recipes.values():
        if only in recipe.case and recipe.case.startswith(VERDICTS):
            yield Case(corpus, recipe)


def run(arguments, cases):
    program, results = Program(arguments.lightlint), Results()
    with Workshop() as workshop:
        for case in cases:
            workshop.write(case.file, case.data)
        faults, findings = run_findings(program, cases, workshop)
        blind = 0  # cases with manifests that this program cannot read
        patches, applied = patch_faults(program, cases, findings, workshop)
        folders = packages.load(arguments.corpus, arguments.only or "")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            tiled = cases[::arguments.tile]
            dumps = pool.map(lambda case: dump_faults(case, findings[case.name], program, workshop), tiled)
            judged = pool.map(lambda case: case.faults(program, workshop), folders)
            dumped = dict(zip((case.name for case in tiled), dumps, strict=True))
            judged = list(judged)
        for case in cases:
            results.add(case.name, faults[case.name] + patches.get(case.name, []) + dumped.get(case.name, []))
        for case, (told, found, more) in zip(folders, judged, strict=True):
            faults[case.name], findings[case.name] = told, found
            if case.needs == "expat" and NO_EXPAT in case.said:
                blind += 1
                continue
            results.add(case.name, faults[case.name])
            applied |= more
        if blind:
            print(f"built without expat: {blind} cases, golden outputs and the gate were not checked")
        elif not arguments.only:
            special, outputs = special_cases(program, workshop, results)
            outputs |= golden.outputs_of(program, cases, folders, findings, os.path.join(arguments.corpus, "demo"), workshop)
            check_gate(program.rules(), cases + folders, findings, applied, special, results)
            if arguments.update:
                golden.update(arguments.golden, outputs)
            else:
                golden.compare(arguments.golden, outputs, results)
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed or not results.passed else 0


def parse(words):
    top = os.path.normpath(os.path.join(HERE, "..", ".."))
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--only")
    parser.add_argument("--tile", type=int, default=1)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--corpus", default=os.path.join(top, "corpus"))
    parser.add_argument("--golden", default=os.path.join(top, "tests", "cases", "golden"))
    parser.add_argument("lightlint")
    arguments = parser.parse_args(words)
    if arguments.only and arguments.update:
        parser.error("--update writes all golden outputs; leave --only out")
    return arguments


def main():
    arguments = parse(sys.argv[1:])
    try:
        return run(arguments, list(load(arguments.corpus, arguments.only or "")))
    except RecipeError as error:
        print(f"run_cases.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
