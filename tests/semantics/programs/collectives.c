/* SPDX-License-Identifier: Apache-2.0 */
/* Each collective, blocking and non-blocking, over several communicators and sizes; values derived from
 * ranks. */
/* ranks 4 */
#include "../check.h"

enum { kMost = 3000, kRanks = 4 };

/* Rank r's element i is 1000 * r + i: every result follows from that. */
static int out[kRanks * kMost], in[kRanks * kMost];
static MPI_Comm comm;
static int rank, size;
static const char* comm_name;

static int value(int owner, int i) { return 1000 * owner + i; }

static void fill_own(int* values, int count) { fill(values, count, 1000 * rank); }

static void reset(void) {
  memset(in, 0x55, sizeof in);
  memset(out, 0x33, sizeof out);
}

/* Waits if there is something to wait for; what the call said. */
static int finish(int code, MPI_Request* request, int immediate) {
  if (!immediate || code != MPI_SUCCESS) return code;
  code = MPI_Wait(request, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS && *request != MPI_REQUEST_NULL ? MPI_ERR_REQUEST : code;
}

static void report(const char* name, int immediate, int count, int code, int right) {
  see(text("%s/%s%s/%d", comm_name, immediate ? "i" : "", name, count), code == MPI_SUCCESS && right,
      "%s sum=%u", error_name(code), checksum(in, sizeof in));
}

static void one_to_all(int immediate, int count) {
  for (int root = 0; root < size; root += 2) {
    MPI_Request request;
    reset();
    if (rank == root) fill_own(in, count);
    int code = immediate ? MPI_Ibcast(in, count, MPI_INT, root, comm, &request)
                         : MPI_Bcast(in, count, MPI_INT, root, comm);
    code = finish(code, &request, immediate);
    report(text("bcast/%d", root), immediate, count, code, counts_up(in, count, value(root, 0)));
    for (int place = 0; place < 2; ++place) { /* in place at the root, then not */
      reset();
      for (int r = 0; rank == root && r < size; ++r) fill(out + r * count, count, value(r, 7));
      void* to = place == 0 && rank == root ? MPI_IN_PLACE : in;
      code = immediate ? MPI_Iscatter(out, count, MPI_INT, to, count, MPI_INT, root, comm, &request)
                       : MPI_Scatter(out, count, MPI_INT, to, count, MPI_INT, root, comm);
      code = finish(code, &request, immediate);
      report(text("scatter/%d/%d", root, place), immediate, count, code,
             to == MPI_IN_PLACE || counts_up(in, count, value(rank, 7)));
    }
  }
}

static void all_to_one(int immediate, int count) {
  for (int root = 0; root < size; root += 2) {
    for (int place = 0; place < 2; ++place) {
      MPI_Request request;
      reset();
      const int own = place == 0 && rank == root;
      fill_own(own ? in + rank * count : out, count);
      const void* from = own ? MPI_IN_PLACE : (void*)out;
      int code = immediate ? MPI_Igather(from, count, MPI_INT, in, count, MPI_INT, root, comm, &request)
                           : MPI_Gather(from, count, MPI_INT, in, count, MPI_INT, root, comm);
      code = finish(code, &request, immediate);
      int right = 1;
      for (int r = 0; rank == root && r < size; ++r)
        right = right && counts_up(in + r * count, count, value(r, 0));
      report(text("gather/%d/%d", root, place), immediate, count, code, right);
      reset();
      if (count == kMost && root != 0 && place == 0) continue; /* MPICH 4.0.2 crashes */
      fill_own(own ? in : out, count);
      code = immediate ? MPI_Ireduce(from, in, count, MPI_INT, MPI_SUM, root, comm, &request)
                       : MPI_Reduce(from, in, count, MPI_INT, MPI_SUM, root, comm);
      code = finish(code, &request, immediate);
      for (int i = 0; rank == root && i < count; ++i) {
        right = right && in[i] == 1000 * size * (size - 1) / 2 + size * i;
      }
      report(text("reduce/%d/%d", root, place), immediate, count, code, right);
    }
  }
}

static void all_to_all(int immediate, int count, int place) {
  MPI_Request request;
  reset();
  fill_own(place ? in + rank * count : out, count);
  const void* from = place ? MPI_IN_PLACE : (void*)out;
  int code = immediate ? MPI_Iallgather(from, count, MPI_INT, in, count, MPI_INT, comm, &request)
                       : MPI_Allgather(from, count, MPI_INT, in, count, MPI_INT, comm);
  code = finish(code, &request, immediate);
  int right = 1;
  for (int r = 0; r < size; ++r) right = right && counts_up(in + r * count, count, value(r, 0));
  report(text("allgather/%d", place), immediate, count, code, right);
  reset();
  for (int r = 0; r < size; ++r) fill((place ? in : out) + r * count, count, value(rank, 100 * r));
  code = immediate ? MPI_Ialltoall(from, count, MPI_INT, in, count, MPI_INT, comm, &request)
                   : MPI_Alltoall(from, count, MPI_INT, in, count, MPI_INT, comm);
  code = finish(code, &request, immediate);
  for (int r = 0; r < size; ++r) right = right && counts_up(in + r * count, count, value(r, 100 * rank));
  report(text("alltoall/%d", place), immediate, count, code, right);
}

static int reduced_to(int count, int ranks, int from) {
  int right = 1;
  for (int i = 0; i < count; ++i)
    right = right && in[i] == 1000 * ranks * (ranks - 1) / 2 + ranks * (from + i);
  return right;
}

static void reductions(int immediate, int count, int place) {
  MPI_Request request;
  const void* from = place ? MPI_IN_PLACE : (void*)out;
  reset();
  fill_own(place ? in : out, count);
  int code = immediate ? MPI_Iallreduce(from, in, count, MPI_INT, MPI_SUM, comm, &request)
                       : MPI_Allreduce(from, in, count, MPI_INT, MPI_SUM, comm);
  code = finish(code, &request, immediate);
  report(text("allreduce/%d", place), immediate, count, code, reduced_to(count, size, 0));
  reset();
  fill_own(place ? in : out, count);
  code = immediate ? MPI_Iscan(from, in, count, MPI_INT, MPI_SUM, comm, &request)
                   : MPI_Scan(from, in, count, MPI_INT, MPI_SUM, comm);
  code = finish(code, &request, immediate);
  report(text("scan/%d", place), immediate, count, code, reduced_to(count, rank + 1, 0));
  reset();
  fill_own(place ? in : out, count);
  code = immediate ? MPI_Iexscan(from, in, count, MPI_INT, MPI_SUM, comm, &request)
                   : MPI_Exscan(from, in, count, MPI_INT, MPI_SUM, comm);
  code = finish(code, &request, immediate);
  const int right = rank == 0 || reduced_to(count, rank, 0);
  if (rank == 0) memset(in, 0, sizeof in); /* undefined there */
  report(text("exscan/%d", place), immediate, count, code, right);
  reset();
  fill_own(place ? in : out, size * count);
  code = immediate ? MPI_Ireduce_scatter_block(from, in, count, MPI_INT, MPI_SUM, comm, &request)
                   : MPI_Reduce_scatter_block(from, in, count, MPI_INT, MPI_SUM, comm);
  code = finish(code, &request, immediate);
  const int block = reduced_to(count, size, rank * count);
  memset(in + count, 0, sizeof in - sizeof(int) * (size_t)count); /* may be used as work space */
  report(text("reduce_scatter_block/%d", place), immediate, count, code, block);
}

/* Rank r has (r + 1) * unit elements, or none at all where unit is 0; places leave holes. */
static void vectors(int immediate, int unit) {
  int counts[kRanks], places[kRanks], place = 0;
  MPI_Request request;
  for (int r = 0; r < size; ++r) {
    counts[r] = (r + 1) * unit;
    places[r] = place;
    place += counts[r] + 1;
  }
  const int own = counts[rank];
  reset();
  fill_own(out, own);
  int code = immediate ? MPI_Iallgatherv(out, own, MPI_INT, in, counts, places, MPI_INT, comm, &request)
                       : MPI_Allgatherv(out, own, MPI_INT, in, counts, places, MPI_INT, comm);
  code = finish(code, &request, immediate);
  int right = 1;
  for (int r = 0; r < size; ++r) right = right && counts_up(in + places[r], counts[r], value(r, 0));
  report("allgatherv", immediate, unit, code, right && in[counts[0]] == 0x55555555);
  const int root = size - 1;
  reset();
  fill_own(rank == root ? in + places[root] : out, own);
  code = immediate
             ? MPI_Igatherv(rank == root ? MPI_IN_PLACE : (void*)out, own, MPI_INT, in, counts, places,
                            MPI_INT, root, comm, &request)
             : MPI_Gatherv(rank == root ? MPI_IN_PLACE : (void*)out, own, MPI_INT, in,
                           rank == root ? counts : NULL, rank == root ? places : NULL, MPI_INT, root, comm);
  code = finish(code, &request, immediate);
  for (int r = 0; rank == root && r < size; ++r)
    right = right && counts_up(in + places[r], counts[r], value(r, 0));
  report("gatherv", immediate, unit, code, right);
  reset();
  for (int r = 0; rank == root && r < size; ++r) fill(out + places[r], counts[r], value(r, 5));
  code = immediate ? MPI_Iscatterv(out, counts, places, MPI_INT, in, own, MPI_INT, root, comm, &request)
                   : MPI_Scatterv(rank == root ? out : NULL, rank == root ? counts : NULL,
                                  rank == root ? places : NULL, MPI_INT, in, own, MPI_INT, root, comm);
  code = finish(code, &request, immediate);
  report("scatterv", immediate, unit, code, counts_up(in, own, value(rank, 5)));
  reset();
  fill_own(out, size * kMost);
  code = immediate ? MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm, &request)
                   : MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
  code = finish(code, &request, immediate);
  report("reduce_scatter", immediate, unit, code, reduced_to(own, size, unit * rank * (rank + 1) / 2));
}

