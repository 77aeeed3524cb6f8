"""Runs lightlint for the tests and parses its output."""
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field

STRUCTURAL = ("magic", "size", "offset", "count", "padding", "reserved", "hash", "string", "terminator")
LOUD = ("error", "warning")
# Keeps the output independent of a CI job and of the repository that contains the files.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("GITHUB_ACTIONS", "GITLAB_CI")}
ENVIRONMENT.update(GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="remote.origin.url", GIT_CONFIG_VALUE_0="")


def is_under_wine(program):
    """Is this the script that runs the Windows program under Wine?"""
    with open(program, "rb") as file:
        return b"under_wine.sh" in file.read(200)


def listed(names):
    """Names for the options -0 --files-from."""
    return b"".join(os.fsencode(name) + b"\0" for name in names)


@dataclass
class Run:
    code: int
    findings: dict = field(default_factory=dict)  # file: list of finding objects
    summary: dict = field(default_factory=dict)
    stderr: str = ""


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.under_wine = is_under_wine(self.path)

    def call(self, *arguments, cwd=None, stdin=b"", timeout=600):
        """Runs the program; returns exit code, standard output and standard error."""
        for _ in range(3):
            done = subprocess.run([self.path, *arguments], cwd=cwd, input=stdin, capture_output=True, timeout=timeout,
                                  env=dict(ENVIRONMENT, LC_ALL="C", NO_COLOR="1"))
            # Wine fails about one start in a thousand, with code 1 and no output; never twice in a row. A fault of the
            # program would recur.
            if not self.under_wine or done.returncode != 1 or done.stdout or done.stderr:
                break
        if done.returncode not in (0, 1, 2):
            words = done.stderr.decode(errors="replace")
            raise RuntimeError(f"{' '.join(arguments)[:200]}: exit code {done.returncode}\n{words}")
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def lint(self, files, *options, cwd=None):
        """Lints all files in one process. Files keep the names given."""
        code, out, err = self.call("--format", "jsonl", "--all", *options, "-0", "--files-from", "-", cwd=cwd, stdin=listed(files))
        run = Run(code, {name: [] for name in files}, {}, err)
        for line in out.decode().split("\n")[:-1]:
            item = json.loads(line)
            if item["type"] == "finding":
                run.findings[item["file"]].append(item)
            else:
                run.summary = item
        return run

    def spans(self, file, cwd=None):
        """Spans of a file in the order of dump."""
        code, out, err = self.call("dump", "--format", "json", file, cwd=cwd)
        if not out:
            raise RuntimeError(f"dump {file}: exit code {code}\n{err}")
        return json.loads(out)

    def rules(self):
        return json.loads(self.call("rules", "--format", "json")[1])["rules"]


def tiling_fault(dump, size):
    """Why the spans do not tile [0, size) or a region; "" if they do."""
    why = stretch_fault(dump, size)
    for region in dump.get("regions", []):
        fault = stretch_fault(region, region["size"])
        why = why or fault and f"{region['name']}: {fault}"
    return why


def stretch_fault(dump, size):
    at = 0
    for span in dump["spans"]:
        if span["offset"] != at:
            return f"a span at {span['offset']:#x} ({span['path']}), but the one before it ends at {at:#x}"
        if span["length"] <= 0:
            return f"an empty span at {at:#x} ({span['path']})"
        at += span["length"]
    if at == size == dump["size"]:
        return ""
    return f"spans end at {at:#x}, the bytes at {size:#x}, dump says {dump['size']:#x}"


def outside(findings, size):
    """The first finding outside a file of that size, or None."""
    return next((f for f in findings if not 0 <= f["offset"] <= f["offset"] + f["length"] <= size), None)


def outside_regions(findings, regions):
    """The first finding outside its region, or None."""
    sizes = {region["name"]: region["size"] for region in regions}
    for finding in findings:
        inner = finding.get("inner")
        if inner and (inner.get("region") not in sizes or
                      not 0 <= inner["offset"] <= inner["offset"] + inner["length"] <= sizes[inner["region"]]):
            return finding
    return None


class Workshop:
    """A temporary folder for many small files, in memory where possible."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="lightlint-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def write(self, name, data):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return name

    def read(self, name):
        with open(os.path.join(self.path, name), "rb") as file:
            return file.read()

    def clear(self):
        for name in os.listdir(self.path):
            shutil.rmtree(os.path.join(self.path, name))


def optional_folder(variable, name):
    """The folder named by an environment variable, or the default one next to the project; None if it does not
    exist."""
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.normpath(os.path.join(here, "..", "..", "..", "shared", name))
    folder = os.environ.get(variable, beside)
    return folder if os.path.isdir(folder) else None


def real_corpus():
    """Folder of real game files, or None."""
    return optional_folder("LIGHTLINT_REAL_CORPUS", "real-corpus")


def real_mods():
    """Folder of real mod files with their list, or None."""
    return optional_folder("LIGHTLINT_REAL_MODS", "real-fox-mod")


def mod_rows(folder):
    """Yields path and expected rules of each file in the list of real mods; a rule is `RULE` or `RULE@OFFSET of the
    entity`."""
    with open(os.path.join(folder, "MANIFEST.tsv"), encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            path, *_, rules = line.split("\t")
            yield path, [] if rules == "-" else rules.split(",")


def samples():
    """Folder of sound files written by other tools, or None."""
    return optional_folder("LIGHTLINT_SAMPLES", "samples")


def known_extensions():
    """Extensions listed in formats.def."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "src", "formats", "formats.def"), encoding="utf-8") as file:
        return tuple(re.findall(r'"(\.\w+)"', file.read()))


def files_below(folder, extensions=known_extensions()):
    """Sorted paths of the files below a folder, relative to it."""
    return sorted(os.path.relpath(os.path.join(directory, name), folder)
                  for directory, _, names in os.walk(folder) for name in names if name.endswith(extensions))
