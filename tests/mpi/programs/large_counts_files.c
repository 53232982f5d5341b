/* SPDX-License-Identifier: Apache-2.0 */
/* Files with large counts (MPI 4.0): every read and write, at an offset, at the rank's own pointer and at the
 * shared one. Libraries before that version have nothing to record. */
/* Each call is for 10 numbers (40 bytes); the split collectives tell them where they begin. All that is read
 * was written before. */
/*@ merged messages=0 collectives=0 faults=0 */
/*@ *: Init */
/*@ *@mpich: File_open bytes=0 */
/*@ *@mpich: File_write_at_c bytes=40 */
/*@ *@mpich: File_write_at_all_c bytes=40 */
/*@ *@mpich: File_iwrite_at_c bytes=40 req=1 */
/*@ *@mpich: Wait done=1:sent */
/*@ *@mpich: File_iwrite_at_all_c bytes=40 req=2 */
/*@ *@mpich: Wait done=2:sent */
/*@ *@mpich: File_write_at_all_begin_c bytes=40 */
/*@ *@mpich: File_write_at_all_end bytes=0 */
/*@ *@mpich: File_read_at_c bytes=40 */
/*@ *@mpich: File_read_at_all_c bytes=40 */
/*@ *@mpich: File_iread_at_c bytes=40 req=3 */
/*@ *@mpich: Wait done=3:sent */
/*@ *@mpich: File_iread_at_all_c bytes=40 req=4 */
/*@ *@mpich: Wait done=4:sent */
/*@ *@mpich: File_read_at_all_begin_c bytes=40 */
/*@ *@mpich: File_read_at_all_end bytes=0 */
/*@ *@mpich: File_seek bytes=0 */
/*@ *@mpich: File_write_c bytes=40 */
/*@ *@mpich: File_write_all_c bytes=40 */
/*@ *@mpich: File_iwrite_c bytes=40 req=5 */
/*@ *@mpich: Wait done=5:sent */
/*@ *@mpich: File_iwrite_all_c bytes=40 req=6 */
/*@ *@mpich: Wait done=6:sent */
/*@ *@mpich: File_write_all_begin_c bytes=40 */
/*@ *@mpich: File_write_all_end bytes=0 */
/*@ *@mpich: File_seek bytes=0 */
/*@ *@mpich: File_read_c bytes=40 */
/*@ *@mpich: File_read_all_c bytes=40 */
/*@ *@mpich: File_iread_c bytes=40 req=7 */
/*@ *@mpich: Wait done=7:sent */
/*@ *@mpich: File_iread_all_c bytes=40 req=8 */
/*@ *@mpich: Wait done=8:sent */
/*@ *@mpich: File_read_all_begin_c bytes=40 */
/*@ *@mpich: File_read_all_end bytes=0 */
/*@ *@mpich: File_seek_shared bytes=0 */
/*@ *@mpich: File_write_shared_c bytes=40 */
/*@ *@mpich: File_iwrite_shared_c bytes=40 req=9 */
/*@ *@mpich: Wait done=9:sent */
/*@ *@mpich: File_write_ordered_c bytes=40 */
/*@ *@mpich: File_write_ordered_begin_c bytes=40 */
/*@ *@mpich: File_write_ordered_end bytes=0 */
/*@ *@mpich: File_seek_shared bytes=0 */
/*@ *@mpich: File_read_shared_c bytes=40 */
/*@ *@mpich: File_iread_shared_c bytes=40 req=10 */
/*@ *@mpich: Wait done=10:sent */
/*@ *@mpich: File_read_ordered_c bytes=40 */
/*@ *@mpich: File_read_ordered_begin_c bytes=40 */
/*@ *@mpich: File_read_ordered_end bytes=0 */
/*@ *@mpich: File_close bytes=0 */
/*@ *: Finalize */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4
static const MPI_Count kTen = 10;
static int data[10];

#define AT_OFFSET(verb)                                                           \
  static void verb##_at_offset(MPI_File file, MPI_Offset at) {                    \
    MPI_Request request;                                                          \
    MPI_File_##verb##_at_c(file, at, data, kTen, MPI_INT, MPI_STATUS_IGNORE);     \
    MPI_File_##verb##_at_all_c(file, at, data, kTen, MPI_INT, MPI_STATUS_IGNORE); \
    MPI_File_i##verb##_at_c(file, at, data, kTen, MPI_INT, &request);             \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                        \
    MPI_File_i##verb##_at_all_c(file, at, data, kTen, MPI_INT, &request);         \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                        \
    MPI_File_##verb##_at_all_begin_c(file, at, data, kTen, MPI_INT);              \
    MPI_File_##verb##_at_all_end(file, data, MPI_STATUS_IGNORE);                  \
  }
AT_OFFSET(write)
AT_OFFSET(read)

#define AT_POINTER(verb)                                                   \
  static void verb##_at_pointer(MPI_File file) {                           \
    MPI_Request request;                                                   \
    MPI_File_seek(file, 0, MPI_SEEK_SET);                                  \
    MPI_File_##verb##_c(file, data, kTen, MPI_INT, MPI_STATUS_IGNORE);     \
    MPI_File_##verb##_all_c(file, data, kTen, MPI_INT, MPI_STATUS_IGNORE); \
    MPI_File_i##verb##_c(file, data, kTen, MPI_INT, &request);             \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                 \
    MPI_File_i##verb##_all_c(file, data, kTen, MPI_INT, &request);         \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                 \
    MPI_File_##verb##_all_begin_c(file, data, kTen, MPI_INT);              \
    MPI_File_##verb##_all_end(file, data, MPI_STATUS_IGNORE);              \
  }
AT_POINTER(write)
AT_POINTER(read)

#define AT_SHARED(verb)                                                        \
  static void verb##_at_shared(MPI_File file) {                                \
    MPI_Request request;                                                       \
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);                               \
    MPI_File_##verb##_shared_c(file, data, kTen, MPI_INT, MPI_STATUS_IGNORE);  \
    MPI_File_i##verb##_shared_c(file, data, kTen, MPI_INT, &request);          \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                     \
    MPI_File_##verb##_ordered_c(file, data, kTen, MPI_INT, MPI_STATUS_IGNORE); \
    MPI_File_##verb##_ordered_begin_c(file, data, kTen, MPI_INT);              \
    MPI_File_##verb##_ordered_end(file, data, MPI_STATUS_IGNORE);              \
  }
AT_SHARED(write)
AT_SHARED(read)

static void with_a_file(int rank) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "large_counts.data",
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  write_at_offset(file, rank * 40);
  read_at_offset(file, rank * 40);
  write_at_pointer(file);
  read_at_pointer(file);
  write_at_shared(file);
  read_at_shared(file);
  MPI_File_close(&file);
}
#endif

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  with_a_file(rank);
#endif
  printf("rank %d\n", rank);
  MPI_Finalize();
  return 0;
}
