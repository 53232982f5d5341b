# SPDX-License-Identifier: Apache-2.0
# The calls of an extension module that an interpreter opens are seen, too.
#@ count *: 1 ^Init_thread
#@ count *: 1 ^Allreduce comm=0 bytes=8 recv=8
#@ count 0: 1 ^Send comm=0 peer=1 tag=3 bytes=16
#@ count 1: 1 ^Recv comm=0 peer=0 tag=3 bytes=16 got=0/3/16
#@ count *: 1 ^Finalize
import array
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
total = array.array("q", [0])
world.Allreduce([array.array("q", [world.rank + 1]), MPI.INT64_T], [total, MPI.INT64_T], MPI.SUM)
data = array.array("d", [1.5, 2.5])
if world.rank == 0:
    world.Send([data, MPI.DOUBLE], 1, 3)
else:
    world.Recv([data, MPI.DOUBLE], 0, 3)
sys.stdout.write(f"{world.rank} {total[0]} {data[1]}\n")
