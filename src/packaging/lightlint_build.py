"""Build backend for pip (PEP 517): downloads the wheel that was released from this commit, or compiles the program with
CMake and packs it into a wheel.

The program is a script of the wheel, so pip installs it as an executable file and no Python runs when files are
checked. A package of the same name starts that file for `python -m lightlint`. The backend uses only the standard
library and has no requirements, so it works without a package index. To compile, it needs a C compiler, CMake, ninja or
make, pkg-config and four libraries; if one is missing, it lists the packages to install.

LIGHTLINT_BUILD: auto, always (compile) or never. LIGHTLINT_RELEASES: address of the folders vVERSION of releases;
default: the releases of the repository from which the tree was cloned.
"""
import base64
import gzip
import hashlib
import io
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import urllib.request
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CMAKE_LEAST = (3, 21)

SYSTEMS = ("Debian, Ubuntu: sudo apt-get install", "Fedora: sudo dnf install", "Homebrew: brew install")

def stop(text):
    """Ends the build with a message and no traceback, which would hide it."""
    sys.exit("\nlightlint: " + text + "\n")


# ---------------------------------------------------------------- facts about the tree


def stated():
    """Returns name, version, description and home on the web (empty: none) from CMakeLists.txt."""
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        text = file.read()
    found = re.search(r'project\((\w+) VERSION ([\d.]+)[^)]*DESCRIPTION "([^"]+)"\s+HOMEPAGE_URL "([^"]*)"', text)
    if not found:
        stop("CMakeLists.txt: expected project(NAME VERSION ... DESCRIPTION \"...\" HOMEPAGE_URL \"...\"), found none")
    return found.groups()


def project():
    return stated()[:3]


def home():
    return stated()[3]


def readme():
    """README.md for a reader who has no files beside it: links to them lead to the home of the project, or are plain text."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = re.sub(r"!\[[^\]]*\]\([^)]*\)\n+", "", file.read())  # pictures
    base = f"{home()}/blob/v{project()[1]}/" if home() else ""
    return re.sub(r"\[([^\]]*)\]\((?!\w+:|#)([^)]*)\)", lambda link: f"[{link[1]}]({base}{link[2]})" if base else link[1], text)


def metadata():
    name, version, description = project()
    link = f"Project-URL: Homepage, {home()}\n" if home() else ""
    return (f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {description}\nLicense: MIT\n{link}"
            f"Requires-Python: >=3.7\nDescription-Content-Type: text/markdown\n\n{readme()}").encode()


def platform_tag():
    """Returns the platform tag of the wheel's name. The program needs this system, but no version of Python."""
    if sys.platform == "darwin":
        release = platform.mac_ver()[0].split(".")
        return f"macosx_{release[0]}_{'0' if int(release[0]) >= 11 else release[1]}_{platform.machine()}"
    tag = re.sub(r"[^0-9A-Za-z_]", "_", sysconfig.get_platform())
    if struct.calcsize("P") == 4:  # a 32-bit system on a 64-bit kernel
        tag = tag.replace("x86_64", "i686").replace("aarch64", "armv7l")
    return tag


def file_time():
    """Returns the time for archives; it is fixed, so that the same input gives the same bytes."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))  # 1980-01-01, the earliest that a zip file can state


# ---------------------------------------------------------------- requirements


def output_of(command):
    """Returns the standard output of a command; None if it fails or does not exist."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def pkg_config():
    return os.environ.get("PKG_CONFIG") or shutil.which("pkg-config") or shutil.which("pkgconf")


def needs():
    """Returns the rows of src/cmake/needs.txt: name, module, prefix, and packages in the order of SYSTEMS."""
    with open(os.path.join(ROOT, "src", "cmake", "needs.txt"), encoding="utf-8") as file:
        return [line.strip().split(" | ") for line in file if not line.startswith("#")]


