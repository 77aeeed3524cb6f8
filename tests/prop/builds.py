#!/usr/bin/env python3
"""A file built from its own dump equals the file, byte for byte. Tested with every recipe without errors, real files,
and samples of other tools, where there are any.

A file built from a dump edited as a modder edits it has no new kinds of findings. For maps, where records refer to
others, dumping it again shows the edit: all references are kept.

usage: builds.py LIGHTLINT CORPUS [STEP]     STEP: only every STEPth file and edit; exit: 0 it holds, 1 not"""
import copy
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import LOUD, Program, Workshop, files_below, real_corpus, real_mods, samples  # noqa: E402
from recipe import Corpus  # noqa: E402


# ---------------------------------------------------------------- trees

def walk(records):
    for record in records:
        if "of" not in record:
            yield record
        for element in record.get("items", [record]):
            yield from walk(element.get("records", []))


def records_of(tree):
    """All records, including those of regions."""
    for part in (tree, *tree.get("regions", [])):
        yield from walk(part["records"])


def all_of(tree, name):
    """All elements of all records of a layout; an element holds fields."""
    return [element for record in records_of(tree) if record["record"] == name for element in record.get("items", [record])]


def array_of(tree, name):
    """The first record of a layout."""
    return [record for record in records_of(tree) if record["record"] == name][0]


def first(tree, name):
    return all_of(tree, name)[0]


def values(name, which=0, **fields):
    """Edit: sets fields of a record of a layout."""
    return f"{name} {which} {fields}", lambda tree: all_of(tree, name)[which].update(fields)


def edit(words, change):
    return words, change


def holder_of(tree, name):
    """The list that contains the first record of a layout."""
    for records in (tree["records"], *(record["records"] for record in walk(tree["records"]) if "records" in record)):
        if any(record["record"] == name for record in records):
            return records
    raise KeyError(name)


def places(records, name):
    return [i for i, record in enumerate(records) if record["record"] == name]


def add(name, **fields):
    """Edit: adds a copy of the last record of a layout after it."""
    def change(tree):
        records = holder_of(tree, name)
        at = places(records, name)[-1]
        records.insert(at + 1, {**copy.deepcopy(records[at]), **fields})
    return f"add {name}", change


def remove(name, which=-1):
    def change(tree):
        records = holder_of(tree, name)
        del records[places(records, name)[which]]
    return f"remove {name} {which}", change


def add_item(name, **fields):
    def change(tree):
        items = array_of(tree, name)["items"]
        element = {**copy.deepcopy(items[-1]), **fields}
        element.pop("label", None)
        items.append(element)
    return f"add an element of {name}", change


def remove_item(name, which=-1):
    def change(tree):
        del array_of(tree, name)["items"][which]
    return f"remove element {which} of {name}", change


def text(name, new, which=0):
    def change(tree):
        all_of(tree, name)[which]["text"] = new
    return f"{name} {which} = {new!r}", change


def several(*edits):
    def change(tree):
        for _, one in edits:
            one(tree)
    change.anew = any(told_anew(one) for _, one in edits)
    return "; ".join(words for words, _ in edits), change


def told_anew(change):
    return getattr(change, "anew", False)


def anew(make):
    """Marks edits after which the next dump differs in labels, unused texts, or values derived from lists."""
    def made(*arguments):
        words, change = make(*arguments)
        change.anew = True
        return words, change
    return made


def add_light(tree):
    records = tree["records"]
    at = places(records, "grx.point_light")[-1]
    light = copy.deepcopy(records[at])
    light["translation"] = [1, 2, 3]
    light.pop("name_hash", None)
    light["records"] = [{"record": "grx.name", "text": "PL_new"},
                        *(r for r in light.get("records", []) if r["record"] != "grx.name")]
    records.insert(at + 1, light)


def add_member(path, content):
    def change(tree):
        records = tree["records"]
        next(r for r in records if r["record"] == "fpk.entry")["items"].append({})
        records.insert(places(records, "fpk.path")[-1] + 1, {"record": "fpk.path", "text": path})
        records.append({"record": "fpk.member", "hex": content})
    return f"add {path}", change


