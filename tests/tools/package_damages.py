"""Faults in packages (made_package.py) that no single file shows, one at a time, with the findings that are expected.

Each function changes a package and returns a Fault, or None if the package has nothing to change. Other findings
must not be above a note, except those that the fault allows: consequences that the page names."""
import struct
from dataclasses import dataclass, field

from fox_package import Array, DataSet, Harmonics, Probe, in_order
from made_package import FILES, word
from strcode64 import strcode64

FAULTS = {}
# Parts that a rule needs besides the part of its finding: they contain the other end, or show that it is missing.
NEEDS = {"mod-dataset-missing": "fpkd", "mod-array-unreferenced": "fpkd", "mod-array-class": "fpkd", "mod-array-file": "fpk", "mod-path-case": "both",
         "mod-sh-index": "fpkd", "mod-sh-count": "fpk", "mod-draw-count": "fpk", "mod-related-range": "fpkd", "mod-lpsh-file": "fpk",
         "mod-lpsh-unused": "fpkd", "mod-probe-not-in-lpsh": "fpkd", "mod-probe-not-in-lpsh-damaged": "fpkd", "mod-probe-flags": "fpkd",
         "mod-sh-unlinked": "fpkd", "mod-link-target": "fpk"}


@dataclass
class Said:
    """An expected finding."""
    rules: str  # names of rules, separated by |; any one of them
    part: str
    path: str  # inner path; "": in the manifest or archive, at any place
    place: tuple = ()  # offset and length; (): anywhere in the file

    def needs(self):
        wanted = {NEEDS.get(rule, "") for rule in self.rules.split("|")}
        return {self.part} | ({"fpk", "fpkd"} if "both" in wanted else wanted - {""})


@dataclass
class Fault:
    said: list
    allowed: set = field(default_factory=set)  # names of rules that may have findings as well
    archive: bool = True  # are the findings the same for archives?
    folder: bool = True
    damaged: str = ""  # inner path of a file that may have any finding except those across files


def fault(function):
    FAULTS[function.__name__.replace("_", "-")] = function
    return function


# ------------------------------------------------------------------ places

def cm00(array):
    return array.name_place(array.entries[0]), len(array.entries[0].name)


def at_array(rules, path, array, entry=None, at=0, size=0):
    return Said(rules, "fpk", path, (array.place(entry, at), size) if entry else ())


def at_value(rules, path, dataset, entity, name, index=0, size=8):
    return Said(rules, "fpkd", path, (dataset.place(entity.address, name, index), size))


def at_count(rules, path, dataset, entity, name):
    return Said(rules, "fpkd", path, (dataset.place(entity.address, name), 2))


def owned_by(package, dataset_path):
    return [(path, array) for path, array in package.arrays() if array.path == dataset_path]


def links_of(package, path):
    """Light links of a DataSet that have a handle: (entity, property, index, link)."""
    return [(entity, name, index, link) for kind, name in (("TppLightProbeArray", "shDatas"), ("TppGimmickLightLinkSetData", "lightList"))
            for entity in package.parts["fpkd"][path].of_kind(kind) for index, link in enumerate(entity[name]) if link[3]]


def move(package, part, old, new):
    files = package.parts[part]
    files[new] = files.pop(old)


def other_case(text):
    head, _, name = text.rpartition("/")
    return f"{head}/{name[:1].swapcase()}{name[1:]}"


def choose(dice, of):
    of = list(of)
    return dice.choice(of) if of else None


def links_and_arrays(package, old, new, rule="mod-dataset-missing"):
    """Expected findings after a DataSet moved: its arrays and its own links still have the old path."""
    dataset = package.parts["fpkd"][new]
    said = [Said(rule, "fpk", path, cm00(array)) for path, array in owned_by(package, old)]
    return said, [at_value("mod-link-archive", new, dataset, entity, name, index, 32) for entity, name, index, _ in links_of(package, new)]


# ------------------------------------------------------------------ files moved

def datasets_of_arrays(package):
    return sorted({array.path for _, array in package.arrays()} & set(package.parts["fpkd"]))


@fault
def dataset_renamed(package, dice):
    old = choose(dice, datasets_of_arrays(package))
    if old:
        new = old.replace(".fox2", dice.choice(("2", "_old", "_copy")) + ".fox2")
        move(package, "fpkd", old, new)
        said, links = links_and_arrays(package, old, new)
        return Fault(said + links)


@fault
def dataset_moved(package, dice):
    old = choose(dice, datasets_of_arrays(package))
    if old:
        new = old.replace("/level/location/", dice.choice(("/level/mission2/", "/level/location/other/")), 1)
        if new == old:
            new = old.replace("/Assets/", "/Assets/ssd/moved/", 1)
        move(package, "fpkd", old, new)
        said, links = links_and_arrays(package, old, new)
        return Fault(said + links)


