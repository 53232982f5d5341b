/* SPDX-License-Identifier: Apache-2.0 */
/* A callback on MPI_COMM_SELF runs inside MPI_Finalize, and communicates there. */
/*@ *: Init */
/*@ *: Sendrecv comm=0 peer={1-r} tag=1 bytes=4 from={1-r} rtag=1 room=4 got={1-r}/1/4 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

static int rank;

static int at_end(MPI_Comm comm, int key, void* value, void* extra) {
  int other = -1;
  (void)comm, (void)key, (void)value, (void)extra;
  MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &other, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  printf("rank %d met %d\n", rank, other);
  fflush(stdout);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int key;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Finalize();
  return 0;
}
