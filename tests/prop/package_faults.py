#!/usr/bin/env python3
"""Plants one fault across the files of a package, of every class of tests/tools/package_damages.py, and checks the
findings.

  found   each expected finding is there, at its bytes
  quiet   no other finding is above a note, except consequences that the fault allows
  once    no finding across files is reported twice, for the folder and for the archive
  patch   each patch, applied alone, removes its finding and adds none
  loud    errors and warnings per fault, where there are any

Each fault is planted in folders, in archives and in both, and with either part missing; then rules that need it are
silent. Packages without a fault have no findings. Packages with a legal change (tests/tools/package_changes.py) have
none above a note.

usage: package_faults.py [OPTIONS] LIGHTLINT CORPUS
  --number N     packages for each fault (2)
  --seed WORD    seed of packages and faults (1)
  --kind KIND    only this kind of FAULTS, CHANGES or FILE_CHANGES
  --real         also packages of real mod files, where there are any
  --examples N   examples of each kind of failure (3)
  --keep FOLDER  write the packages of the examples there
exit: 0 all passed, 1 not"""
import argparse
import json
import os
import random
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from fox_package import member_place  # noqa: E402
from made_package import Maker, Package, of_archives, of_folder  # noqa: E402
from package_changes import CHANGES, FILE_CHANGES  # noqa: E402
from package_damages import FAULTS, Fault  # noqa: E402
from patching import apply  # noqa: E402
from program import LOUD, Program, Workshop, known_extensions, mod_rows, real_mods  # noqa: E402

BOUNDS = {"found": 100, "quiet": 100, "once": 100, "patch": 100}  # minimum percentage of the cases of a class
# For each part: F for its folder, A for its archive; last, whether the fault is in the folder, the archive or both.
VARIANTS = {"folders": ("F", "F", "FA"), "archives": ("A", "A", "FA"), "both": ("FA", "FA", "FA"), "stale-archive": ("FA", "FA", "F"),
            "stale-folder": ("FA", "FA", "A"), "folder-archive": ("F", "A", "FA"), "archive-folder": ("A", "F", "FA"),
            "both-and-archive": ("FA", "A", "FA"), "both-and-folder": ("FA", "F", "FA"), "archive-and-both": ("A", "FA", "FA"),
            "no-data": ("F", "", "FA"), "no-main": ("", "F", "FA"), "no-data-archive": ("A", "", "FA"), "no-main-archive": ("", "A", "FA")}


# Rules that need a completely scanned part.
ABSENT = re.compile("mod-(dataset-missing|array-file|lpsh-file|lpsh-unused|manifest-unlisted|manifest-missing-file|folder-stale)")


@dataclass
class Case:
    name: str  # folder that it is written to
    kind: str
    variant: str
    package: Package
    fault: Fault
    files: dict

    def forms(self):
        main, data, faulty = VARIANTS[self.variant]
        return {"fpk": main, "fpkd": data}, faulty

    def place_of(self, said):
        """(file, member ("": none), offset, length (None: anywhere)) of an expected finding; None if none is
        expected."""
        forms, faulty = self.forms()
        if not all(forms[part] for part in said.needs()) or re.search("stale|differs", said.rules) and forms[said.part] != "FA":
            return None
        folder = "F" in forms[said.part] and "F" in faulty
        if not (self.fault.folder if folder else self.fault.archive):
            return None
        stem = f"{self.name}/{self.package.stem}"
        if not said.path:
            return f"{stem}.{said.part}", None, None
        if folder:
            return f"{stem}_{said.part}{said.path}", "", said.place or None
        start = member_place(self.files[f"{self.package.stem}.{said.part}"], said.path)
        return f"{stem}.{said.part}", said.path, (start + said.place[0], said.place[1]) if said.place else None


def member_of(finding):
    member = finding.get("member", "")
    return member["path"] if isinstance(member, dict) else member


def inner_path(place):
    file, member = place
    return member or re.sub(r".*?_fpkd?/", "/", file)


