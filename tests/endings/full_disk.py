#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that fills up, a limit on the size of files, a directory that cannot be written: recording stops with one line, the
job goes on to its right result, and what was recorded until then merges.

usage: full_disk.py FAMILY MPIRUN SHIM LOG_TEXT VEF PROGRAM DIRECTORY
"""
import os
import shutil
import subprocess
import sys

RANKS = 2
ROUNDS = 60000  # 300,000 calls of each rank
DISK_ROUNDS = 400000  # 2 million: more than half a byte each does not fit into 1 MiB


def launch(family, mpirun, settings, program, how, rounds, directory):
    shutil.rmtree(os.path.join(directory, "pids"), ignore_errors=True)
    os.makedirs(os.path.join(directory, "pids"))
    command = [mpirun, *(["--oversubscribe"] if family == "openmpi" else []), "-n", str(RANKS)]
    for name, value in settings.items():
        command += ["-x", f"{name}={value}"] if family == "openmpi" else ["-env", name, value]
    return subprocess.run([*command, program, how, str(rounds)], cwd=directory, capture_output=True, text=True,
                          errors="replace", timeout=300, check=False)


def check(what, result, said, lines):
    problems = []
    if result.returncode != 0 or result.stdout != f"{RANKS} ranks, right\n":
        problems.append(f"{what}: exit status {result.returncode}, printed {result.stdout!r}\n{result.stderr}")
    found = [line for line in result.stderr.splitlines() if line.startswith("vef:")]
    if len(found) not in lines or any(said not in line for line in found):
        problems.append(f"{what}: the recorder said {found}; expected {list(lines)} lines with '{said}'")
    return problems


def check_merge(what, vef, capture, directory):
    trace = os.path.join(directory, "out.vef.zst")
    merge = [vef, "merge", capture, "-o", trace]
    merged = subprocess.run(merge, capture_output=True, text=True, check=False)
    logs = sum(name.endswith(".vlog") for name in os.listdir(capture))
    if logs < RANKS:  # there was no room for the log of a rank from the start
        if merged.returncode != 1 or "no log of rank" not in merged.stderr:
            return [f"{what}: {logs} logs; vef merge ended with {merged.returncode}: {merged.stderr}"]
        merged = subprocess.run([*merge, "--allow-unmatched"], capture_output=True, text=True, check=False)
    if merged.returncode != 0:
        return [f"{what}: vef merge: {merged.stderr}"]
    checked = subprocess.run([vef, "check", trace], capture_output=True, text=True, check=False)
    problems = [] if checked.returncode == 0 else [f"{what}: vef check: {checked.stdout}{checked.stderr}"]
    return problems if "end early" in merged.stderr else [*problems, f"{what}: vef merge said only {merged.stderr!r}"]


def full_disk(arguments, size):
    family, mpirun, shim, _, vef, program, directory = arguments
    what, disk = f"{family}, a disk of {size}", os.path.join(directory, "disk")
    os.makedirs(disk, exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "vef-test", disk], capture_output=True,
                             text=True, check=False)
    if mounted.returncode != 0:
        return None
    try:
        settings = {"LD_PRELOAD": shim, "VEF_DIR": os.path.join(disk, "capture"), "VEF_BUFFER": "1M"}
        result = launch(family, mpirun, settings, program, "normal", DISK_ROUNDS, directory)
        problems = check(what, result, "recording", range(1, RANKS + 1))
        if os.path.isdir(os.path.join(disk, "capture")):
            copy = os.path.join(directory, "copy")
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(os.path.join(disk, "capture"), copy)
            if any(name.endswith(".vlog") for name in os.listdir(copy)):
                problems += check_merge(what, vef, copy, directory)
        return problems
    finally:
        subprocess.run(["umount", "-l", disk], check=False)


def file_limit(arguments):
    """The program sets itself a limit on the size of files (ending.c)."""
    family, mpirun, shim, _, vef, program, directory = arguments
    what, capture = f"{family}, a limit on files", os.path.join(directory, "limited")
    result = launch(family, mpirun, {"LD_PRELOAD": shim, "VEF_DIR": capture, "VEF_BUFFER": "1M"}, program, "limit", ROUNDS,
                    directory)
    return check(what, result, "recording", range(1, RANKS + 1)) + check_merge(what, vef, capture, directory)


def not_writable(arguments):
    family, mpirun, shim, _, _, program, directory = arguments
    blocked = os.path.join(directory, "blocked")
    with open(blocked, "w", encoding="utf-8"):
        pass  # a file where a directory must be; mode bits do not stop root
    result = launch(family, mpirun, {"LD_PRELOAD": shim, "VEF_DIR": os.path.join(blocked, "capture")}, program, "normal",
                    100, directory)
    return check(f"{family}, no place for a directory", result, "recorded", range(1, RANKS + 1))


def main():
    arguments = sys.argv[1:8]
    arguments[5] = os.path.realpath(arguments[5])
    directory = arguments[6]
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    problems = not_writable(arguments) + file_limit(arguments)
    skipped = 0
    for size in ("1M", "400k"):
        found = full_disk(arguments, size)
        skipped += found is None
        problems += found or []
    print("\n".join(problems))
    if problems:
        return 1
    if skipped:
        print("skipped: a file system of 1 MiB cannot be mounted here (it takes root)")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
