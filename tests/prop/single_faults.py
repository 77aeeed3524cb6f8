#!/usr/bin/env python3
"""One damage to a good file of the corpus, made at random, thousands of times: what is said of it.

  error     a file that a strict reader refuses (tests/tools/strict_readers.py) has an error
  first     the first error or warning lies in the damaged record, or one of its related places does
  loud      errors and warnings for a fault, where there are any
  patch     a patch, applied alone, removes its finding and brings no other (tests/tools/patching.py)
  golden    with the numbers and the seed that are the default, all that is said is what it was: by case and kind a hash of it is kept
            in single_faults.txt

usage: single_faults.py [OPTIONS] LIGHTLINT CORPUS
  --number N       faults of each kind in each file (2)
  --seed WORD      other faults (1)
  --family FAMILY  grx, mrea or rgm only
  --kind KIND      of KINDS in tests/tools/damages.py only, such as bytes-in
  --examples N     of each way to fail, grouped by rule (0: bounds only)
  --only NAME      a fault by its name, CASE/KIND/NUMBER: the damage, and all that is said of it
  --write FILE     with --only: the damaged file
  --update         write single_faults.txt anew; --only shows what is said of a fault now
exit: 0 within the bounds and as it was, 1 not"""
import argparse
import hashlib
import os
import re
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from damages import KINDS, Anatomy, make  # noqa: E402
from patching import apply, brought  # noqa: E402
from program import LOUD, Program, Workshop  # noqa: E402
from recipe import FAMILIES, Corpus  # noqa: E402
from strict_readers import refuses  # noqa: E402

# What holds today, by family: error, first and patch in percent, at least; loud, at most. Only ever made tighter, up to 100, 98, 1.15, 100.
BOUNDS = {
    #         error  first  loud  patch
    "fox": (100, 97.0, 1.17, 100),
    "fpk": (100, 97.5, 1.15, 99.8),  # the paths of two gaps are the same, so that the one left counts as the one mended
    "grx": (100, 99.7, 1.04, 100),
    "lba": (100, 98.0, 1.05, 100),
    "lpsh": (98.5, 98.5, 1.20, 100),  # rules on offsets of nodes and names are warnings
    "mrea": (100, 98.5, 1.12, 100),
    "rgm": (100, 99.3, 1.07, 100),
}
LEAST_MADE = 100  # of the faults of a family; fewer say nothing
NUMBER, SEED = 2, "1"
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "single_faults.txt")


class Tally:
    def __init__(self):
        self.made = self.refused = self.errors = self.found = self.first = self.exact = self.loud = self.patches = self.clean = 0

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def rates(self):
        def percent(part, all_):
            return 100 * part / all_ if all_ else 100.0
        return (percent(self.errors, self.refused), percent(self.first, self.found), self.loud / self.found if self.found else 0.0,
                percent(self.clean, self.patches))

    def row(self, name):
        errors, first, loud, clean = self.rates()
        exact = 100 * self.exact / self.found if self.found else 100.0
        return (f"{name:20} {self.made:6} {self.refused:7} {errors:6.1f} {self.found:6} {first:6.1f} {exact:6.1f} {loud:5.2f}"
                f" {self.patches:7} {clean:6.1f}")


HEAD = " " * 20 + "   made refused error%  found first% exact%  loud patches clean%"


class Examples:
    """Faults that fail in one way, grouped by what was said."""

    def __init__(self):
        self.groups = defaultdict(list)

    def add(self, way, words, fault, detail):
        self.groups[way, words].append(f"{fault.name}: {fault.words}{': ' + detail if detail else ''}")

    def rows(self, most):
        for (way, words), names in sorted(self.groups.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1])):
            yield f"{len(names):5} {way}: {words}"
            yield from (f"        {name}" for name in names[:most])


def places_of(finding):
    return [finding, *finding.get("related", [])]


def plain(path):
    return re.sub(r"\[[^\]]*\]", "[]", path)


def say(finding):
    return (f"{finding['severity']} {finding['name']} at {finding['path']} +{finding['offset']:#x}: found {finding['found']}, "
            f"expected {finding['expected']}")


def judge_fault(fault, why, findings, tally, examples):
    """Adds one fault to the tally of its kind."""
    loud = [f for f in findings if f["severity"] in LOUD]
    has_error = any(f["severity"] == "error" for f in loud)
    tally.made += 1
    tally.refused += bool(why)
    tally.errors += bool(why) and has_error
    if why and not has_error:
        examples.add("no error", f"{fault.kind}: {', '.join(sorted({f['name'] for f in loud})) or 'silent'}", fault, f"reader: {why}")
    if not loud:
        return
    tally.found += 1
    tally.loud += len(loud)
    tally.exact += fault.holds(loud[0])
    first = any(fault.holds(place) for place in places_of(loud[0]))
    tally.first += first
    if not first:
        examples.add("elsewhere", f"{fault.kind}: {loud[0]['name']}", fault, say(loud[0]))
    if len(loud) > 1:
        examples.add("several", f"{fault.kind}: {' + '.join(sorted(f['name'] for f in loud))[:150]}", fault, "")


def judge_patch(fault, finding, before, after, tally, examples):
    why = brought(finding, before, after)
    tally.patches += 1
    tally.clean += not why
    if why:
        examples.add("patch", f"{finding['patch']['tier']} patch of {finding['name']}: {plain(why)}", fault, "")


def spoken(finding):
    """All that a finding says, but for words of the rule that say the same of every file."""
    places = [place[key] for place in places_of(finding) for key in ("offset", "length", "path")]
    return [finding[key] for key in ("name", "severity", "found", "expected")] + places + [finding.get(key) for key in ("hint", "patch", "inner")]


