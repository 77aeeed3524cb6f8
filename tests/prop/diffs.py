#!/usr/bin/env python3
"""Compares sound files with changed copies by `lightlint diff`, in both directions:

  - A file and its copy have no differences.
  - One changed field gives one difference, at that field. A field that locates other bytes may change what is read:
    then any difference will do.
  - One record removed, added or moved gives one difference of that kind, apart from numbers that the recipe assigns in
    order.
  - The same holds for lights of areas, also if only one of the files is compressed.
  - The same holds for actors of maps with all that belongs to them, and for each field of it. A wrong number on one
    side, and bytes that no field explains, are reported as well.

usage: diffs.py [--fields N] [--every N] LIGHTLINT CORPUS
--fields: fields per file (6); --every: only every Nth edit of actors
exit: 0 it holds, 1 not"""
import argparse
import copy
import json
import os
import random
import re
import struct
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop, files_below, known_extensions, real_corpus, samples  # noqa: E402
from recipe import Corpus, RecipeError  # noqa: E402
import builds  # noqa: E402

# Recipe statements whose records do not affect the numbers of other records.
STATEMENTS = {"lpsh": ("probe",), "fpk": ("reference",), "mrea": ("light",)}
NUMBERED = {"id", "instances"}  # fields that recipes number or count
# Arrays of records by family: path, field with the number of records, field with the size of the enclosing section.
ARRAYS = {
    "mrea": [("lights.layer[%d].light", "lights.layer[%d].count", None)],
    "rgm": [(name, name + ".count", name + ".length") for name in ("MPOB", "MPRP", "MPSO", "MPSL", "MPSF")],
    "lba": [("locator", "header.count", None)],
}


class Pairs:
    """Pairs of files, compared in one run per direction."""

    def __init__(self, program):
        self.program = program
        self.pairs = {}  # name: (before, after, check, what)

    def add(self, extension, before, after, check, what):
        self.pairs[f"{len(self.pairs):06}{extension}"] = (before, after, check, what)

    def run(self):
        faults = []
        for turned in (False, True):
            with Workshop() as workshop:
                for name, (before, after, _, _) in self.pairs.items():
                    workshop.write(os.path.join("a", name), after if turned else before)
                    workshop.write(os.path.join("b", name), before if turned else after)
                code, out, err = self.program.call("diff", "--isolated", "--format", "json", "a", "b", cwd=workshop.path)
                if code == 2 or err:
                    faults.append(f"exit code {code}: {err}")
            told = defaultdict(list)
            for pair in json.loads(out)["files"]:
                told[os.path.basename(pair["before"].partition("!")[0])] += pair["differences"]
            for name, (_, _, check, what) in self.pairs.items():
                fault = check(told[name], turned)
                if fault:
                    faults.append(f"{what}{', reversed' if turned else ''}: {fault}: " +
                                  "; ".join(f"{d['kind']} {d['path']}" for d in told[name][:6]))
        return faults


# ---------------------------------------------------------------- fields

def tiling(dump):
    return [[(s["offset"], s["length"], s["type"]) for s in part["spans"]] for part in [dump, *dump.get("regions", [])]]


def change(rng, data, span):
    """Changes one bit of a field, so that a number usually stays valid."""
    out = bytearray(data)
    at = span["offset"] + rng.randrange(span["length"])
    out[at] ^= 1 << rng.randrange(3)
    return bytes(out)


def is_one(span, inner):
    def check(differences, _):
        if len(differences) != 1:
            return f"{len(differences)} differences"
        one = differences[0]
        if one["kind"] == "changed" and not inner and one.get("offset_after") != span["offset"]:
            return f"not at +{span['offset']:#x}"
        # added or removed zeros: padding is not compared
        fills = span["type"] == "padding" and one["kind"] in ("added", "removed")
        return one["kind"] not in ("changed", "bytes") and not fills and "of another kind"
    return check


def is_some(differences, _):
    return not differences and "no difference"


