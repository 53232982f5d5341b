/* SPDX-License-Identifier: Apache-2.0 */
/* Completion calls on null requests: MPI_UNDEFINED as index and outcount, and no event. */
/*@ ranks 1 */
/*@ 0: Init */
/*@ 0: Isend comm=1 peer=0 tag=1 bytes=4 req=1 */
/*@ 0: Recv comm=1 peer=0 tag=1 bytes=4 got=0/1/4 */
/*@ 0: Waitany done=1:sent */
/*@ 0: Finalize */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int index = 0, flag = 0, outcount = 0, indices[3], value = 1, in = 0;
  MPI_Request r[3] = {0};
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) r[i] = MPI_REQUEST_NULL;
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
  MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
  printf("Waitany %d\n", index == MPI_UNDEFINED);
  MPI_Testany(3, r, &index, &flag, MPI_STATUS_IGNORE);
  printf("Testany %d %d\n", index == MPI_UNDEFINED, flag);
  MPI_Waitsome(3, r, &outcount, indices, MPI_STATUSES_IGNORE);
  printf("Waitsome %d\n", outcount == MPI_UNDEFINED);
  MPI_Testsome(3, r, &outcount, indices, MPI_STATUSES_IGNORE);
  printf("Testsome %d\n", outcount == MPI_UNDEFINED);
  MPI_Testall(3, r, &flag, MPI_STATUSES_IGNORE);
  MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  MPI_Isend(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r[1]);
  MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
  printf("%d %d\n", index, flag);
  MPI_Finalize();
  return 0;
}
