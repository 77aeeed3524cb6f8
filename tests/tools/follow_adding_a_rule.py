#!/usr/bin/env python3
"""Follows docs/adding-a-rule.md literally, in a copy of the tree with a build of its own, where `lightlint` is the
program just built. Checks what each step shows.

usage: follow_adding_a_rule.py SOURCE_DIR WORK_DIR      exit: 0 the page works, 1 it does not"""
import os
import re
import sys

from follow import Page, copy_tree


def main(source, work):
    tree = copy_tree(source, work)
    os.makedirs(os.path.join(work, "bin"))
    os.symlink(os.path.join(tree, "lightlint"), os.path.join(work, "bin", "lightlint"))
    page = Page(tree, "docs/adding-a-rule.md")
    configured = page.run("cmake -S . -B . -DLIGHTLINT_BUILD_TESTS=OFF >/dev/null && cmake --build . -j2 --target lightlint_cli >/dev/null")
    page.expect(configured.returncode == 0, "the tree builds")
    outcomes, _ = page.follow()
    page.expect(len(outcomes) == 3, "it has three commands to run")
    show, own, shipped = outcomes
    page.expect(show.returncode == 0 and "name.text" in show.stdout, "step 1 shows the field")
    page.expect(own.returncode == 1 and own.stdout.count("warning[OWN001 point-light-prefix]") == 2, "step 3 finds both names")
    page.expect(shipped.returncode == 0 and re.search(r"\b[1-9]\d* passed, 0 failed", shipped.stdout), "step 6 passes the new cases")
    wrong = page.run("sed -i 's/field: text/field: txet/' my-mod.yaml; lightlint --rules my-mod.yaml corpus/demo/good-spot-gz.grxla")
    page.expect(wrong.returncode == 2 and re.search(r"my-mod\.yaml:6:\d+: .*'text'", wrong.stderr),
                "a misspelt field is refused with line and nearest name")
    print("as the page says")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
