"""Recipe statements that write Redguard scene files: records of rgm_layout.def, with defaults that no rule reports.

Statements only collect. At the end of the recipe the sections are written in their order. Lengths, counts, offsets and
numbers of instances are computed unless the recipe states them.

Places have the names that the linter uses: RAHD[3].raan_offset, RAGR.actor[CYRUS].group[12].command[4].value,
WDNM.map[0].node[2].route[1].target, MPOB.length. The name of a section alone is its header and payload."""
import re
from dataclasses import dataclass, field

import layouts
from assembler import Expression, Image, RecipeError, split_list, split_values, unquote
from soup_assembler import Script

RECORDS, _ = layouts.of_family("rgm")

ATTRIBUTES, FLAT_SIZE = 256, 1111
NONE = -1  # offset or index that leads nowhere
IDENTITY = "0x10000000,0,0, 0,0x10000000,0, 0,0,0x10000000"
LEAST_SCRIPT = "05 00000000"  # an End statement
# Opcodes by name, and the widths of the values in the 20 bits above them.
COMMANDS = {"show": (0, 20), "end": (1, 20), "previous": (2, 20), "future": (3, 20), "sound": (4, 10, 10),
            "break": (5, 20), "rotate": (6, 6, 6, 6), "rotate_axis": (7, 2, 18), "move": (8, 6, 6, 6),
            "move_axis": (9, 2, 18), "change": (10, 10, 10), "rumble": (11, 20), "delay": (12, 20),
            "delay_if": (13, 20), "loop": (14, 20), "transition": (15, 6, 7, 7)}
# Records with a section of their own, after a count, by statement: section, record, defaults. {n} is the number of the
# record.
PLACED = {
    "object": ("MPOB", "object", {"id": "0x100 + {n}", "object_type": "1", "model_name": "CRATE.3D",
                                  "pos_x": "100 + {n}", "pos_y": "-20", "pos_z": "300"}),
    "rope": ("MPRP", "rope", {"id": "0x200 + {n}", "pos_x": "1000", "pos_y": "-300", "pos_z": "2000", "swing": "4",
                              "speed": "2", "length": "6", "rope_model": "ROPELINK"}),
    "static": ("MPSO", "static_object", {"id": "0x300 + {n}", "model_name": "TABLE.3D", "pos_x": "1200 + {n}",
                                         "pos_y": "-40", "pos_z": "900", "rotation": IDENTITY}),
    "light": ("MPSL", "light", {"id": "0x400 + {n}", "pos_x": "64", "pos_y": "-20", "pos_z": "300 + {n}",
                                "radius": "400", "intensity": "120", "red": "255", "green": "240", "blue": "200",
                                "channel_map": "0001020304050607"}),
    "flat": ("MPSF", "flat_object", {"id": "0x500 + {n}", "pos_x": "800", "pos_y": "-60 - {n}", "pos_z": "700",
                                     "texture_data": "38661"}),
    "marker": ("MPMK", "marker", {"pos_x": "10 + {n}", "pos_y": "-20", "pos_z": "30"}),
}
ORDER = ("RAHD RAFS RAST RASB RAVA RASC RAHK RALC RAEX RAAT RAAN RAGR RANM RAVC "
         "MPOB MPRP MPSO MPSL MPSF MPMK MPSZ WDNM FLAT").split()


def evaluate(text):
    """The value of an expression that refers to no places."""
    return Expression(text, Image(bytearray(), {}), 0).value()


def three(text):
    parts = split_list(text)
    if len(parts) != 3:
        raise RecipeError(f"X,Y,Z expected, not {text}")
    return dict(zip("xyz", parts, strict=True))


def quoted(data):
    return '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def padded(record, values):
    """The values, with character fields padded with NULs to their size."""
    texts = {f.name: values.get(f.name, '""') for f in record.fields if f.type == "chars"}
    for name, text in texts.items():
        data = unquote(text) if text.startswith('"') else text.encode()
        texts[name] = quoted(data.ljust(record.field(name).bytes, b"\0"))
    return values | texts


@dataclass
class Group:
    values: dict
    commands: list = field(default_factory=list)  # 24 bits each