@fault
def dataset_case(package, dice):
    old = choose(dice, datasets_of_arrays(package))
    if old:
        move(package, "fpkd", old, other_case(old))
        said, _ = links_and_arrays(package, old, other_case(old), "mod-path-case")
        return Fault(said, {"mod-link-archive"})


@fault
def dataset_deleted(package, dice):
    old = choose(dice, datasets_of_arrays(package))
    if old:
        gone = package.parts["fpkd"].pop(old)
        unused = {entity["lpshFile"] for entity in gone.of_kind("TppLightProbeSHCoefficients")}
        unused -= {entity["lpshFile"] for _, _, entity in package.entities("TppLightProbeSHCoefficients")}
        return Fault([Said("mod-dataset-missing", "fpk", path, cm00(array)) for path, array in owned_by(package, old)]
                     + [Said("mod-lpsh-unused", "fpk", path) for path in sorted(unused) if path in package.parts["fpk"]])


def array_owner(package, dice):
    """A random array entity: path of the DataSet, the DataSet, entity, path of its array, the array; None if there
    is none."""
    found = choose(dice, [(path, model, entity) for path, model, entity in package.entities(*FILES) if package.array(entity[FILES[entity.kind]])])
    return (*found, found[2][FILES[found[2].kind]], package.array(found[2][FILES[found[2].kind]])) if found else None


def file_said(rule, path, dataset, entity):
    return at_value(rule, path, dataset, entity, FILES[entity.kind])


@fault
def array_deleted(package, dice):
    if owner := array_owner(package, dice):
        del package.parts["fpk"][owner[3]]
        return Fault([file_said("mod-array-file", *owner[:3])])


@fault
def array_renamed(package, dice):
    """Renames an array, so that its CM00 does not fit the new name."""
    if owner := array_owner(package, dice):
        new = owner[3].replace("_light", "_lights").replace("_gimmick", "_gimmicks").replace("_env", "_envs").replace("_asset", "_assets")
        if new == owner[3]:
            return None
        move(package, "fpk", owner[3], new)
        return Fault([file_said("mod-array-file", *owner[:3]), Said("mod-cm00-path", "fpk", new, cm00(owner[4]))], {"mod-array-unreferenced"})


@fault
def array_moved(package, dice):
    if owner := array_owner(package, dice):
        new = owner[3].replace("/level/", "/level/moved/", 1)
        move(package, "fpk", owner[3], new)
        return Fault([file_said("mod-array-file", *owner[:3]), Said("mod-cm00-path", "fpk", new, cm00(owner[4]))], {"mod-array-unreferenced"})


@fault
def array_case(package, dice):
    if owner := array_owner(package, dice):
        move(package, "fpk", owner[3], other_case(owner[3]))
        return Fault([file_said("mod-path-case", *owner[:3])], {"mod-cm00-path"})


# ------------------------------------------------------------------ names between DataSets and arrays

@fault
def file_edited(package, dice):
    if owner := array_owner(package, dice):
        path, dataset, entity, name, _ = owner
        entity[FILES[entity.kind]] = name.replace("/Assets/", "/Assets/tpp/wrong/").replace("/tpp/release/", "/tpp/release/wrong/")
        return Fault([file_said("mod-array-file", path, dataset, entity)], {"mod-array-unreferenced"})


@fault
def file_of_other_root(package, dice):
    """Changes the root folder below /Assets in the name of an array."""
    if owner := array_owner(package, dice):
        path, dataset, entity, name, _ = owner
        if not name.startswith("/Assets/"):
            return None
        old = name.split("/")[2]
        entity[FILES[entity.kind]] = name.replace(f"/Assets/{old}/", f"/Assets/{'tpp' if old != 'tpp' else 'ssd'}/")
        return Fault([file_said("mod-array-file", path, dataset, entity)], {"mod-array-unreferenced"})


@fault
def file_case(package, dice):
    if owner := array_owner(package, dice):
        path, dataset, entity, name, _ = owner
        entity[FILES[entity.kind]] = other_case(name)
        return Fault([file_said("mod-path-case", path, dataset, entity)], {"mod-array-unreferenced"})


@fault
def file_emptied(package, dice):
    if owner := array_owner(package, dice):
        path, dataset, entity, name, _ = owner
        entity[FILES[entity.kind]] = ""
        return Fault([Said("mod-array-unreferenced", "fpk", name)], {"fox2-array-suffix"})


