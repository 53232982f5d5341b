#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the recorder adds to one MPI_Send: instructions (counted by valgrind's callgrind, exact) and nanoseconds (the
best of five loops, and of the difference of two runs: a guide only). One JSON line for each MPI library."""
import argparse
import json
import os
import re
import subprocess
import tempfile

COUNTED = 4000  # messages under valgrind, five loops and a warm-up of 100
TIMED = 200000


def run(command, shim, directory):
    env = dict(os.environ, LD_PRELOAD=shim, VEF_DIR=os.path.join(directory, "run"), OMPI_ALLOW_RUN_AS_ROOT="1",
               OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, check=True)


def instructions(program, mode, shim):
    with tempfile.TemporaryDirectory() as directory:
        result = run(["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=measured_loop",
                      f"--callgrind-out-file={directory}/out", program, mode, str(COUNTED)], shim, directory)
    return int(re.search(r"Collected : (\d+)", result.stderr)[1]) / (5 * COUNTED + 100)


def nanoseconds(program, mode, shim):
    with tempfile.TemporaryDirectory() as directory:
        return float(run([program, mode, str(TIMED)], shim, directory).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="+", help="FAMILY=PROGRAM=RECORDER")
    for case in parser.parse_args().case:
        family, program, shim = case.split("=")
        plain, wrapped = (instructions(program, mode, shim) for mode in ("plain", "wrapped"))
        times = [nanoseconds(program, mode, shim) for mode in ("plain", "wrapped")]
        print(json.dumps({"bench": "shim", "mpi": family, "instructions_per_send": round(wrapped - plain, 1),
                          "library_instructions": round(plain, 1), "ns_per_send": round(times[1] - times[0], 1)}),
              flush=True)


if __name__ == "__main__":
    main()