def remove_member(which):
    def change(tree):
        records = tree["records"]
        del next(r for r in records if r["record"] == "fpk.entry")["items"][which]
        for name in ("fpk.path", "fpk.member"):
            del records[places(records, name)[which]]
    return f"remove member {which}", change


def add_probe(tree):
    records = tree["records"]
    next(r for r in records if r["record"] == "lpsh.probe")["items"].append({"flags": 0})
    records.insert(places(records, "lpsh.probe_name")[-1] + 1, {"record": "lpsh.probe_name", "text": "P_new"})
    one = copy.deepcopy(records[places(records, "lpsh.sets")[-1]])
    one["records"][0]["items"] = one["records"][0]["items"][:1]
    records.append(one)


def remove_probe(tree):
    records = tree["records"]
    del next(r for r in records if r["record"] == "lpsh.probe")["items"][-1]
    for name in ("lpsh.probe_name", "lpsh.sets"):
        del records[places(records, name)[-1]]


def move_light(tree):
    """Edit: moves the first light of a layer to its end."""
    items = next(r for r in records_of(tree) if r["record"].startswith("mrea.light") and "items" in r)["items"]
    items.append(items.pop(0))


def edits_of_lights(name):
    """Edits of areas of every game. The first layer starts with an ambient light and two others."""
    return [
        values(name, brightness=3), values(name, color=[1, 0, 0.5]), values(name, position=[1, 2, 3]), values(name, 1, falloff_type=1),
        values(name, 1, cast_shadows=0), values(name, position=[-100, 0.5, 7]), values(name, 1, color=[0.1, 0.2, 0.3]),
        values(name, 2, position=[0, 45, 1]), values(name, 1, brightness=0.75), values(name, 1, position=[0.125, -1e3, 0]),
        add_item(name, position=[5, 6, 7]), remove_item(name), edit("move a light", move_light),
        several(*[add_item(name, position=[9, i, 9]) for i in range(13)]), several(remove_item(name, 0), add_item(name, position=[7, 7, 7])),
    ]


def property_value(name, value):
    """Edit: sets the first property with a value of this kind."""
    return values(f"fox.single_{name}", value=value)


LEFT_OVER = ("FOX230",)  # notes about things that are no longer used


def entity_of(tree, name):
    return next(e for e in tree["records"] if e["record"] == "fox.entity" and e["records"][0]["value"] == name)


def data_list(tree):
    return next(p for p in tree["records"][1]["records"] if p["name"] == "dataList")["records"]


def remove_entity(name):
    def change(tree):
        tree["records"].remove(entity_of(tree, name))
        data_list(tree)[:] = [item for item in data_list(tree) if item["key"] != name]
    return f"remove the entity {name}", change


def add_entity(name, new):
    def change(tree):
        entity = copy.deepcopy(entity_of(tree, name))
        entity["address"] = max(e["address"] for e in tree["records"] if e["record"] == "fox.entity") + 0x70
        entity["records"][0]["value"] = new
        tree["records"].insert(places(tree["records"], "fox.entity")[-1] + 1, entity)
        data_list(tree).append({**data_list(tree)[0], "key": new, "value": entity["address"]})
    return f"add an entity {new}", change


def swap_entities(one, other):
    def change(tree):
        i, j = (tree["records"].index(entity_of(tree, name)) for name in (one, other))
        tree["records"][i], tree["records"][j] = tree["records"][j], tree["records"][i]
    return f"{one} and {other} change places", change


def rename_entity(name, new):
    def change(tree):
        entity_of(tree, name)["records"][0]["value"] = new
        next(item for item in data_list(tree) if item["key"] == name)["key"] = new
    return f"{name} becomes {new!r}", change


def add_property(entity, name, value, at=None):
    record = {"record": "fox.single_string", "name": name, "type": 11, "container": 0, "value": value}
    return (f"a property {name} of {entity} more",
            lambda tree: entity_of(tree, entity)["records"].insert(99 if at is None else at, record))


def move_property(entity, which, to):
    def change(tree):
        properties = entity_of(tree, entity)["records"]
        properties.insert(to, properties.pop(which))
    return f"property {which} of {entity} becomes number {to}", change


