# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder share: running vef, and expectations that are collected."""
import json
import shutil
import subprocess


def run(*command, status=0):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=240, check=False)
    if result.returncode != status:
        raise SystemExit(f"{' '.join(map(str, command))}: status {result.returncode}, expected {status}\n{result.stderr}")
    return result


class Checks:
    def __init__(self, vef, work):
        self.vef, self.failed = vef, []
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)

    def expect(self, what, found, expected):
        if found != expected:
            self.failed.append(f"{what}: found {found!r}; expected {expected!r}")

    def result(self, *command):
        """What a command of vef says as JSON."""
        return json.loads(run(self.vef, *command, "--json", "--quiet").stdout)

    def status(self, success):
        print("\n".join(self.failed) or success)
        return 1 if self.failed else 0
