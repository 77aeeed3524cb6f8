#!/usr/bin/env python3
"""Measures lightlint against the budgets of docs/design.md, each beside its yardstick, and prints what came out.

Every row is measured in rounds: yardstick, then work, then the next row, so that whatever else the machine does hits both alike. A row's
ratio is the median of the rounds' ratios; "best" is the ratio of the two fastest runs, which a busy machine disturbs least. Memory is the
highest peak of all rounds. The inputs are made anew in a temporary folder, and lightlint itself is asked first whether they are what the
rows say.

usage: bench.py --build DIR [--quick]    DIR: a build of the preset release
exit:  0 measured, whatever the result; 2 something could not be run"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

FILES, FINDINGS, MEGABYTE = 2000, 10, 1 << 20
CODE_SPEED = 100e6  # bytes of scripts a second
THREAD_BUDGET = 16 * MEGABYTE


@dataclass
class Row:
    work: str
    yardstick: str
    budget: float
    command: list
    reference: list  # command of the yardstick; where it is a number, that: seconds, or bytes of memory
    exit_code: int = 0
    reference_exit: int = 0
    runs: int = 1  # of each in a round: more for short ones
    ratios: list = field(default_factory=list)  # of the rounds
    spent: list = field(default_factory=list)  # of the work, seconds or bytes, run by run
    given: list = field(default_factory=list)  # of the yardstick

    def forget(self):
        self.ratios, self.spent, self.given = [], [], []


class Bench:
    def __init__(self, build, folder):
        self.lightlint = os.path.join(build, "lightlint")
        self.helpers = os.path.join(build, "bench")
        self.folder = folder
        for path in (self.lightlint, *(self.helper(name) for name in ("make_inputs", "read_sum", "measure"))):
            if not os.access(path, os.X_OK):
                raise OSError(f"{path} is not there; build first (cmake --build {build})")

    def helper(self, name):
        return os.path.join(self.helpers, "bench_" + name)

    def paths(self, kind):
        folder = os.path.join(self.folder, kind)
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]

    def make_inputs(self, big_bytes):
        for kind in ("clean", "faulty"):
            os.mkdir(os.path.join(self.folder, kind))
        subprocess.run([self.helper("make_inputs"), self.folder, str(FILES), str(big_bytes)], check=True)
        self.big, self.area, self.map, self.code, self.small = (
            os.path.join(self.folder, name) for name in ("big.grxla", "big.mrea", "big.rgm", "code.rgm", "small.grxla"))
        self.clean, self.faulty = self.paths("clean"), self.paths("faulty")
        self.expect(self.clean + [self.big, self.area, self.map, self.code, self.small], 0, 0)
        self.expect(self.faulty, FILES * FINDINGS, 1)
        if os.path.getsize(self.small) != 288:
            raise OSError(f"{self.small} has {os.path.getsize(self.small)} bytes, not 288")

    def expect(self, paths, findings, exit_code):
        """The inputs are what they are meant to be."""
        done = subprocess.run([self.lightlint, "--format", "jsonl", *paths], capture_output=True, text=True, check=False)
        summary = json.loads(done.stdout.splitlines()[-1])
        found = summary["errors"] + summary["warnings"] + summary["notes"]
        if done.returncode != exit_code or summary["files"] != len(paths) or found != findings:
            raise OSError(f"inputs are not as meant: exit code {done.returncode}, {found} findings in {summary['files']} files;\n"
                          + "\n".join(done.stdout.splitlines()[:5]))

    def measure(self, command, exit_code, runs):
        """[(seconds, seconds of a processor, peak bytes)] of some runs."""
        done = subprocess.run([self.helper("measure"), str(runs), str(exit_code), *command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(done.stderr.strip() or "measure failed")
        lines = [line.split() for line in done.stdout.splitlines()]
        return [(int(wall) / 1e9, (int(user) + int(system)) / 1e6, int(peak) * 1024) for wall, user, system, peak in lines]

    def seconds(self, command, exit_code, runs):
        return [seconds for seconds, _, _ in self.measure(command, exit_code, runs)]

    def peak(self, command):
        return max(peak for _, _, peak in self.measure(command, 0, 1))

    def time_rows(self):
        run = [self.lightlint, "-q"]
        one, two = run + ["-j", "1", *self.clean], run + ["-j", "2", *self.clean]
        lines = [self.lightlint, "-j", "1", "--format", "jsonl", *self.faulty]
        read = [self.helper("read_sum"), *self.clean]
        size = round(os.path.getsize(self.big) / MEGABYTE)
        return [
            Row(f"{FILES:,} clean files, one thread, -q", "read and sum the same files", 1.6, one, read, runs=3),
            Row("the same with -j 2", "its own one-thread time", 0.65, two, one, runs=3),
            Row(f"one clean {size} MB GRX file", "sha256sum", 1.0, run + ["-j", "1", self.big], ["sha256sum", self.big]),
            Row(f"one clean {size} MB area of lights", "sha256sum", 1.0, run + ["-j", "1", self.area], ["sha256sum", self.area]),
            Row(f"one clean {size} MB map", "sha256sum", 1.0, run + ["-j", "1", self.map], ["sha256sum", self.map]),
            Row(f"one clean map with {size} MB of scripts", f"{CODE_SPEED / 1e6:.0f} MB/s", 1.0, run + ["-j", "1", self.code],
                os.path.getsize(self.code) / CODE_SPEED),
            Row("one 288-byte file, whole process", "/bin/true", 3.0, run + [self.small], ["/bin/true"], runs=100),
            Row(f"JSON Lines, {FINDINGS} findings a file", "the clean run", 3.0, lines, one, exit_code=1, runs=3),
        ]

    def memory_rows(self):
        run = [self.lightlint, "-q"]
        small, big = max(map(os.path.getsize, self.clean)), os.path.getsize(self.big)
        budget = "2 x the largest file + 16 MB a thread"
        return [
            Row(f"peak memory, one {round(big / MEGABYTE)} MB GRX file", budget, 1.0, run + ["-j", "1", self.big], 2 * big + THREAD_BUDGET),
            Row(f"peak memory, one {round(big / MEGABYTE)} MB area", budget, 1.0, run + ["-j", "1", self.area], 2 * big + THREAD_BUDGET),
            Row(f"peak memory, one {round(big / MEGABYTE)} MB map", budget, 1.0, run + ["-j", "1", self.map], 2 * big + THREAD_BUDGET),
            Row(f"peak memory, one {round(big / MEGABYTE)} MB map of scripts", budget, 1.0, run + ["-j", "1", self.code],
                2 * big + THREAD_BUDGET),
            Row(f"peak memory, {FILES:,} files, one thread", budget, 1.0, run + ["-j", "1", *self.clean], 2 * small + THREAD_BUDGET),
            Row(f"peak memory, {FILES:,} files, -j 2", budget, 1.0, run + ["-j", "2", *self.clean], 2 * small + 2 * THREAD_BUDGET),
        ]

    def time_round(self, row):
        if isinstance(row.reference, float):  # nothing that a busy machine slows down as well: the processor's time counts
            given = [row.reference] * row.runs
            spent = [seconds for _, seconds, _ in self.measure(row.command, row.exit_code, row.runs)]
        else:
            given = self.seconds(row.reference, row.reference_exit, row.runs)
            spent = self.seconds(row.command, row.exit_code, row.runs)
        row.given += given
        row.spent += spent
        row.ratios.append(sum(spent) / sum(given))

    def memory_round(self, row):
        row.spent.append(self.peak(row.command))
        row.given.append(row.reference)
        row.ratios.append(row.spent[-1] / row.reference)


def milliseconds(values):
    value = statistics.median(values) * 1e3
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"


def megabytes(values):
    return f"{max(values) / MEGABYTE:.1f} MB"


def print_row(row, ratio, best, words):
    verdict = "ok" if ratio <= row.budget else "MISSED"
    print(f"{row.work:37} {words(row.spent):>9}  {row.yardstick:37} {words(row.given):>9}  {ratio:5.2f}  {best:5}  {row.budget:4.2f}  {verdict}")


def print_tables(rounds, times, peaks):
    load, processors = os.getloadavg()[0], os.cpu_count()
    print(f"{rounds} rounds, {processors} processors, load {load:.1f}; times are medians, ratios medians of rounds")
    if load > processors / 2:
        print("The machine is busy with other things: short runs, and above all two threads, are measured badly.")
    print(f"\n{'work':37} {'':>9}  {'yardstick':37} {'':>9}  {'ratio':>5}  {'best':>5}  {'most':>4}")
    for row in times:
        print_row(row, statistics.median(row.ratios), f"{min(row.spent) / min(row.given):5.2f}", milliseconds)
        if isinstance(row.reference, float):
            print(f"{'':4}{CODE_SPEED * row.reference / 1e6 / statistics.median(row.spent):.0f} MB/s")
    for row in peaks:
        print_row(row, max(row.ratios), "", megabytes)


def main():
    parser = argparse.ArgumentParser(description="Measures lightlint against its budgets.")
    parser.add_argument("--build", required=True, help="folder of a release build")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, a big file of 16 MB")
    options = parser.parse_args()
    rounds, big_bytes = (3, 16 * MEGABYTE) if options.quick else (9, 64 * MEGABYTE)
    try:
        with tempfile.TemporaryDirectory(prefix="lightlint-bench-") as folder:
            bench = Bench(os.path.abspath(options.build), folder)
            bench.make_inputs(big_bytes)
            times, peaks = bench.time_rows(), bench.memory_rows()
            for number in range(rounds + 1):
                for row in times:
                    if number == 1:  # the first round only warms up
                        row.forget()
                    bench.time_round(row)
            for _ in range(3):
                for row in peaks:
                    bench.memory_round(row)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"bench.py: {error}", file=sys.stderr)
        return 2
    print_tables(rounds, times, peaks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
