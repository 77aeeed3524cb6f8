#!/usr/bin/env python3
"""Rules across files: which packages a run knows, which parts it treats as complete, and which outputs contain the
findings.

    test_mod.py BINARY SOURCE_DIR [unittest arguments]"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from cli_test import PROGRAM, SOURCE, CliTest

try:
    import jsonschema
except ImportError:
    jsonschema = None

MADE = {}


def made(seed):
    """{path: bytes} of a sound package. Its stem is mods/SEED_A_B."""
    if seed not in MADE:
        from made_package import Maker
        MADE.setdefault("maker", Maker(os.path.join(SOURCE, "corpus")))
        MADE[seed] = MADE["maker"].package(seed, stem=f"mods/{seed}").written()
    return MADE[seed]


def setUpModule():
    done = subprocess.run([PROGRAM, "--isolated", os.path.join(SOURCE, "corpus", "demo-mod")], capture_output=True, text=True, check=False)
    if "this build has no expat" in done.stderr:
        print("built without expat, which the manifests of these tests need")
        sys.exit(77)


class ModTest(CliTest):
    def packages(self, *seeds, forms=("_fpk/", "_fpkd/", ".xml")):
        """Writes the files of packages whose names contain one of the forms."""
        for seed in seeds:
            for name, data in made(seed).items():
                if any(form in name for form in forms):
                    self.put(name, data)

    def one(self, pattern):
        found = glob.glob(self.path(pattern), recursive=True)
        self.assertEqual(len(found), 1, pattern)
        return os.path.relpath(found[0], self.home)

    def take(self, pattern):
        """Removes the only file that matches the pattern."""
        path = self.one(pattern)
        os.unlink(self.path(path))
        return path

    def mod(self, *arguments, **more):
        """Findings across files: (name, file), sorted by file; and stderr."""
        result = self.run_cli("--format", "jsonl", "--select", "MOD", *arguments, **more)
        return [(line["name"], line["file"]) for line in result.findings()], result.errors


class Findings(ModTest):
    def test_a_sound_package_is_silent_in_every_form(self):
        self.packages(1, 2, forms=("",))
        result = self.run_cli("--fail-on", "note", "mods", code=0)
        self.assertEqual(result.err, b"")
        self.assertIn("2 packages checked", result.text)
        self.assertEqual(self.run_cli("-q", "mods", code=0).out, b"")

    def test_what_is_missing_is_told_at_the_reference(self):
        self.packages(1)
        gone = self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        result = self.run_cli("--format", "jsonl", "mods", code=1)
        found = {line["name"]: line for line in result.findings()}
        self.assertEqual(sorted(found), ["mod-array-file", "mod-manifest-missing-file"])
        reference, entry = found["mod-array-file"], found["mod-manifest-missing-file"]
        data = self.get(reference["file"])
        self.assertTrue(reference["file"].endswith("_env.fox2"))
        self.assertEqual(data[reference["offset"]:reference["offset"] + reference["length"]].hex(), reference["raw"])
        inner = gone[gone.index("/Assets"):]
        self.assertIn(inner, reference["found"])
        self.assertTrue(entry["file"].endswith(".fpk.xml"))
        self.assertEqual(self.get(entry["file"])[entry["offset"]:entry["offset"] + entry["length"]].decode(), inner)
        self.assertEqual(result.lines()[-1]["packages"], 1)

    def test_every_output_has_them(self):
        self.packages(1)
        self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        for form in self.formats():
            text = self.run_cli("--format", form, "--select", "mod-array-file", "mods", code=1).text
            self.assertIn("MOD035", text, form)
        full = self.run_cli("--select", "mod-array-file", "mods").text
        self.assertRegex(full, r"\n\d+ files and 1 package checked, 1 with findings: 1 error, 0 warnings, 0 notes\.\n")

    def test_files_are_counted_as_many_as_they_are(self):
        """Findings across files come after all files; the number of files with an equal finding is still right."""
        self.packages(1, 2, 3)
        for seed in (1, 2, 3):
            self.take(f"mods/{seed}_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        arguments = ("--select", "mod-array-file", "mods")
        self.assertRegex(self.run_cli("--format", "statistics", *arguments, code=1).text, r"\n +3 +3  error +MOD035 mod-array-file +\S.*\n")
        self.assertRegex(self.run_cli("--format", "markdown", *arguments, code=1).text, r"\n\| 3 \| 3 \| error \| .*MOD035")
        self.assertRegex(self.run_cli("--format", "html", *arguments, code=1).text, r"<td class=\"number\">3</td><td class=\"number\">3</td>[^\n]*MOD035")
        terminal = re.sub(rb"\x1b\[[0-9;]*m", b"", self.on_terminal(*arguments, size=(10, 80))).decode()
        self.assertRegex(terminal, r"\n +3 +3  error\[MOD035 mod-array-file\]\r?\n")

    def formats(self):
        return re.findall(r"are: (.*)", self.run_cli("--format", "x", ".").errors)[0].split(", ")

    def test_a_file_with_findings_of_both_kinds_counts_once(self):
        self.packages(1)
        self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        name = self.one("mods/1_*_fpkd/**/*_env.fox2")
        data = bytearray(self.get(name))
        data[-5] ^= 1  # the zeros after "end"
        self.put(name, bytes(data))
        summary = self.run_cli("--format", "jsonl", "--ignore", "mod-manifest-*", "mods", code=1).lines()[-1]
        self.assertEqual((summary["errors"] + summary["warnings"] >= 2, summary["files_with_findings"]), (True, 1))

    def test_an_archive_is_a_package_too(self):
        self.packages(1, forms=(".fpk",))
        for name in glob.glob(self.path("mods/*.xml")):
            os.unlink(name)
        self.assertEqual(self.mod("mods", code=0), ([], ""))
        seed = [name for name in made(2) if name.endswith(".fpk")][0]
        self.put(self.one("mods/1_*.fpk"), made(2)[seed])
        found, _ = self.mod("mods", code=1)
        self.assertIn("mod-array-file", [name for name, _ in found])
        self.assertIn("mod-dataset-missing", [name for name, _ in found])

    def test_a_member_is_named_with_its_place(self):
        self.packages(1, forms=(".fpk",))
        self.put(self.one("mods/1_*.fpk"), made(2)[[name for name in made(2) if name.endswith(".fpk")][0]])
        line = self.run_cli("--format", "jsonl", "--select", "mod-array-file", "mods", code=1).findings()[0]
        self.assertTrue(line["file"].endswith(".fpkd") and line["member"].endswith(".fox2"), line)
        data = self.get(line["file"])
        self.assertEqual(data[line["offset"]:line["offset"] + line["length"]].hex(), line["raw"])


class Together(ModTest):
    """The output is the same for any number of threads, order of arguments, and parts of a sweep."""

    def broken(self):
        self.packages(1, 2, 3, forms=("",))
        self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        self.take("mods/2_*_fpkd/**/*_light.fox2")
        self.take("mods/3_*_fpk/**/*_light.lpsh")

    def test_threads_and_order(self):
        self.broken()
        for form in ("jsonl", "full", "sarif", "sweep"):
            first = self.run_cli("--format", form, "-j1", "mods").out
            for threads in "24":
                self.assertEqual(self.run_cli("--format", form, "-j" + threads, "mods").out, first, form)
        paths = sorted(os.path.relpath(path, self.home) for path in glob.glob(self.path("mods/*")))
        for form in ("jsonl", "full"):
            first = self.run_cli("--format", form, "-j1", *paths).out
            self.assertEqual(self.run_cli("--format", form, "-j2", *reversed(paths)).out, first)
            self.assertEqual(first, self.run_cli("--format", form, "mods").out)

    def test_parts_of_a_sweep(self):
        self.broken()
        self.run_cli("sweep", "-o", "all", "mods", code=0)
        self.assertIn(b'"mod-array-file"', self.get("all"))
        for shards in (1, 3):
            parts = ["part%d" % i for i in range(1, shards + 1)]
            for i, part in enumerate(parts, 1):
                self.run_cli("sweep", "-j2", "--shard", "%d/%d" % (i, shards), "-o", part, "mods", code=0)
            self.assertEqual(self.run_cli("sweep", "--merge", *reversed(parts), code=0).out, self.get("all"))
        self.assertNotIn(b'"mod-array-file"', b"".join(self.get(part) for part in parts))
        self.assertEqual(self.run_cli("sweep", "--merge", "all", code=0).out, self.get("all"))
        alone = self.run_cli("sweep", "--no-cross", "mods", code=0).out
        joined = self.run_cli("sweep", "--merge", "--no-cross", *parts, code=0).out
        self.assertNotIn(b"MOD", alone + joined)

    def test_sweeps_of_different_folders(self):
        self.packages(1)
        self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        for name, data in made(2).items():
            if "_light.lpsh" not in name and ("_fpk/" in name or "_fpkd/" in name):
                self.put("more/" + name, data)
        for name, folder in (("a", "mods"), ("b", "more"), ("all", ".")):
            self.run_cli("sweep", "-o", name, folder, code=0)
        self.assertIn(b"mod-lpsh-file", self.get("b"))
        self.assertEqual(self.run_cli("sweep", "--merge", "b", "a", code=0).out, self.get("all"))

    def test_they_fit_the_schema(self):
        if not jsonschema:
            self.skipTest("no jsonschema")
        self.broken()
        with open(os.path.join(SOURCE, "docs/schema/sweep.schema.json"), encoding="utf-8") as file:
            checker = jsonschema.Draft7Validator(json.load(file))
        for arguments in ([], ["--shard", "1/2"]):
            for line in self.run_cli("sweep", *arguments, "mods", code=0).lines():
                checker.validate(line)

    def test_parts_need_their_rules(self):
        self.broken()
        for i in "12":
            self.run_cli("sweep", "--select", "MOD", "--shard", i + "/2", "-o", "part" + i, "mods", code=0)
        self.refused("sweep", "--merge", "part1", "part2", "-o", "x", saying="other rules")
        self.run_cli("sweep", "--select", "MOD", "-o", "all", "mods", code=0)
        self.run_cli("sweep", "--merge", "--select", "MOD", "part1", "part2", "-o", "joined", code=0)
        self.assertEqual(self.get("joined"), self.get("all"))

    def test_a_comparison_knows_what_came(self):
        self.packages(1)
        self.run_cli("sweep", "-o", "old", "mods", code=0)
        self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        self.run_cli("sweep", "-o", "new", "mods", code=0)
        for before, after, kind in (("old", "new", "came"), ("new", "old", "went")):
            page = json.loads(self.run_cli("sweep", "--diff", "--format", "json", before, after, code=1).text)
            self.assertEqual({finding["name"] for file in page["files"] for finding in file.get(kind, [])},
                             {"mod-array-file", "mod-manifest-missing-file"})
        self.run_cli("sweep", "--diff", "new", "new", code=0)

    def test_a_shard_says_nothing_of_packages(self):
        self.broken()
        for i in "123":
            self.assertEqual(self.mod("--shard", i + "/3", "mods", code=0), ([], ""))


class Choices(ModTest):
    def setUp(self):
        super().setUp()
        self.packages(1)
        self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")

    def test_they_can_be_left_out(self):
        for arguments in (["--no-cross"], ["--ignore", "MOD"], ["--select", "FOX"], ["--severity", "MOD=off"]):
            self.run_cli("-q", *arguments, "mods", code=0)
        self.run_cli("-q", "--severity", "MOD=note", "mods", code=0)
        self.put("mods/.lightlint.yaml", b"cross: false\n")
        self.assertEqual(self.run_cli("mods", code=0).errors, "")
        self.run_cli("-q", "--isolated", "mods", code=1)

    def test_settings_are_those_of_the_file(self):
        def names(code):
            return [line["name"] for line in self.run_cli("--format", "jsonl", "mods", code=code).findings()]
        self.put(".lightlint.yaml", b"overrides:\n  - files: '*_env.fox2'\n    ignore: [mod-array-file]\n")
        self.assertEqual(names(1), ["mod-manifest-missing-file"])
        self.put(".lightlint.yaml", b"overrides:\n  - files: '*.xml'\n    ignore: [MOD]\n  - files: '*.fox2'\n    fail-on: never\n")
        self.assertEqual(names(0), ["mod-array-file"])

    def test_suppressions_fit_them(self):
        rows = [b"  - rule: %s\n    file: '**'\n    reason: known\n" % name for name in (b"mod-array-file", b"mod-manifest-missing-file")]
        self.put(".lightlint-ignore.yaml", b"suppress:\n" + b"".join(rows))
        self.run_cli("--fail-on", "note", "mods", code=0)
        # entries are unused only if all files were joined
        self.run_cli("--fail-on", "note", "--no-cross", "mods", code=0)
        self.run_cli("--fail-on", "note", self.one("mods/1_*_fpkd/**/*_env.fox2"), code=0)
        for name, data in made(1).items():
            if "_fpk" in name:
                self.put(name, data)
        names = [line["name"] for line in self.run_cli("--format", "jsonl", ".", code=1).findings()]
        self.assertEqual(names, ["unused-suppression"] * 2)

    def test_a_baseline_holds_them(self):
        self.run_cli("baseline", "create", "mods", code=0)
        self.assertEqual(self.get(".lightlint-baseline.jsonl").count(b'"MOD'), 2)
        baseline = ["--baseline", ".lightlint-baseline.jsonl"]
        self.run_cli("--fail-on", "note", *baseline, "mods", code=0)
        # without rules across files, entries for them are not stale
        self.run_cli("--fail-on", "note", "--no-cross", *baseline, "mods", code=0)
        before = self.get(".lightlint-baseline.jsonl")
        self.run_cli("baseline", "prune", "--no-cross", "mods", code=0)
        self.assertEqual(self.get(".lightlint-baseline.jsonl"), before)
        for name, data in made(1).items():
            if "_fpk" in name:
                self.put(name, data)
        names = [line["name"] for line in self.run_cli("--format", "jsonl", *baseline, "mods").findings()]
        self.assertEqual(names, ["stale-baseline"] * 2)
        self.run_cli("baseline", "prune", "mods", code=0)
        self.assertNotIn(b'"MOD', self.get(".lightlint-baseline.jsonl"))

    def test_fingerprints_do_not_go_by_the_place(self):
        def found():
            return {line["fingerprint"]: line["offset"] for line in self.run_cli("--format", "jsonl", "mods").findings()}
        first, name = found(), self.one("mods/*.fpk.xml")
        self.put(name, self.get(name).replace(b"<Entries>", b"<!-- moved -->\n<Entries>"))
        other = found()
        self.assertEqual((set(first), len(first)), (set(other), 2))
        self.assertNotEqual(first, other)


class OddMembers(ModTest):
    """One odd member of an archive disables only the rules that need it."""

    def archives(self, change=None, part="fpkd"):
        """Two archives without an array that a DataSet names. `change` gets the archive of that part before it is
        written."""
        from fox_package import Archive
        for name in ("fpk", "fpkd"):
            path, = (path for path in made(1) if path.endswith(f".{name}"))
            archive = Archive.taken(made(1)[path])
            for member in [member for member in archive.members if member.endswith("_env_fox2_grxoc_win.grxoc")]:
                del archive.members[member]
            if change and name == part:
                change(archive)
            self.put(path, archive.write())

    def mod(self, *arguments, **more):
        """Also selects the FPK rules: without them, a faulty archive would be reported as unread."""
        found, errors = super().mod("--select", "FPK", *arguments, **more)
        return [(name, file) for name, file in found if name.startswith("mod-")], errors

    def said(self, code):
        return {name for name, _ in self.mod("mods", code=code)[0]}

    def test_an_odd_path_or_an_empty_member(self):
        odd = {"blank": ("/Assets/tpp/a file.lua", b"x"), "letter": ("/Assets/tpp/\u00fcber.lua", b"x"), "empty": ("/Assets/tpp/none.lua", b""),
               "no-kind": ("/Assets/tpp/none.fox2", b"<fox></fox>")}
        for name, (path, data) in odd.items():
            self.archives(lambda archive, path=path, data=data: archive.members.update({path: data}))
            code = 2 if name == "no-kind" else 1
            found, errors = self.mod("mods", code=code)
            self.assertEqual(({"mod-array-file"} & {rule for rule, _ in found}, errors), ({"mod-array-file"}, ""), name)
            main = "/Assets/tpp/none.lpsh" if path.endswith(".fox2") else path
            self.archives(lambda archive, path=main, data=data: archive.members.update({path: data}), part="fpk")
            self.assertIn("mod-array-file", self.said(code), name)

    def test_a_path_with_a_drive(self):
        """As in archives of Ground Zeroes. GzsTool removes the drive."""
        def put_drive(archive):
            archive.members = {f"Z:{path}" if path.endswith((".grxla", ".lpsh")) else path: data for path, data in archive.members.items()}
        self.archives(put_drive, part="fpk")
        self.assertEqual(self.said(1), {"mod-array-file"})

    def encrypt(self, name, end):
        """Makes the first path with that ending unreadable."""
        path = self.one(f"mods/*.{name}")
        data = self.get(path)
        at = data.index(end) + len(end)
        start = data.rindex(b"\0", 0, at) + 1
        self.put(path, data[:start] + bytes(byte ^ 0xA5 for byte in data[start:at]) + data[at:])

    def test_an_encrypted_path_is_named_as_the_reason(self):
        for part, end in (("fpk", b".grxla"), ("fpk", b".lpsh"), ("fpkd", b"_light.fox2")):
            self.archives()
            self.encrypt(part, end)
            found, errors = self.mod("mods", code=2)
            self.assertEqual([name for name, _ in found], ["mod-array-file"] * (part == "fpkd"), (part, end))
            words = f"part (1_131_151.{part}) holds members whose paths cannot be read: unpack it with GzsTool and a list of names"
            self.assertIn(words, errors)
            self.assertIn("2 rules were skipped: ", errors)

    def test_an_archive_that_was_not_read(self):
        self.archives()
        path = self.one("mods/*.fpk")
        self.put(path, self.get(path)[:60])
        errors = self.run_cli("mods", code=2).errors
        self.assertRegex(errors, r"rules were skipped: main part \(1_131_151\.fpk\) was not read in full: fix it first\n")

    def test_an_archive_whose_end_is_lost_tells_its_members(self):
        self.archives()
        path = self.one("mods/*.fpk")
        self.put(path, self.get(path)[:-40])
        self.assertIn("mod-array-file", self.said(2))

    def test_sweeps_know_it_too(self):
        self.archives()
        self.encrypt("fpk", b".grxla")
        self.run_cli("sweep", "-o", "all", "mods")
        for i in "12":
            self.run_cli("sweep", "--shard", f"{i}/2", "-o", f"part{i}", "mods")
        self.assertEqual(self.run_cli("sweep", "--merge", "part1", "part2").out, self.get("all"))
        self.assertNotIn(b'"name":"mod-', self.get("all"))


class Complete(ModTest):
    """A missing file is reported only if the whole part was scanned."""

    def setUp(self):
        super().setUp()
        self.packages(1)
        self.gone = self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        self.main = self.gone[:self.gone.index("_fpk/") + 4]

    def silent(self, *arguments, rules=2, why="was not looked at as a whole: give all of its folder, and leave none of its files out", **more):
        """Expects no finding about missing files, and one notice that says which part, why, and what to do."""
        found, errors = self.mod(*arguments, code=0, **more)
        self.assertEqual(found, [])
        self.assertRegex(errors, r"\Alightlint: notice: package 'mods/(1_\d+_\d+)': %d rules were skipped: main part \(\1_fpk\) %s\n\Z" % (rules, why))

    def absent(self, *arguments):
        self.silent(*arguments, rules=13, why="was not among the arguments: give the folder that holds it")

    def test_a_folder_that_was_walked(self):
        self.assertEqual([name for name, _ in self.mod("mods", code=1)[0]], ["mod-manifest-missing-file", "mod-array-file"])
        self.assertEqual([name for name, _ in self.mod(self.main, self.main + "d", code=1)[0]], ["mod-array-file"])

    def test_exclusions(self):
        self.silent("--exclude", "*.lpsh", "mods")
        self.silent("--exclude", "*.tcvp", "mods")
        self.silent("--include", "*.fox2", "--include", "*.lua", "--include", "*.grxla", "mods")
        self.put(".lightlint.yaml", b"exclude: [lba/]\n")
        self.silent("mods")

    def test_what_git_ignores(self):
        subprocess.run(["git", "init", "-q", self.home], check=True)
        self.put(".gitignore", b"*.tcvp\n")
        self.silent("mods")
        self.assertNotEqual(self.mod("--no-ignore", "mods", code=1)[0], [])

    def test_links_to_folders(self):
        self.put("other/x.lua", b"")
        os.symlink(self.path("other"), self.path(self.main + "/Assets/more"))
        self.silent("mods")

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_a_folder_that_cannot_be_read(self):
        os.mkdir(self.path(self.main + "/Assets/closed"), 0)
        self.addCleanup(os.chmod, self.path(self.main + "/Assets/closed"), 0o700)
        found, errors = self.mod("mods", code=2)
        self.assertEqual([name for name, _ in found], ["unreadable"])
        self.assertIn("was not looked at as a whole", errors)

    def test_a_part_of_a_folder(self):
        self.silent(self.main + "/Assets", self.main + "d")

    def test_only_one_part(self):
        self.absent(self.main + "d")
        shutil.rmtree(self.path(self.main))
        os.unlink(self.path(self.one("mods/*.fpk.xml")))
        self.absent("mods")

    def test_a_file_by_itself(self):
        name = self.one("mods/1_*_fpkd/**/*_env.fox2")
        self.absent(name)
        self.assertEqual(self.mod("-qq", name, code=0), ([], ""))
        self.assertEqual(self.mod("-", "--stdin-name", name, stdin=self.get(name), code=0), ([], ""))

    def test_all_tell_why_rules_were_skipped(self):
        shutil.rmtree(self.path(self.main))
        os.unlink(self.path(self.one("mods/*.fpk.xml")))
        self.assertIn("; 13 rules across files were skipped, as parts of packages are not known.", self.run_cli("mods", code=0).text)
        package, = json.loads(self.run_cli("packages", "--format", "json", "mods", code=0).text)["packages"]
        self.assertEqual((package["missing"], package["rules_not_run"]), ("main part", 13))
        self.assertRegex(package["why"], r"\Amain part \(\w+_fpk\) was not among the arguments: give the folder that holds it\Z")

    def test_many_packages_get_a_few_notices(self):
        self.packages(2, 3, 4, 5)
        for path in glob.glob(self.path("mods/*_fpk")):
            shutil.rmtree(path)
        _, errors = self.mod("mods", code=0)
        self.assertEqual(errors.count("was not among the arguments"), 3)
        self.assertTrue(errors.endswith("rules were skipped for 2 more packages; lightlint packages shows why\n"), errors)

    def test_a_file_that_is_too_large_has_a_name_all_the_same(self):
        self.put("large/x_fpkd/Assets/a.lpsh", b"")
        os.truncate(self.path("large/x_fpkd/Assets/a.lpsh"), 5 << 30)
        lines = self.run_cli("--format", "jsonl", "large", code=2).findings()
        self.assertEqual([(line["name"], line["offset"], line["length"]) for line in lines],
                         [("too-large", 0, 0), ("mod-wrong-part", 0, 0)])

    def test_no_package_no_word(self):
        self.put("a/loose.fox2", made(1)[[name for name in made(1) if name.endswith("_nav.fox2")][0]])
        result = self.run_cli("a", code=0)
        self.assertEqual((result.errors, "package" in result.text), ("", False))


class Manifests(ModTest):
    def test_files_of_no_format_are_known(self):
        self.packages(1)
        self.assertEqual(self.mod("mods", code=0), ([], ""))
        gone = self.take("mods/1_*_fpk/**/*.tcvp")
        self.assertEqual([name for name, _ in self.mod("mods", code=1)[0]], ["mod-manifest-missing-file"])
        self.put(gone, b"")
        self.put(gone + ".tcvp", b"")
        self.assertEqual([name for name, _ in self.mod("mods", code=1)[0]], ["mod-manifest-unlisted"])

    def test_one_that_cannot_be_read(self):
        cases = [(b"", 0), (b"<ArchiveFile>\n <Entries>\n</ArchiveFile>", 27), (b"no XML", 0),
                 (b"<!DOCTYPE x [<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]><ArchiveFile>&b;</ArchiveFile>", 12)]
        for text, offset in cases:
            self.put("x.fpk.xml", text)
            line, = self.run_cli("--format", "jsonl", "x.fpk.xml", code=1).findings()
            self.assertEqual((line["name"], line["offset"]), ("manifest-refused", offset), text)

    def test_letters_of_its_name_may_be_capitals(self):
        self.packages(1)
        name = self.one("mods/*.fpkd.xml")
        for written in (name[:-3] + "XML", name[:-8] + "FPKD.Xml"):
            os.rename(self.path(name), self.path(written))
            gone = self.one("mods/1_*_fpkd/**/*_nav.fox2")
            data = self.get(gone)
            self.assertNotIn((written, True), [(f, True) for _, f in self.mod("mods", code=0)[0]])
            os.unlink(self.path(gone))
            self.assertIn(("mod-manifest-missing-file", written), self.mod("mods")[0])
            self.put(gone, data)
            name = written

    def test_one_without_line_feeds_is_shown_in_part(self):
        rows = "".join(f'<Entry FilePath="/Assets/no/such/file{i:04d}.tcvp" />' for i in range(2000))
        self.put("x.fpk.xml", f'<ArchiveFile Name="x.fpk" FpkType="Fpk"><Entries>{rows}</Entries></ArchiveFile>'.encode())
        self.put("x_fpk/a.txt", b"")
        result = self.run_cli("--all", "--select", "mod-manifest-missing-file", ".", code=1)
        self.assertEqual(result.text.count("MOD096 "), 2000)
        self.assertLess(len(result.out), 2000 * 4096)
        last = result.text[result.text.rindex("  --> "):].splitlines()
        self.assertRegex(last[3], r"^   \|  1  \.\.\..*file1999\.tcvp")
        shown = last[3].index("/Assets/no/such/file1999.tcvp")
        self.assertEqual(last[4].index("^"), shown)

    def test_it_is_a_file_that_was_checked(self):
        self.packages(1)
        name = self.one("mods/*.fpkd.xml")
        self.assertIn(name + ": clean (text, ", self.run_cli("-v", "mods", code=0).text)
        self.run_cli("--no-cross", name, code=2)  # without it, this is a file of unknown format


class Tree(ModTest):
    """The command packages."""

    def parsed(self, text):
        """Parses a graph strictly; returns nodes and edges."""
        token = re.compile(r'\s*(?:([A-Za-z_]\w*|-?\d+)|"((?:[^"\\]|\\.)*)"|(->|[{}\[\]=;,]))', re.S)
        words, at = [], 0
        while text[at:].strip():
            match = token.match(text, at)
            self.assertTrue(match, text[at:at + 80])
            words.append((match[1], match[2], match[3]))
            at = match.end()
        names = [word[0] if word[0] is not None else word[1] for word in words]
        edges = [(names[i - 1], names[i + 1]) for i, word in enumerate(words) if word[2] == "->"]
        ends = {name for edge in edges for name in edge}
        nodes = {names[i - 1] for i, word in enumerate(words) if word[2] == "[" and names[i - 1] is not None} - {"node"}
        self.assertEqual(sum((word[2] == "{") - (word[2] == "}") for word in words), 0)
        self.assertLessEqual(ends, nodes)
        return nodes, edges

    def test_text(self):
        self.packages(1)
        self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        text = self.run_cli("packages", "mods", code=0).text
        self.assertRegex(text, r"\Amods/1_\d+_\d+\n  main part: folder of \d files, manifest\n")
        self.assertRegex(text, r"\n      OccluderArray -> \S+_env_fox2_grxoc_win\.grxoc: missing\n")
        self.assertRegex(text, r"\n      TppLightProbeSHCoefficients -> \S+\.lpsh\n")
        self.assertEqual(text.count("missing"), 1)

    def test_a_part_that_is_not_there(self):
        self.packages(1, forms=("_fpkd/",))
        result = self.run_cli("packages", "mods", code=0)
        self.assertIn("\n  main part: not here\n", result.text)
        self.assertIn("\n  rules that were skipped: 13: main part (", result.text)
        self.assertIn(": not known\n", result.text)

    def test_json(self):
        self.packages(1, 2, forms=("",))
        data = json.loads(self.run_cli("packages", "--format", "json", "mods", code=0).text)
        self.assertEqual(len(data["packages"]), 2)
        self.assertEqual(json.loads(self.run_cli("packages", "--format", "json", ".", cwd=self.home, code=0).text), data)
        if not jsonschema:
            self.skipTest("no jsonschema")
        with open(os.path.join(SOURCE, "docs/schema/packages.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.validators.validator_for(schema).check_schema(schema)
        jsonschema.validate(data, schema)
        for name in glob.glob(self.path("mods/1_*_fpk/**/*.grx*"), recursive=True) + [self.path(self.one("mods/2_*.fpkd"))]:
            os.unlink(name)
        for arguments in (["mods"], glob.glob(self.path("mods/*_fpk"))):
            jsonschema.validate(json.loads(self.run_cli("packages", "--format", "json", *arguments, code=0).text), schema)

    def test_dot(self):
        self.packages(1, 2, forms=("",))
        self.take("mods/1_*_fpk/**/*_env_fox2_grxoc_win.grxoc")
        text = self.run_cli("packages", "--format", "dot", "mods", code=0).text
        nodes, edges = self.parsed(text)
        self.assertGreaterEqual(len(nodes), 18)
        self.assertGreaterEqual(len(edges), 16)
        self.drawn(text)

    def drawn(self, text):
        """Checks the graph with Graphviz, if it is installed."""
        if shutil.which("dot"):
            done = subprocess.run(["dot", "-Tsvg"], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_hostile_names(self):
        inner = {b"a\"];evil[b": None, b"back\\slash\\N": None, b"line\nfeed": None, b"\xff\xfe\x1b[2J": None, b"<b>&amp;": None,
                 "r\u202el".encode(): None}
        data = made(1)[[name for name in made(1) if name.endswith("_env.fox2")][0]]
        for name in inner:
            os.makedirs(os.fsencode(self.path("mods")) + b"/" + name + b"_fpkd/Assets", exist_ok=True)
            with open(os.fsencode(self.path("mods")) + b"/" + name + b"_fpkd/Assets/" + name + b".fox2", "wb") as file:
                file.write(data)
        for form in ("text", "json", "dot"):
            result = self.run_cli("packages", "--format", form, "mods", code=0)
            text = result.text  # must be valid UTF-8
            self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", text), form)
            self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", result.errors), form)
            if form == "json":
                self.assertEqual(len(json.loads(text)["packages"]), len(inner))
            if form == "dot":
                nodes, edges = self.parsed(text)
                self.assertEqual((len(edges), any(node == "evil" for node in nodes)), (len(inner), False))
                self.drawn(text)
        self.run_cli("mods", code=0)

    def test_its_file_and_its_exit_code(self):
        self.packages(1)
        self.run_cli("packages", "-o", "tree.txt", "mods", code=0)
        self.assertEqual(self.get("tree.txt"), self.run_cli("packages", "mods").out)
        self.refused("packages", saying="no file or directory")
        self.refused("packages", "--format", "xml", "mods", saying="text, json, dot")
        self.run_cli("packages", "nowhere", code=2)
        self.assertEqual(self.run_cli("packages", "-q", self.put("empty/a.txt", b"") and "empty", code=0).out, b"")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
