#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorder's memory in a rank with many threads: the peak of the process with it and without it. Every call of every
thread is recorded all the same.

With VEF_BUFFER of 8 MiB the first thread gets 4 MiB, each further one an eighth of what is left, and at least 256 KiB
(docs/recording.md): 512, 448, 392, 343, 300 and 263 KiB, after which 1838 KiB are left for 7 of 256 KiB. The other
64 - 13 threads take 51 * 256 KiB beyond VEF_BUFFER, in all 20.75 MiB. FIXED is for the library itself, the tables of requests
and of communicators, and the threads' lists."""
import argparse
import os
import shutil
import subprocess
import sys

THREADS, ROUNDS, BUFFER_KIB, LEAST_KIB, FIXED_KIB = 64, 8000, 8192, 256, 4096


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("family", "shim", "log-text", "program", "directory"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    shutil.rmtree(args.directory, ignore_errors=True)
    os.makedirs(args.directory)
    capture = os.path.join(args.directory, "capture")

    def peak(threads, **env):
        result = subprocess.run([args.program, str(threads), str(ROUNDS)], capture_output=True, text=True, timeout=200, check=True,
                                env={**os.environ, **env})
        if result.stderr:
            print(result.stderr)
        return int(result.stdout)

    plain = min(peak(THREADS) for _ in range(2))
    recorded = peak(THREADS, LD_PRELOAD=args.shim, VEF_DIR=capture, VEF_BUFFER=f"{BUFFER_KIB}KiB")
    bound = BUFFER_KIB + (THREADS - 13) * LEAST_KIB + FIXED_KIB
    problems = []
    if recorded - plain > bound:
        problems.append(f"the recorder took {recorded - plain} KiB for {THREADS} threads; expected at most {bound}")
    text = subprocess.run([args.log_text, capture], capture_output=True, text=True, check=True).stdout
    calls = sum(line.startswith("Sendrecv") for line in text.splitlines())
    if calls != THREADS * ROUNDS:
        problems.append(f"{calls} calls were recorded; expected {THREADS * ROUNDS}")
    print(f"{args.family}: {THREADS} threads: {plain} KiB without the recorder, {recorded - plain} KiB more with it")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
