"""Makes damaged files: a sound file with one random damage each. damages.tsv lists the kinds of damage; this module has
the operations that its rows name.

A fault is named CASE/KIND/NUMBER. Name and seed suffice to make it again. A fault knows the ranges where a finding
is acceptable: the damaged record and, when bytes were inserted or removed, also the ranges that state the record's
size."""
import copy
import os
import random
import re
import struct
from dataclasses import dataclass, field

import transport_damages
from anatomy import PARTS, kind_of
from strict_readers import refuses

FLOATS = {2: "e", 4: "f"}
LENGTHS = (1, 2, 4, 16, 32)  # numbers of bytes inserted or removed
SPECIAL = (float("nan"), float("inf"), 0.0, 1e30, 1e-41)


@dataclass
class Fault:
    name: str
    kind: str
    words: str
    data: bytes
    places: list = field(default_factory=list)  # (start, end) in the damaged file
    original: bytes = b""
    cause: str = ""  # `found` of the finding that is expected first; "": it must be in `places`
    count: int = 1  # number of damages

    def stretches(self):
        """The places, with adjacent ones merged."""
        out = []
        for start, end in sorted(self.places):
            if out and start <= out[-1][1]:
                out[-1] = (out[-1][0], max(out[-1][1], end))
            else:
                out.append((start, end))
        return out

    def holds(self, finding):
        start, end = finding["offset"], finding["offset"] + finding["length"]
        return any(start <= e and end >= s if start == end or s == e else start < e and end > s for s, e in self.places)


def splice(data, at, removed, new):
    return data[:at] + new + data[at + removed:]


def moved(ranges, at, removed, added):
    """Ranges of a file after `removed` bytes at `at` were replaced by `added` bytes. Inserted bytes belong to the
    ranges that touch them."""
    return [(start if start <= at else max(at, start - removed) + added, end if end < at else max(at, end - removed) + added)
            for start, end in ranges]


# ------------------------------------------------------------------ single fields

def other_byte(rng, old):
    return rng.choice([old ^ 1 << rng.randrange(8), (old + 1) & 0xFF, rng.randrange(256), 0x00, 0xFF])


def number_of(anatomy, leaf):
    """Byte order of a leaf's number."""
    big = anatomy.order == "big" or leaf.type.endswith("BE") or bool(re.fullmatch(r"\w+\.length", leaf.path))
    return "big" if big else "little"


def new_integer(rng, old, order):
    size = len(old)
    value, full = int.from_bytes(old, order), (1 << 8 * size) - 1
    choice = rng.choice([value + 1, value - 1, value + 4, value - 4, 2 * value + 1, value ^ 1 << rng.randrange(8 * size), 0, full,
                         int.from_bytes(old[::-1], order), rng.randrange(full + 1), full >> 1])
    return (choice & full).to_bytes(size, order)


def new_float(rng, old, order):
    code = ("<" if order == "little" else ">") + FLOATS[len(old)]
    value = struct.unpack(code, old)[0]
    choice = rng.choice([*SPECIAL, -value, value * 1000, value + 1, old[::-1], rng.randbytes(len(old))])
    if isinstance(choice, bytes):
        return choice
    try:
        return struct.pack(code, choice)
    except OverflowError:
        return struct.pack(code, float("inf"))


