#!/usr/bin/env python3
"""The npm package as users have it: packed, installed from the file into an empty folder, and run. Its output must
equal that of the program.

usage: check_npm.py LIGHTLINT PACKAGE_FOLDER CORPUS      exit: 0 all passed, 1 not, 77 no npm or no package"""
import json
import os
import shutil
import subprocess
import sys
import tempfile


def run(*command, cwd, stdin=None):
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL if stdin is None else None, input=stdin, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def install(package, folder):
    cache = ["--cache", os.path.join(folder, "cache"), "--offline", "--no-audit", "--no-fund"]
    code, out, errors = run("npm", "pack", "--silent", "--pack-destination", folder, package, *cache, cwd=folder)
    if code:
        raise SystemExit(errors.decode())
    code, _, errors = run("npm", "install", "--silent", *cache, os.path.join(folder, out.decode().strip()), cwd=folder)
    if code:
        raise SystemExit(errors.decode())
    return os.path.join(folder, "node_modules/.bin/lightlint")


def calls(demo):
    broken, scene = f"{demo}/bad-occ-w.grxoc", f"{demo}/../demo-mod"
    checks = [("check", "--format", name, demo) for name in ("full", "concise", "json", "jsonl", "sarif", "markdown", "html", "statistics")]
    return checks + [
        (broken,), ("--no-cross", demo), ("-q", broken), ("-qq", "--fail-on", "error", broken), ("--fail-on", "never", broken),
        ("--select", "GRX825", broken), ("--ignore", "GRX825", broken), ("--severity", "GRX825=note", broken),
        ("--select", "NOPE", broken), ("--fail-on", "error", "--max-per-rule", "1", demo), (scene,), ("packages", scene), ("packages", "--format", "dot", scene),
        ("dump", broken), ("dump", "--stable", broken), ("dump", "--format", "json", broken), ("explain", "GRX825"), ("explain", "GRX82x"),
        ("explain", "--format", "json", "occ-w"), ("rules",), ("rules", "--select", "tag:layout", "--format", "json"), ("fields", "grx"),
        ("version",), ("--version",), ("version", "--format", "json"), ("diff", broken, broken), (f"{demo}/none.grxla",), ("dump", f"{demo}/none.grxla"),
        ("unread",), ("--unsupported", "allow", "--format", "jsonl", "unread"),
    ]


def shown(result):
    """The parts of a result that do not depend on the build: exit code, output, and whether there are messages."""
    code, out, errors = result
    if out.startswith(b'{"version"') or out.startswith(b'{\n"version"'):
        out = json.dumps(json.loads(out)["version"]).encode()
    return code, out, bool(errors)


def main(native, package, corpus):
    if not shutil.which("npm") or not os.path.exists(os.path.join(package, "lightlint.wasm")):
        print("no npm, or no package: build the preset wasm: skipped")
        return 77
    failed, count = 0, 0
    with tempfile.TemporaryDirectory(prefix="lightlint-npm-") as folder:
        other = install(package, folder)
        shutil.copytree(os.path.join(corpus, "demo"), os.path.join(folder, "demo"))
        shutil.copytree(os.path.join(corpus, "demo-mod"), os.path.join(folder, "demo-mod"))
        for name, data in (("mod.mgsv", b"PK\3\4"), ("00.dat", b"SQAR"), ("x_fpk/1.dat", b"SQAR"), ("other/2.dat", b"SQA")):
            os.makedirs(os.path.dirname(os.path.join(folder, "unread", name)), exist_ok=True)
            with open(os.path.join(folder, "unread", name), "wb") as file:
                file.write(data)
        for call in calls("demo"):
            ours = shown(run(native, *call, cwd=folder))
            theirs = shown(run(other, *call, cwd=folder))
            count += 1
            if ours != theirs:
                failed += 1
                a, b = (text.split(b"\n") for text in (ours[1], theirs[1]))
                line = next(((x, y) for x, y in zip(a, b) if x != y), (len(a), len(b)))
                print(f"FAILED {' '.join(call)}: exit codes {ours[0]} and {theirs[0]}, stderr {ours[2]} and {theirs[2]}\n{line[0]!r}\n{line[1]!r}")
        with open(os.path.join(folder, "use.mjs"), "w", encoding="utf-8") as file:
            file.write("import { load } from 'lightlint'\nconst ll = await load()\nconsole.log(ll.version)\n")
        code, out, errors = run("node", "use.mjs", cwd=folder)
        count += 1
        if code or not out.strip():
            failed += 1
            print(f"FAILED the package as a module\n{errors.decode()}")
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])) if len(sys.argv) == 4 else __doc__)
