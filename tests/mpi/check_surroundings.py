#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong around the recorder must never harm the job: the recorder of the other library, a directory that
cannot be made, one that belongs to another job, wrong settings. Each time the program's output and status are those of the plain
run, and the recorder says at most one line."""
import argparse
import glob
import os
import shutil
import subprocess
import sys


class Checker:
    def __init__(self, args):
        self.args, self.problems = args, []

    def run(self, family, program, ranks, settings, directory):
        command = [getattr(self.args, f"{family}_mpirun")]
        if family == "openmpi":
            command += ["--oversubscribe", "-n", str(ranks)]
            for name, value in settings.items():
                command += ["-x", f"{name}={value}"]
        else:
            command += ["-n", str(ranks)]
            for name, value in settings.items():
                command += ["-env", name, value]
        command.append(os.path.join(self.args.programs, family, program))
        return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=100, check=False)

    def directory(self, name):
        path = os.path.join(self.args.directory, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def expect(self, what, good):
        if not good:
            self.problems.append(what)

    def expect_unharmed(self, what, result, said):
        """The ring of 3 prints one line; `said` is a part of the one line that is allowed, or None."""
        self.expect(f"{what}: status {result.returncode}, output {result.stdout!r}, {result.stderr!r}",
                    result.returncode == 0 and result.stdout == "hops 3\n")
        lines = [line for line in result.stderr.splitlines() if line.startswith("vef:")]
        wanted = 0 if said is None else 1
        self.expect(f"{what}: found the messages {lines}; expected {wanted} with {said!r}",
                    len(lines) == wanted and (said is None or said in lines[0]))

    def other_library(self, family, other):
        directory = self.directory(f"other-{family}")
        shim = getattr(self.args, f"{other}_shim")
        result = self.run(family, "ring", 3, {"LD_PRELOAD": shim}, directory)
        self.expect_unharmed(f"{family} with the recorder for {other}", result, "nothing is recorded")
        self.expect(f"{family} with the recorder for {other} wrote {os.listdir(directory)}", not os.listdir(directory))

    def no_directory(self, family):
        directory = self.directory(f"no-directory-{family}")
        settings = {"LD_PRELOAD": getattr(self.args, f"{family}_shim"), "VEF_DIR": "/proc/no/such"}
        self.expect_unharmed(f"{family}: VEF_DIR that cannot be made",
                             self.run(family, "ring", 3, settings, directory), "cannot be made")

    def directory_in_use(self, family):
        """A second job with the same VEF_DIR gets a directory of its own."""
        directory = self.directory(f"in-use-{family}")
        settings = {"LD_PRELOAD": getattr(self.args, f"{family}_shim"), "VEF_DIR": "run"}
        for said in (None, "belongs to another job"):
            self.expect_unharmed(f"{family}: VEF_DIR", self.run(family, "ring", 3, settings, directory), said)
        for name in ("run", "run.1"):
            logs = glob.glob(os.path.join(directory, name, "*.vlog"))
            self.expect(f"{family}: found {len(logs)} logs in {name}; expected 3", len(logs) == 3)

    def default_directory(self, family):
        """Without VEF_DIR all ranks agree on one directory, named after the program."""
        directory = self.directory(f"default-{family}")
        settings = {"LD_PRELOAD": getattr(self.args, f"{family}_shim")}
        self.expect_unharmed(f"{family}: no VEF_DIR", self.run(family, "ring", 3, settings, directory), None)
        made = os.listdir(directory)
        self.expect(f"{family}: found the directories {made}; expected one", len(made) == 1)
        self.expect(f"{family}: found {made}; expected ring-...", all(name.startswith("ring-") for name in made))
        logs = glob.glob(os.path.join(directory, "*", "*.vlog"))
        self.expect(f"{family}: found {len(logs)} logs; expected 3", len(logs) == 3)

    def wrong_setting(self, family):
        directory = self.directory(f"setting-{family}")
        settings = {"LD_PRELOAD": getattr(self.args, f"{family}_shim"), "VEF_DIR": "run", "VEF_BUFFER": "many"}
        self.expect_unharmed(f"{family}: VEF_BUFFER=many", self.run(family, "ring", 3, settings, directory),
                             "VEF_BUFFER: found 'many'")
        self.expect(f"{family}: nothing recorded after a wrong VEF_BUFFER",
                    len(glob.glob(os.path.join(directory, "run", "*.vlog"))) == 3)

    def description(self, family):
        import json
        directory = self.directory(f"description-{family}")
        settings = {"LD_PRELOAD": getattr(self.args, f"{family}_shim"), "VEF_DIR": "run", "VEF_BUFFER": "2M"}
        self.run(family, "ring", 3, settings, directory)
        with open(os.path.join(directory, "run", "capture.json"), encoding="utf-8") as file:
            found = json.load(file)
        program = os.path.join(self.args.programs, family, "ring")
        wanted = {"version": 1, "program": program, "command": [program], "mpi_family": family, "world_size": 3,
                  "buffer_bytes": 2097152, "poll_gap_ns": 1000, "complete": True}
        for key, value in wanted.items():
            self.expect(f"capture.json of {family}: {key}: found {found.get(key)!r}; expected {value!r}",
                        found.get(key) == value)
        took = found["end_wall_ns"] - found["start_wall_ns"]
        self.expect(f"capture.json of {family}: the run took {took} ns", 0 < took < 100e9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("openmpi-mpirun", "mpich-mpirun", "openmpi-shim", "mpich-shim", "log-text", "programs", "directory"):
        parser.add_argument(f"--{name}", required=True)
    checker = Checker(parser.parse_args())
    checker.other_library("openmpi", "mpich")
    checker.other_library("mpich", "openmpi")
    for family in ("openmpi", "mpich"):
        checker.no_directory(family)
        checker.directory_in_use(family)
        checker.default_directory(family)
        checker.wrong_setting(family)
        checker.description(family)
    for problem in checker.problems:
        print(problem)
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main())
