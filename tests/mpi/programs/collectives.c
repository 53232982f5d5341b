/* SPDX-License-Identifier: Apache-2.0 */
/* Every blocking collective. Blocks of rank i are i+1 ints (4 bytes) in the vector forms, so that with 3
 * ranks the sizes are 4, 8, 12. */
/*@ ranks 3 */
/*@ *: Init */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ 1: Bcast comm=0 root=1 bytes=20 recv=0 */
/*@ !1: Bcast comm=0 root=1 bytes=0 recv=20 */
/*@ 2: Reduce comm=0 root=2 bytes=0 recv=20 */
/*@ !2: Reduce comm=0 root=2 bytes=20 recv=0 */
/*@ 0: Reduce comm=0 root=0 bytes=0 recv=20 */
/*@ !0: Reduce comm=0 root=0 bytes=20 recv=0 */
/*@ *: Allreduce comm=0 bytes=20 recv=20 */
/*@ *: Allreduce comm=0 bytes=20 recv=20 */
/*@ 0: Gather comm=0 root=0 bytes=8 recv=24 */
/*@ !0: Gather comm=0 root=0 bytes=8 recv=0 */
/*@ 0: Gather comm=0 root=0 bytes=8 recv=24 */
/*@ !0: Gather comm=0 root=0 bytes=8 recv=0 */
/*@ 1: Gatherv comm=0 root=1 bytes=8 recv=24 sizes=4,8,12 */
/*@ !1: Gatherv comm=0 root=1 bytes={4*(r+1)} recv=0 */
/*@ 1: Gatherv comm=0 root=1 bytes=8 recv=24 sizes=4,8,12 */
/*@ !1: Gatherv comm=0 root=1 bytes={4*(r+1)} recv=0 */
/*@ 0: Scatter comm=0 root=0 bytes=24 recv=8 */
/*@ !0: Scatter comm=0 root=0 bytes=0 recv=8 */
/*@ 0: Scatter comm=0 root=0 bytes=24 recv=8 */
/*@ !0: Scatter comm=0 root=0 bytes=0 recv=8 */
/*@ 2: Scatterv comm=0 root=2 bytes=24 recv=12 sizes=4,8,12 */
/*@ !2: Scatterv comm=0 root=2 bytes=0 recv={4*(r+1)} */
/*@ 2: Scatterv comm=0 root=2 bytes=24 recv=12 sizes=4,8,12 */
/*@ !2: Scatterv comm=0 root=2 bytes=0 recv={4*(r+1)} */
/*@ *: Allgather comm=0 bytes=8 recv=24 */
/*@ *: Allgather comm=0 bytes=8 recv=24 */
/*@ *: Allgatherv comm=0 bytes={4*(r+1)} recv=24 sizes=4,8,12 */
/*@ *: Allgatherv comm=0 bytes={4*(r+1)} recv=24 sizes=4,8,12 */
/*@ *: Alltoall comm=0 bytes=8 recv=8 */
/*@ *: Alltoall comm=0 bytes=8 recv=8 */
/*@ *: Alltoallv comm=0 bytes=24 recv={12*(r+1)} sizes=4,8,12 */
/*@ *: Alltoallv comm=0 bytes=24 recv=24 sizes=8,8,8 */
/*@ *: Alltoallw comm=0 bytes=24 recv={12*(r+1)} sizes=4,8,12 */
/*@ *: Alltoallw comm=0 bytes=24 recv=24 sizes=8,8,8 */
/*@ *: Reduce_scatter comm=0 bytes=24 recv={4*(r+1)} sizes=4,8,12 */
/*@ *: Reduce_scatter comm=0 bytes=24 recv={4*(r+1)} sizes=4,8,12 */
/*@ *: Reduce_scatter_block comm=0 bytes=24 recv=8 */
/*@ *: Scan comm=0 bytes=20 recv=20 */
/*@ *: Exscan comm=0 bytes=20 recv=20 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

static int in[64], out[64];
static const int counts[3] = {1, 2, 3}, displs[3] = {0, 1, 3};
static const int twos[3] = {2, 2, 2}, two_displs[3] = {0, 2, 4};

static void rooted(int rank) {
  MPI_Comm w = MPI_COMM_WORLD;
  const int mine = rank + 1;
  MPI_Bcast(out, 5, MPI_INT, 1, w);
  MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, 2, w);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : out, rank == 0 ? in : NULL, 5, MPI_INT, MPI_SUM, 0, w);
  MPI_Allreduce(out, in, 5, MPI_INT, MPI_SUM, w);
  MPI_Allreduce(MPI_IN_PLACE, in, 5, MPI_INT, MPI_SUM, w);
  MPI_Gather(out, 2, MPI_INT, in, rank == 0 ? 2 : -7, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, 0, w);
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : out, 2, MPI_INT, in, 2, MPI_INT, 0, w);
  MPI_Gatherv(out, mine, MPI_INT, in, rank == 1 ? counts : NULL, rank == 1 ? displs : NULL, MPI_INT, 1, w);
  MPI_Gatherv(rank == 1 ? MPI_IN_PLACE : out, mine, MPI_INT, in, counts, displs, MPI_INT, 1, w);
  MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, 0, w);
  MPI_Scatter(out, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : in, 2, MPI_INT, 0, w);
  MPI_Scatterv(out, rank == 2 ? counts : NULL, rank == 2 ? displs : NULL, MPI_INT, in, mine, MPI_INT, 2, w);
  MPI_Scatterv(out, counts, displs, MPI_INT, rank == 2 ? MPI_IN_PLACE : in, mine, MPI_INT, 2, w);
}

static void rootless(int rank) {
  MPI_Comm w = MPI_COMM_WORLD;
  const int mine = rank + 1;
  int receive_counts[3], receive_displs[3], byte_displs[3], receive_byte_displs[3], two_byte_displs[3];
  MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
  for (int i = 0; i < 3; ++i) {
    receive_counts[i] = mine;
    receive_displs[i] = i * mine;
    byte_displs[i] = displs[i] * 4;
    receive_byte_displs[i] = receive_displs[i] * 4;
    two_byte_displs[i] = two_displs[i] * 4;
  }
  MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, w);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, w);
  MPI_Allgatherv(out, mine, MPI_INT, in, counts, displs, MPI_INT, w);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, displs, MPI_INT, w);
  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, w);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, w);
  MPI_Alltoallv(out, counts, displs, MPI_INT, in, receive_counts, receive_displs, MPI_INT, w);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, twos, two_displs, MPI_INT, w);
  MPI_Alltoallw(out, counts, byte_displs, types, in, receive_counts, receive_byte_displs, types, w);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, twos, two_byte_displs, types, w);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, w);
  MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, w);
  MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, w);
  MPI_Scan(out, in, 5, MPI_INT, MPI_SUM, w);
  MPI_Exscan(out, in, 5, MPI_INT, MPI_SUM, w);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 64; ++i) out[i] = rank * 100 + i;
  MPI_Barrier(MPI_COMM_WORLD);
  rooted(rank);
  rootless(rank);
  printf("rank %d %d\n", rank, rank > 0 ? in[3] : 0);
  MPI_Finalize();
  return 0;
}
