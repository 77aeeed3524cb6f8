"""Shared by the tests of the command line: light files, and a class that runs the program in a folder of its own.

Every test is run as `test_NAME.py BINARY SOURCE_DIR [unittest arguments]`. Light files are assembled from the format
description, without the tables of the program."""
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
SOURCE = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else ""
sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))


def is_sanitized():
    """Was the program built with the address sanitizer? It keeps freed memory for a while, so memory use cannot be
    measured."""
    with open(PROGRAM, "rb") as file:
        return b"__asan_init" in file.read()


from fox_package import Array, Entry, packed  # noqa: E402
from program import is_under_wine  # noqa: E402
from strcode64 import strcode64  # noqa: E402

NOBODY = 65534  # a user without rights
UNDER_WINE = bool(PROGRAM) and is_under_wine(PROGRAM)


def left_out():
    """{class or test: reason} of this suite that cannot run with the Windows program under Wine; empty for other
    programs."""
    if not UNDER_WINE:
        return {}
    with open(os.path.join(SOURCE, "tests", "windows", "not_here.txt"), encoding="utf-8") as file:
        rows = [re.fullmatch(r"(\S+) (\S+): (.*)\n", line) for line in file if not line.startswith("#")]
    return {row[2]: row[3] for row in rows if os.path.basename(sys.argv[0]) == f"test_{row[1]}.py"}


LEFT_OUT = left_out()


# ---------------------------------------------------------------- light files

def entry(tag, body):
    return tag + struct.pack("<I", 8 + len(body)) + body


def probe(name, index=0):
    """An EP00 entry: a box of 10 m without an inner area."""
    fixed = struct.pack("<IHH6e", 1, 0, 0, *[0.5] * 6) + struct.pack("<10f", 10, 10, 10, 0, 0, 0, 1, 0, 0, 0)
    fixed += struct.pack("<IhHHHfI", 0, 10, 0, 0, index, 0.0, 0)
    return Entry(b"EP00", name, bytearray(0x18) + fixed).write()


def light_array(*entries, data_set, magic=b"FGxL"):
    """The entries are bytes."""
    empty = Array(magic, [Entry(b"CM00", data_set, bytearray(0x18))]).write()
    return empty[:-8] + b"".join(entries) + empty[-8:]


def light_file(names=(b"LP_0038",), data_set=b"/Assets/ssd/level/test/probes_light.fox2"):
    return light_array(*(probe(name, i) for i, name in enumerate(names)), data_set=data_set)


def wrong_hashes(count=1):
    """A sound file with `count` wrong name hashes, which gives `count` findings of name-hash."""
    names = [b"LP_%04d" % i for i in range(count)]
    data, at = bytearray(light_file(names)), 0
    for name in names:
        at = data.index(struct.pack("<Q", strcode64(name)), at)
        data[at] ^= 1
    return bytes(data)


def archive(members):
    """An fpk with (path, bytes) members, in order."""
    return packed("fpk", [(os.fsencode(path), content) for path, content in members])


GOOD = light_file()
BAD = wrong_hashes()
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"


# ---------------------------------------------------------------- helpers

class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def text(self):
        return self.out.decode()

    @property
    def errors(self):
        return self.err.decode()

    def verdict(self):
        """The last line of the output, without the line about fixable findings."""
        return [line for line in self.text.splitlines() if " fixable: " not in line][-1]

    def lines(self):
        """The JSON Lines of this output."""
        return [json.loads(line) for line in self.text.splitlines()]

    def findings(self):
        return [line for line in self.lines() if line["type"] == "finding"]


class Feed:
    """Standard input of a run that must wait: the first byte is available, the others follow with finish()."""
    def __init__(self, data):
        self.reader, self.writer = os.pipe()
        self.rest = data[1:]
        os.write(self.writer, data[:1])

    def wait(self, process):
        """Waits until the run reads its standard input."""
        while struct.unpack("i", fcntl.ioctl(self.reader, termios.FIONREAD, bytes(4)))[0] and process.poll() is None:
            time.sleep(0.005)

    def finish(self):
        os.write(self.writer, self.rest)
        self.close()

    def close(self):
        os.close(self.writer)
        os.close(self.reader)


