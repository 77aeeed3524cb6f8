#!/usr/bin/env python3
"""Files of other formats, under each of our extensions: the only finding says what they are, no finding has a patch,
and `fix` and `fix --unsafe` change no byte.

usage: foreign.py LIGHTLINT     exit: 0 it holds, 1 it does not"""
import base64
import bz2
import gzip
import io
import json
import lzma
import os
import random
import struct
import sys
import zipfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import LOUD, Program, Workshop, known_extensions, listed  # noqa: E402

EXTENSIONS = tuple(extension[1:] for extension in known_extensions())
SIZES = (5, 16, 17, 40, 100, 256, 1000, 4096, 20000)
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


def mgsv(dice, size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Assets/tpp/a.fpk", dice.randbytes(size))
        archive.writestr("metadata.xml", "<ModEntry/>")
    return out.getvalue()


def pe(dice, size):
    return b"MZ" + dice.randbytes(58) + struct.pack("<I", 128) + bytes(64) + b"PE\0\0\x64\x86" + dice.randbytes(size)


def manifest(dice, size):
    rows = "".join(f'    <Entry FilePath="/Assets/{dice.choice(WORDS)}.fox2" />\n' for _ in range(size // 40 + 1))
    return f'<?xml version="1.0"?>\n<ArchiveFile xsi:type="FpkFile" Name="a.fpk">\n  <Entries>\n{rows}  </Entries>\n</ArchiveFile>'.encode()


def xxd(dice, size):
    data = dice.randbytes(size)
    return "".join(f"{at:08x}: {data[at:at + 16].hex(' ', 2):<39}  {'.' * len(data[at:at + 16])}\n" for at in range(0, size, 16)).encode()


def hexdump(dice, size):
    data = dice.randbytes(size)
    rows = (f"{at:08x}  {data[at:at + 8].hex(' '):<23}  {data[at + 8:at + 16].hex(' '):<23}  |{'.' * len(data[at:at + 16])}|\n"
            for at in range(0, size, 16))
    return "".join(rows).encode() + f"{size:08x}\n".encode()


def lfs(dice, size):
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{dice.randbytes(32).hex()}\nsize {size}\n".encode()


def conflict(dice, size):
    return b"<<<<<<< HEAD\nFGxL" + dice.randbytes(size) + b"\n=======\nFGxL" + dice.randbytes(size) + b"\n>>>>>>> other\n"


XML = '<?xml version="1.0" encoding="utf-8"?>\n<lights>\n  <light x="1"/>\n</lights>\n'

# (`found` of the finding, minimum size for it, function that makes the file). Without `found`: such a file cannot be
# told from a damaged one of our formats.
KINDS = {
    "gzip": ("a gzip archive", 0, lambda dice, size: gzip.compress(prose(dice, size).encode(), mtime=0)),
    "zlib": ("a zlib stream", 0, lambda dice, size: zlib.compress(prose(dice, size).encode(), dice.choice((1, 6, 9)))),
    "zip": ("a zip archive", 0, zipped),
    "mgsv": ("a mod archive for SnakeBite (.mgsv)", 0, mgsv),
    "xz": ("an xz archive", 0, lambda dice, size: lzma.compress(dice.randbytes(size))),
    "bzip2": ("a bzip2 archive", 0, lambda dice, size: bz2.compress(dice.randbytes(size))),
    "7z": ("a 7z archive", 0, lambda dice, size: b"7z\xbc\xaf\x27\x1c\0\4" + dice.randbytes(size + 24)),
    "rar": ("a RAR archive", 0, lambda dice, size: b"Rar!\x1a\7\1\0" + dice.randbytes(size)),
    "zstd": ("a Zstandard archive", 0, lambda dice, size: b"\x28\xb5\x2f\xfd" + dice.randbytes(size)),
    "lzma": ("an LZMA stream", 0, lambda dice, size: lzma.compress(prose(dice, size).encode(), lzma.FORMAT_ALONE)),
    "png": ("a PNG image", 0, png), "dds": ("a DDS texture", 0, dds),
    "elf": ("an ELF program", 0, elf), "pe": ("a Windows program (PE)", 0, pe),
    "qar": ("a QAR archive (.dat)", 0, lambda dice, size: b"SQAR" + dice.randbytes(size)),
    "pftxs": ("a texture archive (.pftxs)", 0, lambda dice, size: b"PFTX" + dice.randbytes(size)),
    "lua-compiled": ("a compiled Lua script", 0, lambda dice, size: b"\x1bLua\x51\0\1\4\4\4\4\0" + dice.randbytes(size)),
    "xml-dataset": ("a DataSet exported as XML (FoxTool)", 0, xml),
    "xml-manifest": ("the list of an archive's files as XML (GzsTool)", 0, manifest),
    "xml": ("an XML document", 0, lambda dice, size: XML.encode()),
    "xml-mark": ("an XML document", 0, lambda dice, size: b"\xef\xbb\xbf" + XML.encode()),
    "html": ("a web page (HTML)", 0, html), "json": ("a JSON document", 0, as_json), "lua": ("a Lua script", 0, lua),
    "text": ("a plain text", 8, lambda dice, size: prose(dice, size).encode()),
    "text-crlf": ("a plain text", 8, lambda dice, size: prose(dice, size, "\r\n").encode()),
    "text-latin": ("a plain text", 17, lambda dice, size: (prose(dice, size)[:size - 8] + " Gr\xfc\xdfe.").encode("latin-1")),
    "text-info": ("a plain text", 17, lambda dice, size: b"\x1f" + prose(dice, size).encode()),
    "text-dos": ("a plain text", 256, lambda dice, size: prose(dice, size).encode().translate(bytes(range(97)) + bytes(range(160, 186)) + bytes(range(123, 256)))),
    "xxd": ("bytes as hexadecimal text", 16, xxd), "hexdump": ("bytes as hexadecimal text", 16, hexdump),
    "hex": ("bytes as hexadecimal text", 16, lambda dice, size: dice.randbytes(size).hex(" ").encode()),
    "base64": ("bytes as base64 text", 40, lambda dice, size: base64.encodebytes(dice.randbytes(size))),
    "utf16": ("a text in UTF-16", 0, lambda dice, size: prose(dice, size // 2).encode("utf-16")),
    "utf16-be": ("a text in UTF-16", 0, lambda dice, size: b"\xfe\xff" + prose(dice, size // 2).encode("utf-16-be")),
    "utf16-bare": ("a text in UTF-16", 40, lambda dice, size: prose(dice, size // 2).encode("utf-16-le")),
    "utf16-xml": ("a text in UTF-16", 0, lambda dice, size: xml(dice, size // 2).decode().encode("utf-16")),
    "lfs": ("a Git LFS pointer", 0, lfs), "conflict": ("a file with the conflict markers of Git", 0, conflict),
    "zeros": ("nothing but zeros", 17, lambda dice, size: bytes(size)),
    "ones": ("one byte over and over", 0, lambda dice, size: b"\xff" * size),
    "spaces": ("one byte over and over", 0, lambda dice, size: b" " * size),
    "random": ("noise, as encrypted or compressed data", 256, lambda dice, size: dice.randbytes(size)),
    "floats": (None, 0, lambda dice, size: struct.pack(f"<{size // 4}f", *(dice.uniform(-100, 100) for _ in range(size // 4)))),
    "small-numbers": (None, 0, lambda dice, size: struct.pack(f"<{size // 4}I", *(dice.randrange(100) for _ in range(size // 4)))),
}


def name_faults(name, found, words):
    """Problems with the findings of a file of that name."""
    first = found[0] if found else {"found": "nothing"}
    loud = [finding for finding in found if finding["severity"] in LOUD]
    if words and (first["found"] != words or first["rule"] != "LL017"):
        yield f"{name}: the first finding says '{first['found']}', not '{words}'"
    if words and len(loud) != 1:
        yield f"{name}: {len(loud)} loud findings"
    yield from (f"{name}: {f['rule']} {f['name']} at {f['path']} carries a patch" for f in found if f.get("patch"))


def main(lightlint):
    program, dice, files, faults = Program(lightlint), random.Random(27), {}, []
    expected = {}
    for kind, (words, least, make) in KINDS.items():
        for size in SIZES:
            data = make(dice, size)
            for extension in EXTENSIONS:
                name = f"{kind}-{size}.{extension}"
                files[name], expected[name] = data, words if size >= least else None
    with Workshop() as workshop:
        for name, data in files.items():
            workshop.write(name, data)
        for name, found in program.lint(files, "--no-cross", cwd=workshop.path).findings.items():
            faults += name_faults(name, found, expected[name])
        names = listed(files)
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
