#!/usr/bin/env python3
"""lightlint census: all figures against an independent count of generated files, claims with counter-examples, limits,
threads; and, if there are real files, the figures of their public description.

    test_census.py BINARY SOURCE_DIR [unittest arguments]"""
import html
import itertools
import json
import os
import re
import struct
import sys
import unittest
from collections import Counter

from cli_test import PROGRAM, SOURCE, CliTest, Entry, entry, light_array, light_file
from recipe import Corpus  # found by cli_test

sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
from html_page import HtmlPage  # noqa: E402
from layouts import TYPE_BYTES, of_family  # noqa: E402
from program import files_below, real_corpus  # noqa: E402

RECORD_OF = {b"CM00": "dataset", b"PL02": "point_light", b"PL03": "point_light", b"SL02": "spot_light", b"SL03": "spot_light",
             b"EP00": "probe", b"OC00": "occluder", b"\0\0\0\0": "terminator"}
CODES = {"u16": "H", "u32": "I", "u64": "Q", "i16": "h", "f16": "e", "f32": "f"}


# ---------------------------------------------------------------- an independent count

def element_names(field):
    parts = field.parts()
    return [field.name + part for part in parts] if parts else [field.name]


def count_entries(data, records, totals):
    """Adds the fixed fields of all entries of a GRX file to {(record, kind, field): [bits, ...]}."""
    at = 0x10
    while at < len(data):
        tag, (size,) = data[at:at + 4], struct.unpack_from("<I", data, at + 4)
        record = records[RECORD_OF[tag]]
        for field in record.fields:
            if field.type == "chars":
                continue
            width = TYPE_BYTES[field.type.upper()]
            for i, name in enumerate(element_names(field)):
                start = at + field.offset + i * width
                kind = tag.decode() if tag.strip(b"\0") else None
                totals.setdefault((f"grx.{record.name}", kind, name), (field, []))[1].append(data[start:start + width])
        at += size


def number_of(field, raw):
    return struct.unpack("<" + CODES[field.type], raw)[0]


def same_number(field, shown, raw):
    """Compares a value of the census, the shortest decimal that reads back, with the bytes of the file."""
    if isinstance(shown, str):
        return shown == ("0x" + raw[::-1].hex() if field.role == "hash" else str(int.from_bytes(raw, "little")))
    return struct.pack("<" + CODES[field.type], shown) == raw


def columns_of(census):
    return {(r["record"], r.get("kind"), f["field"]): f for r in census["records"] for f in r["fields"]}


def claims_of(census, rule):
    return {(r["record"], r.get("kind"), c["field"]): c for r in census["records"] for c in r["claims"] if c["rule"] == rule}


# ---------------------------------------------------------------- generated files

LIGHT = dict(flags=9, word=3, range=(12.0, 2.0), color=(1, .5, .25, 1), lumen=3000.0, padding=0)


def point_light(name, tag=b"PL03", **more):
    light = dict(LIGHT, **more)
    fixed = struct.pack("<III3f", light["flags"], light["word"], 0, 1.0, 2.0, 3.0)
    fixed += struct.pack("<2ee4e", *light["range"], 0, *light["color"]) + struct.pack("<2eH", 6500, 0, light["padding"])
    fixed += struct.pack("<f5eHIII", light["lumen"], 0, 1, 1, 2.5, 10, 0, 4, 0, 0)
    return Entry(tag, name, bytearray(0x18) + fixed).write()


def lights(*entries):
    return light_array(*entries, data_set=b"/Assets/tpp/level/location/test/test_light.fox2")


def occluders(vertices):
    """An occluder array of faces with four vertices each."""
    faces = len(vertices) // 4
    body = struct.pack("<IIIII", 0, 0x10 + 0x10 * len(vertices), faces, 8, len(vertices))
    body += b"".join(struct.pack("<4f", *v, 1.0) for v in vertices)
    body += b"".join(struct.pack("<4H", 1, 0, (4 * i) % 65536, 4) for i in range(faces))
    return light_array(entry(b"OC00", body), data_set=b"/Assets/tpp/level/location/test/test_env.fox2", magic=b"FGxO")


CHARTS = ("histogram", "holds", "to a target", "of the most")  # headings of their columns


def plain(markdown):
    """Text of Markdown without escapes."""
    return html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown))


