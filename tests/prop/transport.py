#!/usr/bin/env python3
"""Good files, damaged as files are on their way: the first finding says what happened, no other loud one is shown, and `fix` gives the
original back where that can be undone, or leaves the file as it is.

usage: transport.py [--all] [--verbose] LIGHTLINT CORPUS     --all: real files too; exit: 0 it holds, 1 it does not"""
import json
import os
import random
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import LOUD, Program, Workshop, files_below, real_corpus, real_mods  # noqa: E402
from recipe import Corpus  # noqa: E402

SECTOR = 512


def reverse(data, unit):
    whole = len(data) // unit * unit
    return b"".join(data[i:i + unit][::-1] for i in range(0, whole, unit)) + data[whole:]


def exchange(dice, data):
    count = len(data) // SECTOR
    if count < 2:
        return data
    one, other = sorted(dice.sample(range(count), 2))
    sectors = [data[i:i + SECTOR] for i in range(0, len(data), SECTOR)]
    sectors[one], sectors[other] = sectors[other], sectors[one]
    return b"".join(sectors)


def hole(dice, data):
    count = len(data) // SECTOR - 1
    at = SECTOR * dice.randrange(1, count + 1) if count > 0 else 0
    return data[:at] + bytes(SECTOR) + data[at + SECTOR:] if at else data


def slot(dice, data):
    return data + bytes(dice.choice((96, 512, 4096)))


def conflict(data, other):
    start = len(os.path.commonprefix((data, other))) // 16 * 16
    return data[:start] + b"\n<<<<<<< HEAD\n" + data[start:] + b"\n=======\n" + other[start:] + b"\n>>>>>>> theirs\n"


def change(dice, data):
    at = dice.randrange(len(data))
    return data[:at] + dice.randbytes(1) + data[at + 1:]


def take_out(dice, data):
    at, size = dice.randrange(len(data) - 1), dice.choice((2, 3, 4, 8, 16))
    return data[:at] + data[at + size:]


def put_in(dice, data):
    at, size = dice.randrange(len(data) + 1), dice.choice((1, 2, 4, 8, 16))
    return data[:at] + dice.choice((bytes(size), dice.randbytes(size))) + data[at:]


