/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds that meet, in the way that the first argument names. Ends with status 3 where the library cannot do
 * it. */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int buffer[64];

/* The library returns an error, or it does what is asked. */
static void need(int result) {
  if (result == MPI_SUCCESS) return;
  printf("cannot\n");
  fflush(stdout);
  _exit(3);
}

static int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static void send_bytes(int bytes, int to, MPI_Comm comm) { MPI_Send(buffer, bytes, MPI_BYTE, to, 1, comm); }
static void receive_bytes(int bytes, int from, MPI_Comm comm) {
  MPI_Recv(buffer, bytes, MPI_BYTE, from, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}

/* Both sides of an inter-communicator: a broadcast of 40 bytes from the first side's rank 0; merged to one
 * group an all-reduce of 4 bytes, a ring of 4 bytes each, a barrier of those with even and of those with odd
 * ranks. */
static void meet(MPI_Comm inter, int first_side) {
  MPI_Comm twin, all, half;
  int size, sum;
  MPI_Comm_dup(inter, &twin);
  MPI_Bcast(buffer, 10, MPI_INT, !first_side ? 0 : rank_in(inter) == 0 ? MPI_ROOT : MPI_PROC_NULL, twin);
  MPI_Comm_free(&twin);
  MPI_Intercomm_merge(inter, first_side, &all); /* the first side comes last */
  MPI_Comm_size(all, &size);
  const int rank = rank_in(all);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 2, &sum, 1, MPI_INT, (rank + size - 1) % size, 2, all,
               MPI_STATUS_IGNORE);
  MPI_Comm_split(all, rank % 2, -rank, &half);
  MPI_Barrier(half);
  MPI_Comm_free(&half);
  MPI_Comm_free(&all);
}

static MPI_Comm spawn(char* program, char* mode, int processes, MPI_Comm comm) {
  MPI_Comm children;
  char* arguments[] = {mode, NULL};
  need(MPI_Comm_spawn(program, arguments, processes, MPI_INFO_NULL, 0, comm, &children, MPI_ERRCODES_IGNORE));
  return children;
}

/* Two spawn three, which meet with them and of which the first spawns one more; then the second of the two
 * spawns two, by two commands. */
static void spawning(char* program) {
  MPI_Comm children = spawn(program, "child", 3, MPI_COMM_WORLD);
  const int rank = rank_in(MPI_COMM_WORLD);
  meet(children, 1);
  if (rank == 0) send_bytes(64, 2, children);
  if (rank == 1) receive_bytes(32, MPI_ANY_SOURCE, children);
  if (rank == 1) {
    MPI_Comm more;
    char* programs[] = {program, program};
    char* arguments[] = {"late", NULL};
    char** all_arguments[] = {arguments, arguments};
    const int processes[] = {1, 1};
    const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm_spawn_multiple(2, programs, all_arguments, processes, infos, 0, MPI_COMM_SELF, &more,
                            MPI_ERRCODES_IGNORE);
    send_bytes(100, 1, more);
    MPI_Comm_disconnect(&more);
  }
  MPI_Comm_disconnect(&children);
}

static void spawned(char* program, const char* mode, MPI_Comm parents) {
  const int rank = rank_in(MPI_COMM_WORLD);
  if (strcmp(mode, "child") == 0) {
    meet(parents, 0);
    if (rank == 2) receive_bytes(64, 0, parents);
    if (rank == 1) send_bytes(32, 1, parents);
    if (rank == 0) {
      MPI_Comm grandchild = spawn(program, "grandchild", 1, MPI_COMM_SELF);
      send_bytes(7, 0, grandchild);
      MPI_Comm_disconnect(&grandchild);
    }
  } else if (strcmp(mode, "late") == 0) {
    if (rank == 1) receive_bytes(100, 0, parents);
  } else {
    receive_bytes(7, 0, parents);
  }
  MPI_Comm_disconnect(&parents);
}

/* Lines of a file that one writes and others wait for. */
static void write_line(const char* path, const char* line) {
  char hidden[4096];
  snprintf(hidden, sizeof hidden, "%s.new", path);
  FILE* file = fopen(hidden, "w");
  fprintf(file, "%s\n", line);
  fclose(file);
  rename(hidden, path);
}
static void read_line(const char* path, char* line, int size) {
  FILE* file;
  while ((file = fopen(path, "r")) == NULL) usleep(10000);
  if (fgets(line, size, file) == NULL) *line = '\0';
  line[strcspn(line, "\n")] = '\0';
  fclose(file);
}

/* Serves twice; the path of a file is where the port's name is left. */
static void serving(const char* path) {
  char port[MPI_MAX_PORT_NAME] = "";
  const int rank = rank_in(MPI_COMM_WORLD);
  if (rank == 0) {
    need(MPI_Open_port(MPI_INFO_NULL, port));
    write_line(path, port);
  }
  for (int i = 1; i <= 2; ++i) {
    MPI_Comm client;
    need(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &client));
    if (i == 1) meet(client, 1);
    if (rank == 1) receive_bytes(10 * i, 0, client);
    MPI_Comm_disconnect(&client);
  }
  if (rank == 0) MPI_Close_port(port);
}

static void connecting(const char* path) {
  char port[MPI_MAX_PORT_NAME] = "";
  read_line(path, port, sizeof port);
  for (int i = 1; i <= 2; ++i) {
    MPI_Comm server;
    need(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &server));
    if (i == 1) meet(server, 0);
    if (rank_in(MPI_COMM_WORLD) == 0) send_bytes(10 * i, 1, server);
    MPI_Comm_disconnect(&server);
  }
}

/* Joined through a socket: the listening one leaves its number in the file. */
static void joining(const char* path, int listens) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  char line[32];
  MPI_Comm other;
  int ends = socket(AF_INET, SOCK_STREAM, 0);
  if (listens) {
    const int listening = ends;
    bind(listening, (struct sockaddr*)&address, sizeof address);
    listen(listening, 1);
    getsockname(listening, (struct sockaddr*)&address, &length);
    snprintf(line, sizeof line, "%d", ntohs(address.sin_port));
    write_line(path, line);
    ends = accept(listening, NULL, NULL);
    close(listening);
  } else {
    read_line(path, line, sizeof line);
    address.sin_port = htons((in_port_t)atoi(line));
    connect(ends, (struct sockaddr*)&address, sizeof address);
  }
  need(MPI_Comm_join(ends, &other));
  meet(other, listens);
  MPI_Comm_disconnect(&other);
  close(ends);
}

int main(int argc, char** argv) {
  MPI_Comm parents;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_get_parent(&parents);
  const char* mode = argc > 1 ? argv[1] : "";
  if (parents != MPI_COMM_NULL) spawned(argv[0], mode, parents);
  if (strcmp(mode, "spawn") == 0) spawning(argv[0]);
  if (strcmp(mode, "serve") == 0) serving(argv[2]);
  if (strcmp(mode, "connect") == 0) connecting(argv[2]);
  if (strcmp(mode, "listen") == 0) joining(argv[2], 1);
  if (strcmp(mode, "call") == 0) joining(argv[2], 0);
  MPI_Finalize();
  return 0;
}
