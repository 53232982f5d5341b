/* SPDX-License-Identifier: Apache-2.0 */
/* MPI_Abort is in the log of the rank that calls it. */
/*@ ranks 1 */
/*@ status 3 */
/*@ end cut off */
/*@ 0: Init */
/*@ 0: Send comm=0 peer=null tag=1 bytes=0 */
/*@ 0: Abort code=3 */
#include <mpi.h>

int main(int argc, char** argv) {
  int value = 1;
  MPI_Init(&argc, &argv);
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Abort(MPI_COMM_WORLD, 3);
  return 0;
}
