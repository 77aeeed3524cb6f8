#!/usr/bin/env python3
"""Damages sound files, one damage each, and measures the findings and what `fix` makes of the file.

Sound files are the good cases of the corpus or, with --real, real files. The damages are the rows of
tests/tools/damages.tsv. Columns:

  noticed    there is an error or a warning; for a file that a strict reader refuses (tests/tools/strict_readers.py), an
             error
  legal      no strict reader refuses the damaged file, and there is no error or warning: left out of the other columns
  cause      the first error or warning, or one of its related places, is in the damaged record; for a file damaged in
             transport: it names the damage
  loud       errors and warnings, where there are any; printed per damage
  same       after `fix`, and after `fix --unsafe`, the file is the original, byte for byte
  other      it differs from the original, and there is no error or warning
  farther    it needs more inserted or removed bytes than the damaged file to become the original
  as it was  it is the damaged file
  restored   below the sums: share of `same` among damages that lose no content
  golden     with default number and seed, all findings are unchanged: pairs_said.txt has a hash of them by case and
             kind

pairs.tsv has these numbers by files, family and damage. None may get worse. A repair is measured against the original,
not by the absence of findings.

usage: pairs.py [OPTIONS] LIGHTLINT CORPUS
  --real           use real files instead of the corpus
  --number N       damages of each kind to each file (2; real: 1)
  --seed WORD      seed of the damages (1)
  --family FAMILY  only this family
  --kind KIND      only this damage
  --examples N     examples of each kind of failure, grouped by findings or results
  --only NAME      one damage by name, CASE/KIND/NUMBER: what was done, all findings, and what fix does
  --write FILE     with --only: write the damaged file
  --anatomies FILE  another program that dumps the sound files: to measure an older version
  --update         write improvements to pairs.tsv, and the current findings to pairs_said.txt
exit: 0 no number is worse and all findings are unchanged, 1 not"""
import argparse
import hashlib
import json
import os
import re
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from anatomy import Anatomy  # noqa: E402
from damages import KINDS, make  # noqa: E402
from distance import distance  # noqa: E402
from program import LOUD, Program, Workshop, files_below, listed, real_corpus, real_mods  # noqa: E402
from recipe import FAMILIES, Corpus  # noqa: E402
from strict_readers import refuses  # noqa: E402

SEED, NUMBERS = "1", {"good": 2, "real": 1}
HERE = os.path.dirname(os.path.abspath(__file__))
TABLE, SAID = os.path.join(HERE, "pairs.tsv"), os.path.join(HERE, "pairs_said.txt")
TIERS = {"safe": (), "unsafe": ("--unsafe",)}
REPAIRS = ("same", "other", "farther", "as it was")
COLUMNS = ("pairs", "refused", "missed", "noticed", "cause", "loud", *(f"{tier} {repair}" for tier in TIERS for repair in REPAIRS))
# Columns that must not decrease, and columns that must not increase. The others depend on the lists of files and
# damages.
NOT_LESS = ("noticed", "cause", "safe same", "unsafe same")
NOT_MORE = ("missed", "loud", "safe other", "safe farther", "unsafe other", "unsafe farther")
# Damages that lose content: no repair is expected. Prefixes of names.
LOST = ("value", "integer-for-float", "half-for-single", "percent", "up-to-255", "hash-stale", "text-longer", "text-shorter", "bytes-out", "taken-out",
        "section-dropped", "section-emptied", "resized", "rows-shifted", "cut", "end-", "middle-", "two-and-out", "way-")
# Families of real files, by extension in lower case.
EXTENSIONS = {".grxla": "grx", ".grxoc": "grx", ".lba": "lba", ".fox2": "fox", ".fpk": "fpk", ".fpkd": "fpk", ".lpsh": "lpsh"}


class Examples:
    """Pairs that fail in one way, grouped by findings or results."""

    def __init__(self):
        self.groups = defaultdict(list)

    def add(self, way, words, fault, detail=""):
        self.groups[way, words].append(f"{fault.name}: {fault.words}{': ' + detail if detail else ''}")

    def rows(self, most):
        for (way, words), names in sorted(self.groups.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1])):
            yield f"{len(names):5} {way}: {words}"
            yield from (f"        {name}" for name in names[:most])


def places_of(finding):
    return [finding, *finding.get("related", [])]


def spoken(finding):
    """The parts of a finding that depend on the file."""
    places = [place[key] for place in places_of(finding) for key in ("offset", "length", "path")]
    return [finding[key] for key in ("name", "severity", "found", "expected")] + places + [finding.get(key) for key in ("hint", "patch", "inner")]


