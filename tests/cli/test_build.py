#!/usr/bin/env python3
"""`lightlint build` and its input, `dump --format json`: the schema, omitted fields, refusals, and when files are
written.

    test_build.py BINARY SOURCE_DIR [unittest arguments]"""
import copy
import glob
import json
import os
import sys
import unittest

from cli_test import BAD, GOOD, SOURCE, CliTest, archive, light_file
from recipe import Corpus

try:
    import jsonschema
except ImportError:
    jsonschema = None


def compressed_area():
    corpus = Corpus(os.path.join(SOURCE, "corpus"))
    return bytes(corpus.assemble(corpus.recipes["good-mp2-lzo"]).data)


class BuildTest(CliTest):
    def tree(self, name="good.grxla"):
        return json.loads(self.run_cli("dump", "--format", "json", name).text)

    def setUp(self):
        super().setUp()
        self.put("good.grxla", GOOD)

    def build(self, tree, name="new.grxla", code=0, more=()):
        self.put("tree.json", tree if isinstance(tree, bytes) else json.dumps(tree, ensure_ascii=False).encode())
        return self.run_cli("build", "tree.json", "-o", name, *more, code=code)

    def refused_tree(self, tree, saying):
        result = self.build(tree, code=2)
        self.assertIn("lightlint: tree.json", result.errors)
        self.assertIn(saying, result.errors)
        self.assertFalse(os.path.exists(self.path("new.grxla")))
        return result.errors

    def changed(self, change):
        tree = self.tree()
        change(tree["records"])
        return tree