@dataclass
class Actor:
    name: str
    values: dict
    label: str = ""  # used in paths
    like: "Actor" = None  # shares the model files and groups of this actor
    space: bytes = b""
    strings: list = field(default_factory=list)
    variables: list = field(default_factory=list)
    script: Script = field(default_factory=lambda: Script.of_bytes(LEAST_SCRIPT))
    hooks: list = field(default_factory=list)
    locations: list = field(default_factory=list)
    extra: dict = field(default_factory=dict)
    attributes: dict = field(default_factory=dict)
    files: list = field(default_factory=list)  # (path, fields)
    groups: list = field(default_factory=list)
    points: list = field(default_factory=list)
    copies: int = 0  # number of objects with its name
    derived: dict = field(default_factory=dict)  # computed fields of its header


@dataclass
class Node:
    values: dict
    routes: list = field(default_factory=list)


@dataclass
class NodeMap:
    values: dict
    nodes: list = field(default_factory=list)


class MapFile:
    """The contents of a map that a recipe states, and how they are written."""

    def __init__(self, builder):
        self.builder = builder
        self.actors, self.maps, self.bounds = [], [], []
        self.placed = {statement: [] for statement in PLACED}
        self.sections = {}  # tag: fields given for headers, counts and preambles
        self.end, self.flat_size = None, FLAT_SIZE
        self.preamble = 4  # bytes before the first script

    def write_all(self):
        self.label_actors()
        self.compute_headers()
        placed = {tag: (statement, record) for statement, (tag, record, _) in PLACED.items()}
        for tag in ORDER:
            if tag in placed:
                self.write_section(tag, lambda tag=tag: self.counted(tag, *placed[tag]))
            elif tag != "RAVC" or any(actor.points for actor in self.actors):
                self.write_section(tag, getattr(self, tag.lower()))
        self.whole("END", "end" if self.end is None else "end_long", {"tag": "END "} | (self.end or {}))

    def write(self, path, record, values):
        """Writes the fields of a record. whole() also names the record."""
        self.builder.record(path, RECORDS[record], padded(RECORDS[record], values))

    def whole(self, path, record, values):
        start = self.builder.offset
        self.write(path, record, values)
        self.builder.name(path, start, self.builder.offset)

    def write_section(self, tag, payload):
        start = self.builder.offset
        given = self.sections.get(tag, {})
        header = {name: value for name, value in given.items() if name in ("tag", "length")}
        self.write(tag, tag.lower(), {"tag": tag, "length": f"size({tag}) - 8"} | header)
        payload()
        self.builder.name(tag, start, self.builder.offset)

    def head(self, tag, record, values):
        """Writes what precedes the records of a section."""
        given = {name: value for name, value in self.sections.get(tag, {}).items() if RECORDS[record].field(name)}
        self.write(tag, record, values | given)

    def records(self, tag, record, things):
        for number, values in enumerate(things):
            self.whole(f"{tag}[{number}]", record, values)

    def counted(self, tag, statement, record):
        things = self.placed[statement]
        self.head(tag, "count", {"count": str(len(things))})
        if tag == "MPMK":
            bytes_behind = [{"value": values.pop("auxiliary", "1")} for values in things]
        self.records(tag, record, things)
        if tag == "MPMK":
            self.records("MPMK.auxiliary", "auxiliary", bytes_behind)

    def text(self, path, data):
        start = self.builder.offset
        self.builder.add(f"{path}.text", "text", quoted(data))
        self.builder.add(f"{path}.terminator", "zeros", "1")
        self.builder.name(path, start, self.builder.offset)

    # -------------------------------------------------------------- the actors' headers

    def compute_headers(self):
        """Computes the header of each actor from the sections, which are written later in the same order."""
        self.preamble = evaluate(self.sections.get("RASC", {}).get("preamble", str(self.preamble)))
        at = dict.fromkeys(("rasb", "ralc", "raan", "ragr", "ranm", "ravc"), 0)
        at |= {"rava": RECORDS["variable"].size, "rasc": self.preamble, "rahk": RECORDS["hook"].size}
        for number, actor in enumerate(self.actors):
            actor.copies = sum(values.get("script_name") == actor.name for values in self.placed["object"])
            sizes, own = self.sizes_of(actor), actor.like or actor
            actor.derived = {
                "instances": actor.copies, "ranm_length": sizes["ranm"], "raat_offset": ATTRIBUTES * number,
                "raan_count": len(own.files), "raan_data_size": self.sizes_of(own)["raan"],
                "ragr_max_group": max([evaluate(g.values["group_index"]) for g in own.groups], default=0),
                "num_strings": len(actor.strings), "script_length": sizes["rasc"],
                "script_pc": actor.script.labels.get("start", 0), "rahk_length": 4 * len(actor.hooks),
                "ralc_count": len(actor.locations), "ralc_length": sizes["ralc"], "raex_length": RECORDS["extra"].size,
                "raex_offset": RECORDS["extra"].size * number, "num_variables": len(actor.variables),
                "rava_length": 4 * len(actor.variables), "frame_count": evaluate(actor.extra.get("frame_ref", "0")),
                "ravc_count": len(actor.points), "mpsz_normal": NONE, "mpsz_combat": NONE, "mpsz_dead": NONE,
                "raex_stat": NONE, "reserved": NONE, "string_offsets_index": at["rasb"], "variable_offset": at["rava"],
                "variable_offset_dup": at["rava"], "script_data_offset": at["rasc"]}
            listed = ("ranm", "rahk", "ralc", "raan", "ragr")  # an actor without entries there has the offset 0
            actor.derived |= {f"{key}_offset": at[key] if sizes[key] else 0 for key in listed}
            actor.derived["ravc_offset"] = at["ravc"] if actor.points else NONE
            if actor.like:
                actor.derived |= {name: own.derived[name] for name in ("raan_offset", "ragr_offset")}
            for key in at:
                at[key] += sizes[key]

    def label_actors(self):
        """Paths use an actor's name if it is one word and unique, otherwise its number."""
        fields = [padded(RECORDS["actor"], actor.values)["script_name"] for actor in self.actors]
        names = [unquote(text).partition(b"\0")[0] for text in fields]
        for number, (actor, name) in enumerate(zip(self.actors, names, strict=True)):
            plain = re.fullmatch(rb"[!-~]+", name) and not set(name) & set(b"[]{}.\\") and names.count(name) == 1
            actor.label = name.decode() if plain else str(number)

    def sizes_of(self, actor):
        """Bytes of an actor in each section."""
        listed = sum(RECORDS["group"].size + 3 * len(group.commands) for group in actor.groups)
        return {
            "rasb": 4 * len(actor.strings), "rava": 4 * len(actor.variables) * actor.copies,
            "rasc": actor.script.size, "rahk": 4 * (len(actor.hooks) + 1) if actor.hooks else 0,
            "ralc": RECORDS["location"].size * len(actor.locations),
            "raan": sum(RECORDS["model_file"].size + len(unquote(path)) + 1 for path, _ in actor.files),
            "ragr": 0 if actor.like else listed + RECORDS["group_end"].size,
            "ranm": len(actor.space) + 1 if actor.space else 0, "ravc": RECORDS["collision"].size * len(actor.points)}

    # -------------------------------------------------------------- payloads of the sections

    def rahd(self):
        self.head("RAHD", "rahd_head", {"count": str(len(self.actors)), "prefix": "1B803700"})
        for number, actor in enumerate(self.actors):
            derived = {name: str(value) for name, value in actor.derived.items()}
            self.whole(f"RAHD[{number}]", "actor", derived | actor.values)

    def rafs(self):
        self.whole("RAFS[0]", "rafs_byte", {})

    def rast(self):
        for number, text in enumerate(self.all_strings()):
            self.text(f"RAST.string[{number}]", text)

    def all_strings(self):
        """All strings, each once, in order of first use."""
        return list(dict.fromkeys(text for actor in self.actors for text in actor.strings))

    def rasb(self):
        at, offsets = 0, {}
        for text in self.all_strings():
            offsets[text] = at
            at += len(text) + 1
        entries = [{"offset": str(offsets[text])} for actor in self.actors for text in actor.strings]
        self.records("RASB", "string_offset", entries)

    def rava(self):
        values = [v for actor in self.actors for v in actor.variables * actor.copies]
        self.records("RAVA", "variable", [{"value": v} for v in ["0", *values]])

    def rasc(self):
        if self.preamble:
            self.builder.add("RASC.preamble", "zeros", str(self.preamble))
        for actor in self.actors:
            if actor.script.size:
                path, start = f"RASC.block[{actor.label}]", self.builder.offset
                actor.script.write(self.builder, path)
                self.builder.name(path, start, self.builder.offset)

    def rahk(self):
        values = ["0"] + [value for actor in self.actors if actor.hooks for value in [*actor.hooks, "0"]]
        self.records("RAHK", "hook", [{"value": value} for value in values])

    def ralc(self):
        self.records("RALC", "location", [values for actor in self.actors for values in actor.locations])

    def raex(self):
        self.records("RAEX", "extra", [actor.extra for actor in self.actors])

    def raat(self):
        rows = [[actor.attributes.get(i, 0) for i in range(ATTRIBUTES)] for actor in self.actors]
        self.records("RAAT", "attribute_set", [{"attributes": ",".join(map(str, row))} for row in rows])

    def raan(self):
        for actor in self.actors:
            for number, (name, values) in enumerate(actor.files):
                path = f"RAAN.actor[{actor.label}].file[{number}]"
                start = self.builder.offset
                self.write(path, "model_file", values)
                self.text(f"{path}.path", unquote(name))
                self.builder.name(path, start, self.builder.offset)

    def ragr(self):
        for actor in self.actors:
            if not actor.like:
                for number, group in enumerate(actor.groups):
                    self.write_group(f"RAGR.actor[{actor.label}].group[{number}]", group)
                self.whole(f"RAGR.actor[{actor.label}].terminator", "group_end", {})

    def write_group(self, path, group):
        start, count = self.builder.offset, len(group.commands)
        derived = {"entry_size": str(8 + 3 * count), "anim_id": "3", "frame_count": str(count)}
        self.write(path, "group", derived | group.values)
        for number, value in enumerate(group.commands):
            self.whole(f"{path}.command[{number}]", "command", {"value": str(value)})
        self.builder.name(path, start, self.builder.offset)

    def ranm(self):
        for actor in self.actors:
            if actor.space:
                self.text(f"RANM.actor[{actor.label}]", actor.space)

    def ravc(self):
        self.records("RAVC", "collision", [point for actor in self.actors for point in actor.points])

    def mpsz(self):
        self.records("MPSZ", "bounds", self.bounds)

    def wdnm(self):
        self.head("WDNM", "count", {"count": str(len(self.maps))})
        for number, nodemap in enumerate(self.maps):
            start, path, count = self.builder.offset, f"WDNM.map[{number}]", str(len(nodemap.nodes))
            lengths = {"map_length": f"size({path})", "node_count": count, "node_count_dup": count}
            self.write(path, "walk_map", lengths | nodemap.values)
            for i, node in enumerate(nodemap.nodes):
                self.write_node(f"{path}.node[{i}]", node)
            self.builder.name(path, start, self.builder.offset)

    def write_node(self, path, node):
        start = self.builder.offset
        lengths = {"node_length": f"size({path})", "route_count": str(len(node.routes))}
        self.write(path, "walk_node", lengths | node.values)
        for number, values in enumerate(node.routes):
            self.whole(f"{path}.route[{number}]", "route", values)
        self.builder.name(path, start, self.builder.offset)

    def flat(self):
        self.builder.add("FLAT.body", "zeros", str(self.flat_size))


