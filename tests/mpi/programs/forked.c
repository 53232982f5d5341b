/* SPDX-License-Identifier: Apache-2.0 */
/* A forked child that ends through exit() does not touch its parent's log. */
/*@ ranks 1 */
/*@ 0: Init */
/*@ 0: Isend comm=1 peer=0 tag=1 bytes=4 req=1 */
/*@ 0: Recv comm=1 peer=0 tag=1 bytes=4 got=0/1/4 */
/*@ 0: Wait done=1:sent */
/*@ 0: Finalize */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int value = 1, in = 0, status = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Isend(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  const pid_t child = fork();
  if (child == 0) _exit(MPI_SUCCESS == 0 ? 9 : 1);
  waitpid(child, &status, 0);
  MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("%d %d\n", WEXITSTATUS(status), in);
  MPI_Finalize();
  return 0;
}
