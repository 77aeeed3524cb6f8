#!/usr/bin/env python3
"""Bare lights sections are read in the layout of their game. Sound ones have no findings. Those with zeros appended, or
with wrong bytes, are also read in their layout, or a note says that the game is uncertain.

usage: games.py LIGHTLINT SECTIONS     SECTIONS: number of sections, 100 or so; exit: 0 it holds, 1 not"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop  # noqa: E402
from recipe import Corpus  # noqa: E402

FORMS = {"mp12": ("mrea.light", 2), "mp3": ("mrea.light_mp3", 4)}


def recipe(dice, form):
    lines = ["title: Lights.", "", f"lights {form}"]
    for layer in range(dice.randrange(1, FORMS[form][1] + 1)):
        lines += ["layer", *(["light ambient"] if layer == 0 or dice.random() < 0.5 else [])]
        for number in range(dice.choice((0, 1, 2, 3, 9, 40))):
            place = ",".join(str(dice.randrange(-500, 500) / 4) for _ in range(3))
            lines.append(f"light {dice.choice(('custom', 'spot', 'custom'))} position={place} brightness={number + 1}")
    return "\n".join(lines) + "\n"


def wrong_bytes(dice, data, count):
    changed = bytearray(data)
    for _ in range(count):
        changed[dice.randrange(4, len(data))] = dice.randrange(256)
    return bytes(changed)


DAMAGES = {
    "sound": lambda dice, data: data,
    "zeros": lambda dice, data: data + bytes(32 * dice.randrange(1, 40)),
    "odd zeros": lambda dice, data: data + bytes(dice.randrange(1, 4000)),
    "one byte": lambda dice, data: wrong_bytes(dice, data, 1),
    "ten bytes": lambda dice, data: wrong_bytes(dice, data, 10),
    "cut": lambda dice, data: data[:dice.randrange(len(data) // 2, len(data))],
    "first count": lambda dice, data: data[:7] + bytes([data[7] ^ 1 << dice.randrange(8)]) + data[8:],
}


def records(node):
    for record in node:
        yield record["record"]
        yield from records(record.get("records", []))


def main(lightlint, count):
    program, dice, faults, noted = Program(lightlint), random.Random(28), [], dict.fromkeys(DAMAGES, 0)
    with Workshop() as workshop:
        for number in range(count):
            form = dice.choice(list(FORMS))
            source = workshop.write(f"mrea/good-{number}.txt", recipe(dice, form).encode())
            corpus = Corpus()
            data = bytes(corpus.assemble(corpus.add(os.path.join(workshop.path, source))).data)
            for kind, damage in DAMAGES.items():
                path = workshop.write(f"{number}-{kind.replace(' ', '-')}.lights", damage(dice, data))
                said = program.call("--all", "--format", "jsonl", path, cwd=workshop.path)[1].decode().splitlines()
                note = any(item["type"] == "finding" and item["name"] == "variant-ambiguous" for item in map(json.loads, said))
                dump = json.loads(program.call("dump", "--format", "json", path, cwd=workshop.path)[1])
                taken = {name for name in records(dump["records"]) if name in ("mrea.light", "mrea.light_mp3")}
                noted[kind] += note
                if taken - {FORMS[form][0]} and not note:
                    faults.append(f"{path}: a section of {form} is read as {', '.join(sorted(taken))}, and no finding says that this is uncertain")
                if kind == "sound" and (note or taken != {FORMS[form][0]}):
                    faults.append(f"{path}: a sound section of {form}: {'uncertain' if note else taken}")
    print(", ".join(f"{kind}: {notes} of {count} uncertain" for kind, notes in noted.items()))
    print("\n".join(faults[:40] + [f"{count * len(DAMAGES)} files, {len(faults)} faults"]))
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), int(sys.argv[2])))
