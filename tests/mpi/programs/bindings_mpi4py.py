# SPDX-License-Identifier: Apache-2.0
# mpi4py: every call is seen once, and the sentinels mean what they should. The program checks its results.
#@ count *: 1 ^Init_thread$
#@ count *: 1 ^Allreduce comm=0 bytes=8 recv=8$
#@ count *: 1 ^Gather comm=0 root=0 bytes=8 recv={16*(1-r)}$
#@ count *: 1 ^Irecv comm=0 peer={1-r} tag=1 bytes=8 req=1$
#@ count *: 1 ^Isend comm=0 peer={1-r} tag=1 bytes=8 req=2$
#@ count *: 1 ^Waitall done=1:{1-r}/1/8 done=2:sent$
#@ count *: 1 ^Sendrecv comm=0 peer={1-r} tag=3 bytes=16 from=any rtag=any room=16 got={1-r}/3/16$
#@ count *: 1 ^Cart_create comm=0 new=2 members=0\+1x2 in={1-r},{1-r} out={1-r},{1-r}$
#@ count *: 1 ^Neighbor_allgather comm=2 bytes=8 recv=16$
#@ count *: 1 ^Comm_free comm=2$
#@ count *: 1 ^Win_create comm=0 win=1 bytes=16$
#@ count *: 2 ^Win_fence comm=0 win=1$
#@ count *: 1 ^Put comm=0 win=1 target={1-r} bytes=8 recv=0$
#@ count *: 1 ^Win_free comm=0 win=1$
#@ count *: 1 ^Finalize$
import array
import sys

from mpi4py import MPI


def numbers(*values):
    return array.array("q", values)


def whole(buffer):
    return [buffer, MPI.INT64_T]


def main():
    world = MPI.COMM_WORLD
    rank, other = world.rank, 1 - world.rank
    total = numbers(rank + 1)
    world.Allreduce(MPI.IN_PLACE, whole(total), MPI.SUM)
    assert total[0] == 3
    gathered = numbers(10 + rank, 10 + rank)
    if rank == 0:
        world.Gather(MPI.IN_PLACE, whole(gathered), 0)
        assert list(gathered) == [10, 11]
    else:
        world.Gather(whole(gathered[:1]), None, 0)
    received, sent = numbers(-1), numbers(rank)
    requests = [world.Irecv(whole(received), other, 1), world.Isend(whole(sent), other, 1)]
    MPI.Request.Waitall(requests)
    assert received[0] == other
    status, pair = MPI.Status(), numbers(-1, -1)
    world.Sendrecv(whole(numbers(rank, rank)), other, 3, whole(pair), MPI.ANY_SOURCE, MPI.ANY_TAG, status)
    assert status.source == other and status.tag == 3 and status.Get_count(MPI.INT64_T) == 2 and list(pair) == [other] * 2
    line, around = world.Create_cart([2], [True]), numbers(-1, -1)
    line.Neighbor_allgather(whole(sent), whole(around))
    assert list(around) == [other] * 2
    line.Free()
    exposed, put = numbers(0, 0), numbers(7 + rank)
    window = MPI.Win.Create(exposed, 8, MPI.INFO_NULL, world)
    window.Fence()
    window.Put(whole(put), other)
    window.Fence()
    assert list(exposed) == [7 + other, 0]
    window.Free()
    sys.stdout.write(f"{rank} {exposed[0]}\n")


main()
