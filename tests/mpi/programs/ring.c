/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of blocking calls, started by rank 0. */
/*@ ranks 3 */
/*@ *: Init */
/*@ 0: Send comm=0 peer=1 tag=5 bytes=40 */
/*@ *: Recv comm=0 peer={(r+n-1)%n} tag=5 bytes=80 got={(r+n-1)%n}/5/40 */
/*@ 1: Send comm=0 peer=2 tag=5 bytes=40 */
/*@ 2: Send comm=0 peer=0 tag=5 bytes=40 */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, token[20] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) MPI_Send(token, 10, MPI_INT, 1, 5, MPI_COMM_WORLD);
  MPI_Recv(token, 20, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  token[0]++;
  if (rank != 0) MPI_Send(token, 10, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
  if (rank == 0) printf("hops %d\n", token[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
