"""Recipe statements that write Metroid Prime lights sections, bare or in areas: records of mrea_layout.def, with
defaults that no rule reports.

Places have the names that the linter uses: lights.layer[0].light[3].color.x, header.lights_index,
size_table[5].section_size, block[2].segment[0].data, section[8].lights.magic. A lights section in a compressed block
is a region; wrong values must be written into it before it is compressed."""
import random
import zlib
from dataclasses import dataclass, field

import layouts
import lzo1x
from assembler import Builder, Image, Region, RecipeError, split_values

RECORDS, _ = layouts.of_family("mrea")

ALIGNMENT, SEGMENT, BUFFER_EXTRA, BLOCK_CAP = 32, 0x4000, 0x120, 0x20000
FORMS = {"mp12": ("light", 2), "mp3": ("light_mp3", 4)}  # name of the record, and number of layers
TYPES = {"ambient": 0, "directional": 1, "custom": 2, "spot": 3}
COMMON = {"color": "1, 0.5, 0.25"}
PLACED = COMMON | {"position": "{n}, -2, 3.5", "brightness": "250", "cast_shadows": "1", "falloff_type": "2"}
LIGHTS = {
    "ambient": {"color": "0.2, 0.25, 0.3", "brightness": "1"},
    "directional": COMMON | {"direction": "0.6, 0, -0.8", "cast_shadows": "1"},
    "custom": PLACED,
    "spot": PLACED | {"direction": "0, 0, -1", "spot_cutoff": "60"},
}
MP3_LIGHTS = {"spot": {"codirection": "0, 1, 0"}, "directional": {"codirection": "0, 1, 0"}}


@dataclass
class Game:
    version: int
    header: str  # name of the record
    form: str
    order: str  # kinds of the sections, in order, of an area without models
    codec: str = ""  # codec of compressed blocks; "": the game has no blocks
    tagged: bool = False


MP1 = "geometry octree script_layers collision unknown lights visibility path"
MP2 = ("geometry octree other ffff script_layers generated_objects collision unknown lights visibility path "
       "portal_area static_geometry_map")
TAGS = {"geometry": "WOBJ", "octree": "ROCT", "bounding_boxes": "AABB", "gpu_data": "GPUD", "dependencies": "DEPS",
        "script_layers": "SOBJ", "generated_objects": "SGEN", "collision": "COLI", "lights": "LITE", "llte": "LLTE",
        "visibility": "PVS!", "modules": "RSOS", "path": "PFL2", "portal_area": "APTL", "static_geometry_map": "EGMC"}
MP3 = " ".join(TAGS)
GAMES = {"mp1_kiosk": Game(0xC, "header_mp1", "mp12", MP1), "mp1": Game(0xF, "header_mp1", "mp12", MP1),
         "mp2_demo": Game(0x15, "header_mp2_demo", "mp12", MP2), "mp2": Game(0x19, "header_mp2", "mp12", MP2, "lzo"),
         "mp3_proto": Game(0x1D, "header_mp3", "mp3", MP3, "lzo", True),
         "mp3": Game(0x1E, "header_mp3", "mp3", MP3, "lzo", True),
         "dkcr": Game(0x20, "header_mp3", "mp3", MP3, "zlib", True)}
STUBS = {"octree": "41524F54 00000001", "script_layers": "53434C59 01", "generated_objects": "5343474E 01",
         "collision": "0000002C DEAFBABE 00000003", "unknown": "00000001", "llte": "4C4C5445 00000001"}
KINDS = sorted({kind for game in GAMES.values() for kind in game.order.split()})
NONE = 0xFFFFFFFF  # index of a missing section
ALONE = ("script_layers", "generated_objects")  # kinds that writers put into blocks of their own
EMPTY = ("visibility",)  # kinds whose stubs are empty


def padding(size, alignment=ALIGNMENT):
    return -size % alignment


def take_flags(words, *known):
    """Splits `words` into those in `known` and the others."""
    return [word for word in words if word in known], [word for word in words if word not in known]