def add_text(new):
    """Edit: adds a text to an array of texts."""
    def change(tree):
        array_of(tree, "fox.value_string")["items"].append({"value": new})
    return f"add {new!r} to an array", change


def actor(tree, name):
    return next(a for a in array_of(tree, "rgm.actor")["items"] if a["script_name"] == name)


def placed(tree):
    return array_of(tree, "rgm.object")["items"]


@anew
def remove_actor(name):
    """Edit: removes an actor and its objects."""
    def change(tree):
        array_of(tree, "rgm.actor")["items"].remove(actor(tree, name))
        placed(tree)[:] = [o for o in placed(tree) if o["script_name"] != name]
    return f"remove the actor {name}", change


@anew
def add_actor(name, new, objects=0, at=None):
    """Edit: adds a copy of an actor under another name, with `objects` objects."""
    def change(tree):
        items = array_of(tree, "rgm.actor")["items"]
        one = {**copy.deepcopy(actor(tree, name)), "script_name": new}
        for record in one["records"]:
            record.pop("label", None)
        items.insert(len(items) if at is None else at, one)
        for _ in range(objects):
            placed(tree).append({**placed(tree)[-1], "id": max(o["id"] for o in placed(tree)) + 1, "script_name": new})
    return f"add an actor {new} as {name}, with {objects} objects", change


@anew
def lists_go(name, other):
    """Edit: moves the animation lists that an actor shares with another one to the other one."""
    def change(tree):
        one, two = actor(tree, name), actor(tree, other)
        lists = [r for r in one["records"] if "label" in r]
        one["records"] = [r for r in one["records"] if "label" not in r]
        two["records"] += lists
        for field in ("raan_count", "raan_data_size", "raan_offset", "ragr_offset"):
            two.pop(field, None)
    return f"lists of {name} go to {other}", change


@anew
def swap_actors(one, other):
    def change(tree):
        items = array_of(tree, "rgm.actor")["items"]
        i, j = (items.index(actor(tree, name)) for name in (one, other))
        items[i], items[j] = items[j], items[i]
    return f"{one} and {other} change places", change


def add_object(name):
    def change(tree):
        placed(tree).append({**placed(tree)[-1], "id": max(o["id"] for o in placed(tree)) + 1, "script_name": name})
    return f"place another {name}", change


def remove_object(name):
    def change(tree):
        placed(tree).remove(next(o for o in placed(tree) if o["script_name"] == name))
    return f"remove one {name}", change


def owned(name, record, change, words):
    """Edit of a record that belongs to an actor."""
    return (f"{name}: {words} in {record}",
            lambda tree: change(next(r for r in actor(tree, name)["records"] if r["record"] == record)))


@anew
def new_string(name, new):
    def change(tree):
        array_of(tree, "rgm.rast")["records"].append({"record": "rgm.string", "label": "new_one", "text": new})
        next(r for r in actor(tree, name)["records"] if r["record"] == "rgm.string_offset")["items"].append({"offset": "new_one"})
    return f"another string of {name}", change


