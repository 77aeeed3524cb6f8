#!/usr/bin/env python3
"""Mutation test: makes one small defect after another in the C code and runs the tests. A mutant that a test notices is
killed. Works in a copy below build/mutate, never in the tree; a changed file is restored after each mutant.

For each mutant, the affected targets are built again, and tests run until one fails: the cases, the unit tests, both
again with sanitizers, then all other tests of ./dev check except those of style, which read the source. A test that
takes much longer than with the original program is stopped and counts as failed.

usage: mutate.py [OPTIONS] [PATH...]    folders, files or FILE:LINE; src/rules src/packc src/model src/formats
  --number N       try N mutants, chosen at random (50; 0: all)
  --seed WORD      seed of that choice (1)
  --kind KIND      only mutants of this kind: comparison, logic, sum, constant or call
  --again FILE     only the survivors of an earlier run whose output is in FILE
  --fast           run only the cases and the unit tests; the other tests would kill some of the survivors
  --trees N        work in N copies at the same time (1)
  --list           print the mutants; build and run nothing
  --self-test      check the C reader on a text whose mutants are known
Mutants in tests/tools/mutants_equivalent.txt are left out: they do not change what the program does.
exit: 0 done, 1 the self-test failed, 2 the original program does not build or fails its tests"""
import argparse
import json
import multiprocessing
import os
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict

import run_cases
from mutants import mutants_of
from program import Program, Workshop

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
WORK = os.path.join(TOP, "build", "mutate")
EQUIVALENTS = os.path.join(TOP, "tests", "tools", "mutants_equivalent.txt")
FOLDERS = ["src/rules", "src/packc", "src/model", "src/formats"]
SANITIZERS = "exitcode=99:halt_on_error=1"  # not 1: that is the exit code of a program with findings
# labels of tests that are slow or read the source
UNWANTED = {"long", "install", "integration", "sarif", "style", "tools"}
MEMORY = 6 << 30  # bytes of address space of a mutant; one case asks for 4 GiB
SLOWER, SPARE = 4, 15  # time limit of a test: SLOWER times its normal duration plus SPARE seconds
# seconds to build a mutant; seconds of processor time for each process, such as packc
BUILD_TIME, PROCESS_TIME = 120, 90


# ------------------------------------------------------------------ the copy

def listed_files():
    out = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=TOP, capture_output=True, check=True).stdout
    return [os.fsdecode(name) for name in out.split(b"\0") if name and os.path.isfile(os.path.join(TOP, os.fsdecode(name)))]


def same(one, two):
    if not os.path.isfile(two) or os.path.getsize(one) != os.path.getsize(two):
        return False
    with open(one, "rb") as a, open(two, "rb") as b:
        return a.read() == b.read()


