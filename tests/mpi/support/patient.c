/* SPDX-License-Identifier: Apache-2.0 */
/* Sends until it is ended from outside; `patient FILE`: rank 0 first writes its process id there. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 6000; ++round) {
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (round == 10 && rank == 0 && argc > 1) {
      FILE* file = fopen(argv[1], "w");
      fprintf(file, "%d\n", (int)getpid());
      fclose(file);
    }
    usleep(10000);
  }
  MPI_Finalize();
  return 0;
}
