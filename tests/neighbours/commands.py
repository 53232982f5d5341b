#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `vef convert` writes says the same to every command as the trace it came from: commands.py VEF DATA NETWORK WORK"""
import json
import pathlib
import sys

from checks import Checks, run


def main():
    vef, data, network, work = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
    checks = Checks(vef, work)
    expect, result = checks.expect, checks.result

    for name in ("ring-4-send-recv-a", "collectives-4", "allreduce-large-4"):
        original = data / f"vef3/{name}.vef"
        counts = result("check", original, "--expansion", "openmpi")
        with_replay = name.startswith("ring")  # the others take long
        replayed = result("replay", original, "--network", network) if with_replay else {}
        for ending in ("goal", "goal.bin", "ti", "et", "otf2", "prv.gz", "vef.zst"):
            file = work / f"{name}.{ending}"
            done = result("convert", original, file)
            expect(f"{file}: records", done["records"], counts["records"])
            checked = result("check", file, "--expansion", "openmpi")
            for key in ("passed", "tasks", "messages_generated", "messages_received", "ideal_time_ps"):
                expect(f"{file}: {key}", checked[key], counts[key])
            expect(f"{file}: info", result("info", file)["tasks"], counts["tasks"])
            expect(f"{file}: report", json.loads(run(vef, "report", file, "--json", "--expansion", "openmpi").stdout)["messages"],
                   counts["messages_generated"])
            if with_replay and ending in ("ti", "et", "otf2", "prv.gz", "vef.zst"):  # in GOAL an operation begins when all it needs is there, by another path
                expect(f"{file}: replay", result("replay", file, "--network", network)["execution_time_ps"],
                       replayed["execution_time_ps"])
        # The time line ends when the trace does, by the clock of `vef check`.
        timeline = work / f"{name}.json"
        run(vef, "convert", original, timeline)
        events = [e for e in json.loads(timeline.read_text())["traceEvents"] if e["ph"] == "X"]
        expect(f"{timeline}: end", max(round((e["ts"] + e["dur"]) * 1e6) for e in events), counts["ideal_time_ps"])

    # The example of docs/vef4.md, whose times and messages that document works out.
    document = (data.parent.parent / "docs/vef4.md").read_text()
    example = work / "example.vef"
    example.write_text(next(block for block in document.split("```\n") if block.startswith("VEF4 ")))
    expect("small4.vef", (data / "small4.vef").read_text(), example.read_text())
    copy = work / "copy.vef"
    for ending in ("vefb", "vef.zst"):
        result("convert", example, work / f"example.{ending}")
        result("convert", work / f"example.{ending}", copy)
        expect(f"example.{ending} and back", copy.read_text(), example.read_text())
    lowered = work / "lowered.vef"
    said = run(vef, "convert", example, lowered, "--to", "vef3", status=1).stderr
    expect("answers", f"vef: {example}:4: message 1 is an answer" in said, True)
    expect("no output", lowered.exists(), False)
    result("convert", example, lowered, "--to", "vef3", "--lossy")
    expect("format of the lowered", result("info", lowered)["format"], "VEF3")
    for file, messages in ((example, 8), (work / "example.vefb", 8), (lowered, 7)):
        checked = result("check", file, "--expansion", "n")
        expect(f"{file}: messages", (checked["messages_generated"], checked["messages_received"]), (messages, messages))
        expect(f"{file}: time", checked["ideal_time_ps"], 63_000)
    for ending in ("ti", "et", "goal"):
        file = work / f"lowered.{ending}"
        result("convert", lowered, file, "--expansion", "n")
        expect(f"{file}: messages", result("check", file, "--expansion", "n")["messages_generated"], 7)
    result("replay", example, "--network", network)

    small = data / "small.vef"
    said = run(vef, "convert", small, work / "x.nope", status=2).stderr
    expect("an unknown ending", "its ending tells no format that is written; expected one of .vef, .vefb, .goal, " in said, True)
    said = run(vef, "convert", small, work / "x.goal", "--to", "gaol", status=2).stderr
    expect("an unknown format", said.startswith("vef: --to: found 'gaol'; expected vef, vef3, goal, goal-bin, simgrid-ti"), True)
    for name in ("x.bin.gz", "x.ti.zst", "x.et.gz", "x.dumpi.txt.gz"):
        said = run(vef, "convert", small, work / name, status=2).stderr
        expect(name, "this format is not written compressed; expected a name without .gz or .zst" in said, True)
    expect("format of GOAL", result("info", work / "ring-4-send-recv-a.goal")["format"], "goal")
    expect("format of VEF", result("info", small)["format"], "VEF3")
    expect("no output", (work / "x.goal").exists(), False)
    for row in json.loads(run(vef, "convert", "--list", "--json").stdout):
        expect(f"{row['name']}: in the document", f"`{row['name']}`" in (data / "../../docs/convert.md").read_text(), True)
    return checks.status("all commands read what is converted, and say the same of it")


if __name__ == "__main__":
    sys.exit(main())
