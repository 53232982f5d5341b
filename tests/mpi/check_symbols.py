#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_symbols.py LIBRARY: the recorder exports MPI_x and PMPI_x in pairs and nothing else, takes nothing from outside
but what the C library has, and is linked to no MPI."""
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    library = sys.argv[1]
    exported = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--defined-only", library).splitlines()}
    problems = [f"exports {name}" for name in sorted(exported) if not re.match(r"P?MPIX?_", name)]
    for name in exported:
        other = name[1:] if name.startswith("P") else "P" + name
        if other not in exported:
            problems.append(f"exports {name} without {other}")
    for name in ("MPI_Init", "MPI_Send", "MPI_Waitall", "MPI_Comm_split", "MPI_File_write_all"):
        if name not in exported:
            problems.append(f"does not export {name}")
    for line in output("nm", "-D", "--undefined-only", library).splitlines():
        kind, name = line.split()[-2:]
        if kind == "U" and "@GLIBC" not in name:
            problems.append(f"takes {name} from outside")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", library))
    allowed = re.compile(r"libc\.so|ld-linux|libm\.so|libdl\.so|libpthread\.so|librt\.so")
    problems += [f"is linked to {name}" for name in needed if not allowed.match(name)]
    for problem in problems:
        print(f"{library}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
