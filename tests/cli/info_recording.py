#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vef info` of what was recorded: its counts are those that stand at the head of the program (tests/mpi), a damaged log
is an error, one that ends early is not.

usage: info_recording.py VEF MPIRUN PROGRAM DIRECTORY
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

# tests/mpi/programs/persistent.c, both ranks together.
CALLS = {"MPI_Init": 2, "MPI_Send_init": 1, "MPI_Ssend_init": 1, "MPI_Recv_init": 2, "MPI_Start": 2, "MPI_Wait": 2,
         "MPI_Startall": 2, "MPI_Waitall": 2, "MPI_Finalize": 2}


def main():
    vef, mpirun, program = map(os.path.abspath, sys.argv[1:4])
    directory = pathlib.Path(sys.argv[4])
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    problems = []

    def info(path, status):
        done = subprocess.run([vef, "info", path, "--json"], cwd=directory, capture_output=True, text=True, check=False)
        if done.returncode != status:
            problems.append(f"vef info {path}: status {done.returncode}, expected {status}: {done.stderr}")
        return json.loads(done.stdout) if done.stdout else {}

    subprocess.run([vef, "record", "-q", "-o", "run", "--", mpirun, "-n", "2", program], cwd=directory, check=True,
                   stdout=subprocess.DEVNULL)
    whole = info("run", 0)
    found = {name: call["count"] for name, call in whole["calls"].items()}
    if found != CALLS:
        problems.append(f"found the calls {found}; expected {CALLS}")
    told = [(log["rank"], log["world_size"], log["state"], log["damaged"]) for log in whole["logs"]]
    if told != [(0, 2, "complete", False), (1, 2, "complete", False)]:
        problems.append(f"found the logs {told}")
    one = info("run/000001.0.vlog", 0)
    if [log["rank"] for log in one["logs"]] != [1] or one["calls"]["MPI_Recv_init"]["count"] != 2:
        problems.append(f"of the log of rank 1: {one}")

    log = directory / "run/000001.0.vlog"
    content = log.read_bytes()
    log.write_bytes(content[:-1])  # its last chunk is not whole
    if not info("run", 1)["logs"][1]["damaged"]:
        problems.append("a chunk is missing in a log that was completed, and it is not said to be damaged")
    header = bytearray(content[:504])
    header[100] ^= 1
    log.write_bytes(header)
    info("run", 1)
    (directory / "empty").mkdir()
    info("empty", 1)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
