#!/usr/bin/env python3
"""docs/sweeps.md: its instructions for parts of a corpus are run literally, and the merged parts must equal a single
run: GNU parallel, a job array on a one-machine Slurm cluster, and a matrix of GitHub Actions, whose steps are run in
order. The corpus has archives of several megabytes with reordered members, and the merged sweep is rendered as a page.

usage: test_sweeps_docs.py SOURCE_DIR PROGRAM WORK_DIR [FILES]
FILES: minimum number of files, copies of real packages if there are any, otherwise of generated ones
exit:  0 all passed, 1 not, 77 skipped (nothing could be run)"""
import ctypes
import glob
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from fox_package import Archive  # noqa: E402
from made_package import Maker  # noqa: E402
from program import real_mods  # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None

SOURCE, PROGRAM, WORK, FILES = "", "", "", 0
PARTS = 8
FINDING_MAX = 64 * 1024
DAEMONS = ("munged", "slurmctld", "slurmd")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None)

SLURM_CONF = """ClusterName=lightlint
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MinJobAge=300
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=5 State=UP OverSubscribe=FORCE:4
"""


def read(name):
    with open(name, encoding="utf-8", errors="replace") as file:
        return file.read()


def page():
    return read(os.path.join(SOURCE, "docs", "sweeps.md"))


def block(language, *words):
    """The only block of the page that contains all these words."""
    found = [text for text in re.findall(r"^```%s\n(.*?)^```$" % language, page(), re.M | re.S) if all(word in text for word in words)]
    assert len(found) == 1, (words, len(found))
    return found[0]


def die_with_us():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def children():
    return [int(number) for name in glob.glob("/proc/self/task/*/children") for number in read(name).split()]