@fault
def entity_removed(package, dice):
    if owner := array_owner(package, dice):
        _, dataset, entity, name, _ = owner
        if any(target["staticModelArray"] == entity.address for target in dataset.of_kind("StaticModelArrayLinkTarget")):
            return None
        dataset.remove(entity)
        return Fault([Said("mod-array-unreferenced", "fpk", name)])


@fault
def entity_moved(package, dice):
    """Moves an array entity to another DataSet, under another name."""
    if owner := array_owner(package, dice):
        path, dataset, entity, name, _ = owner
        other = choose(dice, [other for other_path, other in package.datasets() if other_path != path and not other.of_kind(entity.kind)])
        if not other or any(target["staticModelArray"] == entity.address for target in dataset.of_kind("StaticModelArrayLinkTarget")):
            return None
        dataset.remove(entity)
        entity.address, entity["name"] = max(one.address for one in other.entities) + 16, "MovedArray0000"
        if entity.kind == "TppLightProbeArray":
            entity["shDatas"] = [("", "", "", 0)] * len(entity["shDatas"])
        entity["dataSet"] = other.entities[0].address
        other.entities.append(entity)
        rows = other.entities[0].property("dataList")
        rows.values.append(entity.address)
        rows.keys.append(entity["name"])
        return Fault([Said("mod-array-unreferenced", "fpk", name)])


@fault
def entity_class(package, dice):
    """Turns a LightArray into an OccluderArray or the reverse, consistently."""
    owner = choose(dice, [(path, dataset, entity) for path, dataset, entity in package.entities("LightArray", "OccluderArray")
                          if package.array(entity[FILES[entity.kind]]) and not dataset.of_kind("StaticModelArrayLinkTarget")])
    if owner:
        path, dataset, entity = owner
        name = entity[FILES[entity.kind]]
        entity.property(FILES[entity.kind]).name = FILES["OccluderArray" if entity.kind == "LightArray" else "LightArray"]
        entity.kind, entity.version = ("OccluderArray", 1) if entity.kind == "LightArray" else ("LightArray", 2)
        return Fault([at_array("mod-array-class", name, package.array(name))], {"fox2-array-suffix"})


@fault
def files_exchanged(package, dice):
    """Two array entities of different classes swap the names of their arrays."""
    owners = [owner for owner in package.entities(*FILES) if package.array(owner[2][FILES[owner[2].kind]])]
    pair = choose(dice, [(a, b) for a in owners for b in owners if a[2].kind < b[2].kind])
    if pair:
        names = [owner[2][FILES[owner[2].kind]] for owner in pair]
        for (_, _, entity), name in zip(pair, reversed(names), strict=True):
            entity[FILES[entity.kind]] = name
        return Fault([at_array("mod-array-class", name, package.array(name)) for name in names],
                     {"fox2-array-suffix", "mod-array-unreferenced", "mod-sh-count", "mod-draw-count", "mod-sh-index", "mod-link-target"})


@fault
def files_of_one_class_exchanged(package, dice):
    """Two array entities of one class swap the names of their arrays: no array is named by its own DataSet."""
    owners = [owner for owner in package.entities("TppLightProbeArray") if package.array(owner[2]["lightArrayFile"])]
    pair = choose(dice, [(a, b) for a in owners for b in owners if a[0] < b[0]])
    if pair:
        (_, _, a), (_, _, b) = pair
        a["lightArrayFile"], b["lightArrayFile"] = b["lightArrayFile"], a["lightArrayFile"]
        return Fault([Said("mod-array-unreferenced", "fpk", entity["lightArrayFile"]) for entity in (a, b)],
                     {"mod-sh-count", "mod-draw-count", "mod-sh-index", "mod-probe-not-in-lpsh", "mod-probe-flags"})


@fault
def cm00_edited(package, dice):
    path, array = choose(dice, package.arrays()) or (None, None)
    if path:
        array.path = array.path.replace("/level/", dice.choice(("/level2/", "/level/x/")), 1)
        return Fault([Said("mod-cm00-path", "fpk", path, cm00(array))], {"mod-dataset-missing", "cm00-path-shape"})


@fault
def cm00_of_other(package, dice):
    """The CM00 has the path of another DataSet of the package."""
    path, array = choose(dice, package.arrays()) or (None, None)
    other = choose(dice, [name for name, _ in package.datasets() if array and name != array.path])
    if other:
        array.path = other
        return Fault([Said("mod-cm00-path", "fpk", path, cm00(array))], {"mod-array-unreferenced"})


