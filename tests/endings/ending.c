/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of ranks that exchange messages until one of them ends as argv[1] says; argv[2] is the number of
 * rounds. Each rank keeps in the shared file pids/<rank> its process id and how many MPI calls it has come
 * back from: what was recorded must be at least that. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct Progress {
  long pid;
  long calls;
};

static struct Progress* progress;
static int rank, size;

static void open_progress(void) {
  char path[64];
  snprintf(path, sizeof path, "pids/%d", rank);
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ftruncate(file, sizeof *progress) != 0) exit(9);
  progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (progress == MAP_FAILED) exit(9);
  close(file);
  progress->calls = 1; /* MPI_Init */
  __atomic_store_n(&progress->pid, (long)getpid(), __ATOMIC_RELEASE);
}

static void returned(void) { __atomic_store_n(&progress->calls, progress->calls + 1, __ATOMIC_RELEASE); }

/* Five calls. */
static int one_round(int round) {
  int out = round, in = -1;
  MPI_Request requests[2];
  MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, round % 100, MPI_COMM_WORLD, &requests[0]);
  returned();
  MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, round % 100, MPI_COMM_WORLD, &requests[1]);
  returned();
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  returned();
  MPI_Bcast(&out, 1, MPI_INT, 0, MPI_COMM_WORLD);
  returned();
  MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 0, &in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  returned();
  return out == round;
}

/* Rounds until there is a file "enough". */
static int rounds_until_told(void) {
  int more = 1, right = 1;
  while (more) {
    right = one_round(0) && right;
    more = access("enough", F_OK) != 0;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    returned();
  }
  return right;
}

static int crash_in_finalize(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  if (rank == 1) raise(SIGSEGV);
  return MPI_SUCCESS;
}

/* Children inherit the recorder; what they do is not the rank's. */
static void make_children(char* program) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) exit(0); /* through all exit handlers and destructors */
  waitpid(child, &status, 0);
  if (status != 0) exit(8);
  child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "\"$0\" no-mpi 0; exec \"$0\" no-mpi 0", program, (char*)NULL);
    _exit(1);
  }
  waitpid(child, &status, 0);
  if (status != 0) exit(8);
  child = fork();
  if (child == 0) raise(SIGKILL);
  waitpid(child, &status, 0);
}

/* From here on no file may grow beyond 100 KiB; the signal for that would end the process. */
static void limit_files(void) {
  const struct rlimit limit = {100 << 10, 100 << 10};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(7);
}

static int ends_well(const char* how) {
  static const char* const good[] = {"normal", "children", "until", "limit"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
    if (strcmp(how, good[i]) == 0) return 1;
  }
  return 0;
}

static void end_badly(const char* how) {
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "quick_exit") == 0) _exit(3);
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  if (strcmp(how, "fpe") == 0) raise(SIGFPE);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "term") == 0) raise(SIGTERM);
  if (strcmp(how, "error") == 0) {
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, size + 5, 1, MPI_COMM_WORLD); /* errors are fatal */
  }
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "normal";
  const int rounds = argc > 2 ? atoi(argv[2]) : 100;
  int right = 1, key;
  if (strcmp(how, "no-mpi") == 0) return 0;
  if (strcmp(how, "stubborn") == 0) signal(SIGTERM, SIG_IGN);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  open_progress();
  if (strcmp(how, "children") == 0) make_children(argv[0]);
  if (strcmp(how, "limit") == 0) limit_files();
  for (int round = 0; round < rounds; ++round) right = one_round(round) && right;
  if (strcmp(how, "until") == 0) right = rounds_until_told() && right;
  if (strcmp(how, "leave") == 0) exit(0);
  if (rank == 1) end_badly(how);
  if (strcmp(how, "finalize") == 0) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, crash_in_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  } else if (!ends_well(how)) {
    /* The others go on; rank 1 does not come. */
    for (int round = rounds;; ++round) one_round(round);
  }
  MPI_Finalize();
  returned();
  if (rank == 0) printf("%d ranks, %s\n", size, right ? "right" : "wrong");
  return 0;
}