def element(rng, leaf):
    """Offset and size of one random number of a leaf."""
    match = re.match(r"[a-z]+(\d+)", leaf.type)
    size = int(match.group(1)) // 8 if match else leaf.end - leaf.start
    count = max((leaf.end - leaf.start) // max(size, 1), 1)
    return leaf.start + size * rng.randrange(count), size


def new_field(anatomy, rng, leaf):
    """Offset and new bytes."""
    order, old = number_of(anatomy, leaf), anatomy.data[leaf.start:leaf.end]
    if leaf.type in ("string", "padding", "reserved", "terminator", "magic", "bytes") or leaf.type.startswith(("char", "bytes")):
        at = rng.randrange(leaf.start, leaf.end)
        return at, bytes([other_byte(rng, anatomy.data[at])])
    if leaf.type in ("size", "count", "offset", "hash"):
        return leaf.start, new_integer(rng, old, order)
    at, size = element(rng, leaf)
    old = anatomy.data[at:at + size]
    return at, (new_float if leaf.type.startswith("f") and size in FLOATS else new_integer)(rng, old, order)


ROLES = ("size", "count", "offset", "magic", "hash", "string", "padding", "reserved", "terminator", "bytes")


def damage_field(*types):
    """Changes a field of one of these types; without types, a field that has no role."""
    def damage(anatomy, rng):
        leaves = [leaf for leaf in anatomy.leaves if (leaf.type in types if types else leaf.type not in ROLES)]
        if not leaves:
            return None
        leaf = rng.choice(leaves)
        at, new = new_field(anatomy, rng, leaf)
        words = f"{leaf.path} +{at:#x}: {anatomy.data[at:at + len(new)].hex(' ')} -> {new.hex(' ')}"
        return splice(anatomy.data, at, len(new), new), words, anatomy.record(leaf)
    return damage


def zeroed(type_):
    """Sets a field of that type to 0."""
    def damage(anatomy, rng):
        leaves = [leaf for leaf in anatomy.leaves if leaf.type == type_]
        if not leaves:
            return None
        leaf = rng.choice(leaves)
        size = leaf.end - leaf.start
        return splice(anatomy.data, leaf.start, size, bytes(size)), f"{leaf.path} zeroed", anatomy.record(leaf)
    return damage


def number(type_, how):
    """Changes a field of that type to another number; `how` chooses it."""
    def damage(anatomy, rng):
        leaves = [leaf for leaf in anatomy.leaves if leaf.type == type_ and leaf.end - leaf.start <= 8]
        if not leaves:
            return None
        leaf = rng.choice(leaves)
        size, order = leaf.end - leaf.start, number_of(anatomy, leaf)
        old = int.from_bytes(anatomy.data[leaf.start:leaf.end], order)
        others = [anatomy.data[other.start:other.end] for other in leaves if other.end - other.start == size]
        value = {"one off": lambda: old + rng.choice([1, -1]), "four more": lambda: old + 4, "four less": lambda: old - 4,
                 "double": lambda: 2 * old, "largest": lambda: -1, "beyond": lambda: len(anatomy.data) + 16, "any": lambda: rng.getrandbits(8 * size),
                 "another's": lambda: int.from_bytes(rng.choice(others), order)}[how]()
        new = (value & (1 << 8 * size) - 1).to_bytes(size, order)
        return splice(anatomy.data, leaf.start, size, new), f"{leaf.path} {old:#x} -> {value:#x}", anatomy.record(leaf)
    return damage


def text_length(how):
    """Adds or removes letters at the end of a text. Nothing else changes."""
    def damage(anatomy, rng):
        leaves = [leaf for leaf in anatomy.leaves if leaf.type == "string" and leaf.end - leaf.start >= 4]
        if not leaves:
            return None
        leaf, count = rng.choice(leaves), rng.randrange(1, 17)
        places = anatomy.suspects(leaf.start, leaf.end) + [(leaf.start, leaf.end)]
        if how == "longer":
            letters = bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=count))
            return splice(anatomy.data, leaf.end, 0, letters), f"{leaf.path} ends with {letters!r}", moved(places, leaf.end, 0, count)
        count = min(count, leaf.end - leaf.start - 1)
        return splice(anatomy.data, leaf.end - count, count, b""), f"{leaf.path}: {count} letters fewer", moved(places, leaf.end - count, count, 0)
    return damage


# ------------------------------------------------------------------ byte orders and number types

WIDTH = re.compile(r"[uif](\d+)")


def numbers_of(leaf):
    """(offset, size) of the numbers of two or more bytes in a leaf."""
    match, size = WIDTH.match(leaf.type), leaf.end - leaf.start
    whole = size <= 8 and (leaf.type in ("size", "count", "offset", "hash") or leaf.type.startswith("bytes["))  # a fourth number beside three
    width = int(match.group(1)) // 8 if match else size if whole else 1
    return [(at, width) for at in range(leaf.start, leaf.end - width + 1, width)] if width > 1 else []


