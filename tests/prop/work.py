#!/usr/bin/env python3
"""Work on a file is bounded: no file of up to 64 kB of any family, however damaged, takes more than 2 s of processor
time to dump or to fix, and so to check, with which fix begins. The test measures user time, so that other load on the
machine does not matter; the bound is twice the cost of the most expensive file. Archives of 40,000 files take at most
4 s to check. A fix that stops before its last patch reports that; otherwise, fixing again changes nothing.

usage: work.py [--all] [--table] LIGHTLINT MAKE_INPUTS CORPUS
--all: dumps as well, though both search for the cause, and fixes again; --table: the most expensive files
exit: 0 it holds, 1 it does not, 77 no times of child processes here"""
import copy
import hashlib
import json
import os
import random
import subprocess
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from fox_package import Archive, DataSet, Harmonics  # noqa: E402
from program import Program, Workshop  # noqa: E402
from recipe import Corpus  # noqa: E402

try:
    import resource
except ImportError:
    sys.exit(77)

SECONDS_MAX, SIZE_MAX, SEED = 2, 64 << 10, 27
CROWD, CROWD_SECONDS_MAX = 40000, 4
CHECK, FIX = ("check", "--format", "jsonl", "--all"), ("fix", "--unsafe", "--format", "jsonl")


def grown_lpsh(data):
    model = Harmonics.read(data)
    model.probes = [copy.copy(model.probes[i % len(model.probes)]) for i in range(200)]
    for number, probe in enumerate(model.probes):
        probe.name = b"LP_%04d" % number
    return model.write()


def grown_fox2(data):
    model = DataSet.read(data)
    more = [copy.deepcopy(entity) for entity in model.entities[1:] * 9]
    for number, entity in enumerate(more):
        entity.address += 0x100000 + 0x1000 * number
        entity.id += 1000 + number
    model.entities += more
    return model.write()


def grown_lba(program, workshop, data):
    dump = json.loads(program.call("dump", "--format", "json", workshop.write("few.lba", data), cwd=workshop.path)[1])
    for record in dump["records"]:
        record["items"] = [copy.copy(item) for item in record["items"] * 300] if "items" in record else []
        for number, item in enumerate(record["items"]):
            if "name_hash" in item:
                item["name_hash"] = f"{0x1000 + number:#010x}"
        if not record["items"]:
            del record["items"]
    workshop.write("many.json", json.dumps(dump).encode())
    program.call("build", "many.json", "-o", "many.lba", cwd=workshop.path)
    with open(os.path.join(workshop.path, "many.lba"), "rb") as file:
        return file.read()


def inflating():
    """An area of Donkey Kong Country Returns of 64 kB in which each 37 bytes unpack to 16 KiB."""
    packed = zlib.compress(bytes(0x4000), 9)
    segment = struct.pack(">h", len(packed)) + packed
    count = (SIZE_MAX - 0x200) // len(segment)
    size, stream = 0x4000 * count, segment * count
    head = struct.pack(">2I12f6I20x", 0xDEADBEEF, 0x20, *(float(i % 5 == 0) for i in range(12)), 1, 1, 1, 1, 1, 0)[:0x60]
    rows = (struct.pack(">I", size), struct.pack(">4I", size + 0x120, size, len(stream), 1), struct.pack(">4sI", b"LITE", 0))
    data = head + b"".join(row.ljust(32, b"\0") for row in rows) + bytes(-len(stream) % 32) + stream
    return data + b"\xFF" * (-len(data) % 64)


def good_files(program, workshop, make_inputs, folder):
    """Name and bytes of large files of each family."""
    made = os.path.join(workshop.path, "made")
    os.mkdir(made)
    subprocess.run([make_inputs, made, "40", "60000"], check=True)
    small = {}
    for name in sorted(os.listdir(made)) + [f"clean/000/{i:04}.grxla" for i in range(40)]:
        if os.path.isfile(os.path.join(made, name)):
            with open(os.path.join(made, name), "rb") as file:
                data = file.read()
            if "/" in name:
                small[f"/Assets/tpp/level/{os.path.basename(name)}"] = data
            else:
                yield name, data
    corpus = Corpus(folder)
    good = {case: bytes(corpus.assemble(corpus.recipes[case]).data) for case in ("good-lpsh", "good-fox2", "good-lba")}
    yield "many.lpsh", grown_lpsh(good["good-lpsh"])
    yield "many.fox2", grown_fox2(good["good-fox2"])
    yield "many.lba", grown_lba(program, workshop, good["good-lba"])
    yield "inflating.mrea", inflating()
    yield "many.fpk", Archive("fpk", small).write()


