#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dependencies between rooms point one way: checks every #include "vef/<room>/..." against the table of allowed arrows.

usage: check_arrows.py SOURCE_DIR
"""
import pathlib
import re
import sys

# Folder -> rooms whose public headers it may include.
ALLOWED = {
    "base": {"base"},
    "formats": {"base", "formats"},
    "formats/neighbours": {"base", "formats", "neighbours"},
    "prospector/settings": {"settings"},
    "prospector/shim": {"formats", "settings"},
    "prospector/merge": {"base", "formats", "merge", "settings"},
    "prospector/launch": {"base", "launch", "settings"},
    "tracelib": {"base", "formats", "tracelib"},
    "replayer": {"base", "formats", "tracelib", "replayer"},
    "analyzer": {"base", "formats", "tracelib", "analyzer"},
    "cli": {"base", "formats", "neighbours", "merge", "launch", "settings", "tracelib", "replayer",
            "analyzer"},
}
# The recorder runs inside other people's jobs: of formats it may use the writer's side only.
SHIM_HEADERS = {"rank_log.h", "rank_log_writer.h", "mpi_call.h"}
INCLUDE = re.compile(r'^\s*#include\s+"vef/([a-z_]+)/([^"]+)"')


def faults(root):
    for folder, allowed in ALLOWED.items():
        inner = [root / other for other in ALLOWED if other.startswith(folder + "/")]
        files = [p for p in sorted((root / folder).rglob("*"))
                 if p.suffix in (".cc", ".h") and not any(p.is_relative_to(room) for room in inner)]
        if not files:
            yield f"{folder}: no sources found"
        for path in files:
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                room, header = match.groups()
                where = f"{path.relative_to(root)}:{number}"
                if room not in allowed:
                    yield f"{where}: includes vef/{room}/{header}; {folder} may use only {', '.join(sorted(allowed))}"
                elif folder == "prospector/shim" and room == "formats" and header not in SHIM_HEADERS:
                    yield f"{where}: includes vef/{room}/{header}; the shim may use only {', '.join(sorted(SHIM_HEADERS))}"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
