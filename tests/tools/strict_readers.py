"""Strict readers of all families, written from docs/formats and the layouts. They check tags, sizes, counts and
offsets, but no values, and know neither rules nor the program under test. Tests compare the program with them.

lightlint must report an error for every file that they refuse. They accept what the pages call a warning because
some reader takes it: bytes after an end, an unusual offset to the right place."""
import struct

import layouts


class Unreadable(Exception):
    """What is wrong, and at which offset."""


class Bytes:
    """Bytes of a file as numbers. Access outside the file is refused."""

    def __init__(self, data, order):
        self.data, self.order = data, order

    def take(self, at, size, what):
        if not 0 <= at <= at + size <= len(self.data):
            raise Unreadable(f"+{at:#x}: {what} of {size} bytes is outside the file")
        return self.data[at:at + size]

    def word(self, at, size, what, signed=False):
        return int.from_bytes(self.take(at, size, what), self.order, signed=signed)

    def words(self, at, count, what):
        return struct.unpack(f"{'<' if self.order == 'little' else '>'}{count}I", self.take(at, 4 * count, what))


def demand(holds, at, why):
    if not holds:
        raise Unreadable(f"+{at:#x}: {why}")


class Record:
    """The fields of one record at an offset."""

    def __init__(self, source, layout, at):
        source.take(at, layout.size, layout.name)
        self.source, self.layout, self.at = source, layout, at

    def __getitem__(self, name):
        field = self.layout.field(name)
        order = "big" if self.layout.endian == "big" else "little"
        data = self.source.data[self.at + field.offset:self.at + field.offset + field.bytes]
        if field.type in ("chars", "bytes"):
            return data
        return int.from_bytes(data, order, signed=field.type.startswith("i"))

    def place(self, name):
        return self.at + self.layout.field(name).offset


# ------------------------------------------------------------------ Fox Engine arrays

GRX, _ = layouts.of_family("grx")
GRX_TAGS = {b"CM00": "dataset", b"EP00": "probe", b"OC00": "occluder", b"DL00": "opaque_entry", b"LP00": "opaque_entry"}
GRX_TAGS |= {f"{kind}0{n}".encode(): name for n in (1, 2, 3) for kind, name in (("PL", "point_light"), ("SL", "spot_light"))}
GRX_TAILS = ("light_area_offset", "irradiation_offset", "inner_area_offset")
GRX_END = bytes(4) + b"\x08\0\0\0"


def grx_name(source, entry, end):
    """End of the name, or of the fixed part if there is no name. Padding after it is not included."""
    offset, behind = entry["name_offset"], entry.at + entry.layout.size
    if not offset:
        return behind
    start = entry.place("name_offset") + offset
    demand(behind <= start < end, entry.place("name_offset"), "the name lies outside its entry")
    stop = source.data.find(b"\0", start, end)
    demand(stop >= 0, start, "the name has no NUL")
    return stop + 1


def grx_tails(entry, behind, end):
    """End of the tails. They lie in the entry, after the fixed part, and overlap neither the name nor each other."""
    taken = [(entry.at + entry.layout.size, behind)]
    for name in GRX_TAILS:
        if entry.layout.field(name) and entry[name]:
            start = entry.place(name) + entry[name]
            demand(entry.at + entry.layout.size <= start and start + 0x28 <= end, entry.place(name), "a tail lies outside its entry")
            demand(all(start >= e or start + 0x28 <= s for s, e in taken), entry.place(name), "a tail shares bytes")
            taken.append((start, start + 0x28))
    return max(e for _, e in taken)


def grx_arrays(source, entry, end):
    ends = [entry.at + entry.layout.size]
    for kind, size in (("vertex", GRX["vertex"].size), ("face", GRX["face"].size)):
        place, offset, count = entry.place(f"{kind}_array_offset"), entry[f"{kind}_array_offset"], entry[f"{kind}_count"]
        start = place + offset
        demand(ends[0] <= start and start + size * count <= end, place, f"an array of {kind} lies outside its entry")
        ends.append(start + size * count)
    faces = entry.place("face_array_offset") + entry["face_array_offset"]
    for number in range(entry["face_count"]):
        face = Record(source, GRX["face"], faces + 8 * number)
        demand(face["first_vertex"] + face["vertex_count"] <= entry["vertex_count"], face.at, "a face uses vertices after the last one")
    return max(ends)


