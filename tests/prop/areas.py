#!/usr/bin/env python3
"""Legal areas have no findings, whatever their blocks contain. Generates areas of every game with 1 to 12 blocks: raw,
compressed, stored or mixed, small or hundreds of kB, with the lights in the first, the last or another block.

The lights in `dump` equal, byte for byte, those of a reader in this file that shares nothing with the program. `build`
restores the file from its dump. The lights of Donkey Kong Country Returns have no documented format, so dump shows
their bytes. A stream with one changed byte that no longer decompresses, or not to its size, is the only finding, at the
bytes of the stream.

usage: areas.py LIGHTLINT AREAS     AREAS: number of areas, 100 or so; exit: 0 it holds, 1 not"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from recipe import Corpus  # noqa: E402
from recipe_mrea import ALONE, GAMES  # noqa: E402

GROWING = ("geometry", "collision", "gpu_data", "bounding_boxes", "dependencies", "path", "static_geometry_map")
LIGHTS = ("custom", "spot")
# Offsets of the numbers of sections, blocks and tags and of the index of the lights (0: none), and the size of the
# header (docs/formats/mrea.md).
HEADS = {"mp1_kiosk": (0x3C, 0, 0, 0x50, 0x60), "mp1": (0x3C, 0, 0, 0x50, 0x60), "mp2_demo": (0x3C, 0, 0, 0x54, 0x80),
         "mp2": (0x40, 0x70, 0, 0x58, 0x80), "mp3_proto": (0x40, 0x44, 0x48, 0, 0x60), "mp3": (0x40, 0x44, 0x48, 0, 0x60), "dkcr": (0x40, 0x44, 0x48, 0, 0x60)}
DAMAGES = 4  # damaged copies of each area with compressed segments


# ---------------------------------------------------------------- areas

def contents(rng, kind, large):
    if kind not in GROWING or rng.random() < 0.4:
        return ""
    most = 300_000 if large else 3_000 if rng.random() < 0.7 else 40_000
    return f" {rng.choice(('size', 'size', 'noise'))}={rng.randrange(1, most)}"


def groups(rng, kinds, most):
    """Groups the kinds into 1 to `most` blocks. The order stays, and kinds in ALONE get a block each."""
    blocks = [[kinds[0]]]
    for before, kind in zip(kinds, kinds[1:]):
        alone = kind in ALONE or before in ALONE
        if alone or (len(blocks) < most and rng.random() < 0.5):
            blocks.append([])
        blocks[-1].append(kind)
    return blocks


def lights(rng):
    lines = []
    for _ in range(rng.randrange(1, 3)):
        placed = [f"light {rng.choice(LIGHTS)} position={rng.randrange(1000)},{n},{rng.randrange(1000)}"
                  for n in range(rng.choice((1, 2, 5, 40, 300)))]
        lines += ["layer", "light ambient", *placed]
    return lines


def area(rng, name):
    """The text of a recipe, and a description of the area."""
    game = GAMES[name]
    kinds = game.order.split()
    kinds[:1] = ["geometry"] * rng.randrange(1, 4)
    large = rng.random() < 0.1
    lines = ["title: An area.", "", f"area {name}"]
    shape = rng.choice(("raw", "compressed", "stored", "mixed", "mixed"))
    blocks = groups(rng, kinds, 12 if rng.random() < 0.8 else 1) if game.codec else [kinds]
    for block in blocks:
        form = rng.choice(("raw", game.codec, game.codec, game.codec + " stored")) if shape == "mixed" else \
            {"raw": "raw", "compressed": game.codec, "stored": game.codec + " stored"}[shape]
        lines += [f"block {form}"] if game.codec else []
        for kind in block:
            lines.append(f"section {kind}" + (" empty" if kind == "visibility" else contents(rng, kind, large)))
            lines += lights(rng) if kind == "lights" else []
    return "\n".join(lines) + "\n", f"{name}, {len(blocks)} blocks, {shape}{', large' if large else ''}"


# ---------------------------------------------------------------- the reader

def up(n):
    return n + -n % 32


def lzo1x(data, wanted):
    """Decompresses LZO1X (instructions: docs/formats/mrea.md)."""
    out, at, state = bytearray(), 0, 0

    def long(n, most):
        nonlocal at
        if n:
            return n
        while not data[at]:
            n, at = n + 255, at + 1
        at += 1
        return n + most + data[at - 1]

    def literals(n):
        nonlocal at
        out.extend(data[at:at + n])
        at += n

    def copy(distance, n):
        for _ in range(n):
            out.append(out[-distance])
    if data[0] > 17:
        at = 1
        literals(data[0] - 17)
        state = min(data[0] - 17, 4)
    while True:
        code = data[at]
        at += 1
        if code < 16 and state == 0:
            literals(long(code, 15) + 3)
            state = 4
            continue
        if code >= 64:
            n = (code >> 5) - 1 + 2 if code >= 128 else (code >> 5) - 2 + 3
            distance = (data[at] << 3) + (code >> 2 & 7) + 1
            at += 1
            state = code & 3
        elif code >= 16:
            n = long(code & (31 if code >= 32 else 7), 31 if code >= 32 else 7) + 2
            low = data[at] | data[at + 1] << 8
            at += 2
            distance = (low >> 2) + (1 if code >= 32 else 0x4000 + ((code & 8) << 11))
            if code < 32 and distance == 0x4000:
                assert len(out) == wanted and at == len(data), "the stream does not end where its bytes do"
                return bytes(out)
            state = low & 3
        else:
            n, distance = (3, 0x801) if state == 4 else (2, 1)
            distance += (data[at] << 2) + (code >> 2)
            at += 1
            state = code & 3
        copy(distance, n)
        literals(state)


def decode(chunk, wanted, codec):
    """Decompresses a stream; None if that fails or gives another size than `wanted`."""
    if codec == "lzo":
        try:
            return lzo1x(chunk, wanted)
        except (AssertionError, IndexError):
            return None
    inflater = zlib.decompressobj()
    try:
        out = inflater.decompress(chunk)
    except zlib.error:
        return None
    return out if inflater.eof and not inflater.unused_data and len(out) == wanted else None


def segments(data, at, size):
    """Yields (offset of the bytes, stored size, unpacked size) of each segment of a stream."""
    for left in range(size, 0, -0x4000):
        length, = struct.unpack_from(">h", data, at)
        yield at + 2, length, min(0x4000, left)
        at += 2 + abs(length)


def unpack(data, at, size, codec):
    return b"".join(data[start:start - length] if length < 0 else decode(data[start:start + length], wanted, codec)
                    for start, length, wanted in segments(data, at, size))


def read(data, name):
    """The bytes of the lights section, found by the tables alone; and all compressed segments as (block, segment,
    offset, length, unpacked size)."""
    words = lambda at, n: struct.unpack_from(f">{n}I", data, at)  # noqa: E731
    section_at, block_at, tag_at, lights_at, header = HEADS[name]
    count = words(section_at, 1)[0]
    blocks = words(block_at, 1)[0] if block_at else 0
    tags = words(tag_at, 1)[0] if tag_at else 0
    sizes = words(header, count)
    blocks_at = header + up(4 * count)
    tags_at = blocks_at + up(16 * blocks)
    at = tags_at + up(8 * tags)
    if tags:
        wanted = next(words(tags_at + 8 * i + 4, 1)[0] for i in range(tags) if data[tags_at + 8 * i:][:4] == b"LITE")
    else:
        wanted = words(lights_at, 1)[0]
    first, found, streams = 0, None, []
    rows = [words(blocks_at + 16 * i, 4) for i in range(blocks)] or [(0, sum(sizes), 0, count)]
    for block, (_, size, packed, number) in enumerate(rows):
        start = at + up(packed) - packed
        if packed:
            streams += [(block, i, begin, length, wanted) for i, (begin, length, wanted) in enumerate(segments(data, start, size)) if length > 0]
        if first <= wanted < first + number:
            offset = sum(sizes[first:wanted])
            whole = unpack(data, start, size, GAMES[name].codec) if packed else data[at:at + size]
            found = whole[offset:offset + sizes[wanted]]
        at += up(packed or size)
        first += number
    assert found is not None, "no block holds the lights"
    return found, streams


# ---------------------------------------------------------------- the program

def bytes_of(span):
    """The bytes of a span, encoded from its value; None if it has no value."""
    value, kind = span.get("value"), span["type"]
    if value is None:
        return None
    values = value if isinstance(value, list) else [value]
    if kind.startswith("f32"):
        return struct.pack(f">{len(values)}f", *values)
    size = span["length"] // len(values)
    return b"".join((int(v, 0) if isinstance(v, str) else v).to_bytes(size, "big") for v in values)


def lint(program, path):
    """Errors and warnings of a file."""
    run = subprocess.run([program, "--isolated", "--unsupported=allow", "--all", "--format", "jsonl", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return [line for line in lines if line["type"] == "finding" and line["severity"] in ("error", "warning")]


def kept_of(dump):
    """The bytes of undocumented lights in a region or the file; None if there are none."""
    def walk(records):
        for record in records:
            yield record
            yield from walk(record.get("records", []))
    for part in (dump, *dump.get("regions", [])):
        for record in walk(part["records"]):
            if record["record"] == "mrea.section_lights":
                return bytes.fromhex(record["hex"]) if "hex" in record else bytes(record["zeros"])
    return None


def damaged(program, path, data, name, rng):
    """Damages one byte in each of some streams. Returns what is wrong with the findings, and the number of damaged
    streams."""
    wrong, tried = [], 0
    codec, (_, streams) = GAMES[name].codec, read(data, name)
    for block, number, begin, length, wanted in rng.sample(streams, min(DAMAGES, len(streams))):
        at = begin + rng.randrange(length)
        now = bytearray(data)
        now[at] ^= 1 << rng.randrange(8)
        if decode(bytes(now[begin:begin + length]), wanted, codec) is not None:
            continue  # still decompresses: LZO streams have no checksum
        tried += 1
        with open(path, "wb") as file:
            file.write(now)
        found = lint(program, path)
        place = f"block[{block}].segment[{number}].data"
        if [(f["name"], f["path"], f["offset"], f["length"]) for f in found] != [("segment-bad", place, begin, length)]:
            wrong.append(f"{codec} stream changed at {at:#x}: {[(f['name'], f['path'], f['offset'], f['length']) for f in found][:4]}, not {(place, begin, length)}")
    return wrong, tried


def faults(program, path, rebuilt, data, name):
    run = subprocess.run([program, "--isolated", "--unsupported=allow", "-qq", "--format", "concise", path],
                         stdout=subprocess.PIPE, check=False)
    if run.returncode:
        return ["check: " + run.stdout.decode()[:300]]
    dump = json.loads(subprocess.run([program, "dump", "--isolated", "--format", "json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout)
    wanted, seen, start = read(data, name)[0], 0, None
    if name == "dkcr" and kept_of(dump) != wanted:
        return ["dump: other lights"]
    for part in (dump, *dump.get("regions", [])):
        for span in part["spans"]:
            if ".lights." in span["path"] + ".":
                start = span["offset"] if start is None else start
                at = span["offset"] - start
                now = bytes_of(span)
                if now is not None and now != wanted[at:at + span["length"]]:
                    return [f"dump: {span} is not {wanted[at:at + span['length']].hex(' ')}"]
                seen += span["length"]
    if seen != len(wanted):
        return [f"dump: {seen} bytes of lights, not {len(wanted)}"]
    dumped = path + ".json"
    with open(dumped, "wb") as file:
        subprocess.run([program, "dump", "--isolated", "--format", "json", path], stdout=file, stderr=subprocess.DEVNULL, check=False)
    run = subprocess.run([program, "build", "--isolated", "--unsupported=allow", "-o", rebuilt, dumped], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode:
        return ["build: " + (run.stdout + run.stderr).decode()[:300]]
    with open(rebuilt, "rb") as file:
        return [] if file.read() == data else ["build: not the file again"]


def main(program, count):
    failed, sizes, rng = 0, [], random.Random(20261123)
    bad, tried = [], dict.fromkeys(("lzo", "zlib"), 0)
    names = list(GAMES)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            text, words = area(rng, rng.choice(names + ["mp2", "mp3", "dkcr"]))
            name = words.split(",")[0]
            path = os.path.join(folder, "mrea", f"good-area-{number}.txt")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            corpus = Corpus()
            data = bytes(corpus.assemble(corpus.add(path)).data)
            made = os.path.join(folder, f"{number}.mrea")
            with open(made, "wb") as file:
                file.write(data)
            sizes.append(len(data))
            for fault in faults(program, made, os.path.join(folder, "rebuilt.mrea"), data, name):
                failed += 1
                print(f"area {number} ({words}, {len(data)} bytes): {fault}\n{text}" if failed < 4 else f"area {number}: {fault[:100]}")
            if GAMES[name].codec:
                wrong, n = damaged(program, made, data, name, rng)
                bad += [f"area {number} ({words}): {line}" for line in wrong]
                tried[GAMES[name].codec] += n
    print("\n".join(bad[:20]))
    print(f"changed streams that do not decompress: {tried['lzo']} of LZO, {tried['zlib']} of zlib; {len(bad)} of them are not the only finding")
    print(f"sizes from {min(sizes)} to {max(sizes)} bytes")
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed or bad or not all(tried.values()) else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), int(sys.argv[2])))