def sync(tree):
    """Synchronises a copy with the tree. Unchanged files keep their times, so that little is rebuilt."""
    files = set(listed_files())
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, tree) not in files:
                os.remove(path)
    for file in files:
        source, target = os.path.join(TOP, file), os.path.join(tree, file)
        if not same(source, target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


# ------------------------------------------------------------------ processes

def limit_time():
    """Limits the processor time of a child process and of all its children. ninja puts some into process groups of
    their own, which our signals do not reach. Also resets signals that this program inherited as ignored, e.g. from
    nohup."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESS_TIME, PROCESS_TIME))


def limit():
    limit_time()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def stop(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def call(command, seconds, cwd=None, limits=limit):
    """Runs a command; returns exit code (None after a timeout) and output. All its processes are stopped with it."""
    with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True, preexec_fn=limits) as process:
        try:
            out = process.communicate(timeout=seconds)[0]
            return process.returncode, out.decode(errors="replace")
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            stop(process.pid)


def in_a_child(function, seconds, limits):
    """Runs a function in a child process; returns its result as an exit code, or None after a timeout. Compare
    call()."""
    child = os.fork()
    if not child:
        try:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            limits()
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            os.dup2(1, 2)
            os._exit(function())
        except BaseException:  # any exception counts as a failed test
            os._exit(1)
    end, code = time.monotonic() + seconds, None
    try:
        while code is None and time.monotonic() < end:
            pid, status = os.waitpid(child, os.WNOHANG)
            code = os.waitstatus_to_exitcode(status) if pid else None
            time.sleep(0 if pid else 0.02)
        return code
    finally:
        stop(child)
        if code is None:
            os.waitpid(child, 0)


class Test:
    def __init__(self, shown, build):
        properties = {p["name"]: p["value"] for p in shown["properties"]}
        self.name, self.command, self.build = shown["name"], shown["command"], build
        self.labels, self.cwd = properties.get("LABELS", []), properties.get("WORKING_DIRECTORY", build.folder)
        self.skip, self.seconds = properties.get("SKIP_RETURN_CODE"), 600.0
        # part of the build that it needs
        self.stage = 0 if self.name == "cases" else 1 if self.name.startswith("unit-") else 2

    def code(self):
        return call(self.command, self.seconds, self.cwd, self.build.limits)[0]

    def time(self):
        """Runs the test with the original program and sets its time limit; returns whether it passes. Retries once,
        because tests that wait for something can fail on a busy machine."""
        start = time.monotonic()
        code = self.code() and self.code()
        self.seconds = (time.monotonic() - start) * SLOWER + SPARE
        if code not in (0, self.skip):
            print(f"mutate: {self.name} fails with the original program and is left out", file=sys.stderr)
        return code == 0


class Cases(Test):
    """Runs the cases in this process. They are assembled only once, which takes most of the time. Expectations are
    checked first: they notice most mutants."""

    def __init__(self, shown, build):
        super().__init__(shown, build)
        self.arguments = run_cases.parse(["--corpus", os.path.join(build.tree, "corpus"), "--golden",
                                          os.path.join(build.tree, "tests", "cases", "golden"), self.command[-1]])
        self.cases = list(run_cases.load(self.arguments.corpus, ""))

    def code(self):
        return in_a_child(self.run, self.seconds, self.build.limits)

    def run(self):
        """The full run starts a process per case, which is slow with sanitizers; so those builds check only the
        expectations."""
        return self.expectations_fail() or (not self.build.sanitized and run_cases.run(self.arguments, self.cases))

    def expectations_fail(self):
        with Workshop() as workshop:
            for case in self.cases:
                workshop.write(case.file, case.data)
            return any(run_cases.run_findings(Program(self.arguments.lightlint), self.cases, workshop)[0].values())


class Build:
    """A build folder of a copy, with its tests."""

    def __init__(self, tree, folder, sanitized):
        self.tree, self.folder, self.limits = tree, folder, limit_time if sanitized else limit  # sanitizers reserve terabytes
        self.sanitized, self.name = sanitized, "sanitized " if sanitized else ""
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG",
                   f"-DLIGHTLINT_SANITIZE={'address,undefined' if sanitized else ''}"]
        code, out = call(["cmake", "-S", tree, "-B", folder, "-G", "Ninja", *options], BUILD_TIME)
        if code != 0:
            sys.exit(f"mutate: no build folder\n{out[-2000:]}")
        shown = json.loads(call(["ctest", "--show-only=json-v1"], BUILD_TIME, folder)[1])["tests"]
        self.tests = [(Cases if test["name"] == "cases" else Test)(test, self) for test in shown if "command" in test]
        self.targets = [["lightlint_cli"], [os.path.basename(test.command[0]) for test in self.tests if test.stage == 1], ["all"]]

    def build(self, stage, seconds=BUILD_TIME):
        return call(["ninja", "-C", self.folder, "-j", "1", *self.targets[stage]], seconds, limits=self.limits)

    def build_sound(self, stages):
        for stage in stages:
            code, out = self.build(stage, 20 * BUILD_TIME)
            if code != 0:
                sys.exit(f"mutate: the original program does not build\n{out[-2000:]}")


class Bench:
    """A copy of the tree, its build folders, and the tests in the order in which they run."""

    def __init__(self, number, fast):
        self.tree = os.path.join(WORK, f"tree{number}")
        sync(self.tree)
        plain, sanitized = [Build(self.tree, os.path.join(WORK, f"{name}{number}"), name == "sanitized") for name in ("plain", "sanitized")]
        plain.build_sound([0, 1] if fast else [2])
        sanitized.build_sound([0, 1])
        wanted = [test for test in plain.tests if not UNWANTED & set(test.labels) and (test.stage < 2 or not fast)]
        wanted += [test for test in sanitized.tests if test.stage < 2]
        print(f"mutate: {len(wanted)} tests with the original program", file=sys.stderr)
        self.tests = sorted((test for test in wanted if test.time()), key=lambda test: (test.stage == 2, test.build.name, test.stage, test.seconds))
        if "cases" not in [test.name for test in self.tests]:
            sys.exit(2)

    def killer(self, mutant):
        """Name of the test that notices the mutant in the copy; "" if none does, None if the mutant does not
        compile."""
        built = None
        for test in self.tests:
            if (test.build, test.stage) != built:
                built = test.build, test.stage
                code, out = test.build.build(test.stage)
                if code != 0:
                    name = re.escape(os.path.basename(mutant.path))
                    return None if re.search(rf"{name}:\d+:\d+: (fatal )?error:", out) else f"{test.build.name}build"
            code = test.code()
            if code != 0:
                return f"{test.build.name}{test.name}{' (too long)' if code is None else ''}"
        return ""

    def try_out(self, mutant, text):
        path = os.path.join(self.tree, mutant.path)
        try:
            write(path, mutant.apply(text))
            return self.killer(mutant)
        finally:
            write(path, text)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# ------------------------------------------------------------------ choosing mutants

def c_files(path):
    if os.path.isfile(os.path.join(TOP, path)):
        return [path]
    files = [os.path.relpath(os.path.join(folder, name), TOP)
             for folder, _, names in os.walk(os.path.join(TOP, path)) for name in names if name.endswith(".c")]
    if not files:
        sys.exit(f"mutate: no C files in {path}")
    return sorted(files)


def all_mutants(paths):
    """The mutants of files, folders and lines, and {file: text}."""
    texts, mutants = {}, []
    for path in paths:
        path, _, line = path.partition(":")
        for file in c_files(os.path.relpath(os.path.abspath(os.path.join(TOP, path)), TOP)):
            with open(os.path.join(TOP, file), encoding="utf-8") as opened:
                texts[file] = opened.read()
            mutants += [m for m in mutants_of(file, texts[file]) if not line or m.line == int(line)]
    return mutants, texts


def equivalents():
    with open(EQUIVALENTS, encoding="utf-8") as file:
        return {line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")}


def survivors_of(path):
    """(path, old, new) of the surviving mutants that the output of a run lists."""
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r"^(\S+):\d+: \w+\n    - (.*)\n    \+ (.*)$", file.read(), re.MULTILINE))


def chosen(options):
    mutants, texts = all_mutants(options.paths or FOLDERS)
    known = equivalents()
    if options.again:
        wanted = survivors_of(options.again)
        return [m for m in mutants if (m.path, m.old, m.new) in wanted and m.key not in known], texts
    for key in sorted(known - {m.key for m in mutants}) if not options.paths else []:
        print(f"mutate: {EQUIVALENTS} lists a mutant that no longer exists: {key}", file=sys.stderr)
    mutants = [m for m in mutants if m.key not in known and options.kind in (None, m.kind)]
    if 0 < options.number < len(mutants):
        mutants = random.Random(options.seed).sample(mutants, options.number)
    return mutants, texts


def shown(mutant):
    return f"{mutant.path}:{mutant.line}: {mutant.kind}\n    - {mutant.old}\n    + {mutant.new}"


def summary(results):
    """Rows with the share of killed mutants by folder."""
    rows = defaultdict(lambda: [0, 0])
    for mutant, killer in results:
        for folder in (os.path.dirname(mutant.path), "all"):
            rows[folder][0] += bool(killer)
            rows[folder][1] += 1
    for folder, (killed, tried) in sorted(rows.items(), key=lambda row: (row[0] == "all", row[0])):
        yield f"{100 * killed / tried:6.1f} %  {killed:4} of {tried:4}  {folder}"


def work(number, options, texts, mutants, results):
    """Main function of a worker process: takes mutants until the queue is empty."""
    bench = Bench(number, options.fast)
    for mutant in iter(mutants.get, None):
        start = time.monotonic()
        results.put((mutant, bench.try_out(mutant, texts[mutant.path]), time.monotonic() - start))


def next_result(results, workers):
    while True:
        try:
            return results.get(timeout=5)
        except queue.Empty:
            if any(worker.exitcode for worker in workers):
                sys.exit("mutate: a worker process failed")


def run(options):
    mutants, texts = chosen(options)
    if options.list:
        print("\n".join(shown(mutant) for mutant in mutants))
        return 0
    todo, done, results = multiprocessing.Queue(), multiprocessing.Queue(), []
    todo.cancel_join_thread()  # do not wait for the queue when this program is stopped
    for mutant in mutants + [None] * options.trees:
        todo.put(mutant)
    workers = [multiprocessing.Process(target=work, args=(number, options, texts, todo, done)) for number in range(options.trees)]
    try:
        for worker in workers:
            worker.start()
        for number in range(1, len(mutants) + 1):
            mutant, killer, seconds = next_result(done, workers)
            fate = {None: "does not compile", "": "SURVIVES"}.get(killer, f"killed by {killer}")
            print(f"{number}/{len(mutants)} {mutant.path}:{mutant.line} {mutant.kind}: {fate}, {seconds:.0f} s", flush=True)
            if killer == "":
                print(shown(mutant), flush=True)
            if killer is not None:
                results.append((mutant, killer))
    finally:
        for worker in workers:
            worker.terminate()
    print("\n".join(["", "survivors:", *(shown(mutant) for mutant, killer in results if not killer), "", *summary(results)]))
    return 0


# ------------------------------------------------------------------ self-test

SAMPLE = r'''#include <a.h> // a < b
#define LESS(a, b) ((a) < \
                    (b))
_Static_assert(sizeof(int) == 4, "four");
static const char text[16] = "a < b \" && 1";
/* 1 + 1
   a < b */
static int f(int a, int *p)
{
    int x[2] = {0};
    if (a < 3 &&
        p->q != 'c')
        log_it("(", a);
    while (!done(a))
        (void)p->call(0x10u);
    *p = a ? one(a) : two(a);
    return a - -1 == 2.5;
}
'''
EXPECTED = """11 comparison if (a <= 3 &&
11 comparison if (a >= 3 &&
11 constant if (a < 2 &&
11 constant if (a < 4 &&
11 logic if (!(a < 3 &&
11 logic if (a < 3 ||
12 comparison p->q == 'c')
13 call without log_it("(", a)
14 logic while (!(!done(a)))
14 logic while (done(a))
15 call without (void)p->call(0x10u)
15 constant (void)p->call(0x11u);
15 constant (void)p->call(0xfu);
17 comparison return a - -1 != 2.5;
17 constant return a - -0 == 2.5;
17 constant return a - -2 == 2.5;
17 sum return a + -1 == 2.5;"""


def self_test():
    mutants = mutants_of("a.c", SAMPLE)
    got = "\n".join(sorted((f"{m.line} {m.kind} {m.new}" for m in mutants), key=lambda row: (int(row.split()[0]), row)))
    if got != EXPECTED:
        print(f"expected\n{EXPECTED}\ngot\n{got}")
    whole = [m for m in mutants if m.kind == "call"][0].apply(SAMPLE)
    sound = "        (void)0;\n" in whole and "log_it" not in whole and len(whole.splitlines()) == len(SAMPLE.splitlines())
    return 0 if got == EXPECTED and sound else 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--number", type=int, default=50)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kind")
    parser.add_argument("--again")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--trees", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("paths", nargs="*", metavar="PATH")
    options = parser.parse_args()
    os.environ.update(ASAN_OPTIONS=SANITIZERS, UBSAN_OPTIONS=SANITIZERS)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # raises an exception, so that child processes are stopped
    return self_test() if options.self_test else run(options)


if __name__ == "__main__":
    sys.exit(main())
