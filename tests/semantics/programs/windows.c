/* SPDX-License-Identifier: Apache-2.0 */
/* One-sided communication: each kind of window, each operation, each way to synchronise. */
/* ranks 3 */
#include "../check.h"

enum { kInts = 16 };

static int next, previous;

static MPI_Win make(int kind, int** memory) {
  static int own[kInts];
  MPI_Win window = MPI_WIN_NULL;
  const MPI_Aint bytes = kInts * sizeof(int);
  *memory = own;
  if (kind == 0) MPI_Win_create(own, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (kind == 1) MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, memory, &window);
  if (kind == 2) MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, memory, &window);
  if (kind == 3) {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, own, bytes);
  }
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  return window;
}

/* Where rank `of` has its element i: dynamic windows are addressed absolutely. */
static MPI_Aint place(int kind, int* memory, int of, int i) {
  MPI_Aint all[3] = {0}, own;
  if (kind != 3) return i;
  MPI_Get_address(memory, &own);
  MPI_Allgather(&own, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
  return all[of] + i * (MPI_Aint)sizeof(int);
}

static void with_fences(const char* name, MPI_Win window, int* memory, int kind) {
  int out[3] = {my_rank, my_rank + 10, my_rank + 20}, in[3] = {-1, -1, -1};
  const MPI_Aint to_next = place(kind, memory, next, 2), of_previous = place(kind, memory, previous, 2);
  fill(memory, kInts, 100 * my_rank);
  int codes = MPI_Win_fence(0, window);
  codes |= MPI_Put(out, 3, MPI_INT, next, to_next, 3, MPI_INT, window);
  codes |= MPI_Win_fence(0, window);
  see(text("%s/put", name), codes == MPI_SUCCESS && memory[2] == previous && memory[4] == previous + 20,
      "%s sum=%u", error_name(codes), checksum(memory, kInts * sizeof(int)));
  codes = MPI_Get(in, 3, MPI_INT, previous, of_previous, 3, MPI_INT, window);
  codes |= MPI_Win_fence(0, window);
  see(text("%s/get", name), codes == MPI_SUCCESS && in[0] == next && in[2] == next + 20, "%s %d %d",
      error_name(codes), in[0], in[2]);
  codes = MPI_Accumulate(out, 3, MPI_INT, next, to_next, 3, MPI_INT, MPI_SUM, window);
  codes |= MPI_Win_fence(0, window);
  see(text("%s/accumulate", name), codes == MPI_SUCCESS && memory[2] == 2 * previous, "%s sum=%u",
      error_name(codes), checksum(memory, kInts * sizeof(int)));
  codes = MPI_Put(out, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
  codes |= MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  see(text("%s/put/null", name), codes == MPI_SUCCESS, "%s", error_name(codes));
}

static void with_groups(const char* name, MPI_Win window, int* memory, int kind) {
  MPI_Group world, origins, targets;
  int flag = 0, out = 40 + my_rank;
  const MPI_Aint to_next = place(kind, memory, next, 7);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &previous, &origins);
  MPI_Group_incl(world, 1, &next, &targets);
  for (int test = 0; test < 2; ++test) {
    int codes = MPI_Win_post(origins, 0, window);
    codes |= MPI_Win_start(targets, 0, window);
    codes |= MPI_Put(&out, 1, MPI_INT, next, to_next, 1, MPI_INT, window);
    codes |= MPI_Win_complete(window);
    if (test) {
      while (!flag && codes == MPI_SUCCESS) codes |= MPI_Win_test(window, &flag);
    } else {
      codes |= MPI_Win_wait(window);
    }
    see(text("%s/%s", name, test ? "test" : "wait"),
        codes == MPI_SUCCESS && memory[7] == 40 + 5 * test + previous, "%s %d flag=%d", error_name(codes),
        memory[7], flag);
    out += 5;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&origins);
  MPI_Group_free(&targets);
}

static void with_locks(const char* name, MPI_Win window, int* memory, int kind) {
  int one = 1, got = -1, compare = 0, swap = 9, old = -1, values[2] = {my_rank, 1}, results[2] = {-1, -1};
  const MPI_Aint counter = place(kind, memory, 0, 0), own = place(kind, memory, my_rank, 4);
  MPI_Request requests[4];
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, my_rank, 0, window);
  memset(memory, 0, kInts * sizeof(int));
  MPI_Win_unlock(my_rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  int codes = MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  codes |= MPI_Fetch_and_op(&one, &got, MPI_INT, 0, counter, MPI_SUM, window);
  codes |= MPI_Win_flush(0, window);
  codes |= MPI_Win_unlock(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  int sum = -1;
  MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  see(text("%s/fetch_and_op", name), codes == MPI_SUCCESS && sum == 3, "%s sum=%d", error_name(codes), sum);
  codes = MPI_Win_lock_all(0, window);
  codes |= MPI_Compare_and_swap(&swap, &compare, &old, MPI_INT, my_rank, own, window);
  codes |= MPI_Win_flush_local(my_rank, window);
  codes |= MPI_Win_flush_all(window);
  see(text("%s/compare_and_swap", name), codes == MPI_SUCCESS && old == 0, "%s %d", error_name(codes), old);
  codes = MPI_Rput(values, 2, MPI_INT, my_rank, own + (kind == 3 ? 4 : 1), 2, MPI_INT, window, &requests[0]);
  codes |= MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  codes |= MPI_Win_flush(my_rank, window);
  codes |=
      MPI_Rget(results, 2, MPI_INT, my_rank, own + (kind == 3 ? 4 : 1), 2, MPI_INT, window, &requests[1]);
  codes |= MPI_Waitall(1, &requests[1], MPI_STATUSES_IGNORE);
  see(text("%s/rput_rget", name),
      codes == MPI_SUCCESS && results[0] == my_rank && results[1] == 1 && requests[0] == MPI_REQUEST_NULL,
      "%s %d %d", error_name(codes), results[0], results[1]);
  codes = MPI_Raccumulate(&one, 1, MPI_INT, my_rank, own, 1, MPI_INT, MPI_SUM, window, &requests[2]);
  codes |= MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  codes |= MPI_Win_flush_local_all(window);
  codes |= MPI_Rget_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, my_rank, own, 1, MPI_INT, MPI_REPLACE,
                               window, &requests[3]);
  codes |= MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
  codes |=
      MPI_Get_accumulate(NULL, 0, MPI_INT, &got, 1, MPI_INT, my_rank, own, 1, MPI_INT, MPI_NO_OP, window);
  codes |= MPI_Win_sync(window);
  codes |= MPI_Win_unlock_all(window);
  see(text("%s/accumulates", name), codes == MPI_SUCCESS && old == 10 && got == 1, "%s %d %d",
      error_name(codes), old, got);
}

static void about(const char* name, MPI_Win window, int kind) {
  int *flavour = NULL, flag = 0, length = 0;
  char label[MPI_MAX_OBJECT_NAME];
  MPI_Group group;
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, (void*)&flavour, &flag);
  MPI_Win_set_name(window, "a window");
  MPI_Win_get_name(window, label, &length);
  MPI_Win_get_group(window, &group);
  int size = -1;
  MPI_Group_size(group, &size);
  MPI_Group_free(&group);
  static const int flavours[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED,
                                 MPI_WIN_FLAVOR_DYNAMIC};
  see(text("%s/about", name),
      flag && *flavour == flavours[kind] && size == 3 && strcmp(label, "a window") == 0,
      "flavour=%d size=%d name=%s", flag ? *flavour : -1, size, label);
}

int main(int argc, char** argv) {
  static const char* const kinds[] = {"create", "allocate", "shared", "dynamic"};
  start_checks(&argc, &argv);
  next = (my_rank + 1) % 3;
  previous = (my_rank + 2) % 3;
  for (int kind = 0; kind < COUNT_OF(kinds); ++kind) {
    int* memory = NULL;
    MPI_Win window = make(kind, &memory);
    about(kinds[kind], window, kind);
    with_fences(kinds[kind], window, memory, kind);
    with_groups(kinds[kind], window, memory, kind);
    with_locks(kinds[kind], window, memory, kind);
    MPI_Barrier(MPI_COMM_WORLD);
    if (kind == 3) MPI_Win_detach(window, memory);
    const int code = MPI_Win_free(&window);
    see(text("%s/free", kinds[kind]), code == MPI_SUCCESS && window == MPI_WIN_NULL, "%s", error_name(code));
  }
  return end_checks();
}
