#!/usr/bin/env python3
"""Damages good files as transport does: the first finding names the damage, there are no other errors or warnings, and
`fix` restores the original where possible, or leaves the file as it is.

usage: transport.py [--all] [--verbose] LIGHTLINT CORPUS     --all: real files too
exit: 0 it holds, 1 it does not, 77 with --all: there are no real files, so the test without --all covers the rest"""
import json
import os
import random
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import transport_damages  # noqa: E402
from program import LOUD, Program, Workshop, files_below, listed, real_corpus, real_mods  # noqa: E402
from recipe import Corpus  # noqa: E402

def change(dice, data):
    at = dice.randrange(len(data))
    return data[:at] + dice.randbytes(1) + data[at + 1:]


def take_out(dice, data):
    at, size = dice.randrange(len(data) - 1), dice.choice((2, 3, 4, 8, 16))
    return data[:at] + data[at + size:]


def put_in(dice, data):
    at, size = dice.randrange(len(data) + 1), dice.choice((1, 2, 4, 8, 16))
    return data[:at] + dice.choice((bytes(size), dice.randbytes(size))) + data[at:]


# Damages that are not typical of transport.
OTHERS = {
    "cut": (lambda dice, data, other: data[:dice.randrange(17, len(data))], None),
    "byte": (lambda dice, data, other: change(dice, data), None),
    "bytes-out": (lambda dice, data, other: take_out(dice, data), None),
    "bytes-in": (lambda dice, data, other: put_in(dice, data), None),
}
DAMAGES = transport_damages.DAMAGES | OTHERS
# Minimum shares: files whose first finding names the damage, and files restored among these. For damages without a
# name, the first is the maximum share of files that may be reported as damaged in transport. Damaged files without
# errors and warnings are left out, because they may be sound: archives with unknown members, harmonics of darkness.
SHARES = {
    "mark": (1, 1),
    "latin": (1, 1),
    "latin-mark": (0.95, 1),
    "crlf": (1, 1),
    "lf": (0.93, 0),  # of planted ones; a byte missing in an archive may as well be missing in a member
    "words": (0.98, 1),
    "pairs": (0.98, 1),
    "doubled": (0.98, 1),
    "joined": (0.95, 0),
    "sectors": (0.8, 0.9),  # safe only if all pairs were tried
    "slot": (0.98, 0.95),  # several sizes are possible where the file ends with zeros
    "replaced": (0.98, 0),
    "ascii": (0.98, 0),
    "question": (0.9, 0),
    "stripped": (0.85, 0),
    "tail": (0.95, 0),
    "hole": (0.85, 0),
    "conflict": (0.95, 0),
    # ordinary damages: reported at their place, not as one of the above
    "cut": (0.005, 0),
    "byte": (0.005, 0),
    "bytes-out": (0.01, 0),
    "bytes-in": (0.01, 0),
}
OURS = {words for _, words in DAMAGES.values() if words}


def good_files(folder, real):
    corpus = Corpus(folder)
    for case, recipe in corpus.recipes.items():
        if case.startswith("good-") and "options" not in recipe.header:
            yield case, corpus.file_name(recipe), bytes(corpus.assemble(recipe).data)
    for folder in filter(None, (real_corpus(), real_mods()) if real else ()):
        for name in files_below(folder):
            with open(os.path.join(folder, name), "rb") as file:
                yield "real-" + name.replace("/", "-"), os.path.basename(name), file.read()


def shown(program, names, cwd):
    """Findings by file, as shown without --all."""
    found = defaultdict(list)
    _, out, _ = program.call("--format", "jsonl", "--no-cross", "-0", "--files-from", "-", cwd=cwd, stdin=names)
    for line in out.decode().split("\n")[:-1]:
        item = json.loads(line)
        if item["type"] == "finding":
            found[item["file"]].append(item)
    return found


