"""Reads, edits and writes files of Fox Engine packages: archives, DataSets, harmonics, light arrays.

Written only from docs/formats, independently of the C code. Readers are strict: each file read is written again and
refused if the bytes differ. So only files in canonical form can be edited."""
import hashlib
import struct
from dataclasses import dataclass, field

from strcode64 import strcode64


class Refused(Exception):
    """The file is refused; the text says why."""


def demand(holds, why):
    if not holds:
        raise Refused(why)


def pad(data, unit=16):
    return data + bytes(-len(data) % unit)


class Model:
    @classmethod
    def read(cls, data):
        try:
            model = cls.taken(data)
        except (struct.error, UnicodeDecodeError, KeyError, IndexError, ValueError, OverflowError) as why:
            raise Refused(f"{cls.__name__}: {why}") from why
        demand(model.write() == data, f"{cls.__name__}: writing it again gives other bytes")
        return model


# ------------------------------------------------------------------ archives

# Groups of members, in the order of the archive. Names ascend within a group in an fpk and descend in an fpkd.
GROUPS = {
    "fpk": "caar fnt atsh frig adm frt fpkl fsm ftdp geobv ftex geoms gimr gpfp grxla grxoc htre lba lpsh mog mtar nav2 nta rdf ends sand mbl "
           "tcvp spch trap uigb uilb pcsp tre2 fstb twpf fv2t fmdl geom gskl fcnp frdv fdes fclo uif uia subp sani ladb frl fv2 obr lng2 mtard "
           "obrb dfrm".split(),
    "fpkd": "fox2 evf parts vfxlb vfx vfxlf veh frld des bnd tgt phsd ph sim clo fsd sdf lua lng".split()}


def extension(path):
    return path.rpartition("/")[2].rpartition(".")[2]


def in_order(part, paths):
    """Paths in the order of a packer; paths of no group come last."""
    groups = GROUPS[part]
    names = sorted(paths, key=str.encode, reverse=part == "fpkd")
    return sorted(names, key=lambda path: groups.index(extension(path)) if extension(path) in groups else len(groups))


@dataclass
class Archive(Model):
    part: str  # "fpk" or "fpkd"
    members: dict = field(default_factory=dict)  # path: bytes
    references: list = field(default_factory=list)
    HEAD = struct.Struct("<6sB3sI18xIIII")

    @classmethod
    def taken(cls, data):
        magic, kind, platform, size, two, entries, references, zero = cls.HEAD.unpack_from(data)
        demand((magic, platform, size, two, zero) == (b"foxfpk", b"win", len(data), 2, 0), "header")
        demand(48 + 48 * entries + 16 * references <= len(data), "tables")
        archive = cls({0: "fpk", 0x64: "fpkd"}[kind])
        for at in range(48, 48 + 48 * entries, 48):
            start, size, name, length, digest = struct.unpack_from("<QQQQ16s", data, at)
            path = data[name:name + length]
            demand(start + size <= len(data) and digest == hashlib.md5(path).digest(), f"entry at {at:#x}")
            archive.members[path.decode()] = data[start:start + size]
        for at in range(48 + 48 * entries, 48 + 48 * entries + 16 * references, 16):
            name, length = struct.unpack_from("<QQ", data, at)
            archive.references.append(data[name:name + length].decode())
        return archive

    def write(self):
        return packed(self.part, [(path.encode(), data) for path, data in self.members.items()], [path.encode() for path in self.references])


def packed(part, members, references=()):
    """An archive of (path, bytes) in this order, even if a path comes twice; paths are bytes."""
    count = len(members)
    at = 48 + 48 * count + 16 * len(references)
    strings, places = b"", []
    for path in [*(path for path, _ in members), *references]:
        places.append((at + len(strings), len(path)))
        strings += path + b"\0"
    strings = pad(bytes(at) + strings)[at:]
    at += len(strings)
    table, content = bytearray(), bytearray()  # bytearrays, because bytes would be copied for each member
    for (name, length), (path, data) in zip(places, members, strict=False):
        table += struct.pack("<QQQQ16s", at + len(content), len(data), name, length, hashlib.md5(path).digest())
        content += pad(data)
    table += b"".join(struct.pack("<QQ", *place) for place in places[count:])
    head = Archive.HEAD.pack(b"foxfpk", 0x64 if part == "fpkd" else 0, b"win", at + len(content), 2, count, len(references), 0)
    return head + bytes(table) + strings + bytes(content)


