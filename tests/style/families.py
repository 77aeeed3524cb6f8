#!/usr/bin/env python3
"""Every list of families, of extensions or of letters of rule ids is complete: it has all that are in
src/formats/formats.def. Two lines that name most of them count as a list.

usage: families.py SOURCE_DIR     exit: 0 they are, 1 not"""
import os
import re
import subprocess
import sys

# Cases and goldens concern single families, other tests compare files made from the registry, and a history describes
# the past.
LEFT_OUT = ("tests/", "corpus/", "rules/", "docs/formats/", "src/formats/", "CHANGELOG.md", "docs/rules.md", "docs/lightlint-rules.5",
            "src/web/package-lock.json")
ROW = re.compile(r'^LL_FORMAT\((\w+), "([A-Z ]+)", (.*)\)$', re.M)


def registry(source):
    """{family: extensions without dot}, and the letters of ids."""
    with open(os.path.join(source, "src", "formats", "formats.def"), encoding="utf-8") as file:
        rows = ROW.findall(file.read())
    return {family: re.findall(r'"\.(\w+)"', ends) for family, _, ends in rows}, {word for _, words, _ in rows for word in words.split()}


def texts(source):
    listed = subprocess.run(["git", "ls-files"], cwd=source, capture_output=True, text=True, check=False).stdout.splitlines()
    for name in listed:
        if not name.startswith(LEFT_OUT):
            try:
                with open(os.path.join(source, name), encoding="utf-8") as file:
                    yield name, file.read()
            except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
                pass


def faults(source):
    families, letters = registry(source)
    ends = {end: family for family, own in families.items() for end in own}
    kinds = [("extensions", {end: end for end in ends}, .75), ("families", ends | {family: family for family in families}, .7),
             ("letters of ids", {word: word for word in letters}, .5)]
    for name, text in texts(source):
        lines = text.splitlines() + [""]
        for number, pair in enumerate(zip(lines, lines[1:]), 1):
            named, both = (set(re.findall(r"[A-Za-z0-9]+", part)) for part in (pair[0], " ".join(pair)))
            for what, known, most in kinds:
                every = set(known.values())
                absent = every - {known[word] for word in both & known.keys()}
                if absent and len({known[word] for word in named & known.keys()}) >= most * len(every):
                    yield f"{name}:{number}: the list of {what} lacks: {', '.join(sorted(absent))}"


def main(source):
    wrong = list(faults(source))
    print("\n".join(wrong) or "all lists of families are complete")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
