#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records known_counts.c, merges and checks it, and compares with what the program's text says it sends.

usage: known_counts.py VEF PROGRAM WORKDIR RANKS MPIRUN...
"""
import json
import sys

from e2e import Checks, record, run, vef_json


def collectives_on(m):
    """{operation: [operations, messages, bytes]} of collectives() in known_counts.c on m members, stars (n delivery).

    v operations move 4(i+1) bytes for member i; rank 1 is their root. reduce_scatter is lowered to reduce + scatter of 12
    bytes per member; scan and exscan to chains of messages, counted in point_to_point().
    """
    others = m - 1
    v_all = sum(4 * (i + 1) for i in range(m))
    v_but_root = v_all - 8
    pairs = m * others
    return {
        "broadcast": [1, others, 40 * others],
        "reduce": [3, 3 * others, (24 + 12 * m + 12 * m) * others],
        "all-reduce": [1, 2 * others, 4 * 2 * others],
        "gather": [2, 2 * others, 12 * others + v_but_root],
        "scatter": [4, 4 * others, 20 * others + v_but_root + 2 * 12 * others],
        "all-gather": [2, 2 * pairs, 8 * pairs + v_all * others],
        "barrier": [1, 2 * others, 0],
        "all-to-all": [2, 2 * pairs, 16 * pairs + 12 * pairs],
    }


def expected_collectives(n):
    halves = [(n + 1) // 2, n // 2]
    total = {}
    parts = [collectives_on(m) for m in [n] + halves]
    # Comm_split on the world and Comm_dup on each half are barriers.
    parts += [{"barrier": [1, 2 * (m - 1), 0]} for m in [n] + halves]
    parts.append({"barrier": [1, 2 * (n - 1), 0]})  # after the wildcards
    # Ibarrier, Iallreduce (4 bytes), Ibcast (4 bytes) on the world.
    parts.append({"barrier": [1, 2 * (n - 1), 0], "all-reduce": [1, 2 * (n - 1), 8 * (n - 1)],
                  "broadcast": [1, n - 1, 4 * (n - 1)]})
    for part in parts:
        for operation, numbers in part.items():
            before = total.get(operation, [0, 0, 0])
            total[operation] = [a + b for a, b in zip(before, numbers)]
    return total


def expected_point_to_point(n):
    parts = [
        (3 * n, 100),  # ring
        (n * (n - 1), 8),  # all pairs
        (5 * n, 4),  # waitall reversed
        (2 * (n - 1), 16),  # wildcards
        (n, 24), (n, 12),  # sendrecv, self
        (4 * n, 32),  # persistent
        (n, 4),  # beside the non-blocking collectives
        (n, 20),  # sub-communicators
    ]
    parts += [(2 * (m - 1), 4) for m in (n, (n + 1) // 2, n // 2)]  # scan and exscan chains
    return sum(count for count, _ in parts), sum(count * size for count, size in parts)


def main():
    vef, program, workdir, ranks = sys.argv[1:5]
    n, mpirun = int(ranks), sys.argv[5:]
    checks = Checks()

    plain = run(mpirun + ["-n", ranks, program])
    capture, recorded = record(vef, workdir, mpirun + ["-n", ranks, program])
    checks.equal("standard output under the recorder", recorded.stdout, plain.stdout)

    trace = f"{workdir}/known.vef.zst"
    run([vef, "merge", capture, "-o", trace])
    result = vef_json(vef, "check", trace)
    checks.equal("passed", result["passed"], True)
    checks.equal("tasks", result["tasks"], n)
    messages, size = expected_point_to_point(n)
    checks.equal("point-to-point messages", result["point_to_point"]["messages"], messages)
    checks.equal("point-to-point bytes", result["point_to_point"]["bytes"], size)
    expected = expected_collectives(n)
    for operation, found in result["collectives"].items():
        checks.equal(operation, [found["operations"], found["messages"], found["bytes"]], expected.get(operation, [0, 0, 0]))
    checks.equal("received", result["messages_received"], result["messages_generated"])
    checks.equal("log-n passes", vef_json(vef, "check", trace, "--expansion", "log-n")["passed"], True)
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
