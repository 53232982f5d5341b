/* SPDX-License-Identifier: Apache-2.0
 * Runs each collective for a grid of sizes and writes the messages that Open MPI's PML sent for it, one line
 * per rank and operation:   op ranks root bytes element rank count  (peer bytes)*count `op` is VEF's number,
 * of the vector forms (gatherv, scatterv, allgatherv, alltoallv) that number + 8. `bytes` is the size of the
 * vector, or of one block; of the vector forms, rank i's block (alltoallv: all its blocks together) is bytes
 * * ((7 i + 3) % 5). Each rank writes DIRECTORY/<ranks>.<rank>.txt. To be run with mpirun --mca
 * pml_monitoring_enable 1 run_collectives DIRECTORY LARGEST_BYTES and linked with -rdynamic: the function by
 * which Open MPI's monitoring component counts messages stands in this program, and is found here before it
 * is found in the library. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum Op { kBroadcast, kReduce, kAllreduce, kGather, kScatter, kAllgather, kBarrier, kAlltoall };
enum { kVector = 8, kOps = 16 };

static int rank, ranks;

/* What has been sent since the last line. */
static struct {
  int peer;
  size_t bytes;
} sent[1 << 16];
static size_t sent_count;

void mca_common_monitoring_record_pml(int world_rank, size_t data_size, int tag);
void mca_common_monitoring_record_pml(int world_rank, size_t data_size, int tag) {
  (void)tag;
  if (sent_count < sizeof sent / sizeof sent[0]) {
    sent[sent_count].peer = world_rank;
    sent[sent_count].bytes = data_size;
  }
  ++sent_count;
}

static void check(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "run_collectives: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void run(enum Op op, int root, int n, MPI_Datatype type, MPI_Op sum, char* in, char* out) {
  switch (op) {
    case kBroadcast:
      MPI_Bcast(in, n, type, root, MPI_COMM_WORLD);
      break;
    case kReduce:
      MPI_Reduce(in, out, n, type, sum, root, MPI_COMM_WORLD);
      break;
    case kAllreduce:
      MPI_Allreduce(in, out, n, type, sum, MPI_COMM_WORLD);
      break;
    case kGather:
      MPI_Gather(in, n, type, out, n, type, root, MPI_COMM_WORLD);
      break;
    case kScatter:
      MPI_Scatter(in, n, type, out, n, type, root, MPI_COMM_WORLD);
      break;
    case kAllgather:
      MPI_Allgather(in, n, type, out, n, type, MPI_COMM_WORLD);
      break;
    case kBarrier:
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    case kAlltoall:
      MPI_Alltoall(in, n, type, out, n, type, MPI_COMM_WORLD);
      break;
    default:
      break;
  }
}

static int block_of(int i, int bytes) { return bytes * ((7 * i + 3) % 5); }
/* Of rank i's blocks the part for `to`. */
static int part_of(int i, int to, int bytes) {
  const int all = block_of(i, bytes);
  return all / ranks + (to < all % ranks ? 1 : 0);
}

static void run_vector(enum Op op, int root, int bytes, char* in, char* out, int* n) {
  int* at = n + ranks;
  int* incoming = at + ranks;
  int* incoming_at = incoming + ranks;
  for (int i = 0; i < ranks; ++i) {
    n[i] = op == kAlltoall ? part_of(rank, i, bytes) : block_of(i, bytes);
    incoming[i] = part_of(i, rank, bytes);
    at[i] = i == 0 ? 0 : at[i - 1] + n[i - 1];
    incoming_at[i] = i == 0 ? 0 : incoming_at[i - 1] + incoming[i - 1];
  }
  switch (op) {
    case kGather:
      MPI_Gatherv(in, n[rank], MPI_BYTE, out, n, at, MPI_BYTE, root, MPI_COMM_WORLD);
      break;
    case kScatter:
      MPI_Scatterv(in, n, at, MPI_BYTE, out, n[rank], MPI_BYTE, root, MPI_COMM_WORLD);
      break;
    case kAllgather:
      MPI_Allgatherv(in, n[rank], MPI_BYTE, out, n, at, MPI_BYTE, MPI_COMM_WORLD);
      break;
    default:
      MPI_Alltoallv(in, n, at, MPI_BYTE, out, incoming, incoming_at, MPI_BYTE, MPI_COMM_WORLD);
      break;
  }
}

