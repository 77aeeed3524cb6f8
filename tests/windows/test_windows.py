#!/usr/bin/env python3
"""Behaviour on Windows only: drives, backslashes, patterns in operands, device names, long paths; and starting takes no
more work than on Linux. Under Wine, drive Z: is the root of Linux.

usage: test_windows.py PROGRAM SOURCE_DIR [unittest arguments]"""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from cli_test import BAD, GOOD, CliTest  # noqa: E402


class Paths(CliTest):
    def windows(self, name=""):
        return "Z:" + self.path(name).replace("/", "\\").rstrip("\\")

    def test_a_path_with_a_drive_is_shown_from_here(self):
        self.put("mod/a.grxla", BAD)
        for name in ("mod\\a.grxla", self.windows("mod\\a.grxla"), self.path("mod/a.grxla"), "z:" + self.path("mod\\a.grxla")):
            self.assertEqual(self.checked(name)[0].lower(), "mod/a.grxla" if name[0] != "z" else name.replace("\\", "/").lower())

    def test_elsewhere_it_is_shown_whole(self):
        self.put("mod/a.grxla", BAD)
        self.put("other/b.grxla", GOOD)
        self.assertEqual(self.checked(self.windows("mod"), cwd=self.path("other")), ["Z:" + self.path("mod/a.grxla")])

    def test_prefix_of_long_paths(self):
        self.put("a.grxla", BAD)
        self.assertEqual(len(self.checked("\\\\?\\" + self.windows("a.grxla"))), 1)

    def test_long_paths(self):
        name = "/".join(["d" * 60] * 8) + "/a.grxla"
        self.put(name, BAD)
        self.assertEqual(self.checked("."), [name])
        self.assertEqual(self.checked(name), [name])

    def test_names_of_devices_with_an_extension_are_files(self):
        for name in ("con.grxla", "nul.grxla", "aux.grxla"):
            self.put(name, BAD)
            self.assertEqual(self.checked(name), [name])

    def test_lists_with_backslashes(self):
        self.put("mod/a.grxla", BAD)
        self.put("list", b"mod\\a.grxla\r\n")
        self.assertEqual(self.checked("--files-from", "list"), ["mod/a.grxla"])

    def test_sarif_names_the_drive(self):
        self.put("mod/a.grxla", BAD)
        self.put("other/b.grxla", GOOD)
        log = json.loads(self.run_cli("--format", "sarif", self.windows("mod"), cwd=self.path("other")).text)
        place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        self.assertEqual(place["uri"], "file:///Z:" + self.path("mod/a.grxla"))

    def test_configuration_is_found_above_a_drive_path(self):
        self.put("mod/.lightlint.yaml", b"root: true\nignore: [name-hash]\n")
        self.put("mod/deep/a.grxla", BAD)
        self.put("other/b.grxla", GOOD)
        self.run_cli(self.windows("mod/deep/a.grxla"), cwd=self.path("other"), code=0)
        shown = self.run_cli("config", "show", self.windows("mod/deep"), cwd=self.path("other"), code=0).text
        self.assertIn("Z:" + self.path("mod/.lightlint.yaml"), shown)

    def test_the_root_of_a_drive(self):
        self.put("a.grxla", BAD)
        self.run_cli("config", "show", "Z:\\", code=0)
        self.run_cli("--format", "jsonl", "--exclude", "*", "Z:\\", code=0)


class Patterns(CliTest):
    def test_operands_are_patterns(self):
        for name in ("a.grxla", "b.GRXLA", "c.grxoc", "d/e.grxla"):
            self.put(name, BAD)
        self.assertEqual(self.checked("*.grxla"), ["a.grxla", "b.GRXLA"])
        self.assertEqual(self.checked("?.grx*"), ["a.grxla", "b.GRXLA", "c.grxoc"])
        self.assertEqual(self.checked("d\\*"), ["d/e.grxla"])

    def test_a_pattern_without_files_is_missing(self):
        self.assertIn("*.mrea", self.run_cli("*.mrea", code=2).text)

    def test_values_of_options_are_not(self):
        for name in ("a.grxla", "b.grxla", "c.grxoc"):
            self.put(name, BAD)
        self.assertEqual(self.checked("--exclude", "*.grxla", "."), ["c.grxoc"])