@fault
def cm00_case(package, dice):
    path, array = choose(dice, package.arrays()) or (None, None)
    if path:
        array.path = other_case(array.path)
        return Fault([Said("mod-cm00-path|mod-path-case", "fpk", path, cm00(array))], {"mod-cm00-path"})


@fault
def array_shared(package, dice):
    """Copies a DataSet, with links that name the copy. Both array entities name the same file."""
    if owner := array_owner(package, dice):
        path, dataset, entity, name, _ = owner
        copy = path.replace(".fox2", "_copy.fox2")
        text = dataset.write()
        package.parts["fpkd"][copy] = DataSet.read(text)
        for other in package.parts["fpkd"][copy].of_kind("TppLightProbeArray", "TppGimmickLightLinkSetData"):
            for one in other.properties:
                if one.type == 22:
                    one.values = [tuple(copy if value == path or value == strcode64(path.encode()) else value for value in link) for link in one.values]
        first, second = sorted((path, copy), key=str.encode)
        return Fault([Said("mod-array-shared", "fpkd", second)])


# ------------------------------------------------------------------ probes, lists, harmonics

def probe_said(rule, found, at, size):
    path, array, probe = found[:3]
    return Said(rule, "fpk", path, (array.place(probe, at), size))


def name_said(rule, found):
    path, array, probe = found[:3]
    return Said(rule, "fpk", path, (array.name_place(probe), len(probe.name)))


@fault
def probe_added_to_array(package, dice):
    found = choose(dice, package.probes(linked=False))
    if found:
        path, array, probe, _, _, entity, _ = found
        new = type(probe)(probe.tag, probe.name + b"_new", bytearray(probe.fixed), probe.tails)
        new.word(Array.INDEX, len(array.probes()))
        array.entries.append(new)
        return Fault([probe_said("mod-sh-index", (path, array, new), Array.INDEX, 2)], {"mod-sh-count", "mod-draw-count"})


@fault
def probe_removed_from_array(package, dice):
    found = choose(dice, (found for found in package.probes() if len(found[1].probes()) > 1))
    if found:
        _, array, _, path, dataset, entity, _ = found
        array.entries.remove(array.probes()[-1])
        return Fault([at_count("mod-sh-count", path, dataset, entity, "shDatas"), at_count("mod-draw-count", path, dataset, entity, "drawRejectionLevels")])


@fault
def probe_renamed(package, dice):
    found = choose(dice, package.probes(linked=True))
    if found:
        found[2].name += dice.choice((b"_x", b"2", b"0"))
        return Fault([name_said("mod-probe-not-in-lpsh", found)])


@fault
def probe_renamed_one_letter(package, dice):
    found = choose(dice, package.probes(linked=True))
    if found:
        name = bytearray(found[2].name)
        name[-1] ^= 0x10
        found[2].name = bytes(name)
        if name in [probe.name for probe in package.parts["fpk"][found[6]["lpshFile"]].probes]:
            return None
        return Fault([name_said("mod-probe-not-in-lpsh", found)], {"name-duplicate"})


@fault
def probe_case(package, dice):
    found = choose(dice, package.probes(linked=True))
    if found:
        found[2].name = found[2].name.swapcase()
        return Fault([name_said("mod-probe-not-in-lpsh", found)])


@fault
def index_out_of_range(package, dice):
    found = choose(dice, package.probes())
    if found:
        found[2].word(Array.INDEX, dice.choice((len(found[1].probes()), 255, 65535)))
        return Fault([probe_said("mod-sh-index", found, Array.INDEX, 2)])


@fault
def related_out_of_range(package, dice):
    found = choose(dice, package.probes())
    if found:
        at = dice.choice((Array.RELATED, Array.FIRST_RELATED))
        found[2].word(at, dice.choice((1, 300)))
        return Fault([probe_said("mod-related-range", found, Array.RELATED, 4)], {"probe-related"})


def shorten(entity, name, by=1):
    values = entity[name]
    entity[name] = values[:-by] if by > 0 else values + values[-1:]


def list_said(found, names):
    _, _, _, path, dataset, entity, _ = found
    rules = {"shDatas": "mod-sh-count", "drawRejectionLevels": "mod-draw-count"}
    return [at_count(rules[name], path, dataset, entity, name) for name in names]


def lists_changed(package, dice, names, by):
    found = choose(dice, (found for found in package.probes() if len(found[1].probes()) > 1))
    if not found:
        return None
    path, array, _, _, _, entity, _ = found
    for name in names:
        shorten(entity, name, by)
    index = [probe_said("mod-sh-index", (path, array, array.probes()[-1]), Array.INDEX, 2)] if by > 0 else []
    return Fault(list_said(found, names) + index, {"fox2-draw-sh-count"} if len(names) == 1 else set())