class CliTest(unittest.TestCase):
    def setUp(self):
        why = LEFT_OUT.get(self.id().split(".", 1)[1]) or LEFT_OUT.get(type(self).__name__)
        if why:
            self.skipTest(why)
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="cli-test-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.environment = {k: v for k, v in os.environ.items() if k not in ("CI", "NO_COLOR", "PWD", "TERM", "GITHUB_ACTIONS", "GITLAB_CI")}

    def path(self, name):
        return os.path.join(self.home, name)

    def on_terminal(self, *arguments, env=None, stdin=subprocess.DEVNULL, stderr=None, size=(24, 80), meanwhile=None):
        """Output of a run on a terminal of `size` (lines, columns), which is its stdout, and its stderr unless that
        is given."""
        if UNDER_WINE:
            self.skipTest("a console of wine writes to a terminal what it likes")
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        modes = termios.tcgetattr(side)
        modes[1] &= ~termios.OPOST  # line feeds stay line feeds
        termios.tcsetattr(side, termios.TCSANOW, modes)
        environment = {k: v for k, v in self.environment.items() if k not in ("COLUMNS", "LINES")}
        process = subprocess.Popen([PROGRAM, *arguments], stdin=stdin, stdout=side, stderr=side if stderr is None else stderr,
                                   cwd=self.home, env={**environment, "TERM": "xterm", **(env or {})})
        pieces = []

        # Reads up to a byte that the program never writes. A terminal may lose unread data when its other side is
        # closed.
        def read():
            while not (pieces and pieces[-1].endswith(b"\0")):
                pieces.append(os.read(main, 65536))
        reader = threading.Thread(target=read)
        reader.start()
        if meanwhile:
            meanwhile()
        process.wait()
        os.write(side, b"\0")
        reader.join()
        os.close(side)
        os.close(main)
        return b"".join(pieces)[:-1]

    def put(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def unprivileged(self):
        """Arguments of run_cli() for a user whose permissions are checked. Root's are not, and nobody else may be able to
        reach the program, as in /root, so another user runs a copy."""
        if os.geteuid() != 0:
            return {}
        folder = tempfile.mkdtemp(prefix="cli-test-")
        self.addCleanup(shutil.rmtree, folder)
        os.chmod(folder, 0o755)
        return {"program": shutil.copy(PROGRAM, folder), "user": NOBODY, "group": NOBODY, "extra_groups": []}

    def run_cli(self, *arguments, code=None, stdin=b"", cwd=None, env=None, program=PROGRAM, **more):
        if "stdout" not in more:
            more["stdout"] = subprocess.PIPE
        feed = {} if "stdin_file" in more else {"input": stdin}
        if "stdin_file" in more:
            feed["stdin"] = more.pop("stdin_file")
        for _ in range(2):
            done = subprocess.run([program, *arguments], stderr=subprocess.PIPE, cwd=cwd or self.home, timeout=120,
                                  env=dict(self.environment, **(env or {})), check=False, **feed, **more)
            # As in program.py: Wine may fail to start the program.
            if not UNDER_WINE or code in (None, 1) or done.returncode != 1 or done.stdout or done.stderr or "input" not in feed:
                break
        result = Result(done)
        if code is not None:
            self.assertEqual(result.code, code, "%r gave %d\n%s%s" % (arguments, result.code, result.out, result.err))
        return result

    def refused(self, *arguments, saying="", **more):
        """Expects that the command line is refused: exit code 2, a reason on stderr, nothing on stdout."""
        result = self.run_cli(*arguments, code=2, **more)
        self.assertEqual(result.out, b"")
        self.assertTrue(result.errors.startswith("lightlint: "), result.errors)
        self.assertIn(saying, result.errors)
        return result

    def checked(self, *arguments, **more):
        """Names of the checked files, in the order of the report. Each must have exactly one wrong hash."""
        result = self.run_cli("--format", "jsonl", "--select", "name-hash", *arguments, **more)
        files = [line["file"] for line in result.findings()]
        self.assertEqual(len(files), result.lines()[-1]["files"], result.text)
        self.assertEqual(result.code, 1 if files else 0)
        return files