def missing():
    """Returns the rows of missing requirements."""
    compiler = os.environ.get("CC", "").split()[:1] or ["cc", "gcc", "clang"]
    version = re.search(r"version (\d+)\.(\d+)", output_of(["cmake", "--version"]) or "")
    there = (any(shutil.which(name) for name in compiler), version and tuple(map(int, version.groups())) >= CMAKE_LEAST,
             any(shutil.which(name) for name in ("ninja", "make", "gmake")), pkg_config())
    tools, libraries = [row for row in needs() if row[1] == "-"], [row for row in needs() if row[1] != "-"]
    rows = [row for row, found in zip(tools, there) if not found]
    rows += [row for row in libraries if not pkg_config() or output_of([pkg_config(), "--exists", row[1]]) is None]
    return rows if any(row[0] != "expat" for row in rows) else []  # it is used if found


def check_needs():
    if sys.platform == "win32":
        stop("cannot be built from source on Windows. Take the zip of a release, or use it on Linux or macOS, or in WSL.")
    rows = missing()
    if not rows:
        return
    lines = [f"cannot be built from source here; missing: {', '.join(row[0] for row in rows)}.", "Install with:"]
    for at, system in enumerate(SYSTEMS, 3):
        lines.append(f"  {system} {' '.join(row[at] for row in rows)}")
    lines.append("Or install lightlint itself and use the pre-commit hook lightlint-system.")
    stop("\n".join(lines))


# ---------------------------------------------------------------- wheel


def run(command):
    print("+ " + " ".join(command), flush=True)
    done = subprocess.run(command, check=False)
    if done.returncode:
        stop(f"exit code {done.returncode} of: {' '.join(command)}\nThe lines above say why.")