@fault
def lists_shortened(package, dice):
    return lists_changed(package, dice, ("shDatas", "drawRejectionLevels"), 1)


@fault
def lists_lengthened(package, dice):
    return lists_changed(package, dice, ("shDatas", "drawRejectionLevels"), -1)


@fault
def links_shortened(package, dice):
    return lists_changed(package, dice, ("shDatas",), 1)


@fault
def levels_shortened(package, dice):
    return lists_changed(package, dice, ("drawRejectionLevels",), 1)


@fault
def levels_lengthened(package, dice):
    return lists_changed(package, dice, ("drawRejectionLevels",), -1)


@fault
def probe_flags(package, dice):
    found = choose(dice, package.probes(linked=True))
    if found:
        found[2].word(Array.FLAGS, found[2].word(Array.FLAGS, shape="<I") ^ dice.choice((2, 4, 8, 16, 6, 30)), "<I")
        return Fault([probe_said("mod-probe-flags", found, Array.FLAGS, 4)])


@fault
def probe_flags_unlinked(package, dice):
    found = choose(dice, package.probes(linked=False))
    if found:
        found[2].word(Array.FLAGS, found[2].word(Array.FLAGS, shape="<I") | dice.choice((2, 4, 8)), "<I")
        return Fault([probe_said("mod-sh-unlinked", found, Array.FLAGS, 4)])


def link_index(found):
    return found[2].word(Array.INDEX)


@fault
def link_emptied(package, dice):
    """Clears a link. The light still has the flags for harmonics."""
    found = choose(dice, (found for found in package.probes(linked=True) if found[2].word(Array.FLAGS, shape="<I") & 0xE))
    if found:
        found[5].property("shDatas").values[link_index(found)] = ("", "", "", 0)
        return Fault([probe_said("mod-sh-unlinked", found, Array.FLAGS, 4)])


def harmonics(package, found):
    path = found[6]["lpshFile"]
    return path, package.parts["fpk"].get(path)


def in_harmonics(package, found):
    """The probe of that name in the harmonics; None or False if there is none."""
    _, model = harmonics(package, found)
    return isinstance(model, Harmonics) and next((probe for probe in model.probes if probe.name == found[2].name), None)


def with_harmonics(package):
    """Linked probes whose harmonics contain a probe of their name."""
    return [found for found in package.probes(linked=True) if in_harmonics(package, found)]


@fault
def harmonics_flags(package, dice):
    found = choose(dice, with_harmonics(package))
    if found:
        _, model = harmonics(package, found)
        probe, one = in_harmonics(package, found), in_harmonics(package, found).sets[:72]
        probe.flags ^= dice.choice((1, 2, 3))
        probe.sets = one * model.sets(probe.flags)
        return Fault([probe_said("mod-probe-flags", found, Array.FLAGS, 4)])


@fault
def harmonics_probe_renamed(package, dice):
    found = choose(dice, with_harmonics(package))
    if found:
        in_harmonics(package, found).name += b"_x"
        return Fault([name_said("mod-probe-not-in-lpsh", found)])


@fault
def harmonics_probe_damaged(package, dice):
    """Adds stray bytes after the name, as in two files of the game. The finding is a note."""
    found = choose(dice, with_harmonics(package))
    if found:
        in_harmonics(package, found).name += b"\x01\xf0\x7f\x02"
        return Fault([name_said("mod-probe-not-in-lpsh-damaged", found)])


@fault
def harmonics_probe_removed(package, dice):
    found = choose(dice, with_harmonics(package))
    if found:
        _, model = harmonics(package, found)
        model.probes.remove(in_harmonics(package, found))
        return Fault([name_said("mod-probe-not-in-lpsh", found)]) if model.probes else None


def coefficients(package, dice):
    """Coefficients whose file exists and is named by no others."""
    all_ = package.entities("TppLightProbeSHCoefficients")
    return choose(dice, [(path, dataset, entity) for path, dataset, entity in all_ if entity["lpshFile"] in package.parts["fpk"]
                         and [other["lpshFile"] for _, _, other in all_].count(entity["lpshFile"]) == 1])


@fault
def harmonics_deleted(package, dice):
    if found := coefficients(package, dice):
        del package.parts["fpk"][found[2]["lpshFile"]]
        return Fault([at_value("mod-lpsh-file", *found, "lpshFile")])


@fault
def harmonics_moved(package, dice):
    if found := coefficients(package, dice):
        old = found[2]["lpshFile"]
        new = old.replace("/Assets/", "/Assets/tpp/moved/", 1)
        move(package, "fpk", old, new)
        return Fault([at_value("mod-lpsh-file", *found, "lpshFile"), Said("mod-lpsh-unused", "fpk", new)])