class Writing(CliTest):
    def test_output_replaces_a_file(self):
        self.put("a.grxla", BAD)
        self.put("out.json", b"old")
        for name in ("out.json", "Z:" + self.path("out.json").replace("/", "\\")):
            self.run_cli("--format", "json", "-o", name, "a.grxla", code=1)
            self.assertEqual(len(json.loads(self.get("out.json"))["files"][0]["findings"]), 1)
            self.assertEqual(sorted(os.listdir(self.home)), ["a.grxla", "out.json"])

    def test_a_file_that_may_not_be_written_stays(self):
        self.put("a.grxla", BAD)
        self.put("out.json", b"old")
        os.chmod(self.path("out.json"), 0o444)
        self.assertIn("out.json: Permission denied", self.run_cli("--format", "json", "-o", "out.json", "a.grxla", code=2).errors)
        self.assertEqual(self.get("out.json"), b"old")

    def test_who_may_read_a_file_stays(self):
        """Wine derives an access list from mode bits, and mode bits from a given access list."""
        for name, mode in (("all.grxla", 0o644), ("owner.grxla", 0o600)):
            self.put(name, BAD)
            os.chmod(self.path(name), mode)
            self.run_cli("fix", "--unsafe", name, code=0)
            self.assertNotEqual(self.get(name), BAD)
            self.assertEqual(os.stat(self.path(name)).st_mode & 0o004, mode & 0o004)

    def test_output_to_a_device(self):
        self.put("a.grxla", BAD)
        for name in ("NUL", "/dev/null"):
            self.run_cli("--format", "json", "-o", name, "a.grxla", code=1)
        self.assertEqual(os.listdir(self.home), ["a.grxla"])

    def test_dates_have_no_limit(self):
        self.put("a.grxla", BAD)
        self.put(".lightlint-ignore.yaml", b"suppress:\n  - file: a.grxla\n    rule: name-hash\n    reason: known\n    expires: 3500-01-01\n")
        self.run_cli("a.grxla", env={"SOURCE_DATE_EPOCH": "48270902400"}, code=0)  # 3499-08-23


class Start(CliTest):
    """Uses Wine's trace of a run."""
    # Libraries that the program is linked with, and those that these are linked with in Wine.
    LIBRARIES = {"kernel32.dll", "kernelbase.dll", "msvcrt.dll", "ucrtbase.dll", "advapi32.dll", "sechost.dll"}

    def told(self, channel, pattern, *arguments):
        said = self.run_cli(*arguments, code=0, env={"WINEDEBUG": "+" + channel}).err.decode(errors="replace")
        return [name.rsplit("\\", 1)[-1] for name in re.findall(pattern, said)]

    def test_no_library_is_loaded_on_the_way(self):
        self.put("a.grxla", GOOD)
        for arguments in (["--version"], ["a.grxla"]):
            loaded = {name.lower() for name in self.told("loaddll", r'Loaded L"([^"]*)"', *arguments)}
            self.assertEqual(loaded - {"lightlint.exe"}, self.LIBRARIES)

    def test_files_that_are_looked_at(self):
        """As on Linux: the file is looked at three times and opened once, the directory is looked at once for links,
        and possible configuration files in each directory."""
        self.put("a.grxla", GOOD)
        asked = r'trace:file:(?:GetFileAttributesW|CreateFileW|FindFirstFileExW) L"([^"]*)"'
        system = {"tzres.dll"}  # time zones in Wine
        self.assertEqual([name for name in self.told("file", asked, "--version") if name not in system], [])
        names = [name for name in self.told("file", asked, "a.grxla") if name not in system]
        self.assertEqual(names.count("a.grxla"), 4)
        rest = [name for name in names if name not in ("a.grxla", os.path.basename(self.home))]
        self.assertLessEqual(len(names) - 4 - len(rest), 1)
        directories = len(self.home.split("/"))  # including the root
        self.assertEqual(set(rest), {".lightlint.yml", ".lightlint.yaml", ".lightlint-ignore.yml", ".lightlint-ignore.yaml"})
        self.assertLessEqual(len(rest), 5 * directories)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
