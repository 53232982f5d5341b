/* SPDX-License-Identifier: Apache-2.0 */
/* The life of requests beyond Wait and Test: cancelled, freed, restarted, of the program's own making, many.
 */
/* ranks 2 */
#include "../check.h"

/* A receive that nothing was sent to is cancelled for certain. */
static void cancelled_receive(int persistent, int some) {
  int in = -1, flag = -1;
  MPI_Request request;
  MPI_Status status;
  blank(&status);
  if (persistent) {
    MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &request);
    MPI_Start(&request);
  } else {
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &request);
  }
  int code = MPI_Cancel(&request);
  const int still = request != MPI_REQUEST_NULL;
  int ended = MPI_SUCCESS, index = -7, done = -7;
  if (some) {
    ended = MPI_Waitsome(1, &request, &done, &index, &status);
  } else {
    ended = MPI_Wait(&request, &status);
  }
  MPI_Test_cancelled(&status, &flag);
  see(text("cancel%s%s", persistent ? "/persistent" : "", some ? "/some" : ""),
      code == MPI_SUCCESS && ended == MPI_SUCCESS && still && flag == 1 && in == -1,
      "%s %s still=%d cancelled=%d", error_name(code), error_name(ended), still, flag);
  if (!persistent) return;
  /* It can be started anew. */
  const int value = 4;
  MPI_Start(&request);
  MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_SELF);
  blank(&status);
  code = MPI_Wait(&request, &status);
  see("cancel/persistent/again", code == MPI_SUCCESS && in == 4 && is_from(&status, 0, 9, MPI_INT, 1),
      "%s %s", error_name(code), full_status(&status, MPI_INT));
  MPI_Request_free(&request);
}

/* Too late: the message has come. */
static void cancelled_late(void) {
  int in = -1, flag = -1;
  const int value = 3;
  MPI_Request request;
  MPI_Status status;
  blank(&status);
  MPI_Irecv(&in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &request);
  MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
  const int code = MPI_Cancel(&request);
  const int ended = MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  see("cancel/late", ended == MPI_SUCCESS && flag == 0 && in == 3, "%s %s %s", error_name(code),
      error_name(ended), full_status(&status, MPI_INT));
}

