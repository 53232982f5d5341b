#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every way a job can end: all calls that had returned before are in the logs, and the logs merge.

usage: endings.py FAMILY MPIRUN SHIM LOG_TEXT VEF PROGRAM DIRECTORY [CASE...]

The program counts its own calls in files that survive it (ending.c). Each case: how the program ends, what is done to it from
outside, and whether the job ends well and the trace is whole."""
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

RANKS = 2
ROUNDS = 400  # five calls each


class Job:
    def __init__(self, family, mpirun, shim, program, directory):
        self.family, self.mpirun, self.shim, self.program, self.directory = family, mpirun, shim, program, directory

    def start(self, how, rounds, inherited):
        """`inherited`: the launcher has the recorder too, as after an export in the shell."""
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(os.path.join(self.directory, "pids"))
        command = [self.mpirun, *(["--oversubscribe"] if self.family == "openmpi" else []), "-n", str(RANKS)]
        settings = {"LD_PRELOAD": self.shim, "VEF_DIR": "capture"}
        for name, value in settings.items():
            command += ["-x", f"{name}={value}"] if self.family == "openmpi" else ["-env", name, value]
        with open(os.path.join(self.directory, "stdout"), "w") as out, open(os.path.join(self.directory, "stderr"), "w") as err:
            self.process = subprocess.Popen([*command, self.program, how, str(rounds)], cwd=self.directory, stdout=out,
                                            stderr=err, start_new_session=True,
                                            env={**os.environ, **(settings if inherited else {})})

    def progress(self):
        """(process id, returned calls) of each rank that began."""
        found = {}
        for rank in range(RANKS):
            try:
                with open(os.path.join(self.directory, "pids", str(rank)), "rb") as file:
                    data = file.read(16)
            except FileNotFoundError:
                continue
            if len(data) == 16 and struct.unpack("qq", data)[0] != 0:
                found[rank] = struct.unpack("qq", data)
        return found

    def wait_for_calls(self, calls):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            progress = self.progress()
            if len(progress) == RANKS and all(done >= calls for _, done in progress.values()):
                return
            time.sleep(0.02)
        sys.exit(f"the job did not make {calls} calls: {self.progress()}")

    def pids(self):
        return [pid for pid, _ in self.progress().values()]

    def signal_ranks(self, number):
        for pid in self.pids():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def finish(self, patience=60):
        """The exit status; whatever is left of the ranks is killed."""
        try:
            status = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "none in time"
        end = time.monotonic() + 5
        while any(is_running(pid, self.program) for pid in self.pids()) and time.monotonic() < end:
            time.sleep(0.05)
        for pid in self.pids():
            if is_running(pid, self.program):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
        return status

    def text(self, name):
        with open(os.path.join(self.directory, name), errors="replace") as file:
            return file.read()


def is_running(pid, program):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX" and os.readlink(f"/proc/{pid}/exe") == program
    except OSError:
        return False


# What is done to a running job from outside.

def nothing(job):
    pass


def kill_launcher(job):
    job.process.send_signal(signal.SIGKILL)


def end_launcher(job):
    job.process.send_signal(signal.SIGTERM)


def time_limit(job):
    """As a batch system does: SIGTERM to every process of the job, and SIGKILL after a while."""
    job.process.send_signal(signal.SIGTERM)
    job.signal_ranks(signal.SIGTERM)
    time.sleep(0.5)
    job.signal_ranks(signal.SIGKILL)
    job.process.send_signal(signal.SIGKILL)


def out_of_memory(job):
    os.kill(job.progress()[0][0], signal.SIGKILL)


def stop_and_go_on(job):
    job.signal_ranks(signal.SIGSTOP)
    time.sleep(0.5)
    job.signal_ranks(signal.SIGCONT)
    with open(os.path.join(job.directory, "enough"), "w"):
        pass


# name: how the program ends, rounds, what is done to it, ends well, whole
CASES = {
    "normal": ("normal", ROUNDS, nothing, True, True),
    "children": ("children", ROUNDS, nothing, True, True),
    "inherited": ("children", ROUNDS, nothing, True, True),
    "stopped": ("until", ROUNDS, stop_and_go_on, True, True),
    "abort": ("abort", ROUNDS, nothing, False, False),
    "error": ("error", ROUNDS, nothing, False, False),
    "exit": ("exit", ROUNDS, nothing, False, False),
    "quick_exit": ("quick_exit", ROUNDS, nothing, False, False),
    "leave": ("leave", ROUNDS, nothing, None, False),
    "segv": ("segv", ROUNDS, nothing, False, False),
    "fpe": ("fpe", ROUNDS, nothing, False, False),
    "kill": ("kill", ROUNDS, nothing, False, False),
    "term": ("term", ROUNDS, nothing, False, False),
    "finalize": ("finalize", ROUNDS, nothing, False, False),
    "kill_launcher": ("forever", ROUNDS, kill_launcher, False, False),
    "end_launcher": ("forever", ROUNDS, end_launcher, False, False),
    "time_limit": ("stubborn", ROUNDS, time_limit, False, False),
    "out_of_memory": ("forever", ROUNDS, out_of_memory, False, False),
}


# What the merge says of the rank that ended the job, where it can know.
REASONS = {"abort": "MPI_Abort", "exit": "the program ended without MPI_Finalize"}


class Checker:
    def __init__(self, job, log_text, vef):
        self.job, self.log_text, self.vef, self.problems, self.case = job, log_text, vef, [], ""

    def expect(self, good, what):
        if not good:
            self.problems.append(f"{self.case}: {what}")

    def check_logs(self, whole):
        """Every call that returned is an event; rank logs and nothing of any child."""
        capture = os.path.join(self.job.directory, "capture")
        printed = subprocess.run([self.log_text, capture], capture_output=True, text=True, check=False)
        self.expect(printed.returncode == 0, f"log_text: {printed.stderr}")
        events, rank = {}, None
        for line in printed.stdout.splitlines():
            if line.startswith("# "):
                rank = line[2:]
                events[rank] = []
            else:
                events[rank].append(line)
        self.expect(sorted(events) == [f"{r}.0" for r in range(RANKS)], f"found the logs {sorted(events)}")
        for rank, (_, calls) in self.job.progress().items():
            lines = events.get(f"{rank}.0", [""])
            found = sum(not line.startswith(("polls", "pause", "note", "module", "site")) for line in lines[:-1])
            # One call more may have been recorded than the program could count.
            self.expect(calls <= found <= calls + 1 and calls >= 1, f"rank {rank}: found {found} events; expected {calls}")
            self.expect(lines[-1] == "complete" or not whole, f"rank {rank}: the log is {lines[-1]}")

    def check_merge(self, whole, reason):
        trace = os.path.join(self.job.directory, "out.vef.zst")
        merged = subprocess.run([self.vef, "merge", os.path.join(self.job.directory, "capture"), "-o", trace, "--json"],
                                capture_output=True, text=True, check=False)
        self.expect(merged.returncode == 0 and os.path.exists(trace), f"vef merge: {merged.returncode} {merged.stderr}")
        if merged.returncode != 0:
            return
        report = json.loads(merged.stdout)
        truncated = report["truncated_ranks"]
        self.expect((truncated == []) == whole, f"vef merge: truncated ranks {truncated}")
        self.expect(reason is None or any(reason in ending for ending in report["endings"]),
                    f"vef merge says of the endings {report['endings']}; expected {reason!r}")
        self.expect(whole or re.search("the logs? of . ranks? end", merged.stderr),
                    f"vef merge does not say that the logs end early: {merged.stderr}")
        checked = subprocess.run([self.vef, "check", trace], capture_output=True, text=True, check=False)
        self.expect(checked.returncode == 0, f"vef check: {checked.stdout}{checked.stderr}")

    def run(self, name):
        how, rounds, action, ends_well, whole = CASES[name]
        self.case = f"{self.job.family}, {name}"
        before = len(self.problems)
        self.job.start(how, rounds, name == "inherited")
        if action is not nothing:
            self.job.wait_for_calls(ROUNDS)
        action(self.job)
        status = self.job.finish()
        if ends_well is not None:
            self.expect((status == 0) == ends_well, f"exit status {status}")
        if ends_well:
            self.expect(self.job.text("stdout") == f"{RANKS} ranks, right\n", f"printed {self.job.text('stdout')!r}")
        said = [line for line in self.job.text("stderr").splitlines() if line.startswith("vef:")]
        self.expect(not said, f"the recorder said {said}")
        self.check_logs(whole)
        self.check_merge(whole, REASONS.get(name))
        if len(self.problems) > before:
            self.problems.append(self.job.text("stderr")[-1500:])


def main():
    family, mpirun, shim, log_text, vef, program, directory = sys.argv[1:8]
    checker = Checker(Job(family, mpirun, shim, os.path.realpath(program), directory), log_text, vef)
    names = sys.argv[8:] or list(CASES)
    for name in names:
        checker.run(name)
    print("\n".join([*checker.problems, f"{len(names)} endings"]))
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main())