class LightsWriter:
    """Writes one lights section: magic, layers, padding."""

    def __init__(self, builder, form, unpadded, values):
        self.builder, self.form, self.unpadded = builder, form, unpadded
        self.record, self.least = FORMS[form]
        self.least = int(values.pop("layers", self.least))
        self.layers = self.lights = 0
        self.start = self.layer_start = builder.offset
        self.builder.record("lights", RECORDS["lights"], {"magic": "0xBABEDEAD"} | values)

    def layer(self, words):
        self.end_layer()
        self.layer_start, self.lights = self.builder.offset, 0
        path = f"lights.layer[{self.layers}]"
        self.layers += 1
        self.builder.record(path, RECORDS["layer"], {"count": f"count({path}.light)"} | split_values(words))

    def light(self, words):
        if not self.layers or not words or words[0] not in TYPES:
            raise RecipeError(f"light TYPE in a layer expected; types are {', '.join(TYPES)}")
        kind, start = words[0], self.builder.offset
        values = {"type": str(TYPES[kind])} | LIGHTS[kind]
        if self.form == "mp3":
            values |= {"alpha": "1"} | MP3_LIGHTS.get(kind, {})
        values = {name: value.replace("{n}", str(self.lights + 1)) for name, value in values.items()}
        path = f"lights.layer[{self.layers - 1}].light[{self.lights}]"
        self.builder.record(path, RECORDS[self.record], values | split_values(words[1:]))
        self.builder.name(path, start, self.builder.offset)
        self.lights += 1

    def end_layer(self):
        if self.layers:
            self.builder.name(f"lights.layer[{self.layers - 1}]", self.layer_start, self.builder.offset)

    def close(self):
        while self.layers < self.least:
            self.layer([])
        self.end_layer()
        n = padding(self.builder.offset - self.start)
        if n and not self.unpadded:
            self.builder.add("lights.padding", "zeros", str(n))
        self.builder.name("lights", self.start, self.builder.offset)


@dataclass
class Section:
    kind: str
    unpadded: bool
    empty: bool
    image: Image = None  # set when the section is finished


@dataclass
class Block:
    codec: str  # "raw", "lzo" or "zlib"
    stored: bool = False  # segments stay uncompressed
    sections: list = field(default_factory=list)  # numbers of sections


def segments_of(data, codec, stored):
    """Yields (stored size, bytes) of each segment. A segment that does not shrink is stored uncompressed, with a
    negative size."""
    compress = {"lzo": lzo1x.compress, "zlib": lambda chunk: zlib.compress(chunk, 9)}[codec]
    for at in range(0, len(data), SEGMENT):
        chunk = data[at:at + SEGMENT]
        packed = chunk if stored else compress(chunk)
        yield (len(packed), packed) if len(packed) < len(chunk) else (-len(chunk), chunk)