class CensusTest(CliTest):
    def census(self, *arguments, code=0):
        return json.loads(self.run_cli("census", "--isolated", "--format", "json", *arguments, code=code).out)

    def make_corpus(self):
        self.put("a/one.grxla", lights(point_light(b"PL_a"), point_light(b"PL_b", lumen=float("nan"), flags=1),
                                       point_light(b"PL_c", lumen=float("-inf"), word=2, padding=7)))
        self.put("a/two.grxla", lights(point_light(b"PL_d", b"PL02", word=7), point_light(b"PL_e", lumen=1e-40, color=(1, 1, 1, 2)),
                                       point_light(b"PL_f", lumen=-0.0)))
        self.put("b/three.grxla", light_file((b"LP_0001", b"LP_0002", b"LP_0003")))
        self.put("b/four.grxoc", occluders([(x, 0, z) for x in range(4) for z in range(2)]))

    def compare(self, census, files):
        """Compares every fixed field of every entry: count, distinct values, extremes, classes, frequent values."""
        records, totals = of_family("grx")[0], {}
        for data in files:
            count_entries(data, records, totals)
        columns = columns_of(census)
        for key, (field, raws) in totals.items():
            column, counts = columns[key], Counter(raws)
            self.assertEqual((column["count"], column["distinct"], column["exact"]), (len(raws), len(counts), True), key)
            self.assertEqual([v["count"] for v in column["values"]], sorted(counts.values(), reverse=True)[:8], key)
            for value in column["values"]:
                if value["value"] not in ("NaN", "Infinity", "-Infinity"):
                    match = [raw for raw in counts if same_number(field, value["value"], raw)]
                    self.assertEqual([counts[raw] for raw in match], [value["count"]], (key, value))
            numbers = [number_of(field, raw) for raw in raws]
            finite = [n for n in numbers if n == n and abs(n) != float("inf")]
            if field.role != "hash" and finite:
                self.assertTrue(same_number(field, column["min"], struct.pack("<" + CODES[field.type], min(finite))) or min(finite) == 0, key)
                self.assertTrue(same_number(field, column["max"], struct.pack("<" + CODES[field.type], max(finite))) or max(finite) == 0, key)
            if field.type in ("f16", "f32"):
                small = 2 ** -14 if field.type == "f16" else 2 ** -126
                want = (sum(n != n for n in numbers), sum(abs(n) == float("inf") for n in numbers),
                        sum(0 < abs(n) < small for n in numbers), sum(n == 0 and str(n) == "-0.0" for n in numbers))
                self.assertEqual(tuple(column[k] for k in ("nan", "infinite", "denormal", "negative_zero")), want, key)
        return len(totals)


class Figures(CensusTest):
    def test_every_fixed_field_against_an_independent_count(self):
        self.make_corpus()
        names = ["a/one.grxla", "a/two.grxla", "b/three.grxla", "b/four.grxoc"]
        census = self.census("a", "b")
        self.assertGreater(self.compare(census, [self.get(name) for name in names]), 100)
        self.assertEqual((census["files"], census["unchecked"], census["bytes"]), (4, 0, sum(len(self.get(name)) for name in names)))
        lumen = columns_of(census)["grx.point_light", "PL03", "lumen"]
        self.assertEqual([lumen[k] for k in ("count", "nan", "infinite", "denormal", "negative_zero")], [5, 1, 1, 1, 1])
        self.assertEqual(lumen["max"], 3000)

    def test_records_by_kind_and_file(self):
        self.make_corpus()
        records = {(r["record"], r.get("kind")): r for r in self.census(".")["records"]}
        shape = {key: (r["records"], r["files"], r["per_file_min"], r["per_file_max"]) for key, r in records.items()}
        self.assertEqual(shape["grx.point_light", "PL03"], (5, 2, 2, 3))
        self.assertEqual(shape["grx.point_light", "PL02"], (1, 1, 1, 1))
        self.assertEqual(shape["grx.probe", "EP00"], (3, 1, 3, 3))
        self.assertEqual(shape["grx.vertex", "OC00"], (8, 1, 8, 8))
        self.assertEqual(shape["grx.name", "PL03"], (5, 2, 2, 3))
        self.assertEqual([records["grx.header", kind]["leads"] for kind in ("FGxL", "FGxO")], [3, 1])

    def test_strings_bytes_bits_and_norms(self):
        self.make_corpus()
        columns = columns_of(self.census("."))
        names = columns["grx.name", "EP00", "text"]
        self.assertEqual([v["value"] for v in names["values"]], ["LP_0001", "LP_0002", "LP_0003"])
        self.assertEqual(columns["grx.name", "PL03", "text.length"]["values"], [{"value": 4, "count": 5}])
        self.assertEqual(columns["grx.name", "PL03", "padding.length"]["max"], 3)
        self.assertEqual(columns["grx.name", "PL03", "padding"]["values"], [{"value": "00 00 00", "count": 5}])
        self.assertEqual(columns["grx.point_light", "PL03", "light_flags"]["bits"][:4], [5, 0, 0, 4])
        self.assertEqual(columns["grx.probe", "EP00", "rotation.norm"]["values"], [{"value": 1, "count": 3}])
        self.assertEqual(columns["grx.point_light", "PL02", "tag"]["values"], [{"value": "PL02", "count": 1}])

    def test_long_strings_are_cut_and_what_is_in_them_is_escaped(self):
        self.put("x.grxla", lights(point_light(b"PL_" + b"x" * 200), point_light(b"PL_\x1b[2J")))
        text = columns_of(self.census("x.grxla"))["grx.name", "PL03", "text"]
        self.assertEqual(text["distinct"], 2)
        cut = [v for v in text["values"] if "length" in v]
        self.assertEqual([(v["value"], v["length"]) for v in cut], [("PL_" + "x" * 93, 203)])
        for form in ("text", "markdown"):
            out = self.run_cli("census", "--isolated", "--format", form, "x.grxla", code=0).text
            self.assertNotIn("\x1b", out)
            self.assertIn("x1b", out)
            self.assertIn("... (203 bytes)", out)