EDITS = {
    "good-point-tpp": [
        values("grx.point_light", lumen=1234.5), values("grx.point_light", translation=[1, -2.5, 3e2]),
        values("grx.point_light", color_r=0.25, color_g=1, color_b=0), values("grx.point_light", temperature=5500),
        values("grx.point_light", outer_range=20, inner_range=1), values("grx.point_light", lod_radius_level=7),
        values("grx.point_light", shadow_bias=0), values("grx.point_light", lod_far_size=1, lod_near_size=30),
        text("grx.name", "PL_a_much_longer_name"), text("grx.name", "P"),
        edit("add a light", add_light), remove("grx.point_light"), remove("grx.point_light", 0),
        several(edit("add a light", add_light), remove("grx.point_light", 0)),
        edit("remove the name", lambda tree: (first(tree, "grx.point_light").update(name_hash="0x0000123456789abc"),
                                              first(tree, "grx.point_light")["records"].pop(0))),
    ],
    "good-lba": [
        values("lba.locator", position=[1, 2, 3]), values("lba.locator", position=[-1.25, 0, 1000]),
        values("lba.locator", rotation=[0, 0, 1, 0]), values("lba.locator", rotation=[0, 1, 0, 0]),
        values("lba.locator", position_pad="01020304"), values("lba.id", name_hash="0x12345678"),
        values("lba.id", dataset_hash="0x0000abcd"), values("lba.id", name_hash=7, dataset_hash="8"),
        values("lba.locator", position=[0, 0, 0], rotation=[1, 0, 0, 0]), values("lba.locator", position=[0.1, 0.2, 0.3]),
        several(add_item("lba.locator"), add_item("lba.id", name_hash="0x11111111")),
        several(remove_item("lba.locator"), remove_item("lba.id")),
        several(remove_item("lba.locator", 0), remove_item("lba.id", 0)),
        several(*[add_item("lba.locator"), add_item("lba.id", name_hash="0x22222222")] * 3),
        several(remove_item("lba.locator", 0), remove_item("lba.id", 0), add_item("lba.locator"), add_item("lba.id", name_hash=9)),
    ],
    "good-lpsh": [
        values("lpsh.set", band_0_color=[0.5, 0.25, 0.125]), values("lpsh.set", band_0_sky_visibility=0.5),
        values("lpsh.set", band_1=[0] * 12), values("lpsh.set", band_2=[0.0625] * 20),
        text("lpsh.probe_name", "A_probe_with_a_rather_long_name"), text("lpsh.probe_name", "P"),
        values("lpsh.set", band_0_color=[2, 2, 2]), values("lpsh.time", seconds=1), text("lpsh.probe_name", "Q" * 40, -1),
        values("lpsh.set", band_0_sky_visibility=1),
        edit("add a probe", add_probe), edit("remove a probe", remove_probe),
        several(edit("add a probe", add_probe), edit("again", add_probe), text("lpsh.probe_name", "P_other", -1)),
        several(edit("remove a probe", remove_probe), edit("add a probe", add_probe)),
        several(edit("add a probe", add_probe), text("lpsh.probe_name", "first", 0)),
    ],
    "good-fpk": [
        text("fpk.path", "/Assets/tpp/a.fmdl", 2), text("fpk.path", "/Assets/tpp/level/a/long/way/down/to/a/lamp_a.fmdl", 2),
        values("fpk.member", 2, hex="00" * 5), values("fpk.member", 2, hex="41" * 100), text("fpk.path", "/Assets/z.geom", 4),
        several(text("fpk.path", "/b.fmdl", 3), values("fpk.member", 3, hex="42")), values("fpk.member", 2, hex="43" * 16),
        values("fpk.member", 2, hex="43" * 17), values("fpk.member", 4, hex="43" * 15),
        text("fpk.reference_path", "/Assets/tpp/pack/demo/demo_of_another_name.fpk"),
        add_member("/Assets/tpp/new.geom", "2d2d"), remove_member(-1), remove_member(2),
        several(add_member("/Assets/tpp/one.geom", "2d"), add_member("/Assets/tpp/two.geom", "2d" * 33)),
        several(remove_member(3), add_member("/Assets/tpp/new.geom", "2d2d")),
    ],
    "good-fox2-types": [
        property_value("int32", -5), property_value("uint32", 7), property_value("float", 0.1), property_value("bool", 0),
        property_value("int8", -128), property_value("uint8", 0), property_value("int16", -32768), property_value("uint16", 1),
        property_value("vector3", [3, 2, 1]), property_value("vector4", [0, 0, 0, 1]),
        add_item("fox.value_uint8", value=3), add_item("fox.value_float", value=6), remove_item("fox.value_vector3"),
        add_text("a text of its own"), add_text({"text": "7"}),
        remove("fox.item_uint8"), several(*[add_item("fox.value_uint8", value=9)] * 13),
    ],
    "good-fox2": [
        rename_entity("StaticModelArray0000", "A_rather_longer_name"), rename_entity("model_0001", {"text": "7"}), rename_entity("model_0001", {"text": "0x12"}),
        add_property("StaticModelArray0000", "memo", "a text of its own"), add_property("StaticModelArray0000", "memo", {"text": "-1"}, 1),
        add_property("StaticModelArray0000", "memo", ""), anew(add_property)("StaticModelArray0000", "memo", "0x0000b8a0bf169f98"),
        several(add_property("StaticModelArray0000", "one", "two"), add_property("StaticModelArray0000", "two", "one"), move_property("StaticModelArray0000", -1, 2)),
        remove_entity("model_0001"), remove_entity("LightLinkSet0000"), add_entity("StaticModelArray0000", "StaticModelArray0001"),
        swap_entities("StaticModelArray0000", "OccluderArray0000"),
        several(add_entity("StaticModelArray0000", "A"), swap_entities("A", "OccluderArray0000"), remove_entity("model_0001")),
        several(add_entity("model_0001", "model_0002"), remove_entity("model_0001"), add_property("StaticModelArray0000", "model_0001", "model_0002")),
    ],
    "good-map": [
        values("rgm.light", radius=100), values("rgm.light", intensity=50), values("rgm.light", red=1, green=2, blue=3),
        values("rgm.light", pos_x=1000, pos_y=-1000), values("rgm.object", angle=[0, 1024, 0]), values("rgm.object", pos_x=77),
        values("rgm.location", x=5, y=6, z=7), values("rgm.object", texture_data=129), values("rgm.extra", taunt=3),
        values("rgm.walk_node", x=11),
        text("rgm.string", "a text of another length"), text("rgm.string", "x"), text("rgm.string", "y", 1), text("rgm.space_name", "LONGER_NAME"),
        *(remove_actor(name) for name in ("DOOR", "GUARD", "LAMP")), several(lists_go("GOLEM", "GUARD"), remove_actor("GOLEM")),
        *(add_actor(name, "NEW", objects, at) for name in ("DOOR", "GOLEM", "GUARD", "LAMP") for objects, at in ((0, None), (1, 1), (3, 0))),
        swap_actors("DOOR", "LAMP"), swap_actors("DOOR", "GOLEM"), swap_actors("GUARD", "LAMP"), add_object("GOLEM"), add_object("LAMP"), remove_object("DOOR"),
        several(remove_actor("DOOR"), add_actor("GOLEM", "NEW", 2), swap_actors("LAMP", "NEW")), new_string("LAMP", "a new string"),
        owned("GOLEM", "rgm.collision", lambda r: r["items"].pop(), "one less"), owned("DOOR", "rgm.location", lambda r: r["items"].append({"x": 1, "y": 2, "z": 3}), "one more"),
        owned("DOOR", "rgm.variable", lambda r: r["items"].append({"value": 7}), "one more"),
        several(lists_go("GOLEM", "GUARD"), remove_actor("GOLEM"), owned("GUARD", "rgm.raan_list", lambda r: r["records"].append({**r["records"][-1], "frame_count": 1}), "one file more")),
        add_item("rgm.light"), remove_item("rgm.light"), add_item("rgm.flat_object"), several(remove_item("rgm.marker"), remove_item("rgm.auxiliary")), add_item("rgm.static_object"),
    ],
    "good-mp1": edits_of_lights("mrea.light"),
    "good-mp2": edits_of_lights("mrea.light"),
    "good-mp2-lzo": edits_of_lights("mrea.light"),
    "good-mp2-segments": edits_of_lights("mrea.light"),
    "good-mp3": edits_of_lights("mrea.light_mp3"),
    "good-mp3-lzo": edits_of_lights("mrea.light_mp3"),
    "good-mp3-proto": edits_of_lights("mrea.light_mp3"),
}


