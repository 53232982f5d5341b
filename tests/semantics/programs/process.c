/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to the process: its arguments, errno, environment, signals, threads, the clock, MPI_Pcontrol.
 */
/* ranks 2 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../check.h"

enum { kThreads = 4, kMessages = 300 };

static void arguments(int argc, char** argv, int given, char** as_given) {
  see("argc", argc == given && argc == 4 && argv == as_given, "%d same=%d", argc, argv == as_given);
  for (int i = 1; i < argc; ++i) see(text("argv/%d", i), 1, "'%s'", argv[i]);
  see("argv/end", argv[argc] == NULL && strcmp(argv[1], "first word") == 0 && argv[2][0] == '\0', "null=%d",
      argv[argc] == NULL);
}

/* Local calls, which make no system calls themselves: errno stays what it was. */
static void error_number(void) {
  int value = 1, flag, index, size;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
#define KEEPS_ERRNO(name, call)                  \
  do {                                           \
    int kept = 0;                                \
    for (int i = 0; i < 500; ++i) {              \
      errno = 77;                                \
      call;                                      \
      kept += errno == 77;                       \
    }                                            \
    see("errno/" name, kept == 500, "%d", kept); \
  } while (0)
  KEEPS_ERRNO("send", MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
  KEEPS_ERRNO("recv", MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
  KEEPS_ERRNO("isend", MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
              MPI_Wait(&request, &status));
  KEEPS_ERRNO("test", MPI_Test(&request, &flag, &status));
  KEEPS_ERRNO("testall", MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE));
  KEEPS_ERRNO("waitany", MPI_Waitany(1, &request, &index, &status));
  KEEPS_ERRNO("size", MPI_Comm_size(MPI_COMM_WORLD, &size));
  KEEPS_ERRNO("pcontrol", MPI_Pcontrol(1));
  KEEPS_ERRNO("wtime", MPI_Wtime());
#undef KEEPS_ERRNO
}

static volatile sig_atomic_t got_signal;

static void on_signal(int number) { got_signal = number; }

/* Which signals are handled by whom, and that the program's own handlers are called. */
static void signals(void) {
  static const int numbers[] = {SIGUSR1, SIGUSR2, SIGPIPE, SIGCHLD, SIGALRM, SIGPROF, SIGINT, SIGHUP};
  for (int i = 0; i < COUNT_OF(numbers); ++i) {
    struct sigaction action;
    sigaction(numbers[i], NULL, &action);
    see(text("signal/%d", numbers[i]), 1, "default=%d ignored=%d flags=%x", action.sa_handler == SIG_DFL,
        action.sa_handler == SIG_IGN, (unsigned)action.sa_flags);
  }
  signal(SIGUSR1, on_signal);
  MPI_Barrier(MPI_COMM_WORLD);
  raise(SIGUSR1);
  MPI_Barrier(MPI_COMM_WORLD);
  see("signal/own", got_signal == SIGUSR1, "%d", got_signal);
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  see("signal/mask", 1, "usr2=%d pipe=%d", sigismember(&blocked, SIGUSR2), sigismember(&blocked, SIGPIPE));
}

/* Descriptors 0 to 2 are the program's; working directory and mask for new files are as they were. */
static void surroundings(void) {
  const mode_t mask = umask(022);
  umask(mask);
  see("umask", 1, "%03o", (unsigned)mask);
  for (int i = 0; i < 3; ++i) see(text("descriptor/%d", i), fcntl(i, F_GETFD) >= 0, "%d", fcntl(i, F_GETFD));
  see("preload", 1, "%d", getenv("PATH") != NULL);
  const double before = MPI_Wtime(), after = MPI_Wtime();
  see("wtime", after >= before && MPI_Wtick() > 0, "%d", after >= before);
}

static void regions(void) {
  int sum = -1;
  static const int levels[] = {0, 0, 1, 2, 1, 5, -3, 1};
  for (int i = 0; i < COUNT_OF(levels); ++i) {
    const int code = MPI_Pcontrol(levels[i]);
    MPI_Allreduce(&my_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    see(text("pcontrol/%d", i), code == MPI_SUCCESS && sum == 1, "%s %d", error_name(code), sum);
  }
  /* A receive posted while recording is on, completed while it is off, and the reverse. */
  for (int first = 0; first < 2; ++first) {
    int in = -1;
    MPI_Request request;
    MPI_Status status;
    blank(&status);
    MPI_Pcontrol(first);
    MPI_Irecv(&in, 1, MPI_INT, 1 - my_rank, 3, MPI_COMM_WORLD, &request);
    MPI_Pcontrol(1 - first);
    MPI_Send(&my_rank, 1, MPI_INT, 1 - my_rank, 3, MPI_COMM_WORLD);
    const int code = MPI_Wait(&request, &status);
    see(text("pcontrol/across/%d", first), code == MPI_SUCCESS && in == 1 - my_rank, "%s %d %s",
        error_name(code), in, full_status(&status, MPI_INT));
    MPI_Pcontrol(1);
  }
}

static int thread_sums[kThreads];

/* Each thread talks to the thread of its number on the other rank. */
static void* talk(void* own_number) {
  const int number = *(const int*)own_number;
  int sum = 0;
  for (int i = 0; i < kMessages; ++i) {
    int out = i + number, in = -1;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, 1 - my_rank, number, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 1 - my_rank, number, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sum += in;
  }
  thread_sums[number] = sum;
  return NULL;
}

static void threads(int provided) {
  pthread_t running[kThreads];
  int numbers[kThreads], is_main = -1, level = -1;
  MPI_Is_thread_main(&is_main);
  MPI_Query_thread(&level);
  see("thread/level", level == provided && is_main == 1, "%d main=%d", level, is_main);
  if (provided < MPI_THREAD_MULTIPLE) return;
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    pthread_create(&running[i], NULL, talk, &numbers[i]);
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(running[i], NULL);
    see(text("thread/%d", i), thread_sums[i] == kMessages * (kMessages - 1) / 2 + kMessages * i, "%d",
        thread_sums[i]);
  }
}

/* What was printed before and after MPI_Init goes out once. */
int main(int argc, char** argv) {
  const int given = argc;
  char** const as_given = argv;
  int provided = -1, before = -1, after = -1, finalized = -1;
  printf("before\n");
  fflush(stdout);
  MPI_Initialized(&before);
  errno = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Initialized(&after);
  MPI_Finalized(&finalized);
  open_checks();
  see("initialized", before == 0 && after == 1 && finalized == 0, "%d %d %d", before, after, finalized);
  arguments(argc, argv, given, as_given);
  error_number();
  signals();
  surroundings();
  regions();
  threads(provided);
  printf("after %d\n", my_rank);
  return end_checks();
}
