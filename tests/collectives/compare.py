# SPDX-License-Identifier: Apache-2.0
"""Runs every collective under Open MPI and compares the messages with the expansion "openmpi", message by message.

usage: compare.py RUN_COLLECTIVES COMPARE_MESSAGES WORK_DIR MPIRUN
"""
import pathlib
import shutil
import subprocess
import sys

# Ranks and the largest message: powers of two and others on both sides of the decisions' borders at 4, 8, 16, 32.
CASES = ((2, 1500008), (3, 1500008), (4, 1500008), (5, 1500008), (8, 1500008), (13, 1500008), (16, 1500008),
         (17, 1500008), (34, 4096))


def main(run_collectives, compare_messages, work, mpirun):
    work = pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for ranks, largest in CASES:
        subprocess.run([mpirun, "-n", str(ranks), "--mca", "pml_monitoring_enable", "1", run_collectives, str(work),
                        str(largest)], check=True, timeout=600)
        files = sorted(str(path) for path in work.glob(f"{ranks}.*.txt"))
        if len(files) != ranks:
            sys.exit(f"{len(files)} files of {ranks} ranks")
        subprocess.run([compare_messages, "openmpi", *files], check=True, timeout=600)
    # The comparison must be able to fail: MPICH's algorithms are not Open MPI's.
    if subprocess.run([compare_messages, "mpich", *files], stdout=subprocess.DEVNULL).returncode != 1:
        sys.exit("MPICH's expansion passes for Open MPI's messages")
    shutil.rmtree(work)


if __name__ == "__main__":
    main(*sys.argv[1:])
