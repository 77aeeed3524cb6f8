#!/usr/bin/env python3
"""packc, the build tool that compiles the shipped packs into tables: what it writes and what it refuses.

    test_packc.py PACKC SHIPPED LZO SOURCE_DIR [unittest arguments]

SHIPPED is the file that the build made from packs and texts. LZO: 1 if packc can compress."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PACKC, SHIPPED, SOURCE = (os.path.abspath(sys.argv[i]) for i in (1, 2, 4))
LZO = sys.argv[3] == "1"
PACKS = sorted("rules/" + name for name in os.listdir(os.path.join(SOURCE, "rules")) if name.endswith(".yaml"))
TEXTS = [os.path.relpath(path, SOURCE) for pattern in ("src/formats/*/*.in", "src/output/html/*.css")
         for path in sorted(glob.glob(os.path.join(SOURCE, pattern)))]


class Packs(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="lightlint-")
        self.addCleanup(shutil.rmtree, self.home)
        shutil.copytree(os.path.join(SOURCE, "rules"), os.path.join(self.home, "rules"))
        for path in TEXTS:
            os.makedirs(os.path.join(self.home, os.path.dirname(path)), exist_ok=True)
            shutil.copy(os.path.join(SOURCE, path), os.path.join(self.home, path))

    def packc(self, *packs, prefix=("out.c",)):
        return subprocess.run([PACKC, *prefix, *(packs or PACKS)], cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, text=True)

    def change(self, pack, change):
        """Replaces the text of a pack by change(text)."""
        path = os.path.join(self.home, pack)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        changed = change(text)
        self.assertNotEqual(changed, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)

    def without(self, pack, line):
        """Removes the stanza with this line from a pack."""
        self.change(pack, lambda text: "\n- ".join(part for part in text.split("\n- ") if f"\n  {line}\n" not in part + "\n"))

    def number_of(self, pack, words):
        with open(os.path.join(self.home, pack), encoding="utf-8") as file:
            return next(number for number, line in enumerate(file, 1) if words in line)

    def refused(self, *lines, packs=()):
        """Expects that the packs are refused with these messages, and that nothing is written."""
        done = self.packc(*packs)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.splitlines(), list(lines))
        self.assertFalse(os.path.exists(os.path.join(self.home, "out.c")))

    def test_the_shipped_packs(self):
        done = self.packc(*PACKS, *TEXTS)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(os.path.join(self.home, "out.c"), encoding="utf-8") as made, open(SHIPPED, encoding="utf-8") as shipped:
            self.assertEqual(made.read(), shipped.read())

    def test_rules_are_sorted_whatever_the_order_of_packs(self):
        self.assertEqual(self.packc(*reversed(PACKS)).returncode, 0)
        with open(os.path.join(self.home, "out.c"), encoding="utf-8") as made:
            ids = re.findall(r"\}, /\* (\w+) \*/$", made.read(), re.M)
        self.assertEqual(ids, sorted(ids))
        self.assertGreater(len(ids), 100)

    def test_usage_and_missing_files(self):
        done = subprocess.run([PACKC, "out.c"], stderr=subprocess.PIPE, check=False, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "usage: packc [--small] OUT.c PACK.yaml... [TEXT...]\n"))
        done = self.packc("rules/core.yaml", "rules/none.yaml")
        self.assertEqual((done.returncode, done.stderr), (1, "rules/none.yaml: error: No such file or directory\n"))
        done = subprocess.run([PACKC, "none/out.c", *PACKS], cwd=self.home, stderr=subprocess.PIPE, check=False, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "none/out.c: error: No such file or directory\n"))

    def test_small_tables_have_no_texts_and_screens_do_not_tell_which_test_fails(self):
        if not LZO:
            self.skipTest("packc was built without liblzo2")
        done = self.packc("--small", "out.c", *PACKS, *TEXTS, prefix=[])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(os.path.join(self.home, "out.c"), encoding="utf-8") as made, open(SHIPPED, encoding="utf-8") as shipped:
            small, large = made.read(), shipped.read()
        self.assertEqual(small.count("{.texts = "), large.count("{.texts = "))
        self.assertEqual(small.count("static uint32_t screen_"), large.count("static uint32_t screen_"))
        self.assertIn("fails[1] = ", large)
        self.assertNotIn("fails[1] = ", small)
        size = int(re.search(r"uint8_t texts\[(\d+)\];", small)[1])
        packed = len(re.search(r"packed\[\] = \{([^}]*)\}", small)[1].split(",")) - 1
        self.assertLess(packed, size / 2)

    def test_a_text_is_no_bytes(self):
        self.change(TEXTS[0], lambda text: text + "\0")
        self.refused(f"{TEXTS[0]}: error: expected a text of at most 1 MiB without NUL bytes", packs=[*PACKS, *TEXTS])

    def test_the_place_of_a_mistake(self):
        at = self.number_of("rules/rgm.yaml", "severity: error")
        self.change("rules/rgm.yaml", lambda text: text.replace("  severity: error", "  severity: eror", 1))
        self.refused(f"rules/rgm.yaml:{at}:13: error: severity: no such value: 'eror'; did you mean 'error'?")

    def test_every_fault_has_a_rule(self):
        self.without("rules/ledger.yaml", "fault: ledger.overlap")
        self.refused("rules/ledger.yaml: error: fault 'ledger.overlap' has no rule")

    def test_every_fault_of_the_core_has_a_rule(self):
        self.without("rules/core.yaml", "fault: core.empty")
        self.without("rules/core.yaml", "fault: core.unused-suppression")
        self.refused("rules/core.yaml: error: fault 'core.unused-suppression' has no rule",
                     "rules/core.yaml: error: fault 'core.empty' has no rule")

    def test_every_fault_and_check_of_a_format_has_a_rule(self):
        self.without("rules/rgm.yaml", "check: rgm.rast_orphan")
        self.without("rules/grx.yaml", "fault: grx.unreferenced-bytes")
        self.refused("rules/grx.yaml: error: fault 'grx.unreferenced-bytes' has no rule",
                     "rules/rgm.yaml: error: check 'rgm.rast_orphan' has no rule")

    def test_an_id_of_another_family(self):
        self.change("rules/ledger.yaml", lambda text: text.replace("LED002", "GRX998"))
        self.assertRegex(self.packc().stderr, r"^rules/ledger\.yaml:\d+:\d+: error: id 'GRX998' does not have a prefix of family ledger")

    def test_the_order_in_a_pack(self):
        self.change("rules/ledger.yaml", lambda text: text.replace("LED001", "LED003"))
        self.assertRegex(self.packc().stderr, r"^rules/ledger\.yaml:\d+:\d+: error: id 'LED002' stands after 'LED003'")

    def test_evidence_and_tags(self):
        self.change("rules/ledger.yaml", lambda text: text.replace("tags: [structure, inferred]", "tags: [structure, infered]", 1))
        self.assertRegex(self.packc().stderr, r"^rules/ledger\.yaml:\d+:\d+: error: unknown tag 'infered'; did you mean 'inferred'\?")

    def test_what_rules_may_not_share(self):
        """Conflicts are found across all packs and reported for the pack with the later rule."""
        self.change("rules/ledger.yaml", lambda text: text.replace("name: overlap", "name: gap"))
        at = self.number_of("rules/ledger.yaml", "LED002") + 1
        self.refused(f"rules/ledger.yaml:{at}:9: error: name 'gap' is taken by LED001 (gap) of rules/ledger.yaml")

    def test_what_rules_may_not_share_in_the_last_pack(self):
        self.change("rules/soup.yaml", lambda text: text.replace("name: op-mode", "name: op-unknown"))
        at = self.number_of("rules/soup.yaml", "SOUP110") + 1
        self.refused(f"rules/soup.yaml:{at}:9: error: name 'op-unknown' is taken by SOUP105 (op-unknown) of rules/soup.yaml")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[5:])
