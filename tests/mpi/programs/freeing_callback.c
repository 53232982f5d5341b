/* SPDX-License-Identifier: Apache-2.0 */
/* A library that keeps a communicator of its own as an attribute of the program's frees it in the attribute's
 * callback: inside the program's MPI_Comm_free, where it is recorded like any other call. */
/*@ *: Init */
/*@ *: Comm_dup comm=0 new=2 members=0+1x2 */
/*@ *: Comm_dup comm=2 new=3 members=0+1x2 */
/*@ *: Barrier comm=3 bytes=0 recv=0 */
/*@ *: Barrier comm=2 bytes=0 recv=0 */
/*@ *: Barrier comm=3 bytes=0 recv=0 */
/*@ *: Comm_free comm=3 */
/*@ *: Comm_free comm=2 */
/*@ *: Comm_dup comm=0 new=4 members=0+1x2 */
/*@ *: Barrier comm=4 bytes=0 recv=0 */
/*@ *: Comm_free comm=4 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

static int calls;

static int free_inner(MPI_Comm comm, int key, void* value, void* state) {
  (void)key;
  (void)state;
  ++calls;
  MPI_Barrier(comm);
  MPI_Barrier(*(MPI_Comm*)value);
  return MPI_Comm_free(value);
}

int main(int argc, char** argv) {
  int key;
  MPI_Comm outer, inner, next;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_inner, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &outer);
  MPI_Comm_dup(outer, &inner);
  MPI_Comm_set_attr(outer, key, &inner);
  MPI_Barrier(inner);
  MPI_Comm_free(&outer);
  MPI_Comm_dup(MPI_COMM_WORLD, &next);
  MPI_Barrier(next);
  MPI_Comm_free(&next);
  MPI_Comm_free_keyval(&key);
  printf("%d\n", calls);
  MPI_Finalize();
  return 0;
}
