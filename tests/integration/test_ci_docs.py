#!/usr/bin/env python3
"""docs/ci.md: every YAML block parses, and everything it names exists: hooks, inputs and outputs of the action,
commands, options, formats. Its workflows are run in a machine that has only what they install: building is faked, other
actions are emulated, and the program is the one under test.

usage: test_ci_docs.py SOURCE_DIR PROGRAM WORK_DIR
exit:  0 all passed, 1 not, 77 skipped (no YAML reader)"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import test_action

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

SOURCE, PROGRAM, WORK = "", "", ""
NO_HOME = "OWNER/lightlint"  # stands for the project in the pages while CMakeLists.txt states no home
REFUSALS = r"unknown option|no such value|no command|is not an option|needs a value|only one format"


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def home():
    """The project on the web as workflows name it."""
    stated = re.search(r'HOMEPAGE_URL "([^"]*)"', read("CMakeLists.txt")).group(1)
    return stated.split("/", 3)[3] if stated else NO_HOME


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
    """Words of every call of lightlint in the scripts of all blocks."""
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
                    if "uses" in step and not step["uses"].startswith(home() + "@v"):
                        self.assertRegex(step["uses"], r"@[0-9a-f]{40}$", "a tag may be moved, a commit cannot")
                    self.assertEqual(("run" in step) + ("uses" in step), 1, step)
                    self.assertNotIn("${{", step.get("run", ""), "expressions reach scripts by env")
                    ours = home() + "@" in step.get("uses", "")
                    uploads |= ours and step.get("with", {}).get("upload-sarif", "true") == "true"
            self.assertEqual(uploads, block["permissions"].get("security-events") == "write", block["name"])

    def test_action_is_used_as_it_is(self):
        action = yaml.load(read("action.yml"), Loader=yaml.BaseLoader)
        for mapping in (mapping for block in parsed() for mapping in walk(block)):
            if str(mapping.get("uses", "")).startswith(home() + "@"):
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
        """The program accepts every option, format and command, run in an empty folder, where files may be missing."""
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

    def test_home(self):
        for page in ("docs/ci.md", "docs/install.md"):
            self.assertIn(home(), read(page), page)
            if home() != NO_HOME:
                self.assertNotIn("OWNER", read(page), page)

    def test_version(self):
        version = re.search(r"project\(lightlint VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)
        found = set(re.findall(r"(?:@v|rev: v|ref: v|branch v|lightlint[-_:])(\d+\.\d+\.\d+)", read("docs/ci.md")))
        self.assertEqual(found, {version})


# Commands of a fresh machine, and commands that packages of Debian and Ubuntu install.
BASE = ("bash", "sh", "env", "cat", "cp", "ln", "mkdir", "rm", "ls", "od", "tr", "head", "sed", "wc", "awk", "find", "cut", "touch", "sort", "id")
BRINGS = {"gcc": ["cc"], "cmake": ["cmake"], "ninja-build": ["ninja"], "pkg-config": ["pkg-config"], "git": ["git"],
          "git-lfs": ["git-lfs"], "pre-commit": ["pre-commit"]}
LIBRARIES = ("libpcre2-dev", "libcjson-dev", "libyaml-dev", "zlib1g-dev", "libexpat1-dev")
TOOLS = {
    "sudo": 'exec "$@"\n',
    "apt-get": """[ "$1" = update ] && touch "$STATE/updated" && exit
[ -e "$STATE/updated" ] && [ "$1" = install ] && shift || exit 1
for name; do
  case $name in -y|-q|-qq) continue ;; esac
  touch "$STATE/has $name"
  for tool in $(sed -n "s/^$name: //p" "$STATE/brings"); do ln -sf "$STATE/tools/$tool" "$BIN/$tool"; done
done
""",
    "git": """case $1 in
lfs) command -v git-lfs >/dev/null && touch "$STATE/fetched" ;;
clone) [ -e "$STATE/has ca-certificates" ] || exit 1
  for where; do :; done
  ln -s "$SOURCE" "$where" ;;
fetch) [ "$2 $3 $4" = "--depth 1 origin" ] && [ -n "$5" ] && echo "$5" >"$STATE/fetched" ;;
checkout) [ "$2 $3" = "FETCH_HEAD --" ] && [ -e "$STATE/fetched" ] && shift 3 && cd "$STATE/base" && cp -r "$@" "$OLDPWD" ;;
*) exit 1 ;;
esac
""",
    "cmake": """case $1 in