def member_place(archive, path):
    """Offset of the bytes of a member in `archive`."""
    for at in range(48, 48 + 48 * struct.unpack_from("<I", archive, 0x24)[0], 48):
        start, _, name, length = struct.unpack_from("<QQQQ", archive, at)
        if archive[name:name + length] == path.encode():
            return start
    raise KeyError(path)


# ------------------------------------------------------------------ DataSets

SIZES = {0: 1, 1: 1, 10: 1, 2: 2, 3: 2, 4: 4, 5: 4, 8: 4, 6: 8, 7: 8, 9: 8, 14: 16, 15: 16, 16: 16, 19: 16, 24: 16, 17: 48, 18: 64,
         11: 8, 12: 8, 20: 8, 13: 8, 21: 8, 22: 32}
STRING, PATH, POINTER, FILE, HANDLE, LINK = 11, 12, 13, 20, 21, 22
MAP = 2
EMPTY = strcode64(b"")


@dataclass
class Property:
    """Values: texts for strings, or the hash where the table has no text for it; numbers for addresses; four values
    per link; bytes otherwise."""
    name: str
    type: int
    container: int
    values: list
    keys: list = field(default_factory=list)  # of a map


@dataclass
class Entity:
    kind: str
    address: int
    version: int
    static: list
    dynamic: list = field(default_factory=list)
    class_id: int = 232
    id: int = 0

    @property
    def properties(self):
        return self.static + self.dynamic

    def property(self, name):
        return next((p for p in self.properties if p.name == name), None)

    def __getitem__(self, name):
        """The values of a property; for a single value that is no list, the value itself."""
        found = self.property(name)
        return found.values[0] if found.container == 0 and len(found.values) == 1 else found.values

    def __setitem__(self, name, value):
        found = self.property(name)
        found.values = value if isinstance(value, list) else [value]


class DataSet(Model):
    def __init__(self, entities, table=()):
        self.entities, self.table = entities, list(table)
        # (address, property, index): offset of a value; (address, property): offset of its count; address: offset of
        # the entity
        self.places = {}

    # -------------------------------------------------------------- reading

    @classmethod
    def taken(cls, data):
        magic, version, count, table, first = struct.unpack_from("<4sIIII", data)
        demand((magic, version, first) == (b"\xf2box", 0x35, 0x20), "header")
        texts, at = {EMPTY: ""}, table
        while hash_ := struct.unpack_from("<Q", data, at)[0]:
            length = struct.unpack_from("<I", data, at + 8)[0]
            texts[hash_] = data[at + 12:at + 12 + length].decode()
            demand(strcode64(data[at + 12:at + 12 + length]) == hash_ and length, f"string at {at:#x}")
            at += 12 + length
        self = cls([], [text for text in texts.values() if text])
        at = 0x20
        for _ in range(count):
            class_id, address, id_, version, kind, static, dynamic, size = struct.unpack_from("<2xI4xQQHQHH8xI", data, at)
            places = [at + 64]
            for _ in range(static + dynamic):
                places.append(places[-1] + struct.unpack_from("<H", data, places[-1] + 14)[0])
                demand(places[-1] > places[-2], f"property at {places[-2]:#x}")
            properties = [cls.property_at(data, place, texts) for place in places[:-1]]
            self.entities.append(Entity(texts[kind], address, version, properties[:static], properties[static:], class_id, id_))
            at += size
        return self

    @classmethod
    def property_at(cls, data, at, texts):
        name, kind, container, count = struct.unpack_from("<QBBH", data, at)
        found, at = Property(texts[name], kind, container, []), at + 32
        for _ in range(count):
            if container == MAP:
                key, at = struct.unpack_from("<Q", data, at)[0], at + 8
                found.keys.append(texts.get(key, key))
            found.values.append(cls.value_at(data[at:at + SIZES[kind]], kind, texts))
            at += SIZES[kind]
            at += -at % 16 if container == MAP else 0
        return found

    @staticmethod
    def value_at(data, kind, texts):
        if kind in (STRING, PATH, FILE):
            word = int.from_bytes(data, "little")
            return texts.get(word, word)
        if kind in (POINTER, HANDLE):
            return int.from_bytes(data, "little")
        if kind == LINK:
            *words, address = struct.unpack("<4Q", data)
            return tuple(texts.get(word, word) for word in words) + (address,)
        return data

    # -------------------------------------------------------------- writing

    def word(self, text):
        """The hash of a text as bytes. Adds the text to the table."""
        if isinstance(text, int):
            return struct.pack("<Q", text)
        if text:
            self.used[text] = None
        return struct.pack("<Q", strcode64(text.encode()))

    def value(self, kind, value):
        if kind in (STRING, PATH, FILE):
            return self.word(value)
        if kind in (POINTER, HANDLE):
            return struct.pack("<Q", value)
        if kind == LINK:
            return b"".join(self.word(text) for text in value[:3]) + struct.pack("<Q", value[3])
        return value

    def property_bytes(self, entity, one, at):
        head, body = self.word(one.name), b""
        self.places[entity.address, one.name] = at + 10
        for index, value in enumerate(one.values):
            if one.container == MAP:
                body += self.word(one.keys[index])
            self.places[entity.address, one.name, index] = at + 32 + len(body)
            body += self.value(one.type, value)
            body = pad(body) if one.container == MAP else body
        body = pad(body)
        demand(len(body) + 32 < 0x10000, f"{one.name}: too long")
        return head + struct.pack("<BBHHH16x", one.type, one.container, len(one.values), 32, 32 + len(body)) + body

    def entity_bytes(self, entity, at):
        self.places[entity.address] = at
        kind, bodies = self.word(entity.kind), []
        for properties in (entity.static, entity.dynamic):
            body = b""
            for one in properties:
                body += self.property_bytes(entity, one, at + 64 + sum(map(len, bodies)) + len(body))
            bodies.append(body)
        behind = 64 + len(bodies[0])
        return struct.pack("<HI4sQQH8sHHIII12x", 64, entity.class_id, b"ent\0", entity.address, entity.id, entity.version, kind, len(entity.static),
                           len(entity.dynamic), 64, behind, behind + len(bodies[1])) + b"".join(bodies)

    def write(self):
        self.used, self.places, body = {}, {}, b""
        for entity in self.entities:
            body += self.entity_bytes(entity, 32 + len(body))
        known = [text for text in self.table if text in self.used]
        table = b"".join(struct.pack("<QI", strcode64(text.encode()), len(text.encode())) + text.encode()
                         for text in [*known, *(text for text in self.used if text not in set(known))])
        out = struct.pack("<4sIIII12x", b"\xf2box", 0x35, len(self.entities), 32 + len(body), 32) + body + table + bytes(8)
        return pad(pad(out) + b"\0\0end")

    # -------------------------------------------------------------- look-up

    def of_kind(self, *kinds):
        return [entity for entity in self.entities if entity.kind in kinds]

    def at(self, address):
        return next((entity for entity in self.entities if entity.address == address), None)

    def remove(self, entity):
        """Removes an entity and its row in the list of data."""
        self.entities.remove(entity)
        rows = self.entities[0].property("dataList")
        for index in [i for i, address in enumerate(rows.values) if address == entity.address][::-1]:
            del rows.values[index], rows.keys[index]

    def place(self, *key):
        self.write()
        return self.places[key if len(key) > 1 else key[0]]


