#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SimGrid replays the time-independent traces that `vef convert` writes: simgrid.py VEF DATA WORK

What it simulates must be what `vef check` counts: as many messages (by SimGrid's own trace of them), and, on a network
without noticeable delays, the same time. Skipped (77) where smpirun is not installed."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="h" suffix="" radical="0-7" speed="1Gf" bw="1000GBps" lat="1ns"/>
</platform>
"""

# Every collective with parts of different sizes, one of two ranks only, and messages of which one is awaited by nobody.
COLLECTIVES = """VEF3 4 7 2 8 30 0 1000
C0 0 1 2 3
C1 3 1
""" + "".join(f"G{g} C0 {op} {task} {sizes[task][0]} {sizes[task][1]} {0 if g == 0 else 3} 100 {'-1' if g == 0 else f'G{g - 1}'}\n"
              for g, (op, sizes) in enumerate([
                  (6, [(0, 0)] * 4),
                  (0, [(0, 512)] * 2 + [(512, 0)] + [(0, 512)]),
                  (1, [(512, 0)] * 3 + [(0, 512)]),
                  (2, [(64, 64)] * 4),
                  (3, [(5, 26), (6, 0), (7, 0), (8, 0)]),
                  (4, [(10, 1), (0, 2), (0, 3), (0, 4)]),
                  (7, [(9, 1), (8, 1), (7, 1), (6, 1)]),
              ]) for task in range(4)) + """G7 C1 2 1 16 16 3 50 G6
G7 C1 2 3 16 16 3 50 G6
0 1 1 0 3 10 G7
1 3 3 0 3 10 G7
2 0 2 70000 7 10 G6
3 2 0 80000 7 10 G6
4 2 2 0 1 0 3
5 2 2 0 2 5 2
6 0 0 0 1 3 2
"""


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def links(trace):
    """Messages that a Paje trace of SimGrid shows: its own definition says which number begins one."""
    begin = re.search(r"^%EventDef PajeStartLink (\d+)", trace, re.M).group(1)
    return len(re.findall(rf"^{begin} ", trace, re.M))


def check(vef, work, trace):
    counted = json.loads(run([vef, "check", trace, "--json", "--quiet"]).stdout)
    converted = json.loads(run([vef, "convert", trace, work / "t.ti", "--json", "--quiet"]).stdout)
    output = run(["smpirun", "-np", str(counted["tasks"]), "-platform", "platform.xml", "-hostfile", "hosts", "-trace",
                  "-trace-file", "paje.trace", "-replay", "t.ti"], cwd=work)
    seconds = float(re.search(r"Simulation time ([0-9.]+)", output.stdout + output.stderr).group(1))
    messages = links((work / "paje.trace").read_text())
    return counted, converted, messages, seconds


def main():
    vef, data, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if shutil.which("smpirun") is None:
        print("smpirun is not installed")
        return 77
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "platform.xml").write_text(PLATFORM)
    (work / "hosts").write_text("".join(f"h{i}\n" for i in range(8)))
    (work / "collectives.vef").write_text(COLLECTIVES)
    failed = 0
    # An allreduce of two ranks of a communicator of their own becomes messages: with Open MPI's algorithm one each way.
    for trace, more in [(data / "vef3/ring-4-send-recv-a.vef", 0), (data / "vef3/collectives-4.vef", 0),
                        (data / "vef3/allreduce-large-4.vef", 0), (work / "collectives.vef", 2)]:
        counted, converted, messages, seconds = check(vef, work, trace)
        ideal = counted["ideal_time_ps"] / 1e12
        expected = counted["point_to_point"]["messages"] + more
        good = messages == expected and ideal <= seconds + 1e-6 and seconds <= ideal * 1.02 + 1e-5
        print(f"{trace.name}: {converted['records']} records, {messages} messages in SimGrid, {expected} here; "
              f"{seconds} s in SimGrid, {ideal} s here: {'as expected' if good else 'FAILED'}")
        failed |= not good
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