/* Freed while active: the operation goes on, the handle is gone. */
static void freed(void) {
  int value = 12 + my_rank, in = -1;
  MPI_Request request;
  if (my_rank == 0) {
    MPI_Isend(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
    const int code = MPI_Request_free(&request);
    see("free/active", code == MPI_SUCCESS && request == MPI_REQUEST_NULL, "%s %d", error_name(code),
        request == MPI_REQUEST_NULL);
    MPI_Recv(&in, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the answer: value was read */
  } else {
    MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
  }
  see("free/value", in == 13 - my_rank, "%d", in);
  MPI_Request null = MPI_REQUEST_NULL;
  const int code = MPI_Request_free(&null);
  see("free/null", 1, "%s", error_name(code));
}

static void restarted(void) {
  enum { kRounds = 30, kPairs = 4 };
  int out[kPairs], in[kPairs], right = 1;
  MPI_Request requests[2 * kPairs];
  MPI_Status statuses[2 * kPairs];
  const int peer = 1 - my_rank;
  for (int i = 0; i < kPairs; ++i) {
    MPI_Recv_init(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[kPairs + i]);
  }
  for (int round = 0; round < kRounds; ++round) {
    fill(out, kPairs, 10 * round + my_rank);
    right = right && MPI_Startall(2 * kPairs, requests) == MPI_SUCCESS;
    right = right && MPI_Waitall(2 * kPairs, requests, statuses) == MPI_SUCCESS;
    right = right && counts_up(in, kPairs, 10 * round + peer);
    for (int i = 0; i < kPairs; ++i) right = right && is_from(&statuses[i], peer, i, MPI_INT, 1);
  }
  see("restart", right, "%d sum=%u", right, checksum(in, sizeof in));
  MPI_Start(&requests[kPairs]);
  MPI_Wait(&requests[kPairs], MPI_STATUS_IGNORE);
  MPI_Start(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 2 * kPairs; ++i) {
    const int code = MPI_Request_free(&requests[i]);
    see(text("restart/free/%d", i), code == MPI_SUCCESS && requests[i] == MPI_REQUEST_NULL, "%s",
        error_name(code));
  }
}

/* An active persistent receive that is freed still receives. */
static void freed_persistent(void) {
  int in = -1, seen_value = -1;
  const int value = 21;
  MPI_Request request;
  MPI_Send_init(&value, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
  MPI_Start(&request);
  const int code = MPI_Request_free(&request);
  MPI_Recv(&in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  seen_value = in;
  see("free/persistent", code == MPI_SUCCESS && request == MPI_REQUEST_NULL && seen_value == 21, "%s %d",
      error_name(code), seen_value);
}

static int queries, frees, cancels;

static int on_query(void* extra, MPI_Status* status) {
  ++queries;
  MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 31;
  status->MPI_TAG = 32;
  return MPI_SUCCESS;
}

static int on_free(void* extra) {
  ++frees;
  return *(int*)extra == 5 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int on_cancel(void* extra, int complete) {
  (void)extra;
  cancels += complete ? 100 : 1;
  return MPI_SUCCESS;
}

static void generalised(int way) {
  static const char* const names[] = {"wait", "test", "waitall", "waitany", "waitsome", "ignored", "cancel"};
  int elements = 5, flag = -7, index = -7;
  MPI_Request request;
  MPI_Status status;
  blank(&status);
  queries = frees = cancels = 0;
  MPI_Grequest_start(on_query, on_free, on_cancel, &elements, &request);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  see(text("grequest/%s/waits", names[way]), flag == 0, "%d", flag);
  if (way == 6) MPI_Cancel(&request);
  const int completed = MPI_Grequest_complete(request);
  int code = MPI_SUCCESS;
  if (way == 0 || way == 6) code = MPI_Wait(&request, &status);
  if (way == 1) code = MPI_Test(&request, &flag, &status);
  if (way == 2) code = MPI_Waitall(1, &request, &status);
  if (way == 3) code = MPI_Waitany(1, &request, &index, &status);
  if (way == 4) code = MPI_Waitsome(1, &request, &flag, &index, &status);
  if (way == 5) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  see(text("grequest/%s", names[way]),
      completed == MPI_SUCCESS && code == MPI_SUCCESS && request == MPI_REQUEST_NULL && queries == 1 &&
          frees == 1 && cancels == (way == 6) && (way == 5 || is_from(&status, 31, 32, MPI_INT, 5)),
      "%s %s flag=%d index=%d queries=%d frees=%d cancels=%d %s", error_name(completed), error_name(code),
      flag, index, queries, frees, cancels, way == 5 ? "" : full_status(&status, MPI_INT));
}

/* More requests than any fixed table, completed in pieces. */
static void many(void) {
  enum { kMany = 20000 };
  MPI_Request* const requests = malloc(sizeof(MPI_Request) * 2 * kMany);
  int* const indices = malloc(sizeof(int) * 2 * kMany);
  int* const in = malloc(sizeof(int) * kMany);
  int* const out = malloc(sizeof(int) * kMany);
  int received = 0, calls = 0;
  fill(out, kMany, 0);
  for (int i = 0; i < kMany; ++i) MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < kMany; ++i) MPI_Isend(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[kMany + i]);
  while (received < 2 * kMany) {
    int done = 0;
    if (MPI_Waitsome(2 * kMany, requests, &done, indices, MPI_STATUSES_IGNORE) != MPI_SUCCESS || done <= 0)
      break;
    received += done;
    ++calls;
  }
  see("many", received == 2 * kMany && counts_up(in, kMany, 0), "%d sum=%u", received,
      checksum(in, sizeof(int) * kMany));
  free(requests);
  free(indices);
  free(in);
  free(out);
}

/* Small sends share one handle in both libraries: each is complete once. */
static void shared_handles(void) {
  int out[4] = {1, 2, 3, 4}, in[4] = {0};
  MPI_Request requests[4];
  for (int i = 0; i < 4; ++i) MPI_Isend(&out[i], 1, MPI_INT, 1 - my_rank, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < 4; ++i) MPI_Recv(&in[i], 1, MPI_INT, 1 - my_rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 3; i >= 0; --i) {
    const int code = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    see(text("shared/%d", i), code == MPI_SUCCESS && requests[i] == MPI_REQUEST_NULL && in[i] == i + 1,
        "%s %d", error_name(code), in[i]);
  }
}

int main(int argc, char** argv) {
  start_checks(&argc, &argv);
  for (int i = 0; i < 4; ++i) cancelled_receive(i % 2, i / 2);
  cancelled_late();
  freed();
  restarted();
  freed_persistent();
  for (int way = 0; way < 7; ++way) generalised(way);
  many();
  shared_handles();
  return end_checks();
}
