#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `vef convert` prints as dumpi2ascii does, encoded here as DUMPI's binary files, is the trace it came from: dumpi_ascii.py VEF DATA WORK"""
import pathlib
import re
import sys

from checks import Checks, run
from dumpi import Rank

# Number of the function, and its arguments in the order of the binary file (sst-dumpi, commit a4c8bf5,
# dumpi/common/dumpiio.c): letters as in Rank.call(), in brackets those that only the root has.
CALLS = {
    "MPI_Recv": (1, "i:count H:datatype i:source i:tag H:comm s:status"),
    "MPI_Isend": (8, "i:count H:datatype i:dest i:tag H:comm i:request"),
    "MPI_Request_free": (15, "i:request"),
    "MPI_Barrier": (52, "H:comm"),
    "MPI_Bcast": (53, "i:count H:datatype i:root H:comm"),
    "MPI_Gather": (54, "i:commrank i:sendcount H:sendtype i:root H:comm (i:recvcount (H:recvtype"),
    "MPI_Gatherv": (55, "i:commrank i:commsize i:sendcount H:sendtype i:root H:comm (a:recvcounts (a:displs H:recvtype"),
    "MPI_Scatter": (56, "i:commrank i:recvcount H:recvtype i:root H:comm (i:sendcount (H:sendtype"),
    "MPI_Scatterv": (57, "i:commrank i:commsize H:sendtype i:recvcount H:recvtype i:root H:comm (a:sendcounts (a:displs"),
    "MPI_Allgather": (58, "i:sendcount H:sendtype i:recvcount H:recvtype H:comm"),
    "MPI_Allgatherv": (59, "i:commsize i:sendcount H:sendtype a:recvcounts a:displs H:recvtype H:comm"),
    "MPI_Alltoall": (60, "i:sendcount H:sendtype i:recvcount H:recvtype H:comm"),
    "MPI_Alltoallv": (61, "i:commsize a:sendcounts a:senddispls H:sendtype a:recvcounts a:recvdispls H:recvtype H:comm"),
    "MPI_Reduce": (62, "i:count H:datatype B:op i:root H:comm"),
    "MPI_Allreduce": (65, "i:count H:datatype B:op H:comm"),
    "MPI_Comm_group": (72, "H:comm H:group"),
    "MPI_Group_incl": (76, "H:group i:count a:ranks H:newgroup"),
    "MPI_Comm_create": (85, "H:oldcomm H:group H:newcomm"),
    "MPI_Init": (124, "a:argv"),
    "MPI_Finalize": (125, ""),
}
TIMES = re.compile(r"(MPI_\w+) (entering|returning) at walltime (\d+)\.(\d{9}), cputime \3\.\4 seconds in thread 0\.")
ARGUMENT = re.compile(r"(?:int|string|MPI_\w+) (\w+)(\[\d+\])?=(<IGNORED>|\[.*\]|\d+)(?: \([\w-]+\))?")


def value_of(text):
    if text[0] == "<":
        return []
    return [int(v) for v in text[1:-1].split(", ")] if text[0] == "[" else int(text)


def encode(lines):
    """The binary file of a rank; every line must be understood, and times never go back."""
    rank, name, last = Rank(), None, 0
    for line in lines:
        if times := TIMES.fullmatch(line):
            now = int(times[3]) * 10**9 + int(times[4])
            assert now >= last, line
            last = now
            if times[2] == "entering":
                assert name is None, line
                name, begin, arguments = times[1], now, {}
                continue
            assert name == times[1], line
            number, layout = CALLS[name]
            letters, values, used = "", [], set()
            for part in layout.split():
                letter, key = part.lstrip("(").split(":")
                used.add(key)
                if part[0] == "(" and arguments["commrank"] != arguments["root"]:
                    continue
                value = arguments[key]
                letters += letter
                values.append(value[0] if key == "request" else value)
            assert arguments.keys() - used <= {"argc"}, line
            rank.call(number, letters, *values, times=(begin, now))
            name = None
        elif name is not None:
            argument = ARGUMENT.fullmatch(line)
            assert argument, line
            arguments[argument[1]] = value_of(argument[3])
        else:
            assert re.match(r"(version|starttime|hostname|username|meshdim|meshsize|meshcrd)=|Datatype \d+ \(\w+\) has size \d+$", line), line
    assert name is None
    return rank.file()


def main():
    vef, data, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    checks = Checks(vef, work)
    expect, result = checks.expect, checks.result
    vectors = work / "vectors.vef"
    vectors.write_text("VEF3 2 0 1 4 8 0 1000\nC0 0 1\n"
                       "G0 C0 3 0 5 11 0 3 -1\nG0 C0 3 1 6 0 0 4 -1\n"
                       "G1 C0 4 0 0 1 3 2 G0\nG1 C0 4 1 3 2 3 1 G0\n"
                       "G2 C0 5 0 1 3 3 0 G1\nG2 C0 5 1 2 3 3 5 G1\n"
                       "G3 C0 7 0 9 1 3 0 G2\nG3 C0 7 1 4 1 3 0 G2\n")
    traces = [data / f"vef3/{name}.vef" for name in ("ring-4-send-recv-a", "collectives-4", "allreduce-large-4")]
    for original in [*traces, data / "small.vef", vectors]:
        counts = result("check", original, "--expansion", "openmpi")
        meta = work / f"{original.stem}.dumpi.txt"
        done = result("convert", original, meta)
        expect(f"{meta}: records", done["records"], counts["records"])
        texts = sorted((work / f"{meta.name}_files").iterdir())
        expect(f"{meta}: ranks", [t.name for t in texts], [f"rank-{i:04}.txt" for i in range(counts["tasks"])])
        # The meta names the binary files that ascii2dumpi makes; until they are there, it is no trace.
        expect(f"{meta}: no binary files", "is not there; expected a file in the folder of" in run(vef, "check", meta, status=1).stderr, True)
        for text in texts:
            text.with_suffix(".bin").write_bytes(encode(text.read_text().splitlines()))
        checked = result("check", meta, "--expansion", "openmpi")
        # In small.vef making a communicator is a barrier of three tasks, and task 2 ends with its collective, as those of
        # vectors.vef do; MPI_Finalize is a mark then.
        more = {"small": 4, "vectors": 2}.get(original.stem, 0)
        expect(f"{meta}: records of the binary files", checked["records"], counts["records"] + more)
        for key in ("passed", "tasks", "ideal_time_ps"):
            expect(f"{meta}: {key}", checked[key], counts[key])
        if original.stem != "small":  # whose barrier has messages
            expect(f"{meta}: messages", checked["messages_generated"], counts["messages_generated"])
    return checks.status("the printed calls are the trace")


if __name__ == "__main__":
    sys.exit(main())