@fault
def harmonics_case(package, dice):
    if found := coefficients(package, dice):
        old = found[2]["lpshFile"]
        move(package, "fpk", old, other_case(old))
        return Fault([at_value("mod-path-case", *found, "lpshFile")])


@fault
def harmonics_file_edited(package, dice):
    if found := coefficients(package, dice):
        old = found[2]["lpshFile"]
        found[2]["lpshFile"] = found[2]["filePath"] = old.replace(".lpsh", "_x.lpsh")
        return Fault([at_value("mod-lpsh-file", *found, "lpshFile"), Said("mod-lpsh-unused", "fpk", old)])


@fault
def harmonics_exchanged(package, dice):
    """Replaces the file by one with other probes."""
    found = choose(dice, with_harmonics(package))
    if found:
        path, model = harmonics(package, found)
        package.parts["fpk"][path] = Harmonics(4, model.times, [Probe(b"LP_other", 0, model.probes[0].sets[:72])])
        asked = [other for other in package.probes(linked=True) if other[6]["lpshFile"] == path]
        return Fault([name_said("mod-probe-not-in-lpsh", other) for other in asked])


@fault
def harmonics_files_exchanged(package, dice):
    """Two coefficients swap the names of their files."""
    found = with_harmonics(package)
    pair = choose(dice, [(a[6], b[6]) for a in found for b in found if a[4] is b[4] and a[6].address < b[6].address])
    if pair:
        a, b = pair
        asked = [one for one in found if one[6] in pair]
        for name in ("lpshFile", "filePath"):
            a[name], b[name] = b[name], a[name]
        said = [one for one in asked if not in_harmonics(package, one)]
        return Fault([name_said("mod-probe-not-in-lpsh", one) for one in said], {"mod-probe-flags"})


# ------------------------------------------------------------------ links

@fault
def link_archive(package, dice):
    found = choose(dice, [(path, dataset, *link) for path, dataset in package.datasets() for link in links_of(package, path)])
    if found:
        path, dataset, entity, name, index, link = found
        other = path.replace("/level/", dice.choice(("/level2/", "/LEVEL/")), 1)
        entity.property(name).values[index] = (link[0], dice.choice((other, strcode64(other.encode()))), *link[2:])
        return Fault([at_value("mod-link-archive", path, dataset, entity, name, index, 32)])


def light_targets(package):
    """Link targets of LightArrays whose array file exists: (path, dataset, target, path of the array, the array)."""
    for path, dataset, target in package.entities("StaticModelArrayLinkTarget"):
        owner = dataset.at(target["staticModelArray"])
        if owner and owner.kind == "LightArray" and package.array(owner["lightArrayFile"]):
            yield path, dataset, target, owner["lightArrayFile"], package.array(owner["lightArrayFile"])


def index_of(target):
    return struct.unpack("<I", target["arrayIndex"])[0]


def target_said(found):
    return at_value("mod-link-target", *found[:3], "arrayIndex", 0, 4)


@fault
def target_index(package, dice):
    found = choose(dice, light_targets(package))
    if found:
        other = [n for n in (0, index_of(found[2]) - 1, index_of(found[2]) + 1, len(found[4].entries), 0xFFFFFFFF) if n != index_of(found[2])]
        found[2]["arrayIndex"] = word(dice.choice(other) & 0xFFFFFFFF)
        return Fault([target_said(found)])


@fault
def light_inserted(package, dice):
    found = choose(dice, light_targets(package))
    if found:
        path, array = found[3:]
        old = array.entries[1]
        array.entries.insert(1, type(old)(old.tag, old.name + b"_new", bytearray(old.fixed), old.tails))
        return Fault([target_said(one) for one in light_targets(package) if one[3] == path])


@fault
def light_removed(package, dice):
    found = choose(dice, (found for found in light_targets(package) if len(found[4].entries) > 2))
    if found:
        path, array = found[3:]
        del array.entries[index_of(found[2])]
        return Fault([target_said(one) for one in light_targets(package) if one[3] == path and index_of(one[2]) >= index_of(found[2])])


@fault
def light_renamed(package, dice):
    found = choose(dice, light_targets(package))
    if found:
        found[4].entries[index_of(found[2])].name += b"_x"
        return Fault([target_said(found)])


# ------------------------------------------------------------------ parts, manifests, archives beside folders

