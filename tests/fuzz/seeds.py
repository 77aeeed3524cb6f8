#!/usr/bin/env python3
"""Writes the seeds of the fuzzers: the assembled recipes after the bytes that each target reads first, single stanzas
of the shipped packs, and the seeds and past crashes in this folder.

usage: seeds.py OUT
makes OUT/lint_FAMILY, OUT/emit, OUT/fix, OUT/build, OUT/pack, OUT/lines, OUT/manifest, OUT/lzo"""
import functools
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
import lzo1x  # noqa: E402
import recipe  # noqa: E402

RULES = os.path.join(ROOT, "rules")


def decode_hex(text):
    return bytes.fromhex(re.sub(r"#.*", "", text))


def stored(target):
    """Yields the files of seeds/ and regressions/ in the form that the target reads."""
    for folder in ("seeds", "regressions"):
        for directory, _, names in os.walk(os.path.join(HERE, folder, target)):
            for name in sorted(names):
                with open(os.path.join(directory, name), "rb") as file:
                    content = file.read()
                is_hex = name.endswith(".hex")
                yield f"{folder}-{name.removesuffix('.hex')}", decode_hex(content.decode()) if is_hex else content


@functools.cache
def cases():
    """(family, name of the case, file name, bytes) of every recipe."""
    corpus = recipe.Corpus(os.path.join(ROOT, "corpus"))
    return [(each.family, case, corpus.file_name(each), bytes(corpus.assemble(each).data))
            for case, each in corpus.recipes.items()]


def lint_seeds(wanted):
    for number, (family, case, _, data) in enumerate(cases()):
        if family == wanted:
            yield case, bytes([number * 37 & 0xFF]) + data


def emit_seeds():
    for number, (_, case, name, data) in enumerate(cases()):
        encoded = name.encode()[:255]
        yield case, bytes([number * 37 & 0x7F, number % 8, len(encoded)]) + encoded + data


def fix_seeds():
    for number, (_, case, name, data) in enumerate(cases()):
        encoded = name.encode()[:255]
        yield case, bytes([1 if number % 4 else number // 4 % 8, len(encoded)]) + encoded + data


def build_seeds():
    """Every case unchanged, and some with a few changed bytes in their dump."""
    for number, (_, case, name, data) in enumerate(cases()):
        encoded = name.encode()[:255]
        yield case, bytes([0, len(encoded)]) + encoded + data
        if number % 5 == 0:
            place = number * 7919 % 30000 + 1000
            changes = b"".join((place * i & 0xFFFF).to_bytes(2, "big") + b"09\"{x,[-"[i:i + 1] for i in range(1, 4))
            yield case + "-changed", b"\x03" + changes + bytes([len(encoded)]) + encoded + data


def lzo_seeds():
    for _, case, _, data in cases()[::20]:
        part = data[:0x1000]
        yield case, len(part).to_bytes(2, "big") + lzo1x.compress(part)


def pack_seeds():
    """Stanzas of the shipped packs, with an id and a name that are allowed in a user pack."""
    for pack in sorted(name for name in os.listdir(RULES) if name.endswith(".yaml")):
        with open(os.path.join(RULES, pack), encoding="utf-8") as file:
            stanzas = re.split(r"^(?=- id: )", file.read(), flags=re.M)[1:]
        for stanza in stanzas:
            name = re.search(r"^  name: (\S+)", stanza, re.M).group(1)
            stanza = re.sub(r"^- id: [A-Z]+", "- id: ZED", stanza)
            yield name, re.sub(r"^  name: ", "  name: zed-", stanza, flags=re.M).encode()


def write_all(out):
    lint = [("lint_" + family, lambda family=family: lint_seeds(family)) for family in recipe.FAMILIES]
    for target, more in (*lint, ("emit", emit_seeds), ("fix", fix_seeds), ("build", build_seeds), ("pack", pack_seeds), ("lines", list), ("manifest", list), ("lzo", lzo_seeds)):
        folder = os.path.join(out, target)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name, data in [*stored(target), *more()]:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    write_all(sys.argv[1])
