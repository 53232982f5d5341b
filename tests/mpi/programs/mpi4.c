/* SPDX-License-Identifier: Apache-2.0 */
/* What MPI 4.0 adds: large counts of every kind, and Isendrecv (logged as a send and a receive that complete
 * together). Libraries before that version have one plain exchange instead. */
/*@ *: Init */
/*@ *@openmpi: Sendrecv comm=0 peer={1-r} tag=1 bytes=4 from={1-r} rtag=1 room=4 got={1-r}/1/4 */
/*@ 0@mpich: Send_c comm=0 peer=1 tag=5 bytes=8 */
/*@ 1@mpich: Recv_c comm=0 peer=0 tag=5 bytes=8 got=0/5/8 */
/*@ *@mpich: Allgatherv_c comm=0 bytes={4*(r+1)} recv=12 sizes=4,8 */
/*@ *@mpich: Isendrecv comm=0 peer={1-r} tag=1 bytes=4 req=1 */
/*@ *@mpich: Isendrecv comm=0 peer={1-r} tag=1 bytes=4 req=2 */
/*@ *@mpich: Wait done=1:sent done=2:{1-r}/1/4 */
/*@ *@mpich: Win_create_c comm=0 win=1 bytes=16 */
/*@ *@mpich: Win_fence comm=0 win=1 */
/*@ *@mpich: Put_c comm=0 win=1 target={1-r} bytes=8 recv=0 */
/*@ *@mpich: Win_fence comm=0 win=1 */
/*@ *@mpich: Win_free comm=0 win=1 */
/*@ *@mpich: Bcast_init_c comm=0 root=1 bytes={12*r} recv={12*(1-r)} req=3 */
/*@ *@mpich: Start reqs=3 */
/*@ *@mpich: Wait done=3:sent */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, in = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  int data[4] = {0};
  const MPI_Count counts[2] = {1, 2};
  const MPI_Aint displs[2] = {0, 1};
  MPI_Request request;
  if (rank == 0) MPI_Send_c(data, (MPI_Count)2, MPI_INT, 1, 5, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv_c(data, (MPI_Count)2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int own[2] = {rank, rank};
  MPI_Allgatherv_c(own, rank + 1, MPI_INT, data, counts, displs, MPI_INT, MPI_COMM_WORLD);
  MPI_Isendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win win;
  MPI_Win_create_c(data, (MPI_Aint)16, (MPI_Aint)4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put_c(own, (MPI_Count)2, MPI_INT, 1 - rank, 0, (MPI_Count)2, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Bcast_init_c(data, (MPI_Count)3, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
#else
  MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#endif
  printf("rank %d %d\n", rank, in);
  MPI_Finalize();
  return 0;
}