def add_fields(pairs, counts, rng, number, name, data):
    extension = os.path.splitext(name)[1]
    with Workshop() as workshop:
        workshop.write(os.path.basename(name), data)
        dump = pairs.program.spans(os.path.basename(name), cwd=workshop.path)
        fields = [s for s in dump["spans"] if s["type"] not in ("gap", "unparsed") and s["length"]]
        for span in rng.sample(fields, min(number, len(fields))):
            after = change(rng, data, span)
            workshop.write(os.path.basename(name), after)
            same = tiling(pairs.program.spans(os.path.basename(name), cwd=workshop.path)) == tiling(dump)
            inner = bool(dump.get("members")) or bool(dump.get("regions"))
            counts["fields" if same else "fields that change what is read"] += 1
            pairs.add(extension, data, after, is_one(span, inner) if same else is_some,
                      f"{os.path.basename(name)}: {span['path']} at +{span['offset']:#x}")


# ---------------------------------------------------------------- records

def is_record(kinds):
    def check(differences, turned):
        turn = {"removed": "added", "added": "removed"} if turned else {}
        rest = [d for d in differences if not (d["kind"] == "changed" and d["path"].rpartition(".")[2] in NUMBERED)]
        wanted = {turn.get(kind, kind) for kind in kinds}
        return (len(rest) != 1 or rest[0]["kind"] not in wanted) and f"not one of {sorted(wanted)}"
    return check


def assembled(corpus, recipe, body):
    was, recipe.body = recipe.body, body
    try:
        return bytes(corpus.assemble(recipe).data)
    except RecipeError:
        return None
    finally:
        recipe.body = was


def add_statements(pairs, counts, corpus, recipe, extension):
    """Adds pairs where the statement of a record is left out or swapped with the next one."""
    kinds = STATEMENTS.get(recipe.family, ())
    body = [(line, f"{words} position={i},-2,3.5" if words.startswith("light ") and recipe.family == "mrea" and "position=" not in words else words)
            # a fixed position: the default depends on the light's number
            for i, (line, words) in enumerate(recipe.body)]
    words = [statement.partition(" ")[0] for _, statement in body]
    for i, word in enumerate(words):
        if word not in kinds:
            continue
        for what, changed in (("removed", body[:i] + body[i + 1:]), ("moved", body[:i] + [body[i + 1], body[i]] + body[i + 2:] if words[i + 1:i + 2] == [word] else None)):
            whole = assembled(corpus, recipe, body)
            data = changed and assembled(corpus, recipe, changed)
            if data and data != whole:
                counts["records " + what] += 1
                pairs.add(extension, whole, data, is_record({what}), f"{recipe.case}: line {body[i][0]} {word} {what}")


def elements(spans, path):
    """(start, end) of the elements of an array."""
    places = {}
    for s in spans:
        match = re.match(re.escape(path) + r"\[(\d+)\]\.", s["path"])
        if match:
            start, end = places.get(int(match[1]), (s["offset"], s["offset"]))
            places[int(match[1])] = (start, s["offset"] + s["length"])
    return [places[i] for i in sorted(places)]


def lowered(data, field, by):
    """The data with a field of four bytes reduced by `by`; unchanged without a field."""
    if not field:
        return data
    order = "big" if field["big"] else "little"
    number = int.from_bytes(data[field["offset"]:field["offset"] + 4], order) - by
    return data[:field["offset"]] + number.to_bytes(4, order) + data[field["offset"] + 4:]