class Claims(CensusTest):
    def test_claims_break_where_they_do(self):
        self.make_corpus()
        census = self.census(".")
        pad = claims_of(census, "GRX540")["grx.point_light", "PL03", "padding_3a"]
        data = self.get("a/one.grxla")
        at = data.index(b"PL03", data.index(b"PL_b")) + 0x42
        self.assertEqual(struct.unpack_from("<H", data, at)[0], 7)
        self.assertEqual((pad["examined"], pad["broken"]), (5, 1))
        self.assertEqual(pad["places"], [{"file": "a/one.grxla", "offset": at, "length": 2, "path": "entry[3].padding_3a", "value": "7"}])
        holds = claims_of(census, "GRX540")["grx.point_light", "PL02", "padding_3a"]
        self.assertEqual((holds["examined"], holds["broken"], holds.get("places")), (1, 0, None))

    def test_guards_decide_what_is_examined(self):
        self.make_corpus()
        word = claims_of(self.census("."), "GRX536")  # always 3 in lights of version 3
        self.assertIn("tag one_of", word["grx.point_light", "PL03", "unknown_14"]["when"])
        figures = {kind: [word["grx.point_light", kind, "unknown_14"][k] for k in ("examined", "broken")] for kind in ("PL02", "PL03")}
        self.assertEqual(figures, {"PL02": [0, 0], "PL03": [5, 1]})

    def test_rules_that_are_off_are_claims_and_selection_limits_them(self):
        self.make_corpus()
        census = self.census("--severity", "GRX540=off", "--severity", "name-hash=off", ".")
        pad = claims_of(census, "GRX540")["grx.point_light", "PL03", "padding_3a"]
        self.assertEqual((pad["severity"], pad["examined"], pad["broken"]), ("off", 5, 1))
        self.assertIn(("name-hash", "off"), [(f["name"], f["severity"]) for f in census["findings"]])
        rules = json.loads(self.run_cli("rules", "--isolated", "--format", "json").out)["rules"]
        counted = {c["rule"] for r in census["records"] for c in r["claims"]} | {f["rule"] for f in census["findings"]}
        there = {r["record"] for r in census["records"]}
        about = {r["id"] for r in rules if set(re.findall(r"grx\.\w+", r["target"])) & there}
        self.assertGreater(len(about), 60)
        self.assertEqual(about - counted, set())
        few = self.census("--select", "GRX540", ".")
        self.assertEqual({c["rule"] for r in few["records"] for c in r["claims"]}, {"GRX540"})
        self.assertEqual(few["findings"], [])
        self.assertEqual(columns_of(few)["grx.probe", "EP00", "priority"], columns_of(census)["grx.probe", "EP00", "priority"])

    def test_only_the_first_places_are_kept_whatever_the_order(self):
        for i in range(9):
            self.put("%d.grxla" % i, lights(*[point_light(b"PL_%d" % k, padding=k) for k in range(1, 4)]))
        for jobs in ("-j1", "-j3"):
            pad = claims_of(self.census(jobs, "."), "GRX540")["grx.point_light", "PL03", "padding_3a"]
            self.assertEqual((pad["examined"], pad["broken"]), (27, 27))
            self.assertEqual([(p["file"], p["value"]) for p in pad["places"]],
                             [("0.grxla", "1"), ("0.grxla", "2"), ("0.grxla", "3"), ("1.grxla", "1"), ("1.grxla", "2")])
        text = self.run_cli("census", "--isolated", ".", code=0).text
        self.assertRegex(text, r"GRX540 light-pad +padding_3a, padding_4a +BROKEN 27 of 54 ")
        self.assertIn("      and 22 more\n", text)

    def test_checks_and_faults_are_counted(self):
        broken = bytearray(lights(point_light(b"PL_a"), point_light(b"PL_b")))
        broken[broken.index(b"PL03") + 8] ^= 1  # a name hash
        self.put("x.grxla", bytes(broken))
        self.put("y.grxla", lights(point_light(b"PL_a"))[:-8])
        counts = {f["name"]: (f["origin"], f["count"]) for f in self.census(".", code=2)["findings"]}
        self.assertEqual(counts["name-hash"], ("check", 1))
        self.assertEqual(counts["terminator-missing"], ("fault", 1))
        self.assertEqual(counts["entry-size-min"], ("fault", 0))

    def test_references_are_counted_by_where_they_lead(self):
        good = lights(*[point_light(b"PL_%d" % i) for i in range(5)])
        at = [good.index(b"PL03", good.index(b"CM00") + i * len(point_light(b"PL_0"))) + 16 for i in range(5)]
        data = bytearray(good)
        for place, value in zip(at, (0x50, 0, 0x51, 0x7FFFFFFF, 0x50)):
            struct.pack_into("<I", data, place, value)
        self.put("a.grxla", bytes(data))
        self.put("b.grxla", good)
        row = {"reference": "grx.point_light.name_offset", "to": "grx.name", "count": 10, "null": 1, "target": 7, "between": 1, "outside": 1,
               "unknown": 0}
        for jobs in ("-j1", "-j2"):
            references = self.census(jobs, "a.grxla", "b.grxla")["references"]
            self.assertEqual([r for r in references if r["reference"] == row["reference"]], [row])
        self.assertIn({"reference": "rgm.actor.ravc_offset", "to": "rgm.collision", "count": 0, "null": 0, "target": 0, "between": 0,
                       "outside": 0, "unknown": 0}, references)
        text = self.run_cli("census", "--isolated", ".", code=0).text
        self.assertRegex(text, r"\n  grx\.point_light\.name_offset +grx\.name +10 +1 +7 +1 +1 +0\n")
        self.assertNotIn("rgm.actor.ravc_offset", text)
        markdown = self.run_cli("census", "--isolated", "--format", "markdown", ".", code=0).text
        self.assertIn("\n### References\n\n| reference | to | count | null | target | between | outside | unknown |\n| --- | --- | ---: ", markdown)

    def test_references_of_all_formats_add_up(self):
        census = json.loads(self.run_cli("census", "--isolated", "--format", "json", os.path.join(SOURCE, "corpus", "demo")).out)
        for row in census["references"]:
            self.assertEqual(row["count"], sum(row[k] for k in ("null", "target", "between", "outside", "unknown")), row)
        there = {row["reference"].split(".")[0] for row in census["references"] if row["target"]}
        self.assertEqual(there, {"grx", "mrea", "rgm"})

    def test_places_in_what_was_decompressed(self):
        name = os.path.join("corpus", "demo", "bad-lzo-brightness.mrea")
        finding = self.run_cli("--isolated", "--format", "jsonl", name, cwd=SOURCE).findings()
        self.assertEqual([f["name"] for f in finding], ["brightness-not-positive"])
        census = json.loads(self.run_cli("census", "--isolated", "--format", "json", name, cwd=SOURCE, code=0).out)
        claim = next(c for r in census["records"] for c in r["claims"] if c["broken"])
        self.assertEqual((claim["rule"], claim["examined"], claim["broken"]), (finding[0]["rule"], 2, 1))
        place = claim["places"][0]
        self.assertEqual({k: place[k] for k in ("file", "offset", "length", "inner", "path", "value")},
                         {k: finding[0][k] for k in ("file", "offset", "length", "inner", "path", "value")})

    def test_what_check_finds_is_counted(self):
        """Every finding of check is counted. The reverse does not hold: in check, a rule yields to stronger ones."""
        demo = os.path.join(SOURCE, "corpus", "demo")
        found = Counter(f["rule"] for f in self.run_cli("--isolated", "--format", "jsonl", "--all", demo).findings())
        census = json.loads(self.run_cli("census", "--isolated", "--format", "json", demo).out)
        counted = Counter({f["rule"]: f["count"] for f in census["findings"]})
        for record in census["records"]:
            for claim in record["claims"]:
                counted[claim["rule"]] += claim["broken"]
                self.assertLessEqual(claim["broken"], claim["examined"], claim)
        self.assertGreater(len(found), 12)
        self.assertEqual({rule: n for rule, n in found.items() if counted[rule] < n}, {})
        self.assertGreater(sum(found[rule] == counted[rule] for rule in found), len(found) * 3 // 4)


class Limits(CensusTest):
    def test_more_values_than_are_kept(self):
        vertices = [(1000 + i / 8, 0.0 if i % 4 else 7.5, -i / 4) for i in range(160000)]
        self.put("many.grxoc", occluders(vertices))
        census = self.census("many.grxoc")
        columns = columns_of(census)
        limit = census["distinct_limit"]
        x = columns["grx.vertex", "OC00", "position.x"]
        self.assertEqual((x["count"], x["exact"], x["min"], x["max"]), (160000, False, 1000, 1000 + 159999 / 8))
        self.assertTrue(160000 * .95 < x["distinct"] < 160000 * 1.05)
        self.assertEqual(x["sampled"], limit)
        y = columns["grx.vertex", "OC00", "position.y"]
        self.assertEqual((y["exact"], y["distinct"], [v["count"] for v in y["values"]]), (True, 2, [120000, 40000]))
        self.assertIn(">%d, ~" % limit, self.run_cli("census", "--isolated", "many.grxoc", code=0).text)

    def test_small_numbers_are_kept_among_too_many(self):
        for n in range(3):
            self.put("%d.grxoc" % n, occluders([(0.0 if i % 2 else 1000 + (i + 40000 * n) / 8, 0, 0) for i in range(80000)]))
        first = self.census("-j1", ".")
        x = columns_of(first)["grx.vertex", "OC00", "position.x"]
        self.assertFalse(x["exact"])
        self.assertEqual(x["values"][0], {"value": 0, "count": 120000})
        self.assertEqual(self.census("-j3", "2.grxoc", "0.grxoc", "1.grxoc"), first)


class Running(CensusTest):
    def test_threads_and_order_change_nothing(self):
        self.make_corpus()
        for i in range(60):
            self.put("c/%02d.grxla" % i, light_file([b"LP_%04d" % (i * k) for k in range(i % 7)]))
        for form in ("text", "json", "markdown", "html"):
            run = ["census", "--isolated", "--format", form]
            want = self.run_cli(*run, "-j1", "a", "b", "c", code=0).out
            self.assertEqual(self.run_cli(*run, "-j2", "c", "b", "a", code=0).out, want)
            self.assertEqual(self.run_cli(*run, "-j7", "c", "b", "a", code=0).out, want)

    def test_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema")
        self.make_corpus()
        with open(os.path.join(SOURCE, "docs", "schema", "census.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        check = jsonschema.Draft7Validator(schema).validate
        check(self.census("."))
        check(self.census(os.path.join(SOURCE, "corpus", "demo"), code=self.run_cli("census", os.path.join(SOURCE, "corpus", "demo")).code))
        self.put("empty/readme.txt", b"")
        check(self.census("empty"))

    def test_exit_codes_and_what_was_not_read(self):
        self.make_corpus()
        self.put("x.bin", b"nothing that is known")
        census = self.census("a", "x.bin", "missing.grxla", code=2)
        self.assertEqual((census["files"], census["unchecked"], census["unknown"]), (4, 2, 2))
        self.assertEqual(self.census("a", code=0)["files"], 2)

    def test_patterns_shards_and_output(self):
        self.make_corpus()
        self.assertEqual(self.census("--exclude", "b", ".")["files"], 2)
        self.assertEqual(self.census("--include", "*.grxoc", ".")["files"], 1)
        parts = [self.census("--shard", "%d/3" % i, ".")["files"] for i in (1, 2, 3)]
        self.assertEqual(sum(parts), 4)
        want = self.run_cli("census", "--isolated", ".", code=0).out
        self.assertEqual(self.run_cli("census", "--isolated", "-o", "out.txt", ".", code=0).out, b"")
        self.assertEqual(self.get("out.txt"), want)
        self.refused("census", "--isolated", "-o", "a/one.grxla", "a", saying="is an input")
        self.refused("census", "--format", "sarif", ".", saying="sarif")

    def test_markdown_tables_have_the_cells_of_their_heads(self):
        self.make_corpus()
        self.put("odd.grxla", lights(point_light(b"PL_|a`b*")))
        lines = self.run_cli("census", "--isolated", "--format", "markdown", ".", code=0).text.splitlines()
        width, tables = 0, 0
        for before, line in zip([""] + lines, lines):
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            if cells and not before.startswith("|"):
                width, tables = cells, tables + 1
            self.assertIn(cells, (0, width), line)
        self.assertGreater(tables, 20)
        self.assertIn("## Census", lines)

    def test_nothing_in_a_file_means_anything_in_markdown(self):
        """Names of files and records, strings and values never become markup."""
        for name in ("a`b.grxla", "```.grxla", "<img src=x>.grxla"):
            self.put(name, lights(point_light(b"`x``&lt;@me #1 $q$ ~~s~~__", padding=7)))
        for i, tag in enumerate((b"<`b>", b"@#$&")):
            self.put(f"tag{i}.grxla", lights(entry(tag, b"\0" * 8)))
        lines = self.run_cli("census", "--isolated", "--format", "markdown", ".", code=2).text.splitlines()
        self.assertGreater(len([line for line in lines if re.match(r"\| .*grxla \+0x", line)]), 3)
        rest = "\n".join(re.sub(r"\*\*(.*?)\*\*:", r"\1", line) for line in lines if not line.startswith("Of each field "))
        self.assertIsNone(re.search(r"(?<!\\)[`<@$~]|(?<![\\&#])#(?![# ])|(?<!\\)&(?!amp;|lt;|gt;|#64;)", rest), rest)

    def test_html_says_what_markdown_says(self):
        """Compares all rows of tables, except charts; all other sentences."""
        self.make_corpus()
        self.put("odd.grxla", lights(point_light(b"PL_|a`b*<i>&"), entry(b"<`b>", b"\0" * 8)))
        self.put("many.grxoc", occluders([(i / 8, 0.0 if i % 4 else 7.5, -i / 4) for i in range(400)]))
        arguments = (".", os.path.join(SOURCE, "corpus", "demo"))
        lines = self.run_cli("census", "--isolated", "--format", "markdown", *arguments, code=2).text.splitlines()
        page = HtmlPage(self.run_cli("census", "--isolated", "--format", "html", *arguments, code=2).text)
        rows = [[plain(cell) for cell in re.split(r" (?<!\\)\| ?", line[2:])[:-1]] for line in lines if line.startswith("| ") and "---" not in line]
        shown = [[cell for cell in row if cell not in CHARTS] for table in page.tables for row in table]
        self.assertEqual([[cell.strip() for cell in (row[:1] if len(row) > 1 and set(row[1:]) <= {"", "|"} else row)] for row in rows], shown)
        self.assertGreater(len(rows), 500)
        for line in lines:
            if line and line[0] not in "|#":
                self.assertIn(plain(re.sub("^- ", "", line)).strip(), page.text, line)

    def test_html_has_charts(self):
        self.put("many.grxoc", occluders([(i / 8, 0.0 if i % 4 else 7.5, -i / 4) for i in range(400)]))
        text = self.run_cli("census", "--isolated", "--format", "html", ".", code=0).text
        page = HtmlPage(text)
        self.assertGreater(page.rects, 100)
        histogram = re.search(r'aria-label="position.x: how many of 400 values are how large">\n(.*?)</svg>', text, re.S).group(1)
        counts = [int(n) for n in re.findall(r"<title>\S+ to \S+: (\d+)</title>", histogram)]
        self.assertEqual((len(counts), sum(counts)), (24, 400))
        want = Counter(min(int(i / 399 * 24), 23) for i in range(400))
        self.assertEqual(counts, [want[i] for i in range(24)])
        self.assertIn("0 to 2.078125: 17<", histogram)

    def test_nothing_in_a_file_is_markup(self):
        """Names of files and records add no elements to the report."""
        for name in ("<img src=x onerror=y>.grxla", "a\"'&lt;.grxla", "--><script>.grxla", os.fsdecode(b"\xff\xe2\x80\xae.grxla")):
            self.put(name, lights(point_light(b"</td><script>alert(1)</script><!--", padding=7)))
        text = self.run_cli("census", "--isolated", "--format", "html", ".", code=0).text
        page = HtmlPage(text)
        for words in ("<img src=x onerror=y>.grxla +0x", "a\"'&lt;.grxla +0x", "--><script>.grxla", "\\xff", "</td><script>alert(1)</script><!--"):
            self.assertIn(words, page.text)
        self.assertNotIn("\u202e", text)
        self.assertNotIn("<script", text)

    def test_a_format_goes_to_its_file(self):
        self.make_corpus()
        want = self.run_cli("census", "--isolated", "--format", "html", "a", code=0).out
        self.assertEqual(self.run_cli("census", "--isolated", "--format", "html:page.html", "a", code=0).out, b"")
        self.assertEqual(self.get("page.html"), want)
        self.assertEqual(self.run_cli("census", "--isolated", "--format", "html:-", "a", code=0).out, want)
        self.refused("census", "--format", "html:", "a", saying="no file name")
        self.refused("census", "--format", "html:x", "-o", "y", "a", saying="both")
        self.refused("census", "--format", "html:a/one.grxla", "a", saying="is an input")

    def test_claims_stand_in_columns(self):
        self.put("a.grxla", lights(point_light(b"PL_a")))
        lines = self.run_cli("census", "--isolated", ".", code=0).text.splitlines()
        for head in (i for i, line in enumerate(lines) if line.startswith("  claim ")):
            for column in ("about", "result", "says"):
                at = lines[head].index(column)
                table = itertools.takewhile(lambda line: re.match(r"  [A-Z]+[0-9]{3} ", line), lines[head + 1:])
                for line in table:
                    self.assertTrue(line[at - 1] == " " and line[at] != " ", (column, line))


class Parts(CensusTest):
    def parts(self, n, *arguments, code=0):
        names = ["part%d" % i for i in range(1, n + 1)]
        for i, name in enumerate(names, 1):
            self.run_cli("census", "--isolated", "--shard", "%d/%d" % (i, n), "--format", "jsonl", "-o", name, *arguments, code=code)
        return names

    def test_parts_join_to_the_whole(self):
        """In every format, with names that are no text, more kinds than are told apart, and an unreadable file."""
        self.make_corpus()
        self.put("c/" + os.fsdecode(b"odd\xff.grxla"), lights(point_light(b"PL_g", lumen=float("nan"), padding=3)))
        for i in range(40):
            self.put("c/%02d.grxla" % i, light_file([b"LP_%04d" % (i * k) for k in range(i % 5)]))
            self.put("k/%02d.grxla" % i, lights(entry(b"KI%02d" % i, b"\1\2\3\4"), point_light(b"PL_%d" % i, padding=i % 3)))
        self.put("c/cut.grxla", light_file([b"LP_0001"])[:-30])
        corpus = Corpus(os.path.join(SOURCE, "corpus"))
        unknown = bytes(corpus.assemble(corpus.recipes["bad-section-unknown"]).data)
        self.assertEqual(unknown.count(b"RAWD"), 1)
        # in mixed order: some replace a kind that was counted, others are never counted individually
        for i in range(40):
            self.put("s/%02d.rgm" % i, unknown.replace(b"RAWD", b"ZZ%02d" % (i * 7 % 40)))
        formats = ("text", "json", "markdown", "html", "jsonl")
        whole = {form: self.run_cli("census", "--isolated", "--format", form, ".", os.path.join(SOURCE, "corpus", "demo")).out for form in formats}
        for n in (1, 5):
            names = self.parts(n, "-j2", ".", os.path.join(SOURCE, "corpus", "demo"), code=None)
            for form in formats:
                joined = self.run_cli("census", "--isolated", "--merge", "--format", form, *reversed(names), code=0).out
                self.assertEqual(joined, whole[form], (n, form))
            for name in names:
                os.remove(self.path(name))

    def test_more_values_than_are_kept(self):
        for n in range(2):
            self.put("d/%d.grxoc" % n, occluders([(1000 + (i + 40000 * n) / 8, 0.0 if i % 4 else 7.5, -i / 4) for i in range(80000)]))
        whole = self.run_cli("census", "--isolated", "--format", "jsonl", "d", code=0).out
        self.assertLess(max(map(len, whole.splitlines())), 100000)
        names = self.parts(2, "d")
        self.assertEqual(self.run_cli("census", "--isolated", "--merge", "--format", "jsonl", *names, code=0).out, whole)
        self.assertEqual(self.run_cli("census", "--isolated", "--merge", *names, code=0).out,
                         self.run_cli("census", "--isolated", "d", code=0).out)

    def test_parts_that_are_missing_or_doubled_or_strange(self):
        self.make_corpus()
        one, two = self.parts(2, ".")
        self.run_cli("census", "--isolated", "--format", "jsonl", "-o", "whole", "a", "b", code=0)
        self.run_cli("census", "--isolated", "--format", "jsonl", "--shard", "1/3", "-o", "third", "a", "b", code=0)
        self.run_cli("census", "--isolated", "--format", "json", "-o", "page", "a", "b", code=0)
        for given, words in (([one], "part 2 of 2 is missing"), ([two, one, two], "part 2 of 2 is given twice: 'part2' and 'part2'"),
                             ([one, "third"], "'part1' is one of 2, but 'third' one of 3"), (["whole", "whole"], "'whole' is not a part"),
                             (["page"], "page:1"), ([one, "nowhere"], "nowhere: No such file")):
            self.refused("census", "--isolated", "--merge", "-o", "out", *given, saying=words)
            self.assertFalse(os.path.exists(self.path("out")))
        self.refused("census", "--isolated", "--merge", "--select", "GRX", one, two, saying="other rules than this program")
        self.refused("census", "--isolated", "--merge", "-o", one, one, two, saying="will not be overwritten")
        self.refused("census", "--merge", "-j2", one, two, saying="--jobs is not an option of 'census --merge'")
        self.refused("census", "--merge", saying="needs the files")
        lines = self.get(one).split(b"\n")[:-1]
        field = next(i for i, line in enumerate(lines) if line.startswith(b'{"type":"field"'))
        values = next(i for i, line in enumerate(lines) if line.startswith(b'{"type":"values"'))

        def with_line(i, line):
            return lines[:i] + [line] + lines[i + 1:]

        for made, words in ((lines[:-1], "it has no end"), (lines + lines[-1:], "a line after the end"), (lines[1:], "part1:1: no census"),
                            (lines[:1] + lines[field:], "part1:2: the line does not belong here"),
                            (with_line(field, b'{"type":"field","number":999}'), "a number is too large"),
                            (with_line(values, b'{"type":"values","values":" 1:2:3"}'), "part1:%d: values: expected" % (values + 1)),
                            (with_line(values, b'{"type":"odd"}'), "no line of type 'odd'")):
            self.put("part1", b"".join(line + b"\n" for line in made))
            self.refused("census", "--isolated", "--merge", "part1", two, saying=words)

    def test_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema")
        self.make_corpus()
        with open(os.path.join(SOURCE, "docs", "schema", "census-part.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        check = jsonschema.Draft7Validator(schema).validate
        for line in self.get(self.parts(2, ".")[0]).splitlines():
            check(json.loads(line))


class Page(CensusTest):
    def test_example_of_the_page(self):
        """The sessions in docs/census.md show the real output; "..." stands for omitted lines."""
        with open(os.path.join(SOURCE, "docs", "census.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```\n\$ lightlint (.*?)\n(.*?)^```", file.read(), re.M | re.S)
        self.assertEqual(len(blocks), 2)
        for command, shown in blocks:
            out = self.run_cli(*command.split(), cwd=SOURCE).text.splitlines()
            at = 0
            for line in shown.splitlines():
                if line.strip() != "...":
                    self.assertIn(line, out[at:])
                    at = out.index(line, at) + 1


# ---------------------------------------------------------------- real files

# Point lights PL03 in the public description of the corpus: field, count, minimum, maximum, distinct, most frequent
# values.
REAL_PL03 = """
outer_range 55 0 30 6 3x27 30x20 0.7998x5
inner_range 55 0 10 6 10x20 0.0099945x14 0.19995x11 1.5x8
dimmer 55 0 0 1 0x55
color_r 55 0.2998 1 2 1x54 0.2998x1
color_g 55 0.049988 1 3 1x46 0.049988x8 0.69971x1
color_b 55 0.0099945 1 2 1x47 0.0099945x8
color_a 55 1 1 1 1x55
temperature 55 1800 12800 6 1800x20 3700x17 6500x9 3500x5
color_deflection 55 0 0.039978 2 0x47 0.039978x8
padding_3a 55 0 0 1 0x55
lumen 55 10 1.6e+07 9 3e+06x18 200x13 10x9 100x6
light_size 55 0 10 7 0x21 4x11 0.0049973x9 5x5
shadow_bias 55 0 1 2 0x34 1x21
lod_shadow_draw_rate 55 1 1 1 1x55
lod_far_size 55 2.5 10 2 10x34 2.5x21
lod_near_size 55 10 40 3 30x34 40x20 10x1
padding_4a 55 0 0 1 0x55
lod_radius_level 55 1 5 3 2x26 5x20 1x9
lod_fade_type 55 0 4 2 0x46 4x9
irradiation_offset 55 0 0 1 0x55
light_area_offset 55 0 80 4 80x28 72x11 0x8 76x8
light_flags 55 1 9 2 9x46 1x9
unknown_14 55 3 3 1 3x55
name_reserved 55 0 0 1 0x55
translation.x 55 -455.37 176.96 55
translation.y 55 -27.311 31.142 35 -0.864x11 -5.9478x3 -1.7884x3 -1.7574x3
translation.z 55 -1.6468 767.79 43 4.426x4 8.387x4 0.398x3
scale.x 47 0.072774 100 15 100x18 6.0062x11 5.7x5
scale.y 47 0.32626 100 16 100x19 2.5162x11 0.39366x3
scale.z 47 0.05942 100 11 100x18 5.1829x11 5.7x6 0.088274x4
rotation.norm 47 0.9999978 1 6 1x24 0.9999992x18
text.length 55 7 14 5 14x29 10x13 7x11 13x1
padding.length 55 0 3 4 1x42 0x11 2x1 3x1
entry_size 55 108 152 5 152x28 144x11 148x8 108x5
"""


class RealFiles(CensusTest):
    def setUp(self):
        super().setUp()
        self.folder = real_corpus()
        if not self.folder or not files_below(self.folder, (".grxla", ".grxoc")):
            self.skipTest("no real files; LIGHTLINT_REAL_CORPUS names a folder of them")

    def near(self, column, shown, figure):
        """The description rounds to five digits, norms to seven. Half floats are shown as their shortest decimal."""
        if column["type"].startswith("f16"):
            shown = struct.unpack("<e", struct.pack("<e", shown))[0]
        return abs(shown - figure) <= abs(figure) * (1e-6 if column["type"] == "norm" else 6e-5)

    def test_fields_against_an_independent_count(self):
        files = []
        for name in files_below(self.folder, (".grxla", ".grxoc")):
            with open(os.path.join(self.folder, name), "rb") as file:
                files.append(file.read())
        census = self.census(self.folder)
        self.assertGreater(self.compare(census, files), 100)
        for record in census["records"]:
            for column in record["fields"]:
                self.assertEqual([column.get(k, 0) for k in ("nan", "infinite", "denormal", "negative_zero")], [0] * 4, column)

    def test_figures_of_the_description(self):
        census = self.census(self.folder)
        lights_there = {r["kind"]: r["records"] for r in census["records"] if r["record"] == "grx.point_light"}
        if lights_there.get("PL03") != 55:
            self.skipTest("these are not the files that were counted")
        columns = {field: column for (record, kind, field), column in columns_of(census).items() if kind == "PL03"
                   if record in ("grx.point_light", "grx.name") or not field.startswith("translation")}
        for line in REAL_PL03.split("\n")[1:-1]:
            name, count, least, greatest, distinct, *frequent = line.split()
            column = columns[name]
            self.assertEqual((column["count"], column["distinct"]), (int(count), int(distinct)), line)
            self.assertTrue(self.near(column, column["min"], float(least)) and self.near(column, column["max"], float(greatest)), line)
            for value, times in (item.split("x") for item in frequent):
                self.assertTrue(any(self.near(column, v["value"], float(value)) and v["count"] == int(times) for v in column["values"]), line)
        order = claims_of(census, "GRX550")["grx.point_light", "PL03", "inner_range"]
        zero = claims_of(census, "GRX555")["grx.point_light", "PL03", "outer_range"]
        self.assertEqual([order["examined"], order["broken"], zero["examined"], zero["broken"]], [54, 0, 55, 1])


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
