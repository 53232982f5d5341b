#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every broken trace of tests/data/broken is refused by vef check, report and replay: status 1, one line for each fault,
as the .expected file beside the trace says it; a cycle is named by check and replay, which execute the trace.

usage: broken_traces.py VEF BROKEN_DIR NETWORK WORKDIR
"""
import pathlib
import subprocess
import sys


def main():
    vef, directory, network, workdir = sys.argv[1:]
    work = pathlib.Path(workdir)
    work.mkdir(parents=True, exist_ok=True)
    wrong, traces = [], 0
    for expected in sorted(pathlib.Path(directory).glob("*.expected")):
        trace = str(expected)[: -len(".expected")]
        traces += 1
        faults = [line for line in expected.read_text(errors="replace").splitlines() if line]
        commands = {
            "check": [vef, "check", trace],
            "report": [vef, "report", trace, "-o", work / "report.html"],
            "replay": [vef, "replay", trace, "--network", network, "-o", work / "results"],
        }
        for name, command in commands.items():
            done = subprocess.run([str(c) for c in command], capture_output=True, timeout=60)
            text = done.stderr.decode(errors="replace")
            if done.returncode != 1:
                wrong.append(f"{name} {trace}: status {done.returncode}, expected 1\n{text}")
            if not text.startswith(f"vef: {trace}:"):
                wrong.append(f"{name} {trace}: '{text}' does not begin with the file")
            if not faults and "cycle of" not in text:
                wrong.append(f"{name} {trace}: '{text}' names no cycle")
            for fault in faults if name == "check" else []:
                if f"vef: {trace}:{'' if fault[:1].isdigit() and ': ' in fault else ' '}{fault}\n" not in text:
                    wrong.append(f"{name} {trace}: '{fault}' is not in\n{text}")
    print("\n".join(wrong))
    print(f"{traces} broken traces, {len(wrong)} faults")
    return 1 if wrong or traces < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