def add_elements(pairs, counts, rng, name, data, family, extension):
    """Adds pairs where an array element is removed or swapped with the next one."""
    with Workshop() as workshop:
        workshop.write("a" + extension, data)
        spans = pairs.program.spans("a" + extension, cwd=workshop.path)["spans"]
    fields = {s["path"]: s for s in spans}
    for path, counted, sized in [(p % i if "%" in p else p, c % i if "%" in c else c, z) for p, c, z in ARRAYS.get(family, ())
                                 for i in (range(2) if "%" in p else (0,))]:
        places = elements(spans, path)
        ids = elements(spans, "id") if family == "lba" else []
        count = fields.get(counted) or fields.get(path + "[0].count") if places else None
        if not count or len(places) < 2:
            continue
        i = rng.randrange(len(places) - 1)
        (start, middle), (_, end) = places[i], places[i + 1]
        swapped = data[:start] + data[middle:end] + data[start:middle] + data[end:]
        out = data[:start] + data[middle:]
        if ids:
            (a, m), (_, z) = ids[i], ids[i + 1]
            swapped = swapped[:a] + data[m:z] + data[a:m] + data[z:]
            out = data[:start] + data[middle:a] + data[m:]
        out = lowered(out, {**count, "big": family == "mrea"}, 1)
        out = lowered(out, sized and {**fields[sized], "big": True}, middle - start)
        if family == "mrea" and fields.get("lights.padding") or family == "mrea" and len(data) % 32 == 0:
            used = max(z for p in ("lights.layer[0].light", "lights.layer[1].light") for _, z in elements(spans, p) or [(0, 0)])
            rest = data[used:].strip(b"\0")
            if rest:
                continue
            body = out[:used - (middle - start)]
            out = body + bytes(-len(body) % 32)
        for what, changed in (("removed", out), ("moved", swapped)):
            with Workshop() as workshop:
                workshop.write("a" + extension, changed)
                read = all(s["type"] != "unparsed" for s in pairs.program.spans("a" + extension, cwd=workshop.path)["spans"])
            if changed != data and read:
                counts["records " + what] += 1
                pairs.add(extension, data, changed, is_record({what}), f"{name}: {path}[{i}] {what}")


def is_field(name):
    def check(differences, _):
        return [(d["kind"], d["path"].rpartition(".")[2]) for d in differences] != [("changed", name)] and f"not {name} alone"
    return check


def add_lights(pairs, counts, case, data):
    """Adds areas built with one light changed, removed or moved. The built areas are not compressed."""
    with Workshop() as workshop:
        workshop.write("a.mrea", data)
        tree = builds.dump(pairs.program, "a.mrea", workshop.path)
        for what, check in (("changed", is_field("brightness")), ("removed", is_record({"removed"})), ("moved", is_record({"moved"}))):
            new = copy.deepcopy(tree)
            items = next((r["items"] for r in builds.records_of(new) if r["record"].startswith("mrea.light") and len(r.get("items", [])) > 1), None)
            if not items:
                return
            if what == "changed":
                items[1]["brightness"] += 1
            else:
                light = items.pop(0)
                items += [light] if what == "moved" else []
            after, why = builds.build(pairs.program, new, "b.mrea", workshop.path)
            if after is None:
                raise RuntimeError(f"{case}: {what}: {why}")
            counts[f"lights of areas {what}"] += 1
            pairs.add(".mrea", data, after, check, f"{case}: light {what}, built")


def entries(data):
    """(start, end) of the entries of an array, without the first (its DataSet) and the last (its end)."""
    at = [0x10]
    while data[at[-1]:at[-1] + 4] != bytes(4):
        at.append(at[-1] + struct.unpack_from("<I", data, at[-1] + 4)[0])
    return list(zip(at[1:], at[2:]))


def add_entries(pairs, counts, rng, name, data):
    places = entries(data)
    for start, end in rng.sample(places, min(2, len(places))):
        counts["records removed"] += 1
        pairs.add(".grxla", data, data[:start] + data[end:], is_record({"removed"}), f"{name}: entry at +{start:#x} removed")
        if end < places[-1][1]:
            last = end + struct.unpack_from("<I", data, end + 4)[0]
            swapped = data[:start] + data[end:last] + data[start:end] + data[last:]
            if swapped != data:
                counts["records moved"] += 1
                pairs.add(".grxla", data, swapped, is_record({"moved"}), f"{name}: entry at +{start:#x} moved")


# Edits of a DataSet by builds.py, and the expected differences besides entries of the string table.
LAST, MODEL = "StaticModelArray0000", "model_0001"
EDITS = [
    (builds.remove_entity(MODEL), ["removed entity[", "removed entity[DataSet"]),
    (builds.add_entity(LAST, "StaticModelArray0001"), ["added entity[", "added entity[DataSet"]),
    (builds.swap_entities(MODEL, LAST), ["moved entity["]),
    (builds.move_property(LAST, 1, 0), ["moved entity[StaticModelArray"]),
    (builds.move_property(MODEL, 3, 1), ["moved entity[StaticModelArrayLinkTarget"]),
    (builds.add_property(LAST, "memo", "a text"), ["added entity[StaticModelArray"]),
    (builds.add_property(LAST, "memo", "", 1), ["added entity[StaticModelArray"]),
    (builds.values("fox.entity", 2, class_version=7), ["changed .class_version"]),
    (builds.values("fox.single_string", -1, value="another name"), ["changed .value"]),
    (builds.values("fox.single_uint32", -1, value=77), ["changed .value"]),
]


