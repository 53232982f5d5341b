#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the recorder does to whole jobs. One JSON line for each MPI library and workload: a halo and an alltoall loop (loops.c) of
several ranks, and LAMMPS (Debian's, Open MPI's only). Pairs of runs, one with the recorder and one without, in alternating
order; the slowdown is the median of the pairs' ratios, with its quartiles. Where these lie far apart the machine is too busy for
such a comparison, and `share` says more: events of a rank times the cost of one, measured by `calls receive` in the same
run, by the time of the run. Bytes per event are those on disk, all in all, and those of times and signatures apart. The
workload "start" is Init and Finalize only."""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from shim_bench import Bench, read_log

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/support"))
from lammps_melt import melt  # noqa: E402


class Jobs:
    def __init__(self, args, family, mpirun, loops, recorder):
        self.args, self.family, self.mpirun, self.loops, self.recorder = args, family, mpirun, loops, recorder

    def command(self, workload, directory):
        job = [self.mpirun, *(["--oversubscribe"] if self.family == "openmpi" else []), "-n", str(self.args.ranks)]
        if workload == "lammps":
            with open(os.path.join(directory, "in.lj"), "w", encoding="utf-8") as file:
                file.write(melt(cells=10, steps=self.args.steps, thermo=100))
            return [*job, "lmp", "-in", "in.lj"]
        return [*job, self.loops, *(["halo", "0"] if workload == "start" else [workload, str(self.args.rounds)])]

    def run(self, workload, recorded):
        """Seconds of the work, seconds of the job, peak KiB of a rank (0: not told), and the logs' sizes."""
        with tempfile.TemporaryDirectory() as directory:
            env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_hwloc_base_binding_policy="none")
            if recorded:
                env.update(LD_PRELOAD=self.recorder, VEF_DIR=os.path.join(directory, "run"))
            begin = time.monotonic()
            done = subprocess.run(self.command(workload, directory), cwd=directory, env=env, capture_output=True, text=True,
                                  timeout=self.args.timeout, check=True)
            whole = time.monotonic() - begin
            if workload == "lammps":
                seconds, peak = float(re.search(r"Loop time of (\S+)", done.stdout)[1]), 0
            else:
                seconds, peak = map(float, done.stdout.split())
            logs = []
            if recorded:
                run = os.path.join(directory, "run")
                logs = [read_log(os.path.join(run, name)) for name in os.listdir(run) if name.endswith(".vlog")]
            return seconds, whole, int(peak), logs

    def measure(self, workload, event_ns):
        plain, recorded = [], []
        for i in range(self.args.pairs):
            for with_it in ((False, True) if i % 2 == 0 else (True, False)):
                (recorded if with_it else plain).append(self.run(workload, with_it))
        which = 1 if workload == "start" else 0
        result = {"ranks": self.args.ranks, "pairs": self.args.pairs,
                  "plain_s": round(statistics.median(run[which] for run in plain), 4),
                  "recorded_s": round(statistics.median(run[which] for run in recorded), 4)}
        if workload != "lammps":
            result["memory_kib_per_rank"] = recorded[-1][2] - plain[-1][2]
        if workload == "start":
            extra = [1e3 * (b[1] - a[1]) / self.args.ranks for a, b in zip(plain, recorded)]
            return result | {"start_ms_per_rank": round(statistics.median(extra), 2)}
        ratios = [b[0] / a[0] - 1 for a, b in zip(plain, recorded)]
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        logs = recorded[-1][3]
        events = sum(log["events"] for log in logs)
        result |= {"slowdown_percent": round(100 * middle, 2),
                   "slowdown_quartiles_percent": [round(100 * low, 2), round(100 * high, 2)], "events": events,
                   "event_ns": round(event_ns, 1),
                   "share_percent": round(100 * events / len(logs) * event_ns * 1e-9 / result["plain_s"], 3)}
        return result | {name: round(sum(log[name] for log in logs) / events, 3) for name in ("bytes", "times", "signatures")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="+", help="FAMILY=MPIRUN=CALLS=LOOPS=RECORDER")
    parser.add_argument("--only", nargs="*", default=["halo", "alltoall", "lammps", "start"], help="workloads")
    parser.add_argument("--families", nargs="*", default=["openmpi", "mpich"])
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=20000, help="of the loops")
    parser.add_argument("--steps", type=int, default=1000, help="of LAMMPS")
    parser.add_argument("--timeout", type=int, default=1200, help="of a run, in seconds")
    args = parser.parse_args()
    for case in args.case:
        family, mpirun, calls, loops, recorder = case.split("=")
        if family not in args.families:
            continue
        bench = Bench(calls, {"none": "", "recorder": recorder})
        event_ns = bench.nanoseconds("recorder", "receive") - bench.nanoseconds("none", "receive")
        for workload in args.only:
            if workload == "lammps" and (family != "openmpi" or not shutil.which("lmp")):
                continue
            print(json.dumps({"bench": "shim_jobs", "mpi": family, "workload": workload,
                              **Jobs(args, family, mpirun, loops, recorder).measure(workload, event_ns)}), flush=True)


if __name__ == "__main__":
    main()
