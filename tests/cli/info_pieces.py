#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vef info --lines`, `--times`, `--parts`: what is printed are the lines of the text, whatever the container.

usage: info_pieces.py VEF DIRECTORY
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

RECORDS = 70_000  # two blocks of .vefb (65,536 each), several frames of .vef.zst
HEAD = [f"VEF3 2 {RECORDS} 1 0 0 0 1000", "C0 0 1"]
# Task 0 sends to task 1, 7 ns after the start, then 10 ns after each sending: message i leaves at 7 + 10 i ns.
LINES = HEAD + [f"{i} 0 1 8 {4 if i == 0 else 5} {7 if i == 0 else 10} {i - 1}" for i in range(RECORDS)]


def main():
    vef = os.path.abspath(sys.argv[1])
    directory = pathlib.Path(sys.argv[2])
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    problems = []

    def run(*arguments, status=0):
        done = subprocess.run([vef, *arguments], cwd=directory, capture_output=True, text=True, check=False)
        if done.returncode != status:
            problems.append(f"vef {' '.join(arguments)}: status {done.returncode}, expected {status}: {done.stderr}")
        return done.stdout if status == 0 else done.stderr

    def expect(what, found, expected):
        if found != expected:
            problems.append(f"{what}: found {found!r:.300}; expected {expected!r:.300}")

    def lines(first, last):
        return "".join(f"{number}\t{LINES[number - 1]}\n" for number in range(first, min(last, len(LINES)) + 1))

    (directory / "t.vef").write_text("\n".join(LINES) + "\n")
    run("convert", "t.vef", "t.vef.zst")
    run("convert", "t.vef", "t.vefb")
    end = len(LINES)
    for name in ("t.vef", "t.vef.zst", "t.vefb"):
        expect(name, run("info", name, "--lines", "3:5"), lines(3, 5))
        expect(name, run("info", name, "--lines", ":4"), lines(3, 4))
        expect(name, run("info", name, "--lines", "65530:65550"), lines(65530, 65550))
        expect(name, run("info", name, "--lines", f"{end - 1}:"), lines(end - 1, end))
        told = json.loads(run("info", name, "--lines", str(end), "--json"))
        expect(name, told["records"], [{"line": end, "record": LINES[-1]}])
        expect(name, run("info", name, "--lines", f"{end + 1}:", status=1),
               f"vef: {name}: no record there; its records are in the lines 3 to {end}\n")
    for name in ("t.vef.zst", "t.vefb"):
        parts = json.loads(run("info", name, "--parts", "--json"))["parts"]
        expect(name, [parts[0]["offset"], parts[0]["first_line"], parts[1]["first_line"]], [0, 1, 3])
        for i, part in enumerate(parts[1:], 1):
            last = parts[i + 1]["first_line"] - 1 if i + 1 < len(parts) else end
            times = [(7 + 10 * (line - 3)) * 1000 for line in (part["first_line"], last)]
            expect(f"{name}, part {i}", [part["earliest_ps"], part["latest_ps"]], times)
        # The second part alone, by a time within it.
        second = parts[2]
        last = parts[3]["first_line"] - 1 if len(parts) > 3 else end
        expect(name, run("info", name, "--times", f"{second['earliest_ps']}ps"), lines(second["first_line"], last))
        expect(name, run("info", name, "--times", "1s:2s", status=1),
               f"vef: {name}: no record in these times (--parts shows them)\n")
    expect("t.vef", run("info", "t.vef", "--parts", status=1),
           "vef: t.vef: no index; expected a .vef.zst or .vefb that `vef` wrote (vef convert)\n")
    expect("t.vef", run("info", "t.vef", "--lines", "5:3", status=2),
           "vef: --lines '5:3'; expected FIRST:LAST, FIRST:, :LAST or LINE\n")
    print("\n".join(problems))
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main())
