/* SPDX-License-Identifier: Apache-2.0 */
/* Every way of sending times every way of receiving, for sizes from nothing to beyond the eager limits. */
/* ranks 2 */
#include "../check.h"

enum { kMost = 70000, kTag = 7 };

typedef enum { kBlocking, kImmediate, kPersistent } Form;
typedef int Blocking(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int Immediate(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static const struct {
  const char* name;
  Form form;
  Blocking* blocking;
  Immediate* immediate; /* or the constructor of the persistent request */
} modes[] = {{"send", kBlocking, MPI_Send, NULL},
             {"bsend", kBlocking, MPI_Bsend, NULL},
             {"ssend", kBlocking, MPI_Ssend, NULL},
             {"rsend", kBlocking, MPI_Rsend, NULL},
             {"isend", kImmediate, NULL, MPI_Isend},
             {"ibsend", kImmediate, NULL, MPI_Ibsend},
             {"issend", kImmediate, NULL, MPI_Issend},
             {"irsend", kImmediate, NULL, MPI_Irsend},
             {"send_init", kPersistent, NULL, MPI_Send_init},
             {"bsend_init", kPersistent, NULL, MPI_Bsend_init},
             {"ssend_init", kPersistent, NULL, MPI_Ssend_init},
             {"rsend_init", kPersistent, NULL, MPI_Rsend_init}};
static const char* const ways[] = {"recv", "irecv", "recv_init", "mrecv", "imrecv", "sendrecv"};
static const int sizes[] = {0, 3, kMost};
static int out[2 * kMost], in[2 * kMost + 2];

/* Sends `count` of `type` to rank 1, as `mode` says, and looks at codes and handles. */
static void send_one(int mode, const char* name, int count, MPI_Datatype type) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  blank(&status);
  if (modes[mode].form == kBlocking) {
    const int sent = modes[mode].blocking(out, count, type, 1, kTag, MPI_COMM_WORLD);
    see(name, sent == MPI_SUCCESS, "%s", error_name(sent));
    return;
  }
  const int posted = modes[mode].immediate(out, count, type, 1, kTag, MPI_COMM_WORLD, &request);
  const int persistent = modes[mode].form == kPersistent;
  int flag = 0, started = MPI_SUCCESS, again = MPI_SUCCESS;
  if (persistent) {
    started = MPI_Start(&request);
  }
  const int ended = MPI_Wait(&request, &status);
  const int left = request != MPI_REQUEST_NULL;
  if (persistent) {
    again = MPI_Test(&request, &flag, MPI_STATUS_IGNORE); /* inactive */
    MPI_Request_free(&request);
  }
  see(name,
      posted == MPI_SUCCESS && started == MPI_SUCCESS && ended == MPI_SUCCESS && again == MPI_SUCCESS &&
          left == persistent && flag == persistent && request == MPI_REQUEST_NULL,
      "%s %s %s %s left=%d flag=%d status %s", error_name(posted), error_name(started), error_name(ended),
      error_name(again), left, flag, raw_status(&status));
}

/* Receives one message of at most 2 kMost integers, as `way` says, into in[1..]. */
static int receive_one(int way, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message;
  int code = MPI_SUCCESS;
  switch (way) {
    case 0:
      return MPI_Recv(in + 1, 2 * kMost, MPI_INT, 0, kTag, MPI_COMM_WORLD, status);
    case 1:
      code = MPI_Irecv(in + 1, 2 * kMost, MPI_INT, 0, kTag, MPI_COMM_WORLD, &request);
      return code != MPI_SUCCESS ? code : MPI_Wait(&request, status);
    case 2:
      MPI_Recv_init(in + 1, 2 * kMost, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &request);
      MPI_Start(&request);
      code = MPI_Wait(&request, status);
      MPI_Request_free(&request);
      return code;
    case 3:
      MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      return MPI_Mrecv(in + 1, 2 * kMost, MPI_INT, &message, status);
    case 4:
      MPI_Mprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Imrecv(in + 1, 2 * kMost, MPI_INT, &message, &request);
      return MPI_Wait(&request, status);
    default:
      return MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, in + 1, 2 * kMost, MPI_INT, MPI_ANY_SOURCE,
                          MPI_ANY_TAG, MPI_COMM_WORLD, status);
  }
}

/* Sends in ready mode only to receives that are posted before: those of way 1 and the barrier behind them. */
static void receive_posted(const char* name, int count) {
  MPI_Request request;
  MPI_Status status;
  blank(&status);
  MPI_Irecv(in + 1, 2 * kMost, MPI_INT, 0, kTag, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  const int code = MPI_Wait(&request, &status);
  see(name, code == MPI_SUCCESS && is_from(&status, 0, kTag, MPI_INT, count), "%s %s sum=%u",
      error_name(code), full_status(&status, MPI_INT), checksum(in, sizeof in));
}

static void exchange(int mode, int way, int count, MPI_Datatype type, const char* name, int step) {
  const int ready = strstr(modes[mode].name, "rsend") == modes[mode].name || mode == 7;
  if (ready && way != 1) return;
  fill(out, 2 * kMost, count + mode);
  memset(in, 0x77, sizeof in);
  if (my_rank == 0) {
    if (ready) MPI_Barrier(MPI_COMM_WORLD);
    send_one(mode, name, count, type);
    return;
  }
  if (ready) {
    receive_posted(name, count);
    return;
  }
  MPI_Status status;
  blank(&status);
  const int code = receive_one(way, &status);
  const int untouched = in[0] == 0x77777777 && in[1 + count] == 0x77777777;
  int right = untouched;
  for (int i = 0; i < count; ++i) right = right && in[1 + i] == count + mode + step * i;
  see(name, code == MPI_SUCCESS && right && is_from(&status, 0, kTag, MPI_INT, count), "%s %s sum=%u",
      error_name(code), full_status(&status, MPI_INT), checksum(in, sizeof in));
}

int main(int argc, char** argv) {
  static char space[4 * (2 * kMost + MPI_BSEND_OVERHEAD)];
  MPI_Datatype every_second;
  start_checks(&argc, &argv);
  MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &every_second);
  MPI_Type_commit(&every_second);
  MPI_Buffer_attach(space, sizeof space);
  for (int mode = 0; mode < COUNT_OF(modes); ++mode) {
    for (int way = 0; way < COUNT_OF(ways); ++way) {
      for (int size = 0; size < COUNT_OF(sizes); ++size) {
        exchange(mode, way, sizes[size], MPI_INT, text("%s/%s/%d", modes[mode].name, ways[way], sizes[size]),
                 1);
      }
      exchange(mode, way, 5, every_second, text("%s/%s/strided", modes[mode].name, ways[way]), 2);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  void* detached;
  int bytes = 0;
  const int code = MPI_Buffer_detach((void*)&detached, &bytes);
  see("buffer_detach", code == MPI_SUCCESS && detached == space && bytes == (int)sizeof space, "%s %d",
      error_name(code), bytes);
  MPI_Type_free(&every_second);
  return end_checks();
}