def say(finding):
    return (f"{finding['severity']} {finding['name']} at {finding['path']} +{finding['offset']:#x}: found {finding['found']}, "
            f"expected {finding['expected']}")


def names_of(findings):
    return " + ".join(sorted({f["name"] for f in findings}))[:150] or "silent"


def by_file(out, wanted):
    items = defaultdict(list)
    for line in out.decode().split("\n")[:-1]:
        item = json.loads(line)
        if item["type"] == wanted:
            items[item["file"].partition("!")[0]].append(item)  # a member is listed with its archive
    return items


class Pairs:
    """Findings of damaged files, and the results of fix, with few runs of the program."""

    def __init__(self, program, faults):
        """faults: {file name in the workshop: Fault}."""
        self.faults, self.program = faults, program
        with Workshop() as self.workshop:
            for name, fault in faults.items():
                self.workshop.write(name, fault.data)
            self.said = self.shown(faults)
            self.fixed, self.patches, self.left = {}, {}, {}
            tiers = {name: {f["patch"]["tier"] for f in self.said[name] if "patch" in f} for name in faults}
            # Without a patch in these tiers, fix leaves a file as it is: fixes.py looks at that.
            for tier, options in TIERS.items():
                names = [name for name in faults if "safe" in tiers[name] or tier in tiers[name]]
                for name in names:
                    self.workshop.write(name, faults[name].data)
                out = self.call(names, "fix", *options, "--no-journal") if names else b""
                self.patches[tier] = by_file(out, "patch")
                self.fixed[tier] = {name: self.workshop.read(name) for name in self.patches[tier]}
                self.left[tier] = self.shown(self.fixed[tier]) if self.fixed[tier] else {}

    def call(self, names, *arguments):
        """Runs a command on files; returns its JSON lines."""
        options = (*arguments, "--isolated", "--no-cross", "--format", "jsonl", "-0", "--files-from", "-")
        _, out, words = self.program.call(*options, cwd=self.workshop.path, stdin=listed(names))
        if not out:
            raise RuntimeError(f"{' '.join(options)}: {words}")
        return out

    def shown(self, names):
        return by_file(self.call(names, "check"), "finding")

    def repair(self, name, tier):
        fault, fixed = self.faults[name], self.fixed[tier].get(name, self.faults[name].data)
        if fixed == fault.data:
            return ["as it was"]
        if fixed == fault.original:
            return ["same"]
        farther = distance(fault.original, fixed) > distance(fault.original, fault.data)
        loud = any(f["severity"] in LOUD for f in self.left[tier][name])
        return ["other"] * (not loud) + ["farther"] * farther

    def judge(self, family, tables, examples):
        for name, fault in self.faults.items():
            self.judge_one(name, fault, refuses(family, fault.data), tables[fault.kind], examples)

    def judge_one(self, name, fault, why, row, examples):
        loud = [f for f in self.said[name] if f["severity"] in LOUD]
        missed = bool(why) and not any(f["severity"] == "error" for f in loud)
        row.update(pairs=1, refused=bool(why), missed=missed, noticed=bool(loud))
        if missed:
            examples.add("missed", f"{fault.kind}: {names_of(loud)}", fault, f"reader: {why}")
        for tier in TIERS:
            repairs = self.repair(name, tier) if loud or name in self.fixed[tier] else []
            row.update({f"{tier} {repair}": 1 for repair in repairs})
            for repair in set(repairs) - {"same", "as it was"}:
                examples.add(f"{tier} {repair}", f"{fault.kind}: {names_of(self.patches[tier][name])}", fault)
        if loud:
            first = loud[0]["found"] == fault.cause if fault.cause else any(fault.holds(place) for place in places_of(loud[0]))
            row.update(cause=first, loud=len(loud), damages=fault.count)
            if not first:
                examples.add("elsewhere", f"{fault.kind}: {loud[0]['name']}", fault, say(loud[0]))
            if len(loud) > 1:
                examples.add("several", f"{fault.kind}: {names_of(loud)}", fault)