# ---------------------------------------------------------------- the test

def dump(program, file, cwd):
    code, out, err = program.call("dump", "--stable", "--format", "json", "--isolated", file, cwd=cwd)
    if not out:
        raise RuntimeError(f"{file}: exit code {code}: {err}")
    return json.loads(out)


def build(program, tree, name, cwd):
    """The bytes of the built file and ""; or None and the messages."""
    with open(os.path.join(cwd, "tree.json"), "w", encoding="utf-8") as file:
        json.dump(tree, file, ensure_ascii=False)
    os.makedirs(os.path.join(cwd, "out"), exist_ok=True)
    out = os.path.join("out", os.path.basename(name))
    code, said, err = program.call("build", "--isolated", "--unsupported=allow", "tree.json", "-o", out, cwd=cwd)
    path = os.path.join(cwd, out)
    if code:
        return (None, err + said.decode(errors="replace")) if not os.path.exists(path) else (None, "refused, but written")
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    return data, ""


def plain(node):
    """The tree in a normal form: numbers as int, zeros as hex."""
    if isinstance(node, list):
        return [plain(item) for item in node]
    if isinstance(node, dict):
        node = {**node, "hex": "00" * node["zeros"]} if "zeros" in node else node
        return {key: value if key == "hex" else plain(value) for key, value in node.items() if key != "zeros"}
    number = isinstance(node, str) and re.fullmatch("0x[0-9a-f]+|[0-9]+", node)
    return int(node, 16 if node.startswith("0x") else 10) if number else node