def crowded():
    """Yields (expected finding, archive of many empty files): all path hashes wrong, no path terminated, one long
    path for all records."""
    paths = [b"/Assets/tpp/%07d.lua" % number for number in range(CROWD)]
    place = 0x30 + 0x30 * CROWD  # after header and records

    def archive(records, texts, count=CROWD):
        data = b"foxfpk\0win" + struct.pack("<I18x4I", 0, 2, count, 0, 0) + b"".join(records) + texts
        return data + bytes(-len(data) % 16)

    def records(hashes):
        return [struct.pack("<4Q", 0, 0, place + number * (len(path) + 1), len(path)) + hashes(path) for number, path in enumerate(paths)]

    yield "fpk-path-hash", archive(records(lambda path: bytes(16)), b"".join(path + b"\0" for path in paths))
    yield "fpk-string-terminator", archive(records(lambda path: hashlib.md5(path).digest()), b"".join(path + b"a" for path in paths))
    one = b"/Assets/" + b"a" * (48 * CROWD) + b"\0"
    yield "fpk-overlap", archive([struct.pack("<4Q", 0, 0, place, len(one) - 1) + bytes(16)] * CROWD, one, CROWD - 1)


def damages(dice, data):
    """Yields copies with scattered bytes and with whole ranges overwritten."""
    third = len(data) // 3
    for count in (20, 300, 1500):
        changed = bytearray(data)
        for _ in range(count):
            changed[dice.randrange(len(data))] = dice.randrange(256)
        yield f"{count} bytes changed", bytes(changed)
    yield "a random tail", data[:third] + dice.randbytes(len(data) - third)
    yield "a third in zeros", data[:third] + bytes(third) + data[2 * third:]
    yield "a third doubled", (data[:2 * third] + data[third:])[:SIZE_MAX]
    yield "every 37th byte", bytes(byte ^ 0x41 if i > 64 and i % 37 == 0 else byte for i, byte in enumerate(data))
    yield "all but the head random", data[:64] + dice.randbytes(len(data) - 64)


def timed(program, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    out = program.call(*arguments)[1]
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, out


def least(most, run):
    """Time and output of a run; above the limit, the least of three, because other load on a machine only adds."""
    seconds, out = run()
    for _ in range(2):
        seconds = min(seconds, run()[0]) if seconds > most else seconds
    return seconds, out


def main(lightlint, make_inputs, folder, everything=False, table=False):
    program, faults, costs, limited = Program(lightlint), [], [], 0
    with Workshop() as workshop:
        for name, data in list(good_files(program, workshop, make_inputs, folder)):
            for what, damaged in damages(random.Random(f"{SEED} {name}"), data[:SIZE_MAX]):
                path = os.path.join(workshop.path, name)
                for command in (("dump",), FIX) if everything else (FIX,):
                    seconds, out = least(SECONDS_MAX, lambda: timed(program, *command, os.path.join(workshop.path, workshop.write(name, damaged))))
                    costs.append((seconds, f"{name}, {what} ({len(damaged)} bytes): {' '.join(command)}"))
                untried = b'"why":"untried"' in out
                limited += untried
                # Fix again only after a fix that did not stop early.
                if everything and not untried and b'"type":"patch"' in timed(program, *FIX, path)[1]:
                    faults.append(f"{name}, {what}: fix did not report that it stopped early, but fixing again changes the file")
        faults += [f"{what}: {seconds:.2f} s" for seconds, what in sorted(costs, reverse=True) if seconds > SECONDS_MAX]
        for finding, data in crowded():
            path = os.path.join(workshop.path, workshop.write(f"{finding}.fpk", data))
            seconds, out = least(CROWD_SECONDS_MAX, lambda: timed(program, *CHECK, path))
            costs.append((seconds, f"{CROWD} files: {finding} ({len(data)} bytes)"))
            faults += [f"{CROWD} files: {finding}: {seconds:.2f} s"] if seconds > CROWD_SECONDS_MAX else []
            faults += [] if f'"name":"{finding}"'.encode() in out else [f"{CROWD} files: no finding {finding}"]
    costs.sort(reverse=True)
    for seconds, what in costs[:12] if table else ():
        print(f"{seconds:.2f} s {what}")
    print("\n".join(faults[:40] + [f"{len(costs)} runs, {limited} fixes stopped early, {len(faults)} faults"]))
    return 1 if faults or not limited else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    sys.exit(main(*words, everything="--all" in sys.argv, table="--table" in sys.argv))
