"""Single faults: sound files, each with one damage made at random.

A fault has a name, CASE/KIND/NUMBER, from which, with the seed, it can be made again. It knows the places that a reader of a report may
fairly be sent to: the record that was damaged, and for bytes put in or taken out the record's frame too, which states its size."""
import random
import re
import struct
from collections import defaultdict
from dataclasses import dataclass, field

PARTS = re.compile(r"(?:[^.\[]|\[[^\]]*\])+")
# Parts too small to be a record: what they belong to is one.
MINOR = ("operand", "operator", "parameter", "condition", "command", "route", "vertex", "face", "segment")
FLOATS = {2: "e", 4: "f"}
# Fields that say how many rows a table has.
COUNTED = {"locator": ("header.count",), "id": ("header.count",),
           "size_table": ("header.section_count",), "block_table": ("header.block_count",), "tag_table": ("header.tag_count",)}
LENGTHS = (1, 2, 4, 16, 32)  # of bytes put in or taken out
SPECIAL = (float("nan"), float("inf"), 0.0, 1e30, 1e-41)


@dataclass
class Leaf:
    start: int
    end: int
    path: str
    type: str
    leads_to: str
    record: str


@dataclass
class Fault:
    name: str
    kind: str
    words: str
    data: bytes
    places: list = field(default_factory=list)  # (start, end) in the damaged file

    def stretches(self):
        """The places, with those that touch made one."""
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


def record_of(path):
    """entry[1].name.text: entry[1]; header.magic: header; header_padding: itself."""
    parts = PARTS.findall(path)
    for i in range(len(parts) - 1, -1, -1):
        if "[" in parts[i] and parts[i].split("[")[0] not in MINOR:
            return ".".join(parts[:i + 1])
    return ".".join(parts[:-1]) or path


class Anatomy:
    """A sound file and its parts."""

    def __init__(self, family, data, dump):
        self.family, self.data = family, data
        self.order = "big" if family == "mrea" else "little"
        self.leaves = [Leaf(s["offset"], s["offset"] + s["length"], s["path"], s["type"], s.get("leads_to", ""), record_of(s["path"]))
                       for s in dump["spans"]]
        self.places = defaultdict(list)  # of each record
        for leaf in self.leaves:
            self.places[leaf.record].append((leaf.start, leaf.end))
        self.units = self.find_units()

    def record(self, leaf):
        return self.places[leaf.record]

    def frame(self, leaf, whole=False):
        """What states how much there is of the record of a leaf: records around it, rows of tables, the header of an actor. Of whole
        records also the header of the file, or what counts them there."""
        parts = PARTS.findall(leaf.record)
        around = {".".join(parts[:n]) for n in range(1, len(parts))}
        around |= {parts[0].split("[")[0]}  # RAHD of RAHD[0]
        for part in parts:
            around |= {part.replace("section[", "size_table["), part.replace("block[", "block_table[")}
        table = parts[0].split("[")[0]
        # Rows have no mark of their own: where in its table bytes are missing, nobody can tell.
        around |= {record for record in self.places if table in COUNTED and record.startswith(table)}
        around |= {"header"} if whole and parts[0].startswith(("entry[", "entity[")) else set()
        counted = COUNTED.get(table, ()) if whole else ()
        around |= {other.record for other in self.leaves if other.leads_to and other.record.startswith("RAHD[") and
                   (leaf.record + ".").startswith(other.leads_to + ".")}
        return [place for record in around for place in self.places.get(record, ())] + \
            [(other.start, other.end) for other in self.leaves if counted and other.path in counted]

    def near(self, at, end):
        """The leaves that bytes at a place may belong to: those that touch them, and where these have no known contents, all up to
        the next one that has."""
        touched = [i for i, leaf in enumerate(self.leaves) if leaf.start <= end and leaf.end >= at]
        first, last = touched[0], touched[-1]
        while first > 0 and self.leaves[first].type == "bytes":
            first -= 1
        while last + 1 < len(self.leaves) and self.leaves[last].type == "bytes":
            last += 1
        return self.leaves[first:last + 1]

    def suspects(self, at, end, whole=False):
        """Ranges that a finding about bytes in or out there may be at."""
        return sorted({place for leaf in self.near(at, end) for place in self.record(leaf) + self.frame(leaf, whole)})

    def find_units(self):
        """{prefix: (start, end)} of the records, parts of records and sections that are one stretch."""
        found = {}
        for leaf in self.leaves:
            parts = PARTS.findall(leaf.path)
            prefixes = [".".join(parts[:n + 1]) for n, part in enumerate(parts[:-1]) if "[" in part]
            prefixes += [parts[0].split("[")[0] + "*"] if self.family == "rgm" else []
            for prefix in prefixes:
                found.setdefault(prefix, []).append((leaf.start, leaf.end))
        whole = {prefix: all(a[1] == b[0] for a, b in zip(ranges, ranges[1:])) for prefix, ranges in found.items()}
        return {prefix: (ranges[0][0], ranges[-1][1]) for prefix, ranges in found.items() if whole[prefix]}

    def neighbours(self):
        """Pairs of units of one kind that touch."""
        by_start = {}
        for prefix, (start, end) in self.units.items():
            by_start.setdefault((kind_of(prefix), start), (prefix, start, end))
        for prefix, (start, end) in self.units.items():
            other = by_start.get((kind_of(prefix), end))
            if other:
                yield (prefix, start, end), other


