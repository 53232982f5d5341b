/* SPDX-License-Identifier: Apache-2.0 */
/* Files: each way of reading and writing, what is in the file afterwards, statuses and requests. */
/* ranks 3 */
#include "../check.h"

enum { kBlock = 100 };

static int out[kBlock], in[kBlock];
static MPI_File file;
static int turn;

/* Every write goes to a block of its own turn and rank, and is read back by the next rank. */
static MPI_Offset block_of(int rank) { return (MPI_Offset)sizeof(int) * kBlock * (3 * turn + rank); }

static int finish(int code, MPI_Request* request, MPI_Status* status) {
  return code == MPI_SUCCESS ? MPI_Wait(request, status) : code;
}

static void write_block(int way, MPI_Status* status, int* code) {
  MPI_Request request;
  const MPI_Offset here = block_of(my_rank);
  fill(out, kBlock, 1000 * turn + 100 * my_rank);
  MPI_File_seek(file, here, MPI_SEEK_SET);
  if (way == 0) *code = MPI_File_write(file, out, kBlock, MPI_INT, status);
  if (way == 1) *code = MPI_File_write_at(file, here, out, kBlock, MPI_INT, status);
  if (way == 2) *code = MPI_File_write_all(file, out, kBlock, MPI_INT, status);
  if (way == 3) *code = MPI_File_write_at_all(file, here, out, kBlock, MPI_INT, status);
  if (way == 4) *code = finish(MPI_File_iwrite(file, out, kBlock, MPI_INT, &request), &request, status);
  if (way == 5)
    *code = finish(MPI_File_iwrite_at(file, here, out, kBlock, MPI_INT, &request), &request, status);
  if (way == 6) *code = finish(MPI_File_iwrite_all(file, out, kBlock, MPI_INT, &request), &request, status);
  if (way == 7) {
    *code = MPI_File_write_at_all_begin(file, here, out, kBlock, MPI_INT);
    *code |= MPI_File_write_at_all_end(file, out, status);
  }
  if (way == 8) {
    *code = MPI_File_write_all_begin(file, out, kBlock, MPI_INT);
    *code |= MPI_File_write_all_end(file, out, status);
  }
}

static void read_block(int way, MPI_Status* status, int* code) {
  MPI_Request request;
  const MPI_Offset there = block_of((my_rank + 1) % 3);
  memset(in, 0x44, sizeof in);
  MPI_File_seek(file, there, MPI_SEEK_SET);
  if (way == 0) *code = MPI_File_read(file, in, kBlock, MPI_INT, status);
  if (way == 1) *code = MPI_File_read_at(file, there, in, kBlock, MPI_INT, status);
  if (way == 2) *code = MPI_File_read_all(file, in, kBlock, MPI_INT, status);
  if (way == 3) *code = MPI_File_read_at_all(file, there, in, kBlock, MPI_INT, status);
  if (way == 4) *code = finish(MPI_File_iread(file, in, kBlock, MPI_INT, &request), &request, status);
  if (way == 5)
    *code = finish(MPI_File_iread_at(file, there, in, kBlock, MPI_INT, &request), &request, status);
  if (way == 6) *code = finish(MPI_File_iread_all(file, in, kBlock, MPI_INT, &request), &request, status);
  if (way == 7) {
    *code = MPI_File_read_at_all_begin(file, there, in, kBlock, MPI_INT);
    *code |= MPI_File_read_at_all_end(file, in, status);
  }
  if (way == 8) {
    *code = MPI_File_read_all_begin(file, in, kBlock, MPI_INT);
    *code |= MPI_File_read_all_end(file, in, status);
  }
}

static void ways(int ignore) {
  static const char* const names[] = {"plain", "at",   "all",      "at_all", "i",
                                      "iat",   "iall", "split_at", "split"};
  for (int way = 0; way < COUNT_OF(names); ++way, ++turn) {
    MPI_Status status;
    int code = -1, count = -1;
    blank(&status);
    write_block(way, ignore ? MPI_STATUS_IGNORE : &status, &code);
    if (!ignore) MPI_Get_count(&status, MPI_INT, &count);
    see(text("write/%s/%d", names[way], ignore), code == MPI_SUCCESS && (ignore || count == kBlock),
        "%s count=%d", error_name(code), count);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    blank(&status);
    read_block(way, ignore ? MPI_STATUS_IGNORE : &status, &code);
    if (!ignore) MPI_Get_count(&status, MPI_INT, &count);
    see(text("read/%s/%d", names[way], ignore),
        code == MPI_SUCCESS && (ignore || count == kBlock) &&
            counts_up(in, kBlock, 1000 * turn + 100 * ((my_rank + 1) % 3)),
        "%s count=%d sum=%u", error_name(code), count, checksum(in, sizeof in));
  }
}

/* The shared pointer, in order of ranks; a view; the size and what is behind the end. */
static void pointers(const char* name) {
  MPI_Status status;
  MPI_Offset size = -1, position = -1;
  MPI_Datatype strided;
  int count = -1;
  fill(out, kBlock, 5000 + my_rank);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  int code = MPI_File_write_ordered(file, out, kBlock, MPI_INT, &status);
  MPI_File_get_position_shared(file, &position);
  see("ordered/write", code == MPI_SUCCESS, "%s %lld", error_name(code), (long long)position);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  code = MPI_File_read_ordered(file, in, kBlock, MPI_INT, &status);
  see("ordered/read", code == MPI_SUCCESS && counts_up(in, kBlock, 5000 + my_rank), "%s sum=%u",
      error_name(code), checksum(in, sizeof in));
  MPI_Type_vector(kBlock / 2, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  code = MPI_File_set_view(file, 0, MPI_INT, strided, "native", MPI_INFO_NULL);
  blank(&status);
  code |= MPI_File_read_at(file, 0, in, kBlock / 2, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  see("view", code == MPI_SUCCESS && count == kBlock / 2 && in[1] == 5002, "%s count=%d sum=%u",
      error_name(code), count, checksum(in, sizeof in));
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_get_size(file, &size);
  blank(&status);
  code = MPI_File_read_at(file, size + 100, in, 1, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  see("behind_the_end", code == MPI_SUCCESS && count == 0, "%s count=%d size=%lld", error_name(code), count,
      (long long)size);
  MPI_Type_free(&strided);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (my_rank == 0) {
    code = MPI_File_delete(name, MPI_INFO_NULL);
    see("delete", code == MPI_SUCCESS, "%s", error_name(code));
  }
}

int main(int argc, char** argv) {
  const char* const name = "files.data";
  start_checks(&argc, &argv);
  int mode = -1;
  const int code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_get_amode(file, &mode);
  see("open", code == MPI_SUCCESS && mode == (MPI_MODE_CREATE | MPI_MODE_RDWR), "%s mode=%d",
      error_name(code), mode);
  ways(0);
  ways(1);
  pointers(name);
  return end_checks();
}