def with_pairs(program, workshop, good, found):
    """{case: the file with one CR LF in it}, where that gives no finding."""
    tried, pairs = {}, {}
    for case, path, name, data in good:
        dice = random.Random(f"pairs {case}")
        for number in range(8 if b"\r\n" not in data else 0):
            at = dice.randrange(4, len(data) - 2)
            planted = data[:at] + b"\r\n" + data[at + 2:]
            if planted.count(b"\r\n") == 1:
                tried[workshop.write(f"pairs-{number}/{case}/{name}", planted)] = case, planted, len(found[path])
    said = shown(program, listed(tried), workshop.path)
    for path, (case, planted, before) in tried.items():
        if len(said[path]) <= before and not any(f["severity"] in LOUD for f in said[path]):
            pairs[case] = planted
    return pairs


def damage_all(program, workshop, folder, real):
    """{path: (kind of damage, sound bytes, damaged bytes)}."""
    good, alike, files = [], defaultdict(list), {}
    for case, name, data in good_files(folder, real):
        good.append((case, workshop.write(f"good/{case}/{name}", data), name, data))
    loud = shown(program, listed(path for _, path, _, _ in good), workshop.path)
    good = [row for row in good if len(row[3]) > 16 and not any(f["severity"] in LOUD for f in loud[row[1]])]
    pairs = with_pairs(program, workshop, good, loud)
    for _, _, name, data in good:
        alike[os.path.splitext(name)[1]].append(data)
    for case, _, name, data in good:
        dice = random.Random(f"28 {case}")
        others = [other for other in alike[os.path.splitext(name)[1]] if other != data] or [data]
        for kind, (damage, _) in DAMAGES.items():
            whole = pairs.get(case, data) if kind == "lf" else data
            damaged = damage(dice, whole, dice.choice(others))
            if damaged != whole:
                files[workshop.write(f"{kind}/{case}/{name}", damaged)] = kind, whole, damaged
    return files


def main(lightlint, folder, real=False, verbose=False):
    if real and not real_corpus() and not real_mods():
        print("no real files here: skipped; the test without --all covers the rest")
        return 77
    program, table, faults, notes = Program(lightlint), defaultdict(Counter), [], []
    with Workshop() as workshop:
        files = damage_all(program, workshop, folder, real)
        names = listed(files)
        found = shown(program, names, workshop.path)
        program.call("fix", "--no-cross", "-0", "--files-from", "-", cwd=workshop.path, stdin=names)
        safe = {path: workshop.read(path) for path in files}
        program.call("fix", "--unsafe", "--rule", "transport", "--no-cross", "-0", "--files-from", "-", cwd=workshop.path, stdin=names)
        for path, (kind, data, damaged) in files.items():
            fixed, forced = safe[path], workshop.read(path)
            first = found[path][0]["found"] if found[path] else None
            named = first in OURS if DAMAGES[kind][1] is None else first == DAMAGES[kind][1]
            loud = sum(finding["severity"] in LOUD for finding in found[path])
            member = kind in ("tail", "hole") and first == "nothing but zeros"  # a member of an archive
            table[kind].update(files=1, silent=not loud, named=named or member, restored=named and fixed == data, unsafe=named and forced == data)
            if named and loud > 1:
                faults.append(f"{path}: {loud} loud findings")
            if named and not {fixed, forced} <= {data, damaged}:
                faults.append(f"{path}: fix makes other bytes")
            if named == (DAMAGES[kind][1] is None) or (fixed != data and SHARES[kind][1]):
                notes.append(f"{path}: {'named' if named else 'not named'}, {[f['rule'] for f in found[path][:4]]}")
    print(f"{'':14}{'files':>8}{'silent':>8}{'named':>8}{'restored':>10}{'--unsafe':>10}")
    for kind, row in table.items():
        print(f"{kind:14}{row['files']:8}{row['silent']:8}{row['named']:8}{row['restored']:10}{row['unsafe']:10}")
        named, restored = SHARES[kind]
        if DAMAGES[kind][1] is None and row["named"] > named * row["files"]:
            faults.append(f"{kind}: more than {named:.1%} are reported as damaged in transport")
        elif DAMAGES[kind][1] and (row["named"] < named * (row["files"] - row["silent"]) or row["restored"] < restored * row["named"]):
            faults.append(f"{kind}: fewer named or restored than {named:.0%} and {restored:.0%}")
    print("\n".join((notes if verbose else []) + faults[:40] + [f"{len(files)} damaged files, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    sys.exit(main(*words, "--all" in sys.argv, "--verbose" in sys.argv) if len(words) == 2 else __doc__)