# ------------------------------------------------------------------ harmonics

@dataclass
class Probe:
    name: bytes
    flags: int
    sets: bytes


class Harmonics(Model):
    NAME = b"LightProbeSHCoefficients"
    PARAMETERS = (b"numLightProbes", b"numDiv", b"formatType")
    SET = 72

    def __init__(self, version, times, probes):
        self.version, self.times, self.probes = version, times, probes

    def sets(self, flags):
        return (len(self.times) if flags & 1 else 1) * (2 if flags & 2 else 1) + (2 if flags & 4 else 0) + (1 if flags & 8 else 0)

    @classmethod
    def taken(cls, data):
        version = struct.unpack_from("<I", data)[0]
        probes, times = (struct.unpack_from("<I", data, at)[0] for at in (0x7C, 0x8C))
        at = 0x20 + struct.unpack_from("<I", data, 0x2C)[0]
        demand(4 * times + 12 * probes <= len(data), "counts")
        self = cls(version, list(struct.unpack_from(f"<{times}I", data, at)), [])
        at += 4 * times + -4 * times % 16
        for number in range(probes):
            name, sets, flags = struct.unpack_from("<III", data, at + 12 * number)
            self.probes.append(Probe(data[name:data.index(b"\0", name)], flags, data[sets:sets + cls.SET * self.sets(flags)]))
        return self

    def write(self):
        parameters = self.PARAMETERS[:self.version - 1]
        values = (len(self.probes), len(self.times), 1)
        rows, names = b"", b""
        for number, name in enumerate(parameters):
            rows += struct.pack("<HHIII", 0, 0x10 if number + 1 < len(parameters) else 0, strcode64(name) & 0xFFFFFFFF,
                                16 * len(parameters) - 16 * number + len(names) - 4, values[number])
            names += pad(name + b"\0")
        start = 0x70 + len(rows) + len(names)
        data = pad(struct.pack(f"<{len(self.times)}I", *self.times))
        table = start + len(data)
        strings = b"".join(probe.name + b"\0" for probe in self.probes)
        name = table + len(pad(bytes(12 * len(self.probes))))
        sets, probes = name + len(pad(strings)), b""
        for probe in self.probes:
            probes += struct.pack("<III", name, sets, probe.flags)
            name, sets = name + len(probe.name) + 1, sets + len(probe.sets)
        data = pad(data + pad(probes) + pad(strings) + b"".join(probe.sets for probe in self.probes))
        hash_ = strcode64(self.NAME) & 0xFFFFFFFF
        head = struct.pack("<IIIII12x", self.version, 0x20, start + len(data), hash_, 0x50)
        node = struct.pack("<IIIII16xI8x", 0, 0, 1, start - 0x20, len(data), 0x50)
        return head + node + (self.NAME + bytes(32))[:32] + rows + names + data


