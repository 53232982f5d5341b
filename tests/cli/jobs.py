#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several traces in one replay, each with its start, nodes and mapping: jobs.py VEF TRACE NETWORK.

TRACE has 4 tasks, NETWORK 256 nodes, 16 at each switch they hang on.
"""
import json
import subprocess
import sys


def main():
    vef, trace, network = sys.argv[1:]
    problems = []

    def replay(*jobs, status=0, options=()):
        done = subprocess.run([vef, "replay", *jobs, "--network", network, "--quiet", "--json", *options],
                              capture_output=True, text=True, check=False)
        if done.returncode != status:
            problems.append(f"{jobs} {options}: status {done.returncode}, expected {status}: {done.stderr}")
            return {} if status == 0 else done.stderr
        return json.loads(done.stdout) if status == 0 else done.stderr

    def expect(what, found, expected):
        if found != expected:
            problems.append(f"{what}: found {found!r}; expected {expected!r}")

    alone = replay(trace)
    time = alone["execution_time_ps"]
    # A trace knows no clock but its start.
    expect("start", replay(trace + "@start=2ms")["execution_time_ps"], time + 2_000_000_000)
    # Within one switch all places are alike.
    expect("nodes", replay(trace + "@nodes=7-10")["execution_time_ps"], time)
    # Below different switches jobs do not meet: the later one ends as if it were alone.
    two = replay(trace + "@nodes=0-3", trace + "@nodes=16-19,start=1us")
    expect("two jobs", two["execution_time_ps"], time + 1_000_000)
    expect("two jobs' messages", two["messages"]["count"], 2 * alone["messages"]["count"])
    # All tasks on one node: no message enters the network.
    expect("one node", replay(trace + "@mapping=block:4")["messages"]["local"], alone["messages"]["count"])
    expect("one node of several", replay(trace + "@nodes=9,mapping=round-robin")["messages"]["local"], alone["messages"]["count"])
    expect("no time between", replay(trace + "@scale=0")["execution_time_ps"],
           replay(trace, options=["--compute-scale", "0"])["execution_time_ps"])
    expect("too few nodes", replay(trace + "@nodes=0-2", status=2),
           f"vef: {trace}: the trace has 4 tasks for 4 nodes; expected at most 3 nodes\n")
    expect("beyond the network", replay(trace + "@nodes=250-260", status=2),
           f"vef: {trace}: nodes 250-260; {network} has the nodes 0 to 255\n")
    expect("unknown key", replay(trace + "@strat=1ms", status=2),
           f"vef: {trace}: found 'strat'; expected start, scale, mapping or nodes\n")
    expect("no mapping", replay(trace, status=2, options=["--mapping", "linar"]),
           "vef: 'linar' is no mapping; expected linear, round-robin, block:K, interleaved:K, random, file:PATH or hosts\n")
    print("\n".join(problems))
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main())