class Records(BuildTest):
    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_schema(self):
        with open(os.path.join(SOURCE, "docs", "schema", "dump.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        self.put("a.fpk", archive([("/a.grxla", GOOD), ("/b", b"\0\0")]))
        self.put("a.mrea", compressed_area())
        for name in ("good.grxla", "a.mrea", "a.fpk", "a.fpk!/a.grxla", *glob.glob(os.path.join(SOURCE, "corpus", "demo", "*"))):
            if not name.endswith((".yaml", ".md")):
                dump = self.tree(name)
                self.assertEqual([error.message for error in validator.iter_errors(dump)], [], name)
        for wrong in ({**dump, "size": -1}, {**dump, "records": [{}]}, {**dump, "records": [{"record": "gap", "hex": "0"}]}):
            self.assertTrue(list(validator.iter_errors(wrong)), wrong)

    def test_no_field_is_called_as_a_key(self):
        keys = {"record", "index", "label", "aligned", "text", "hex", "zeros", "behind", "items", "records"}
        listed = json.loads(self.run_cli("fields", "--format", "json").text)["records"]
        names = {f["name"] for record in listed if record["kind"] == "record" for f in record["fields"]}
        self.assertEqual(names & keys, set())

    def test_what_follows_is_left_out(self):
        header, data_set, probe, terminator = self.tree()["records"]
        self.assertEqual(header, {"record": "grx.header", "magic": "FGxL", "version": 1})
        self.assertEqual(data_set["records"], [{"record": "grx.dataset_path", "text": "/Assets/ssd/level/test/probes_light.fox2"}])
        self.assertEqual({"entry_size", "name_hash", "name_offset", "inner_area_offset", "padding_16", "reserved_5c"} & set(probe), set())
        self.assertEqual(terminator, {"record": "grx.terminator"})

    def test_what_differs_is_told(self):
        self.put("bad.grxla", BAD)
        self.assertTrue(self.tree("bad.grxla")["records"][2]["name_hash"].startswith("0x0000"))

    def test_bytes_that_no_reader_takes_for_text(self):
        for name in (b"\xff\xfe", b'"\\', b"a\x01b", "ü".encode(), "\u2028".encode(), b"::x##", "\U0001F600".encode(), b"\xef\xbb\xbf", b" a "):
            self.put("odd.grxla", light_file((name,)))
            tree = self.tree("odd.grxla")
            self.build(tree, code=None)
            with open(self.path("new.grxla"), "rb") as file:
                self.assertEqual(file.read(), light_file((name,)), name)

    def test_numbers_bit_for_bit(self):
        for bits in (0, 1, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001, 0x3DCCCCCD, 0x00000001, 0x7F7FFFFF):
            at = GOOD.index(b"EP00") + 0x60
            self.put("odd.grxla", GOOD[:at] + bits.to_bytes(4, "little") + GOOD[at + 4:])
            tree = self.tree("odd.grxla")
            again = copy.deepcopy(tree)
            value = again["records"][2]["occlusion_mode_open_rate"]
            self.assertEqual(isinstance(value, str), bits in (0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001))
            result = self.build(tree, code=None)
            if result.code == 0:
                self.assertEqual(self.get("new.grxla"), self.get("odd.grxla"))


class Building(BuildTest):
    def test_same_bytes(self):
        for tree in (self.tree(), {key: value for key, value in self.tree().items() if key in ("format", "records")}):
            self.build(tree)
            self.assertEqual(self.get("new.grxla"), GOOD)

    def test_yaml_too(self):
        tree = self.tree()
        self.build(b"# my probe\nformat: grx # of The Phantom Pain\nrecords: " + json.dumps(tree["records"]).encode())
        self.assertEqual(self.get("new.grxla"), GOOD)

    def test_a_probe_more(self):
        tree = self.tree()
        second = copy.deepcopy(tree["records"][2])
        second["records"][0]["text"] = "LP_0039"
        second["sh_data_index"] = 1
        tree["records"].insert(3, second)
        self.build(tree)
        self.assertEqual(self.get("new.grxla"), light_file((b"LP_0038", b"LP_0039")))

    def test_a_name_that_grows(self):
        self.build(self.changed(lambda records: records[2]["records"][0].update(text="LP_of_the_kitchen")))
        self.assertEqual(self.get("new.grxla"), light_file((b"LP_of_the_kitchen",)))

    def test_labels(self):
        with open(os.path.join(SOURCE, "corpus", "demo", "bad-occ-w.grxoc"), "rb") as file:
            self.put("occluder.grxoc", file.read())
        tree = self.tree("occluder.grxoc")
        faces = [record for entry in tree["records"] for record in entry.get("records", []) if record["record"] == "grx.face"]
        vertices = [record for entry in tree["records"] for record in entry.get("records", []) if record["record"] == "grx.vertex"]
        name = faces[0]["items"][0]["first_vertex"]
        self.assertIn(name, [item.get("label") for item in vertices[0]["items"]])
        for item in vertices[0]["items"]:
            item["label"] = item["label"].replace("vertex", "corner") if "label" in item else "other" + str(id(item))
        for face in faces[0]["items"]:
            face["first_vertex"] = face["first_vertex"].replace("vertex", "corner")
        self.build(tree, "same.grxoc")
        self.assertEqual(self.get("same.grxoc"), self.get("occluder.grxoc"))

    def test_a_member(self):
        self.put("a.fpk", archive([("/a.grxla", GOOD)]))
        self.build(self.tree("a.fpk!/a.grxla"))
        self.assertEqual(self.get("new.grxla"), GOOD)

    def test_a_name_that_tells_no_format(self):
        self.put("a.lba", bytes(16))  # a header without locators: only the extension tells the format
        self.build(self.tree("a.lba"), "new.bin")
        self.assertEqual(self.get("new.bin"), bytes(16))


class Writing(BuildTest):
    def test_a_file_with_errors_is_not_written(self):
        result = self.build(self.changed(lambda records: records[2].update(name_reserved=0, inner_area_offset=3)), code=1)
        self.assertIn("error[", result.text)
        self.assertIn("new.grxla: not written", result.errors)
        self.assertFalse(os.path.exists(self.path("new.grxla")))

    def test_an_archive_with_a_member_of_errors_is_not_written(self):
        torn = GOOD[:-8]  # without its terminator
        self.put("torn.grxla", torn)
        self.assertIn("error[", self.run_cli("torn.grxla", "--format", "full", code=2).text)
        self.put("a.fpk", archive([("/a.grxla", GOOD), ("/b.grxla", torn)]))
        tree = self.tree("a.fpk")
        result = self.build(tree, "new.fpk", code=1)
        self.assertIn("error[", result.text)
        self.assertIn("new.fpk!/b.grxla", result.text)
        self.assertIn("new.fpk: not written", result.errors)
        self.assertFalse(os.path.exists(self.path("new.fpk")))
        self.put(".lightlint.yaml", b"exclude: ['*!/b.grxla']\n")
        self.build(tree, "new.fpk", code=0)
        self.assertEqual(self.get("new.fpk"), self.get("a.fpk"))

    def test_an_archive_with_a_member_of_warnings_is(self):
        self.put("a.fpk", archive([("/a.grxla", BAD)]))
        result = self.build(self.tree("a.fpk"), "new.fpk", code=0)
        self.assertIn("name-hash", result.text)
        self.assertEqual(self.get("new.fpk"), self.get("a.fpk"))
        self.put(".lightlint.yaml", b"overrides:\n  - {files: ['*!/a.grxla'], severity: {name-hash: error}}\n")
        self.build(self.tree("a.fpk"), "other.fpk", code=1)

    def test_one_with_warnings_is(self):
        result = self.build(self.changed(lambda records: records[2].update(name_hash="0x0000123456789abc")), code=None)
        self.assertIn("name-hash", result.text)

    def test_an_existing_file_is_replaced_as_a_whole(self):
        self.put("new.grxla", b"old")
        self.build(self.tree())
        self.assertEqual(self.get("new.grxla"), GOOD)
        self.put("new.grxla", b"old")
        self.build(self.changed(lambda records: records[2].update(inner_area_offset=3)), code=1)
        self.assertEqual(self.get("new.grxla"), b"old")

    def test_the_text_is_not_overwritten(self):
        self.put("tree.json", json.dumps(self.tree()).encode())
        self.refused("build", "tree.json", "-o", "./tree.json", saying="is an input")

    def test_command_line(self):
        self.refused("build", "tree.json", saying="-o FILE")
        self.refused("build", "-o", "x.grxla", saying="one JSON file")
        self.refused("build", "gone.json", "-o", "x.grxla", saying="No such file")
        self.put("tree.json", json.dumps(self.tree()).encode())
        self.refused("build", "tree.json", "-o", "gone/x.grxla", saying="No such file")


class Texts(BuildTest):
    """The table of texts, and hashes that refer to it."""

    @staticmethod
    def dataset(name="", entries=(), behind=()):
        head = {"class_id": 304, "tag": "ent", "class_version": 0, "dynamic_count": 0}
        lamp = {"record": "fox.entity", **head, "address": 3, "id": 0, "class_name": "StaticModelArray", "records": [
            {"record": "fox.single_string", "name": "name", "type": 11, "container": 0, "value": "lamp"},
            {"record": "fox.single_entity", "name": "dataSet", "type": 21, "container": 0, "value": 2}]}
        whole = {"record": "fox.entity", **head, "address": 2, "id": 1, "class_name": "DataSet", "records": [
            {"record": "fox.single_string", "name": "name", "type": 11, "container": 0, "value": name},
            {"record": "fox.single_entity", "name": "dataSet", "type": 21, "container": 0, "value": 0},
            {"record": "fox.property", "name": "dataList", "type": 13, "container": 2,
             "records": [{"record": "fox.item_entity", "key": "lamp", "value": 3}]}]}
        return {"format": "fox", "records": [
            {"record": "fox.header", "magic": {"hex": "f2626f78"}, "version": 53}, whole, lamp, *entries,
            {"record": "fox.terminator"}, {"record": "fox.tail", "tag": "end"}, *behind]}

    @staticmethod
    def entry(text, **more):
        return {"record": "fox.string", **more, "records": [{"record": "fox.text", "text": text}]}

    def told(self, *arguments, **more):
        """Builds a DataSet; returns the records of its dump, and the texts of its table in order."""
        self.build(self.dataset(*arguments, **more), "new.fox2")
        with open(self.path("new.fox2"), "rb") as file:
            data = file.read()
        at, texts = int.from_bytes(data[12:16], "little"), []
        while int.from_bytes(data[at:at + 8], "little"):
            length = int.from_bytes(data[at + 8:at + 12], "little")
            texts.append(data[at + 12:at + 12 + length].decode())
            at += 12 + length
        return self.tree("new.fox2")["records"], texts

    USED = ["DataSet", "name", "dataSet", "dataList", "lamp", "StaticModelArray"]

    def test_entries_in_the_order_of_use(self):
        records, texts = self.told()
        self.assertEqual(texts, self.USED)
        self.assertNotIn("fox.string", [record["record"] for record in records])

    def test_an_entry_that_stands_elsewhere_stays_there(self):
        records, texts = self.told("", [self.entry("lamp"), self.entry("name")])
        self.assertEqual(texts, ["lamp", "name", "DataSet", "dataSet", "dataList", "StaticModelArray"])
        self.assertEqual([r["records"][0]["text"] for r in records if r["record"] == "fox.string"], texts)

    def test_an_entry_that_nothing_uses_is_left_out(self):
        self.assertEqual(self.told("", [self.entry("stale")])[1], self.USED)

    def test_one_that_is_to_stay(self):
        records, texts = self.told("", [self.entry("stale", unused=True)])
        self.assertEqual(texts, ["stale", *self.USED])
        self.assertEqual([r for r in records if r["record"] == "fox.string"][0], self.entry("stale", unused=True))

    def test_texts_that_read_as_numbers(self):
        for text in ("7", "-", "+1", ".5", "0x12"):
            records, texts = self.told({"text": text})
            self.assertEqual((texts[2], records[1]["records"][0]["value"]), (text, {"text": text}))

    def test_a_hash_without_a_text(self):
        records, texts = self.told("0x0000123456789abc")
        self.assertEqual((texts, records[1]["records"][0]["value"]), (self.USED, "0x0000123456789abc"))

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_schema(self):
        self.told({"text": "7"}, [self.entry("stale", unused=True)])
        with open(os.path.join(SOURCE, "docs", "schema", "dump.schema.json"), encoding="utf-8") as file:
            jsonschema.validate(self.tree("new.fox2"), json.load(file))

    def test_refusals(self):
        for value in ("0x1x", {"text": ["a"]}, {"txt": "a"}, {"text": "a", "hex": ""}, ["a"]):
            self.refused_tree(self.dataset(value), "records[1].records[0].value: expected u64")
        self.refused_tree(self.dataset("", [self.entry("a", unused=3)]), "records[3].unused: expected true or false")
        self.refused_tree(self.dataset("", [self.entry("a", hash="b")]), "records[3].hash: expected u64")
        tree = self.dataset()
        tree["records"][3:4] = []
        self.refused_tree(tree, "records[1].class_name: the text has no entry; expected a record fox.terminator after it")


class Regions(BuildTest):
    """Compressed contents of an area."""

    def setUp(self):
        super().setUp()
        self.put("a.mrea", compressed_area())
        self.area = json.loads(self.run_cli("dump", "--stable", "--format", "json", "a.mrea").text)
        self.lights = self.area["regions"][0]["records"][0]["records"][0]["records"][0]["records"][0]["items"]

    def refused_area(self, saying):
        result = self.build(self.area, "new.mrea", code=2)
        self.assertIn(saying, result.errors)
        self.assertFalse(os.path.exists(self.path("new.mrea")))

    def test_left_as_it_is(self):
        for regions in (self.area["regions"], [], [{"name": "section[8]"}], None):
            tree = {**self.area, "regions": regions} if regions is not None else {k: v for k, v in self.area.items() if k != "regions"}
            self.assertEqual(self.build(tree, "new.mrea").errors, "")
            self.assertEqual(self.get("new.mrea"), compressed_area())

    def test_a_whole_dump(self):
        tree = json.loads(self.run_cli("dump", "--format", "json", "a.mrea").text)
        self.assertEqual(self.build(tree, "new.mrea").errors, "")
        self.assertEqual(self.get("new.mrea"), compressed_area())

    def test_changed_is_no_longer_compressed(self):
        self.lights[1]["brightness"] = 40
        result = self.build(self.area, "new.mrea")
        self.assertEqual(result.errors, "lightlint: new.mrea: block[3], which holds section[8], is no longer compressed: 128 bytes before, 512 now\n")
        again = json.loads(self.run_cli("dump", "--stable", "--format", "json", "new.mrea").text)
        self.assertNotIn("regions", again)
        lights = again["records"][-1]["records"][2]["records"][0]["records"][0]["records"][0]["items"]
        self.assertEqual(lights, self.lights)
        lights.append({**lights[1], "position": [1, 2, 3]})
        self.assertEqual(self.build(again, "more.mrea").errors, "")

    def test_zlib(self):
        """Undocumented lights: unchanged, the bytes stay as they are; changed, their block is stored uncompressed."""
        corpus = Corpus(os.path.join(SOURCE, "corpus"))
        area = bytes(corpus.assemble(corpus.recipes["odd-dkcr"]).data)
        self.put("d.mrea", area)
        tree = json.loads(self.run_cli("dump", "--format", "json", "d.mrea", code=2).text)
        self.build(tree, "new.mrea", more=("--unsupported=allow",))
        self.assertEqual(self.get("new.mrea"), area)
        lights = tree["regions"][0]["records"][0]["records"][0]
        lights["hex"] = lights["hex"][:-2] + "07"
        said = self.build(tree, "new.mrea", more=("--unsupported=allow",)).errors
        self.assertIn("block[3], which holds section[8], is no longer compressed", said)
        self.assertIn(bytes.fromhex(lights["hex"]), self.get("new.mrea"))
        self.assertEqual(self.run_cli("--unsupported=allow", "--format", "concise", "new.mrea", code=0).text.count(": error"), 0)

    def test_with_errors_it_is_not_written(self):
        self.lights[1]["brightness"] = -1
        result = self.build(self.area, "new.mrea", code=1)
        self.assertIn("brightness-not-positive", result.text)
        self.assertFalse(os.path.exists(self.path("new.mrea")))

    def test_refusals(self):
        where = "regions[0].records[0].records[0].records[0].records[0].items[1]"
        for change, saying in (({"brightness": "x"}, f"{where}.brightness: expected f32"), ({"brightnes": 1}, f"{where}.brightnes: no field"),
                               ({"color": [1, 2]}, f"{where}.color: expected f32[3]")):
            kept = dict(self.lights[1])
            self.lights[1].update(change)
            self.refused_area(saying)
            self.lights[1] = kept
        del self.lights[1]["type"]
        self.refused_area(f"{where}.type: missing")

    def test_regions_that_are_none(self):
        region = self.area["regions"][0]
        for regions, saying in (({}, "regions: expected a list of regions"), ([3], 'regions[0]: expected a map with the key "name"'),
                                ([{**region, "name": "section[7]"}], "regions[0].name: the file has no 'section[7]' in another form"),
                                ([{**region, "recods": []}], "regions[0].recods: not a key of a dump; did you mean 'records'"),
                                ([region, region], "regions[1]: a second region of that name"), ([{**region, "records": 3}], "expected a list of records")):
            self.area["regions"] = regions
            self.refused_area(saying)

    def test_tables_that_are_others(self):
        self.lights[1]["brightness"] = 40
        sizes = next(r for r in self.area["records"] if r["record"] == "mrea.section_size")["items"]
        sizes[12]["section_size"] = 64
        self.refused_area("regions[0]: does not fit into the records of the file")

    def test_a_file_without_any(self):
        self.refused_tree({**self.tree(), "regions": [{"name": "section[8]", "records": []}]}, "the file has no 'section[8]'")


class Shares(BuildTest):
    """Records that belong to one actor of a map."""

    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE, "corpus", "demo", "good-map.rgm"), "rb") as file:
            self.put("good.rgm", file.read())

    def changed_actors(self, change):
        tree = self.tree("good.rgm")
        actors = next(r for r in tree["records"][0]["records"] if r["record"] == "rgm.actor")["items"]
        change(tree["records"], actors)
        return tree

    def told(self, change):
        self.build(self.changed_actors(change), "new.rgm")
        return self.tree("new.rgm")["records"]

    @staticmethod
    def section(records, name):
        return next(r for r in records if r["record"] == name)["records"]

    @staticmethod
    def own(actor, name):
        return next(r for r in actor["records"] if r["record"] == name)

    def test_a_copy_has_shares_of_its_own(self):
        old = self.tree("good.rgm")["records"][0]["records"][1]["items"]
        new = self.told(lambda records, actors: actors.append({**copy.deepcopy(actors[0]), "script_name": "NEW"}))[0]["records"][1]["items"]
        self.assertEqual(new[:len(old)], old)
        self.assertEqual(self.own(new[-1], "rgm.string_offset"), self.own(old[0], "rgm.string_offset"))
        # the new actor has no instance, so they are counted
        self.assertEqual(new[-1]["num_variables"], len(self.own(old[0], "rgm.variable")["items"]))

    def test_instances_that_begin_with_other_values(self):
        def change(records, actors):
            variables = copy.deepcopy(self.own(actors[0], "rgm.variable"))
            variables["items"][2]["value"] = 99
            actors[0]["records"].insert(2, variables)
        self.build(self.changed_actors(change), "new.rgm")
        actor = self.tree("new.rgm")["records"][0]["records"][1]["items"][0]
        self.assertEqual([r["items"][2]["value"] for r in actor["records"] if r["record"] == "rgm.variable"], [3, 99])

    def test_more_instances_than_objects(self):
        def change(records, actors):
            actors[0]["records"][2:2] = [copy.deepcopy(self.own(actors[0], "rgm.variable"))] * 9
        self.assertEqual(self.told(change), self.tree("good.rgm")["records"])

    def test_a_string_without_users_is_left_out(self):
        strings = self.section(self.tree("good.rgm")["records"], "rgm.rast")
        self.assertEqual([s["text"] for s in self.section(self.told(lambda records, actors: self.own(actors[1], "rgm.string_offset").update(
            items=[{"offset": "string.0"}])), "rgm.rast")], [s["text"] for s in strings if s["label"] != "string.2"])

    def test_refusals(self):
        def place(name, change):
            return lambda records, actors: change(self.section(records, name))
        actors = "records[0].records[1].items"
        for change, saying in (
                (place("rgm.rasb", lambda r: r.clear()), '.records[0]: has no place; expected {"record":"rgm.string_offset","of":"rgm.actor"} among the records of rgm.rasb'),
                (place("rgm.rasb", lambda r: r.append(r[0])), "expected once, in rgm.rasb, after rgm.actor"),
                (place("rgm.rava", lambda r: r.append({"record": "rgm.string_offset", "of": "rgm.actor"})), "expected once, in rgm.rasb"),
                (place("rgm.rasb", lambda r: r[0].update(of="rgm.light")), "expected a record that each rgm.string_offset belongs to: rgm.actor"),
                (place("rgm.rasb", lambda r: r[0].update(record="rgm.light")), "belongs to, but no record does"),
                (place("rgm.rasb", lambda r: r[0].update(of=[])), "expected a record that each"),
                (lambda records, items: items[0].update(records=3), f"{actors}[0].records: expected a list of records"),
                (lambda records, items: items[0]["records"].append({"record": "rgm.light"}), "rgm.light belongs to no record alone"),
                (lambda records, items: items[0]["records"].append({"record": "rgm.extra", "of": "rgm.actor"}), "belongs to no record alone"),
                (lambda records, items: items[0]["records"].append({"record": "rgm.lamp"}), "rgm.lamp"),
                (lambda records, items: items[0]["records"].append(3), "expected a map with the key"),
                (lambda records, items: items[0]["records"].append(self.own(items[0], "rgm.extra")), "given twice; expected once in each record"),
                (lambda records, items: items.pop(1), "no record has the label 'raan_list.0'"),
                (lambda records, items: items.append(items[1]), "another record has the label 'raan_list.0'"),
                (lambda records, items: records.insert(0, records.pop(3)), "after rgm.actor"),
                (lambda records, items: self.section(records, "rgm.mpob")[1]["items"][0].update(records=[]), "no field of rgm.object")):
            self.refused_tree(self.changed_actors(change), saying)