def reversed_order(scope):
    """Reverses the byte order of a field, of all fields of a record, or of the whole file."""
    def damage(anatomy, rng):
        leaves = [leaf for leaf in anatomy.leaves if any(len(set(anatomy.data[at:at + size])) > 1 for at, size in numbers_of(leaf))]
        if not leaves:
            return None
        one, data = rng.choice(leaves), bytearray(anatomy.data)
        chosen = [leaf for leaf in leaves if scope == "file" or leaf is one or (scope == "record" and leaf.record == one.record)]
        for at, size in (place for leaf in chosen for place in numbers_of(leaf)):
            data[at:at + size] = data[at:at + size][::-1]
        return bytes(data), f"{scope} of {one.path} in the other byte order", [place for leaf in chosen for place in anatomy.record(leaf)]
    return damage


def as_integer(value, code):
    return struct.pack(code[0] + {"f": "i", "e": "h"}[code[1]], round(value))


def as_half(value, code):
    return struct.pack(code[0] + "e", value).ljust(struct.calcsize(code), b"\0") if code[1] == "f" else None


def times(factor):
    return lambda value, code: struct.pack(code, value * factor)


# Ways to write a float as a number of another type, size or unit.
WRITERS = {"integer": as_integer, "half": as_half, "percent": times(100), "255": times(255)}


def written(how):
    """Writes a float, and the other elements of its vector, as another type or in another unit."""
    def damage(anatomy, rng):
        leaves = [leaf for leaf in anatomy.leaves if re.match(r"f(16|32)", leaf.type)]
        rng.shuffle(leaves)
        for leaf in leaves:
            size = int(WIDTH.match(leaf.type).group(1)) // 8
            code = ("<" if number_of(anatomy, leaf) == "little" else ">") + FLOATS[size]
            values = [struct.unpack(code, anatomy.data[at:at + size])[0] for at in range(leaf.start, leaf.end, size)]
            if all(abs(value) <= (1 if how in ("percent", "255") else 1000) for value in values) and any(values):
                new = [WRITERS[how](value, code) for value in values]
                if None not in new:
                    return splice(anatomy.data, leaf.start, leaf.end - leaf.start, b"".join(new)), f"{leaf.path} {values} as {how}", anatomy.record(leaf)
        return None
    return damage


# ------------------------------------------------------------------ bytes inserted or removed

def shift(anatomy, rng, at, leaf, out, lengths=LENGTHS):
    """Inserts or removes bytes at `at`, in or before a leaf. Returns data, description, places, and the change in
    size."""
    size = rng.choice(lengths)
    size = min(size, len(anatomy.data) - at) if out else size
    row = sum(end - start for start, end in anatomy.record(leaf))
    suspects = anatomy.suspects(at, at + size - 1 if out else at, whole=size % row == 0)
    new = b"" if out else rng.choice([bytes(size), rng.randbytes(size), anatomy.data[at:at + size].ljust(size, b"\0")])
    data = splice(anatomy.data, at, size if out else 0, new)
    words = f"{size} bytes {'taken out' if out else 'put in'} at +{at:#x}, {leaf.path}"
    return data, words, moved(suspects, at, size if out else 0, len(new)), len(new) - (size if out else 0)


def inside(way, *lengths):
    """Inserts or removes bytes anywhere."""
    def damage(anatomy, rng):
        leaf = rng.choice(anatomy.leaves)
        return shift(anatomy, rng, rng.randrange(leaf.start, leaf.end), leaf, way == "out", [int(n) for n in lengths] or LENGTHS)[:3]
    return damage


def at_edge(way):
    """Inserts or removes bytes between two records."""
    def damage(anatomy, rng):
        edges = [b for a, b in zip(anatomy.leaves, anatomy.leaves[1:]) if a.record != b.record]
        if not edges:
            return None
        leaf = rng.choice(edges)
        return shift(anatomy, rng, leaf.start, leaf, way == "out")[:3]
    return damage


def mended(way):
    """Inserts or removes bytes, then corrects the stated size or the padding, as a careful editor does."""
    def damage(anatomy, rng):
        leaf = rng.choice(anatomy.leaves)
        at = rng.randrange(leaf.start, leaf.end)
        data, words, places, change = shift(anatomy, rng, at, leaf, way == "out")
        mend = MENDS[anatomy.family](anatomy, leaf, at, data, change)
        return mend and (mend, words + ", and made right again", places)
    return damage


def add_to(data, at, size, order, change):
    value = int.from_bytes(data[at:at + size], order) + change
    return splice(data, at, size, (value & (1 << 8 * size) - 1).to_bytes(size, order))