# ------------------------------------------------------------------ light arrays

@dataclass
class Entry:
    tag: bytes
    name: bytes  # empty for an occluder
    fixed: bytearray  # all bytes of an occluder
    tails: bytes = b""
    # tag: size of the fixed part, and where it holds offsets of tails
    SHAPES = {b"CM": (0x18, ()), b"PL": (0x60, (0x20, 0x5C)), b"SL": (0x88, (0x20, 0x84)), b"EP": (0x68, (0x54,))}

    @classmethod
    def of(cls, data):
        tag = bytes(data[:4])
        if tag[:2] not in cls.SHAPES:
            return cls(tag, b"", bytearray(data))
        size, _ = cls.SHAPES[tag[:2]]
        end = data.index(b"\0", size)
        return cls(tag, bytes(data[size:end]), bytearray(data[:size]), bytes(data[end + 1 + -(end + 1) % 4:]))

    def write(self):
        if self.tag[:2] not in self.SHAPES:
            return bytes(self.fixed)
        size, offsets = self.SHAPES[self.tag[:2]]
        name = pad(self.name + b"\0", 4)
        out = bytearray(self.fixed)
        struct.pack_into("<4sIQII", out, 0, self.tag, size + len(name) + len(self.tails), strcode64(self.name), size - 0x10, 0)
        tail = size + len(name)
        for at in offsets:
            if int.from_bytes(self.fixed[at:at + 4], "little"):
                struct.pack_into("<I", out, at, tail - at)
                tail += 0x28
        return bytes(out) + name + self.tails

    def word(self, at, value=None, shape="<H"):
        if value is not None:
            struct.pack_into(shape, self.fixed, at, value)
        return struct.unpack_from(shape, self.fixed, at)[0]


class Array(Model):
    FLAGS, RELATED, FIRST_RELATED, INDEX = 0x18, 0x5A, 0x5C, 0x5E  # of a probe
    END = bytes(4) + b"\x08\0\0\0"

    def __init__(self, magic, entries):
        self.magic, self.entries = magic, entries  # the first entry is CM00

    @classmethod
    def taken(cls, data):
        self, at = cls(bytes(data[:4]), []), 16
        while any(data[at:at + 4]):
            size = struct.unpack_from("<I", data, at + 4)[0]
            demand(size >= 8, f"entry at {at:#x}")
            self.entries.append(Entry.of(data[at:at + size]))
            at += size
        return self

    def write(self):
        return struct.pack("<4sIII", self.magic, 0, 16, 1) + b"".join(entry.write() for entry in self.entries) + self.END

    @property
    def path(self):
        return self.entries[0].name.decode()

    @path.setter
    def path(self, text):
        self.entries[0].name = text.encode()

    def probes(self):
        return [entry for entry in self.entries if entry.tag[:2] == b"EP"]

    def place(self, entry, at):
        """Offset in the file of byte `at` of an entry."""
        number = next(i for i, one in enumerate(self.entries) if one is entry)
        return 16 + sum(len(one.write()) for one in self.entries[:number]) + at

    def name_place(self, entry):
        return self.place(entry, len(entry.fixed))


MODELS = {"fox2": DataSet, "lpsh": Harmonics, "grxla": Array, "grxoc": Array}


LIGHTS = (b"LightArray", b"TppLightProbeArray", b"OccluderArray", b"TppLightProbeSHCoefficients")


def model_of(path, data):
    """The model of a file, or its bytes if there is no model for it or it is a DataSet without lights."""
    kind = MODELS.get(extension(path))
    return kind.read(data) if kind and (kind is not DataSet or any(word in data for word in LIGHTS)) else data


def bytes_of(model):
    return model.write() if isinstance(model, Model) else model