def fits(finding, said, place):
    file, member, where = place
    if finding["name"] not in said.rules.split("|"):
        return False
    if not said.path:
        return finding["file"].startswith((file, file.rpartition(".")[0] + "_" + said.part))
    if finding["file"] != file or (member_of(finding) != member and not finding["name"].startswith("fpk-")):
        return False
    return not where or finding["name"].startswith("fpk-") or \
        (finding["offset"] < where[0] + max(where[1], 1) and finding["offset"] + max(finding["length"], 1) > where[0])


def say(finding):
    member = member_of(finding)
    return (f"{finding['severity']} {finding['name']} at {finding['file']}{'!' + member if member else ''} +{finding['offset']:#x} {finding['path']}: "
            f"found {finding['found']}, expected {finding['expected']}")


def faulty(real, folder, stem):
    """Does the list of real files expect a finding in this package?"""
    start = os.path.join(os.path.relpath(folder, real), stem)
    return any(path.startswith((f"{start}.", f"{start}_")) and rules for path, rules in mod_rows(real))


class Tally:
    def __init__(self):
        self.made, self.loud, self.heard = 0, 0, 0
        self.kept = Counter()

    def rate(self, way):
        return 100 * self.kept[way] / self.made if self.made else 100.0

    def row(self, name):
        rates = " ".join(f"{self.rate(way):6.1f}" for way in BOUNDS)
        return f"{name:32} {self.made:5} {rates} {self.loud / self.heard if self.heard else 0:5.2f}"


