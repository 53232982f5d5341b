/* SPDX-License-Identifier: Apache-2.0 */
/* Partitioned communication (MPI 4.0): 8 partitions of 2 numbers, made ready one by one, as a range, as a
 * list; two rounds. Libraries before that version have nothing to record. */
/*@ merged@mpich messages=2 message_bytes=128 faults=0 */
/*@ merged@openmpi messages=0 faults=0 */
/*@ *: Init */
/*@ 0@mpich: Psend_init comm=0 peer=1 tag=3 bytes=64 req=1 */
/*@ 1@mpich: Precv_init comm=0 peer=0 tag=3 bytes=64 req=1 */
/*@ *@mpich: Start reqs=1 */
/*@ 0@mpich: Pready req=1 bytes=8 */
/*@ 0@mpich: Pready_range req=1 bytes=24 */
/*@ 0@mpich: Pready_list req=1 bytes=32 */
/*@ 0@mpich: Wait done=1:sent */
/*@ 1@mpich: Wait done=1:0/3/64 */
/*@ *@mpich: Start reqs=1 */
/*@ 0@mpich: Pready_range req=1 bytes=64 */
/*@ 0@mpich: Wait done=1:sent */
/*@ 1@mpich: Parrived */
/*@ 1@mpich: Wait done=1:0/3/64 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, data[16];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 16; ++i) data[i] = rank == 0 ? i : 0;
#if MPI_VERSION >= 4
  int list[4] = {7, 4, 6, 5}, flag = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Psend_init(data, 8, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(0, request);
    MPI_Pready_range(1, 3, request);
    MPI_Pready_list(4, list, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Start(&request);
    MPI_Pready_range(0, 7, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  } else {
    MPI_Precv_init(data, 8, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Start(&request);
    while (!flag) MPI_Parrived(request, 5, &flag);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
#endif
  printf("rank %d %d\n", rank, data[15] == 15 || rank == 1);
  MPI_Finalize();
  return 0;
}
