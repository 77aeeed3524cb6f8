#!/usr/bin/env python3
"""Checks .github: each step of a workflow calls ./dev or a well-known action, permissions are stated, and issue forms are well-formed.
The workflows themselves cannot run here.

usage: workflows.py SOURCE_DIR      exit: 0 in order, 1 not, 77 no YAML reader here"""
import glob
import os
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

ACTIONS = {"actions/checkout", "actions/upload-artifact", "actions/download-artifact"}
# A container has no Git, and without it there is no tree and no ./dev.
BEFORE = "apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates git"
KINDS = {"markdown": {"value"}, "input": {"label"}, "textarea": {"label"}, "dropdown": {"label", "options"}}


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, Loader=yaml.BaseLoader)


def step_faults(step, verbs):
    if "uses" in step:
        action, _, version = step["uses"].partition("@")
        if action not in ACTIONS or not re.fullmatch(r"v\d+", version):
            yield f"{step['uses']}: expected one of {', '.join(sorted(ACTIONS))} with its major version"
        return
    words = step.get("run", "").split()
    if step.get("run") != BEFORE and (words[:1] != ["./dev"] or words[1:2] == [] or words[1] not in verbs):
        yield f"'{step.get('run')}': expected a call of ./dev with one of its verbs"
    if "${{" in step.get("run", ""):
        yield f"'{step['run']}': an expression reaches a script by env"


def workflow_faults(workflow, verbs):
    for key in ("name", "on", "permissions", "jobs"):
        if key not in workflow:
            yield f"there is no '{key}'"
    if workflow.get("permissions") != {"contents": "read"}:
        yield "permissions of the workflow: expected 'contents: read'; a job asks for more by itself"
    for name, job in workflow.get("jobs", {}).items():
        if "timeout-minutes" not in job:
            yield f"{name}: there is no timeout-minutes"
        for need in [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []):
            if need not in workflow["jobs"]:
                yield f"{name}: needs {need}, and there is no such job"
        for step in job["steps"]:
            yield from (f"{name}: {fault}" for fault in step_faults(step, verbs))


def form_faults(form):
    for key in ("name", "description", "body"):
        if not form.get(key):
            yield f"there is no '{key}'"
    ids = [part["id"] for part in form.get("body", []) if "id" in part]
    if len(ids) != len(set(ids)):
        yield "an id is there twice"
    for part in form.get("body", []):
        missing = KINDS.get(part.get("type"), {"type"}) - set(part.get("attributes", {}))
        if missing:
            yield f"{part.get('id', part.get('type'))}: there is no {', '.join(sorted(missing))}"


def main(top):
    said = subprocess.run([os.path.join(top, "dev"), "help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    verbs = set(re.findall(r"^ +\./dev (\w+)", said, re.M))
    faults, count = [], 0
    for path in sorted(glob.glob(os.path.join(top, ".github", "**", "*.yml"), recursive=True)):
        if os.path.basename(path) == "config.yml":
            continue
        count += 1
        found = form_faults(load(path)) if "ISSUE_TEMPLATE" in path else workflow_faults(load(path), verbs)
        faults += [f"{os.path.relpath(path, top)}: {fault}" for fault in found]
    print("\n".join([*faults, f"{count} files, {len(faults)} faults"]))
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
