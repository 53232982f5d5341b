#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A command line that cannot be understood gets one line that names what was found, and status 2: usage.py VEF."""
import subprocess
import sys

CASES = [
    ([], "vef: found no command; see vef --help"),
    (["chek", "x.vef"], "vef: 'chek' is no command; did you mean check? see vef --help"),
    (["frobnicate"], "vef: 'frobnicate' is no command; see vef --help"),
    (["--bogus"], "vef: '--bogus' is no option; see vef --help"),
    (["info", "--jsn", "x.vef"], "vef: '--jsn' is no option of info; did you mean --json? see vef info --help"),
    (["info", "--jsn=1", "x.vef"], "vef: '--jsn' is no option of info; did you mean --json? see vef info --help"),
    (["check"], "vef: FILE is required; see vef check --help"),
    (["check", "a", "b"], "vef: 'b' is one argument too many; see vef check --help"),
    (["convert", "x.vef"], "vef: convert: IN and OUT are required; see vef convert --help"),
    (["convert", "x.vef", "y", "--form", "goal"],
     "vef: '--form' is no option of convert; did you mean --from? see vef convert --help"),
    (["record", "--bufer", "3", "--", "true"], "vef: '--bufer' is no option of record; see vef record --help"),
    (["record", "--buffer", "1k", "--", "true"], "vef: --buffer: found '1k'; expected a size from 1MiB to 16GiB"),
]


def main():
    failed = 0
    for arguments, expected in CASES:
        result = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=False)
        if (result.returncode, result.stdout, result.stderr) != (2, "", expected + "\n"):
            print(f"vef {' '.join(arguments)}: found status {result.returncode}, {result.stdout!r}, {result.stderr!r}; "
                  f"expected status 2, '{expected}'")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
