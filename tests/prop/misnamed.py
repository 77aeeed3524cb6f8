#!/usr/bin/env python3
"""Sound files under the extensions of other families, as files and as members of an archive: one error says what they
are, there are no other errors or warnings, and `fix --unsafe` changes no byte.

usage: misnamed.py LIGHTLINT CORPUS     exit: 0 it holds, 1 it does not"""
import json
import os
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from cli_test import archive  # noqa: E402
from program import LOUD, Program, Workshop, known_extensions, listed  # noqa: E402
from recipe import Corpus  # noqa: E402

FAMILIES = {"grx": ("grxla", "grxoc"), "lpsh": ("lpsh",), "fpk": ("fpk", "fpkd"), "fox": ("fox2",), "lba": ("lba",), "mrea": ("mrea", "lights"),
            "rgm": ("rgm",)}
SMALL = 100_000
NOTHING = ("good-lba-zeros",)  # files without a byte that tells their format


def sound_files(corpus, program, workshop):
    rows = {}
    for case, recipe in corpus.recipes.items():
        name = corpus.file_name(recipe)
        family = next((f for f, extensions in FAMILIES.items() if name.lower().endswith(extensions)), None)
        if case.startswith("good-") and case not in NOTHING and "options" not in recipe.header and family:
            data = bytes(corpus.assemble(recipe).data)
            if len(data) < SMALL:
                rows[workshop.write(f"sound/{case}/{name}", data)] = case, family, data
    findings = program.lint(rows, "--no-cross", cwd=workshop.path).findings
    return [row for name, row in rows.items() if not any(f["severity"] in LOUD for f in findings[name])]


def loud_findings(program, workshop, names):
    """{FILE or ARCHIVE!PATH: errors and warnings}."""
    found = defaultdict(list)
    for line in program.call("--format", "jsonl", "--no-cross", "-0", "--files-from", "-", cwd=workshop.path, stdin=names)[1].decode().splitlines():
        item = json.loads(line)
        if item["type"] == "finding" and item["severity"] in LOUD:
            found[item["file"] + ("!" + item["member"] if "member" in item else "")].append(item)
    return found


def main(lightlint, folder):
    program, faults, told, made = Program(lightlint), [], Counter(), Counter()
    known = {extension.lstrip(".") for extension in known_extensions()}
    with Workshop() as workshop:
        files = {}
        for case, family, data in sound_files(Corpus(folder), program, workshop):
            for extension in sorted(known - set(FAMILIES[family])):
                name = f"file.{extension}"
                files[workshop.write(f"{extension}/{case}/{name}", data)] = family, data, ""
                if family != "fpk" and extension not in FAMILIES["fpk"]:
                    packed = archive([("/Assets/tpp/" + name, data)])
                    files[workshop.write(f"packed/{extension}/{case}/packed.fpk", packed)] = family, packed, "!/Assets/tpp/" + name
        names = listed(files)
        findings = loud_findings(program, workshop, names)
        program.call("fix", "--unsafe", "--no-cross", "--no-journal", "-0", "--files-from", "-", cwd=workshop.path, stdin=names)
        for name, (family, data, member) in files.items():
            made[family] += 1
            loud = findings[name + member]
            # locators have no magic number: members of this kind remain unknown
            unknown = member and family == "lba" and [f["name"] for f in findings[name] if f["severity"] == "error"] == ["fpk-entry-kind"]
            if unknown or [f["name"] for f in loud] == ["other-family"]:
                told[family] += 1
            else:
                faults.append(f"{name}: {family}, {len(data)} bytes: {[(f['name'], f['severity']) for f in loud][:4]}")
            if workshop.read(name) != data:
                faults.append(f"{name}: fix --unsafe changes it")
    for family in sorted(made):
        print(f"{family:6}{made[family]:6}{told[family]:6}")
    print("\n".join(faults[:40] + [f"{len(files)} files, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
