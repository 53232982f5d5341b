#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_functions.py TABLE HEADER...: each function that a preprocessed mpi.h declares stands in the table."""
import sys

from table import declared_functions, read_table


def main():
    table = read_table(sys.argv[1])
    known = {f.name for f in table.functions} | set(table.local)
    status = 0
    for header in sys.argv[2:]:
        declared = declared_functions(header)
        missing = sorted(declared - known)
        for name in missing:
            print(f"{header}: found {name}; expected it in {sys.argv[1]}, with a recipe or as local")
        # A header that is not understood must not pass: MPI 3.1 has more than 400 functions.
        if len(declared) < 400 or not {"MPI_Send", "MPI_Wtime", "MPI_Put", "MPI_File_open"} <= declared:
            print(f"{header}: found {len(declared)} functions; expected those of MPI 3.1")
            status = 1
        status = status or (1 if missing else 0)
    return status


if __name__ == "__main__":
    sys.exit(main())
