/* SPDX-License-Identifier: Apache-2.0 */
/* Every collective with large counts (MPI 4.0): blocking, non-blocking, persistent. Libraries before that
 * version have nothing to record. Blocks of rank i are i+1 ints in the vector forms: 4 and 8 bytes. */
/* In the trace, three times: 12 operations, 2 for each of the two reduce-scatters, a message for each scan.
 */
/*@ merged@mpich collectives=48 messages=6 message_bytes=120 faults=0 */
/*@ *: Init */
/*@ *@mpich: Bcast_c comm=0 root=1 bytes={20*r} recv={20*(1-r)} */
/*@ *@mpich: Reduce_c comm=0 root=1 bytes={20*(1-r)} recv={20*r} */
/*@ *@mpich: Allreduce_c comm=0 bytes=20 recv=20 */
/*@ *@mpich: Gather_c comm=0 root=1 bytes=8 recv={16*r} */
/*@ 0@mpich: Gatherv_c comm=0 root=1 bytes=4 recv=0 */
/*@ 1@mpich: Gatherv_c comm=0 root=1 bytes=8 recv=12 sizes=4,8 */
/*@ *@mpich: Scatter_c comm=0 root=1 bytes={16*r} recv=8 */
/*@ 0@mpich: Scatterv_c comm=0 root=1 bytes=0 recv=4 */
/*@ 1@mpich: Scatterv_c comm=0 root=1 bytes=12 recv=8 sizes=4,8 */
/*@ *@mpich: Allgather_c comm=0 bytes=8 recv=16 */
/*@ *@mpich: Allgatherv_c comm=0 bytes={4*(r+1)} recv=12 sizes=4,8 */
/*@ *@mpich: Alltoall_c comm=0 bytes=8 recv=8 */
/*@ *@mpich: Alltoallv_c comm=0 bytes=12 recv={8*(r+1)} sizes=4,8 */
/*@ *@mpich: Alltoallw_c comm=0 bytes=12 recv={8*(r+1)} sizes=4,8 */
/*@ *@mpich: Reduce_scatter_c comm=0 bytes=12 recv={4*(r+1)} sizes=4,8 */
/*@ *@mpich: Reduce_scatter_block_c comm=0 bytes=16 recv=8 */
/*@ *@mpich: Scan_c comm=0 bytes=20 recv=20 */
/*@ *@mpich: Exscan_c comm=0 bytes=20 recv=20 */
/*@ *@mpich: Ibcast_c comm=0 root=1 bytes={20*r} recv={20*(1-r)} req=1 */
/*@ *@mpich: Ireduce_c comm=0 root=1 bytes={20*(1-r)} recv={20*r} req=2 */
/*@ *@mpich: Iallreduce_c comm=0 bytes=20 recv=20 req=3 */
/*@ *@mpich: Igather_c comm=0 root=1 bytes=8 recv={16*r} req=4 */
/*@ 0@mpich: Igatherv_c comm=0 root=1 bytes=4 recv=0 req=5 */
/*@ 1@mpich: Igatherv_c comm=0 root=1 bytes=8 recv=12 sizes=4,8 req=5 */
/*@ *@mpich: Iscatter_c comm=0 root=1 bytes={16*r} recv=8 req=6 */
/*@ 0@mpich: Iscatterv_c comm=0 root=1 bytes=0 recv=4 req=7 */
/*@ 1@mpich: Iscatterv_c comm=0 root=1 bytes=12 recv=8 sizes=4,8 req=7 */
/*@ *@mpich: Iallgather_c comm=0 bytes=8 recv=16 req=8 */
/*@ *@mpich: Iallgatherv_c comm=0 bytes={4*(r+1)} recv=12 sizes=4,8 req=9 */
/*@ *@mpich: Ialltoall_c comm=0 bytes=8 recv=8 req=10 */
/*@ *@mpich: Ialltoallv_c comm=0 bytes=12 recv={8*(r+1)} sizes=4,8 req=11 */
/*@ *@mpich: Ialltoallw_c comm=0 bytes=12 recv={8*(r+1)} sizes=4,8 req=12 */
/*@ *@mpich: Ireduce_scatter_c comm=0 bytes=12 recv={4*(r+1)} sizes=4,8 req=13 */
/*@ *@mpich: Ireduce_scatter_block_c comm=0 bytes=16 recv=8 req=14 */
/*@ *@mpich: Iscan_c comm=0 bytes=20 recv=20 req=15 */
/*@ *@mpich: Iexscan_c comm=0 bytes=20 recv=20 req=16 */
/*@ *@mpich: Waitall done=1:sent done=2:sent done=3:sent done=4:sent done=5:sent done=6:sent done=7:sent
 * done=8:sent done=9:sent done=10:sent done=11:sent done=12:sent done=13:sent done=14:sent done=15:sent
 * done=16:sent */
