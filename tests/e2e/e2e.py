# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: running commands, recording a job, comparing numbers."""
import json
import os
import pathlib
import shutil
import subprocess
import sys


def run(command, status=0, **options):
    """Runs a command; ends the test if its exit status is another than expected."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=240, **options)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}, expected {status}\n"
                 f"{done.stdout}\n{done.stderr}")
    return done


def record(vef, workdir, job, **options):
    """Records `job` into a fresh directory; returns it and the finished process."""
    capture = pathlib.Path(workdir) / "capture"
    shutil.rmtree(workdir, ignore_errors=True)
    os.makedirs(workdir)
    return capture, run([vef, "record", "-o", capture, "--", *job], **options)


def vef_json(vef, *arguments):
    return json.loads(run([vef, *arguments, "--json", "--quiet"]).stdout)


class Checks:
    """Counts comparisons and reports the wrong ones."""

    def __init__(self):
        self.done = 0
        self.wrong = []

    def equal(self, what, found, expected):
        self.done += 1
        if found != expected:
            self.wrong.append(f"{what}: found {found!r}, expected {expected!r}")

    def true(self, what, condition):
        self.equal(what, bool(condition), True)

    def report(self):
        for line in self.wrong:
            print(line)
        print(f"{self.done - len(self.wrong)} of {self.done} comparisons right")
        return 1 if self.wrong else 0
