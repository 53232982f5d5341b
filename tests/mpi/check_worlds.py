#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Worlds that meet (support/worlds.c), recorded and merged to one trace. Tries first, without the recorder, whether the
MPI library at hand can do it at all; if not, that is said, and the test is skipped (exit status 77).

The expected numbers follow from what the program says that it does; a ring of n ranks is n messages.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

SKIPPED = 77
OPERATIONS = ("broadcast", "all-reduce", "barrier")


class Checker:
    def __init__(self, args):
        self.args, self.problems, self.skipped, self.merged = args, [], [], 0

    def path(self, *parts):
        return os.path.join(self.args.directory, *parts)

    def job(self, ranks, *arguments, program=None):
        command = [self.args.mpirun, "-n", str(ranks)]
        if self.args.family == "openmpi":
            command[1:1] = ["--oversubscribe"]
            if os.path.exists(self.path("servers")):
                command[1:1] = ["--ompi-server", "file:" + self.path("servers")]
        return command + [program or self.args.program, *arguments]

    def run(self, command, limit=100):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit, check=False,
                              cwd=self.args.directory)
        return done.returncode, done.stdout, done.stderr

    def can(self, what, *commands, limit=30):
        """Whether the jobs, started together, end well without the recorder."""
        jobs = [subprocess.Popen(c, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, cwd=self.args.directory)
                for c in commands]
        end = time.monotonic() + limit
        while any(job.poll() is None for job in jobs):
            if any(job.returncode for job in jobs) or time.monotonic() > end:  # the others would wait for it
                for job in jobs:
                    job.terminate()
            time.sleep(0.05)
        status = [job.returncode for job in jobs]
        if any(status):
            self.skipped.append(f"{what}: this {self.args.family} cannot (exit status {', '.join(map(str, status))})")
        return not any(status)

    def record_together(self, jobs):
        """Each (name, command); False: one did not end well."""
        running = [subprocess.Popen([self.args.vef, "record", "-o", self.path(name), "--", *command],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for name, command in jobs]
        for (name, _), job in zip(jobs, running):
            try:
                said, _ = job.communicate(timeout=100)
            except subprocess.TimeoutExpired:
                job.terminate()
                said, _ = job.communicate()
            if job.returncode != 0:
                self.problems.append(f"recording {name}: exit status {job.returncode}; expected 0\n{said}")
        return not self.problems

    def expect(self, what, found, expected):
        if found != expected:
            self.problems.append(f"{what}: found {found}; expected {expected}")

    def merge(self, what, directories, expected, *options):
        """Merges, and checks the trace; `expected` are keys of the report, and "worlds": their sizes."""
        trace = self.path(what + ".vef.zst")
        status, out, err = self.run([self.args.vef, "merge", *directories, "-o", trace, "--json", "--quiet", *options])
        if status != 0:
            self.problems.append(f"{what}: vef merge ended with {status}; expected 0\n{out}{err}")
            return {}
        report = json.loads(out)
        self.merged += 1
        found = {key: report[key] for key in expected}
        found.update({"worlds": [w["tasks"] for w in report["worlds"]]} if "worlds" in expected else {})
        self.expect(f"{what}: merged ({err})", found, expected)
        for command in (["check", "--quiet", trace], ["report", trace, "-o", self.path(what + ".html")]):
            status, out, err = self.run([self.args.vef, *command])
            self.expect(f"{what}: vef {command[0]} ({out}{err})", status, 0)
        return report

    def spawn(self):
        if not self.can("MPI_Comm_spawn", self.job(2, "spawn")):
            return
        if not self.record_together([("run", self.job(2, "spawn"))]):
            return
        # Two, their three, of which the first spawns one, and the second's two: 64 and 32 bytes between the first
        # two worlds, 7 to the grandchild, 100 to the late one, a ring of five.
        report = self.merge("spawn", [self.path("run")], {"faults": 0, "tasks": 8, "messages": 9, "message_bytes": 223})
        sizes = sorted(w["tasks"] for w in report.get("worlds", []))
        self.expect("spawn: sizes of the worlds", sizes, [1, 2, 2, 3])
        how = sorted(w["how"].split("(")[0] for w in report.get("worlds", []))
        first = next((w["first_task"] for w in report.get("worlds", []) if w["tasks"] == 3), -1)
        self.expect("spawn: by whom", how, sorted(["", "spawned by task 0 ", "spawned by task 1 ", f"spawned by task {first} "]))
        operations = report.get("collectives_by_operation", {})
        # Barriers: three spawns; on the two worlds' inter-communicator dup and merge; split, and two halves.
        self.expect("spawn: collectives", [operations.get(n) for n in OPERATIONS], [1, 1, 8])
        # Of the ring only the two parents are known, who are its ranks 3 and 4: one message.
        self.merge("alone", [self.path("run")], {"faults": 0, "tasks": 2, "messages": 1, "worlds": [2]}, "--alone")

    def spawn_alone(self):
        """The children's recording is gone."""
        if not os.path.isdir(self.path("run")):
            return
        os.makedirs(self.path("elsewhere"))
        shutil.copytree(self.path("run"), self.path("elsewhere", "run"))
        report = self.merge("one_side", [self.path("elsewhere", "run")], {"faults": 0, "tasks": 2, "messages": 1})
        said = " ".join(report.get("warnings", []))
        for part in ("its 3 processes are not among the worlds merged", "its 2 processes are not among the worlds merged",
                     "from processes of another world"):
            self.expect(f"one side: '{part}' in '{said}'", part in said, True)

    def fortran(self):
        if self.args.fortran is None or not self.can("spawn in Fortran", self.job(1, program=self.args.fortran)):
            return
        if self.record_together([("fortran", self.job(1, program=self.args.fortran))]):
            self.merge("fortran_trace", [self.path("fortran")],
                       {"faults": 0, "tasks": 3, "messages": 1, "message_bytes": 20, "worlds": [1, 2]})

    def two_launches(self):
        """Jobs that were launched apart; those of Open MPI find each other through a server."""
        server, name = None, shutil.which("ompi-server")
        if self.args.family == "openmpi" and name is not None:
            server = subprocess.Popen([name, "--no-daemonize", "-r", self.path("servers")], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            for _ in range(1000):
                if os.path.exists(self.path("servers")):
                    break
                time.sleep(0.01)
        try:
            self.connect()
            self.join()
        finally:
            if server is not None:
                server.terminate()
                server.wait()

    def connect(self):
        def jobs(port):
            return self.job(2, "serve", self.path(port)), self.job(3, "connect", self.path(port))
        if not self.can("MPI_Comm_connect", *jobs("port.plain")):
            return
        serve, connect = jobs("port")
        if not self.record_together([("server", serve), ("client", connect)]):
            return
        # A ring of five, then 10 and 20 bytes to the second task. Accepted twice, dup, merge, split, two halves.
        report = self.merge("connect", [self.path("server"), self.path("client")],
                            {"faults": 0, "tasks": 5, "messages": 7, "message_bytes": 50, "worlds": [2, 3]})
        operations = report.get("collectives_by_operation", {})
        self.expect("connect: collectives", [operations.get(n) for n in OPERATIONS], [1, 1, 7])
        self.merge("client", [self.path("client")], {"faults": 0, "tasks": 3, "worlds": [3]})

    def join(self):
        def jobs(port):
            return self.job(1, "listen", self.path(port)), self.job(1, "call", self.path(port))
        if not self.can("MPI_Comm_join", *jobs("socket.plain")):
            return
        listen, call = jobs("socket")
        if self.record_together([("one", listen), ("two", call)]):
            self.merge("join", [self.path("one"), self.path("two")], {"faults": 0, "tasks": 2, "messages": 2, "worlds": [1, 1]})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("family", "mpirun", "vef", "program", "directory"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--fortran")
    args = parser.parse_args()
    shutil.rmtree(args.directory, ignore_errors=True)
    os.makedirs(args.directory)
    checker = Checker(args)
    for check in ("spawn", "spawn_alone", "fortran", "two_launches"):
        getattr(checker, check)()
    print("\n".join([*checker.problems, *(f"skipped: {line}" for line in checker.skipped)]))
    if checker.problems:
        return 1
    return 0 if checker.merged else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