/* r sends s  (r + s) % 3 * unit elements: symmetric, so that it can be done in place too. */
static void all_to_all_vectors(int immediate, int unit, int place) {
  int counts[kRanks], places[kRanks], byte_places[kRanks], room = 2 * unit + 1, right = 1;
  MPI_Datatype types[kRanks];
  MPI_Request request;
  for (int r = 0; r < size; ++r) {
    counts[r] = (rank + r) % 3 * unit;
    places[r] = r * room;
    byte_places[r] = r * room * (int)sizeof(int);
    types[r] = MPI_INT;
  }
  int* const base = place ? in : out;
  reset();
  for (int r = 0; r < size; ++r) fill(base + places[r], counts[r], value(rank, 10 * r));
  int code;
  const void* from = place ? MPI_IN_PLACE : (void*)out;
  const int* none = place ? NULL : counts;
  if (immediate) {
    code = MPI_Ialltoallv(from, counts, places, MPI_INT, in, counts, places, MPI_INT, comm, &request);
  } else {
    code = MPI_Alltoallv(from, none, place ? NULL : places, place ? MPI_DATATYPE_NULL : MPI_INT, in, counts,
                         places, MPI_INT, comm);
  }
  code = finish(code, &request, immediate);
  for (int r = 0; r < size; ++r) right = right && counts_up(in + places[r], counts[r], value(r, 10 * rank));
  report(text("alltoallv/%d", place), immediate, unit, code, right);
  reset();
  for (int r = 0; r < size; ++r) fill(base + places[r], counts[r], value(rank, 10 * r));
  if (immediate) {
    code = MPI_Ialltoallw(from, counts, byte_places, types, in, counts, byte_places, types, comm, &request);
  } else {
    code = MPI_Alltoallw(from, none, place ? NULL : byte_places, place ? NULL : types, in, counts,
                         byte_places, types, comm);
  }
  code = finish(code, &request, immediate);
  for (int r = 0; r < size; ++r) right = right && counts_up(in + places[r], counts[r], value(r, 10 * rank));
  report(text("alltoallw/%d", place), immediate, unit, code, right);
}