class Run:
    def __init__(self, options):
        self.options, self.program, self.corpus = options, Program(options.lightlint), Corpus(options.corpus)
        self.reader = Program(options.anatomies or options.lightlint)
        self.files = "real" if options.real else "good"
        self.number = options.number or NUMBERS[self.files]
        self.said, self.rows = {}, {}

    def good_files(self, family):
        for case, recipe in self.corpus.recipes.items():
            if case.startswith("good-") and recipe.family == family and not recipe.one("options"):
                yield case, self.corpus.file_name(recipe), bytes(self.corpus.assemble(recipe).data)

    def real_files(self, family):
        for folder in filter(None, (real_corpus(), real_mods())):
            for path in files_below(folder):
                if EXTENSIONS.get(os.path.splitext(path)[1].lower()) == family:
                    with open(os.path.join(folder, path), "rb") as file:
                        yield path.replace("/", "-"), os.path.basename(path), file.read()

    def anatomies(self, family):
        """(name, file name, anatomy) of each sound file of a family."""
        other = b""
        with Workshop() as workshop:
            files = {workshop.write(f"{case}/{name}", data): (case, name, data)
                     for case, name, data in (self.real_files if self.options.real else self.good_files)(family)}
            said = self.reader.lint(files, "--isolated", "--no-cross", cwd=workshop.path).findings
            for file, (case, name, data) in files.items():
                sound = not refuses(family, data) and not any(f["severity"] in LOUD for f in said[file])
                if not sound and not self.options.real:
                    sys.exit(f"{case}: not sound: {refuses(family, data) or names_of(said[file])}")
                if sound:
                    yield case, name, Anatomy(family, data, self.reader.spans(file, cwd=workshop.path), other or data)
                    other = data

    def faults(self, family):
        for case, name, anatomy in self.anatomies(family):
            for kind in [self.options.kind] if self.options.kind else KINDS:
                for number in range(self.number):
                    fault = make(anatomy, case, kind, number, self.options.seed)
                    if fault:
                        yield f"{fault.name}/{name}", fault

    def measure(self, family):
        """Measures a family and prints the results."""
        tables, examples = defaultdict(Counter), Examples()
        pairs = Pairs(self.program, dict(self.faults(family)))
        pairs.judge(family, tables, examples)
        for name, fault in pairs.faults.items():
            self.said.setdefault(os.path.dirname(fault.name), []).append([fault.name, *map(spoken, pairs.said[name])])
        total = Counter()
        for kind, row in tables.items():
            self.rows[self.files, family, kind] = row
            total.update(row)
        print(head(f"{family}, {self.files} files") + "".join(line(kind, row) for kind, row in tables.items()) + line("all", total))
        if self.options.examples:
            print("\n".join([*examples.rows(self.options.examples), ""]))

    def total(self):
        totals = defaultdict(Counter)
        for (_, family, _), row in self.rows.items():
            totals[family].update(row)
            totals["all"].update(row)
        print(head(f"{self.files} files") + "".join(line(family, totals[family]) for family in [*(f for f in totals if f != "all"), "all"]))
        print("".join(f"  restored {family:13} {share}\n" for family, share in self.restored()))

    def restored(self):
        """By family: the share of restored files among damages that lose no content."""
        totals = defaultdict(Counter)
        for (_, family, kind), row in self.rows.items():
            totals[family].update(row if not kind.startswith(LOST) else {})
        for family, row in totals.items():
            if row["noticed"]:
                yield family, ", ".join(f"{tier} {100 * row[f'{tier} same'] / row['noticed']:.1f} %" for tier in TIERS) + f" of {row['noticed']}"

    def is_default(self):
        return (self.number, self.options.seed) == (NUMBERS[self.files], SEED)

    def is_whole(self):
        return not self.options.family and not self.options.kind

    def as_it_was(self):
        """Are all findings of good cases unchanged?"""
        lines = {name: hashlib.sha256(repr(said).encode()).hexdigest()[:8] for name, said in sorted(self.said.items())}
        with open(SAID, encoding="utf-8") as file:
            kept = dict(row.split() for row in file)
        if self.options.update:
            kept = lines if self.is_whole() else dict(sorted((kept | lines).items()))
            with open(SAID, "w", encoding="utf-8") as file:
                file.write("".join(f"{name} {digest}\n" for name, digest in kept.items()))
        changed = [name for name in lines if kept.get(name) != lines[name]]
        gone = sorted(set(kept) - set(lines)) if self.is_whole() else []
        if changed or gone:
            print("\n".join([f"not what it was: {len(changed)} of {len(lines)}; --only {name}/0 shows one, --update keeps what is said now"
                             for name in changed[:1]] + [f"    {name}" for name in changed[:20]] + [f"no such damage any more: {name}" for name in gone[:5]]))
        return not changed and not gone

    def show(self, name):
        """Shows one damage, its findings, and the result of fix."""
        case, kind, number = name.split("/")
        for family in [self.options.family] if self.options.family else FAMILIES:
            for one, file, anatomy in self.anatomies(family):
                if one == case:
                    return self.show_fault(family, file, make(anatomy, case, kind, int(number), self.options.seed))
        sys.exit(f"{case}: no such file")

    def show_fault(self, family, file, fault):
        if self.options.write:
            with open(self.options.write, "wb") as out:
                out.write(fault.data)
        print(f"{fault.name}: {fault.words}\nthe damaged record: {', '.join(f'+{s:#x}..{e:#x}' for s, e in fault.stretches())}\n"
              f"strict reader: {refuses(family, fault.data) or 'reads it'}")
        pairs = Pairs(self.program, {file: fault})
        with Workshop() as workshop:
            print(self.program.call("--format", "full", workshop.write(file, fault.data), cwd=workshop.path)[1].decode())
        for tier in TIERS:
            print(f"{tier}: {' '.join(pairs.repair(file, tier))}")
            for patch in pairs.patches[tier][file]:
                print(f"    {patch['name']} at {patch['path']} +{patch['offset']:#x}: {patch['was'][:60]} -> {patch['bytes'][:60]} "
                      f"(was {fault.original[patch['offset']:][:len(patch['bytes']) // 2].hex()[:60]})")
        return 0