static int rooted(enum Op op) { return op == kBroadcast || op == kReduce || op == kGather || op == kScatter; }
static int in_blocks(enum Op op) {
  return op == kGather || op == kScatter || op == kAllgather || op == kAlltoall;
}

static int has_monitoring(void) {
  char byte = 0;
  sent_count = 0;
  MPI_Sendrecv_replace(&byte, 1, MPI_BYTE, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return sent_count == 1;
}

static void write_line(FILE* file, int op, int root, int bytes, int element) {
  check(sent_count <= sizeof sent / sizeof sent[0], "too many messages");
  fprintf(file, "%d %d %d %d %d %d %zu ", op, ranks, root, bytes, element, rank, sent_count);
  for (size_t i = 0; i < sent_count; ++i) fprintf(file, " %d %zu", sent[i].peer, sent[i].bytes);
  fprintf(file, "\n");
}

/* Roots: the first, one in the middle, the last. */
static int next_root(int root) { return ranks > 2 ? root + (ranks - 1) / 2 : root + 1; }

static void run_size(FILE* file, int op, int bytes, char* in, char* out, int* room) {
  const int vector = op >= kVector;
  const enum Op kind = (enum Op)(op % kVector);
  for (int element = 1; element <= (vector ? 1 : 8); element += 7) {
    if (bytes % element != 0) continue;
    for (int root = 0; root < (rooted(kind) ? ranks : 1); root = next_root(root)) {
      sent_count = 0;
      if (vector) {
        run_vector(kind, root, bytes, in, out, room);
      } else {
        run(kind, root, bytes / element, element == 8 ? MPI_DOUBLE : MPI_BYTE,
            element == 8 ? MPI_SUM : MPI_BOR, in, out);
      }
      write_line(file, op, root, bytes, element);
    }
  }
}

int main(int argc, char** argv) {
  static const int kBytes[] = {1,     3,      8,      24,     40,     64,     100,     136,    256,
                               520,   1024,   2048,   4096,   8192,   10000,  16384,   20008,  32768,
                               65536, 100000, 131072, 262144, 300000, 524288, 1048576, 1500008};
  char path[4096];
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(path, sizeof path, "%s/%d.%d.txt", argv[1], ranks, rank);
  FILE* file = fopen(path, "w");
  check(file != NULL, "cannot write");
  const int largest = atoi(argv[2]), largest_block = largest < 262144 ? largest : 262144;
  const size_t room = 4 * (size_t)largest_block * (size_t)ranks + (size_t)largest;
  char* in = calloc(room, 1);
  char* out = calloc(room, 1);
  int* counts = calloc(4 * (size_t)ranks, sizeof *counts);
  check(in && out && counts, "out of memory");
  check(has_monitoring(), "messages are not monitored");

  for (int op = 0; op < kOps; ++op) {
    const int kind = op % kVector;
    if (op >= kVector && !in_blocks(kind)) continue;
    /* With a single foreign block a trace cannot tell these from the plain form. */
    if (op >= kVector && ranks == 2 && rooted(kind)) continue;
    if (kind == kBarrier) {
      run_size(file, op, 0, in, out, counts);
      continue;
    }
    for (size_t b = 0; b < sizeof kBytes / sizeof kBytes[0]; ++b) {
      if (kBytes[b] <= (in_blocks(kind) ? largest_block : largest))
        run_size(file, op, kBytes[b], in, out, counts);
    }
  }
  check(fclose(file) == 0, "cannot write");
  MPI_Finalize();
  return 0;
}
