#!/usr/bin/env python3
"""The exit code is 2 exactly if the summary counts a file as not checked, or not completely; otherwise 1 exactly if
there are findings at the fail level; otherwise 0. Tested with every case alone, in turn with the fail levels warning and
never, and with note and unsupported parts allowed; and with a table of situations.

usage: exit_codes.py LIGHTLINT CORPUS [STEP]     STEP: only every STEPth case; exit: 0 it holds, 1 not"""
import concurrent.futures
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from program import Program, Workshop  # noqa: E402
from recipe import Corpus  # noqa: E402

OPTIONS = (["--fail-on", "warning"], ["--fail-on", "never"], ["--fail-on", "note", "--unsupported", "allow"])
LEVELS = {"warning": ("errors", "warnings"), "never": (), "note": ("errors", "warnings", "notes")}
GZIP = b"\x1f\x8b\x08" + bytes(7) + b"a page that was packed"


def situations(good, unsupported):
    """Yields (description, name, bytes, options, exit code)."""
    cut = good[:len(good) // 2]
    yield "a good file", "a.grxla", good, [], 0
    yield "a cut file", "a.grxla", cut, [], 2
    yield "a cut file, nothing fails", "a.grxla", cut, ["--fail-on", "never"], 2
    yield "a cut file, its rules off", "a.grxla", cut, ["--ignore", "all"], 2
    for name in ("a.grxla", "a.rgm", "a.mrea", "a.fox2", "a.fpk", "a.lpsh", "a.lba"):
        yield "a gzip called " + name, name, GZIP, [], 2
        yield "an empty file called " + name, name, b"", [], 2
    yield "an unsupported file", "a.mrea", unsupported, [], 2
    yield "an unsupported file, allowed", "a.mrea", unsupported, ["--unsupported", "allow"], 0
    yield "a missing file", "", b"", [], 2


def wanted(summary, level):
    if summary["unchecked"]:
        return 2
    return 1 if any(summary[name] for name in LEVELS[level]) else 0


def main(program_path, corpus_folder, step="1"):
    program, corpus, wrong, count = Program(program_path), Corpus(corpus_folder), [], 0
    with Workshop() as workshop:
        tries = []
        for number, (name, recipe) in enumerate(sorted(corpus.recipes.items())[::int(step)]):
            file = workshop.write(f"{name}/{corpus.file_name(recipe)}", bytes(corpus.assemble(recipe).data))
            tries.append((name, file, OPTIONS[number % len(OPTIONS)]))

        def ask(what):
            name, file, options = what
            code, out, _ = program.call("--isolated", "--no-cross", "--format", "jsonl", *options, file, cwd=workshop.path)
            summary = json.loads(out.decode().splitlines()[-1])
            right = wanted(summary, options[1])
            return [] if code == right == summary["exit_code"] else [f"{name} {options}: exit code {code}, not {right}: {summary}"]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong += [line for lines in pool.map(ask, tries) for line in lines]
        good, unsupported = (bytes(corpus.assemble(corpus.recipes[name]).data) for name in ("good-point-tpp", "odd-dkcr"))
        for words, name, data, options, right in situations(good, unsupported):
            file = workshop.write("situation/" + name, data) if name else "none.grxla"
            code, out, _ = program.call("--isolated", *options, file, cwd=workshop.path)
            counted = "not checked or not in full" in out.decode()
            if code != right or counted != (code == 2):
                wrong.append(f"{words}: exit code {code}, not {right}: {out.decode().splitlines()[-1:]}")
            count += 1
    count += len(tries)
    print("\n".join(wrong))
    print(f"{count - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
