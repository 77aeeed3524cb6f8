#!/usr/bin/env python3
"""The GitHub Action: its file by the rules of composite actions, its steps run as a runner would run them, and linters
where there are any.

usage: test_action.py SOURCE_DIR PROGRAM WORK_DIR
exit:  0 all fine, 1 not, 77 skipped (no bash, no YAML reader)"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

SOURCE, PROGRAM, WORK = "", "", ""
GOOD, BAD = "good-point-tpp.grxla", "bad-name-hash-one-letter.grxla"
TOP_KEYS = {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
STEP_KEYS = {"name", "id", "if", "shell", "env", "run", "uses", "with", "working-directory", "continue-on-error"}
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def load():
    with open(os.path.join(SOURCE, "action.yml"), encoding="utf-8") as file:
        return yaml.load(file, Loader=yaml.BaseLoader)  # all scalars are text, `true` as well


def scripts():
    folder = os.path.join(SOURCE, "src", "packaging")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".sh"))


class File(unittest.TestCase):
    def setUp(self):
        self.action = load()
        self.steps = self.action["runs"]["steps"]

    def test_keys(self):
        self.assertLessEqual(set(self.action), TOP_KEYS)
        self.assertLessEqual({"name", "description", "runs"}, set(self.action))
        self.assertEqual(self.action["runs"]["using"], "composite")
        for name, given in self.action["inputs"].items():
            self.assertRegex(name, r"^[a-z][a-z-]*$")
            self.assertLessEqual({"description", "required", "default"}, set(given), name)
        for name, given in self.action["outputs"].items():
            self.assertEqual({"description", "value"}, set(given), name)

    def test_steps(self):
        for step in self.steps:
            self.assertLessEqual(set(step), STEP_KEYS, step)
            self.assertEqual(("run" in step) + ("uses" in step), 1, step)
            self.assertEqual("run" in step, "shell" in step, "a step that runs a script names its shell, no other does")
            if "uses" in step:
                self.assertRegex(step["uses"], r"^[\w-]+/[\w./-]+@v\d+$")

    def test_inputs_reach_scripts_as_variables_only(self):
        for step in self.steps:
            self.assertNotRegex(step.get("run", ""), EXPRESSION)
        for path in scripts():
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertNotIn("${{", text)
            self.assertNotRegex(text, r"(?m)^\s*eval\b")

    def test_references(self):
        """What expressions name is there, and every input is used."""
        ids = {step.get("id") for step in self.steps}
        used = set()
        texts = [json.dumps(self.action["outputs"]), *(json.dumps(step) for step in self.steps)]
        for expression in EXPRESSION.findall(" ".join(texts)) + [step.get("if", "") for step in self.steps]:
            for name in re.findall(r"inputs\.([\w-]+)", expression):
                self.assertIn(name, self.action["inputs"])
                used.add(name)
            for name in re.findall(r"steps\.([\w-]+)\.", expression):
                self.assertIn(name, ids)
        self.assertEqual(used, set(self.action["inputs"]))

    def test_upload_always(self):
        upload = self.steps[-1]
        self.assertIn("upload-sarif", upload["uses"])
        self.assertIn("always()", upload["if"])

    def test_linters(self):
        for tool, arguments in (("shellcheck", scripts()), ("yamllint", [
                "--strict", "-d", "{extends: default, rules: {line-length: {max: 160}, document-start: disable}}",
                os.path.join(SOURCE, "action.yml"), os.path.join(SOURCE, ".pre-commit-hooks.yaml")])):
            with self.subTest(tool):
                if not shutil.which(tool):
                    print(f"{tool}: skipped, not installed")
                    continue
                done = subprocess.run([tool, *arguments], stdout=subprocess.PIPE, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)


class Runner:
    """The two steps with a script, run with the variables that a runner sets."""

    def __init__(self, name):
        self.folder = os.path.join(WORK, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.workspace, self.temp = os.path.join(self.folder, "a workspace"), os.path.join(self.folder, "a temp")
        for folder in (self.workspace, self.temp):
            os.makedirs(folder)
        self.steps = {step.get("id"): step for step in load()["runs"]["steps"]}
        self.inputs = {name: given["default"] for name, given in load()["inputs"].items()}
        self.path = os.environ["PATH"]
        self.outputs, self.log = {}, ""

    def add(self, name, demo):
        path = os.path.join(self.workspace, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(os.path.join(SOURCE, "corpus", "demo", demo), path)

    def value(self, expression):
        if expression.startswith("inputs."):
            return self.inputs[expression[7:]]
        if expression == "github.action_path":
            return SOURCE
        step, name = re.match(r"steps\.([\w-]+)\.outputs\.([\w-]+)$", expression).groups()
        return self.outputs.get(step, {}).get(name, "")

    def run(self, step_id):
        """Exit code of a step; its log and its outputs are kept."""
        step = self.steps[step_id]
        files = {name: os.path.join(self.temp, step_id + "-" + name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            open(path, "w", encoding="utf-8").close()
        script = os.path.join(self.temp, step_id + ".sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(step["run"])
        variables = {name: EXPRESSION.sub(lambda m: self.value(m.group(1)), text) for name, text in step["env"].items()}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script], cwd=self.workspace,
                              env={"PATH": self.path, "RUNNER_TEMP": self.temp, "HOME": self.temp, **files, **variables},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.log = done.stdout
        with open(files["GITHUB_OUTPUT"], encoding="utf-8") as file:
            self.outputs[step_id] = dict(line.rstrip("\n").split("=", 1) for line in file)
        with open(files["GITHUB_STEP_SUMMARY"], encoding="utf-8") as file:
            self.summary = file.read()
        return done.returncode

    def check(self, **inputs):
        self.inputs.update({name.replace("_", "-"): value for name, value in inputs.items()})
        self.outputs["program"] = {"program": PROGRAM}
        return self.run("check")


class Check(unittest.TestCase):
    def setUp(self):
        self.runner = Runner("check-" + self.id().split(".")[-1])

    def sarif(self):
        path = os.path.join(self.runner.workspace, self.runner.outputs["check"]["sarif-file"])
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def test_clean(self):
        self.runner.add("good.grxla", GOOD)
        self.assertEqual(self.runner.check(), 0, self.runner.log)
        self.assertEqual(self.runner.outputs["check"], {"exit-code": "0", "sarif-file": "lightlint.sarif"})
        self.assertEqual(self.sarif()["runs"][0]["results"], [])

    def test_findings(self):
        self.runner.add("lights/bad file.grxla", BAD)
        self.assertEqual(self.runner.check(), 1, self.runner.log)
        self.assertEqual(self.runner.outputs["check"]["exit-code"], "1")
        self.assertRegex(self.runner.log, r"(?m)^::warning ")
        self.assertIn("GRX265", self.runner.summary)
        self.assertEqual([result["ruleId"] for result in self.sarif()["runs"][0]["results"]], ["GRX265"])

    def test_log_gives_no_commands(self):
        """The log stands between stop-commands and its token; the annotations stand behind it."""
        self.runner.add("bad.grxla", BAD)
        self.runner.check()
        found = re.match(r"::stop-commands::(\S+)\n(.*)\n::\1::\n(.*)", self.runner.log, re.S)
        self.assertIsNotNone(found, self.runner.log)
        self.assertIn("warning[GRX265", found.group(2))
        self.assertNotIn("\n::", found.group(2))
        self.assertRegex(found.group(3), r"^::warning ")

    def test_options(self):
        self.runner.add("bad.grxla", BAD)
        self.assertEqual(self.runner.check(fail_on="error"), 0, self.runner.log)
        self.assertEqual(self.runner.check(fail_on="", args="--fail-on\nnever"), 0, self.runner.log)
        self.assertEqual(self.runner.check(args="  --ignore GRX265   --isolated "), 0, self.runner.log)
        self.assertEqual(self.runner.check(args="", sarif_file="a report.sarif"), 1, self.runner.log)
        self.assertEqual(self.runner.outputs["check"]["sarif-file"], "a report.sarif")
        with open(os.path.join(self.runner.workspace, "some config.yaml"), "w", encoding="utf-8") as file:
            file.write("ignore: [GRX265]\n")
        self.assertEqual(self.runner.check(config="some config.yaml"), 0, self.runner.log)

    def test_paths(self):
        self.runner.add("one file.grxla", BAD)
        self.runner.add("--fail-on=never.grxla", BAD)
        self.runner.add("other/good.grxla", GOOD)
        self.assertEqual(self.runner.check(paths="other\n"), 0, self.runner.log)
        self.assertEqual(self.runner.check(paths="one file.grxla\nother\r\n\n"), 1, self.runner.log)
        self.assertIn("2 files checked", self.runner.log)
        self.assertEqual(self.runner.check(paths="--fail-on=never.grxla"), 1, self.runner.log)
        self.assertEqual(self.runner.check(paths="*.grxla"), 2, "patterns are not expanded\n" + self.runner.log)

    def test_trouble(self):
        self.assertEqual(self.runner.check(paths="not-there.grxla"), 2, self.runner.log)
        self.assertEqual(self.runner.outputs["check"]["exit-code"], "2")
        self.assertIn("::error title=lightlint::", self.runner.log)
        self.assertEqual(self.runner.check(paths=".", args="--no-such-option"), 2, self.runner.log)
        self.assertNotIn("sarif-file", self.runner.outputs["check"], "a report of an earlier run is not this run's")
        self.assertEqual(self.runner.check(paths="\n", args=""), 2, self.runner.log)

    def test_nothing_is_evaluated(self):
        self.runner.add("bad.grxla", BAD)
        trap = os.path.join(self.runner.folder, "trapped")
        for text in (f"$(touch {trap})", f"`touch {trap}`", f"; touch {trap} #", f"x'; touch {trap}; '", f'"; touch {trap}; "',
                     f"x[$(touch {trap})]", f"${{IFS}}&&touch {trap}"):
            for name in ("paths", "args", "fail_on", "config", "sarif_file"):
                runner = Runner("trap")
                runner.add("bad.grxla", BAD)
                runner.check(**{name: text})
                self.assertFalse(os.path.exists(trap), f"{name}: {text}")


class Build(unittest.TestCase):
    def setUp(self):
        self.runner = Runner("build-" + self.id().split(".")[-1])
        self.bin = os.path.join(self.runner.folder, "bin")
        os.makedirs(self.bin)

    def tool(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)

    def build(self, how):
        self.runner.inputs["build"] = how
        self.runner.path = self.bin + ":" + os.environ["PATH"]
        return self.runner.run("program")

    def pretend(self):
        """A CMake that notes how it is called and 'builds' the program."""
        made = os.path.join(self.runner.temp, "lightlint-build")
        self.tool("cmake", f'echo "cmake $*"\nmkdir -p "{made}"\nln -sf "{PROGRAM}" "{made}/lightlint"\n')
        for name in ("cc", "pkg-config"):
            self.tool(name, "exit 0\n")

    def test_installed_one_is_taken(self):
        self.tool("lightlint", f'exec "{PROGRAM}" "$@"\n')
        for how in ("auto", "never"):
            self.assertEqual(self.build(how), 0, self.runner.log)
            self.assertEqual(self.runner.outputs["program"]["program"], os.path.join(self.bin, "lightlint"))

    def test_built(self):
        self.pretend()
        self.tool("lightlint", "exit 3\n")  # not asked
        self.assertEqual(self.build("always"), 0, self.runner.log)
        program = os.path.join(self.runner.temp, "lightlint-build", "lightlint")
        self.assertEqual(self.runner.outputs["program"]["program"], program)
        self.assertIn(f"-S {SOURCE}", self.runner.log)
        self.assertIn("-DCMAKE_BUILD_TYPE=Release", self.runner.log)

    def test_packages_are_installed(self):
        self.pretend()
        self.tool("pkg-config", "exit 1\n")
        self.tool("apt-get", 'echo "apt-get $*" >&2\n')
        self.tool("sudo", '"$@"\n')
        self.assertEqual(self.build("always"), 0, self.runner.log)
        for package in ("libpcre2-dev", "libcjson-dev", "libyaml-dev", "liblzo2-dev", "cmake", "gcc"):
            self.assertIn(package, self.runner.log)

    def test_refused(self):
        self.assertEqual(self.build("sometimes"), 2, self.runner.log)
        self.assertIn("expected auto, always or never", self.runner.log)
        if not shutil.which("lightlint"):
            self.assertEqual(self.build("never"), 2, self.runner.log)


def main():
    global SOURCE, PROGRAM, WORK
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    SOURCE, PROGRAM, WORK = map(os.path.abspath, sys.argv[1:])
    if not shutil.which("bash"):
        print("skipped: no bash here")
        return 77
    os.makedirs(WORK, exist_ok=True)
    return 0 if unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
