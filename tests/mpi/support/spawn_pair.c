/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes spawn two more; the roots on both sides exchange a value. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm parent, other;
  int rank, value = 7;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 0, 3, other);
  } else {
    other = parent;
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 0, 3, other, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}
