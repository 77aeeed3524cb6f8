"""Packages for tests: generated ones with all kinds of light files, and those read from folders or archives. They
are changed as models (fox_package.py) and written as folders, archives or both, with manifests."""
import copy
import pickle
import os
import random
import struct
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from fox_package import (FILE, HANDLE, LINK, MAP, PATH, POINTER, STRING, Archive, Array, DataSet, Entity, Harmonics, Probe, Property, bytes_of,
                         in_order, model_of)
from recipe import Corpus

PARTS = ("fpk", "fpkd")
FILES = {"LightArray": "lightArrayFile", "TppLightProbeArray": "lightArrayFile", "OccluderArray": "occluderArrayFile"}
SUFFIXES = {"LightArray": "_fox2_grxla_win.grxla", "TppLightProbeArray": "_fox2_tgrxla_win.grxla", "OccluderArray": "_fox2_grxoc_win.grxoc"}
GZ_SUFFIXES = {"LightArray": ".fox2.steam.grxla", "TppLightProbeArray": ".fox2.steam_tpp.grxla", "OccluderArray": ".fox2.steam.grxoc"}


def word(number):
    return struct.pack("<I", number)


@dataclass
class Package:
    stem: str  # path of the package, without its ending
    parts: dict  # part: {inner path: model or bytes}
    references: list = field(default_factory=list)
    archived: dict = None  # parts in the archives, where they differ from those in the folders
    manifests: dict = field(default_factory=dict)  # part: text of the manifest, where it is not the generated one
    orders: dict = field(default_factory=dict)  # part: paths in the order of the archive, where it is not the default

    def copy(self):
        return pickle.loads(pickle.dumps(self))  # much faster than copy.deepcopy

    def find(self, part, kind):
        return [(path, model) for path, model in self.parts[part].items() if isinstance(model, kind)]

    def datasets(self):
        return self.find("fpkd", DataSet)

    def arrays(self):
        return self.find("fpk", Array)

    def entities(self, *kinds):
        """(path of the DataSet, the DataSet, entity) of the entities of these kinds."""
        return [(path, model, entity) for path, model in self.datasets() for entity in model.of_kind(*kinds)]

    def array(self, path):
        model = self.parts["fpk"].get(path)
        return model if isinstance(model, Array) else None

    def probes(self, linked=None):
        """Probes of the probe arrays that entities name: (path, array, probe, path of the DataSet, the DataSet,
        entity, coefficients or None)."""
        for path, model, entity in self.entities("TppLightProbeArray"):
            array = self.array(entity["lightArrayFile"])
            for probe in array.probes() if array else []:
                links = entity["shDatas"]
                target = model.at(links[probe.word(Array.INDEX)][3]) if probe.word(Array.INDEX) < len(links) else None
                if linked in (None, target is not None):
                    yield entity["lightArrayFile"], array, probe, path, model, entity, target

    def order(self, part, archived=False):
        paths = (self.archived if archived and self.archived else self.parts)[part]
        return self.orders.get(part) or in_order(part, paths)

    def archive(self, part):
        """The archive of a part, or None."""
        files = (self.archived or self.parts).get(part)
        if files is None:
            return None
        return Archive(part, {path: bytes_of(files[path]) for path in self.order(part, True)}, self.references if part == "fpk" else [])

    def manifest(self, part, paths=None, name=None, kind=None, unit=""):
        if part in self.manifests and paths is None and name is None and kind is None:
            return self.manifests[part]
        name = name or f"{os.path.basename(self.stem)}.{part}"
        paths = paths if paths is not None else [path for path in self.order(part) if not path.endswith((".xml", ".txt", ".meta"))]
        rows = "".join(f"\n    <Entry FilePath={quoteattr(path)} />" for path in paths)
        references = "".join(f"\n    <Reference FilePath={quoteattr(path)} />" for path in self.references if part == "fpk")
        return (f'<?xml version="1.0"?>\n<ArchiveFile xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="FpkFile" '
                f'Name={quoteattr(name)} FpkType="{kind or part.capitalize()}">\n  <Entries>{rows}\n  </Entries>\n  <References>{references}'
                f"\n  </References>\n</ArchiveFile>{unit}")

    def written(self):
        """{name: bytes} of all files: folders, archives, manifests."""
        out = {}
        for part, files in self.parts.items():
            out |= {f"{self.stem}_{part}{path}": bytes_of(model) for path, model in files.items()}
            out[f"{self.stem}.{part}"] = self.archive(part).write()
            out[f"{self.stem}.{part}.xml"] = self.manifest(part).encode()
        return out

    def some_of(self, written, forms):
        """Some of the written files. forms: for each part, F for the folder and A for the archive."""
        starts = [start for part, form in forms.items() for start in (f"{self.stem}_{part}/" if "F" in form else "", f"{self.stem}.{part}.xml" if form else "")
                  if start]
        archives = [f"{self.stem}.{part}" for part, form in forms.items() if "A" in form]
        return {name: data for name, data in written.items() if name.startswith(tuple(starts)) or name in archives}


