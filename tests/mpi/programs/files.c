/* SPDX-License-Identifier: Apache-2.0 */
/* The messages inside the file layer are not the program's. */
/*@ *: Init */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

static int data[1000];

int main(int argc, char** argv) {
  int rank;
  MPI_File file;
  MPI_Datatype strided;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_vector(100, 10, 20, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  MPI_File_open(MPI_COMM_WORLD, "file.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_set_view(file, rank * 40, MPI_INT, strided, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, data, 1000, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, 0, data, 1000, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&strided);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d %d\n", rank, data[999]);
  MPI_Finalize();
  return 0;
}