/*@ *@mpich: Bcast_init_c comm=0 root=1 bytes={20*r} recv={20*(1-r)} req=17 */
/*@ *@mpich: Reduce_init_c comm=0 root=1 bytes={20*(1-r)} recv={20*r} req=18 */
/*@ *@mpich: Allreduce_init_c comm=0 bytes=20 recv=20 req=19 */
/*@ *@mpich: Gather_init_c comm=0 root=1 bytes=8 recv={16*r} req=20 */
/*@ 0@mpich: Gatherv_init_c comm=0 root=1 bytes=4 recv=0 req=21 */
/*@ 1@mpich: Gatherv_init_c comm=0 root=1 bytes=8 recv=12 sizes=4,8 req=21 */
/*@ *@mpich: Scatter_init_c comm=0 root=1 bytes={16*r} recv=8 req=22 */
/*@ 0@mpich: Scatterv_init_c comm=0 root=1 bytes=0 recv=4 req=23 */
/*@ 1@mpich: Scatterv_init_c comm=0 root=1 bytes=12 recv=8 sizes=4,8 req=23 */
/*@ *@mpich: Allgather_init_c comm=0 bytes=8 recv=16 req=24 */
/*@ *@mpich: Allgatherv_init_c comm=0 bytes={4*(r+1)} recv=12 sizes=4,8 req=25 */
/*@ *@mpich: Alltoall_init_c comm=0 bytes=8 recv=8 req=26 */
/*@ *@mpich: Alltoallv_init_c comm=0 bytes=12 recv={8*(r+1)} sizes=4,8 req=27 */
/*@ *@mpich: Alltoallw_init_c comm=0 bytes=12 recv={8*(r+1)} sizes=4,8 req=28 */
/*@ *@mpich: Reduce_scatter_init_c comm=0 bytes=12 recv={4*(r+1)} sizes=4,8 req=29 */
/*@ *@mpich: Reduce_scatter_block_init_c comm=0 bytes=16 recv=8 req=30 */
/*@ *@mpich: Scan_init_c comm=0 bytes=20 recv=20 req=31 */
/*@ *@mpich: Exscan_init_c comm=0 bytes=20 recv=20 req=32 */
/*@ *@mpich: Startall reqs=17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32 */
/*@ *@mpich: Waitall done=17:sent done=18:sent done=19:sent done=20:sent done=21:sent done=22:sent
 * done=23:sent done=24:sent done=25:sent done=26:sent done=27:sent done=28:sent done=29:sent done=30:sent
 * done=31:sent done=32:sent */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4
static const MPI_Count kOfRanks[2] = {1, 2};
static const MPI_Aint kPlaces[2] = {0, 1}, kBytePlaces[2] = {0, 4};
static const MPI_Aint kTwos[2] = {0, 2}, kByteTwos[2] = {0, 8};
static int in[64], out[64];

#define COLLECTIVES(DO)                                                                          \
  DO(Bcast, Ibcast, out, 5, MPI_INT, 1, comm)                                                    \
  DO(Reduce, Ireduce, out, in, 5, MPI_INT, MPI_SUM, 1, comm)                                     \
  DO(Allreduce, Iallreduce, out, in, 5, MPI_INT, MPI_SUM, comm)                                  \
  DO(Gather, Igather, out, 2, MPI_INT, in, 2, MPI_INT, 1, comm)                                  \
  DO(Gatherv, Igatherv, out, mine, MPI_INT, in, kOfRanks, kPlaces, MPI_INT, 1, comm)             \
  DO(Scatter, Iscatter, out, 2, MPI_INT, in, 2, MPI_INT, 1, comm)                                \
  DO(Scatterv, Iscatterv, out, kOfRanks, kPlaces, MPI_INT, in, mine, MPI_INT, 1, comm)           \
  DO(Allgather, Iallgather, out, 2, MPI_INT, in, 2, MPI_INT, comm)                               \
  DO(Allgatherv, Iallgatherv, out, mine, MPI_INT, in, kOfRanks, kPlaces, MPI_INT, comm)          \
  DO(Alltoall, Ialltoall, out, 2, MPI_INT, in, 2, MPI_INT, comm)                                 \
  DO(Alltoallv, Ialltoallv, out, kOfRanks, kPlaces, MPI_INT, in, same, kTwos, MPI_INT, comm)     \
  DO(Alltoallw, Ialltoallw, out, kOfRanks, kBytePlaces, types, in, same, kByteTwos, types, comm) \
  DO(Reduce_scatter, Ireduce_scatter, out, in, kOfRanks, MPI_INT, MPI_SUM, comm)                 \
  DO(Reduce_scatter_block, Ireduce_scatter_block, out, in, 2, MPI_INT, MPI_SUM, comm)            \
  DO(Scan, Iscan, out, in, 5, MPI_INT, MPI_SUM, comm)                                            \
  DO(Exscan, Iexscan, out, in, 5, MPI_INT, MPI_SUM, comm)
#include "large_counts.inc"

static void run(int rank) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const MPI_Count mine = rank + 1, same[2] = {mine, mine};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request requests[16];
  CALL_EACH_WAY(COLLECTIVES)
}
#endif

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  for (int i = 0; i < 64; ++i) out[i] = i;
  run(rank);
#endif
  printf("rank %d\n", rank);
  MPI_Finalize();
  return 0;
}