LOST = {
    "replaced": "bytes that were no text, replaced by a mark",
    "plain": "no byte above 127 any more",
    "tail": "zeros from here to the end",
    "hole": "whole sectors of zeros",
}
# What is done with (dice, data, another file of the extension), how the finding calls it, the share of files of which the first finding
# says so (where it has no name: the share of those that may be called a damage in transport), and the share of those that are given back.
# A damaged file in which nothing is loud is one that may be sound, as an archive whose members nobody knows, or harmonics of the dark: no
# finding can tell, and it is left out.
DAMAGES = {
    "mark": (lambda dice, data, other: b"\xef\xbb\xbf" + data, "a byte order mark in front", 1, 1),
    "latin": (lambda dice, data, other: data.decode("latin-1").encode(), "bytes written as UTF-8", 1, 1),
    "latin-mark": (lambda dice, data, other: data.decode("latin-1").encode("utf-8-sig"), "bytes written as UTF-8", 0.95, 1),
    "crlf": (lambda dice, data, other: data.replace(b"\n", b"\r\n"), "line feeds written as CR LF", 1, 1),
    "lf": (lambda dice, data, other: data.replace(b"\r\n", b"\n"), "CR LF written as line feeds", 0.95, 0),  # of planted ones
    "words": (lambda dice, data, other: reverse(data, 4), "the bytes of every four in reverse", 0.98, 1),
    "pairs": (lambda dice, data, other: reverse(data, 2), "the bytes of every two in reverse", 0.98, 1),
    "doubled": (lambda dice, data, other: data + data, "the whole file twice", 0.98, 1),
    "joined": (lambda dice, data, other: data + other, "another file behind this one", 0.95, 0),
    "sectors": (lambda dice, data, other: exchange(dice, data), "two sectors exchanged", 0.8, 0.9),  # safe only where all pairs were tried
    "slot": (lambda dice, data, other: slot(dice, data), "zeros behind the end", 0.98, 0.95),  # where zeros of the file are its end, several sizes read
    "replaced": (lambda dice, data, other: data.decode("utf-8", "replace").encode(), LOST["replaced"], 0.98, 0),
    "ascii": (lambda dice, data, other: data.decode("ascii", "replace").encode(), LOST["replaced"], 0.98, 0),
    "question": (lambda dice, data, other: bytes(b if b < 128 else ord("?") for b in data), LOST["plain"], 0.9, 0),
    "stripped": (lambda dice, data, other: bytes(b & 127 for b in data), LOST["plain"], 0.85, 0),
    "tail": (lambda dice, data, other: data[:len(data) // 2].ljust(len(data), b"\0"), LOST["tail"], 0.95, 0),
    "hole": (lambda dice, data, other: hole(dice, data), LOST["hole"], 0.85, 0),
    "conflict": (lambda dice, data, other: conflict(data, other), "a file with the conflict markers of Git", 0.95, 0),
    # what any file may suffer is said at its place, and not called one of these
    "cut": (lambda dice, data, other: data[:dice.randrange(17, len(data))], None, 0.005, 0),
    "byte": (lambda dice, data, other: change(dice, data), None, 0.005, 0),
    "bytes-out": (lambda dice, data, other: take_out(dice, data), None, 0.01, 0),
    "bytes-in": (lambda dice, data, other: put_in(dice, data), None, 0.01, 0),
}
OURS = {damage[1] for damage in DAMAGES.values() if damage[1]}


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
    """Findings by file, as they are shown without --all."""
    found = defaultdict(list)
    _, out, _ = program.call("--format", "jsonl", "--no-cross", "-0", "--files-from", "-", cwd=cwd, stdin=names)
    for line in out.decode().split("\n")[:-1]:
        item = json.loads(line)
        if item["type"] == "finding":
            found[item["file"]].append(item)
    return found


def with_pairs(program, workshop, good, found):
    """By case: the file with one CR LF in it, where that is nothing to say a word of."""
    tried, pairs = {}, {}
    for case, path, name, data in good:
        dice = random.Random(f"pairs {case}")
        for number in range(8 if b"\r\n" not in data else 0):
            at = dice.randrange(4, len(data) - 2)
            planted = data[:at] + b"\r\n" + data[at + 2:]
            if planted.count(b"\r\n") == 1:
                tried[workshop.write(f"pairs-{number}/{case}/{name}", planted)] = case, planted, len(found[path])
    said = shown(program, b"".join(os.fsencode(path) + b"\0" for path in tried), workshop.path)
    for path, (case, planted, before) in tried.items():
        if len(said[path]) <= before and not any(f["severity"] in LOUD for f in said[path]):
            pairs[case] = planted
    return pairs


def damage_all(program, workshop, folder, real):
    """Path: what was done, the sound bytes and the damaged ones."""
    good, alike, files = [], defaultdict(list), {}
    for case, name, data in good_files(folder, real):
        good.append((case, workshop.write(f"good/{case}/{name}", data), name, data))
    loud = shown(program, b"".join(os.fsencode(path) + b"\0" for _, path, _, _ in good), workshop.path)
    good = [row for row in good if len(row[3]) > 16 and not any(f["severity"] in LOUD for f in loud[row[1]])]
    pairs = with_pairs(program, workshop, good, loud)
    for _, _, name, data in good:
        alike[os.path.splitext(name)[1]].append(data)
    for case, _, name, data in good:
        dice = random.Random(f"28 {case}")
        others = [other for other in alike[os.path.splitext(name)[1]] if other != data] or [data]
        for kind, (damage, *_) in DAMAGES.items():
            whole = pairs.get(case, data) if kind == "lf" else data
            damaged = damage(dice, whole, dice.choice(others))
            if damaged != whole:
                files[workshop.write(f"{kind}/{case}/{name}", damaged)] = kind, whole, damaged
    return files


def main(lightlint, folder, real=False, verbose=False):
    program, table, faults, notes = Program(lightlint), defaultdict(Counter), [], []
    with Workshop() as workshop:
        files = damage_all(program, workshop, folder, real)
        names = b"".join(os.fsencode(path) + b"\0" for path in files)
        found = shown(program, names, workshop.path)
        program.call("fix", "--no-cross", "-0", "--files-from", "-", cwd=workshop.path, stdin=names)
        safe = {path: workshop.read(path) for path in files}
        program.call("fix", "--unsafe", "--rule", "transport", "--no-cross", "-0", "--files-from", "-", cwd=workshop.path, stdin=names)
        for path, (kind, data, damaged) in files.items():
            fixed, forced = safe[path], workshop.read(path)
            first = found[path][0]["found"] if found[path] else None
            named = first in OURS if DAMAGES[kind][1] is None else first == DAMAGES[kind][1]
            loud = sum(finding["severity"] in LOUD for finding in found[path])
            member = kind in ("tail", "hole") and first == "nothing but zeros"  # of an archive
            table[kind].update(files=1, silent=not loud, named=named or member, restored=named and fixed == data, unsafe=named and forced == data)
            if named and loud > 1:
                faults.append(f"{path}: {loud} loud findings")
            if named and not {fixed, forced} <= {data, damaged}:
                faults.append(f"{path}: fix makes other bytes")
            if named == (DAMAGES[kind][1] is None) or (fixed != data and DAMAGES[kind][3]):
                notes.append(f"{path}: {'named' if named else 'not named'}, {[f['rule'] for f in found[path][:4]]}")
    print(f"{'':14}{'files':>8}{'silent':>8}{'named':>8}{'restored':>10}{'--unsafe':>10}")
    for kind, row in table.items():
        print(f"{kind:14}{row['files']:8}{row['silent']:8}{row['named']:8}{row['restored']:10}{row['unsafe']:10}")
        _, _, named, restored = DAMAGES[kind]
        if DAMAGES[kind][1] is None and row["named"] > named * row["files"]:
            faults.append(f"{kind}: more than {named:.1%} are called a damage in transport")
        elif DAMAGES[kind][1] and (row["named"] < named * (row["files"] - row["silent"]) or row["restored"] < restored * row["named"]):
            faults.append(f"{kind}: fewer named or restored than {named:.0%} and {restored:.0%}")
    print("\n".join((notes if verbose else []) + faults[:40] + [f"{len(files)} damaged files, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    sys.exit(main(*words, "--all" in sys.argv, "--verbose" in sys.argv) if len(words) == 2 else __doc__)
