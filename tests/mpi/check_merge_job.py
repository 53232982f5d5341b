#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vef merge --mpi` as a job of one to three processes writes the bytes of `vef merge`, and says of broken recordings what
that says. The programs are those of programs/ that leave the most kinds of things in their logs.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

PROGRAMS = {"threads": 2, "rma": 2, "communicators": 4, "neighbors": 3, "persistent_collectives": 2, "pcontrol_regions": 2,
            "partitioned": 2, "matched_probe": 2}


class Checker:
    def __init__(self, args):
        self.args, self.problems = args, []
        self.directory = pathlib.Path(args.directory)

    def run(self, *command, where=None):
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, check=False,
                              cwd=where or self.directory)

    def merge(self, recording, output, processes, *options):
        """Status (of the job: whether all was well), messages and bytes."""
        command = [self.args.vef, "merge", *options, recording, "-o", output, "--quiet"]
        if processes:
            command[2:2] = ["--mpi"]
            command = [self.args.mpirun, "-n", str(processes), *command]
        done = self.run(*command)
        said = sorted(line for line in done.stderr.splitlines() if line.startswith("vef: "))
        path = self.directory / output
        content = path.read_bytes() if path.exists() else b""
        path.unlink(missing_ok=True)
        return done.returncode == 0, said, content

    def compare(self, recording, *options, good=True):
        alone = self.merge(recording, "t.vef.zst", 0, *options)
        if alone[0] != good:
            self.problems.append(f"{recording}: vef merge was {'well' if alone[0] else 'not well'}: {alone[1]}")
        for processes in (1, 2, 3):
            found = self.merge(recording, "t.vef.zst", processes, *options)
            for what, a, b in zip(("success", "messages", "trace"), alone, found):
                if a != b:
                    self.problems.append(f"{recording}, {processes} processes: {what} {b!r:.300}; expected {a!r:.300}")

    def check(self):
        for program, ranks in PROGRAMS.items():
            done = self.run(self.args.vef, "record", "--quiet", "--call-sites=2", "-o", program, "--", self.args.mpirun, "-n",
                            str(ranks), os.path.join(self.args.programs, program))
            if done.returncode != 0:
                self.problems.append(f"{program}: {done.stderr}")
                continue
            self.compare(program)
        self.compare("nowhere", good=False)
        # A log that is none, one that is missing, one that ends early.
        for name, damage in (("unreadable", lambda log: log.write_bytes(b"no log")), ("missing", lambda log: log.unlink()),
                             ("early", lambda log: os.truncate(log, log.stat().st_size - 40))):
            shutil.copytree(self.directory / "communicators", self.directory / name)
            logs = sorted((self.directory / name).glob("*.vlog"))
            damage(logs[1])
            self.compare(name, good=False)
            self.compare(name, "--allow-unmatched")


def main():
    parser = argparse.ArgumentParser()
    for name in ("mpirun", "vef", "programs", "directory"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    shutil.rmtree(args.directory, ignore_errors=True)
    os.makedirs(args.directory)
    checker = Checker(args)
    checker.check()
    print("\n".join(checker.problems) or "all the same")
    return len(checker.problems) > 0


if __name__ == "__main__":
    sys.exit(main())
