"""Recipe statements that write DataSets: records of fox_layout.def, with defaults that no rule reports. Statements only
collect; the file is written at the end of the recipe.

Places have the names that the linter uses: header.entity_count,
entity[0:DataSet].property[dataList].item[Sun].value, entity[2:LightArray].property[flags].value,
entity[3:X].property[levels].item[1].value, string[4].hash, string[4].text."""
import os
import re
from dataclasses import dataclass, field

import layouts
from assembler import RecipeError, split_values, unquote
from strcode64 import strcode64

RECORDS, _ = layouts.of_family("fox")
HERE = os.path.dirname(os.path.abspath(__file__))

UNIT = 16
CONTAINERS = {"static": 0, "dynamic": 1, "map": 2, "list": 3}
TEXTS, ADDRESSES = ("String", "Path", "FilePtr"), ("EntityPtr", "EntityHandle")


def rows(name, row):
    """Arguments of the rows named `row` in a .def file of the family."""
    with open(os.path.join(HERE, "..", "..", "src", "formats", "fox", name), encoding="utf-8") as file:
        macros, text = layouts.split_macros(layouts.strip_comments(file.read()))
    found = []

    def walk(part):
        for called, arguments in layouts.calls(part):
            if called == row:
                found.append(arguments)
            elif called in macros:
                walk(layouts.body_of(macros[called], arguments))
    walk(text)
    return found


TYPES = {name: (int(number), kind) for name, number, kind in rows("fox_types.def", "FOX_TYPE")}
VERSIONS = {row[0]: row[1] for row in rows("fox_classes.def", "FOX_CLASS")}
SHORT = {"STATIC_ARRAY": "static", "DYNAMIC_ARRAY": "dynamic", "LIST": "list"}
MEMBERS = [(row[0], row[1], row[2], SHORT[row[3]]) for row in rows("fox_classes.def", "FOX_MEMBER")]
# Default values, other than 0 or empty, of properties of these classes.
PATH = "/Assets/tpp/level/location/demo/demo_light"
DEFAULTS = {("LightArray", "lightArrayFile"): f'"{PATH}_fox2_grxla_win.grxla"',
            ("TppLightProbeArray", "lightArrayFile"): f'"{PATH}_fox2_tgrxla_win.grxla"',
            ("OccluderArray", "occluderArrayFile"): f'"{PATH}_fox2_grxoc_win.grxoc"',
            ("TppLightProbeSHCoefficients", "filePath"): f'"{PATH}.lpsh"',
            ("TppLightProbeSHCoefficients", "lpshFile"): f'"{PATH}.lpsh"'}
FLAGS, FIRST_ADDRESS, STEP = "0x08000007", 0x10000000, 0x150


def repeated(word):
    """Expands 0*3 to 0 0 0."""
    value, _, times = word.rpartition("*")
    return [value] * int(times) if value and times.isdigit() else [word]


@dataclass
class Property:
    name: str
    type: str
    container: str
    values: list = field(default_factory=list)  # words
    fields: dict = field(default_factory=dict)


@dataclass
class Entity:
    class_name: str
    name: str  # None: the entity is no Data
    fields: dict
    unlisted: bool = False
    properties: list = field(default_factory=list)

    def property(self, name):
        return next((p for p in self.properties if p.name == name), None)


def is_name(text):
    """May it be part of a path?"""
    return bool(text) and all("!" <= c <= "~" and c not in "[]{}.\\" for c in text)


