/* SPDX-License-Identifier: Apache-2.0 */
/* A program that calls functions which look like those of MPI and are none the recorder knows; it gets them
 * from a library (compiled from this file with AS_LIBRARY). */
#include <mpi.h>
#include <stdio.h>

int MPI_Unheard_of(int value);
int PMPIX_Unheard_too(int value);

#ifdef AS_LIBRARY
int MPI_Unheard_of(int value) { return value + 1; }
int PMPIX_Unheard_too(int value) { return value + 2; }
#else
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int value = MPI_Unheard_of(1) + PMPIX_Unheard_too(2);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d\n", value);
  MPI_Finalize();
  return 0;
}
#endif
