// SPDX-License-Identifier: Apache-2.0
// Called from C++: every call is seen once, and the sentinels mean what they should: MPI_IN_PLACE,
// MPI_BOTTOM, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, MPI_UNWEIGHTED, MPI_ARGV_NULL, MPI_ERRCODES_IGNORE. The
// program checks its results. Debian's MPICH cannot spawn: the call fails there and is not recorded.
//@ says recorded in capture
//@ count *: 1 ^Init$
//@ count *: 1 ^Allreduce comm=0 bytes=4 recv=4$
//@ count *: 1 ^Gather comm=0 root=0 bytes=4 recv={8*(1-r)}$
//@ count 0: 1 ^Send comm=0 peer=1 tag=7 bytes=4$
//@ count 1: 1 ^Recv comm=0 peer=0 tag=7 bytes=4 got=0/7/4$
//@ count *: 1 ^Irecv comm=0 peer={1-r} tag=1 bytes=4 req=1$
//@ count *: 1 ^Isend comm=0 peer={1-r} tag=1 bytes=4 req=2$
//@ count *: 1 ^Waitall done=1:{1-r}/1/4 done=2:sent$
//@ count *: 1 ^Waitany done=3:0/2/4$
//@ count *: 1 ^Waitsome done=4:0/2/4$
//@ count *: 2 ^Send comm=1 peer=0 tag=2 bytes=4$
//@ count *: 1 ^Sendrecv comm=0 peer={1-r} tag=3 bytes=8 from=any rtag=any room=8 got={1-r}/3/8$
//@ count *: 1 ^Dist_graph_create_adjacent comm=0 new=2 members=0\+1x2 in={1-r} out={1-r}$
//@ count *@openmpi: 1 ^Comm_spawn comm=1 new=3 flags=5 members={r} remote=2 asked=1 text='.+'$
//@ count *: 1 ^Barrier comm=0 bytes=0 recv=0$
//@ count *: 1 ^Finalize$
//@ count *@openmpi: 20 .
//@ count *@mpich: 18 .
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

int bad = 0;
void expect(bool good) { bad += good ? 0 : 1; }

void send_absolute(int rank) {
  int value = 40 + rank;
  const int length = 1;
  MPI_Aint place = 0;
  MPI_Datatype absolute;
  MPI_Get_address(&value, &place);
  MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  if (rank == 0) {
    MPI_Send(MPI_BOTTOM, 1, absolute, 1, 7, MPI_COMM_WORLD);
  } else {
    MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&absolute);
  expect(value == 40);
}

void complete(int rank, int total) {
  int received = -1;
  std::vector<MPI_Request> requests(2);
  MPI_Irecv(&received, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  expect(received == 1 - rank);
  int index = -1;
  MPI_Irecv(&received, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[0]);
  MPI_Send(&total, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  MPI_Waitany(1, requests.data(), &index, MPI_STATUS_IGNORE);
  expect(index == 0);
  int count = 0;
  MPI_Irecv(&received, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[0]);
  MPI_Send(&total, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  MPI_Waitsome(1, requests.data(), &count, &index, MPI_STATUSES_IGNORE);
  expect(count == 1 && index == 0 && received == total);
}

void exchange(int rank) {
  const std::vector<int> sent(2, rank);
  std::vector<int> received(2, -1);
  MPI_Status status;
  int count = 0;
  MPI_Sendrecv(sent.data(), 2, MPI_INT, 1 - rank, 3, received.data(), 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
               MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  expect(status.MPI_SOURCE == 1 - rank && status.MPI_TAG == 3 && count == 2);
}

void spawn(char* self) {
  MPI_Comm child;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE) ==
      MPI_SUCCESS) {
    MPI_Comm_disconnect(&child);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Comm parent;
  MPI_Comm graph;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int total = rank + 1;
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(total == 3);
  std::vector<int> gathered(2, 10 + rank);
  if (rank == 0) {
    MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, gathered.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    expect(gathered[0] == 10 && gathered[1] == 11);
  } else {
    MPI_Gather(gathered.data(), 1, MPI_INT, nullptr, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  send_absolute(rank);
  complete(rank, total);
  exchange(rank);
  const int other = 1 - rank;
  int kind = MPI_UNDEFINED;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Topo_test(graph, &kind);
  expect(kind == MPI_DIST_GRAPH);
  spawn(argv[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (bad != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  std::printf("%d %d\n", rank, total);
  MPI_Finalize();
  return 0;
}
