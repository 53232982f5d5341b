/* SPDX-License-Identifier: Apache-2.0 */
/* errno after a call is what the library leaves; here the program's own value, which neither library touches.
 */
/*@ ranks 1 */
/*@ count 0: 2000 ^Send */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int value = 1, changed = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 2000; ++i) {
    errno = 77;
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    changed += errno != 77;
  }
  printf("%d\n", changed);
  MPI_Finalize();
  return 0;
}