def is_edit(wanted):
    def check(differences, turned):
        turn = {"removed": "added", "added": "removed"} if turned else {}
        rest = [d for d in differences if not d["path"].startswith("string[")]
        fit = len(rest) == len(wanted)
        for words in wanted:
            kind, _, path = words.partition(" ")
            fit = fit and any(d["kind"] == turn.get(kind, kind) and (d["path"].endswith(path) if path[0] == "." else d["path"].startswith(path))
                              for d in rest)
        return not fit and f"not {wanted}"
    return check


def add_edits(pairs, counts, case, data):
    with Workshop() as workshop:
        workshop.write(case + ".fox2", data)
        tree = builds.dump(pairs.program, case + ".fox2", workshop.path)
        for (words, change_tree), wanted in EDITS:
            edited = copy.deepcopy(tree)
            change_tree(edited)
            after, why = builds.build(pairs.program, edited, case + ".fox2", workshop.path)
            if after is None:
                raise RuntimeError(f"{case}: {words}: {why}")
            counts["edits of entities and properties"] += 1
            pairs.add(".fox2", data, after, is_edit(wanted), f"{case}: {words}")


# ---------------------------------------------------------------- actors

def is_told(wanted):
    """Expects exactly these differences: (kind, path), or "*" and the end of the path."""
    def check(differences, turned):
        turn = {"removed": "added", "added": "removed"} if turned else {}
        left = [(d["kind"], d["path"]) for d in differences]
        for kind, path in wanted:
            found = next((d for d in left if d[0] == turn.get(kind, kind) and (d[1].endswith(path[1:]) if path[0] == "*" else d[1] == path)), None)
            if not found:
                return f"no {kind} {path}"
            left.remove(found)
        return left and f"more than {wanted}"
    return check


def heirs(tree, name):
    """Edits that hand the lists of a removed actor to another actor that shares them."""
    labels = [r["label"] for r in builds.actor(tree, name)["records"] if "label" in r]
    sharing = [a["script_name"] for a in builds.array_of(tree, "rgm.actor")["items"] if a.get("raan_offset") in labels or a.get("ragr_offset") in labels]
    return [builds.lists_go(name, sharing[0])] if sharing else []


def with_objects(kind, tree, name):
    return [(kind, f"RAHD[{name}]")] + [(kind, f"MPOB[{o['id']}]") for o in builds.placed(tree) if o["script_name"] == name]


def owned_fields(tree, name):
    """A change of the first number, text or string of each kind of record that belongs to an actor, with its field."""
    kinds = set()
    strings = [s["label"] for s in builds.all_of(tree, "rgm.string") if "label" in s]
    used = [e["offset"] for e in builds.all_of(tree, "rgm.string_offset")]
    for record in builds.walk(builds.actor(tree, name).get("records", [])):
        for element in record.get("items", [record]):
            for field, value in element.items():
                number = isinstance(value, int) and not isinstance(value, bool) and field not in ("index", "zeros")
                # offset of a string that is also used elsewhere and stays
                if field == "offset" and used.count(value) > 1:
                    yield from ((record["record"], element, field, other) for other in strings if other != value)
                elif (number or field == "text") and (record["record"], field) not in kinds:
                    kinds.add((record["record"], field))
                    yield record["record"], element, field, value + (1 if value < 100 else -1) if number else value + "x"