class Run:
    def __init__(self, options):
        self.options, self.program, self.corpus = options, Program(options.lightlint), Corpus(options.corpus)
        self.said = {}  # by case and kind

    def good_cases(self, family):
        """Name, file name and anatomy of each sound file of a family that needs no options."""
        with Workshop() as workshop:
            for case, recipe in self.corpus.recipes.items():
                if case.startswith("good-") and recipe.family == family and not recipe.one("options"):
                    data = bytes(self.corpus.assemble(recipe).data)
                    if refuses(family, data):
                        sys.exit(f"{case}: the strict reader refuses a good file: {refuses(family, data)}")
                    file = workshop.write(f"{case}/{self.corpus.file_name(recipe)}", data)
                    yield case, os.path.basename(file), Anatomy(family, data, self.program.spans(file, cwd=workshop.path))

    def faults(self, family):
        for case, name, anatomy in self.good_cases(family):
            for kind in [self.options.kind] if self.options.kind else KINDS:
                for number in range(self.options.number):
                    fault = make(anatomy, case, kind, number, self.options.seed)
                    if fault:
                        yield fault, name

    def lint(self, workshop, files):
        return self.program.lint(files, cwd=workshop.path).findings

    def measure(self, family):
        """Tallies by kind, and examples."""
        tallies, examples = defaultdict(Tally), Examples()
        with Workshop() as workshop:
            faults = {workshop.write(f"{fault.name}/{name}", fault.data): fault for fault, name in self.faults(family)}
            before, patched = self.lint(workshop, faults), {}
            for file, fault in faults.items():
                judge_fault(fault, refuses(family, fault.data), before[file], tallies[fault.kind], examples)
                self.said.setdefault(os.path.dirname(fault.name), []).append([fault.name, *map(spoken, before[file])])
                for number, finding in enumerate(before[file]):
                    if "patch" in finding and "left_out" not in finding["patch"]:
                        path = f"{fault.name}/{number}/{os.path.basename(file)}"
                        patched[workshop.write(path, apply(fault.data, finding["patch"]))] = (file, finding)
            after = self.lint(workshop, patched)
            for name, (file, finding) in patched.items():
                judge_patch(faults[file], finding, before[file], after[name], tallies[faults[file].kind], examples)
        return tallies, examples

    def within(self, family):
        """Prints what was measured; is it within the bounds?"""
        tallies, examples = self.measure(family)
        total = Tally()
        for tally in tallies.values():
            total.add(tally)
        print("\n".join([f"{family}:", HEAD, *(tally.row(kind) for kind, tally in tallies.items()), total.row("all"), ""]))
        if self.options.examples:
            print("\n".join([*examples.rows(self.options.examples), ""]))
        errors, first, loud, clean = total.rates()
        least_errors, least_first, most_loud, least_clean = BOUNDS[family]
        enough = total.made >= LEAST_MADE or self.options.kind
        return enough and errors >= least_errors and first >= least_first and loud <= most_loud and clean >= least_clean

    def as_it_was(self):
        """Is all that is said what it was?"""
        lines = [f"{name} {hashlib.sha256(repr(said).encode()).hexdigest()[:8]}" for name, said in sorted(self.said.items())]
        if self.options.update:
            with open(GOLDEN, "w", encoding="utf-8") as file:
                file.write("\n".join([*lines, ""]))
        with open(GOLDEN, encoding="utf-8") as file:
            kept = dict(line.split() for line in file)
        changed = [line.split()[0] for line in lines if kept.get(line.split()[0]) != line.split()[1]]
        gone = sorted(set(kept) - set(self.said))
        if changed or gone:
            print("\n".join([f"not what it was: {len(changed)} of {len(lines)}; --only {name}/0 shows one, --update keeps what is said now"
                             for name in changed[:1]] + [f"    {name}" for name in changed[:20]] + [f"no fault any more: {name}" for name in gone[:5]]))
        return not changed and not gone

    def show(self, name):
        """One fault, and all that is said of it."""
        case, kind, number = name.split("/")
        recipe = self.corpus.recipes[case]
        anatomies = {one: (file, anatomy) for one, file, anatomy in self.good_cases(recipe.family)}
        file, anatomy = anatomies[case]
        fault = make(anatomy, case, kind, int(number), self.options.seed)
        if self.options.write:
            with open(self.options.write, "wb") as out:
                out.write(fault.data)
        print(f"{fault.name}: {fault.words}\nthe damaged record: {', '.join(f'+{s:#x}..{e:#x}' for s, e in fault.stretches())}\n"
              f"strict reader: {refuses(recipe.family, fault.data) or 'reads it'}")
        with Workshop() as workshop:
            print(self.program.call("--format", "full", "--all", workshop.write(file, fault.data), cwd=workshop.path)[1].decode())
        return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--number", type=int, default=NUMBER)
    parser.add_argument("--seed", default=SEED)
    parser.add_argument("--family", choices=list(FAMILIES))
    parser.add_argument("--kind", choices=list(KINDS))
    parser.add_argument("--examples", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--write")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("lightlint")
    parser.add_argument("corpus")
    run = Run(parser.parse_args())
    if run.options.only:
        return run.show(run.options.only)
    passed = [run.within(family) for family in FAMILIES if run.options.family in (None, family)]
    if (run.options.number, run.options.seed, run.options.family, run.options.kind) == (NUMBER, SEED, None, None):
        passed.append(run.as_it_was())
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
