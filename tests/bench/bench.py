#!/usr/bin/env python3
"""Measures lightlint against its budgets, each beside its yardstick, and prints what came out.

Every row is measured in rounds: yardstick, then work, then the next row, so that whatever else the machine does hits both alike. A row's
ratio is the median of the rounds' ratios; "best" is the ratio of the two fastest runs, which a busy machine disturbs least. Memory is the
highest peak of three runs. Instructions are counted by perf or valgrind where there is one, as what forty files more cost. The inputs are
made anew in a temporary folder, and lightlint itself is asked first whether they are what the rows say.

usage: bench.py --build DIR [--released FILE] [--quick]    DIR: a build of the preset release; FILE: the program of a build of the preset package
exit:  0 measured, whatever the result; 2 something could not be run"""
import argparse
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass, field

FILES, PER_DIRECTORY, FINDINGS, ENTRIES, MEGABYTE = 2000, 40, 10, 4000, 1 << 20
MOD_FILES, REFERENCE_BYTES = 5000, 200
LINT = "lightlint -q -j 1 "
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))

from fox_package import PATH, Archive, Property, in_order  # noqa: E402
from made_package import Maker  # noqa: E402


@dataclass
class Row:
    """A command, run in the folder of the inputs; "@folder" stands for all files below it. Without a budget it is there to be compared."""
    work: str
    command: str
    yardstick: str
    reference: str  # a command; for memory (factor of the file that is the last word, megabytes more)
    budget: float = None
    runs: int = 1  # in each round: more for short ones
    counted: bool = False  # instructions a file of the folder that is the last word
    ratios: list = field(default_factory=list)  # of the rounds
    spent: list = field(default_factory=list)  # of the work, seconds or bytes, run by run
    given: list = field(default_factory=list)  # of the yardstick


def hashed(what, name, budget, unpacked=None):
    return Row(f"one clean {{size}} MB {what}", LINT + name, "sha256sum" if not unpacked else "sha256sum of what is unpacked",
               "sha256sum " + (unpacked or name), budget)


def beside(program, arguments, folder):
    return Row(f"{program}, files of {folder}", f"{program} {arguments} @{folder}", "read and sum the same files", f"read_sum @{folder}", runs=3)


TIMES = [
    Row("{files} clean files, {per} a directory", LINT + "clean", "read and sum, given the list", "read_sum @clean", 1.35, 3, True),
    Row("the same, one a directory", LINT + "apart", "walk, read and sum", "read_sum apart", 1.25, 3, True),
    Row("{many} of them, -j 2", "lightlint -q -j 2 many", "its own time with -j 1", LINT + "many", 0.55),
    Row("{many} of them, one a directory, -j 2", "lightlint -q -j 2 many-apart", "its own time with -j 1", LINT + "many-apart", 0.60),
    Row("one 288-byte file, whole process", LINT + "small.grxla", "/bin/true", "/bin/true", 2.0, 100),
    Row("the same, released program", "released -q -j 1 small.grxla", "/bin/true", "/bin/true", 1.7, 100),
    hashed("GRX file", "big.grxla", 0.50),
    hashed("area of Prime 1", "big.mrea", 0.40),
    hashed("area of Prime 2, stored", "raw.mrea", 0.50),
    hashed("area of Prime 2, LZO", "packed.mrea", 0.95, "raw.mrea"),
    hashed("map", "big.rgm", 0.65),
    hashed("map of scripts", "code.rgm", 0.95),
    hashed("archive of DataSets", "big.fpkd", 1.0),
    Row("{files} DataSets of 20 kB", LINT + "sets", "read and sum the same files", "read_sum sets", 2.0, 3),
    Row("{mods} files of packages, joined", LINT + "mods", "the same with --no-cross", "lightlint -q -j 1 --no-cross mods", 1.3, 3),
    *(Row(f"{{findings}} findings a file, {name}", f"lightlint -j 1 --format {name} faulty", "the clean run", LINT + "clean", most, 3, True)
      for name, most in (("concise", 2.0), ("full", 2.0), ("jsonl", 2.0), ("sarif", 3.5))),
    Row("{entries} suppressions", LINT + "--ignore name-hash,grx/name-charset known", "none", # of rules that are off: none is unused
        LINT + "--ignore name-hash,grx/name-charset --no-suppressions known", 1.3, 3),
    Row("1,000 excludes", LINT + "left-out", "none", LINT + "--isolated left-out", 1.3, 3),
    beside("lightlint", "-q -j 1", "clean"),
    beside("xmllint", "--noout", "xml"),
    beside("pngcheck", "-q", "png"),
    beside("eu-elflint", "-q --gnu-ld", "elf"),
]
PEAKS = [
    *(Row(f"peak memory, {{size}} MB {what}", LINT + name, f"{factor} x the file + {more} MB", (factor, more), 1.0)
      for what, name, factor, more in (("GRX file", "big.grxla", 1.5, 4), ("map", "big.rgm", 1.5, 4), ("area of Prime 1", "big.mrea", 2, 16),
                                       ("map of scripts", "code.rgm", 2, 16))),
    *(Row(f"peak memory, {{many}} files, -j {jobs}", f"lightlint -q -j {jobs} {folder}", f"{16 * jobs} MB", (0, 16 * jobs), 1.0)
      for jobs, folder in ((1, "many"), (2, "many-apart"))),
    Row("peak memory, {mods} files of packages, joined", LINT + "mods", "16 MB + 200 bytes a reference", (0, "references"), 1.0),
]