-S) [ -e "$2/CMakeLists.txt" ] && [ "$3" = -B ] && mkdir -p "$4" && touch "$4/configured" || exit 1
  [ "$5 $6" != "-G Ninja" ] || command -v ninja || exit 1
  for name in $LIBRARIES; do [ -e "$STATE/has $name" ] || exit 1; done
  command -v cc && command -v pkg-config ;;
--build) [ -e "$2/configured" ] && [ "$3 $4" = "--target install" ] && ln -sf "$PROGRAM" "$BIN/lightlint" ;;
*) exit 1 ;;
esac
""",
    "pip": '[ "$*" = "install pre-commit" ] && ln -sf "$STATE/tools/pre-commit" "$BIN/pre-commit"\n',
    "pre-commit": '[ "$*" = "run --all-files" ] && [ -e "$STATE/has cmake" ] && touch "$STATE/hooks"\n',
    "cc": "", "ninja": "", "pkg-config": "", "git-lfs": "",
}


class Machine:
    """A runner in a folder of its own that runs the steps of a job in its workspace."""

    def __init__(self, name, *tools):
        self.folder = os.path.join(WORK, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.bin, self.state, self.workspace = (os.path.join(self.folder, part) for part in ("bin", "state", "workspace"))
        for folder in (self.bin, os.path.join(self.state, "tools"), self.workspace):
            os.makedirs(folder)
        for name in BASE:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        for tool, text in TOOLS.items():
            path = os.path.join(self.state, "tools", tool)
            with open(path, "w", encoding="ascii") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(path, 0o755)
        for tool in tools:
            self.give(tool)
        with open(os.path.join(self.state, "brings"), "w", encoding="ascii") as file:
            file.writelines(f"{package}: {' '.join(names)}\n" for package, names in BRINGS.items())
        self.environment = {"PATH": self.bin, "BIN": self.bin, "STATE": self.state, "SOURCE": SOURCE, "PROGRAM": PROGRAM,
                            "LIBRARIES": " ".join(LIBRARIES), "HOME": self.folder}
        self.log = ""

    def give(self, tool):
        os.symlink(os.path.join(self.state, "tools", tool), os.path.join(self.bin, tool))

    def has(self, name):
        return os.path.exists(os.path.join(self.state, name))

    def files(self, *demos, below="corpus"):
        os.makedirs(os.path.join(self.workspace, below), exist_ok=True)
        for demo in demos:
            shutil.copy(os.path.join(SOURCE, "corpus", "demo", demo), os.path.join(self.workspace, below))

    def run(self, script, **variables):
        script = script.replace("/tmp/", self.folder + "/")  # the machine has a /tmp of its own
        done = subprocess.run([os.path.join(self.bin, "bash"), "-e", "-o", "pipefail", "-c", script], cwd=self.workspace,
                              env={**self.environment, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        self.log += done.stdout
        return done.returncode

    def collect(self, patterns, folder):
        """Copies the artifacts of a job."""
        os.makedirs(folder, exist_ok=True)
        found = [path for pattern in patterns for path in glob.glob(os.path.join(self.workspace, pattern))]
        for path in found:
            shutil.copy(path, folder)
        return len(found)


class Job:
    """Runs the steps of a job of a workflow in order, if their `if` allows."""

    def __init__(self, machine, artifacts, matrix):
        self.machine, self.artifacts, self.matrix = machine, artifacts, matrix
        self.outputs, self.code = {}, 0

    def value(self, text):
        def word(match):
            kind, name, *rest = match.group(1).split(".")
            if kind == "github":
                return {"base_ref": "main"}[name]
            return self.matrix[name] if kind == "matrix" else self.outputs.get(name, {}).get(rest[-1], "")
        return test_action.EXPRESSION.sub(word, text)

    def runs(self, condition):
        if not condition:
            return self.code == 0
        always, rest = condition.split(" && ")
        name, wanted = re.match(r"steps\.(\w+)\.outputs\.sarif-file( != '')$", rest).groups()
        return always == "always()" and bool(wanted and self.outputs[name].get("sarif-file"))

    def use(self, action, given):
        name = action.split("@")[0]
        if name == "actions/checkout" and "repository" in given:
            os.symlink(SOURCE, os.path.join(self.machine.workspace, given["path"]))
        elif name == "actions/setup-python":
            self.machine.give("pip")
        elif name == "actions/upload-artifact":
            return 0 if self.machine.collect([given["path"]], os.path.join(self.artifacts, given["name"])) else 1
        elif name == "actions/download-artifact":
            for path in glob.glob(os.path.join(self.artifacts, given["pattern"], "*")):
                shutil.copy(path, self.machine.workspace)
            return 0 if given["merge-multiple"] == "true" else 1
        elif name == home():
            return self.lint(given)
        elif name != "actions/checkout":
            return 1
        return 0

    def lint(self, given):
        """Runs the steps of the action."""
        runner = test_action.Runner(os.path.basename(self.machine.folder))
        runner.workspace, runner.path = self.machine.workspace, self.machine.bin
        runner.inputs.update(given)
        # test_action.py tests the other ways to provide it
        os.symlink(PROGRAM, os.path.join(self.machine.bin, "lightlint"))
        codes = [runner.run("program"), runner.run("check")]
        self.machine.log += runner.log
        self.action = runner.outputs["check"]
        return max(codes)

    def run(self, steps):
        for step in steps:
            if not self.runs(step.get("if")):
                continue
            given = {name: self.value(text) for name, text in step.get("with", {}).items()}
            if "uses" in step:
                code = self.use(step["uses"], given)
                if "id" in step:
                    self.outputs[step["id"]] = self.action
            else:
                code = self.machine.run(step["run"], **{name: self.value(text) for name, text in step.get("env", {}).items()})
            self.code = self.code or code
        return self.code


class Run(unittest.TestCase):
    def setUp(self):
        if not shutil.which("bash"):
            self.skipTest("no bash here")
        os.makedirs(test_action.WORK, exist_ok=True)

    def job(self, name, steps, *demos, artifacts="artifacts", matrix=None, prepare=None, base=None):
        machine = Machine(name, "sudo", "apt-get", "git")
        if base:
            shutil.copytree(base, os.path.join(machine.state, "base"))
        machine.files(*demos)
        machine.files(*demos, below="mods")
        machine.files(below="test files")
        for path in prepare or []:
            shutil.copy(path, machine.workspace)
        job = Job(machine, os.path.join(WORK, artifacts), matrix or {})
        job.run(steps)
        return job

    def workflows(self, name):
        return [block for block in parsed() if block.get("name") == name]

    def test_lights(self):
        blocks_of = self.workflows("lights")
        self.assertEqual(len(blocks_of), 2)
        for i, block in enumerate(blocks_of):
            for demo, code in ((test_action.GOOD, 0), (test_action.BAD, 1)):
                name = f"lights-{i}-{code}"
                shutil.rmtree(os.path.join(WORK, name + "-artifacts"), ignore_errors=True)
                job = self.job(name, block["jobs"]["lights"]["steps"], demo, artifacts=name + "-artifacts")
                self.assertEqual(job.code, code, job.machine.log)
                self.assertEqual(job.action["sarif-file"], "lightlint.sarif")
                kept = os.path.join(WORK, name + "-artifacts", "lightlint", "lightlint.sarif")
                self.assertEqual(os.path.exists(kept), i == 1, "the report is kept where it is not uploaded")

    def test_pre_commit(self):
        for block in self.workflows("pre-commit"):
            job = self.job("workflow-pre-commit", block["jobs"]["pre-commit"]["steps"])
            self.assertEqual(job.code, 0, job.machine.log)
            self.assertTrue(job.machine.has("hooks"))

    def test_gate(self):
        """The configuration of the branch applies, not that of the pull request."""
        shutil.rmtree(os.path.join(WORK, "gate"), ignore_errors=True)
        base = os.path.join(WORK, "gate", "base")
        os.makedirs(os.path.join(base, "ci"))
        with open(os.path.join(base, ".lightlint.yaml"), "w", encoding="ascii") as file:
            file.write("root: true\n")
        request = os.path.join(WORK, "gate", ".lightlint.yaml")
        with open(request, "w", encoding="ascii") as file:
            file.write("fail-on: never\n")
        for block in self.workflows("gate"):
            for demo, code in ((test_action.GOOD, 0), (test_action.BAD, 1)):
                job = self.job(f"gate-{code}", block["jobs"]["gate"]["steps"], demo, prepare=[request], base=base)
                self.assertEqual(job.code, code, job.machine.log)

    def test_every_workflow_is_run(self):
        """Fails if the page has a workflow that is not tested here."""
        self.assertEqual({block["name"] for block in parsed() if "jobs" in block}, {"lights", "pre-commit", "sweep", "gate"})

    DEMOS = (test_action.GOOD, test_action.BAD, "bad-occ-w.grxoc", "good-map.rgm", "bad-section-length.rgm")

    def whole(self):
        """Output of a single run over the whole corpus."""
        machine = Machine("whole", "sudo")
        machine.files(*self.DEMOS)
        os.symlink(PROGRAM, os.path.join(machine.bin, "lightlint"))
        self.assertEqual(machine.run("lightlint sweep -o sweep.jsonl corpus"), 0, machine.log)
        path = os.path.join(machine.workspace, "sweep.jsonl")
        with open(path, "rb") as file:
            return path, file.read()

    def test_sweep(self):
        path, text = self.whole()
        for block in self.workflows("sweep"):
            shutil.rmtree(os.path.join(WORK, "sweep-artifacts"), ignore_errors=True)
            for shard in block["jobs"]["part"]["strategy"]["matrix"]["shard"]:
                job = self.job("sweep-part-" + shard, block["jobs"]["part"]["steps"], *self.DEMOS, artifacts="sweep-artifacts",
                               matrix={"shard": shard})
                self.assertEqual(job.code, 0, job.machine.log)
            join = self.job("sweep-join", block["jobs"]["join"]["steps"], artifacts="sweep-artifacts", prepare=[path])
            self.assertEqual(join.code, 0, join.machine.log)
            with open(os.path.join(join.machine.workspace, "new.jsonl"), "rb") as file:
                self.assertEqual(file.read(), text)

    def gitlab(self, block, name, machine, **variables):
        """(exit code of a job, number of existing artifacts, number of listed artifacts)."""
        job = {**block.get("default", {}), **block[name]}
        self.assertTrue(job["image"].startswith("debian:"))
        code = machine.run("\n".join(job.get("before_script", []) + job["script"]), **variables)
        kept = job["artifacts"].get("paths", []) + list(job["artifacts"].get("reports", {}).values())
        return code, machine.collect(kept, os.path.join(WORK, "gitlab-artifacts")), len(kept)

    def test_gitlab(self):
        path, text = self.whole()
        for block in (block for block in parsed() if "jobs" not in block and "repos" not in block):
            shutil.rmtree(os.path.join(WORK, "gitlab-artifacts"), ignore_errors=True)
            if "lights" in block:
                for demo, code in ((test_action.GOOD, 0), (test_action.BAD, 1)):
                    machine = Machine(f"gitlab-{code}", "apt-get")
                    machine.files(demo)
                    self.assertEqual(self.gitlab(block, "lights", machine), (code, 2, 2), machine.log)
                    self.assertTrue(machine.has("fetched"))
                continue
            count = int(block["part"]["parallel"])
            for index in range(1, count + 1):
                machine = Machine(f"gitlab-part-{index}", "apt-get")
                machine.files(*self.DEMOS)
                node = {"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(count)}
                self.assertEqual(self.gitlab(block, "part", machine, **node), (0, 1, 1), machine.log)
            machine = Machine("gitlab-join", "apt-get")
            for part in glob.glob(os.path.join(WORK, "gitlab-artifacts", "*")) + [path]:
                shutil.copy(part, machine.workspace)
            self.assertEqual(self.gitlab(block, "join", machine), (0, 1, 1), machine.log)
            with open(os.path.join(machine.workspace, "new.jsonl"), "rb") as file:
                self.assertEqual(file.read(), text)


def main():
    global SOURCE, PROGRAM, WORK
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    SOURCE, PROGRAM, WORK = map(os.path.abspath, sys.argv[1:])
    test_action.SOURCE, test_action.PROGRAM, test_action.WORK = SOURCE, PROGRAM, os.path.join(WORK, "action")
    return 0 if unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
