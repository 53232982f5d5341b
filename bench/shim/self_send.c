/* SPDX-License-Identifier: Apache-2.0 */
/* self_send wrapped|plain N: N small messages to itself. The receives are plain in both; the sends go through
 * whatever MPI_Send is (the recorder), or straight to the library's function. The difference is the
 * recorder's. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef OPEN_MPI
static const char kLibrary[] = "libmpi.so.40";
#else
static const char kLibrary[] = "libmpich.so.12";
#endif

typedef int send_function(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int irecv_function(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
typedef int wait_function(MPI_Request*, MPI_Status*);

static irecv_function* plain_irecv;
static wait_function* plain_wait;

/* callgrind counts inside this function only (--toggle-collect). */
__attribute__((noinline)) void measured_loop(send_function* send, long count) {
  char in[64], out[64] = {0};
  for (long i = 0; i < count; ++i) {
    MPI_Request request;
    plain_irecv(in, 64, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
    send(out, 64, MPI_CHAR, 0, 1, MPI_COMM_SELF);
    plain_wait(&request, MPI_STATUS_IGNORE);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const long count = strtol(argv[2], NULL, 10);
  MPI_Init(NULL, NULL);
  void* library = dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return 1;
  plain_irecv = (irecv_function*)dlsym(library, "PMPI_Irecv");
  plain_wait = (wait_function*)dlsym(library, "PMPI_Wait");
  send_function* send =
      strcmp(argv[1], "plain") == 0 ? (send_function*)dlsym(library, "PMPI_Send") : MPI_Send;
  measured_loop(send, 100);
  double best = 1e18;
  for (int i = 0; i < 5; ++i) {
    const double start = now();
    measured_loop(send, count);
    const double took = (now() - start) / (double)count;
    if (took < best) best = took;
  }
  printf("%.1f\n", best);
  MPI_Finalize();
  return 0;
}
