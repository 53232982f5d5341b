#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole way on a real application: LAMMPS' melt example, recorded, merged, checked, reported and replayed.

usage: lammps.py VEF NETWORKS_DIR WORKDIR RANKS MPIRUN...
"""
import csv
import json
import os
import pathlib
import re
import sys

from e2e import Checks, record, run, vef_json

MELT = "/usr/share/lammps/examples/melt/in.melt"


def thermo(text):
    """The physics that LAMMPS printed, without its timings."""
    return re.findall(r"^ *\d+(?: +-?[\d.]+){5} *$", text, re.M)


def matrix_sum(path):
    rows = csv.reader(line for line in open(path) if not line.startswith("#"))
    total = 0
    for row in rows:
        total += sum(int(cell) for cell in row[1:] if cell.isdigit())
    return total


def main():
    vef, networks, workdir, ranks = sys.argv[1:5]
    job = sys.argv[5:] + ["-n", ranks, "lmp", "-in", MELT]
    checks = Checks()
    os.makedirs(workdir + ".plain", exist_ok=True)
    plain = run(job, cwd=workdir + ".plain")
    capture, recorded = record(vef, workdir, job, cwd=workdir + ".plain")
    checks.true("LAMMPS printed its thermo table", len(thermo(plain.stdout)) >= 3)
    checks.equal("thermo output under the recorder", thermo(recorded.stdout), thermo(plain.stdout))

    trace = f"{workdir}/melt.vef.zst"
    run([vef, "merge", capture, "-o", trace])
    check = vef_json(vef, "check", trace)
    checks.equal("passed", check["passed"], True)
    checks.equal("tasks", check["tasks"], int(ranks))
    checks.true("LAMMPS all-reduces and broadcasts",
                min(check["collectives"][op]["operations"] for op in ("all-reduce", "broadcast")) > 0)
    checks.true("LAMMPS exchanges ghosts", check["point_to_point"]["messages"] > 1000)

    data = pathlib.Path(workdir) / "data"
    run([vef, "report", trace, "-o", f"{workdir}/melt.html", "--data", data])
    checks.true("a report was written", os.path.getsize(f"{workdir}/melt.html") > 10_000)
    everything = [check["point_to_point"], *check["collectives"].values()]
    checks.equal("messages of the matrix", matrix_sum(data / "matrix_messages.csv"), sum(x["messages"] for x in everything))
    checks.equal("bytes of the matrix", matrix_sum(data / "matrix_bytes.csv"), sum(x["bytes"] for x in everything))

    for network in ("fat-tree-256-conf1", "fat-tree-256-conf2", "megafly-288-conf1", "megafly-288-conf2"):
        results = pathlib.Path(workdir) / network
        run([vef, "replay", trace, "--network", f"{networks}/{network}.toml", "--expansion", "n", "-o", results])
        summary = json.loads((results / "summary.json").read_text())
        checks.true(f"{network}: not faster than the ideal network",
                    summary["execution_time_ps"] >= check["ideal_time_ps"])
        checks.equal(f"{network}: messages delivered", summary["messages"]["delivered"], check["messages_received"])
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