def png(number):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(bytes([0]) + bytes((number * 7 + x * y * 29 >> 3) % 256 for x in range(24 * 3)) for y in range(24))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 24, 24, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(lines, 0))
            + chunk(b"IEND", b""))


def xml(number):
    lights = "".join(f'  <light id="{number}-{i}" x="{i}.5" y="2"><name>light {i}</name></light>\n' for i in range(28))
    return f'<?xml version="1.0"?>\n<lights>\n{lights}</lights>\n'.encode()


class Bench:
    references, mods = 0, ()  # facts of the packages; their files

    def __init__(self, build, released, folder, copies):
        self.folder, self.copies = folder, copies
        self.programs = {name: os.path.join(build, "bench", "bench_" + name) for name in ("make_inputs", "read_sum", "measure")}
        self.programs["lightlint"] = os.path.join(build, "lightlint")
        for path in self.programs.values():
            if not os.access(path, os.X_OK):
                raise OSError(f"{path} is not there; build first (cmake --build {build})")
        self.programs["released"] = released
        self.codes = {}  # with which commands exit

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def files(self, folder):
        return [os.path.join(where, name) for where, _, names in sorted(os.walk(self.path(folder))) for name in sorted(names)]

    def make_inputs(self, big_bytes):
        for number in range(FILES // PER_DIRECTORY):
            for kind in ("clean", "faulty"):
                os.makedirs(self.path(kind, "%03d" % number))
        subprocess.run([self.programs["make_inputs"], self.folder, str(FILES), str(big_bytes)], check=True)
        clean = self.files("clean")
        for folder, copies, per in (("apart", 1, 1), ("many", self.copies, PER_DIRECTORY), ("many-apart", self.copies, 1), ("known", 1, PER_DIRECTORY),
                                    ("left-out", 1, PER_DIRECTORY)):
            for number in range(FILES * copies):
                place = self.path(folder, "%03d" % (number // PER_DIRECTORY), "%05d" % number if per == 1 else "")
                if number % per == 0:
                    os.makedirs(place)
                os.link(clean[number % FILES], os.path.join(place, "%05d.grxla" % number))
        known = [os.path.relpath(path, self.path("known")) for path in self.files("known")]
        entries = "".join(f"- {{file: {known[i % FILES]}, rule: {('name-hash', 'grx/name-charset')[i // FILES]}, reason: measured}}\n" for i in range(ENTRIES))
        self.write("known/.lightlint-ignore.yaml", ("suppress:\n" + entries).encode())
        patterns = "".join(f'- old/{i}/*.grxla\n- gone{i}.grxla\n- "*-{i}.grxla"\n- "gone{i}*/"\n' for i in range(250))
        self.write("left-out/.lightlint.yaml", ("exclude:\n" + patterns).encode())
        self.make_packages(big_bytes)
        for folder, make in (("xml", xml), ("png", png)):
            os.mkdir(self.path(folder))
            for number in range(FILES):
                self.write(f"{folder}/{number}.{folder}", make(number))
        os.mkdir(self.path("elf"))
        for number in range(FILES // 10):
            shutil.copy(self.programs["read_sum"], self.path("elf", str(number)))
        big = [name for name in os.listdir(self.folder) if os.path.isfile(self.path(name))]
        self.expect(["clean", "many-apart", *big], FILES * (1 + self.copies) + len(big), 0)
        self.expect(["sets", "mods"], len(self.files("sets")) + len(self.files("mods")), 0, of_no_format=(".tcvp", ".nav2", ".lua"))
        self.expect(["faulty"], FILES, FILES * FINDINGS)
        if os.path.getsize(self.path("small.grxla")) != 288:
            raise OSError("small.grxla has not 288 bytes")

    def make_packages(self, big_bytes):
        """Packages of folders, archives and manifests, whose DataSets have 20 kB as real ones do; such DataSets alone; and an archive of them."""
        maker = Maker(os.path.join(ROOT, "corpus"))
        written = {}
        while len(written) < MOD_FILES * self.copies // 10:
            package = maker.package(len(written), stem=f"mods/{len(written)}")
            for _, dataset in package.datasets():
                for number in range(80):
                    maker.append(dataset, maker.entity("TexturePackLoadConditioner", 0, f"Conditioner{number:04}", [Property("paths", PATH, 1, [""])]))
            written |= package.written()
        self.mods = list(written)
        for name, data in written.items():
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            self.write(name, data)
        data = max((data for name, data in written.items() if name.endswith(".fox2")), key=len)
        for number in range(FILES):
            os.makedirs(self.path("sets", "%03d" % (number // PER_DIRECTORY)), exist_ok=True)
            self.write("sets/%03d/%05d.fox2" % (number // PER_DIRECTORY, number), data)
        data = next(data for name, data in written.items() if name.endswith("_nav.fox2"))  # refers to nothing, so that it is sound anywhere
        paths = ["/Assets/tpp/level/made/%05d.fox2" % number for number in range(big_bytes // len(data))]
        self.write("big.fpkd", Archive("fpkd", {path: data for path in in_order("fpkd", paths)}).write())
        parts = [self.run([self.programs["lightlint"], "sweep", "--shard", part, "mods"]).stdout for part in ("1/2", "2/2")]
        self.references = sum(part.count('{"type":"workspace-fact"') for part in parts)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def expect(self, operands, files, findings, of_no_format=()):
        """The inputs are what they are meant to be."""
        done = subprocess.run([self.programs["lightlint"], "--format", "jsonl", *operands], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        lines = done.stdout.splitlines()
        summary = json.loads(lines[-1])
        files -= sum(path.endswith(of_no_format) for operand in operands for path in self.files(operand)) if of_no_format else 0
        found = summary["errors"] + summary["warnings"] + summary["notes"]
        if done.returncode != (1 if findings else 0) or summary["files"] != files or found != findings:
            raise OSError(f"inputs are not as meant: exit code {done.returncode}, {found} findings in {summary['files']} files;\n"
                          + "\n".join(lines[:5]))

    def can(self, row):
        """Programs that are compared, and a library that inputs need, may be absent."""
        words = row.command.split()
        return shutil.which(self.programs.get(words[0], words[0]) or "") and (row.budget is None or words[-1] in os.listdir(self.folder))

    def words(self, command):
        program, *words = command.split()
        expanded = [path for word in words for path in (self.files(word[1:]) if word.startswith("@") else [word])]
        return [self.programs.get(program, program), *expanded]

    def measure(self, command, runs):
        """[(seconds, peak bytes)] of some runs, which all end as the first one did."""
        words = self.words(command)
        if command not in self.codes:  # it warms up as well
            self.codes[command] = self.run(words).returncode
            if self.codes[command] not in (0, 1):
                raise OSError(f"'{command}' ended with {self.codes[command]}")
        done = self.run([self.programs["measure"], str(runs), str(self.codes[command]), *words])
        if done.returncode:
            raise OSError(done.stderr.strip() or "measure failed")
        lines = [line.split() for line in done.stdout.splitlines()]
        return [(int(wall) / 1e9, int(peak) * 1024) for wall, _, _, peak in lines]

    def run(self, words):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False)

    def time_round(self, row, runs):
        given = [seconds for seconds, _ in self.measure(row.reference, runs)]
        spent = [seconds for seconds, _ in self.measure(row.command, runs)]
        row.given += given
        row.spent += spent
        row.ratios.append(sum(spent) / sum(given))

    def memory_round(self, row):
        factor, more = row.reference
        more = 16 + self.references * REFERENCE_BYTES / MEGABYTE if more == "references" else more
        row.given.append(more * MEGABYTE + (factor and factor * os.path.getsize(self.path(row.command.split()[-1]))))
        row.spent.append(self.measure(row.command, 1)[0][1])
        row.ratios.append(row.spent[-1] / row.given[-1])

    def count(self, words):
        """Instructions of a command; None: nobody can count them."""
        for tool, pattern in ((["perf", "stat", "-x,", "-e", "instructions:u"], r"^(\d+),"),
                              (["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], r"Collected : (\d+)")):
            found = shutil.which(tool[0]) and re.search(pattern, self.run([*tool, *words]).stderr, re.M)
            if found:
                return int(found[1])
        return None

    def instructions(self, row):
        """What a file costs, start and end of the program aside."""
        *words, folder = self.words(row.command)
        counts = [self.count([*words, *(os.path.join(folder, "%03d" % i) for i in range(n))]) for n in (1, 2)]
        return None if None in counts else (counts[1] - counts[0]) / PER_DIRECTORY


def milliseconds(values):
    value = statistics.median(values) * 1e3
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"


def megabytes(values):
    return f"{max(values) / MEGABYTE:.1f} MB"


def print_row(row, names, ratio, best, words, instructions=None):
    verdict = "" if row.budget is None else f"{row.budget:4.2f}  {'ok' if ratio <= row.budget else 'MISSED'}"
    counted = f"{instructions:,.0f} instructions a file" if instructions else ""
    print(f"{row.work.format(**names):41} {words(row.spent):>8}  {row.yardstick:29} {words(row.given):>8}  {ratio:5.2f}  {best:5}  {verdict:12}  {counted}".rstrip())


def main():
    parser = argparse.ArgumentParser(description="Measures lightlint against its budgets.")
    parser.add_argument("--build", required=True, help="folder of a release build")
    parser.add_argument("--released", help="program of a build of the preset package")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, fewer files, big files of 16 MB")
    options = parser.parse_args()
    rounds, size, copies = (2, 16, 2) if options.quick else (9, 64, 10)
    try:
        with tempfile.TemporaryDirectory(prefix="lightlint-bench-") as folder:
            bench = Bench(os.path.abspath(options.build), options.released and os.path.abspath(options.released), folder, copies)
            bench.make_inputs(size * MEGABYTE)
            times, peaks = ([row for row in rows if bench.can(row)] for rows in (TIMES, PEAKS))
            for _ in range(rounds):
                for row in times:
                    bench.time_round(row, max(1, row.runs // 3) if options.quick else row.runs)
            for _ in range(1 if options.quick else 3):
                for row in peaks:
                    bench.memory_round(row)
            counted = [row for row in times if row.counted][:2 if options.quick else None]
            counts = [bench.instructions(row) if row in counted else None for row in times]
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"bench.py: {error}", file=sys.stderr)
        return 2
    names = {"files": f"{FILES:,}", "many": f"{FILES * copies:,}", "per": PER_DIRECTORY, "findings": FINDINGS, "entries": f"{ENTRIES:,}", "size": size,
             "mods": f"{len(bench.mods):,}"}
    load, processors = os.getloadavg()[0], os.cpu_count()
    print(f"{rounds} rounds, {processors} processors, load {load:.1f}; times are medians, ratios medians of rounds")
    if load > processors / 2:
        print("The machine is busy with other things: short runs, and above all two threads, are measured badly.")
    print(f"\n{'work':41} {'':>8}  {'yardstick':29} {'':>8}  {'ratio':>5}  {'best':>5}  {'most':>4}")
    for row, instructions in zip(times, counts):
        print_row(row, names, statistics.median(row.ratios), f"{min(row.spent) / min(row.given):5.2f}", milliseconds, instructions)
    for row in peaks:
        print_row(row, names, max(row.ratios), "", megabytes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
