/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbourhood collectives with large counts (MPI 4.0) on a ring of 3: blocking, non-blocking, persistent.
 * Libraries before that version make only the ring. */
/* In the trace: the ring's creation; 3 times 5 calls in which each of 3 ranks sends to 2 neighbours, 2 * 8, 2
 * * 8, 2 * 8, 4 + 8 and 4 + 8 bytes. */
/*@ ranks 3 */
/*@ merged@mpich collectives=1 messages=90 message_bytes=648 faults=0 */
/*@ *: Init */
/*@ *: Cart_create comm=0 new=2 members=0+1x3 in={(r+2)%3},{(r+1)%3} out={(r+2)%3},{(r+1)%3} */
/*@ *@mpich: Neighbor_allgather_c comm=2 bytes=8 recv=16 */
/*@ *@mpich: Neighbor_allgatherv_c comm=2 bytes=8 recv=16 */
/*@ *@mpich: Neighbor_alltoall_c comm=2 bytes=16 recv=16 */
/*@ *@mpich: Neighbor_alltoallv_c comm=2 bytes=12 recv=12 sizes=4,8 */
/*@ *@mpich: Neighbor_alltoallw_c comm=2 bytes=12 recv=12 sizes=4,8 */
/*@ *@mpich: Ineighbor_allgather_c comm=2 bytes=8 recv=16 req=1 */
/*@ *@mpich: Ineighbor_allgatherv_c comm=2 bytes=8 recv=16 req=2 */
/*@ *@mpich: Ineighbor_alltoall_c comm=2 bytes=16 recv=16 req=3 */
/*@ *@mpich: Ineighbor_alltoallv_c comm=2 bytes=12 recv=12 sizes=4,8 req=4 */
/*@ *@mpich: Ineighbor_alltoallw_c comm=2 bytes=12 recv=12 sizes=4,8 req=5 */
/*@ *@mpich: Waitall done=1:sent done=2:sent done=3:sent done=4:sent done=5:sent */
/*@ *@mpich: Neighbor_allgather_init_c comm=2 bytes=8 recv=16 req=6 */
/*@ *@mpich: Neighbor_allgatherv_init_c comm=2 bytes=8 recv=16 req=7 */
/*@ *@mpich: Neighbor_alltoall_init_c comm=2 bytes=16 recv=16 req=8 */
/*@ *@mpich: Neighbor_alltoallv_init_c comm=2 bytes=12 recv=12 sizes=4,8 req=9 */
/*@ *@mpich: Neighbor_alltoallw_init_c comm=2 bytes=12 recv=12 sizes=4,8 req=10 */
/*@ *@mpich: Startall reqs=6,7,8,9,10 */
/*@ *@mpich: Waitall done=6:sent done=7:sent done=8:sent done=9:sent done=10:sent */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4
/* To the lower neighbour 1 number, to the upper 2: so 2 come from the lower, and 1 from the upper. */
static const MPI_Count kTwos[2] = {2, 2}, kSent[2] = {1, 2}, kReceived[2] = {2, 1};
static const MPI_Aint kPlaces[2] = {0, 2}, kBytePlaces[2] = {0, 8};
static int in[16], out[16];

#define COLLECTIVES(DO)                                                                                      \
  DO(Neighbor_allgather, Ineighbor_allgather, out, 2, MPI_INT, in, 2, MPI_INT, ring)                         \
  DO(Neighbor_allgatherv, Ineighbor_allgatherv, out, 2, MPI_INT, in, kTwos, kPlaces, MPI_INT, ring)          \
  DO(Neighbor_alltoall, Ineighbor_alltoall, out, 2, MPI_INT, in, 2, MPI_INT, ring)                           \
  DO(Neighbor_alltoallv, Ineighbor_alltoallv, out, kSent, kPlaces, MPI_INT, in, kReceived, kPlaces, MPI_INT, \
     ring)                                                                                                   \
  DO(Neighbor_alltoallw, Ineighbor_alltoallw, out, kSent, kBytePlaces, types, in, kReceived, kBytePlaces,    \
     types, ring)
#include "large_counts.inc"

static void run(MPI_Comm ring) {
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request requests[5];
  CALL_EACH_WAY(COLLECTIVES)
}
#endif

int main(int argc, char** argv) {
  int rank;
  const int extents[1] = {3}, closed[1] = {1};
  MPI_Comm ring;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Cart_create(MPI_COMM_WORLD, 1, extents, closed, 0, &ring);
#if MPI_VERSION >= 4
  for (int i = 0; i < 16; ++i) out[i] = 16 * rank + i;
  run(ring);
  printf("rank %d %d %d\n", rank, in[0], in[1]);
#endif
  MPI_Finalize();
  return 0;
}