class Writer:
    @staticmethod
    def extension(statements):
        return ".rgm"

    def __init__(self, builder):
        self.builder, self.map = builder, MapFile(builder)
        self.statements = {
            "actor": self.new_actor, "like": self.like, "space": self.space, "phrase": self.phrase,
            "variable": self.variable, "script": self.script, "hook": self.hook, "location": self.location,
            "extra": self.extra, "attribute": self.attribute, "file": self.file, "group": self.group,
            "command": self.command, "collide": self.collide, "bounds": self.bound, "nodemap": self.nodemap,
            "node": self.node, "route": self.route, "section": self.section, "flat_section": self.flat_section,
            "end8": self.end8}
        for statement in PLACED:
            self.statements[statement] = lambda words, statement=statement: self.place(statement, words)

    # -------------------------------------------------------------- collecting

    @property
    def actor(self):
        if not self.map.actors:
            raise RecipeError("there is no actor yet")
        return self.map.actors[-1]

    def new_actor(self, words):
        if not words:
            raise RecipeError("actor NAME expected")
        values = {"script_name": words[0]} | split_values(words[1:])
        self.map.actors.append(Actor(words[0], values, space=words[0].lower().encode()))

    def like(self, words):
        """like ACTOR: shares the model files and groups of an earlier actor."""
        found = [actor for actor in self.map.actors[:-1] if [actor.name] == words]
        if not found:
            raise RecipeError("like ACTOR, of an actor before this one, expected")
        self.actor.like = found[0]

    def space(self, words):
        self.actor.space = unquote(" ".join(words))

    def phrase(self, words):
        self.actor.strings.append(unquote(" ".join(words)))

    def variable(self, words):
        self.actor.variables += split_list(" ".join(words))

    def script(self, words):
        """script BYTES, or script {, statements, }"""
        self.actor.script = Script() if words == ["{"] else Script.of_bytes(" ".join(words))
        return self.script_line if words == ["{"] else None

    def script_line(self, line):
        """Takes a line of a script block; returns the function for the next line, or None at the end."""
        if line == "}":
            if self.actor.script.open_ifs:
                raise RecipeError("an if without its endif")
            return None
        self.actor.script.line(line)
        return self.script_line

    def hook(self, words):
        self.actor.hooks += split_list(" ".join(words))

    def location(self, words):
        self.actor.locations.append(three(" ".join(words)))

    def extra(self, words):
        self.actor.extra |= split_values(words)

    def attribute(self, words):
        for word in words:
            number, _, value = word.partition("=")
            self.actor.attributes[int(number, 0)] = int(value, 0)

    def file(self, words):
        if len(words) < 3:
            raise RecipeError('file "PATH" TYPE FRAMES expected')
        values = {"model_type": words[1], "frame_count": words[2]} | split_values(words[3:])
        self.actor.files.append((words[0], values))

    def group(self, words):
        if not words:
            raise RecipeError("group NUMBER expected")
        self.actor.groups.append(Group({"group_index": words[0]} | split_values(words[1:])))

    def command(self, words):
        if not words or words[0] not in COMMANDS or not self.actor.groups:
            raise RecipeError(f"command NAME, in a group, expected; names are {', '.join(COMMANDS)}")
        value, *widths = COMMANDS[words[0]]
        numbers = [evaluate(text) for text in split_list(" ".join(words[1:]))] if words[1:] else [0] * len(widths)
        if len(numbers) != len(widths):
            raise RecipeError(f"command {words[0]} has {len(widths)} values")
        at = 4
        for number, width in zip(numbers, widths, strict=True):
            if not -(1 << (width - 1)) <= number < 1 << width:
                raise RecipeError(f"{number} does not fit {width} bits")
            value |= (number & ((1 << width) - 1)) << at
            at += width
        self.actor.groups[-1].commands.append(value)

    def collide(self, words):
        """collide X,Y,Z VERTEX RADIUS"""
        if len(words) != 3:
            raise RecipeError("collide X,Y,Z VERTEX RADIUS expected")
        self.actor.points.append(three(words[0]) | {"vertex": words[1], "radius": words[2]})

    def place(self, statement, words):
        things, defaults = self.map.placed[statement], PLACED[statement][2]
        values = {name: value.replace("{n}", str(len(things))) for name, value in defaults.items()}
        if statement == "object" and words and "=" not in words[0]:
            values["script_name"] = words.pop(0)
        things.append(values | split_values(words))

    def bound(self, words):
        values = {"positive": "16,32,8", "negative": "16,32,24"} | split_values(words)
        reach = [[evaluate(text) for text in split_list(values[name])] for name in ("positive", "negative")]
        self.map.bounds.append({"total": ",".join(str(a + b) for a, b in zip(*reach, strict=True))} | values)

    def nodemap(self, words):
        self.map.maps.append(NodeMap({"radius": "900"} | split_values(words)))

    def node(self, words):
        if not self.map.maps:
            raise RecipeError("there is no walk map yet")
        self.map.maps[-1].nodes.append(Node(split_values(words)))

    def route(self, words):
        if not words or not self.map.maps or not self.map.maps[-1].nodes:
            raise RecipeError("route TARGET, in a node, expected")
        self.map.maps[-1].nodes[-1].routes.append({"target": words[0], "cost": "5"} | split_values(words[1:]))

    def section(self, words):
        """section TAG: fields of its header, count and preamble."""
        if not words or words[0] not in ORDER:
            raise RecipeError("section TAG, of one of the known sections, expected")
        self.map.sections[words[0]] = split_values(words[1:])

    def flat_section(self, words):
        self.map.flat_size = evaluate(" ".join(words))

    def end8(self, words):
        self.map.end = split_values(words)

    def close(self):
        self.map.write_all()