def large_archive(part, seed):
    """An archive of 2.5 MB with 126 members: in an fpk, groups are out of order, in an fpkd, names within a group.
    The patch moves most of its bytes."""
    some = random.Random(seed)
    names = ["/Assets/tpp/pack/x/%08x" % some.getrandbits(32) for _ in range(126)]
    paths = [name + ".lua" for name in names] if part == "fpkd" else sorted(n + ".obrb" for n in names[:63]) + sorted(n + ".frt" for n in names[63:])
    return Archive(part, {path: some.randbytes(20000) for path in paths}).write()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def fill(corpus):
    """Copies files of the demo and adds large archives; or makes as many copies of packages as FILES asks for."""
    if not FILES:
        for i in range(3):
            shutil.copytree(os.path.join(SOURCE, "corpus", "demo"), os.path.join(corpus, "d%d" % i))
    else:
        first, real = os.path.join(corpus, "p0"), real_mods()
        if real:
            shutil.copytree(real, first, ignore=shutil.ignore_patterns("MANIFEST.tsv", "README.md"))
        else:
            maker = Maker(os.path.join(SOURCE, "corpus"))
            for seed in range(10):
                for name, data in maker.package(seed, stem="made%d" % seed).written().items():
                    write(os.path.join(first, name), data)
        count = sum(len(files) for _, _, files in os.walk(first))
        for i in range(1, -(-FILES // count)):
            shutil.copytree(first, os.path.join(corpus, "p%d" % i))
    for part in ("fpk", "fpkd"):
        write(os.path.join(corpus, "large", "large." + part), large_archive(part, part))


class Docs(unittest.TestCase):
    def setUp(self):
        os.makedirs(WORK, exist_ok=True)
        self.home = tempfile.mkdtemp(dir=WORK)
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        bin_folder = os.path.join(self.home, "bin")
        os.mkdir(bin_folder)
        os.symlink(PROGRAM, os.path.join(bin_folder, "lightlint"))
        self.environment = dict(os.environ, PATH=bin_folder + os.pathsep + os.environ["PATH"], HOME=self.home)
        fill(os.path.join(self.home, "corpus"))
        self.sweep = self.run_here(["lightlint", "sweep", "-q", "corpus/"], codes=(0, 2)).stdout

    def run_here(self, command, codes=(0,), seconds=280, **more):
        done = subprocess.run(command, cwd=self.home, env=dict(self.environment, **more), capture_output=True, timeout=seconds, check=False)
        self.assertIn(done.returncode, codes, "%r\n%s\n%s" % (command, done.stdout.decode()[-2000:], done.stderr.decode()[-2000:]))
        return done

    def joined(self):
        """The merged sweep equals a single run, and can be read."""
        with open(os.path.join(self.home, "all.jsonl"), "rb") as file:
            self.assertTrue(file.read() == self.sweep, "not what one run writes")
        self.assertLess(max(map(len, self.sweep.splitlines())), FINDING_MAX)
        # the other files are in no known format
        self.assertGreater(json.loads(self.sweep.splitlines()[-1])["files"], FILES // 2)
        same = self.run_here(["lightlint", "sweep", "--diff", "--format", "json", "all.jsonl", "all.jsonl"])
        self.assertEqual(json.loads(same.stdout)["summary"]["came"], 0)
        self.run_here(["lightlint", "sweep", "--merge", "--format", "html:whole.html", "all.jsonl"])
        page_of_all = read(os.path.join(self.home, "whole.html"))
        for name in ("FPK141", "FPK145"):
            self.assertTrue(name in page_of_all, name)

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_parallel(self):
        text = block("sh", "parallel", "--merge", "::: 1 2 3").replace("parallel ", "parallel --will-cite ")
        self.run_here(["bash", "-c", text], codes=(0, 1))
        self.joined()

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_parallel_over_hosts(self):
        """Runs the block of the page, but the only host is this machine, which needs no ssh."""
        text = block("sh", "parallel", "--sshlogin").replace("parallel ", "parallel --will-cite ")
        text = text.replace("lamp1,lamp2,lamp3", ":").replace("/srv/lights", self.home)
        self.assertIn("--sshlogin : --wd " + self.home, text)
        self.run_here(["bash", "-c", text], codes=(0, 1))
        self.joined()

    @unittest.skipUnless(yaml, "python3-yaml is not installed")
    def test_matrix(self):
        jobs = yaml.safe_load(block("yaml", "matrix:"))["jobs"]
        parts = jobs["part"]["strategy"]["matrix"]["part"]
        for part in parts:
            for step in (step for step in jobs["part"]["steps"] if "lightlint" in step.get("run", "")):
                self.run_here(["bash", "-ec", step["run"]], codes=(0, 2), PART=str(part), PARTS=str(len(parts)))
        for step in (step for step in jobs["whole"]["steps"] if "run" in step and "--merge" in step["run"]):
            self.run_here(["bash", "-ec", step["run"]])
        self.joined()

    # ------------------------------------------------------------ Slurm

    def start(self, *command):
        self.daemons.append(subprocess.Popen(command, cwd=self.home, env=self.environment, preexec_fn=die_with_us, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def end_all(self):
        """Ends all started processes and their children; orphans become children of this process."""
        for how in (signal.SIGTERM, signal.SIGKILL):
            until = time.monotonic() + 5
            while children() and time.monotonic() < until:
                for number in children():
                    try:
                        os.kill(number, how)
                    except ProcessLookupError:
                        pass
                try:
                    while os.waitpid(-1, os.WNOHANG)[0]:
                        pass
                except ChildProcessError:
                    pass
                time.sleep(.1)
        for daemon in self.daemons:
            daemon.returncode = 0  # was waited for above

    def wait_for(self, what, condition, seconds=30):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                logs = [read(name)[-1500:] for name in glob.glob(self.folder + "/*.log")]
                print("\n".join(logs), file=sys.stderr)
                self.skipTest("Slurm does not start here: %s, not within %d s" % (what, seconds))
            time.sleep(.2)

    def cluster(self):
        """Starts munged, slurmctld and slurmd on this machine, with all their files in one folder."""
        self.folder = tempfile.mkdtemp(prefix="slurm-")  # short, because socket paths are limited
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.daemons = []
        self.addCleanup(self.end_all)
        os.chmod(self.folder, 0o755)
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        ports = [s.getsockname()[1] for s in sockets]
        for s in sockets:
            s.close()
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            os.mkdir(os.path.join(self.folder, name))
        conf = SLURM_CONF.format(host=host, ports=ports, folder=self.folder, user=subprocess.check_output(["id", "-un"], text=True).strip(),
                                 cpus=os.cpu_count())
        self.environment["SLURM_CONF"] = os.path.join(self.folder, "slurm.conf")
        with open(self.environment["SLURM_CONF"], "w", encoding="utf-8") as file:
            file.write(conf)
        key = os.path.join(self.folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(128))
        at = self.folder
        self.start("munged", "--foreground", "--force", "--key-file=" + key, "--socket=%s/munge.socket" % at, "--pid-file=%s/munged.pid" % at,
                   "--seed-file=%s/munged.seed" % at, "--log-file=%s/munged.log" % at)
        self.wait_for("munged", lambda: os.path.exists(at + "/munge.socket"))
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D")

        def idle():
            done = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.environment, capture_output=True, text=True, timeout=20, check=False)
            return done.stdout.strip() in ("idle", "mixed")

        self.wait_for("the node", idle)

    @unittest.skipUnless(all(shutil.which(name) for name in (*DAEMONS, "sbatch", "sinfo")), "munge, slurmctld or slurmd is not installed")
    def test_slurm(self):
        script = block("sh", "#SBATCH")
        self.assertIn("--array=1-32", script)
        with open(os.path.join(self.home, "sweep.sh"), "w", encoding="utf-8") as file:
            file.write(script.replace("--array=1-32", "--array=1-%d" % PARTS))
        self.cluster()
        self.run_here(["bash", "-c", block("sh", "sbatch --wait")])
        self.joined()


def main():
    global SOURCE, PROGRAM, WORK, FILES
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    SOURCE, PROGRAM, WORK = (os.path.realpath(argument) for argument in sys.argv[1:4])
    FILES = int(sys.argv.pop(4)) if sys.argv[4:] and sys.argv[4].isdigit() else 0
    result = unittest.main(argv=sys.argv[:1] + sys.argv[4:], exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if len(result.skipped) == result.testsRun else 0)


if __name__ == "__main__":
    main()
