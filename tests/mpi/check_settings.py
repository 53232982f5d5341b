#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vef record` with each of its settings, on small programs: what a setting promises is seen in what was recorded, and
wrong values are refused before the job starts."""
import argparse
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time


class Checker:
    def __init__(self, args, family):
        self.args, self.family, self.problems = args, family, []
        self.mpirun = getattr(args, f"{family}_mpirun")
        self.directory = os.path.join(args.directory, family)
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)

    def expect(self, what, found, expected):
        if found != expected:
            self.problems.append(f"{self.family}: {what}: found {found!r}; expected {expected!r}")

    def program(self, name):
        return os.path.join(self.args.programs, self.family, name)

    def job(self, ranks, *command):
        oversubscribe = ["--oversubscribe"] if self.family == "openmpi" else []
        return [self.mpirun, *oversubscribe, "-n", str(ranks), *command]

    def record(self, name, options, command, env=None):
        return subprocess.run([self.args.vef, "record", "-o", name, *options, "--", *command], cwd=self.directory,
                              env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=100, check=False)

    def ring(self, name, options, env=None):
        """The ring of three under `vef record`: it always prints one line and ends well."""
        result = self.record(name, options, self.job(3, self.program("ring")), env)
        self.expect(f"{name}: status", result.returncode, 0)
        self.expect(f"{name}: output", result.stdout, "hops 3\n")
        return result

    def path(self, *parts):
        return os.path.join(self.directory, *parts)

    def logs(self, name):
        return sorted(os.path.basename(log) for log in glob.glob(self.path(name, "*.vlog")))

    def description(self, name):
        with open(self.path(name, "capture.json"), encoding="utf-8") as file:
            return json.load(file)

    def lines(self, name):
        """Log -> its events as text."""
        text = subprocess.run([self.args.log_text, self.path(name)], capture_output=True, text=True, check=True).stdout
        logs, log = {}, None
        for line in text.splitlines():
            if line.startswith("# "):
                log = logs.setdefault(line[2:], [])
            else:
                log.append(line)
        return logs

    def ranks(self):
        result = self.ring("ranks", ["--ranks", "0,2-"])
        self.expect("--ranks 0,2-", self.logs("ranks"), ["000000.0.vlog", "000002.0.vlog"])
        self.expect("--ranks: summary", "vef: 2 of 3 ranks" in result.stderr, True)
        self.named("ranks", "ranks not recorded")
        self.ring("later", ["--ranks", "1-"])  # without rank 0 another one describes the run
        self.expect("--ranks 1-: world size", self.description("later")["world_size"], 3)

    def refused(self):
        for option, value, words in [("--buffer", "64GiB", "a size from 1MiB to 16GiB"), ("--ranks", "3-1", "0-3,8,64-"),
                                     ("--level", "20", "1 to 19"), ("--calls", "sends", "p2p,collectives,rma,files"),
                                     ("--start", "maybe", "on or off"), ("--poll-gap", "2s", "0 to 1s"),
                                     ("--call-sites=99", None, "0 to 32")]:
            options = [option] if value is None else [option, value]
            result = self.record("refused", options, self.job(2, self.program("ring")))
            self.expect(f"{options}: status", result.returncode, 2)
            self.expect(f"{options}: {result.stderr!r} says what is expected", words in result.stderr, True)
            self.expect(f"{options}: nothing is made", os.path.exists(self.path("refused")), False)

    def start(self):
        """The pcontrol program switches recording off and on again: with --start off its first part is missing."""
        result = self.record("start", ["--start", "off"], self.job(2, self.program("pcontrol")))
        self.expect("--start off: status", result.returncode, 0)
        self.named("start", "VEF")
        for log, lines in self.lines("start").items():
            kept = [line.split(" site")[0] for line in lines if not line.startswith("pause")]
            self.expect(f"--start off: log {log}", kept,
                        ["Init", "Comm_dup comm=0 new=2 members=0+1x2", "Barrier comm=2 bytes=0 recv=0", "Finalize",
                         "complete"])

    def calls(self):
        """The ring has a receive, a send and a barrier in each rank; what is left out leaves a pause."""
        for selected, kept in (("collectives", ["Init", "pause", "Barrier", "Finalize", "complete"]),
                               ("p2p", ["Init", "Recv", "Send", "pause", "Finalize", "complete"]),
                               ("rma,files", ["Init", "pause", "Finalize", "complete"])):
            self.ring(f"calls-{selected}", ["--calls", selected])
            self.named(f"calls-{selected}", "VEF")
            lines = [line.split(" comm")[0] for line in self.lines(f"calls-{selected}")["1.0"]]
            self.expect(f"--calls {selected}", lines, kept)

    def regions(self):
        """The program has the regions `time step` and, in it, `inner`; at its end it switches recording on itself."""
        self.record("regions", ["--regions", "other,inner"], self.job(2, self.program("pcontrol_regions")))
        for log, lines in self.lines("regions").items():
            kept = [line for line in lines if not line.startswith(("pause", "Pcontrol"))]
            self.expect(f"--regions other,inner: log {log}", kept,
                        ["Init", "region begins name='inner'", "region ends name='inner'", "Barrier comm=0 bytes=0 recv=0",
                         "Finalize", "complete"])

    def scratch(self):
        scratch = self.path("node-local")
        os.makedirs(scratch)
        self.ring("scratched", ["--scratch", scratch])
        self.expect("--scratch: logs in the directory", self.logs("scratched"), [])
        self.expect("--scratch: logs below it", len(glob.glob(os.path.join(scratch, "vef-*", "*.vlog"))), 3)
        self.expect("--scratch: logs that are found", len(self.lines("scratched")), 3)
        self.named("scratched", "VEF")

    def call_sites(self):
        """Each call's frame is the line of the source that has it."""
        self.ring("sites", ["--call-sites"])
        with open(self.args.ring_source, encoding="utf-8") as file:
            source = file.read().splitlines()
        for log, lines in self.lines("sites").items():
            at = {}
            for line in lines:
                if match := re.fullmatch(r"site at=1\+([0-9a-f]+) site=(\d+)", line):
                    at[match[2]] = int(match[1], 16)
            checked = 0
            for line in lines:
                match = re.match(r"(Send|Recv|Barrier) .* site=(\d+)$", line)
                if not match:
                    continue
                address = hex(at[match[2]] - 1)  # within the call, before the address to which it returns
                place = subprocess.run(["addr2line", "-e", self.program("ring"), address], capture_output=True, text=True,
                                       check=True).stdout
                number = int(re.search(r":(\d+)", place)[1])
                self.expect(f"--call-sites: log {log}: {line}: MPI_{match[1]} in line {number}",
                            f"MPI_{match[1]}(" in source[number - 1], True)
                checked += 1
            self.expect(f"--call-sites: log {log}: calls with a site", checked, 3)

        # And so the merge names them, Fortran's too, whose calls come through a library of MPI.
        line = next(n for n, text in enumerate(source, 1) if "MPI_Barrier(" in text)
        self.named("sites", f"MPI_Barrier at main (ring.c:{line}): 3 calls, 0 bytes, 3 ranks")
        if os.path.exists(self.program("smoke_f08")):
            self.record("fortran", ["--call-sites=2"], self.job(2, self.program("smoke_f08")))
            with open(os.path.join(os.path.dirname(self.args.ring_source), "smoke_f08.f90"), encoding="utf-8") as file:
                line = next(n for n, text in enumerate(file, 1) if "call MPI_Sendrecv(" in text)
            self.named("fortran", f"MPI_Sendrecv at MAIN__ (smoke_f08.f90:{line}) < main")

    def named(self, name, text):
        """The merge of the recording goes well, and its trace tells `text` of itself."""
        vef = self.args.vef
        merged = subprocess.run([vef, "merge", name, "-o", f"{name}.vef.zst"], cwd=self.directory, capture_output=True,
                                text=True, check=False)
        self.expect(f"{name}: merge ({merged.stderr})", merged.returncode, 0)
        info = subprocess.run([vef, "info", f"{name}.vef.zst"], cwd=self.directory, capture_output=True, text=True, check=False)
        self.expect(f"{name}: {text} in {info.stdout}", text in info.stdout, True)

    def clocks(self):
        """Ranks in time namespaces whose monotonic clocks are ahead by a known time."""
        def on_host(host, seconds):
            inner = f'hostname {host}; exec "$0"'
            return ["unshare", "--uts", "--time", "--monotonic", str(seconds), "--fork", "--kill-child", "sh", "-c", inner,
                    self.program("ring")]
        if subprocess.run(on_host("n2", 1)[:9] + ["hostname n2"], capture_output=True, check=False).returncode != 0:
            print(f"{self.family}: clocks: not checked: no right to make time namespaces")
            return
        command = self.job(1, self.program("ring")) + [":", "-n", "1"] + on_host("n2", 1000) + [":", "-n", "1"]
        self.record("clocks", ["--clock-sync=both"], command + on_host("n3", 5))
        found = self.description("clocks")["clock_offsets"]
        self.expect("--clock-sync: ranks", [host["rank"] for host in found], [1, 2])
        for host, ahead in zip(found, (1000e9, 5e9)):
            for which in ("", "end_"):
                # The shortest round trip bounds the error to half of it.
                error = abs(host[f"{which}offset_ns"] + ahead)
                self.expect(f"--clock-sync: {which}offset of {host}", error <= host[f"{which}round_trip_ns"] / 2, True)
        self.named("clocks", "clocks compared    n2 -")
        self.ring("no-clocks", [])
        self.expect("no --clock-sync: offsets", "clock_offsets" in self.description("no-clocks"), False)

    def two_jobs(self):
        """A script that starts two jobs: two directories."""
        first, second = (" ".join(self.job(n, self.program("ring"))) for n in (2, 3))
        result = self.record("script", ["--mpi", self.family, "--json"], ["sh", "-c", f"{first} && {second}"])
        self.expect("two jobs: status", result.returncode, 0)
        self.expect("two jobs: logs", [len(self.logs(name)) for name in ("script", "script.1")], [2, 3])
        shown = json.loads(result.stdout.splitlines()[-1])
        self.expect("two jobs: --json", [capture["ranks"] for capture in shown["captures"]], [2, 3])

    def spawned(self):
        """Spawned processes are a world of their own. (MPICH of Debian 12, device ch4:ucx, cannot spawn.)"""
        if self.family == "mpich":
            return
        result = self.record("spawned", [], self.job(2, self.program("spawn_pair")))
        self.expect(f"spawn: status ({result.stderr})", result.returncode, 0)
        self.expect("spawn: logs", [len(self.logs(name)) for name in ("spawned", "spawned.1")], [2, 2])
        self.expect("spawn: by", self.description("spawned.1").get("spawned_by"), self.description("spawned")["job"])

    def environment(self):
        result = self.ring("environment", ["--level", "19", "--buffer", "64MiB"],
                           {"VEF_BUFER": "8M", "UCX_LOG_LEVEL": "fatal", "UCX_SECRET_KEY": "hidden"})
        self.expect("VEF_BUFER is named", "VEF_BUFER" in result.stderr, True)
        description = self.description("environment")
        self.expect("environment: kept", description["environment"].get("UCX_LOG_LEVEL"), "fatal")
        self.expect("environment: secrets", "hidden" in json.dumps(description), False)
        self.expect("--level 19", description["level"], 19)
        self.expect("--level 19: logs", len(self.lines("environment")), 3)

    def killed(self):
        """If `vef record` is killed its job ends too, and what was recorded is there."""
        mark = self.path("mark")
        recorder = subprocess.Popen([self.args.vef, "record", "-o", "killed", "--", *self.job(2, self.program("patient"), mark)],
                                    cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            if os.path.exists(mark) and os.path.getsize(mark) > 0:
                break
            time.sleep(0.05)
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
        with open(mark, encoding="utf-8") as file:
            rank = int(file.read())
        for _ in range(400):
            if not os.path.exists(f"/proc/{rank}"):
                break
            time.sleep(0.05)
        self.expect("killed: the ranks have ended", os.path.exists(f"/proc/{rank}"), False)
        for log, lines in self.lines("killed").items():
            self.expect(f"killed: log {log}: end", lines[-1], "cut off")
            self.expect(f"killed: log {log}: its 11 exchanges", sum(l.startswith("Sendrecv ") for l in lines) >= 10, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("openmpi-mpirun", "mpich-mpirun", "vef", "log-text", "programs", "ring-source", "directory"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--only", help="one check")
    args = parser.parse_args()
    problems = []
    for family in ("openmpi", "mpich"):
        checker = Checker(args, family)
        for check in ("ranks", "refused", "start", "calls", "regions", "scratch", "call_sites", "clocks", "two_jobs", "spawned", "environment",
                      "killed"):
            if args.only in (None, check):
                getattr(checker, check)()
        problems += checker.problems
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
