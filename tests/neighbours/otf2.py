#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What OTF2's own tool prints of the archives that `vef convert` writes: otf2.py VEF DATA WORK"""
import collections
import pathlib
import re
import sys

from checks import Checks, run

EVENT = re.compile(r"^([A-Z_]+) +(\d+) +(\d+) *(.*)$")


def main():
    vef, data, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    checks = Checks(vef, work)
    expect, result = checks.expect, checks.result

    for original in (data / "small.vef", data / "vef3/ring-4-send-recv-a.vef", data / "vef3/collectives-4.vef"):
        name, archive = original.stem, work / f"{original.stem}.otf2"
        checked = result("check", original)
        result("convert", original, archive)
        printed = run("otf2-print", "-Werror", archive).stdout
        events = [EVENT.match(line).groups() for line in printed.splitlines() if EVENT.match(line)]
        kinds = collections.Counter(event[0] for event in events)
        messages = checked["point_to_point"]["messages"]
        expect(f"{name}: sends", kinds["MPI_SEND"], messages)
        expect(f"{name}: receives", kinds["MPI_RECV"], messages)
        expect(f"{name}: bytes", sum(int(event[3].split("Length: ")[1]) for event in events if event[0] == "MPI_SEND"),
               checked["point_to_point"]["bytes"])
        expect(f"{name}: regions are left", kinds["ENTER"], kinds["LEAVE"])
        expect(f"{name}: end", max(int(event[2]) for event in events) * 1000, checked["ideal_time_ps"])
        for location in range(checked["tasks"]):
            times = [int(event[2]) for event in events if int(event[1]) == location]
            expect(f"{name}: order of location {location}", times, sorted(times))

    # Of small.vef: three tasks, an all-reduce of 8 bytes, which Score-P counts once for each member.
    printed = run("otf2-print", "-A", work / "small.otf2").stdout
    expect("sizes", printed.count('Operation: ALLREDUCE, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 24, Received: 24'), 3)
    expect("communicator", 'Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 2 Members: 1 ("Master thread" <1>), 2 ("Master thread" <2>)'
           in printed, True)
    expect("format", result("info", work / "small.otf2")["format"], "otf2")
    return checks.status("otf2-print reads what vef writes")


if __name__ == "__main__":
    sys.exit(main())
