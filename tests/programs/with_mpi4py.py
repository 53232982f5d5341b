# SPDX-License-Identifier: Apache-2.0
"""mpi4py in the ways Python programs use it: pickled objects, buffers, communicators, windows, files, spawned threads of
requests. Rank 0 prints what must come out."""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()

objects = world.gather({"rank": rank, "name": "r" * rank}, root=0)
scattered = world.scatter([list(range(i)) for i in range(size)] if rank == 0 else None, root=0)
everyone = world.allgather(rank * rank)
exchanged = world.sendrecv(("from", rank), dest=(rank + 1) % size, source=(rank - 1) % size)
request = world.isend(bytes(100 * rank), dest=(rank + 1) % size, tag=5)
received = len(world.recv(source=MPI.ANY_SOURCE, tag=5))
request.wait()

values, total = array("d", [rank, 2.0 * rank]), array("d", [0.0, 0.0])
world.Allreduce([values, MPI.DOUBLE], [total, MPI.DOUBLE], op=MPI.SUM)

part = world.Split(rank % 2, key=-rank)
part_sum = part.allreduce(rank)
part.Free()

memory = array("i", [rank] * size)
window = MPI.Win.Create(memory, 4, comm=world)
window.Fence()
window.Put([array("i", [100 + rank]), MPI.INT], (rank + 1) % size, target=rank)
window.Fence()
window.Free()

grid = world.Create_cart([size], periods=[True])
_, right = grid.Shift(0, 1)
neighbours = grid.neighbor_allgather(rank)
grid.Free()

assert scattered == list(range(rank)) and exchanged == ("from", (rank - 1) % size)
assert received == 100 * ((rank - 1) % size) and memory[(rank - 1) % size] == 100 + (rank - 1) % size
assert right == (rank + 1) % size and neighbours == [(rank - 1) % size, (rank + 1) % size]
if rank == 0:
    print(len(objects), [o["name"] for o in objects], everyone, list(total), part_sum, flush=True)
