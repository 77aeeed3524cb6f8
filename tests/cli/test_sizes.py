#!/usr/bin/env python3
"""Output sizes: a finding takes at most 64 KiB in each format, however much its patch moves; omissions are reported;
and commands can read each other's output.

    test_sizes.py BINARY SOURCE_DIR [unittest arguments]"""
import gzip
import json
import random
import sys
import unittest

from cli_test import BAD, PROGRAM, SOURCE, CliTest, archive

from fox_package import Archive, in_order
from patching import apply, written

FINDING_MAX = 64 * 1024
GITHUB_MAX = 10 * 1000 * 1000
FORMATS = ("full", "concise", "json", "jsonl", "sarif", "sarif-github", "github", "gitlab", "junit", "markdown", "html", "statistics")
ORDER = ("--isolated", "--no-cross", "--select", "fpk-name-order")


def unordered(count, size, seed=1, short=False):
    """An fpkd of `count` members of `size` bytes, none of them in its place."""
    some = random.Random(seed)
    paths = ["/Assets/tpp/%s%08x.lua" % ("" if short else "level/location/afgh/", some.getrandbits(32)) for _ in range(count)]
    return Archive("fpkd", {path: some.randbytes(size) for path in in_order("fpkd", paths)[::-1]})


class Patches(CliTest):
    def patch(self, name):
        found, = self.run_cli(*ORDER, "--format", "jsonl", name, code=0).findings()
        return found["patch"]

    def mended(self, name):
        self.run_cli("fix", "--isolated", "--unsafe", "--rule", "fpk-name-order", name, code=0)
        return self.get(name)

    def test_a_move_is_told_by_its_place(self):
        model = unordered(126, 20000)
        data = model.write()
        self.put("a.fpkd", data)
        patch = self.patch("a.fpkd")
        self.assertEqual(patch["size"], sum(part.get("length", len(part.get("bytes", "")) // 2) for part in patch["parts"]))
        self.assertLess(sum(len(part.get("bytes", "")) for part in patch["parts"]), FINDING_MAX // 2)
        model.members = dict(sorted(model.members.items(), reverse=True))
        moved = apply(data, patch)
        self.assertTrue(Archive.read(moved).members == model.members)
        self.assertTrue(list(Archive.read(moved).members) == list(model.members))
        self.assertTrue(self.mended("a.fpkd") == moved)

    def test_a_short_patch_is_bytes(self):
        self.put("bad.grxla", BAD)
        found, = self.run_cli("--format", "jsonl", "--select", "name-hash", "bad.grxla", code=1).findings()
        self.assertEqual((len(found["patch"]["bytes"]), len(written(BAD, found["patch"]))), (16, 8))

    def test_what_is_too_much_to_print_is_said_and_applied(self):
        model = unordered(2000, 16)
        self.put("a.fpkd", model.write())
        patch = self.patch("a.fpkd")
        self.assertEqual(sorted(patch), ["left_out", "offset", "removed", "size", "tier"])
        self.assertTrue(list(Archive.read(self.mended("a.fpkd")).members) == in_order("fpkd", model.members))

    def test_a_finding_is_short_in_every_format(self):
        for count, size in ((126, 20000), (2000, 16)):
            self.put("a.fpkd", unordered(count, size).write())
            for name in FORMATS:
                out = self.run_cli(*ORDER, "--format", name, "a.fpkd", code=0).out
                self.assertLess(len(out), FINDING_MAX + (20000 if name == "html" else 0), (name, count))
                self.assertTrue(name == "statistics" or b"FPK145" in out, name)

    def test_sarif_leaves_out_a_large_fix_and_says_so(self):
        self.put("large.fpkd", unordered(126, 20000).write())
        self.put("small.fpkd", unordered(3, 20).write())
        for name in ("sarif", "sarif-github"):
            large, small = json.loads(self.run_cli(*ORDER, "--format", name, ".", code=0).out)["runs"][0]["results"]
            self.assertIn("fixes", small)
            self.assertNotIn("properties", small)
            self.assertNotIn("fixes", large)
            self.assertRegex(large["properties"]["fixLeftOut"], r"^The unsafe patch writes \d{7} bytes, too many to print; lightlint fix has them\.$")

    def test_sweeps_are_read(self):
        self.put("mod/a.fpkd", unordered(126, 20000).write())
        self.put("mod/b.fpkd", unordered(2000, 16).write())
        for shard in ("1/2", "2/2"):
            self.run_cli("sweep", "--isolated", "--shard", shard, "-o", shard[0], "mod", code=0)
        self.run_cli("sweep", "--isolated", "-o", "all", "mod", code=0)
        self.run_cli("sweep", "--isolated", "--merge", "-o", "merged", "1", "2", code=0)
        self.assertTrue(self.get("merged") == self.get("all"))
        self.run_cli("sweep", "--diff", "all", "merged", code=0)


PACK = b"""- id: OWN001
  name: own
  severity: warning
  tags: [name]
  on: grx.name
  field: text
  check: regex
  value: '%s'
  title: The name is another.
  why: %s
  evidence: this test
  fix: Rename it.
"""


class Texts(CliTest):
    def test_prose_of_a_pack_is_short(self):
        self.put("bad.grxla", BAD)
        self.put("pack.yaml", PACK % (b"x", b"w" * 2049))
        self.refused("--rules", "pack.yaml", "bad.grxla", saying="'why' is longer than 2 KiB")
        self.put("pack.yaml", PACK % (b"x", b"w" * 2048))
        self.run_cli("--isolated", "--rules", "pack.yaml", "--select", "OWN001", "bad.grxla", code=1)

    def test_a_long_text_is_cut_between_characters(self):
        self.put("bad.grxla", BAD)
        self.put("pack.yaml", PACK % ("\u00e9".encode() * 2000, b"w"))
        found, = self.run_cli("--isolated", "--rules", "pack.yaml", "--select", "OWN001", "--format", "jsonl", "bad.grxla", code=1).findings()
        self.assertLessEqual(len(found["expected"].encode()), 1024 + len(" ... (cut)"))
        self.assertRegex(found["expected"], "\u00e9 \\.\\.\\. \\(cut\\)$")


class GitHub(CliTest):
    def test_what_it_gets_is_below_its_limit(self):
        """Patches of random bytes, which do not compress."""
        for i in range(1500):
            self.put("mod/%04d.fpkd" % i, archive([("/b/%d.lua" % i, b"x")]) if i % 15 == 0 else unordered(4, 1900, i, short=True).write())
        out = self.run_cli(*ORDER, "--format", "sarif-github", "mod", code=0).out
        packed = len(gzip.compress(out))
        self.assertLess(packed, GITHUB_MAX)
        self.assertGreater(packed, GITHUB_MAX // 2)
        run = json.loads(out)["runs"][0]
        said, = run["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual(said["message"]["text"], "%d findings were left out, by a limit or because another one explains them."
                         % (1400 - len(run["results"])))

    def test_the_severest_stay(self):
        for i in range(1400):
            self.put("mod/%04d.fpkd" % i, unordered(4, 1900, i, short=True).write())
        self.put("mod/z.grxla", BAD)
        run = json.loads(self.run_cli("--isolated", "--no-cross", "--select", "fpk-name-order,name-hash", "--format", "sarif-github", "mod", code=1).out)["runs"][0]
        self.assertEqual([run["results"][0]["ruleId"], len({one["ruleId"] for one in run["results"]})], ["GRX265", 2])


if __name__ == "__main__":
    if not (PROGRAM and SOURCE):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
