"""Shared by tests that follow a page literally in a copy of the tree: blocks with `file=PATH` are written (`append`:
added to the end of the file), blocks marked `sh` are run."""
import os
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)
COPIED = ["CMakeLists.txt", "README.md", ".gitattributes", ".pre-commit-hooks.yaml", "include", "src", "rules", "corpus", "docs", "tests"]


def copy_tree(source, work):
    shutil.rmtree(work, ignore_errors=True)
    tree = os.path.join(work, "tree")
    os.makedirs(tree)
    for name in COPIED:
        path = os.path.join(source, name)
        copy = shutil.copytree if os.path.isdir(path) else shutil.copy2
        copy(path, os.path.join(tree, name))
    return tree


class Page:
    def __init__(self, tree, path):
        self.tree, self.name = tree, os.path.basename(path)
        with open(os.path.join(tree, path), encoding="utf-8") as file:
            self.blocks = BLOCK.findall(file.read())

    def run(self, command):
        path = os.path.join(os.path.dirname(os.path.abspath(self.tree)), "bin") + ":" + os.environ["PATH"]
        environment = dict(os.environ, PATH=path, CMAKE_BUILD_TYPE="Debug")  # compiles twice as fast
        done = subprocess.run(["bash", "-e", "-c", command], cwd=self.tree, env=environment, capture_output=True, text=True)
        print("$ " + command.strip() + "\n" + done.stdout + done.stderr, flush=True)
        return done

    def expect(self, condition, what):
        if not condition:
            sys.exit(f"{self.name}: not as the page says: {what}")

    def follow(self):
        """Follows the page from top to bottom. Returns the finished commands and the paths of the files written."""
        outcomes, written = [], []
        for kind, info, text in self.blocks:
            target = re.search(r"file=(\S+)", info)
            if target:
                appended = "append" in info
                written.append(target[1])
                path = os.path.join(self.tree, target[1])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "a" if appended else "w", encoding="utf-8") as out:
                    out.write(("\n" if appended and kind == "yaml" else "") + text)
            elif kind == "sh":
                outcomes.append(self.run(text))
        return outcomes, written