def of_folder(folder, stem):
    """Reads a real package from its folders."""
    parts = {}
    for part in PARTS:
        top = os.path.join(folder, f"{stem}_{part}")
        parts[part] = {}
        for directory, _, names in sorted(os.walk(top)):
            for name in sorted(names):
                with open(os.path.join(directory, name), "rb") as file:
                    path = os.path.join(directory, name)[len(top):]
                    parts[part][path] = model_of(path, file.read())
    return Package(stem, parts)


def of_archives(folder, stem):
    archives = {}
    for part in PARTS:
        with open(os.path.join(folder, f"{stem}.{part}"), "rb") as file:
            archives[part] = Archive.read(file.read())
    return Package(stem, {part: {path: model_of(path, data) for path, data in archive.members.items()} for part, archive in archives.items()},
                   archives["fpk"].references)


class Maker:
    """Generates packages from a seed. The contents of entries and sets come from good cases of the corpus."""

    def __init__(self, corpus):
        corpus = Corpus(corpus)

        def image(case):
            return bytes(corpus.assemble(corpus.recipes[case]).data)
        self.probe = Array.read(image("good-probes")).entries[2]
        self.point, self.spot = (Array.read(image(f"good-{kind}-tpp")).entries[1] for kind in ("point", "spot"))
        self.occluder = Array.read(image("good-occluder")).entries[1]
        self.set = Harmonics.read(image("good-lpsh")).probes[-1].sets[:72]

    def entry(self, template, tag, name):
        out = copy.deepcopy(template)
        out.tag, out.name = tag, name.encode()
        return out

    def package(self, seed, root="tpp", stem="made", gz=False):
        self.dice, self.address = random.Random(f"{seed}/{root}/{gz}"), 0x6B00000
        a, b = self.dice.randrange(100, 160), self.dice.randrange(100, 160)
        base = f"/Assets/{root}/level/location/made/block_small/{a}/{a}_{b}/made_{a}_{b}"
        package = Package(f"{stem}_{a}_{b}", {part: {} for part in PARTS}, [f"/Assets/{root}/pack/location/made/pack_common/made_common.fpk"])
        self.main, self.data = package.parts["fpk"], package.parts["fpkd"]
        self.suffixes, self.gz = GZ_SUFFIXES if gz else SUFFIXES, gz
        self.lights(f"{base}_light", f"made_hous001_{b:04}")
        self.gimmick(f"{base}_gimmick", f"made_lght001_gim_n{b:04}")
        self.add(f"{base}_env", "OccluderArray", [self.occluder])
        self.add(f"{base}_asset", "TppLightProbeArray", [self.entry(self.probe, b"EP00", f"Occ_Probe000{i}") for i in range(2)], flags=17)
        self.dataset(f"{base}_nav.fox2", [])
        self.main[f"{base}_nav.nav2"] = b"nav2" * self.dice.randrange(1, 40)
        self.main[f"{base}_0.tcvp"] = bytes(range(self.dice.randrange(1, 200)))
        self.main[f"{base[:-len(f'made_{a}_{b}')]}lba/made_drum001.lba"] = struct.pack("<IIQ3fI4fII", 1, 2, 0, 1, 2, 3, 0, 0, 0, 0, 1, 7, 9)
        self.data[f"{base}_sequence.lua"] = b"return {}\n"
        return package

    # -------------------------------------------------------------- entities

    def entity(self, kind, version, name, properties):
        self.address += 0x70 * self.dice.randrange(1, 9)
        head = [Property("name", STRING, 0, [name]), Property("dataSet", HANDLE, 0, [0])]
        return Entity(kind, self.address, version, head + properties, class_id=self.dice.choice((136, 168, 232, 304)), id=self.dice.randrange(9))

    def array_entity(self, kind, file, properties=()):
        own = [Property("parent", HANDLE, 0, [0]), *(Property(name, POINTER, 0, [0]) for name in ("transform", "shearTransform", "pivotTransform")),
               Property("children", HANDLE, 3, []), Property("flags", 5, 0, [word(0x08000007)]), *properties,
               Property(FILES[kind], FILE, 0, [file])]
        return self.entity(kind, 1 if kind == "OccluderArray" else 2, f"{kind}0000", own)

    def dataset(self, path, entities):
        entities = entities + [self.entity("TexturePackLoadConditioner", 0, f"TexturePackLoadConditioner000{i}",
                                           [Property("paths", PATH, 1, ["/Assets/tpp/made.ftex", ""])]) for i in range(2)]
        first = self.entity("DataSet", 0, "", [])
        for entity in entities:
            entity["dataSet"] = first.address
        first.static.append(Property("dataList", POINTER, MAP, [e.address for e in entities], [e["name"] for e in entities]))
        self.data[path] = DataSet([first, *entities])
        return self.data[path]

    def array_path(self, base, kind):
        base = base.replace("/Assets/tpp/", "/tpp/release/") if self.gz else base
        return base + self.suffixes[kind]

    def array(self, base, kind, entries):
        head = Array(b"FGxO" if kind == "OccluderArray" else b"FGxL", [])
        head.entries = [self.entry(self.point, b"CM00", f"{base}.fox2"), *entries]
        head.entries[0].fixed, head.entries[0].tails = bytearray(0x18), b""
        for number, probe in enumerate(head.probes()):
            probe.word(Array.INDEX, number)
        self.main[self.array_path(base, kind)] = head

    def add(self, base, kind, entries, flags=0, targets=(), links=(), more=()):
        """Adds a DataSet with an array entity, and its array."""
        count, lists = len(entries), []
        if kind == "TppLightProbeArray":
            for entry in entries:
                entry.word(Array.FLAGS, entry.word(Array.FLAGS, flags, "<I") if flags else None, "<I")
            lists = [Property("drawRejectionLevels", 4, 1, [word(self.dice.randrange(1, 8)) for _ in range(count)]),
                     Property("relatedLights", LINK, 1, []), Property("shDatas", LINK, 1, list(links) or [("", "", "", 0)] * count)]
        self.array(base, kind, entries)
        self.dataset(f"{base}.fox2", [*targets, self.array_entity(kind, self.array_path(base, kind), lists), *more])

    # -------------------------------------------------------------- light files

    def lights(self, base, parent):
        """Adds probes; most of them are linked to one of two files of harmonics."""
        times = sorted(self.dice.sample(range(0, 86400, 60), self.dice.choice((3, 14))))
        coefficients = []
        for number in range(1 if self.gz else 2):
            path = f"{base}{number or ''}.lpsh"
            self.main[path] = Harmonics(4, times, [])
            coefficients.append((self.main[path], self.entity("TppLightProbeSHCoefficients", 1, f"LP_Coef{number}",
                                                              [Property("filePath", PATH, 0, [path]), Property("lpshFile", FILE, 0, [path])])))
        probes, links = [], []
        for number in range(self.dice.randrange(4, 8)):
            probe = self.entry(self.probe, b"EP00", f"{parent}|LP_{number:04}" if number % 2 else f"LP_auto_{number:04}")
            probes.append(probe)
            flags, (file, target) = 3 if number == 0 else self.dice.choice((0, 0, 1, 3)), coefficients[number % len(coefficients)]
            probe.word(Array.FLAGS, flags << 1 | (number != 1), "<I")
            if number == 2:
                probe.word(Array.FLAGS, 1, "<I")
                links.append(("", "", "", 0))
                continue
            file.probes.append(Probe(probe.name, flags, b""))
            links.append(("", f"{base}.fox2", target["name"], target.address))
        for file, _ in coefficients:
            file.probes.append(Probe(b"LP_RoomAll", 0, b""))  # a probe that nothing uses
            self.dice.shuffle(file.probes)
            for probe in file.probes:
                probe.sets = self.set * file.sets(probe.flags)
        used = [target for _, target in coefficients if any(link[3] == target.address for link in links)]
        for file, target in coefficients:
            if target not in used:
                del self.main[target["lpshFile"]]
        self.add(base, "TppLightProbeArray", probes, targets=used, links=links)

    def gimmick(self, base, parent):
        """Adds lights, some with a gimmick each, and a link to a model that is not a light."""
        version = b"02" if self.gz else b"03"
        lights = [self.entry(self.point, b"PL" + version, f"{parent}|PL_{i:04}") for i in range(self.dice.randrange(1, 4))]
        lights += [self.entry(self.spot, b"SL" + version, f"{parent}|SL_{i:04}") for i in range(self.dice.randrange(1, 4))]
        self.add(base, "LightArray", lights)
        dataset = self.data[f"{base}.fox2"]
        array = dataset.of_kind("LightArray")[0]
        models = self.entity("StaticModelArray", 1, "StaticModelArray0000", [Property("modelFile", FILE, 0, ["/Assets/tpp/made.fmdl"])])
        targets = [self.target(light.name.decode(), array, number) for number, light in enumerate(lights, 1) if number != 2]
        links = [("", f"{base}.fox2", target["name"], target.address) for target in targets]
        owner = ("", f"{base}.fox2", f"{parent}|TppSharedGimmick", 0)
        own = self.entity("TppGimmickLightLinkSetData", 1, f"{parent}|LightLink",
                          [Property("numLightGimmick", 5, 0, [word(len(links))]), Property("ownerGimmick", LINK, 0, [owner]),
                           Property("lightList", LINK, 1, links)])
        for entity in [*targets, models, self.target(f"{parent}|Model", models, 7), own]:
            self.append(dataset, entity)

    def target(self, name, array, number):
        return self.entity("StaticModelArrayLinkTarget", 0, name, [Property("staticModelArray", HANDLE, 0, [array.address]),
                                                                   Property("arrayIndex", 5, 0, [word(number)])])

    @staticmethod
    def append(dataset, entity):
        entity["dataSet"] = dataset.entities[0].address
        dataset.entities.append(entity)
        rows = dataset.entities[0].property("dataList")
        rows.values.append(entity.address)
        rows.keys.append(entity["name"])
