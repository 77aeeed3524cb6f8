"""Damages of whole files in transport: editors and transfers that treat them as text, converters that swap bytes,
disks that lose bytes."""
import os

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


LOST = {
    "replaced": "bytes that were no text, replaced by a mark",
    "plain": "no byte above 127 any more",
    "tail": "zeros from here to the end",
    "hole": "whole sectors of zeros",
}
# kind: (function of (dice, data, another file of the extension), `found` of the finding).
DAMAGES = {
    "mark": (lambda dice, data, other: b"\xef\xbb\xbf" + data, "a byte order mark in front"),
    "latin": (lambda dice, data, other: data.decode("latin-1").encode(), "bytes written as UTF-8"),
    "latin-mark": (lambda dice, data, other: data.decode("latin-1").encode("utf-8-sig"), "bytes written as UTF-8"),
    "crlf": (lambda dice, data, other: data.replace(b"\n", b"\r\n"), "line feeds written as CR LF"),
    "lf": (lambda dice, data, other: data.replace(b"\r\n", b"\n"), "CR LF written as line feeds"),
    "words": (lambda dice, data, other: reverse(data, 4), "the bytes of every four in reverse"),
    "pairs": (lambda dice, data, other: reverse(data, 2), "the bytes of every two in reverse"),
    "doubled": (lambda dice, data, other: data + data, "the whole file twice"),
    "joined": (lambda dice, data, other: data + other, "another file after this one"),
    "sectors": (lambda dice, data, other: exchange(dice, data), "two sectors exchanged"),
    "slot": (lambda dice, data, other: slot(dice, data), "zeros after the end"),
    "replaced": (lambda dice, data, other: data.decode("utf-8", "replace").encode(), LOST["replaced"]),
    "ascii": (lambda dice, data, other: data.decode("ascii", "replace").encode(), LOST["replaced"]),
    "question": (lambda dice, data, other: bytes(b if b < 128 else ord("?") for b in data), LOST["plain"]),
    "stripped": (lambda dice, data, other: bytes(b & 127 for b in data), LOST["plain"]),
    "tail": (lambda dice, data, other: data[:len(data) // 2].ljust(len(data), b"\0"), LOST["tail"]),
    "hole": (lambda dice, data, other: hole(dice, data), LOST["hole"]),
    "conflict": (lambda dice, data, other: conflict(data, other), "a file with the conflict markers of Git"),
}