class Writer:
    @staticmethod
    def extension(statements):
        return ".fox2"

    def __init__(self, builder):
        self.builder, self.header, self.entities, self.extra, self.left_out = builder, None, [], [], []
        self.texts = {}  # hash: text, in order of use
        self.statements = {"dataset": self.dataset, "entity": self.entity, "property": self.property, "entry": self.entry}

    # -------------------------------------------------------------- collecting

    def dataset(self, words):
        self.header = split_values(words)
        data = Entity("DataSet", "", {})
        data.properties = [Property("name", "String", "static", ['""']), Property("dataSet", "EntityHandle", "static", ["0"]),
                           Property("dataList", "EntityPtr", "map")]
        self.entities.append(data)

    def entity(self, words):
        class_name, name, rest = words[0], None, words[1:]
        if rest and rest[0].startswith('"'):
            name, rest = unquote(rest[0]).decode(), rest[1:]
        fields = {"class_version": VERSIONS.get(class_name, "0")} | split_values(rest)
        entity = Entity(class_name, name, fields, bool(fields.pop("unlisted", "")))
        members = [(property_name, type_, container) for owner, property_name, type_, container in MEMBERS if owner == class_name]
        if name is not None and not members:
            members = [("name", "String", "static"), ("dataSet", "EntityHandle", "static")]
        for property_name, type_, container in members:
            given = {"name": words[1] if name is not None else '""', "dataSet": "@0", "flags": FLAGS}.get(property_name)
            default = DEFAULTS.get((class_name, property_name)) or given or ('""' if type_ in TEXTS else "0")
            default = '""|""|""|0' if type_ == "EntityLink" and not given else default
            entity.properties.append(Property(property_name, type_, container, [default] if container == "static" else []))
        self.entities.append(entity)

    def property(self, words):
        entity, name = self.entities[-1], words[0]
        fields = split_values([word for word in words[1:] if re.match(r"\w+=", word)])
        words = [part for word in words[1:] if not re.match(r"\w+=", word) for part in repeated(word)]
        known = entity.property(name)
        if "left_out" in fields:
            entity.properties.remove(known)
            return
        if words and words[0] in TYPES:
            container = words[1] if len(words) > 1 and words[1] in CONTAINERS else "static"
            values = words[2:] if len(words) > 1 and words[1] in CONTAINERS else words[1:]
            made = Property(name, words[0], container, values, fields)
            if known:
                entity.properties[entity.properties.index(known)] = made
            else:
                entity.properties.append(made)
            return
        known.values, known.fields = words or known.values, known.fields | fields

    def entry(self, words):
        (self.left_out if "left_out=1" in words[1:] else self.extra).append(unquote(words[0]))

    # -------------------------------------------------------------- writing

    def address(self, number):
        return int(self.entities[number].fields.get("address", str(FIRST_ADDRESS + STEP * number)), 0)

    def hash(self, quoted):
        text = unquote(quoted)
        if text:
            self.texts.setdefault(strcode64(text), text)
        return str(strcode64(text))

    def reference(self, word):
        return str(self.address(int(word[1:]))) if word.startswith("@") else word

    def value(self, type_, word):
        """The fields of a value."""
        if type_ in TEXTS:
            return {"value": self.hash(word)}
        if type_ in ADDRESSES:
            return {"value": self.reference(word)}
        if type_ == "EntityLink":
            package, archive, name, handle = word.split("|")
            return {"package_path": self.hash(package), "archive_path": self.hash(archive), "target_name": self.hash(name),
                    "handle": self.reference(handle)}
        if type_ in ("Vector3", "WideVector3"):
            return {"value": ",".join(word.split(",")[:3]), "unused": (word.split(",") + ["0"])[3]}
        return {"value": word}

    def record(self, path, name, values):
        self.builder.record(path, RECORDS[name], values)

    def whole(self, path, name, values):
        start = self.builder.offset
        self.record(path, name, values)
        self.builder.name(path, start, self.builder.offset)

    def pad(self, path):
        if self.builder.offset % UNIT:
            self.builder.add(path, "align", str(UNIT))

    def write_property(self, path, p):
        number, kind = TYPES[p.type]
        head = {"name": self.hash(f'"{p.name}"'), "type": str(number), "container": str(CONTAINERS[p.container]),
                "value_count": str(len(p.values)), "value_offset": "0x20", "size": str(self.size_of(p) & 0xFFFF)} | p.fields
        if p.container == "static" and len(p.values) == 1:
            self.record(path, f"single_{kind}", head | self.value(p.type, p.values[0]))
            return
        self.record(path, "property", head)
        for i, word in enumerate(p.values):
            if p.container == "map":
                key, _, word = word.partition("=")
                text = unquote(key).decode("latin-1")
                at = f"{path}.item[{text if is_name(text) else i}]"
                self.whole(at, f"item_{kind}", {"key": self.hash(key)} | self.value(p.type, word))
            else:
                self.whole(f"{path}.item[{i}]", f"value_{kind}", self.value(p.type, word))
        self.pad(f"{path}.padding")

    def size_of(self, p):
        size = RECORDS[f"value_{TYPES[p.type][1]}"].size
        stride = -(-(8 + size) // UNIT) * UNIT if p.container == "map" else size
        return -(-(0x20 + stride * len(p.values)) // UNIT) * UNIT

    def write_entity(self, number, entity):
        path, start = f"entity[{number}:{entity.class_name}]", self.builder.offset
        dynamic = int(entity.fields.get("dynamic_count", "0"), 0)
        static = len(entity.properties) - dynamic
        split = 0x40 + sum(self.size_of(p) for p in entity.properties[:static])
        size = 0x40 + sum(self.size_of(p) for p in entity.properties)
        self.record(path, "entity", {"header_size": "0x40", "class_id": "0x130", "tag": '"ent\\0"', "address": str(self.address(number)),
                                     "id": str(1000 + number), "class_name": self.hash(f'"{entity.class_name}"'),
                                     "static_count": str(static), "dynamic_count": str(dynamic), "static_offset": "0x40",
                                     "dynamic_offset": str(split), "size": str(size)} | entity.fields)
        for p in entity.properties:
            at, begin = f"{path}.property[{p.name}]", self.builder.offset
            self.write_property(at, p)
            self.builder.name(at, begin, self.builder.offset)
        self.builder.name(path, start, self.builder.offset)

    def write_strings(self):
        texts = [text for text in self.texts.values() if text not in self.left_out] + self.extra
        for i, text in enumerate(texts):
            start = self.builder.offset
            self.record(f"string[{i}]", "string", {"hash": str(strcode64(text)), "length": str(len(text))})
            self.builder.add(f"string[{i}].text", "hex", text.hex())
            self.builder.name(f"string[{i}]", start, self.builder.offset)

    def close(self):
        if self.header is None:
            raise RecipeError("the statement dataset is missing")
        listed = [(i, e) for i, e in enumerate(self.entities) if i and e.name is not None and not e.unlisted]
        data_list = self.entities[0].property("dataList")
        if data_list and not data_list.values:
            data_list.values = [f'"{e.name}"=@{i}' for i, e in listed]
        self.record("header", "header", {"magic": '"\\xf2box"', "version": "0x35",
                                         "entity_count": str(len(self.entities)), "string_table_offset": "strings",
                                         "first_entity_offset": "0x20"} | self.header)
        for i, entity in enumerate(self.entities):
            self.write_entity(i, entity)
        start = self.builder.offset
        self.write_strings()
        self.builder.name("strings", start, self.builder.offset)
        self.whole("terminator", "terminator", {})
        self.pad("padding")
        self.whole("tail", "tail", {"tag": '"end"'})