def kind_of(prefix):
    return "*" if prefix.endswith("*") else re.sub(r"\[[^\]]*\]$", "[]", prefix)


def splice(data, at, removed, new):
    return data[:at] + new + data[at + removed:]


def moved(ranges, at, removed, added):
    """Ranges of a file after bytes were taken out of it or put in. What was put in belongs to the ranges that touch it."""
    return [(start if start <= at else max(at, start - removed) + added, end if end < at else max(at, end - removed) + added)
            for start, end in ranges]


# ------------------------------------------------------------------ single fields

def other_byte(rng, old):
    return rng.choice([old ^ 1 << rng.randrange(8), (old + 1) & 0xFF, rng.randrange(256), 0x00, 0xFF])


def number_of(anatomy, leaf):
    """Order and signed or not."""
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
    """Size of one number of a leaf, and where it stands."""
    match = re.match(r"[a-z]+(\d+)", leaf.type)
    size = int(match.group(1)) // 8 if match else leaf.end - leaf.start
    count = max((leaf.end - leaf.start) // max(size, 1), 1)
    return leaf.start + size * rng.randrange(count), size


def new_field(anatomy, rng, leaf):
    """Where, and the new bytes."""
    order, old = number_of(anatomy, leaf), anatomy.data[leaf.start:leaf.end]
    if leaf.type in ("string", "padding", "reserved", "terminator", "magic", "bytes") or leaf.type.startswith(("char", "bytes")):
        at = rng.randrange(leaf.start, leaf.end)
        return at, bytes([other_byte(rng, anatomy.data[at])])
    if leaf.type in ("size", "count", "offset", "hash"):
        return leaf.start, new_integer(rng, old, order)
    at, size = element(rng, leaf)
    old = anatomy.data[at:at + size]
    return at, (new_float if leaf.type.startswith("f") and size in FLOATS else new_integer)(rng, old, order)


ROLES = {"size": ("size",), "count": ("count",), "offset": ("offset",), "tag": ("magic",), "hash": ("hash",), "text": ("string",),
         "padding": ("padding", "reserved"), "terminator": ("terminator",)}
KNOWN_ROLES = {type_ for types in ROLES.values() for type_ in types} | {"bytes"}


def damage_field(types):
    def damage(anatomy, rng):
        leaves = [leaf for leaf in anatomy.leaves if (leaf.type in types if types else leaf.type not in KNOWN_ROLES)]
        if not leaves:
            return None
        leaf = rng.choice(leaves)
        at, new = new_field(anatomy, rng, leaf)
        words = f"{leaf.path} +{at:#x}: {anatomy.data[at:at + len(new)].hex(' ')} -> {new.hex(' ')}"
        return splice(anatomy.data, at, len(new), new), words, anatomy.record(leaf)
    return damage


def zeroed(type_):
    def damage(anatomy, rng):
        leaves = [leaf for leaf in anatomy.leaves if leaf.type == type_]
        if not leaves:
            return None
        leaf = rng.choice(leaves)
        size = leaf.end - leaf.start
        return splice(anatomy.data, leaf.start, size, bytes(size)), f"{leaf.path} zeroed", anatomy.record(leaf)
    return damage


def off_by_one(anatomy, rng):
    leaves = [leaf for leaf in anatomy.leaves if leaf.type == "count"]
    if not leaves:
        return None
    leaf, step = rng.choice(leaves), rng.choice([1, -1])
    size, order = leaf.end - leaf.start, number_of(anatomy, leaf)
    value = int.from_bytes(anatomy.data[leaf.start:leaf.end], order) + step
    new = (value & (1 << 8 * size) - 1).to_bytes(size, order)
    return splice(anatomy.data, leaf.start, size, new), f"{leaf.path} {step:+}", anatomy.record(leaf)


# ------------------------------------------------------------------ bytes in and out

def shift(anatomy, rng, at, leaf, out):
    """Bytes put in at a place in front of a leaf or in it, or taken out there: data, words, places, how many more bytes."""
    size = rng.choice(LENGTHS)
    size = min(size, len(anatomy.data) - at) if out else size
    row = sum(end - start for start, end in anatomy.record(leaf))
    suspects = anatomy.suspects(at, at + size - 1 if out else at, whole=size % row == 0)
    new = b"" if out else rng.choice([bytes(size), rng.randbytes(size), anatomy.data[at:at + size].ljust(size, b"\0")])
    data = splice(anatomy.data, at, size if out else 0, new)
    words = f"{size} bytes {'taken out' if out else 'put in'} at +{at:#x}, {leaf.path}"
    return data, words, moved(suspects, at, size if out else 0, len(new)), len(new) - (size if out else 0)


def inside(out):
    def damage(anatomy, rng):
        leaf = rng.choice(anatomy.leaves)
        return shift(anatomy, rng, rng.randrange(leaf.start, leaf.end), leaf, out)[:3]
    return damage


def at_edge(out):
    def damage(anatomy, rng):
        edges = [b for a, b in zip(anatomy.leaves, anatomy.leaves[1:]) if a.record != b.record]
        if not edges:
            return None
        leaf = rng.choice(edges)
        return shift(anatomy, rng, leaf.start, leaf, out)[:3]
    return damage


def mended(out):
    """Bytes in or out, and what states the size or fills the section made right again, as a careful editor would."""
    def damage(anatomy, rng):
        leaf = rng.choice(anatomy.leaves)
        at = rng.randrange(leaf.start, leaf.end)
        data, words, places, change = shift(anatomy, rng, at, leaf, out)
        mend = MENDS[anatomy.family](anatomy, leaf, at, data, change)
        return mend and (mend, words + ", and made right again", places)
    return damage


def add_to(data, at, size, order, change):
    value = int.from_bytes(data[at:at + size], order) + change
    return splice(data, at, size, (value & (1 << 8 * size) - 1).to_bytes(size, order))


def mend_entry(anatomy, leaf, at, data, change):
    """entry_size of the entry."""
    stated = next((other for other in anatomy.leaves if other.path == leaf.record + ".entry_size"), None)
    return add_to(data, stated.start, 4, "little", change) if stated and stated.end <= at else None


def mend_property(anatomy, leaf, at, data, change):
    """The sizes of property and entity, and the offsets behind them."""
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
    """The sizes in header and node."""
    for stated in anatomy.leaves:
        if stated.path in ("header.file_size", "node.data_size") and stated.end <= at:
            data = add_to(data, stated.start, 4, "little", change)
    return data


def mend_length(anatomy, leaf, at, data, change):
    """The length of the section."""
    section = re.match(r"\w+", leaf.path).group()
    stated = next((other for other in anatomy.leaves if other.path == section + ".length"), None)
    return add_to(data, stated.start, 4, "big", change) if stated and stated.end <= at else None


def mend_section(anatomy, leaf, at, data, change):
    """The padding behind the lights: they take as many bytes as before, or as the grid makes of them."""
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
    """Nothing states a size."""


MENDS = {"fox": mend_property, "fpk": mend_file, "grx": mend_entry, "lba": mend_nothing, "lpsh": mend_file, "mrea": mend_section, "rgm": mend_length}

# ------------------------------------------------------------------ whole records, the end of the file

def swapped(anatomy, rng):
    pairs = list(anatomy.neighbours())
    if not pairs:
        return None
    (one, start, middle), (two, _, end) = rng.choice(pairs)
    data = anatomy.data[:start] + anatomy.data[middle:end] + anatomy.data[start:middle] + anatomy.data[end:]
    return data, f"{one} and {two} swapped", [(start, end)]


def whole(twice):
    """A record twice, or not at all."""
    def damage(anatomy, rng):
        if not anatomy.units:
            return None
        kinds = sorted({kind_of(prefix) for prefix in anatomy.units})
        kind = rng.choice(kinds)
        prefix, (start, end) = rng.choice([item for item in anatomy.units.items() if kind_of(item[0]) == kind])
        size, suspects = end - start, anatomy.suspects(start, end - 1, whole=True)
        if twice:
            data, places = splice(anatomy.data, end, 0, anatomy.data[start:end]), moved(suspects, end, 0, size)
            places.append((end, end + size))
        else:
            data, places = splice(anatomy.data, start, size, b""), moved(suspects, start, size, 0)
        return data, f"{prefix} {'twice' if twice else 'taken out'}", places
    return damage


def cut(anatomy, rng):
    size = min(rng.choice([*LENGTHS, rng.randrange(1, len(anatomy.data))]), len(anatomy.data) - 1)
    end = len(anatomy.data) - size
    places = moved(anatomy.suspects(end, end, whole=True), end, size, 0)
    return anatomy.data[:end], f"last {size} bytes cut off", places + [(end, end)]


def siblings(anatomy, rng):
    """Start and end of the units of one kind and one size, two or more."""
    groups = {}
    for prefix, (start, end) in anatomy.units.items():
        groups.setdefault((kind_of(prefix), end - start), []).append((start, end))
    groups = [group for (kind, size), group in sorted(groups.items()) if len(group) > 1 and size > 8 and kind != "*"]
    return rng.choice(groups) if groups else []


def resized(anatomy, rng):
    """All records of a kind with a field too long or too short, as a writer for another game or another language makes them; what
    states the size of the section is right."""
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
    """All floats of one record, or of all like it, in the other byte order."""
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


KINDS = {"value": damage_field(())} | {role: damage_field(types) for role, types in ROLES.items()} | {
    "tag-zeroed": zeroed("magic"), "size-zeroed": zeroed("size"), "count-off-by-one": off_by_one,
    "bytes-in": inside(False), "bytes-out": inside(True), "bytes-in-between": at_edge(False), "bytes-out-between": at_edge(True),
    "bytes-in-mended": mended(False), "bytes-out-mended": mended(True),
    "swapped": swapped, "twice": whole(True), "taken-out": whole(False), "cut": cut, "resized": resized,
    "floats-swapped": floats_swapped}
TRIES = 8


def make(anatomy, case, kind, number, seed):
    """A fault, or None if the file has no room for this kind."""
    rng = random.Random(f"{seed}/{case}/{kind}/{number}")
    for _ in range(TRIES):
        made = KINDS[kind](anatomy, rng)
        if made and made[0] != anatomy.data and made[0]:
            data, words, places = made
            return Fault(f"{case}/{kind}/{number}", kind, words, bytes(data), places)
    return None