class Writer:
    @staticmethod
    def extension(statements):
        return ".mrea" if "area" in statements else ".lights"

    def __init__(self, builder):
        self.file = self.builder = builder  # builder: that of the current section
        self.game = self.lights = None
        self.values, self.codec, self.short = {}, "raw", False
        self.sections, self.blocks, self.tags = [], [], []
        self.statements = {"lights": self.bare, "area": self.area, "section": self.section, "block": self.block,
                           "tag": self.tag, "layer": lambda words: self.open_lights().layer(words),
                           "light": lambda words: self.open_lights().light(words)}

    def open_lights(self):
        if not self.lights:
            raise RecipeError("there is no lights section to write to")
        return self.lights

    def bare(self, words):
        if not words or words[0] not in FORMS or self.game:
            raise RecipeError(f"lights FORM expected; forms are {', '.join(FORMS)}")
        flags, words = take_flags(words, "unpadded")
        self.lights = LightsWriter(self.builder, words[0], bool(flags), split_values(words[1:]))

    # -------------------------------------------------------------- contents of an area

    def area(self, words):
        if not words or words[0] not in GAMES:
            raise RecipeError(f"area GAME expected; games are {', '.join(GAMES)}")
        self.game = GAMES[words[0]]
        flags, words = take_flags(words[1:], "compressed")
        self.codec = self.game.codec if flags else "raw"
        self.values = split_values(words)

    def block(self, words):
        flags, words = take_flags(words, "stored")
        if len(words) != 1 or words[0] not in ("raw", "lzo", "zlib") or not self.game or not self.game.codec:
            raise RecipeError("block raw|lzo|zlib [stored], in an area that has blocks, expected")
        self.end_section()
        self.blocks.append(Block(words[0], bool(flags)))

    def tag(self, words):
        """Adds a row to the tag table, after those of the sections."""
        if len(words) != 2:
            raise RecipeError("tag TAG INDEX expected")
        self.tags.append({"tag": words[0], "section_index": words[1]})

    def section(self, words):
        if not words or not self.game or words[0] not in [*self.game.order.split(), "other"]:
            raise RecipeError("section KIND, of the kinds that the area's game has, expected")
        flags, words = take_flags(words, "empty", "unpadded")
        self.end_section()
        kind, values = words[0], split_values(words[1:])
        if kind == "lights" and not self.sections and not self.blocks:
            self.short = True  # the other sections are stubs
            self.stubs(self.game.order[:self.game.order.index(kind)])
        self.begin(kind, "unpadded" in flags, "empty" in flags)
        if kind == "lights" and not flags.count("empty"):
            self.lights = LightsWriter(self.builder, self.game.form, "unpadded" in flags, values)
        else:
            self.fill(values)

    def begin(self, kind, unpadded=False, empty=False):
        self.builder = Builder()
        self.sections.append(Section(kind, unpadded, empty))
        if self.blocks:
            self.blocks[-1].sections.append(len(self.sections) - 1)

    def fill(self, values):
        """size: number of bytes that compress well; noise: number of bytes that do not; other values: fields of the
        visibility tree's head."""
        size, noise = (int(values.pop(name, "0"), 0) for name in ("size", "noise"))
        if values:
            self.builder.record("visibility", RECORDS["visibility_head"],
                                {"magic": "VISI", "version": "2"} | values)
        self.builder.add("", "hex", (b"pattern " * (size // 8 + 1))[:size].hex())
        self.builder.add("", "hex", random.Random(noise).randbytes(noise).hex())

    def stubs(self, kinds):
        for kind in kinds.split():
            self.begin(kind, empty=kind in EMPTY)
            self.end_section()

    def end_section(self):
        """Pads the current section. A section without contents gets those of a stub."""
        builder, section = self.builder, self.sections[-1] if self.sections else None
        if builder is self.file:
            return
        if self.lights:
            self.lights.close()
        else:
            if not builder.offset and not section.empty:
                builder.add("", "hex", STUBS.get(section.kind, "00"))
            if not section.unpadded:
                builder.add("", "align", str(ALIGNMENT))
            builder.name(section.kind, 0, builder.offset)
        section.image = builder.finish()
        self.builder, self.lights = self.file, None

    # -------------------------------------------------------------- writing the file

    def close(self):
        if not self.game:
            if self.lights:
                self.lights.close()
            return
        self.end_section()
        if self.short:
            self.stubs(self.game.order.partition(" lights ")[2])
        if self.game.codec and not self.blocks:
            self.group()
        packed = [self.pack(block) for block in self.blocks]
        self.head(packed)
        if not self.blocks:
            for number, section in enumerate(self.sections):
                self.file.graft(f"section[{number}]", section.image)
        for number, (block, segments) in enumerate(zip(self.blocks, packed, strict=True)):
            self.write_block(number, block, segments)
        if self.game.tagged:
            self.pad("end_padding", 64, 0xFF)

    def group(self):
        """Groups sections into blocks as writers do. A block that does not shrink stays raw."""
        room, last = 0, ""
        for number, section in enumerate(self.sections):
            size = len(section.image.data)
            if not self.blocks or size > room or section.kind in ALONE or last in ALONE:
                self.blocks.append(Block(self.codec))
                room = BLOCK_CAP
            self.blocks[-1].sections.append(number)
            room, last = room - size, section.kind
        for block in self.blocks:
            data = self.contents(block)
            if block.codec != "raw":
                size = sum(2 + len(packed) for _, packed in segments_of(data, block.codec, False))
                if size + padding(size) >= len(data):
                    block.codec = "raw"

    def contents(self, block):
        return b"".join(bytes(self.sections[number].image.data) for number in block.sections)

    def pack(self, block):
        return [] if block.codec == "raw" else list(segments_of(self.contents(block), block.codec, block.stored))

    def pad(self, name, alignment=ALIGNMENT, byte=0):
        n = padding(self.file.offset, alignment)
        if n:
            self.file.add(name, "fill", f"{n} {byte}")

    def indices(self):
        """{kind: number of its first section}."""
        first = {}
        for number, section in enumerate(self.sections):
            first.setdefault(section.kind, number)
        return first

    def head(self, packed):
        first, record = self.indices(), RECORDS[self.game.header]
        values = {f"{kind}_index": str(first.get(kind, NONE)) for kind in KINDS if record.field(f"{kind}_index")}
        rows = [{"tag": TAGS[kind], "section_index": str(number)} for kind, number in first.items()
                if kind in TAGS] + self.tags
        values |= {"magic": "0xDEADBEEF", "version": str(self.game.version), "transform": "1,0,0,0, 0,1,0,0, 0,0,1,0"}
        values |= {"section_count": str(len(self.sections))}
        counts = {"script_layer_count": sum(section.kind == "script_layers" for section in self.sections),
                  "block_count": len(self.blocks), "tag_count": len(rows)}
        values |= {name: str(n) for name, n in counts.items() if record.field(name)}
        self.file.record("header", record, values | self.values)
        self.file.name("header", 0, self.file.offset)
        self.pad("header_padding")
        self.table("section_size", [{"section_size": str(len(section.image.data))} for section in self.sections])
        if self.game.codec:
            self.table("block_row", [self.row(*each) for each in zip(self.blocks, packed, strict=True)])
        if self.game.tagged:
            self.table("tag_row", rows)

    def table(self, record, rows):
        label = RECORDS[record].label
        for number, row in enumerate(rows):
            start = self.file.offset
            self.file.record(f"{label}[{number}]", RECORDS[record], row)
            self.file.name(f"{label}[{number}]", start, self.file.offset)
        self.pad(f"{label}_padding")

    def row(self, block, segments):
        size = len(self.contents(block))
        return {"buffer_size": str(size + (BUFFER_EXTRA if segments else 0)), "decompressed_size": str(size),
                "compressed_size": str(sum(2 + len(data) for _, data in segments)),
                "section_count": str(len(block.sections))}

    def write_block(self, number, block, segments):
        path, start = f"block[{number}]", self.file.offset
        if block.codec == "raw":
            for each in block.sections:
                self.file.graft(f"{path}.section[{each}]", self.sections[each].image)
            self.pad(f"{path}.padding")
            self.file.name(path, start, self.file.offset)
            return
        lead = padding(sum(2 + len(data) for _, data in segments))
        if lead:
            self.file.add(f"{path}.lead_padding", "zeros", str(lead))
        for i, (size, data) in enumerate(segments):
            at = self.file.offset
            self.file.record(f"{path}.segment[{i}]", RECORDS["segment"], {"stored_size": str(size)})
            self.file.add(f"{path}.segment[{i}].data", "hex", data.hex())
            self.file.name(f"{path}.segment[{i}]", at, self.file.offset)
        self.file.name(path, start, self.file.offset)
        for each in block.sections:
            if self.sections[each].kind == "lights" and self.game.codec == "lzo":
                self.region(f"section[{each}]", self.sections[each].image, path)

    def region(self, name, image, outer):
        places = {f"{name}.{path}": place for path, place in image.places.items()}
        self.file.image.regions[name] = Region(Image(image.data, places), outer)
