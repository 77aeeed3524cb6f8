"""Makes the inputs of the benchmark in a folder: the output of make_inputs, links to it in other arrangements,
packages, and files for other programs."""
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))

from fox_package import PATH, Archive, Property, in_order  # noqa: E402
from made_package import Maker  # noqa: E402

PER_DIRECTORY, FINDINGS, MEGABYTE = 40, 10, 1 << 20


@dataclass
class Scale:
    files: int  # of each kind
    big_bytes: int
    copies: int  # copies of the files in "many"; 0: only inputs for instruction counts are made
    mods: int  # minimum number of package files
    dump: bool  # make quarter.json? It has 35 times as many bytes as quarter.grxla


def png(number):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(bytes([0]) + bytes((number * 7 + x * y * 29 >> 3) % 256 for x in range(24 * 3)) for y in range(24))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 24, 24, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(lines, 0))
            + chunk(b"IEND", b""))


def xml(number):
    lights = "".join(f'  <light id="{number}-{i}" x="{i}.5" y="2"><name>light {i}</name></light>\n' for i in range(28))
    return f'<?xml version="1.0"?>\n<lights>\n{lights}</lights>\n'.encode()


class Inputs:
    references, mods = 0, ()  # numbers of references in packages; paths of package files

    def __init__(self, folder, programs, scale):
        self.folder, self.programs, self.scale = folder, programs, scale
        self.entries = 2 * scale.files

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def files(self, folder):
        return [os.path.join(where, name) for where, _, names in sorted(os.walk(self.path(folder))) for name in sorted(names)]

    def names(self):
        """Values for the texts of rows."""
        scale = self.scale
        return {"files": f"{scale.files:,}", "many": f"{scale.files * scale.copies:,}", "per": PER_DIRECTORY, "findings": FINDINGS,
                "entries": f"{self.entries:,}", "size": scale.big_bytes // MEGABYTE, "quarter": scale.big_bytes // 4 // MEGABYTE, "mods": f"{len(self.mods):,}"}

    def make(self):
        scale = self.scale
        subprocess.run([self.programs["make_inputs"], self.folder, str(scale.files), str(scale.big_bytes)], check=True)
        clean = self.files("clean")
        for folder, copies, per in (("apart", 1, 1), ("many", scale.copies, PER_DIRECTORY), ("many-apart", scale.copies, 1),
                                    ("known", 1, PER_DIRECTORY), ("left-out", 1, PER_DIRECTORY)):
            for number in range(scale.files * copies):
                place = self.path(folder, "%03d" % (number // PER_DIRECTORY), "%05d" % number if per == 1 else "")
                if number % per == 0:
                    os.makedirs(place)
                os.link(clean[number % scale.files], os.path.join(place, "%05d.grxla" % number))
        known = [os.path.relpath(path, self.path("known")) for path in self.files("known")]
        entries = "".join(f"- {{file: {known[i % scale.files]}, rule: {('name-hash', 'grx/name-charset')[i // scale.files]}, reason: measured}}\n"
                          for i in range(self.entries))
        self.write("known/.lightlint-ignore.yaml", ("suppress:\n" + entries).encode())
        patterns = "".join(f'- old/{i}/*.grxla\n- gone{i}.grxla\n- "*-{i}.grxla"\n- "gone{i}*/"\n' for i in range(250))
        self.write("left-out/.lightlint.yaml", ("exclude:\n" + patterns).encode())
        self.make_packages()
        if scale.copies:
            self.make_others()
        self.expect_all()
        if scale.dump:
            self.make_dump()

    def make_others(self):
        """Files for the programs that lightlint is compared with."""
        for folder, make in (("xml", xml), ("png", png)):
            os.mkdir(self.path(folder))
            for number in range(self.scale.files):
                self.write(f"{folder}/{number}.{folder}", make(number))
        os.mkdir(self.path("elf"))
        for number in range(self.scale.files // 10):
            shutil.copy(self.programs["read_sum"], self.path("elf", str(number)))

    def make_dump(self):
        with open(self.path("quarter.json"), "wb") as file:
            subprocess.run([self.programs["lightlint"], "dump", "--format", "json", "quarter.grxla"], cwd=self.folder, stdout=file, check=True)

    def make_packages(self):
        """Packages as folders, archives and manifests, whose DataSets have 20 kB, like real ones; the DataSets
        alone; and an archive of DataSets."""
        maker = Maker(os.path.join(ROOT, "corpus"))
        written = {}
        while len(written) < self.scale.mods:
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
        for number in range(self.scale.files):
            os.makedirs(self.path("sets", "%03d" % (number // PER_DIRECTORY)), exist_ok=True)
            self.write("sets/%03d/%05d.fox2" % (number // PER_DIRECTORY, number), data)
        # refers to nothing, so it is sound anywhere
        data = next(data for name, data in written.items() if name.endswith("_nav.fox2"))
        paths = ["/Assets/tpp/level/made/%05d.fox2" % number for number in range(self.scale.big_bytes // len(data))]
        self.write("big.fpkd", Archive("fpkd", {path: data for path in in_order("fpkd", paths)}).write())
        for part in ("1/2", "2/2"):
            done = subprocess.run([self.programs["lightlint"], "sweep", "--shard", part, "mods"], cwd=self.folder, capture_output=True, text=True,
                                  check=False)
            self.references += done.stdout.count('{"type":"workspace-fact"')

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def forget_journals(self):
        """Removes the journals of fix."""
        for name in os.listdir(self.folder):
            if name.startswith("lightlint-undo-"):
                os.unlink(self.path(name))

    def expect_all(self):
        """Checks the findings of the inputs."""
        big = [name for name in os.listdir(self.folder) if os.path.isfile(self.path(name)) and name != "damaged.grxla"]
        count = self.scale.files
        self.expect(["clean", "short", *big], 2 * count + len(big), 0)
        if self.scale.copies:
            self.expect(["many-apart"], count * self.scale.copies, 0)
        self.expect(["sets", "mods"], len(self.files("sets")) + len(self.files("mods")), 0, of_no_format=(".tcvp", ".nav2", ".lua"))
        self.expect(["faulty"], count, count * FINDINGS)
        self.expect(["damaged.grxla"], 1, 1)
        if os.path.getsize(self.path("small.grxla")) != 288:
            raise OSError("small.grxla has not 288 bytes")

    def expect(self, operands, files, findings, of_no_format=()):
        done = subprocess.run([self.programs["lightlint"], "--format", "jsonl", *operands], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        lines = done.stdout.splitlines()
        if not lines:
            raise OSError(f"lightlint printed nothing for {' '.join(operands)}: exit code {done.returncode}, {done.stderr.strip()}")
        summary = json.loads(lines[-1])
        files -= sum(path.endswith(of_no_format) for operand in operands for path in self.files(operand)) if of_no_format else 0
        found = summary["errors"] + summary["warnings"] + summary["notes"]
        if done.returncode != (1 if findings else 0) or summary["files"] != files or found != findings:
            raise OSError(f"unexpected findings in the inputs: exit code {done.returncode}, {found} findings instead of {findings} in {summary['files']} "
                          f"files instead of {files};\n" + "\n".join(lines[:5]))
