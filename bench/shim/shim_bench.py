#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the recorder adds to MPI calls, beside an empty wrapper that only passes them on, both against no tool. One JSON
line for each MPI library and workload (calls.c): instructions per call (counted by valgrind's callgrind, exact), nanoseconds
per call (the best of five loops), bytes per event on disk. The workload "start" tells what one rank pays once: milliseconds
of start-up and end (the median of pairs of runs) and KiB of memory."""
import argparse
import json
import os
import re
import statistics
import struct
import subprocess
import tempfile
import time

COUNTED = {"batch": 100}  # rounds under valgrind
TIMED = {"batch": 4000}
STARTS = 7
FILE_HEADER, CHUNK_HEADER = 504, 80


def read_log(path):
    """Events of a rank log, and its bytes: all in all, of times, of signatures (docs/rank-log.md)."""
    with open(path, "rb") as file:
        log = file.read()
    at, result = FILE_HEADER, {"events": 0, "bytes": len(log), "times": 0, "signatures": 0}
    while at < len(log):
        result["events"] += struct.unpack_from("<I", log, at + 12)[0]
        stored = struct.unpack_from("<4I", log, at + 32)
        result["signatures"] += sum(stored[:2])
        result["times"] += sum(stored[2:])
        at += CHUNK_HEADER + sum(stored)
    return result


class Bench:
    def __init__(self, program, tools):
        self.program, self.tools = program, tools

    def run(self, tool, workload, count, prefix=(), directory=None):
        env = dict(os.environ, LD_PRELOAD=self.tools[tool], OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        with tempfile.TemporaryDirectory() as own:
            env["VEF_DIR"] = os.path.join(directory or own, "run")
            return subprocess.run([*prefix, self.program, workload, str(count)], env=env, capture_output=True, text=True,
                                  timeout=600, check=True)

    def instructions(self, tool, workload):
        count = COUNTED.get(workload, 2000)
        with tempfile.TemporaryDirectory() as directory:
            result = self.run(tool, workload, count,
                              ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=measured_loop",
                               f"--callgrind-out-file={directory}/out"])
        calls = int(result.stdout.split()[1])
        return int(re.search(r"Collected : (\d+)", result.stderr)[1]) / (5 * count * calls)

    def nanoseconds(self, tool, workload):
        return float(self.run(tool, workload, TIMED.get(workload, 100000)).stdout.split()[0])

    def bytes_per_event(self, workload):
        with tempfile.TemporaryDirectory() as directory:
            self.run("recorder", workload, TIMED.get(workload, 100000), directory=directory)
            log = read_log(os.path.join(directory, "run", "000000.0.vlog"))
        return log["bytes"] / log["events"]

    def start(self):
        seconds, memory = {tool: [] for tool in self.tools}, {}
        for _ in range(STARTS):
            for tool in self.tools:
                begin = time.monotonic()
                memory[tool] = int(self.run(tool, "start", 1).stdout.split()[2])
                seconds[tool].append(time.monotonic() - begin)
        result = {}
        for tool in ("wrapper", "recorder"):
            pairs = [with_it - without for with_it, without in zip(seconds[tool], seconds["none"])]
            result[tool] = {"start_ms": round(1e3 * statistics.median(pairs), 2),
                            "memory_kib": memory[tool] - memory["none"]}
        return result


def measure(bench, workload):
    if workload == "start":
        return bench.start()
    instructions = {tool: bench.instructions(tool, workload) for tool in bench.tools}
    times = {tool: bench.nanoseconds(tool, workload) for tool in bench.tools}
    result = {tool: {"instructions": round(instructions[tool] - instructions["none"], 1),
                     "ns": round(times[tool] - times["none"], 1)} for tool in ("wrapper", "recorder")}
    result["none"] = {"instructions": round(instructions["none"], 1), "ns": round(times["none"], 1)}
    result["bytes_per_event"] = round(bench.bytes_per_event(workload), 3)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="+", help="FAMILY=PROGRAM=EMPTY_WRAPPER=RECORDER")
    parser.add_argument("--only", nargs="*", help="workloads",
                        default=["send", "receive", "batch", "allreduce", "alltoall", "test", "start"])
    args = parser.parse_args()
    for case in args.case:
        family, program, wrapper, recorder = case.split("=")
        bench = Bench(program, {"none": "", "wrapper": wrapper, "recorder": recorder})
        for workload in args.only:
            print(json.dumps({"bench": "shim", "mpi": family, "workload": workload, **measure(bench, workload)}),
                  flush=True)


if __name__ == "__main__":
    main()