def grx_contents(source, entry, end):
    """End of the contents of an entry."""
    if entry.layout.name == "opaque_entry":
        return end
    if entry.layout.name == "occluder":
        return grx_arrays(source, entry, end)
    return grx_tails(entry, grx_name(source, entry, end), end)


def grx(data):
    source, tags = Bytes(data, "little"), []
    header = Record(source, GRX["header"], 0)
    demand(header["magic"] in (b"FGxL", b"FGxO"), 0, "no magic")
    demand(header["version"] == 1, header.place("version"), "version")
    at = header["first_entry_offset"]
    demand(at >= 0x10 and at % 4 == 0, header.place("first_entry_offset"), "entries start in the header or are not aligned")
    while (tag := bytes(source.take(at, 4, "tag"))) != bytes(4):
        demand(tag in GRX_TAGS, at, f"no tag: {tag!r}")
        demand((tag == b"CM00") == (not tags), at, "the DataSet is not the first entry, or a second one")
        entry = Record(source, GRX[GRX_TAGS[tag]], at)
        size = entry["entry_size"]
        demand(size >= entry.layout.size and size % 4 == 0, at + 4, f"entry size {size:#x}")
        source.take(at, size, "entry")
        end = grx_contents(source, entry, at + size)
        demand(end <= at + size, at + 4, "contents need more than the size says")
        tags.append(tag)
        at += size
    source.take(at, 8, "terminator")
    demand(tags, at, "no entries")
    behind = data[at + 8:]
    demand(not (behind.endswith(GRX_END) and any(behind[:-8])), at, "a terminator in the middle")


# ------------------------------------------------------------------ Metroid Prime areas and lights sections

MREA, _ = layouts.of_family("mrea")
LIGHTS_MAGIC = 0xBABEDEAD
PRIME1, PRIME3 = (2, 0x41, 0x34), (4, 0x65, 0x44)  # layers, size of a light, offset of its boolean
HEADERS = {0xc: ("mp1", 0x60), 0xf: ("mp1", 0x60), 0x15: ("mp2_demo", 0x80), 0x19: ("mp2", 0x80), 0x1d: ("mp3", 0x60), 0x1e: ("mp3", 0x60)}
INDICES = {"mp1": (0x40, 8), "mp2_demo": (0x40, 11), "mp2": (0x44, 11)}
LIGHTS_INDEX = {"mp1": 0x50, "mp2_demo": 0x54, "mp2": 0x58}
# offsets of the numbers of sections, blocks, tags
COUNTS = {"mp1": (0x3c, 0, 0), "mp2_demo": (0x3c, 0, 0), "mp2": (0x40, 0x70, 0), "mp3": (0x40, 0x44, 0x48)}