@fault
def dataset_in_main_part(package, dice):
    path = choose(dice, [path for path, _ in package.datasets() if not any(array.path == path for _, array in package.arrays())])
    if path:
        package.parts["fpk"][path] = package.parts["fpkd"].pop(path)
        return Fault([Said("mod-wrong-part|fpk-entry-part", "fpk", path)], {"fpk-group-order", "fpk-entry-part"})


@fault
def script_in_main_part(package, dice):
    path = choose(dice, [path for path in package.parts["fpkd"] if path.endswith(".lua")])
    if path:
        package.parts["fpk"][path] = package.parts["fpkd"].pop(path)
        return Fault([Said("fpk-entry-part", "fpk", path)], {"fpk-entry-part"}, folder=False)


@fault
def light_file_in_data_part(package, dice):
    """Copies the file, so that nothing is missing."""
    path = choose(dice, [path for path in package.parts["fpk"] if path.endswith((".grxla", ".grxoc", ".lpsh", ".lba"))])
    if path:
        package.parts["fpkd"][path] = package.parts["fpk"][path]
        return Fault([Said("mod-wrong-part|fpk-entry-part", "fpkd", path)],
                     {"fpk-entry-part", "fpkd-group-order", "mod-array-unreferenced", "mod-dataset-missing", "mod-cm00-path"})


def manifest_paths(package, part):
    return [path for path in package.order(part) if not path.endswith(".xml")]


@fault
def manifest_entry_lost(package, dice):
    part = dice.choice([part for part in package.parts if package.parts[part]])
    paths = manifest_paths(package, part)
    del paths[dice.randrange(len(paths))]
    package.manifests[part] = package.manifest(part, paths)
    return Fault([Said("mod-manifest-unlisted", part, "")], archive=False)


@fault
def manifest_entry_added(package, dice):
    part = dice.choice(list(package.parts))
    name = "/Assets/tpp/level/gone" + (".lba" if part == "fpk" else ".fox2")
    package.manifests[part] = package.manifest(part, in_order(part, [*manifest_paths(package, part), name]))
    return Fault([Said("mod-manifest-missing-file", part, "")], archive=False)


@fault
def manifest_type(package, dice):
    part = dice.choice(list(package.parts))
    package.manifests[part] = package.manifest(part, kind="Fpk" if part == "fpkd" else "Fpkd")
    return Fault([Said("mod-manifest-type", part, "")])


@fault
def manifest_name(package, dice):
    part = dice.choice(list(package.parts))
    package.manifests[part] = package.manifest(part, name=f"other.{part}")
    return Fault([Said("mod-manifest-type", part, "")])


@fault
def manifest_order(package, dice):
    part = dice.choice(list(package.parts))
    paths = manifest_paths(package, part)
    if len({path.rpartition(".")[2] for path in paths}) < 2:
        return None
    package.manifests[part] = package.manifest(part, paths[-1:] + paths[:-1])
    return Fault([Said("mod-manifest-order", part, "")])


@fault
def manifest_ungrouped(package, dice):
    part = dice.choice(list(package.parts))
    paths = manifest_paths(package, part)
    group = next((p for p in paths if [q.rpartition(".")[2] for q in paths].count(p.rpartition(".")[2]) > 1), None)
    if not group or group.rpartition(".")[2] == paths[-1].rpartition(".")[2]:
        return None
    paths.remove(group)
    package.manifests[part] = package.manifest(part, [*paths, group])
    return Fault([Said("mod-manifest-order", part, "")])


@fault
def archive_without_member(package, dice):
    package.archived = {part: dict(files) for part, files in package.parts.items()}
    part = dice.choice(list(package.parts))
    path = dice.choice([p for p in package.archived[part] if not p.endswith((".grxla", ".grxoc", ".lpsh", ".fox2"))] or [None])
    if path:
        del package.archived[part][path]
        return Fault([Said("mod-archive-stale", part, "")], folder=False)


@fault
def folder_without_member(package, dice):
    part = dice.choice(list(package.parts))
    path = dice.choice([p for p in package.parts[part] if not p.endswith((".grxla", ".grxoc", ".lpsh", ".fox2", ".xml"))] or [None])
    if path:
        package.archived = {part: dict(files) for part, files in package.parts.items()}
        del package.parts[part][path]
        return Fault([Said("mod-folder-stale", part, "")], folder=False)


@fault
def archive_of_old_light(package, dice):
    path, array = choose(dice, [(p, a) for p, a in package.arrays() if len(a.entries) > 1 and a.entries[1].tag[:2] in (b"PL", b"SL", b"EP")]) or (None, None)
    if path:
        package.archived = {part: dict(files) for part, files in package.parts.items()}
        package.archived["fpk"][path] = Array.read(array.write())
        entry = array.entries[1]
        at = {b"PL": 0x24, b"SL": 0x24, b"EP": 0x48}[entry.tag[:2]]  # translation
        entry.word(at, 12.5, "<f")
        return Fault([Said("mod-archive-differs", "fpk", "")], folder=False)


