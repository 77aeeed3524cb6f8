#!/usr/bin/env python3
"""The program runs out of memory: each command is run with one of its allocations failing, and again with all failing
from there on. It must end with its normal output, or with exit code 2 and a message.

    test_memory.py BINARY SOURCE_DIR FAIL_MALLOC [EVERY [unittest arguments]]      EVERY: step between the
    allocations tried (1: all)"""
import os
import shutil
import subprocess
import sys
import unittest

from cli_test import BAD, GOOD, PROGRAM, SOURCE, CliTest, is_sanitized, wrong_hashes

SHIM = sys.argv[3] if len(sys.argv) > 3 else ""
EVERY = int(sys.argv[4]) if len(sys.argv) > 4 else 1
CONFIG = b"""severity: {name-hash: note}
exclude: ["x*"]
rules: [yard.yaml]
overrides:
  - {files: "c/b*", ignore: [name-hash]}
"""
YARD = b"""- {id: YARD001, name: yard-name, severity: note, tags: [name], on: grx.name, field: text, check: regex, value: '^LP', title: T., why: W., fix: F.}
"""


@unittest.skipIf(is_sanitized(), "the sanitizer has its own malloc")
class Memory(CliTest):
    def setUp(self):
        super().setUp()
        self.put("c/a.grxla", wrong_hashes(3))
        self.put("c/b.grxla", BAD)
        self.put("c/d/good.grxla", GOOD)
        self.put(".lightlint.yaml", CONFIG)
        self.put("yard.yaml", YARD)
        self.put("c/.lightlint-ignore.yaml", b"suppress:\n  - {file: b.grxla, rule: name-hash, reason: known}\n")
        shutil.copy(os.path.join(SOURCE, "corpus", "demo", "bad-mpob-instances.rgm"), self.path("s.rgm"))

    def one(self, arguments, at, onward=False):
        """Exit code, all output, and the messages."""
        for name in ("out", "count"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        environment = dict(self.environment, LD_PRELOAD=SHIM, FAIL_AT=str(at), FAIL_COUNT=self.path("count"))
        if onward:
            environment["FAIL_ONWARD"] = "1"
        run = subprocess.run([PROGRAM, *arguments], cwd=self.home, env=environment, capture_output=True, timeout=60)
        return run.returncode, run.stdout + (self.get("out") if os.path.exists(self.path("out")) else b""), run.stderr

    def check(self, *arguments, files=True):
        code, wanted, _ = self.one(arguments, 0)
        self.assertLess(code, 2)
        self.assertTrue(wanted)
        if not os.path.exists(self.path("count")):
            self.skipTest("the program does not take its memory from a library")
        count = int(self.get("count"))
        self.assertGreater(count, 5)
        wrong = []
        for at in range(1, count + 1, EVERY):
            for onward in (False, True):
                now, out, words = self.one(arguments, at, onward)
                told = words or b"LL001" in out or (arguments[0] == "census" and b"1 not read" in out)
                if not (now == 2 and told) and (now, out) != (code, wanted):
                    wrong.append((at, onward, now, words))
        self.assertEqual(wrong, [], "%s, of %d" % (" ".join(arguments), count))

    def test_check(self):
        self.check("-j1", "c")
        self.check("-j1", "--format", "sarif", "c")

    def test_dump(self):
        self.check("dump", "s.rgm")
        self.check("dump", "--format", "json", "s.rgm")
        self.check("dump", "--script", "0", "s.rgm")
        self.check("dump", "c/a.grxla")

    def test_census(self):
        self.check("census", "-j1", "c")
        self.check("census", "-j1", "--format", "json", "-o", "out", "c")

    def test_sweep(self):
        self.check("sweep", "-j1", "c")
        for name in ("old", "new"):
            self.run_cli("sweep", "-o", name, *(["c"] if name == "old" else ["c/a.grxla"]), code=0)
        self.check("sweep", "--diff", "old", "new")
        self.check("sweep", "-j1", "--diff", "c", "c/d")

    def test_fix(self):
        shutil.copy(os.path.join(SOURCE, "corpus", "demo", "bad-occ-w.grxoc"), self.path("c/w.grxoc"))
        for form in ("text", "jsonl", "diff"):
            self.check_fix("--diff", "--unsafe", "--format", form, "c/w.grxoc", code=1)
        self.run_cli("fix", "--unsafe", "--journal", "journal", "c/w.grxoc", code=0)
        self.run_cli("fix", "--undo", "journal", code=0)
        self.check("fix", "--undo", "journal")

    def check_fix(self, *arguments, code):
        self.run_cli("fix", *arguments, code=code)
        self.check("fix", *arguments)

    def test_baseline(self):
        self.check("baseline", "create", "-j1", "-o", "out", "c")

    def test_config(self):
        self.check("config", "show", "c/b.grxla")
        self.check("config", "schema")


if __name__ == "__main__":
    if not (PROGRAM and SOURCE and SHIM):
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