static int operator_calls;

/* a, b -> 2x2 matrix product modulo a prime: associative, not commutative. */
static void multiply(void* left, void* right, int* count, MPI_Datatype* type) {
  const long prime = 1000003;
  const int* a = left;
  int* b = right;
  (void)type;
  ++operator_calls;
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    const long p = a[0] * (long)b[0] + a[1] * (long)b[2], q = a[0] * (long)b[1] + a[1] * (long)b[3];
    const long r = a[2] * (long)b[0] + a[3] * (long)b[2], s = a[2] * (long)b[1] + a[3] * (long)b[3];
    b[0] = (int)(p % prime);
    b[1] = (int)(q % prime);
    b[2] = (int)(r % prime);
    b[3] = (int)(s % prime);
  }
}

static void matrix_of(int owner, int* m) {
  m[0] = owner + 1;
  m[1] = 2;
  m[2] = 3 * owner;
  m[3] = 5;
}

static void own_operator(int immediate) {
  MPI_Datatype matrix;
  MPI_Op op;
  MPI_Request request;
  int expected[4], one[4], commutes = -1, count = 1;
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(multiply, 0, &op);
  MPI_Op_commutative(op, &commutes);
  reset();
  matrix_of(rank, out);
  int code = immediate ? MPI_Iallreduce(out, in, 1, matrix, op, comm, &request)
                       : MPI_Allreduce(out, in, 1, matrix, op, comm);
  code = finish(code, &request, immediate);
  matrix_of(size - 1, expected);
  for (int r = size - 2; r >= 0; --r) {
    matrix_of(r, one);
    multiply(one, expected, &count, NULL);
  }
  report("allreduce/matrix", immediate, 1, code, memcmp(in, expected, sizeof expected) == 0 && commutes == 0);
  reset();
  matrix_of(rank, out);
  code =
      immediate ? MPI_Iscan(out, in, 1, matrix, op, comm, &request) : MPI_Scan(out, in, 1, matrix, op, comm);
  code = finish(code, &request, immediate);
  matrix_of(rank, expected);
  for (int r = rank - 1; r >= 0; --r) {
    matrix_of(r, one);
    multiply(one, expected, &count, NULL);
  }
  report("scan/matrix", immediate, 1, code, memcmp(in, expected, sizeof expected) == 0);
  code = MPI_Reduce_local(out, in, 1, matrix, op);
  report("reduce_local", immediate, 1, code, 1);
  MPI_Op_free(&op);
  MPI_Type_free(&matrix);
}