def add_actors(pairs, counts, case, data, every):
    with Workshop() as workshop:
        workshop.write("a.rgm", data)
        tree = builds.dump(pairs.program, "a.rgm", workshop.path)
        names = [a["script_name"] for a in builds.all_of(tree, "rgm.actor")]
        apart = any(r["record"] in ("rgm.raan_list", "rgm.ragr_list", "rgm.space_name") and "of" not in r
                    for section in tree["records"] for r in section.get("records", []))
        if apart or not builds.all_of(tree, "rgm.object") or any(not isinstance(name, str) or names.count(name) > 1 for name in names):
            return

        def edit(words, change, wanted, damage=lambda after: after):
            counts["edits of actors that are known"] += 1
            if counts["edits of actors that are known"] % every:
                return
            edited = copy.deepcopy(tree)
            change(edited)
            after, why = builds.build(pairs.program, edited, "b.rgm", workshop.path)
            if after is None:
                counts["edits of actors that cannot be built"] += 1
                return
            counts["edits of actors"] += 1
            pairs.add(".rgm", data, damage(after), is_told(wanted), f"{case}: {words}")

        def wrong(after):
            """Damages the number of places of the last actor."""
            workshop.write("c.rgm", after)
            at = [s["offset"] for s in pairs.program.spans("c.rgm", cwd=workshop.path)["spans"] if s["path"].endswith(".ralc_length")][-1]
            return after[:at] + bytes([after[at] ^ 1]) + after[at + 1:]

        for i, name in enumerate(names):
            gone = with_objects("removed", tree, name)
            edit(*builds.several(*heirs(tree, name), builds.remove_actor(name)), gone)
            edit(*builds.several(*heirs(tree, name), builds.remove_actor(name)), gone + [("bytes", "*")], lambda after: after + b"m")
            for objects in range(2):
                new = [("added", "RAHD[NEW]")] + [("added", f"MPOB[{max(o['id'] for o in builds.placed(tree)) + 1}]")] * objects
                edit(*builds.add_actor(name, "NEW", objects, i), new)
            if i + 1 < len(names):
                edit(*builds.swap_actors(name, names[i + 1]), [("moved", "*")])
                edit(*builds.several(*heirs(tree, name), builds.remove_actor(name)), gone + [("changed", f"RAHD[{names[-1]}].ralc_length")], wrong)
            for record, element, field, value in owned_fields(tree, name):
                was = element[field]
                element[field] = value
                edit(f"{name}: {record}.{field}", lambda _: None, [("changed", f"*.{field}")])
                element[field] = was


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fields", type=int, default=6)
    parser.add_argument("--every", type=int, default=1, help="only every Nth edit of actors")
    parser.add_argument("program")
    parser.add_argument("corpus")
    options = parser.parse_args()
    rng = random.Random(15)
    corpus = Corpus(options.corpus)
    pairs, counts = Pairs(Program(options.program)), Counter()
    for recipe in corpus.recipes.values():
        if recipe.case.startswith("good-"):
            data = bytes(corpus.assemble(recipe).data)
            extension = os.path.splitext(corpus.file_name(recipe))[1].lower()
            # any extension will do: the contents decide
            extension = extension if extension in known_extensions() else ".grxla"
            pairs.add(extension, data, data, lambda differences, _: differences and "a copy differs", recipe.case)
            counts["copies"] += 1
            add_fields(pairs, counts, rng, options.fields, recipe.case + extension, data)
            if recipe.case == "good-fox2":
                add_edits(pairs, counts, recipe.case, data)
            if recipe.family == "rgm" and "options" not in recipe.header:
                add_actors(pairs, counts, recipe.case, data, options.every)
            if "options" not in recipe.header:
                add_elements(pairs, counts, rng, recipe.case, data, recipe.family, extension)
                if recipe.family == "mrea" and "area" in [words.partition(" ")[0] for _, words in recipe.body]:
                    add_lights(pairs, counts, recipe.case, data)
                if not recipe.one("from"):
                    add_statements(pairs, counts, corpus, recipe, extension)
    for folder in filter(None, (real_corpus(), samples())):
        for path in files_below(folder):
            with open(os.path.join(folder, path), "rb") as file:
                data = file.read()
            if len(data) < 1 << 18:
                add_fields(pairs, counts, rng, 2, path, data)
            if path.lower().endswith(".rgm"):
                add_actors(pairs, counts, path, data, options.every)
            if path.endswith((".grxla", ".grxoc")) and data[:4] in (b"FGxL", b"FGxO"):
                add_entries(pairs, counts, rng, path, data)
    faults = pairs.run()
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    for fault in faults[:40]:
        print(fault)
    print(f"{len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