class Refusals(BuildTest):
    def test_no_dump(self):
        for text, saying in ((b"", "empty"), (b"[]", 'no "format"'), (b"{}", 'no "format"'), (b'{"format":"grx"', ":1:16: not JSON: it ends early"),
                             (b'{"format":"grx",\n # a lamp\n"records":[]}', ":2:2: not JSON: it has no comments"),
                             (b'# a lamp\n{"format":"grx","records":[]}', ":1:1: not JSON: it has no comments"), (b'{"format":"grx","records":[],}', ":1:30: not JSON"),
                             (b'{"format":"gxr","records":[]}', "unknown format: 'gxr'"), (b'{"format":"grx"}', 'no "records"'),
                             (b'{"format":"grx","records":{}}', "expected a list of records, found a map"),
                             (b'{"format":"grx","recrods":[]}', "did you mean 'records'"), (b'{"format":"grx","format":"grx"}', "duplicate key"),
                             (b'{"format":"grx","records":[3]}', 'records[0]: expected a map with the key "record"'),
                             (b'{"format":"grx","records":[{"record":"grx.prob"}]}', "did you mean 'grx.probe'")):
            self.refused_tree(text, saying)

    def test_place(self):
        text = json.dumps(self.changed(lambda records: records[2].update(priority="ten"))["records"], indent=1)
        line = next(i for i, each in enumerate(text.splitlines(), 2) if '"ten"' in each)
        errors = self.refused_tree(b'{"format":"grx","records":\n' + text.encode() + b"}", "records[2].priority: expected i16")
        self.assertIn(f"tree.json:{line}:", errors)

    def test_values(self):
        for fields, saying in (
                ({"priority": 40000}, "records[2].priority: expected i16"), ({"priority": 1.5}, "found 1.5"), ({"priority": [1]}, "found a list"),
                ({"shape_type": -1}, "expected u16"), ({"scale": [1, 2]}, "expected f32[3]"), ({"scale": 1}, "expected f32[3]"),
                ({"scale": [1, "x", 2]}, "records[2].scale[1]: expected f32"), ({"scale": [1, 2, 1e39]}, "scale[2]: expected f32"),
                ({"tag": "EP000"}, "expected char[4]"), ({"tag": {"hex": "00"}}, "expected char[4]"), ({"tag": {"hex": "0000000g"}}, "hex digits"),
                ({"priorty": 1}, "records[2].priorty: no field of grx.probe; did you mean 'priority'"),
                ({"text": "x"}, "no field of grx.probe"), ({"label": "1"}, "begins with a letter"), ({"index": -1}, "expected a number"),
                ({"aligned": 3}, "true or false"), ({"name_offset": "nowhere"}, "no record has the label 'nowhere'"),
                ({"items": []}, "expected in an element"), ({"records": 3}, "expected a list of records")):
            self.refused_tree(self.changed(lambda records, fields=fields: records[2].update(fields)), saying)

    def test_missing(self):
        self.refused_tree(self.changed(lambda records: records[2].pop("priority")), "records[2].priority: missing")
        self.refused_tree(self.changed(lambda records: records[2].pop("records")), "records[2].name_hash: missing")

    def test_texts(self):
        for change, saying in (({"text": 3, "hex": "00"}, 'expected a "text"'), ({"hex": "0"}, 'expected a "text"'), ({"txt": "a"}, "did you mean 'text'"),
                               ({"text": ["a"]}, 'expected a "text"'), ({"behind": "0"}, "two hex digits")):
            self.refused_tree(self.changed(lambda records, change=change: records[2]["records"][0].update(change)), saying)
        self.refused_tree(self.changed(lambda records: records[2]["records"][0].pop("text")), 'expected a "text"')

    def test_stretches(self):
        for record, saying in (({}, 'expected "hex"'), ({"hex": "00", "zeros": 1}, 'expected "hex"'), ({"zeros": -1}, "a number of zeros"),
                               ({"zeros": 1 << 31}, "256 MiB"), ({"hex": [1]}, "found a list")):
            self.refused_tree(self.changed(lambda records, record=record: records.append({"record": "gap", **record})), saying)

    def test_labels(self):
        def two(records):
            records[2]["records"][0]["label"] = "a"
            records[1]["records"][0]["label"] = "a"
        self.refused_tree(self.changed(two), "another record has the label 'a'")

        def wrong(records):
            records[1]["records"][0]["label"] = "a"
            records[2]["name_offset"] = "a"
        self.refused_tree(self.changed(wrong), "'a' is a record grx.dataset_path; expected grx.name")

    def test_no_room(self):
        self.put("a.fpk", archive([("/a.grxla", GOOD)]))
        tree = self.tree("a.fpk")
        tree["records"][1]["items"][0]["path_length"] = 1 << 63
        self.build(tree, "new.fpk", code=1)
        tree["records"][1]["items"][0]["path_length"] = 1 << 64
        self.refused_tree(tree, "expected u64")

    def test_deep(self):
        tree = inner = {"record": "grx.probe"}
        for _ in range(10):
            inner["records"] = [{"record": "grx.probe"}]
            inner = inner["records"][0]
        self.refused_tree({"format": "grx", "records": [tree]}, "nested")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