def up(size, grid=32):
    return -(-size // grid) * grid


def lights_section(data, base, kind):
    """Checks a lights section. base: its file offset, for messages."""
    layers, size, boolean = kind
    source, at = Bytes(data, "big"), 4
    demand(source.word(0, 4, "magic") == LIGHTS_MAGIC, base, "no magic of lights")
    for layer in range(layers):
        count = source.word(at, 4, f"count of layer {layer}")
        source.take(at + 4, count * size, f"lights of layer {layer}, from {base:#x}")
        for light in range(count):
            where = at + 4 + light * size + boolean
            demand(data[where] < 2, base + where, "a boolean that is neither 0 nor 1")
        at += 4 + count * size
    demand(len(data) - at < 32 or not any(data[at:]), base + at, "more than padding after the layers")


def bare(data):
    whys = []
    for kind in (PRIME1, PRIME3):
        try:
            return lights_section(data, 0, kind)
        except Unreadable as why:
            whys.append(str(why))
    raise Unreadable(" / ".join(whys))


def compressed(source, at, size, stored):
    """Checks a compressed block and returns its end, a multiple of the alignment. The segments fill the stream."""
    end = at + up(stored)
    source.take(at, end - at, "block")
    place = end - stored
    while size > 0:
        length = source.word(place, 2, "segment", signed=True)
        demand(length not in (0, -0x8000), place, "a segment of no size")
        demand(place + 2 + abs(length) <= end, place, "a segment reaches past its block")
        demand(length > 0 or -length == min(size, 0x4000), place, "an uncompressed segment of a wrong size")
        place, size = place + 2 + abs(length), size - 0x4000
    demand(place == end, place, "segments and stream do not end together")
    return end


def mrea_blocks(source, table, blocks, sizes, at):
    """{number: (start, end)} of the sections in uncompressed blocks."""
    places, section = {}, 0
    for number in range(blocks):
        buffer, size, stored, count = source.words(table + 16 * number, 4, "row of the block table")
        demand(count, table + 16 * number + 12, "a block without sections")
        demand(section + count <= len(sizes), table + 16 * number + 12, "more sections in blocks than there are")
        demand(sum(sizes[section:section + count]) == size, table + 16 * number + 4, "a block and its sections differ in size")
        if stored:
            at = compressed(source, at, size, stored)
        else:
            source.take(at, size, "block")
            for own in range(section, section + count):
                places[own] = (at, at + sizes[own])
                at += sizes[own]
        section += count
    demand(section == len(sizes), table, "fewer sections in blocks than there are")
    return places


def mrea_lights(source, game, tags_at, tags, sections):
    if game in LIGHTS_INDEX:
        return source.word(LIGHTS_INDEX[game], 4, "index of the lights")
    for number in range(tags):
        if source.take(tags_at + 8 * number, 4, "tag") == b"LITE":
            return source.word(tags_at + 8 * number + 4, 4, "section of a tag")
    raise Unreadable(f"+{tags_at:#x}: no tag LITE")


def area(data):
    source = Bytes(data, "big")
    demand(source.word(0, 4, "magic") == 0xDEADBEEF, 0, "no magic of areas")
    demand(source.word(4, 4, "version") in HEADERS, 4, "version")
    game, at = HEADERS[source.word(4, 4, "version")]
    sections, blocks, tags = (source.word(place, 4, "count") if place else 0 for place in COUNTS[game])
    demand(sections, COUNTS[game][0], "no sections")
    sizes_at, blocks_at = at, at + up(4 * sections)
    tags_at = blocks_at + up(16 * blocks)
    at = tags_at + up(8 * tags)
    sizes = source.words(sizes_at, sections, "size table")
    for number, size in enumerate(sizes):
        demand(size % 32 == 0, sizes_at + 4 * number, "a section is not aligned")
    for place, count in (INDICES[game],) if game in INDICES else ():
        for number, index in enumerate(source.words(place, count, "indices")):
            demand(index < sections or (game == "mp1" and number == 7 and index == 0xFFFFFFFF), place + 4 * number, "an index of no section")
    for number in range(tags):
        demand(source.word(tags_at + 8 * number + 4, 4, "section of a tag") < sections, tags_at + 8 * number + 4, "a tag of no section")
    if COUNTS[game][1]:
        places = mrea_blocks(source, blocks_at, blocks, sizes, at)
    else:
        places = {}
        for number, size in enumerate(sizes):
            source.take(at, size, f"section {number}")
            places[number] = (at, at + size)
            at += size
    lights = mrea_lights(source, game, tags_at, tags, sections)
    if lights in places:
        start, end = places[lights]
        lights_section(data[start:end], start, PRIME3 if game == "mp3" else PRIME1)


def mrea(data):
    """A bare section starts with its own magic. A file with no known magic is refused either way."""
    return bare(data) if data[:4] == LIGHTS_MAGIC.to_bytes(4, "big") else area(data)


# ------------------------------------------------------------------ Redguard scene files

RGM, _ = layouts.of_family("rgm")
RGM_NEEDED = ("RAHD RAFS RAST RASB RAVA RASC RAHK RALC RAEX RAAT RAAN RAGR RANM MPOB MPRP MPSO MPSL MPSF MPMK MPSZ WDNM FLAT").split()
RGM_COUNTED = {"MPOB": 66, "MPRP": 80, "MPSO": 66, "MPSL": 42, "MPSF": 24, "MPMK": 13}
RGM_MULTIPLES = {"RASB": 4, "RAVA": 4, "RALC": 12, "RAEX": 30, "RAVC": 9, "MPSZ": 49}


def rgm_sections(data):
    """{tag: (start, end)} of the payloads."""
    outer, at, places = Bytes(data, "big"), 0, {}
    while (tag := bytes(outer.take(at, 4, "tag"))) != b"END ":
        name = tag.decode("latin-1")
        demand(name.isalnum(), at, f"no tag: {tag!r}")
        demand(name not in places, at, f"a second {tag!r}")
        length = outer.word(at + 4, 4, "length")
        outer.take(at + 8, length, "section")
        places[name] = (at + 8, at + 8 + length)
        at += 8 + length
    missing = [tag for tag in RGM_NEEDED if tag not in places]
    demand(not missing, at, f"no section {' '.join(missing)}")
    return places


class Scene:
    def __init__(self, data):
        self.places, self.source = rgm_sections(data), Bytes(data, "little")

    def size(self, tag):
        start, end = self.places.get(tag, (0, 0))
        return end - start

    def part(self, tag, offset, size, at, what):
        """(start, end) of a range in a section that a field points to."""
        demand(0 <= offset <= offset + size <= self.size(tag), at, f"{what} lies outside {tag}")
        start = self.places.get(tag, (0, 0))[0] + offset
        return start, start + size

    def count(self, tag):
        demand(self.size(tag) >= 4, self.places[tag][0], f"{tag} is too short for its count")
        return self.source.word(self.places[tag][0], 4, "count")


def rgm_actor(scene, actor):
    if actor["num_strings"]:
        scene.part("RASB", actor["string_offsets_index"], 4 * actor["num_strings"], actor.place("num_strings"), "strings")
    # otherwise the intended number is unknown
    if actor["ralc_count"] and actor["ralc_length"] == 12 * actor["ralc_count"]:
        scene.part("RALC", actor["ralc_offset"], actor["ralc_length"], actor.place("ralc_count"), "places")
    if actor["ravc_count"] and actor["ravc_offset"] != -1:
        scene.part("RAVC", actor["ravc_offset"], 9 * actor["ravc_count"], actor.place("ravc_count"), "collision points")
    if actor["num_variables"] and actor["instances"]:
        scene.part("RAVA", actor["variable_offset"], 4 * actor["num_variables"] * actor["instances"],
                   actor.place("num_variables"), "variables")
    block = scene.part("RASC", actor["script_data_offset"], actor["script_length"], actor.place("script_length"), "the script")
    demand(actor["script_pc"] <= block[1] - block[0], actor.place("script_pc"), "the script starts outside its block")
    if actor["raex_length"]:
        scene.part("RAEX", actor["raex_offset"], 30, actor.place("raex_offset"), "the extra values")
    for name in ("mpsz_normal", "mpsz_combat", "mpsz_dead"):
        demand(-1 <= actor[name] < scene.size("MPSZ") // 49, actor.place(name), "an index of no bounds")
    rgm_models(scene, actor)
    rgm_groups(scene, actor)


def rgm_models(scene, actor):
    if not actor["raan_count"]:
        return
    begin, end = scene.part("RAAN", actor["raan_offset"], actor["raan_data_size"], actor.place("raan_data_size"), "the model files")
    demand(actor["raan_count"] > 0, actor.place("raan_count"), "a negative number of model files")
    at = begin
    for _ in range(actor["raan_count"]):
        stop = scene.source.data.find(b"\0", at + 6, end)
        demand(stop >= 0, at, "a model file without an end")
        at = stop + 1
    demand(at == end, actor.place("raan_data_size"), "model files do not fill their size")


def rgm_groups(scene, actor):
    at, end = scene.part("RAGR", actor["ragr_offset"], 0, actor.place("ragr_offset"), "the list of groups")[0], scene.places["RAGR"][1]
    while True:
        demand(at + 2 <= end, at, "a list of groups without an end")
        size = scene.source.word(at, 2, "group")
        if not size:
            return
        demand(at + 10 <= end and at + 2 + size <= end, at, "a group that reaches past its section")
        demand(size == 8 + 3 * scene.source.word(at + 8, 2, "commands"), at, "size and commands of a group do not agree")
        at += 2 + size


def rgm_walk_maps(scene):
    (at, end), source = scene.places["WDNM"], scene.source
    maps, at = scene.count("WDNM"), at + 4
    for _ in range(maps):
        demand(at + 28 <= end, at, "a walk map that reaches past its section")
        size, nodes, again = source.words(at, 3, "walk map")
        demand(size >= 28 and at + size <= end, at, "length of a walk map")
        place, stop = at + 28, at + size
        for _ in range(nodes):
            demand(place + 12 <= stop, place, "a node that reaches past its map")
            length, routes = source.word(place, 4, "node"), source.data[place + 11]
            demand(length == 12 + 4 * routes and place + length <= stop, place, "length and routes of a node do not agree")
            for route in range(routes):
                demand(source.word(place + 12 + 4 * route, 2, "route") < nodes, place, "a route to no node")
            place += length
        demand(place == stop, at, "length and nodes of a walk map do not agree")
        at = stop
    demand(at == end, at, "bytes after the last walk map")


def rgm(data):
    scene = Scene(data)
    start, size = scene.places["RAHD"][0], scene.size("RAHD")
    actors = scene.count("RAHD")
    demand(actors and size == 8 + RGM["actor"].size * actors, start, "count and length of RAHD do not agree")
    for tag, each in RGM_COUNTED.items():
        demand(scene.size(tag) == 4 + each * scene.count(tag), scene.places[tag][0], f"count and length of {tag} do not agree")
    for tag, each in RGM_MULTIPLES.items():
        demand(scene.size(tag) % each == 0, scene.places.get(tag, (0,))[0], f"length of {tag}")
    demand(scene.size("RAAT") == 256 * actors, scene.places["RAAT"][0], "length of RAAT")
    strings, words = scene.places["RAST"], 0
    demand(strings[0] == strings[1] or data[strings[1] - 1] == 0, strings[1], "the last string does not end")
    for number in range(scene.size("RASB") // 4):
        entry = scene.places["RASB"][0] + 4 * number
        demand(scene.source.word(entry, 4, "string") < max(scene.size("RAST"), 1), entry, "a string outside RAST")
    for number in range(actors):
        actor = Record(scene.source, RGM["actor"], start + 8 + RGM["actor"].size * number)
        rgm_actor(scene, actor)
        words += actor["num_strings"]
    demand(4 * words == scene.size("RASB"), scene.places["RASB"][0], "strings of all actors do not add up")
    rgm_walk_maps(scene)


# ------------------------------------------------------------------ light-probe harmonics

LPSH, _ = layouts.of_family("lpsh")


def lpsh_parameters(source, node):
    """Numbers of probes and times: always the first two parameters."""
    values, at = [], node.at + node["parameter_offset"]
    for _ in range(16):
        parameter = Record(source, LPSH["parameter"], at)
        demand(parameter["type"] == 0, at, "type of a parameter")
        values.append(parameter["value"])
        demand(parameter["next_offset"] in (0, LPSH["parameter"].size), at, "next parameter")
        if not parameter["next_offset"]:
            break
        at += parameter["next_offset"]
    demand(len(values) >= 2, node.place("parameter_offset"), "no number of probes or times")
    return values[:2]


def lpsh(data):
    source = Bytes(data, "little")
    header = Record(source, LPSH["header"], 0)
    demand(header["version"] in (3, 4), 0, "version")
    node = Record(source, LPSH["node"], header["node_offset"])
    probes, times = lpsh_parameters(source, node)
    at = node.at + node["data_offset"]
    source.words(at, times, "times")
    at += up(4 * times, 16)
    source.take(at, 12 * probes, "table of probes")
    behind, taken = at + up(12 * probes, 16), []
    for number in range(probes):
        probe = Record(source, LPSH["probe"], at + 12 * number)
        flags, name, start = probe["flags"], probe["name_offset"], probe["data_offset"]
        sets = (times if flags & 1 else 1) * (2 if flags & 2 else 1) + (2 if flags & 4 else 0) + (1 if flags & 8 else 0)
        demand(behind <= name and data.find(b"\0", name) >= 0, probe.at, "the name lies outside, or does not end")
        source.take(start, 72 * sets, "sets of a probe")
        demand(behind <= start and all(start >= e or start + 72 * sets <= s for s, e in taken), probe.at, "sets share bytes")
        taken.append((start, start + 72 * sets))


# ------------------------------------------------------------------ archives

FPK, _ = layouts.of_family("fpk")


def fpk(data):
    source = Bytes(data, "little")
    header = Record(source, FPK["header"], 0)
    demand(header["magic"] == b"foxfpk", 0, "magic")
    at, entries, references = header.at + FPK["header"].size, header["entry_count"], header["reference_count"]
    source.take(at, entries * FPK["entry"].size + references * FPK["reference"].size, "tables")
    behind = at + entries * FPK["entry"].size + references * FPK["reference"].size
    for number in range(entries + references):
        row = Record(source, FPK["entry" if number < entries else "reference"], at)
        at += FPK["entry" if number < entries else "reference"].size
        demand(row["path_offset"] >= behind, row.at, "a path in the tables")
        source.take(row["path_offset"], row["path_length"], "path")
        if number < entries:
            source.take(row["data_offset"], row["data_size"], "member")


# ------------------------------------------------------------------ DataSets

FOX, _ = layouts.of_family("fox")
FOX_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 8, 7: 8, 8: 4, 9: 8, 10: 1, 11: 8, 12: 8, 13: 8, 14: 16, 15: 16, 16: 16, 17: 48,
             18: 64, 19: 16, 20: 8, 21: 8, 22: 32, 24: 16}


def fox_strings(source, at):
    """The hashes in the string table."""
    hashes = set()
    while source.word(at, 8, "hash of a string"):
        length = source.word(at + 8, 4, "length of a string")
        demand(length > 0, at, "a string without length")
        source.take(at + 12, length, "text of a string")
        hashes.add(source.word(at, 8, "hash of a string"))
        at += 12 + length
    return hashes


def fox_property(source, at, hashes):
    """Checks a property; returns its end."""
    head = Record(source, FOX["property"], at)
    demand(head["type"] in FOX_SIZES, head.place("type"), "type of a property")
    demand(head["container"] <= 3, head.place("container"), "container of a property")
    demand(head["value_offset"] == 0x20, head.place("value_offset"), "place of the values")
    size = FOX_SIZES[head["type"]]
    size = up(8 + size, 16) if head["container"] == 2 else size
    demand(head["size"] == up(0x20 + size * head["value_count"], 16), head.place("size"), "size of a property")
    demand(head["name"] in hashes, at, "a property without a name")
    source.take(at, head["size"], "values")
    return at + head["size"]


def fox(data):
    source = Bytes(data, "little")
    header = Record(source, FOX["header"], 0)
    demand(header["magic"] == b"\xf2box", 0, "magic")
    demand(header["first_entity_offset"] == 0x20, 0x10, "first entity")
    hashes, at, addresses = fox_strings(source, header["string_table_offset"]), 0x20, set()
    for _ in range(header["entity_count"]):
        entity = Record(source, FOX["entity"], at)
        demand(entity["header_size"] == 0x40 and entity["tag"] == b"ent\0", at, "header of an entity")
        demand(entity["address"] and entity["address"] not in addresses, entity.place("address"), "address of an entity")
        demand(entity["class_name"] in hashes, entity.place("class_name"), "an entity without a class")
        demand(entity["static_offset"] == 0x40, entity.place("static_offset"), "static properties")
        addresses.add(entity["address"])
        behind = at + 0x40
        for _ in range(entity["static_count"]):
            behind = fox_property(source, behind, hashes)
        demand(entity["dynamic_offset"] == behind - at, entity.place("dynamic_offset"), "dynamic properties")
        for _ in range(entity["dynamic_count"]):
            behind = fox_property(source, behind, hashes)
        demand(entity["size"] == behind - at, entity.place("size"), "size of an entity")
        at = behind
    demand(header["string_table_offset"] == at, 0x0C, "the string table is not after the entities")


# ------------------------------------------------------------------ locators

LBA, _ = layouts.of_family("lba")


def lba(data):
    header = Record(Bytes(data, "little"), LBA["header"], 0)
    flags, size = header["flags"], LBA["header"].size
    size += header["count"] * (LBA["scaled_locator" if flags & 1 else "locator"].size + (LBA["id"].size if flags & 2 else 0))
    demand(size <= len(data), header.place("count"), "locators lie outside")


READERS = {"fox": fox, "fpk": fpk, "grx": grx, "lba": lba, "lpsh": lpsh, "mrea": mrea, "rgm": rgm}


def refuses(family, data):
    """Why a file of the family cannot be read, or ""."""
    try:
        READERS[family](data)
    except Unreadable as why:
        return str(why)
    return ""