def round_trip(program, name, data, cwd):
    with open(os.path.join(cwd, os.path.basename(name)), "wb") as file:
        file.write(data)
    tree = dump(program, os.path.basename(name), cwd)
    os.remove(os.path.join(cwd, os.path.basename(name)))
    if "records" not in tree:
        return "no records"
    built, why = build(program, tree, name, cwd)
    return "" if built == data else why or "other bytes"


def edited(program, name, data, cwd, edits):
    """Applies each edit alone; describes each that fails."""
    case, base = name
    with open(os.path.join(cwd, base), "wb") as file:
        file.write(data)
    tree = dump(program, base, cwd)
    before = {f["rule"] for f in program.lint([base], "--isolated", cwd=cwd).findings[base]}
    for words, change in edits:
        new = copy.deepcopy(tree)
        try:
            change(new)
        except (IndexError, KeyError) as error:
            yield f"{case}: {words}: there is no such record: {error}"
            continue
        built, why = build(program, new, base, cwd)
        if built is None or built == data:
            yield f"{case}: {words}: {why or 'nothing changed'}"
            continue
        os.makedirs(os.path.join(cwd, "edited"), exist_ok=True)
        with open(os.path.join(cwd, "edited", base), "wb") as file:
            file.write(built)
        again = dump(program, "edited/" + base, cwd)
        # otherwise the dump describes the block, and does not unpack it
        names = {r["record"] for part in new.get("regions", []) for r in walk(part["records"]) if "items" in r}
        same = all(all_of(again, n) == all_of(new, n) for n in names) if names else plain(again["records"]) == plain(new["records"])
        if not same and not told_anew(change):
            yield f"{case}: {words}: its dump is not the edited one"
        found = program.lint(["edited/" + base], "--isolated", cwd=cwd).findings["edited/" + base]
        loud = [f"{f['rule']} {f['path']} {f['message']}" for f in found if (f["severity"] in LOUD or f["rule"] in LEFT_OVER) and f["rule"] not in before]
        if loud:
            yield f"{case}: {words}: {loud}"
        again, why = build(program, dump(program, os.path.join("edited", base), cwd), base, cwd)
        if again != built:
            yield f"{case}: {words}: built again: {why or 'other bytes'}"


def main(lightlint, folder, step=1):
    program, corpus, step = Program(lightlint), Corpus(folder), int(step)
    faults, files, edits = [], 0, 0
    sound = [case for case in corpus.recipes if case.startswith(("good-", "odd-"))]
    taken = set(sound[::step])
    with Workshop() as shop:
        cwd = shop.path
        for case, recipe in corpus.recipes.items():
            wanted = EDITS.get(case, [])[::step]
            if case not in taken and not wanted:
                continue
            name, data = os.path.basename(corpus.file_name(recipe)), bytes(corpus.assemble(recipe).data)
            why = round_trip(program, name, data, cwd) if case in taken else ""
            files += case in taken
            if why and "would have errors" not in why:
                faults.append(f"{case}: {why}")
            faults += edited(program, (case, name), data, cwd, wanted) if wanted else []
            edits += len(wanted)
        for folder in filter(None, (real_corpus(), samples(), real_mods())):
            for name in files_below(folder)[::step]:
                with open(os.path.join(folder, name), "rb") as file:
                    why = round_trip(program, name, file.read(), cwd)
                files += 1
                faults += [f"{name}: {why}"] if why else []
    print("\n".join(faults + [f"{files} files, {edits} edits, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) in (3, 4) else __doc__)
