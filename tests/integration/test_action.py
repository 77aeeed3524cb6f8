#!/usr/bin/env python3
"""The GitHub Action: its file against the rules of composite actions, its steps run as on a runner, and linters if
installed.

usage: test_action.py SOURCE_DIR PROGRAM WORK_DIR
exit:  0 all passed, 1 not, 77 skipped (no bash, no YAML reader)"""
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import unittest
import urllib.parse
import zipfile

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
        return yaml.load(file, Loader=yaml.BaseLoader)  # all scalars are text, even `true`


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
            self.assertRegex(name, r"^[a-z][a-z0-9-]*$")
            self.assertLessEqual({"description", "required", "default"}, set(given), name)
        for name, given in self.action["outputs"].items():
            self.assertEqual({"description", "value"}, set(given), name)

    def test_steps(self):
        for step in self.steps:
            self.assertLessEqual(set(step), STEP_KEYS, step)
            self.assertEqual(("run" in step) + ("uses" in step), 1, step)
            self.assertEqual("run" in step, "shell" in step, "a step that runs a script names its shell, no other does")
            if "uses" in step:
                self.assertRegex(step["uses"], r"^[\w-]+/[\w./-]+@[0-9a-f]{40}$", "a tag may be moved, a commit cannot")

    def test_inputs_reach_scripts_as_variables_only(self):
        for step in self.steps:
            self.assertNotRegex(step.get("run", ""), EXPRESSION)
        for path in scripts():
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertNotIn("${{", text)
            self.assertNotRegex(text, r"(?m)^\s*eval\b")

    def test_references(self):
        """Names in expressions exist, and every input is used."""
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
    """Runs the two steps that have a script, with the variables of a runner."""

    def __init__(self, name):
        self.folder = os.path.join(WORK, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.workspace, self.temp = os.path.join(self.folder, "a workspace"), os.path.join(self.folder, "a temp")
        for folder in (self.workspace, self.temp):
            os.makedirs(folder)
        self.steps = {step.get("id"): step for step in load()["runs"]["steps"]}
        self.inputs = {name: given["default"] for name, given in load()["inputs"].items()}
        self.path = os.environ["PATH"]
        self.machine = {"RUNNER_OS": "Linux", "RUNNER_ARCH": "X64"}
        self.outputs, self.log = {}, ""

    def add(self, name, demo):
        path = os.path.join(self.workspace, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(os.path.join(SOURCE, "corpus", "demo", demo), path)

    def value(self, expression):
        if expression.startswith("inputs."):
            return self.inputs[expression[7:]]
        if expression.startswith("github."):
            return {"github.action_path": SOURCE, "github.action_repository": ""}[expression]
        step, name = re.match(r"steps\.([\w-]+)\.outputs\.([\w-]+)$", expression).groups()
        return self.outputs.get(step, {}).get(name, "")

    def run(self, step_id):
        """Runs a step; returns its exit code. Log and outputs are kept."""
        step = self.steps[step_id]
        files = {name: os.path.join(self.temp, step_id + "-" + name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            open(path, "w", encoding="utf-8").close()
        script = os.path.join(self.temp, step_id + ".sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(step["run"])
        variables = {name: EXPRESSION.sub(lambda m: self.value(m.group(1)), text) for name, text in step["env"].items()}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script], cwd=self.workspace,
                              env={"PATH": self.path, "RUNNER_TEMP": self.temp, "HOME": self.temp, **self.machine, **files, **variables},
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
        """The log is between stop-commands and its token; annotations follow."""
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


class Got(unittest.TestCase):
    """The step that provides the program."""

    def setUp(self):
        self.runner = Runner("get-" + self.id().split(".")[-1])
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
        """A fake CMake that logs its arguments and 'builds' the program."""
        made = os.path.join(self.runner.temp, "lightlint-build")
        self.tool("cmake", f'echo "cmake $*"\nmkdir -p "{made}"\nln -sf "{PROGRAM}" "{made}/lightlint"\n')
        for name in ("cc", "pkg-config"):
            self.tool(name, "exit 0\n")

    def refused(self, how, saying):
        self.assertEqual(self.build(how), 2, self.runner.log)
        self.assertRegex(self.runner.log, r"(?m)^::error title=lightlint::.*" + re.escape(saying))
        self.assertNotIn("program", self.runner.outputs["program"])


class Build(Got):
    def test_installed_one_is_taken(self):
        self.tool("lightlint", f'exec "{PROGRAM}" "$@"\n')
        for how in ("auto", "never"):
            self.assertEqual(self.build(how), 0, self.runner.log)
            self.assertEqual(self.runner.outputs["program"]["program"], os.path.join(self.bin, "lightlint"))

    def test_built(self):
        self.pretend()
        self.tool("lightlint", "exit 3\n")  # must not be called
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
        for package in ("libpcre2-dev", "libcjson-dev", "libyaml-dev", "zlib1g-dev", "libexpat1-dev", "cmake", "gcc"):
            self.assertIn(package, self.runner.log)

    def test_refused(self):
        self.assertEqual(self.build("sometimes"), 2, self.runner.log)
        self.assertIn("expected auto, always or never", self.runner.log)
        if not shutil.which("lightlint"):
            self.assertEqual(self.build("never"), 2, self.runner.log)


class Release(Got):
    """A release served from a local directory."""

    def setUp(self):
        super().setUp()
        self.folder = os.path.join(self.runner.folder, "releases here")
        self.runner.inputs["releases"] = "file://" + urllib.parse.quote(self.folder)
        self.tool("cmake", "echo cmake\nexit 1\n")  # nothing must be built
        for name in ("cc", "pkg-config"):
            self.tool(name, "exit 0\n")
        if shutil.which("lightlint"):
            self.skipTest("there is a lightlint on this machine")
        if not shutil.which("curl"):
            self.skipTest("no curl here")

    def release(self, *names, version="0.1.0"):
        """Makes archives as cpack does, and SHA256SUMS. The program in each prints the name of its archive."""
        folder = os.path.join(self.folder, "v" + version)
        os.makedirs(folder, exist_ok=True)
        for name in names:
            stem = re.sub(r"\.(tar\.gz|zip)$", "", name)
            program = f"{stem}/bin/lightlint" + (".exe" if "windows" in name.lower() else "")
            text = f'#!/bin/sh\n[ "$*" = version ] && echo "lightlint {version}" && echo "out of {name}" && exit\nexec "{PROGRAM}" "$@"\n'
            data = text.encode()
            with io.BytesIO() as held:
                if name.endswith(".zip"):
                    with zipfile.ZipFile(held, "w") as archive:
                        info = zipfile.ZipInfo(program)
                        info.external_attr = 0o755 << 16
                        archive.writestr(info, data)
                else:
                    with tarfile.open(fileobj=held, mode="w:gz") as archive:
                        info = tarfile.TarInfo(program)
                        info.size, info.mode = len(data), 0o755
                        archive.addfile(info, io.BytesIO(data))
                packed = held.getvalue()
            with open(os.path.join(folder, name), "wb") as file:
                file.write(packed)
            with open(os.path.join(folder, "SHA256SUMS"), "a", encoding="ascii") as file:
                file.write(f"{hashlib.sha256(packed).hexdigest()}  {name}\n")
        return folder

    def takes(self, name, how="auto"):
        self.assertEqual(self.build(how), 0, self.runner.log)
        self.assertIn("out of " + name + "\n", self.runner.log)
        self.assertNotIn("cmake", self.runner.log)
        program = self.runner.outputs["program"]["program"]
        self.assertTrue(program.startswith(self.runner.temp) and os.access(program, os.X_OK), program)
        return program

    NAMES = ("lightlint-0.1.0-linux-x86_64.tar.gz", "lightlint-0.1.0-linux-aarch64.tar.gz",
             "lightlint-0.1.0-windows-AMD64.zip", "lightlint-0.1.0-darwin-arm64.tar.gz")
    RUNNERS = (("Linux", "X64"), ("Linux", "ARM64"), ("Windows", "X64"), ("macOS", "ARM64"))

    def test_each_runner_gets_its_own(self):
        self.release(*self.NAMES)
        for name, (system, machine) in zip(self.NAMES, self.RUNNERS):
            self.runner.machine = {"RUNNER_OS": system, "RUNNER_ARCH": machine}
            if name.endswith(".zip") and not shutil.which("unzip"):
                self.tool("unzip", 'python3 -m zipfile -e "$3" "$5" && chmod -R +x "$5"\n')
            for how in ("auto", "never"):
                self.takes(name, how)

    def test_it_checks(self):
        self.release(*self.NAMES)
        program = self.takes(self.NAMES[0])
        self.runner.add("bad.grxla", BAD)
        self.runner.outputs["program"] = {"program": program}
        self.assertEqual(self.runner.run("check"), 1, self.runner.log)
        self.assertIn("GRX265", self.runner.summary)

    def test_paths_of_windows(self):
        """On Windows, paths of the runner are C:\\... and every output must be a path that Windows understands."""
        self.release(*self.NAMES)
        self.tool("cygpath", f'[ "$1" = -m ] && printf "%s\\n" "$2" | tr "\\\\" / | sed "s,^C:,{self.runner.folder},"\n')
        if not shutil.which("unzip"):
            self.tool("unzip", 'python3 -m zipfile -e "$3" "$5" && chmod -R +x "$5"\n')
        self.runner.machine = {"RUNNER_OS": "Windows", "RUNNER_ARCH": "X64", "RUNNER_TEMP": "C:\\a temp"}
        program = self.takes(self.NAMES[2])
        self.assertTrue(program.endswith("/bin/lightlint.exe"), program)
        self.runner.add("bad.grxla", BAD)
        self.runner.path = self.bin + ":" + os.environ["PATH"]
        self.runner.outputs["program"] = {"program": program}
        self.assertEqual(self.runner.run("check"), 1, self.runner.log)
        self.assertIn("GRX265", self.runner.summary)
        self.assertTrue(os.path.exists(os.path.join(self.runner.temp, "lightlint-summary.md")))

    def test_another_checksum_is_refused(self):
        folder = self.release(*self.NAMES)
        with open(os.path.join(folder, self.NAMES[0]), "ab") as file:
            file.write(b"\0")
        for how in ("auto", "never"):
            self.refused(how, "another checksum")
        self.assertNotIn("cmake", self.runner.log)

    def test_a_checksum_of_the_users_own(self):
        folder = self.release(*self.NAMES)
        with open(os.path.join(folder, self.NAMES[0]), "rb") as file:
            self.runner.inputs["sha256"] = hashlib.sha256(file.read()).hexdigest().upper()
        self.takes(self.NAMES[0])
        self.runner.inputs["sha256"] = "0" * 64
        self.refused("auto", "another checksum")
        self.runner.inputs["releases"] = "file:///nowhere"
        self.refused("auto", "sha256 is given")

    def test_versions(self):
        self.release(*self.NAMES)
        newer = "lightlint-0.10.0-linux-x86_64.tar.gz"
        self.release(newer, version="0.10.0")
        for version in ("0.10.0", "v0.10.0"):
            self.runner.inputs["version"] = version
            self.takes(newer)
        self.tool("lightlint", 'echo "lightlint 0.1.0"\n')
        self.takes(newer)  # the installed one has another version
        self.runner.inputs["version"] = "0.1.0"
        self.assertEqual(self.build("never"), 0, self.runner.log)
        self.assertEqual(self.runner.outputs["program"]["program"], os.path.join(self.bin, "lightlint"))
        self.runner.inputs["version"] = "0.2.0"
        self.refused("auto", "there is no release 0.2.0")
        for version in ("latest", "1;x", "../0.1.0", "0.1.0\n::warning::x"):
            self.runner.inputs["version"] = version
            self.refused("auto", "version: expected one as in 0.1.0")
            self.assertNotIn("\n::warning::", self.runner.log)

    def test_built_where_there_is_none(self):
        self.pretend()
        self.release(*self.NAMES[1:])
        self.assertEqual(self.build("auto"), 0, self.runner.log)
        self.assertIn("there is no release 0.1.0 for this runner\n", self.runner.log)
        self.assertIn("cmake -S", self.runner.log)
        self.refused("never", "there is no release")
        self.runner.machine["RUNNER_OS"] = "Windows"
        self.runner.inputs["releases"] = "file:///nowhere"
        self.refused("auto", "for Windows")

    def test_nothing_leads_out_of_the_release(self):
        folder = self.release("lightlint-0.1.0-linux-x86_64.tar.gz")
        with open(os.path.join(folder, "SHA256SUMS"), encoding="ascii") as file:
            digest = file.read().split()[0]
        with open(os.path.join(folder, "SHA256SUMS"), "w", encoding="ascii") as file:
            file.write(f"{digest}  lightlint-0.1.0/../lightlint-0.1.0-linux-x86_64.tar.gz\n")
        self.refused("never", "there is no release")
        self.runner.inputs["releases"] = "http://127.0.0.1:9"
        self.refused("never", "there is no release")
        self.assertIn("disabled", self.runner.log)  # message of curl about the protocol


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