class Judge:
    def __init__(self, options):
        self.options, self.program = options, Program(options.lightlint)
        self.maker = Maker(options.corpus)
        self.good = list(self.packages())
        self.tallies, self.examples = defaultdict(Tally), defaultdict(list)
        self.variants = Counter()

    def packages(self):
        """Yields name and package. Each unchanged package is generated or read only once."""
        for number in range(self.options.number):
            yield f"made{number}", self.maker.package(f"{self.options.seed}/{number}", ("tpp", "ssd", "mgo")[number % 3], gz=number % 4 == 3)
        for folder, _, names in sorted(os.walk(self.options.real or os.devnull)):
            for stem in sorted({name.rpartition(".")[0] for name in names if name.endswith(".fpk")}):
                if f"{stem}.fpkd" in names and not faulty(self.options.real, folder, stem):
                    yield f"archives-{stem}", of_archives(folder, stem)
            for name in sorted(os.listdir(folder)):
                if name.endswith("_fpk") and os.path.isdir(os.path.join(folder, f"{name}d")) and not faulty(self.options.real, folder, name[:-4]):
                    yield f"folders-{name[:-4]}", of_folder(folder, name[:-4])

    # -------------------------------------------------------------- cases

    def fault_cases(self, kind):
        for name, good in self.good:
            package = good.copy()
            fault = FAULTS[kind](package, random.Random(f"{self.options.seed}/{kind}/{name}"))
            if not fault:
                continue
            old, new = good.written(), package.written()
            for variant, (main, data, where) in VARIANTS.items():
                if package.archived and (where != "FA" or "FA" not in (main, data)) or package.manifests and where == "A":
                    continue
                files = package.some_of(new if where != "A" else old, {"fpk": main, "fpkd": data})
                if where != "FA":
                    archives = old if where == "F" else new
                    files |= {file: archives[file] for file in archives if file.endswith((".fpk", ".fpkd"))}
                yield Case(f"{kind}/{name}/{variant}", kind, variant, package, fault, files)

    def legal_cases(self, kind):
        for name, good in self.good:
            for variant, (main, data, where) in VARIANTS.items():
                package, dice = good.copy(), random.Random(f"{self.options.seed}/{kind}/{name}")
                if where != "FA" or kind in CHANGES and not CHANGES[kind](package, dice):
                    continue
                files = package.some_of(package.written(), {"fpk": main, "fpkd": data})
                if kind in FILE_CHANGES and not FILE_CHANGES[kind](files, package.stem, dice):
                    continue
                yield Case(f"{kind}/{name}/{variant}", kind, variant, package, Fault([]), files)

    # -------------------------------------------------------------- findings

    def lint(self, cases):
        """Findings by name of the case."""
        findings = defaultdict(list)
        with Workshop() as workshop:
            for case in cases:
                for name, data in case.files.items():
                    workshop.write(f"{case.name}/{name}", data)
            if not os.listdir(workshop.path):
                return findings
            code, out, err = self.program.call("--format", "jsonl", "--all", *sorted(os.listdir(workshop.path)), cwd=workshop.path)
            for line in out.decode().splitlines():
                item = json.loads(line)
                if item["type"] == "finding":
                    findings["/".join(item["file"].split("/")[:3])].append(item)
                else:
                    self.summary = item
            if not out:
                sys.exit(f"exit code {code}: {err}")
        return findings

    def fail(self, way, words, case, detail):
        self.examples[way, words].append(f"{case.name}: {detail}")
        if self.options.keep and len(self.examples[way, words]) <= self.options.examples:
            for name, data in case.files.items():
                path = os.path.join(self.options.keep, case.name, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)

    def judge(self, case, findings, silent):
        tally = self.tallies[case.kind]
        tally.made += 1
        loud = [f for f in findings if f["severity"] in LOUD]
        tally.loud += len(loud)
        tally.heard += bool(loud)
        missing, expected = [], []
        for said in case.fault.said:
            place = case.place_of(said)
            hits = [f for f in findings if place and fits(f, said, place)]
            expected += hits
            if place and not hits:
                missing.append(said)
                self.fail("missing", f"{said.rules} ({case.kind})", case, f"{said.part}{said.path} {said.place}; said: {[say(f) for f in loud[:3]]}")
        extra = [f for f in (findings if silent else loud) if f not in expected and f["name"] not in case.fault.allowed
                 and (f["name"].startswith("mod-") or inner_path((f["file"], member_of(f))) != case.fault.damaged)]
        for finding in extra:
            self.fail("extra", f"{finding['name']} ({case.kind})", case, say(finding))
        twice = Counter((f["name"], inner_path((f["file"], member_of(f))), f.get("inner", f)["offset"])
                        for f in findings if f["name"].startswith("mod-"))
        again = [key for key, count in twice.items() if count > 1]
        for key in again:
            self.fail("twice", f"{key} ({case.kind})", case, "")
        tally.kept.update({"found": not missing, "quiet": not extra, "once": not again, "patch": True})
        self.variants[case.variant, bool(missing or extra or again)] += 1

    def patched(self, cases, findings):
        """Yields copies of the cases with one patch of a finding across files applied; with the original case and
        the finding."""
        for case in cases:
            for number, finding in enumerate(f for f in findings[case.name] if f["name"].startswith("mod-") and "patch" in f):
                name = finding["file"][len(case.name) + 1:]
                files = case.files | {name: apply(case.files[name], finding["patch"])}
                yield Case(f"{case.name}+{number}", case.kind, case.variant, case.package, Fault([]), files), case, finding

    def judge_patches(self, cases, findings):
        """Cases with both folder and archive are left out: a finding there is reported for one form, and its patch
        leaves the other as it is."""
        made = list(self.patched([case for case in cases if "FA" not in VARIANTS[case.variant][:2]], findings))
        after = self.lint([case for case, _, _ in made])
        for case, old, finding in made:
            def keys(found):
                return Counter((inner_path((f["file"], member_of(f))), f["name"], f["offset"]) for f in found if f["severity"] in LOUD)
            before, now = keys(findings[old.name]), keys(after[case.name])
            gone = (inner_path((finding["file"], member_of(finding))), finding["name"], finding["offset"])
            if now[gone] or now - before:
                self.tallies[case.kind].kept["patch"] -= 1
                self.fail("patch", f"{finding['name']} ({case.kind})", case, f"{say(finding)}; then: {list((now - before) or now)[:3]}")

    def run(self, kind, cases, silent=False):
        cases = list(cases)
        findings = self.lint(cases)
        for case in cases:
            self.judge(case, findings[case.name], silent)
        self.judge_patches(cases, findings)

    # -------------------------------------------------------------- names of packages on the command line

    def named(self, workshop, *arguments):
        """The findings of all files, when packages are named by `arguments`."""
        out = self.program.call("--format", "jsonl", "--all", *arguments, cwd=workshop.path)[1].decode()
        found = [json.loads(line) for line in out.splitlines()]
        return {(os.path.relpath(os.path.join(workshop.path, f["file"]), workshop.path), member_of(f), f["name"], f["offset"])
                for f in found if f["type"] == "finding"}

    def names_agree(self):
        """The findings do not depend on how the folders of a package are named on the command line. For single
        files, only rules that need no complete part report something."""
        wrong = []
        for kind in ("dataset-deleted", "array-deleted", "harmonics-deleted", "target-index", "probe-flags", "manifest-entry-lost"):
            cases = [case for case in self.fault_cases(kind) if case.variant in ("folders", "archives", "both", "folder-archive")]
            for case in cases[:len(VARIANTS)]:
                with Workshop() as workshop:
                    files = [workshop.write(f"{case.name}/{name}", data) for name, data in case.files.items()]
                    tops = sorted({"/".join(file.split("/")[:4]) for file in files})
                    whole = self.named(workshop, case.name)
                    ways = {"from below": self.named(workshop, *tops), "backwards": self.named(workshop, *tops[::-1]), "here": self.named(workshop, "."),
                            "absolute": self.named(workshop, os.path.join(workshop.path, case.name)), "twice": self.named(workshop, case.name, *tops),
                            "dots": self.named(workshop, f"./{kind}/../{case.name}/")}
                    wrong += [f"{case.name}: named {way}: {sorted(found ^ whole)[:2]}" for way, found in ways.items() if found != whole]
                    alone = self.named(workshop, *(file for file in files if file.endswith(known_extensions())))
                    inner = {(inner_path(one[:2]), one[2]) for one in whole}
                    wrong += [f"{case.name}: files alone: {one}" for one in alone
                              if (inner_path(one[:2]), one[2]) not in inner or case.variant == "folders" and ABSENT.search(one[2])]
        print("\n".join(wrong[:10] + [f"packages named in other ways: {len(wrong)} differ"]))
        return not wrong

    def within(self):
        kinds = [("good", self.legal_cases, True), *((kind, self.fault_cases, False) for kind in FAULTS),
                 *((kind, self.legal_cases, False) for kind in (*CHANGES, *FILE_CHANGES))]
        for kind, cases, silent in kinds:
            if self.options.kind in (None, kind):
                self.run(kind, cases(kind), silent)
        print(f"{'':32}  made {' '.join(f'{way:>6}' for way in BOUNDS)}  loud")
        print("\n".join(tally.row(kind) for kind, tally in self.tallies.items()))
        print("\n".join(f"{variant:32} {self.variants[variant, False]:5} passed {self.variants[variant, True]:5} failed" for variant in VARIANTS))
        for (way, words), names in sorted(self.examples.items(), key=lambda item: (item[0][0], -len(item[1]))):
            print("\n".join([f"{len(names):5} {way}: {words}", *(f"        {name[:400]}" for name in names[:self.options.examples])]))
        never = [kind for kind in FAULTS if self.options.kind in (None, kind) and not self.tallies[kind].made]
        print("\n".join(f"never made: {kind}" for kind in never))
        agree = self.options.kind or self.names_agree()
        return agree and not never and all(tally.rate(way) >= least for tally in self.tallies.values() for way, least in BOUNDS.items())


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--number", type=int, default=2)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kind", choices=["good", *FAULTS, *CHANGES, *FILE_CHANGES])
    parser.add_argument("--real", action="store_const", const=real_mods())
    parser.add_argument("--examples", type=int, default=3)
    parser.add_argument("--keep")
    parser.add_argument("lightlint")
    parser.add_argument("corpus")
    return 0 if Judge(parser.parse_args()).within() else 1


if __name__ == "__main__":
    sys.exit(main())