def head(words):
    return f"{words:24}  pairs refused missed legal noticed  cause%   loud" + \
        "".join(f" | {tier:6} " + " ".join(f"{repair:>9}" for repair in REPAIRS) for tier in TIERS) + "\n"


def line(name, row):
    legal = row["pairs"] - row["noticed"] - row["missed"]
    share = 100 * row["cause"] / row["noticed"] if row["noticed"] else 100.0
    loud = row["loud"] / row["damages"] if row["damages"] else 0.0
    return f"  {name:22} {row['pairs']:6} {row['refused']:7} {row['missed']:6} {legal:5} {row['noticed']:7} {share:7.1f} {loud:6.2f}" + \
        "".join(f" | {'':6} " + " ".join(f"{row[f'{tier} {repair}']:9}" for repair in REPAIRS) for tier in TIERS) + "\n"


def read_table():
    with open(TABLE, encoding="utf-8") as file:
        columns, *rows = [row.rstrip("\n").split("\t") for row in file]
    return {tuple(row[:3]): Counter(dict(zip(columns[3:], map(int, row[3:])))) for row in rows}


def write_table(table):
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write("\t".join(("files", "family", "damage", *COLUMNS)) + "\n")
        for key, row in sorted(table.items()):
            file.write("\t".join([*key, *(str(int(row[column])) for column in COLUMNS)]) + "\n")


def better(kept, row):
    """The better value of each column; for columns without an order, the current one."""
    return Counter({column: max(kept[column], row[column]) if column in NOT_LESS else min(kept[column], row[column]) if column in NOT_MORE
                    else row[column] for column in COLUMNS})


def worse(key, kept, row):
    for column in COLUMNS:
        fell = row[column] < kept[column] if column in NOT_LESS else row[column] > kept[column] if column in NOT_MORE else \
            column == "pairs" and row[column] != kept[column]
        if fell:
            yield f"{' '.join(key)}: {column} {row[column]}, was {kept[column]}"


def holds(rows, files, update, whole):
    """Is no number worse than in the table? whole: all rows of these files were measured."""
    table = read_table() if os.path.exists(TABLE) else {}
    kept = {key: row for key, row in table.items() if key[0] == files}
    if update:
        now = {key: better(kept[key], row) if key in kept and kept[key]["pairs"] == row["pairs"] else row for key, row in rows.items()}
        write_table({key: row for key, row in table.items() if key[0] != files or not whole} | now)
        kept = now
    faults = [fault for key, row in rows.items() for fault in worse(key, kept.get(key, Counter()), row)]
    faults += [f"{' '.join(key)}: no pairs left" for key in sorted(set(kept) - set(rows)) if whole]
    print("\n".join(faults[:400] + [f"{len(rows)} rows, {len(faults)} worse than {os.path.basename(TABLE)}"]))
    return not faults


def read_options():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--number", type=int)
    parser.add_argument("--seed", default=SEED)
    parser.add_argument("--family", choices=list(FAMILIES))
    parser.add_argument("--kind", choices=list(KINDS))
    parser.add_argument("--examples", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--write")
    parser.add_argument("--anatomies")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("lightlint")
    parser.add_argument("corpus")
    return parser.parse_args()


def main():
    run = Run(read_options())
    if run.options.real and not real_corpus() and not real_mods():
        print("no real files here: skipped")
        return 77
    if run.options.only:
        return run.show(run.options.only)
    for family in FAMILIES:
        if run.options.family in (None, family):
            run.measure(family)
    run.total()
    if not run.is_default():
        return 0
    passed = holds(run.rows, run.files, run.options.update, run.is_whole())
    return 0 if (run.options.real or run.as_it_was()) and passed else 1


if __name__ == "__main__":
    sys.exit(main())
