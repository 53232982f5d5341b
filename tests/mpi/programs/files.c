/* SPDX-License-Identifier: Apache-2.0 */
/* Files: their time and bytes are recorded; the messages inside the file layer are not the program's. Every
 * second block of 10 numbers belongs to each rank: 2000 in all. A read of 200 from number 1900 finds 100 of
 * them. */
/*@ merged collectives=2 messages=0 faults=0 */
/*@ *: Init */
/*@ *: File_open bytes=0 */
/*@ *: File_set_view bytes=0 */
/*@ *: File_write_all bytes=4000 */
/*@ *: File_read_at_all bytes=4000 */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: File_set_view bytes=0 */
/*@ *: File_read_at bytes=400 */
/*@ *: File_iwrite_at bytes=400 req=1 */
/*@ *: Wait done=1:sent */
/*@ *: File_write_at_all_begin bytes=40 */
/*@ *: File_write_at_all_end bytes=0 */
/*@ *: File_sync bytes=0 */
/*@ *: File_close bytes=0 */
/*@ *: Barrier comm=0 bytes=0 recv=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

static int data[1000];

int main(int argc, char** argv) {
  int rank;
  MPI_File file;
  MPI_Datatype strided;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  data[999] = rank;
  MPI_Type_vector(100, 10, 20, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  MPI_File_open(MPI_COMM_WORLD, "file.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_set_view(file, rank * 40, MPI_INT, strided, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, data, 1000, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, 0, data, 1000, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_at(file, 1900, data, 200, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, 0, data, 100, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, 0, data, 10, MPI_INT);
  MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_File_close(&file);
  MPI_Type_free(&strided);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d %d\n", rank, data[99]);
  MPI_Finalize();
  return 0;
}
