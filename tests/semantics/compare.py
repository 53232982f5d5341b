#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one program of this suite without and with the recorder: every check holds in both runs, both wrote the same
lines, and the recorder recorded something and said nothing.

The program's source says how many ranks it takes, in a comment `ranks N`; and `says TEXT` where the recorder is to say
one line that contains TEXT."""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys


def launch(args, ranks, directory, settings):
    settings = {**settings, "SEMANTICS_DIRECTORY": directory}
    command = [args.mpirun, *(["--oversubscribe"] if args.family == "openmpi" else []), "-n", str(ranks)]
    for name, value in settings.items():
        command += ["-x", f"{name}={value}"] if args.family == "openmpi" else ["-env", name, value]
    env = {name: value for name, value in os.environ.items() if not name.startswith("VEF_") and name != "LD_PRELOAD"}
    return subprocess.run([*command, args.program, "first word", "", "last"], cwd=directory, env=env, capture_output=True,
                          text=True, errors="replace", timeout=args.limit, check=False)


def read_lines(directory, ranks):
    lines = []
    for rank in range(ranks):
        with open(os.path.join(directory, str(rank)), encoding="utf-8", errors="replace") as file:
            lines.append(file.read().splitlines())
    return lines


def run(args, ranks, what, settings):
    directory = os.path.join(args.directory, what)
    os.makedirs(directory)
    result = launch(args, ranks, directory, settings)
    problems = []
    lines = read_lines(directory, ranks)
    for rank, of_rank in enumerate(lines):
        problems += [f"{what}, rank {rank}: {line}" for line in of_rank if line.endswith(" WRONG")]
    if result.returncode != 0:
        problems.append(f"{what}: exit status {result.returncode}; expected 0\n{result.stdout}{result.stderr}")
    return lines, result, problems


def differences(plain, recorded):
    problems = []
    for rank, (without, with_it) in enumerate(zip(plain, recorded)):
        for i in range(max(len(without), len(with_it))):
            left = without[i] if i < len(without) else "(end)"
            right = with_it[i] if i < len(with_it) else "(end)"
            if left != right:
                problems.append(f"rank {rank}, line {i + 1}: without the recorder '{left}', with it '{right}'")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("family", "mpirun", "shim", "source", "directory", "program"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--limit", type=float, default=120, help="seconds for each run")
    args = parser.parse_args()
    with open(args.source, encoding="utf-8") as file:
        source = file.read()
    ranks = int(re.search(r"^/\* ranks (\d+)", source, re.MULTILINE)[1])
    said = re.search(r"^/\* says (.*?) \*/$", source, re.MULTILINE)
    shutil.rmtree(args.directory, ignore_errors=True)
    plain, plain_result, problems = run(args, ranks, "plain", {})
    recorded, recorded_result, more = run(args, ranks, "recorded", {"LD_PRELOAD": args.shim, "VEF_DIR": "capture"})
    problems += more + differences(plain, recorded)
    if sorted(plain_result.stdout.splitlines()) != sorted(recorded_result.stdout.splitlines()):
        problems.append(f"output without the recorder:\n{plain_result.stdout}with it:\n{recorded_result.stdout}")
    messages = [line for line in recorded_result.stderr.splitlines() if line.startswith("vef:")]
    if said is None:
        problems += [f"the recorder said '{line}'; expected nothing" for line in messages]
    elif not messages or any(said[1] not in line for line in messages):
        problems.append(f"the recorder said {messages}; expected lines with '{said[1]}'")
    logs = glob.glob(os.path.join(args.directory, "recorded", "capture*", "*.vlog"))
    if len(logs) < ranks:
        problems.append(f"found {len(logs)} logs; expected at least {ranks}")
    checks = sum(len(lines) for lines in plain)
    print("\n".join(problems[:40] + [f"{checks} checks, {len(problems)} problems"]))
    return 1 if problems or checks == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