def compile_program(folder):
    """Builds the program in `folder` as a release; returns its path."""
    check_needs()
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run(["cmake", "-S", ROOT, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF",
         "-DLIGHTLINT_BUILD_TESTS=OFF", "-DLIGHTLINT_INSTALL=OFF"])
    run(["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 1), "--target", "lightlint_cli"])
    return os.path.join(folder, "lightlint")


class Wheel:
    """A zip file that collects the rows of its RECORD."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, content, mode=0o644):
        info = zipfile.ZipInfo(name, time.gmtime(file_time())[:6])
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100000 | mode) << 16
        self.zip.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}\n")

    def close(self, record):
        self.record.append(f"{record},,\n")
        self.add(record, "".join(self.record).encode())
        self.zip.close()


def write_wheel(directory, program, platforms=(), licences=()):
    """Packs a built program into a wheel; returns the name of the wheel.

    platforms: platform tags; default: this platform. licences: (name, path) of licences of libraries in the program.
    """
    name, version, _ = project()
    platforms = platforms or [platform_tag()]
    info = f"{name}-{version}.dist-info"
    wheel = Wheel(os.path.join(directory, f"{name}-{version}-py3-none-{'.'.join(platforms)}.whl"))
    with open(program, "rb") as file:
        wheel.add(f"{name}-{version}.data/scripts/{os.path.basename(program)}", file.read(), 0o755)
    wheel.add(f"{name}/__init__.py", b"")
    with open(os.path.join(ROOT, "src", "packaging", "python_main.py"), "rb") as file:
        wheel.add(f"{name}/__main__.py", file.read())
    for inner, path in (("LICENSE", os.path.join(ROOT, "LICENSE")), ("NOTICE", os.path.join(ROOT, "NOTICE")), *licences):
        with open(path, "rb") as file:
            wheel.add(f"{info}/{inner}", file.read())
    wheel.add(f"{info}/METADATA", metadata())
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms)
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: lightlint_build\nRoot-Is-Purelib: false\n{tags}".encode())
    wheel.close(f"{info}/RECORD")
    return os.path.basename(wheel.zip.filename)


# Part of the wheel's name in a release, by system and machine.
RELEASED = {("linux", "x86_64"): "manylinux", ("win32", "AMD64"): "win_amd64"}


def releases():
    """Returns the address of releases, from LIGHTLINT_RELEASES or the remote of the clone; None if unknown."""
    origin = (output_of(["git", "-C", ROOT, "config", "remote.origin.url"]) or "").strip()
    beside = re.sub(r"(\.git)?/?$", "/releases/download", origin) if origin.startswith("https://") else None
    return os.environ.get("LIGHTLINT_RELEASES") or beside


def commit_of(program):
    found = re.search(r"^commit\s+(\w+)$", output_of([program, "version", "-v"]) or "", re.M)
    return found.group(1) if found else None


def get(address):
    """Returns the bytes of a file of a release; None if it cannot be read."""
    if not address.startswith(("https://", "file://")):
        stop(f"expected an address of https or file of releases, found '{address}'.")
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            if not answer.geturl().startswith(("https://", "file://")):
                stop(f"{address} leads to {answer.geturl()}: it was refused.")
            return answer.read()
    except OSError as error:
        print(f"lightlint: {address}: {error}", flush=True)
        return None


def released_wheel(directory):
    """Saves the released wheel in `directory` and returns its name; None if there is none for this system and commit.

    If the checksum differs, the build stops and does not compile instead.
    """
    name, version, _ = project()
    base, part = releases(), RELEASED.get((sys.platform, platform.machine()))
    commit = (output_of(["git", "-C", ROOT, "rev-parse", "HEAD"]) or "").strip()
    sums = get(f"{base}/v{version}/SHA256SUMS") if base and part and commit else None
    rows = [row.split() for row in (sums or b"").decode("utf-8", "replace").splitlines()]
    found = [row for row in rows if len(row) == 2 and re.fullmatch(rf"{name}-{re.escape(version)}-[\w.-]+\.whl", row[1]) and part in row[1]]
    content = get(f"{base}/v{version}/{found[0][1]}") if found else None
    if content is None:
        return None
    if hashlib.sha256(content).hexdigest() != found[0][0]:
        stop(f"{found[0][1]} has another checksum than SHA256SUMS states: it was refused.")
    with tempfile.TemporaryDirectory(prefix="lightlint-wheel-") as folder:
        with zipfile.ZipFile(io.BytesIO(content)) as wheel:
            inner = next(inner for inner in wheel.namelist() if "/scripts/lightlint" in inner)
            program = wheel.extract(inner, folder)
        os.chmod(program, 0o755)
        if commit_of(program) != commit:
            print(f"lightlint: the release {version} is of another commit than {commit}", flush=True)
            return None
    with open(os.path.join(directory, found[0][1]), "wb") as file:
        file.write(content)
    return found[0][1]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    how = os.environ.get("LIGHTLINT_BUILD", "auto")
    if how not in ("auto", "always", "never"):
        stop(f"LIGHTLINT_BUILD: expected auto, always or never, found '{how}'.")
    released = released_wheel(wheel_directory) if how != "always" else None
    if released or how == "never":
        return released or stop("LIGHTLINT_BUILD is never, and there is no release of this commit for this system.")
    with tempfile.TemporaryDirectory(prefix="lightlint-wheel-") as folder:
        return write_wheel(wheel_directory, compile_program(folder))


# ---------------------------------------------------------------- source archive


def tracked_files():
    """Returns the names of all files that Git tracks and that exist, sorted."""
    top = output_of(["git", "-C", ROOT, "rev-parse", "--show-toplevel"])
    listing = output_of(["git", "-C", ROOT, "ls-files", "-z"])
    if not top or listing is None or os.path.realpath(top.rstrip("\n")) != os.path.realpath(ROOT):
        stop(f"a source archive holds the files that Git tracks, and {ROOT} is no Git checkout.")
    return sorted(name for name in listing.split("\0") if name and os.path.isfile(os.path.join(ROOT, name)))


def add_member(tar, name, content, mode):
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(content), mode, file_time()
    tar.addfile(member, io.BytesIO(content))


def build_sdist(sdist_directory, config_settings=None):
    del config_settings
    name, version, _ = project()
    base = f"{name}-{version}"
    path = os.path.join(sdist_directory, base + ".tar.gz")
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, file_time()) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        add_member(tar, base + "/PKG-INFO", metadata(), 0o644)
        for file_name in tracked_files():
            full = os.path.join(ROOT, file_name)
            with open(full, "rb") as file:
                add_member(tar, f"{base}/{file_name}", file.read(), 0o755 if os.access(full, os.X_OK) else 0o644)
    return os.path.basename(path)
