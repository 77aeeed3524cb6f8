#!/usr/bin/env python3
"""Measures lightlint against its budgets, each relative to a yardstick, and prints the results.

Rows are measured in rounds: yardstick, then work, then the next row, so that other load on the machine affects both
alike. Times are processor times (user and system), except where two threads are compared with one: those are wall
times. The ratio of a row is the median of the ratios of its rounds; "best" is the ratio of the two shortest runs.
Memory is the highest peak of all runs. A row that cannot be measured here is listed with the reason.

Instructions are counted by valgrind on small inputs, once for each row with one thread of lightlint. They vary by well
under 1 %, so they are compared with a table (instructions.json). The table is valid for one compiler, libc and set of
libraries; with others nothing is compared.

The inputs are made in a temporary folder. lightlint checks first that they have the findings that the rows state.

usage: bench.py --build DIR [--released FILE] [--wasm FILE] [--quick | --counts | --update-counts]
       DIR: a build of the preset release; FILE: the program of the preset package; lightlint.wasm
       (DIR/../wasm/lightlint.wasm)
       --quick: 2 rounds, fewer files, no slow row, no instructions; --counts: only compare instructions;
       --update-counts: write the table
exit:  0 measured, whatever the result; 1 --counts: a row has over 5 % more instructions than the table;
       2 a command could not run; 77 --counts: skipped, there is no valgrind or the table is for another toolchain"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import instructions
from inputs import FINDINGS, MEGABYTE, PER_DIRECTORY, ROOT, Inputs, Scale

REFERENCE_BYTES = 200
LINT = "lightlint -q -j 1 "
# Files of each kind, bytes of a large one, copies of the files in "many", files of packages, is there a dump to build
# from?
FULL, QUICK = Scale(2000, 64 * MEGABYTE, 10, 5000, True), Scale(2000, 64 * MEGABYTE, 2, 1000, False)
COUNTED = Scale(240, MEGABYTE // 2, 0, 50, True)


@dataclass
class Row:
    """A command, run in the folder of the inputs; "@folder" stands for all files below it. A row without a budget is
    for comparison only."""
    work: str
    command: str
    yardstick: str
    # a command; for memory: (factor for the size of the file that is the last word, additional megabytes)
    reference: str
    budget: float = None
    runs: int = 1  # runs in each round: more for short commands
    wall: bool = False  # measures wall time
    slow: bool = False  # so slow that it is measured in only one round
    afresh: tuple = None  # (from, to): copies a file before each run, because the command changes it
    ratios: list = field(default_factory=list)  # of all rounds
    spent: list = field(default_factory=list)  # of the work: seconds or bytes of each run
    given: list = field(default_factory=list)  # of the yardstick


def hashed(what, name, budget, unpacked=None):
    return Row(f"one clean {{size}} MB {what}", LINT + name, "sha256sum" if not unpacked else "sha256sum of what is unpacked",
               "sha256sum " + (unpacked or name), budget)


def beside(program, arguments, folder):
    return Row(f"{program}, files of {folder}", f"{program} {arguments} @{folder}", "read and sum the same files", f"read_sum @{folder}", runs=3)


MEND = ("damaged.grxla", "mended.grxla")
BUILD = "lightlint build quarter.json -o built.grxla"
TIMES = [
    Row("{files} clean files of 1.8 kB, {per} a directory", LINT + "clean", "read and sum, given the list", "read_sum @clean", 1.25, 3),
    Row("the same of 0.45 kB", LINT + "short", "read and sum, given the list", "read_sum @short", 1.4, 3),
    Row("the same of 1.8 kB, one a directory", LINT + "apart", "walk, read and sum", "read_sum apart", 1.2, 3),
    Row("the same, named one by one", LINT + "@clean", "the folder, walked", LINT + "clean", 1.1, 3),
    Row("{many} of them, -j 2", "lightlint -q -j 2 many", "-j 1", LINT + "many", 0.55, wall=True),
    Row("{many} of them, one a directory, -j 2", "lightlint -q -j 2 many-apart", "-j 1", LINT + "many-apart", 0.60, wall=True),
    Row("one 288-byte file, whole process", LINT + "small.grxla", "/bin/true", "/bin/true", 2.0, 100),
    Row("the same, released program", "released -q -j 1 small.grxla", "/bin/true", "/bin/true", 1.5, 100),
    hashed("GRX file", "big.grxla", 0.45),
    hashed("area of Prime 1", "big.mrea", 0.35),
    hashed("area of Prime 2, stored", "raw.mrea", 0.35),
    hashed("area of Prime 2, LZO", "packed.mrea", 0.60, "raw.mrea"),
    hashed("map", "big.rgm", 0.65),
    hashed("map of scripts", "code.rgm", 0.75),
    hashed("archive of DataSets", "big.fpkd", 0.35),
    Row("{files} DataSets of 20 kB", LINT + "sets", "read and sum the same files", "read_sum sets", 1.3, 3),
    Row("{mods} files of packages, joined", LINT + "mods", "--no-cross", "lightlint -q -j 1 --no-cross mods", 1.25, 3),
    *(Row(f"{{findings}} findings a file, {name}", f"lightlint -j 1 --format {name} faulty", "the clean run", LINT + "clean", most, 3)
      for name, most in (("concise", 2.0), ("full", 2.5), ("jsonl", 2.5), ("sarif", 3.5))),
    # for rules that are off, so none is reported as unused
    Row("{entries} suppressions", LINT + "--ignore name-hash,grx/name-charset known", "none",
        LINT + "--ignore name-hash,grx/name-charset --no-suppressions known", 1.3, 3),
    Row("1,000 excludes", LINT + "left-out", "none", LINT + "--isolated left-out", 1.1, 3),
    Row("diff of two {size} MB GRX files", "lightlint diff big.grxla damaged.grxla", "check of one", LINT + "big.grxla", 5.0),
    Row("fix of one fault in {size} MB", "lightlint fix mended.grxla", "check", LINT + "damaged.grxla", 3.0, afresh=MEND),
    Row("build of a {quarter} MB GRX file", BUILD, "check", LINT + "quarter.grxla", 8.0, slow=True),
    Row("WebAssembly in node, {quarter} MB GRX file", "wasm quarter.grxla", "native", LINT + "quarter.grxla", 2.5),
    Row("WebAssembly in node, {files} files", "wasm clean", "native", LINT + "clean", 2.5, 3),
    beside("lightlint", "-q -j 1", "clean"),
    beside("xmllint", "--noout", "xml"),
    beside("pngcheck", "-q", "png"),
    beside("eu-elflint", "-q --gnu-ld", "elf"),
]
PEAKS = [
    *(Row(f"peak memory, {{size}} MB {what}", LINT + name, "1.5 x the file + 4 MB", (1.5, 4), 1.0)
      for what, name in (("GRX file", "big.grxla"), ("map", "big.rgm"), ("area of Prime 1", "big.mrea"), ("map of scripts", "code.rgm"))),
    *(Row(f"peak memory, {{size}} MB {what}, --all", LINT + "--all " + name, "2 x the file + 64 MB", (2, 64), 1.0)
      for what, name in (("GRX file with a fault", "damaged.grxla"), ("map", "big.rgm"))),
    *(Row(f"peak memory, {{many}} files, -j {jobs}", f"lightlint -q -j {jobs} {folder}", f"{16 * jobs} MB", (0, 16 * jobs), 1.0)
      for jobs, folder in ((1, "many"), (2, "many-apart"))),
    Row("peak memory, {mods} files of packages, joined", LINT + "mods", "16 MB + 200 bytes a reference", (0, "references"), 1.0),
    Row("peak memory, build of {quarter} MB", BUILD, "2 x the file + 64 MB", (2, 64), 1.0, slow=True),
]


class Bench:
    def __init__(self, build, released, wasm, scale, folder):
        self.folder, self.scale = folder, scale
        self.programs = {name: os.path.join(build, "bench", "bench_" + name) for name in ("make_inputs", "read_sum", "measure")}
        self.programs["lightlint"] = os.path.join(build, "lightlint")
        for path in self.programs.values():
            if not os.access(path, os.X_OK):
                raise OSError(f"{path} is not there; build first (cmake --build {build})")
        self.programs |= {"released": released, "wasm": wasm}
        self.codes = {}  # {command: expected exit code}
        self.inputs = Inputs(folder, self.programs, scale)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def why_not(self, row):
        """Why a row cannot be measured, or None. Programs to compare with, and libraries for inputs, may be missing."""
        program, operand = row.command.split()[0], row.command.split()[-1].lstrip("@")
        found = self.programs.get(program, program)
        if row.slow and not self.scale.dump:
            return "left out by --quick"
        if row.wall and (os.cpu_count() or 1) < 2:
            return "one processor"
        if program == "wasm" and not shutil.which("node"):
            return "no node here"
        if not found or not (os.path.exists(found) if program == "wasm" else shutil.which(found)):
            return {"released": "no --released FILE", "wasm": f"no {found} (./dev web)"}.get(program, f"no {program} here")
        return "no liblzo2 to pack it with" if operand == "packed.mrea" and not os.path.exists(self.path(operand)) else None

    def words(self, command):
        program, *words = command.split()
        files = {word: [os.path.relpath(path, self.folder) for path in self.inputs.files(word[1:])] for word in words if word.startswith("@")}
        return [self.programs.get(program, program), *(path for word in words for path in files.get(word, [word]))]

    def run(self, words, environment=None):
        return subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def renew(self, row):
        if row.afresh:
            self.inputs.forget_journals()
            shutil.copyfile(*(self.path(name) for name in row.afresh))

    def expected_code(self, row, command):
        """The exit code of a warm-up run that is not measured. A slow command is expected to succeed."""
        if command not in self.codes:
            self.codes[command] = 0 if row.slow and command == row.command else self.run(self.words(command)).returncode
            if self.codes[command] not in (0, 1):
                raise OSError(f"'{command}' ended with {self.codes[command]}")
        return self.codes[command]

    def measure(self, row, command, runs):
        """[(wall seconds, processor seconds, peak bytes)] of some runs. All must end with the expected exit code."""
        if command.startswith("wasm "):
            script = os.path.join(ROOT, "tests", "bench", "wasm.mjs")
            words = ["node", script, self.programs["wasm"], str(runs), *command.split()[1:]]
        else:
            self.renew(row)
            code = self.expected_code(row, command)
            self.renew(row)
            words = [self.programs["measure"], str(runs), str(code), *self.words(command)]
        done = self.run(words)
        if done.returncode:
            raise OSError(done.stderr.strip() or "measure failed")
        lines = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
        return [(wall / 1e9, (user + system) / 1e6, peak * 1024) for wall, user, system, peak in lines]

    def time_round(self, row, runs):
        figure = 0 if row.wall else 1
        given = [run[figure] for run in self.measure(row, row.reference, runs)]
        spent = [run[figure] for run in self.measure(row, row.command, runs)]
        row.given += given
        row.spent += spent
        row.ratios.append(sum(spent) / sum(given))

    def memory_round(self, row):
        factor, more = row.reference
        more = 16 + self.inputs.references * REFERENCE_BYTES / MEGABYTE if more == "references" else more
        row.spent.append(self.measure(row, row.command, 1)[0][2])
        row.given.append(more * MEGABYTE + (factor and factor * os.path.getsize(self.path(row.command.split()[-1]))))
        row.ratios.append(row.spent[-1] / row.given[-1])

    def count(self):
        """{command: instructions} of lightlint with one thread, and {command: reason} for those not counted."""
        counts, left_out = {}, {}
        for row in TIMES:
            if row.budget is None or row.wall or not row.command.startswith("lightlint "):
                continue
            if self.why_not(row):
                left_out[row.command] = self.why_not(row)
                continue
            self.renew(row)
            counts[row.command] = instructions.count(self.words(row.command), self.folder)
        return counts, left_out


def milliseconds(values):
    value = statistics.median(values) * 1e3
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"


def megabytes(values):
    return f"{max(values) / MEGABYTE:.1f} MB"


def print_row(row, names, ratio, best, words):
    verdict = "" if row.budget is None else f"{row.budget:4.2f}  {'ok' if ratio <= row.budget else 'MISSED'}"
    print(f"{row.work.format(**names):46} {words(row.spent):>9}  {row.yardstick:29} {words(row.given):>8}  {ratio:6.2f}  {best:6}  {verdict}".rstrip())


def print_ratios(bench, rounds, times, peaks, names):
    load, processors = os.getloadavg()[0], os.cpu_count()
    print(f"{rounds} rounds, one for slow rows, {processors} processors, load {load:.1f}; processor times (wall times for -j 2), medians; "
          "ratios: medians of rounds")
    if load > processors / 2:
        print("The machine is busy: short runs, and above all runs with two threads, are measured badly.")
    print(f"\n{'work':46} {'':>9}  {'yardstick':29} {'':>8}  {'ratio':>6}  {'best':>6}  {'most':>4}")
    for row in times:
        print_row(row, names, statistics.median(row.ratios), f"{min(row.spent) / min(row.given):6.2f}", milliseconds)
    for row in peaks:
        print_row(row, names, max(row.ratios), "", megabytes)
    for row in TIMES + PEAKS:
        if bench.why_not(row):
            print(f"not measured: {row.work.format(**names)}: {bench.why_not(row)}")


def measure_ratios(bench, quick):
    rounds = 2 if quick else 9
    bench.inputs.make()
    times, peaks = ([row for row in rows if not bench.why_not(row)] for rows in (TIMES, PEAKS))
    for number in range(rounds):
        for row in times:
            if number == 0 or not row.slow:
                bench.time_round(row, max(1, row.runs // 3) if quick else row.runs)
    for number in range(1 if quick else 3):
        for row in peaks:
            if number == 0 or not row.slow:
                bench.memory_round(row)
    print_ratios(bench, rounds, times, peaks, bench.inputs.names())


def count_instructions(make_bench, build, update):
    """Counts instructions and compares or updates the table. Returns the exit code of the program."""
    program = os.path.join(build, "lightlint")
    why = instructions.why_not() or (not update and instructions.other_toolchain(build, program))
    if why:
        print(f"bench.py: instructions are not compared: {why}")
        return 77
    # the length of paths affects the number of instructions
    with tempfile.TemporaryDirectory(prefix="lightlint-bench-", dir="/tmp") as folder:
        bench = make_bench(COUNTED, folder)
        bench.inputs.make()
        os.mkdir(bench.path("program"))
        bench.programs["lightlint"] = shutil.copy(program, bench.path("program"))
        counts, left_out = bench.count()
    if update:
        instructions.write(build, program, counts)
        return 0
    return instructions.compare(counts, left_out)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"), add_help=False)
    parser.add_argument("--build", required=True)
    parser.add_argument("--released")
    parser.add_argument("--wasm")
    modes = parser.add_mutually_exclusive_group()
    for mode in ("--quick", "--counts", "--update-counts"):
        modes.add_argument(mode, action="store_true")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    released = options.released and os.path.abspath(options.released)
    wasm = os.path.abspath(options.wasm or os.path.join(build, "..", "wasm", "lightlint.wasm"))

    def make_bench(scale, folder):
        return Bench(build, released, wasm, scale, folder)

    try:
        if options.counts or options.update_counts:
            return count_instructions(make_bench, build, options.update_counts)
        with tempfile.TemporaryDirectory(prefix="lightlint-bench-") as folder:
            measure_ratios(make_bench(QUICK if options.quick else FULL, folder), options.quick)
        if not options.quick:
            print()
            count_instructions(make_bench, build, False)
        return 0
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"bench.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
