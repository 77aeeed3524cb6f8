#!/usr/bin/env python3
"""Does literally what docs/adding-a-rule.md says, in a copy of the tree with a build of its own.

usage: follow_adding_a_rule.py SOURCE_DIR WORK_DIR
Blocks with `file=PATH` are written (`append`: added to the end), blocks marked `sh` are run in the copy, where `lightlint` is the
program just built. Checks what each step must show. exit: 0 the page is true, 1 it is not."""
import os
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)


def run(command, tree):
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(tree)) + "/bin:" + os.environ["PATH"])
    done = subprocess.run(["bash", "-c", command], cwd=tree, env=environment, capture_output=True, text=True)
    print("$ " + command.strip() + "\n" + done.stdout + done.stderr, flush=True)
    return done


def expect(condition, what):
    if not condition:
        sys.exit("adding-a-rule.md is not true: " + what)


def copy_tree(source, work):
    shutil.rmtree(work, ignore_errors=True)
    tree = os.path.join(work, "tree")
    keep = ["CMakeLists.txt", "include", "src", "rules", "corpus", "docs", "tests"]
    os.makedirs(os.path.join(work, "bin"))
    os.makedirs(tree)
    for name in keep:
        path = os.path.join(source, name)
        copy = shutil.copytree if os.path.isdir(path) else shutil.copy2
        copy(path, os.path.join(tree, name))
    os.symlink(os.path.join(tree, "lightlint"), os.path.join(work, "bin", "lightlint"))
    return tree


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tree = copy_tree(sys.argv[1], sys.argv[2])
    page = open(os.path.join(tree, "docs/adding-a-rule.md"), encoding="utf-8").read()
    configured = run("cmake -S . -B . -DLIGHTLINT_BUILD_TESTS=OFF >/dev/null && cmake --build . -j2 >/dev/null", tree)
    expect(configured.returncode == 0, "the tree does not build")
    outcomes = []
    for kind, info, text in BLOCK.findall(page):
        target = re.search(r"file=(\S+)", info)
        if target:
            with open(os.path.join(tree, target[1]), "a" if "append" in info else "w", encoding="utf-8") as out:
                out.write(("\n" if "append" in info else "") + text)
        elif kind == "sh":
            outcomes.append(run(text, tree))
    expect(len(outcomes) == 3, "it has three commands to run")
    show, own, shipped = outcomes
    expect(show.returncode == 0 and "name.text" in show.stdout, "step 1 shows the field")
    expect(own.returncode == 1 and own.stdout.count("warning[MOD001 point-light-prefix]") == 2, "step 3 finds both names")
    expect(shipped.returncode == 0 and re.search(r"\b[1-9]\d* passed, 0 failed", shipped.stdout), "step 6 passes the new cases")
    wrong = run("sed -i 's/field: text/field: txet/' my-mod.yaml; lightlint --rules my-mod.yaml corpus/demo/good-spot-gz.grxla", tree)
    expect(wrong.returncode == 2 and re.search(r"my-mod\.yaml:6:\d+: .*'text'", wrong.stderr), "a misspelt field is refused with line and nearest name")
    print("as the page says")


if __name__ == "__main__":
    main()