def mend_entry(anatomy, leaf, at, data, change):
    """Corrects entry_size of the entry."""
    stated = next((other for other in anatomy.leaves if other.path == leaf.record + ".entry_size"), None)
    return add_to(data, stated.start, 4, "little", change) if stated and stated.end <= at else None


def mend_property(anatomy, leaf, at, data, change):
    """Corrects the sizes of property and entity, and the offsets to what follows."""
    match = re.match(r"(entity\[[^\]]*\])\.property\[[^\]]*\]", leaf.path)
    if not match:
        return None
    fields = {path: next(other for other in anatomy.leaves if other.path == path) for path in
              ("header.string_table_offset", match.group(1) + ".dynamic_offset", match.group(1) + ".size", match.group() + ".size")}
    entity = next(other for other in anatomy.leaves if other.path.startswith(match.group(1)))
    for path, stated in fields.items():
        if path.endswith("dynamic_offset") and at >= entity.start + int.from_bytes(data[stated.start:stated.end], "little"):
            continue
        if stated.end > at:
            return None
        data = add_to(data, stated.start, stated.end - stated.start, "little", change)
    return data


def mend_file(anatomy, leaf, at, data, change):
    """Corrects the sizes in header and node."""
    for stated in anatomy.leaves:
        if stated.path in ("header.file_size", "node.data_size") and stated.end <= at:
            data = add_to(data, stated.start, 4, "little", change)
    return data


def mend_length(anatomy, leaf, at, data, change):
    """Corrects the length of the section."""
    section = re.match(r"\w+", leaf.path).group()
    stated = next((other for other in anatomy.leaves if other.path == section + ".length"), None)
    return add_to(data, stated.start, 4, "big", change) if stated and stated.end <= at else None


def mend_section(anatomy, leaf, at, data, change):
    """Corrects the padding after the lights, so that the section ends where it did, or at the next multiple of the
    grid."""
    match = re.match(r"(.*\b)?lights\.", leaf.path)
    if not match:
        return None
    parts = [other for other in anatomy.leaves if other.path.startswith(match.group())]
    end, padding = parts[-1].end, sum(other.end - other.start for other in parts if other.path.endswith(".padding"))
    if change < 0:
        return splice(data, end + change, 0, bytes(-change)) if at - change <= end else None
    if change <= padding and at < end - padding:
        return splice(data, end, change, b"")
    return data + bytes(-change % 32) if end == len(anatomy.data) and match.group() == "lights." else None


def mend_nothing(anatomy, leaf, at, data, change):
    """Corrects nothing: no field states a size."""


MENDS = {"fox": mend_property, "fpk": mend_file, "grx": mend_entry, "lba": mend_nothing, "lpsh": mend_file, "mrea": mend_section, "rgm": mend_length}

# ------------------------------------------------------------------ whole records, the end of the file

def swapped(anatomy, rng):
    pairs = list(anatomy.neighbours())
    if not pairs:
        return None
    (one, start, middle), (two, _, end) = rng.choice(pairs)
    data = anatomy.data[:start] + anatomy.data[middle:end] + anatomy.data[start:middle] + anatomy.data[end:]
    return data, f"{one} and {two} swapped", [(start, end)]


def whole(how):
    """Repeats or drops a record."""
    def damage(anatomy, rng):
        if not anatomy.units:
            return None
        kinds = sorted({kind_of(prefix) for prefix in anatomy.units})
        kind = rng.choice(kinds)
        prefix, (start, end) = rng.choice([item for item in anatomy.units.items() if kind_of(item[0]) == kind])
        size, suspects = end - start, anatomy.suspects(start, end - 1, whole=True)
        if how == "twice":
            data, places = splice(anatomy.data, end, 0, anatomy.data[start:end]), moved(suspects, end, 0, size)
            places.append((end, end + size))
        else:
            data, places = splice(anatomy.data, start, size, b""), moved(suspects, start, size, 0)
        return data, f"{prefix} {how}", places
    return damage


