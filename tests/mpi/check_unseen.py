#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program calls and the recorder cannot see is said in one line of the job, and the program runs as without the
recorder: functions that are not in the table, a library that the program opened itself (C and Python)."""
import argparse
import os
import re
import shutil
import subprocess
import sys

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "support")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Checker:
    def __init__(self, args):
        self.args, self.problems = args, []
        shutil.rmtree(args.directory, ignore_errors=True)
        os.makedirs(args.directory)

    def compile(self, *arguments):
        subprocess.run([self.args.cc, *arguments], cwd=self.args.directory, check=True)

    def run(self, *program):
        settings = {"LD_PRELOAD": self.args.shim, "VEF_DIR": "capture"}
        command = [self.args.mpirun]
        if self.args.family == "openmpi":
            command += ["--oversubscribe", "-n", "2"]
            command += [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
        else:
            command += ["-n", "2"]
            command += [word for name, value in settings.items() for word in ("-env", name, value)]
        shutil.rmtree(os.path.join(self.args.directory, "capture"), ignore_errors=True)
        return subprocess.run([*command, *program], cwd=self.args.directory, capture_output=True, text=True, timeout=100,
                              check=False)

    def expect(self, what, result, output, said, logs):
        """`said`: the one line; `logs`: the lines of both logs, or None where there is no capture."""
        if result.returncode != 0 or result.stdout != output * 2:
            self.problems.append(f"{what}: status {result.returncode}, output {result.stdout!r}, {result.stderr!r}")
        lines = [line for line in result.stderr.splitlines() if line.startswith("vef:")]
        if lines != ["vef: " + said]:
            self.problems.append(f"{what}: found the messages {lines}; expected one, {said!r}")
        capture = os.path.join(self.args.directory, "capture")
        if logs is None:
            if os.path.exists(capture):
                self.problems.append(f"{what}: found {capture}; expected no capture")
            return
        text = subprocess.run([self.args.log_text, capture], capture_output=True, text=True, check=False).stdout
        wanted = "".join(f"# {rank}.0\n" + "".join(f"{line}\n" for line in logs) + "complete\n" for rank in (0, 1))
        if text != wanted:
            self.problems.append(f"{what}: found the logs\n{text}expected\n{wanted}")

    def unknown_functions(self):
        source = os.path.join(SUPPORT, "unheard_of.c")
        self.compile("-DAS_LIBRARY", "-shared", "-fPIC", source, "-o", "libunheard.so")
        self.compile(source, "-L.", "-lunheard", "-Wl,-rpath," + self.args.directory, "-o", "unheard_of")
        said = "the program calls what the recorder does not know: MPI_Unheard_of PMPIX_Unheard_too"
        # (1 + 1) + (2 + 2)
        self.expect("unknown functions", self.run("./unheard_of"), "6\n", said,
                    ["Init", f"note text='{said}'", "Barrier comm=0 bytes=0 recv=0", "Finalize"])

    def opened_library(self):
        self.compile(os.path.join(SUPPORT, "opened.c"), "-ldl", "-o", "opened")
        needed = re.findall(r"\[(libmpi\.so[^]]*|libmpich\.so[^]]*)\]",
                            output_of("readelf", "-d", os.path.join(self.args.directory, "opened")))
        said = ("MPI was initialised by a call that passed by the recorder (dlopen, dlsym); calls made so are not "
                "recorded")
        self.expect("an opened library", self.run("./opened", needed[0]), "1\n", said,
                    [f"note text='{said}'", "Barrier comm=0 bytes=0 recv=0", "Finalize"])
        said = ("the program opened the MPI library itself (dlopen, ctypes), and its calls passed by the recorder: "
                "nothing is recorded")
        program = ("/usr/bin/python3", os.path.join(SUPPORT, "opened.py"), needed[0])
        self.expect("a library opened by ctypes", self.run(*program), "1\n", said, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("family", "cc", "mpirun", "shim", "log-text", "directory"):
        parser.add_argument(f"--{name}", required=True)
    checker = Checker(parser.parse_args())
    checker.unknown_functions()
    checker.opened_library()
    print("\n".join(checker.problems))
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main())
