"""Counts instructions of a program and compares them with a table, which is valid for one toolchain."""
import json
import os
import platform
import re
import shutil
import subprocess

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.json")
MOST = 1.05  # maximum ratio of a count to the table
REFRESH = "./dev bench --update-counts"
TOOL = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
# glibc chooses functions by processor features. Disabling these selects the plain functions on every processor.
PLAIN = ",".join("-" + name for name in ("AVX512VL", "AVX512BW", "AVX512F", "AVX2", "AVX", "ERMS", "FSRM", "RTM", "BMI2", "SSE4_2", "SSE4_1", "SSSE3"))
OPTIONS = re.compile(r"^(CMAKE_BUILD_TYPE|CMAKE_C_FLAGS|CMAKE_C_FLAGS_RELEASE|LIGHTLINT_(?:SANITIZE|HARDEN|WITH_\w+)):\w+=(.*)$", re.M)


def count(words, folder):
    """Instructions of a command run in a folder."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": folder, "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + PLAIN}
    done = subprocess.run([*TOOL, *words], cwd=folder, env=environment, capture_output=True, text=True, errors="replace", check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found or done.returncode not in (0, 1):
        raise OSError(f"'{' '.join(words)[:200]}' under valgrind: exit code {done.returncode}; {done.stderr.strip()[-400:]}")
    return int(found[1])


def why_not():
    """Why counting is not possible here, or None."""
    if not shutil.which(TOOL[0]):
        return "no valgrind here (Debian: valgrind)"
    try:
        count(["/bin/true"], "/")
    except OSError as error:
        return f"valgrind does not run here: {error}"
    return None


def toolchain(build, program):
    """Everything except the source that affects the number of instructions."""
    with open(program, "rb") as file:
        compilers = set(re.findall(rb"(?:GCC: |clang version )[ -~]+", file.read()))
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        options = {name: value for name, value in OPTIONS.findall(file.read())}
    libraries = re.findall(r"=> (/\S+)", subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout)
    return {"compiler": sorted(text.decode() for text in compilers), "options": dict(sorted(options.items())), "machine": platform.machine(),
            "libc": " ".join(platform.libc_ver()), "libraries": sorted(os.path.basename(os.path.realpath(path)) for path in libraries)}


def read():
    with open(TABLE, encoding="utf-8") as file:
        return json.load(file)


def other_toolchain(build, program):
    """How the toolchain differs from that of the table, or None."""
    here, there = toolchain(build, program), read()["toolchain"]
    unlike = [f"{name}: here {here[name]}, in the table {there.get(name)}" for name in here if here[name] != there.get(name)]
    return f"{os.path.basename(TABLE)} is of another toolchain ({'; '.join(unlike)})" if unlike else None


def write(build, program, counts):
    with open(TABLE, "w", encoding="utf-8") as file:
        json.dump({"toolchain": toolchain(build, program), "instructions": counts}, file, indent=1)
        file.write("\n")
    print(f"{len(counts)} rows written to {TABLE}: read the diff")


def compare(counts, left_out):
    """Prints counts next to the table. Returns 1 if a row has too many instructions or is missing in either,
    otherwise 0."""
    stored, failed = read()["instructions"], 0
    print(f"{'instructions':64} {'counted':>13} {'table':>13}  change")
    for command, counted in counts.items():
        known = stored.get(command)
        change = f"{100 * (counted / known - 1):+6.2f} %" if known else "no row"
        bad = not known or counted > known * MOST
        failed += bad
        print(f"{command:64} {counted:13,} {f'{known:,}' if known else '-':>13}  {change}{'  TOO MANY' if bad and known else ''}")
    for command in stored:
        if command not in counts:
            print(f"{command:64} not counted: {left_out.get(command, 'no row of the benchmark: ' + REFRESH)}")
            failed += command not in left_out
    if failed:
        print(f"{failed} of {len(counts)} rows differ from the table by more than {100 * (MOST - 1):.0f} %, or are missing in one of them. Is that intended? "
              f"Then {REFRESH}, and say why in the commit.")
    return 1 if failed else 0
