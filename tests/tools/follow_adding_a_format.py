#!/usr/bin/env python3
"""Follows docs/adding-a-format.md literally, in a copy of the tree with a build of its own. Checks what each step
shows, and that only the family's own files and the lists named on the page change.

usage: follow_adding_a_format.py SOURCE_DIR WORK_DIR      exit: 0 the page works, 1 it does not"""
import filecmp
import os
import re
import sys

from follow import COPIED, Page, copy_tree

OWN = re.compile(r"(src/formats/toy|corpus/toy)/[\w.-]+|rules/toy\.yaml|docs/formats/toy\.md|tests/tools/recipe_toy\.py|"
                 r"tests/fuzz/(fuzz_lint_toy\.c|toy\.dict)")
LISTS = {"src/formats/formats.def", ".gitattributes", ".pre-commit-hooks.yaml", "README.md"}
MADE = re.compile(r"tests/cases/golden/.*")  # written by --update


def changed(source, tree):
    """Paths of the files that are new or different in the tree."""
    for top in COPIED:
        root = os.path.join(tree, top)
        walk = os.walk(root) if os.path.isdir(root) else [(tree, [], [top])]
        for directory, _, names in walk:
            for name in names:
                path = os.path.relpath(os.path.join(directory, name), tree)
                old = os.path.join(source, path)
                if not os.path.exists(old) or not filecmp.cmp(old, os.path.join(tree, path), shallow=False):
                    yield path


def main(source, work):
    tree = copy_tree(source, work)
    page = Page(tree, "docs/adding-a-format.md")
    outcomes, _ = page.follow()
    page.expect(len(outcomes) == 4, "it has four commands to run")
    lists, build, dump, all_tests = outcomes
    page.expect(lists.returncode == 0, "step 8 finds the lists")
    page.expect(build.returncode == 0, "the family builds")
    page.expect(dump.returncode == 0 and "lamp[1].radius" in dump.stdout and not re.search("gap|unparsed", dump.stdout),
                "every byte of a good file has an owner")
    page.expect(re.search(r"header\.lamps_offset .* -> lamp", dump.stdout), "the dump shows the target of a reference")
    page.expect(all_tests.returncode == 0, "all tests of the family pass")
    page.expect(re.search(r"toy: \d+ files, \d+ changes, \d+ noticed", all_tests.stdout), "single bytes are changed")
    touched = {path for path in changed(source, tree) if not MADE.fullmatch(path)}
    page.expect(LISTS <= touched, f"it changes {LISTS - touched}")
    elsewhere = {path for path in touched - LISTS if not OWN.fullmatch(path)}
    page.expect(not elsewhere, f"only these lists and the family's own files change: {elsewhere}")
    bad = page.run("build/lightlint --select TOY --format concise build/toys")
    page.expect(bad.returncode == 2 and "TOY020 lamps-place" in bad.stdout and "found 17" in bad.stdout,
                "a reference that leads elsewhere is found")
    page.expect(re.search(r"bad-toy-bytes-in\S*:\+0x10: warning\[TOY030 left-over\] lamp\[0\]", bad.stdout), "inserted bytes are found")
    fixed = page.run("cp build/toys/bad-toy-lamp-count-order/*.toy build/fixed.toy && build/lightlint fix --unsafe --no-journal build/fixed.toy; "
                     "cmp build/fixed.toy build/good-toy.toy")
    page.expect(fixed.returncode == 0, "a number in the wrong byte order is fixed")
    built = page.run("build/lightlint dump --format json build/good-toy.toy >build/toy.json && "
                     "build/lightlint build build/toy.json -o build/built.toy && cmp build/built.toy build/good-toy.toy")
    page.expect(built.returncode == 0, "the file built from a dump is the same")
    diff = page.run("build/lightlint diff build/good-toy.toy build/toys/bad-toy-radius/*.toy")
    page.expect(diff.returncode == 1 and "lamp[1].radius" in diff.stdout, "files are compared by their fields")
    print("as the page says")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