# ------------------------------------------------------------------ files that cannot be read

def broken(package, dice, part, kind):
    """Damages one file of a kind. It still exists, but its references are unknown."""
    path, model = choose(dice, package.find(part, kind)) or (None, None)
    if not path:
        return None
    data = model.write()
    package.parts[part][path] = dice.choice((b"", data[:len(data) // 2], data[:0x28], bytes(len(data)), b"\xff" * 64, data[:4] + bytes(64),
                                             data[:len(data) // 3] + data[len(data) // 3 + 4:]))
    return Fault([], {"fpk-entry-empty", "fpk-entry-kind", "mod-archive-differs"}, damaged=path)


@fault
def dataset_torn(package, dice):
    return broken(package, dice, "fpkd", DataSet)


@fault
def array_torn(package, dice):
    return broken(package, dice, "fpk", Array)


@fault
def harmonics_torn(package, dice):
    return broken(package, dice, "fpk", Harmonics)


@fault
def array_of_other_kind(package, dice):
    """Puts the bytes of another array of the package at this path."""
    owner = array_owner(package, dice)
    other = choose(dice, [(path, array) for path, array in package.arrays() if owner and path != owner[3] and array.magic == owner[4].magic
                          and array.entries[1].tag[:2] != owner[4].entries[1].tag[:2]])
    if other:
        package.parts["fpk"][owner[3]] = Array.read(other[1].write())
        new = package.parts["fpk"][owner[3]]
        return Fault([Said("mod-cm00-path", "fpk", owner[3], cm00(new)), at_array("mod-array-class", owner[3], new)],
                     {"mod-link-target", "mod-sh-count", "mod-draw-count", "mod-sh-index", "mod-array-unreferenced", "cm00-file-stem"})


@fault
def links_exchanged(package, dice):
    """Two probes swap their indices: each gets the other's link and level."""
    found = choose(dice, (found for found in package.probes(linked=True)))
    other = choose(dice, (one for one in package.probes(linked=False) if found and one[1] is found[1]))
    if other:
        a, b = found[2].word(Array.INDEX), other[2].word(Array.INDEX)
        found[2].word(Array.INDEX, b)
        other[2].word(Array.INDEX, a)
        return Fault([name_said("mod-probe-not-in-lpsh", (other[0], other[1], other[2]))], {"probe-sh-index"})


@fault
def link_to_other_harmonics(package, dice):
    """Points a link at coefficients whose file does not have the probe."""
    found = choose(dice, package.probes(linked=True))
    other = choose(dice, [one for one in (found[4].of_kind("TppLightProbeSHCoefficients") if found else ()) if one is not found[6]
                          and isinstance(package.parts["fpk"].get(one["lpshFile"]), Harmonics)])
    if other and found[2].name not in [probe.name for probe in package.parts["fpk"][other["lpshFile"]].probes]:
        links = found[5].property("shDatas").values
        links[link_index(found)] = (*links[link_index(found)][:2], other["name"], other.address)
        return Fault([name_said("mod-probe-not-in-lpsh", found)])


@fault
def dataset_copied_whole(package, dice):
    """Copies a DataSet under a second name. Its links still lead to the first."""
    path = choose(dice, sorted({path for path, _ in package.datasets() if links_of(package, path)}))
    if path:
        copy = path.replace(".fox2", "_copy.fox2")
        package.parts["fpkd"][copy] = DataSet.read(package.parts["fpkd"][path].write())
        return Fault([at_value("mod-link-archive", copy, package.parts["fpkd"][copy], entity, name, index, 32)
                      for entity, name, index, _ in links_of(package, copy)])


@fault
def package_of_other_root(package, dice):
    """Moves all files of the main part to another root; those of the data part stay."""
    files = package.parts["fpk"]
    if any(path.startswith("/tpp/release/") for path in files):
        return None
    arrays = {path: array for path, array in package.arrays()}
    for path in list(files):
        move(package, "fpk", path, path.replace("/Assets/", "/Assets/moved/", 1))
    return Fault([Said("mod-cm00-path", "fpk", path.replace("/Assets/", "/Assets/moved/", 1), cm00(array)) for path, array in arrays.items()]
                 + [file_said("mod-array-file", path, dataset, entity) for path, dataset, entity in package.entities(*FILES)
                    if entity[FILES[entity.kind]] in arrays],
                 {"mod-lpsh-file", "mod-array-unreferenced"})
