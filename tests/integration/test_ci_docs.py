#!/usr/bin/env python3
"""docs/ci.md: every YAML block is read, and what it names is there: hooks, inputs and outputs of the action, commands,
options, formats.

usage: test_ci_docs.py SOURCE_DIR PROGRAM WORK_DIR
exit:  0 all fine, 1 not, 77 skipped (no YAML reader)"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

SOURCE, PROGRAM = "", ""
REFUSALS = r"unknown option|no such value|no command|is not an option|needs a value|only one format"


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def blocks():
    return re.findall(r"^```yaml\n(.*?)^```$", read("docs/ci.md"), re.M | re.S)


def parsed():
    return [yaml.load(text, Loader=yaml.BaseLoader) for text in blocks()]


def walk(node):
    """All mappings below a node."""
    if isinstance(node, dict):
        yield node
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from walk(child)


def command_lines():
    """Words of every call of lightlint in a script of a block."""
    for mapping in (mapping for block in parsed() for mapping in walk(block)):
        lines = [mapping["run"]] if isinstance(mapping.get("run"), str) else mapping.get("script", [])
        for line in "\n".join(lines).splitlines():
            if line.startswith("lightlint "):
                yield shlex.split(line)


class Docs(unittest.TestCase):
    def test_there_are_blocks(self):
        kinds = {"hooks": 0, "github": 0, "gitlab": 0}
        for block in parsed():
            self.assertIsInstance(block, dict)
            kinds["hooks" if "repos" in block else "github" if "jobs" in block else "gitlab"] += 1
        self.assertTrue(all(count >= 2 for count in kinds.values()), kinds)

    def test_workflows(self):
        for block in (block for block in parsed() if "jobs" in block):
            self.assertLessEqual({"name", "on", "permissions", "jobs"}, set(block))
            uploads = False
            for job in block["jobs"].values():
                self.assertIn("runs-on", job)
                self.assertIn(job.get("needs", next(iter(block["jobs"]))), block["jobs"])
                for step in job["steps"]:
                    self.assertEqual(("run" in step) + ("uses" in step), 1, step)
                    self.assertNotIn("${{", step.get("run", ""), "expressions reach scripts by env")
                    ours = "OWNER/lightlint@" in step.get("uses", "")
                    uploads |= ours and step.get("with", {}).get("upload-sarif", "true") == "true"
            self.assertEqual(uploads, block["permissions"].get("security-events") == "write", block["name"])

    def test_action_is_used_as_it_is(self):
        action = yaml.load(read("action.yml"), Loader=yaml.BaseLoader)
        for mapping in (mapping for block in parsed() for mapping in walk(block)):
            if str(mapping.get("uses", "")).startswith("OWNER/lightlint@"):
                self.assertLessEqual(set(mapping.get("with", {})), set(action["inputs"]))
        for name in re.findall(r"steps\.lights\.outputs\.([\w-]+)", "".join(blocks())):
            self.assertIn(name, action["outputs"])
        table = re.findall(r"^\| `([\w-]+)` \| (?:`([^`]*)`)? ?\|", read("docs/ci.md"), re.M)
        stated = {name: default for name, default in table if not name.startswith("lightlint")}
        self.assertEqual(stated, {name: given["default"] for name, given in action["inputs"].items()})

    def test_hooks_are_there(self):
        hooks = {hook["id"] for hook in yaml.load(read(".pre-commit-hooks.yaml"), Loader=yaml.BaseLoader)}
        for block in (block for block in parsed() if "repos" in block):
            for repository in block["repos"]:
                self.assertLessEqual({"repo", "rev", "hooks"}, set(repository))
                self.assertLessEqual({hook["id"] for hook in repository["hooks"]}, hooks)
        self.assertEqual(set(re.findall(r"^\| `(lightlint[\w-]*)` \|", read("docs/ci.md"), re.M)), hooks)

    def test_commands_are_understood(self):
        """The program takes the words, in an empty place: it may miss files, but no option, format or command."""
        count = 0
        for words in command_lines():
            with tempfile.TemporaryDirectory() as folder:
                os.makedirs(os.path.join(folder, "corpus"))
                line = [re.sub(r"\$CI_NODE_INDEX|\$SHARD", "1", re.sub(r"\$CI_NODE_TOTAL", "4", word)) for word in words[1:]]
                done = subprocess.run([PROGRAM, *line], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, check=False)
            self.assertNotRegex(done.stdout, REFUSALS, words)
            self.assertIn(done.returncode, (0, 2), words)
            count += 1
        self.assertGreaterEqual(count, 7)

    def test_version(self):
        version = re.search(r"project\(lightlint VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)
        found = set(re.findall(r"(?:@v|rev: v|ref: v|branch v|lightlint[-_:])(\d+\.\d+\.\d+)", read("docs/ci.md")))
        self.assertEqual(found, {version})


def main():
    global SOURCE, PROGRAM
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    SOURCE, PROGRAM = map(os.path.abspath, sys.argv[1:3])
    return 0 if unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