/* A type with holes, and MPI_BOTTOM. */
static void derived(int immediate) {
  MPI_Datatype strided, absolute;
  MPI_Request request;
  MPI_Aint address;
  int one = 3, right = 1;
  MPI_Type_vector(4, 1, 3, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  reset();
  for (int i = 0; rank == 0 && i < 4; ++i) in[3 * i] = value(0, i);
  int code = immediate ? MPI_Ibcast(in, 1, strided, 0, comm, &request) : MPI_Bcast(in, 1, strided, 0, comm);
  code = finish(code, &request, immediate);
  for (int i = 0; i < 4; ++i) right = right && in[3 * i] == value(0, i) && in[3 * i + 1] == 0x55555555;
  report("bcast/strided", immediate, 4, code, right);
  MPI_Get_address(in, &address);
  MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  reset();
  if (rank == 0) fill_own(in, 3);
  code = immediate ? MPI_Ibcast(MPI_BOTTOM, 1, absolute, 0, comm, &request)
                   : MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, comm);
  code = finish(code, &request, immediate);
  report("bcast/bottom", immediate, 3, code, counts_up(in, 3, 0));
  code = immediate ? MPI_Ibarrier(comm, &request) : MPI_Barrier(comm);
  report("barrier", immediate, 0, finish(code, &request, immediate), 1);
  MPI_Type_free(&strided);
  MPI_Type_free(&absolute);
}

static void over(MPI_Comm given, const char* name) {
  static const int counts[] = {0, 1, 17, kMost};
  comm = given;
  comm_name = name;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int immediate = 0; immediate < 2; ++immediate) {
    for (int i = 0; i < COUNT_OF(counts); ++i) {
      one_to_all(immediate, counts[i]);
      all_to_one(immediate, counts[i]);
      for (int place = 0; place < 2; ++place) {
        all_to_all(immediate, counts[i], place);
        reductions(immediate, counts[i], place);
      }
    }
    for (int unit = 0; unit <= 40; unit += 20) {
      vectors(immediate, unit);
      all_to_all_vectors(immediate, unit, 0);
      all_to_all_vectors(immediate, unit, 1);
    }
    own_operator(immediate);
    derived(immediate);
  }
}

int main(int argc, char** argv) {
  MPI_Comm part;
  start_checks(&argc, &argv);
  over(MPI_COMM_WORLD, "world");
  over(MPI_COMM_SELF, "self");
  MPI_Comm_split(MPI_COMM_WORLD, my_rank == 3, -my_rank, &part);
  over(part, "split");
  MPI_Comm_free(&part);
  return end_checks();
}
