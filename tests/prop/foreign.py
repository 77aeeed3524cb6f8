#!/usr/bin/env python3
"""Files that are something else, under each of our extensions: no finding of theirs carries a patch, and `fix` and `fix --unsafe`
leave every byte as it is.

usage: foreign.py LIGHTLINT     exit: 0 it holds, 1 it does not"""
import gzip
import io
import json
import os
import random
import struct
import sys
import zipfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop  # noqa: E402

EXTENSIONS = ("grxla", "grxoc", "mrea", "lights", "rgm", "lpsh", "fpk", "fpkd", "fox2", "lba")
WORDS = ("light", "name", "position", "radius", "entity", "value", "shadow", "the", "of", "room", "colour", "0", "1.5", "true")


def prose(dice, size, newline="\n"):
    out = []
    while sum(map(len, out)) + len(out) < size:
        out.append(dice.choice(WORDS) if dice.random() < 0.9 else dice.choice(WORDS) + "." + newline)
    return " ".join(out)[:size]


def xml(dice, size):
    rows = "".join(f'  <entity class="{dice.choice(WORDS)}" addr="0x{dice.randrange(1 << 32):08X}">{prose(dice, 30)}</entity>\n'
                   for _ in range(size // 80 + 1))
    return f'<?xml version="1.0" encoding="utf-8"?>\n<fox formatVersion="2">\n{rows}</fox>\n'.encode()


def html(dice, size):
    return f"<!DOCTYPE html>\n<html><head><title>404</title></head><body><p>{prose(dice, size)}</p></body></html>\n".encode()


def as_json(dice, size):
    return json.dumps([{dice.choice(WORDS): dice.random()} for _ in range(size // 30 + 1)], indent=1).encode()


def lua(dice, size):
    return "".join(f"local {dice.choice(WORDS)} = {dice.randrange(1000)}\n" for _ in range(size // 20 + 1)).encode()


def zipped(dice, size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for i in range(3):
            archive.writestr(zipfile.ZipInfo(f"{dice.choice(WORDS)}{i}.txt"), prose(dice, size // 3))
    return out.getvalue()


def png(dice, size):
    side = max(int(size ** 0.5) // 2, 1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + dice.randbytes(3 * side) for _ in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def dds(dice, size):
    head = struct.pack("<4sIIIIII", b"DDS ", 124, 0x1007, 64, 64, 2048, 0) + bytes(48)
    return head + struct.pack("<II4sIIIII", 32, 4, b"DXT1", 0, 0, 0, 0, 0) + struct.pack("<IIIII", 0x1000, 0, 0, 0, 0) + dice.randbytes(size)


def elf(dice, size):
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0x1040, 64, size, 0, 64, 56, 1, 64, 0, 0)
    return head + b"".join(dice.randbytes(24) + bytes(dice.randrange(24)) for _ in range(size // 36))


KINDS = {
    "xml": xml, "html": html, "json": as_json, "lua": lua, "zip": zipped, "png": png, "dds": dds, "elf": elf,
    "xml-utf16": lambda dice, size: xml(dice, size // 2).decode().encode("utf-16"),
    "utf16": lambda dice, size: prose(dice, size // 2).encode("utf-16"),
    "utf16-be": lambda dice, size: b"\xfe\xff" + prose(dice, size // 2).encode("utf-16-be"),
    "text": lambda dice, size: prose(dice, size).encode(),
    "text-crlf": lambda dice, size: prose(dice, size, "\r\n").encode(),
    "gzip": lambda dice, size: gzip.compress(prose(dice, size).encode(), mtime=0),
    "random": lambda dice, size: dice.randbytes(size),
    "zeros": lambda dice, size: bytes(size),
    "ones": lambda dice, size: b"\xff" * size,
    "spaces": lambda dice, size: b" " * size,
    "floats": lambda dice, size: struct.pack(f"<{size // 4}f", *(dice.uniform(-100, 100) for _ in range(size // 4))),
    "small-numbers": lambda dice, size: struct.pack(f"<{size // 4}I", *(dice.randrange(100) for _ in range(size // 4))),
}


def main(lightlint):
    program, dice, files, faults = Program(lightlint), random.Random(27), {}, []
    for kind, make in KINDS.items():
        for size in (5, 16, 17, 40, 100, 256, 1000, 4096, 20000):
            data = make(dice, size)
            files.update({f"{kind}-{size}.{extension}": data for extension in EXTENSIONS})
    with Workshop() as workshop:
        for name, data in files.items():
            workshop.write(name, data)
        for name, found in program.lint(files, "--no-cross", cwd=workshop.path).findings.items():
            faults += [f"{name}: {f['rule']} {f['name']} at {f['path']} carries a patch" for f in found if f.get("patch")]
        names = b"".join(os.fsencode(name) + b"\0" for name in files)
        for options in ((), ("--unsafe",), ("--unsafe", "--rule", "all")):
            program.call("fix", *options, "--no-cross", "-0", "--files-from", "-", cwd=workshop.path, stdin=names)
            for name, data in files.items():
                with open(os.path.join(workshop.path, name), "rb") as file:
                    if file.read() != data:
                        faults.append(f"{name}: changed by fix {' '.join(options)}")
                        workshop.write(name, data)
    print("\n".join(faults[:60] + [f"{len(files)} foreign files, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