def cut(how):
    """Cuts off the end of the file."""
    def damage(anatomy, rng):
        data, sizes = anatomy.data, [*LENGTHS, rng.randrange(1, len(anatomy.data))] if how == "anywhere" else []
        edges = [leaf.start for leaf in anatomy.leaves if leaf.start and how == "at a record" and leaf.record != leaf.path]
        size = min(rng.choice(sizes) if sizes else len(data) - rng.choice(edges) if edges else len(data) // 2, len(data) - 1)
        end = len(data) - size
        places = moved(anatomy.suspects(end, end, whole=True), end, size, 0)
        return data[:end], f"last {size} bytes cut off", places + [(end, end)]
    return damage


def overwritten(where, what):
    """Overwrites bytes, anywhere or at the end, with zeros, noise, or other bytes of the file."""
    def damage(anatomy, rng):
        data, size = anatomy.data, min(rng.choice([4, 16, 64, 200]), len(anatomy.data) - 1)
        at = len(data) - size if where == "end" else rng.randrange(len(data) - size)
        other = rng.randrange(len(data) - size)
        new = {"zeros": bytes(size), "noise": rng.randbytes(size), "others": data[other:other + size]}[what]
        return splice(data, at, size, new), f"{size} bytes at +{at:#x} are {what}", anatomy.suspects(at + 1, at + size - 1, whole=True) + [(at, at + size)]
    return damage


def rows_shifted(anatomy, rng):
    """From one row of a table on, moves the contents of each row up or down by one. The number of rows stays."""
    rows = siblings(anatomy, rng, least=3)
    runs = [rows[i:i + n] for i in range(len(rows)) for n in (3, 4, 8) if i + n <= len(rows) and
            all(a[1] == b[0] for a, b in zip(rows[i:i + n], rows[i + 1:i + n]))]
    if not runs:
        return None
    run = rng.choice(runs)
    (start, first), (last, end), data = run[0], run[-1], anatomy.data
    down = rng.random() < 0.5
    new = data[start:first] + data[start:last] if down else data[first:end] + data[last:end]
    leaf = next(other for other in anatomy.leaves if other.start == start)
    return splice(data, start, end - start, new), f"{len(run)} rows from {leaf.record} moved {'down' if down else 'up'}", \
        [(start, end)] + anatomy.frame(leaf, whole=True)


def section(how):
    """Damages an outermost part of the file: drops it, empties it, or changes its size. The size field before it, if
    any, is corrected."""
    def damage(anatomy, rng):
        if not anatomy.outermost:
            return None
        prefix, (start, end) = rng.choice(anatomy.outermost)
        inside_it = [leaf for leaf in anatomy.leaves if start <= leaf.start < end]
        suspects, size = anatomy.suspects(start, end - 1, whole=True), end - start
        stated = next((leaf for leaf in inside_it if leaf.type == "size"), None)
        if how == "dropped":
            return splice(anatomy.data, start, size, b""), f"{prefix} dropped", moved(suspects, start, size, 0)
        if how == "emptied":
            if not stated or stated.end == end:
                return None
            data = splice(anatomy.data, stated.start, end - stated.start, bytes(stated.end - stated.start))
            return data, f"{prefix} emptied", moved(suspects, stated.end, end - stated.end, 0)
        change = rng.choice([4, 16, 64, -4, -16])
        if change < 0 and (size <= -change or not stated):
            return None
        data = splice(anatomy.data, end + min(change, 0), max(-change, 0), bytes(max(change, 0)))
        data = MENDS[anatomy.family](anatomy, inside_it[-1], end, data, change)
        return data and (data, f"{prefix} {change:+} bytes", moved(suspects, end, max(-change, 0), max(change, 0)))
    return damage


def siblings(anatomy, rng, least=2):
    """(start, end) of all units of one kind and size; at least `least` of them."""
    groups = {}
    for prefix, (start, end) in anatomy.units.items():
        groups.setdefault((kind_of(prefix), end - start), []).append((start, end))
    groups = [group for (kind, size), group in sorted(groups.items()) if len(group) >= least and size > 8 and kind != "*"]
    return rng.choice(groups) if groups else []


def resized(anatomy, rng):
    """Makes a field too long or too short in all records of a kind, as a writer for another game or language does.
    The size of the section is corrected."""
    group, size = siblings(anatomy, rng), rng.choice([-1, 1, 3, -4, 4])
    if not group:
        return None
    leaf = next(other for other in anatomy.leaves if other.start == group[0][0])
    within, data = rng.randrange(4, group[0][1] - group[0][0] - 4), anatomy.data
    for start, _ in sorted(group, reverse=True):
        data = splice(data, start + within, max(-size, 0), bytes(max(size, 0)))
    change, last = size * len(group), max(end for _, end in group)
    data = data if anatomy.family == "grx" else MENDS[anatomy.family](anatomy, leaf, last, data, change)
    first = min(start for start, _ in group)
    places = [(first, last + max(change, 0))] + anatomy.frame(leaf, whole=True)
    return data and (data, f"each of {len(group)} {leaf.record} {size:+} bytes, at +{within:#x}", moved(places, first, 0, 0))


def floats_swapped(anatomy, rng):
    """Reverses the byte order of all floats of one record, or of all records of its kind."""
    floats = [leaf for leaf in anatomy.leaves if re.match(r"f(16|32)", leaf.type)]
    if not floats:
        return None
    one, every = rng.choice(floats).record, rng.random() < 0.5
    chosen = [leaf for leaf in floats if (kind_of(leaf.record) == kind_of(one) if every else leaf.record == one)]
    data = bytearray(anatomy.data)
    for leaf in chosen:
        size = 2 if leaf.type.startswith("f16") else 4
        for at in range(leaf.start, leaf.end, size):
            data[at:at + size] = data[at:at + size][::-1]
    words = f"floats of {'all like ' if every else ''}{one} in the other byte order"
    return bytes(data), words, [place for leaf in chosen for place in anatomy.record(leaf)]


def on_its_way(kind):
    """Damages a whole file as transport does."""
    damage_bytes, words = transport_damages.DAMAGES[kind]

    def damage(anatomy, rng):
        return damage_bytes(rng, anatomy.data, anatomy.other), words, [(0, 2 * len(anatomy.data))]
    return damage


def two(fields, others):
    """Makes two unrelated damages, each of which the strict reader refuses: one of the kinds in `fields`, then one
    of the kinds in `others`."""
    def damage(anatomy, rng):
        one = KINDS[rng.choice(fields.split(","))](anatomy, rng)
        if not one or not refuses(anatomy.family, one[0]):
            return None
        data, words, places = one
        damaged, name, state = copy.copy(anatomy), rng.choice(others.split(",")), rng.getstate()
        damaged.data = data
        other = KINDS[name](damaged, rng)
        rng.setstate(state)
        alone = KINDS[name](anatomy, rng)
        if not other or not alone or not refuses(anatomy.family, alone[0]) or any(start < e and s < end for start, end in places for s, e in other[2]):
            return None
        at, change = len(os.path.commonprefix([data, other[0]])), len(other[0]) - len(data)
        return other[0], f"{words}; {other[1]}", moved(places, at, max(-change, 0), max(change, 0)) + other[2]
    return damage


# Operations that damages.tsv names. Those from `field` to `two` take arguments from the row.
OPERATIONS = {"field": damage_field, "zeroed": zeroed, "number": number, "text-length": text_length, "order": reversed_order, "written": written,
              "inside": inside, "edge": at_edge, "mended": mended, "whole": whole, "cut": cut, "overwritten": overwritten, "section": section,
              "transport": on_its_way, "two": two,
              "swapped": lambda: swapped, "resized": lambda: resized, "floats-swapped": lambda: floats_swapped, "rows-shifted": lambda: rows_shifted}


def read_rows():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "damages.tsv"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                name, operation, *arguments = line.rstrip("\n").split("\t")
                yield name, OPERATIONS[operation](*arguments)


KINDS = dict(read_rows())
CAUSES = {f"way-{kind}": words for kind, (_, words) in transport_damages.DAMAGES.items()}
TRIES = 8


def make(anatomy, case, kind, number, seed):
    """A fault, or None if this kind of damage is not possible in the file."""
    rng = random.Random(f"{seed}/{case}/{kind}/{number}")
    for _ in range(TRIES):
        made = KINDS[kind](anatomy, rng)
        if made and made[0] != anatomy.data and made[0]:
            data, words, places = made
            return Fault(f"{case}/{kind}/{number}", kind, words, bytes(data), places, anatomy.data, CAUSES.get(kind, ""), 2 if kind.startswith("two-") else 1)
    return None
