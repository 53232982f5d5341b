/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail under MPI_ERRORS_RETURN are not events, but for a receive that took a message it had no
 * room for; their return codes are the library's. */
/*@ ranks 1 */
/*@ 0: Init */
/*@ 0: Isend comm=1 peer=0 tag=1 bytes=4 req=1 */
/*@ 0: Recv comm=1 peer=0 tag=1 bytes=0 got=0/1/0 */
/*@ 0: Wait done=1:sent */
/*@ 0: Finalize */
#include <mpi.h>
#include <stdio.h>

static void print_class(const char* what, int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  printf("%s %d\n", what,
         class == MPI_SUCCESS        ? 0
         : class == MPI_ERR_RANK     ? 1
         : class == MPI_ERR_TRUNCATE ? 2
                                     : 3);
}

int main(int argc, char** argv) {
  int value[2] = {1, 2}, in = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  print_class("send", MPI_Send(value, 1, MPI_INT, 99, 1, MPI_COMM_WORLD));
  print_class("bcast", MPI_Bcast(value, 1, MPI_INT, 99, MPI_COMM_WORLD));
  MPI_Request request;
  MPI_Isend(value, 1, MPI_INT, 99, 1, MPI_COMM_WORLD, &request);
  MPI_Isend(value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  print_class("recv", MPI_Recv(&in, 0, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
