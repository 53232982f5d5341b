#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trace of DUMPI, written here from the layout of its files, says to every command what was put into it: dumpi.py VEF NETWORK WORK"""
import json
import pathlib
import struct
import sys

from checks import Checks, run

INT, DOUBLE, BYTE, WORLD, RANKS = 9, 14, 5, 2, 6
MAGIC = b"\xff\xaa\xddDUMPI"


class Rank:
    """The calls of one rank: each takes 2 us, and begins `gap` nanoseconds after the one before, or has its `times`."""

    def __init__(self):
        self.now, self.stream = 3_000_000, b""

    def call(self, number, layout, *arguments, gap=0, times=None):
        begin, self.now = times or (self.now + gap, self.now + gap + 2000)
        times = b"".join(struct.pack(">HI", *divmod(t, 10**9)) for t in (0, 0, begin, self.now))
        self.stream += struct.pack(">HBH", number, 0x4F, 0) + times
        for letter, value in zip(layout, arguments):
            if letter == "a":
                self.stream += struct.pack(f">I{len(value)}i", len(value), *value)
            elif letter == "s":
                self.stream += struct.pack(">I", len(value)) + b"".join(struct.pack(">IiBBi", 1, s, 0, 0, t) for s, t in value)
            else:
                self.stream += struct.pack(">" + letter, value)

    def file(self):
        body = MAGIC + struct.pack(">II", 0, 1000) + self.stream + struct.pack(">H", 293)
        header = len(body)
        body += bytes([1, 0, 0]) + struct.pack(">Q", 1) + struct.pack(">H", 1) + b"h" + struct.pack(">H", 1) + b"u" + bytes(8)
        footer = len(body)
        body += struct.pack(">Q", 0xF007FEE7) + bytes(2 * 291 * 4)
        keys = len(body)
        body += bytes(4)
        sizes = len(body)
        table = [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8]
        body += struct.pack(f">I{len(table)}I", len(table), *table)
        return body + MAGIC + struct.pack(">7Q", sizes, 0, 0, header, 8, footer, keys)


def program(rank):
    """A ring with a receive from any source, collectives of the world and of every second rank."""
    r = Rank()
    after, before = (rank + 1) % RANKS, (rank - 1) % RANKS
    r.call(124, "I", 0)
    for step in range(3):
        r.call(12, "iHiiHi", 4096, BYTE, -1, 7, WORLD, 2)
        r.call(8, "iHiiHi", 100 * (rank + 1), INT, after, 7, WORLD, 3, gap=1000)
        r.call(18, "ias", 2, [2, 3], [(before, 7), (0, 0)], gap=500)
        r.call(65, "iHBH", 2, DOUBLE, 3, WORLD, gap=250)
    mine = 4 + rank
    r.call(86, "HiiH", WORLD, rank % 2, rank, mine)
    r.call(53, "iHiH", 1000, BYTE, 1, mine, gap=100)
    r.call(125, "", gap=40)
    return r


def main():
    vef, network, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    checks = Checks(vef, work)
    expect, result = checks.expect, checks.result
    (work / "in").mkdir()

    for rank in range(RANKS):
        (work / f"in/app-{rank:04}.bin").write_bytes(program(rank).file())
    meta = work / "in/app.meta"
    meta.write_text(f"hostname=h\nnumprocs={RANKS}\nusername=u\nstartime=1\nfileprefix=app\nversion=1\nsubversion=0\nsubsubversion=0\n")

    # Each rank: three times a message and an all-reduce, a barrier for the split, a broadcast of its three ranks.
    # On the ideal network all wait for each other in the all-reduce: 3 x 1750 ns, then 100 and 40.
    info = result("info", meta)
    expect("format", info["format"], "dumpi")
    expect("tasks", info["tasks"], RANKS)
    # A step has the message, a mark where it is waited for, the all-reduce; then barrier, broadcast, final mark.
    counts = result("check", meta, "--expansion", "openmpi")
    expect("records", counts["records"], RANKS * (3 * 3 + 3))
    expect("passed", counts["passed"], True)
    expect("time", counts["ideal_time_ps"], (3 * 1750 + 140) * 1000)
    text = work / "app.vef"
    done = result("convert", meta, text)
    expect("converted records", done["records"], counts["records"])
    lines = text.read_text().splitlines()
    expect("header", lines[0].split()[1:7], [str(RANKS), str(RANKS * 7), "3", "6", str(RANKS * 5), "0"])
    expect("communicators", sorted(lines[1:4]), ["C0 0 1 2 3 4 5", "C1 0 2 4", "C2 1 3 5"])
    messages = [line.split() for line in lines[4:] if line[0] != "G" and int(line.split()[4]) >= 4]
    expect("messages", sorted((int(m[1]), int(m[2]), int(m[3])) for m in messages),
           sorted((r, (r + 1) % RANKS, 400 * (r + 1)) for r in range(RANKS) for _ in range(3)))
    replayed = [result("replay", file, "--network", network)["execution_time_ps"] for file in (meta, text)]
    expect("replay", replayed[0], replayed[1])
    expect("report", json.loads(run(vef, "report", meta, "--json", "--expansion", "openmpi").stdout)["messages"], counts["messages_generated"])

    # Files outside the folder are not read unasked; a damaged one leaves nothing behind.
    outside = work / "outside.meta"
    outside.write_text(f"numprocs={RANKS}\nfileprefix=in/../../{work.name}/in/app\n")
    expect("inside", result("convert", outside, work / "o.vef")["records"], counts["records"])
    (work / "sub").mkdir()
    outside = work / "sub/o.meta"
    outside.write_text(f"numprocs={RANKS}\nfileprefix=../in/app\n")
    expect("outside", "lies outside the folder" in run(vef, "convert", outside, work / "p.vef", status=1).stderr, True)
    expect("allowed", result("convert", outside, work / "p.vef", "--allow-outside")["records"], counts["records"])
    whole = (work / "in/app-0003.bin").read_bytes()
    (work / "in/app-0003.bin").write_bytes(whole[:-1])
    said = run(vef, "convert", meta, work / "cut.vef", status=1).stderr
    expect("cut", said.count("\n") == 1 and "app-0003.bin: byte " in said and "no index of DUMPI" in said, True)
    expect("nothing is left", [f.name for f in work.glob("*cut*")], [])
    return checks.status("what was put into the trace is what every command finds in it")


if __name__ == "__main__":
    sys.exit(main())
