/* SPDX-License-Identifier: Apache-2.0 */
/* What receives and probes say of the message: wildcards, truncation, MPI_PROC_NULL, nothing, partial
 * elements. */
/* ranks 3 */
#include "../check.h"

static void wildcards(void) {
  const struct {
    const char* name;
    int source, tag;
  } asked[] = {{"exact", 1, 5},
               {"any_source", MPI_ANY_SOURCE, 6},
               {"any_tag", 1, MPI_ANY_TAG},
               {"any_both", MPI_ANY_SOURCE, MPI_ANY_TAG}};
  for (int i = 0; i < COUNT_OF(asked); ++i) {
    int values[4] = {i, 1, 2, 3}, in[6] = {-1, -1, -1, -1, -1, -1};
    if (my_rank == 1) MPI_Send(values, 2 + i % 3, MPI_INT, 0, 5 + i, MPI_COMM_WORLD);
    if (my_rank == 0) {
      MPI_Status probed, status;
      blank(&probed);
      blank(&status);
      int code = MPI_Probe(asked[i].source, asked[i].tag, MPI_COMM_WORLD, &probed);
      see(text("probe/%s", asked[i].name),
          code == MPI_SUCCESS && is_from(&probed, 1, 5 + i, MPI_INT, 2 + i % 3), "%s %s", error_name(code),
          full_status(&probed, MPI_INT));
      code = MPI_Recv(in, 6, MPI_INT, asked[i].source, asked[i].tag, MPI_COMM_WORLD, &status);
      see(text("recv/%s", asked[i].name),
          code == MPI_SUCCESS && is_from(&status, 1, 5 + i, MPI_INT, 2 + i % 3) && in[0] == i, "%s %s sum=%u",
          error_name(code), full_status(&status, MPI_INT), checksum(in, sizeof in));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void truncated(void) {
  static const char* const ways[] = {"recv", "irecv", "mrecv", "sendrecv", "ignored"};
  for (int way = 0; way < COUNT_OF(ways); ++way) {
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, in[8] = {0};
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    blank(&status);
    if (my_rank == 1) MPI_Send(values, 8, MPI_INT, 0, 3, MPI_COMM_WORLD);
    if (my_rank == 0) {
      int code = MPI_SUCCESS;
      if (way == 0) code = MPI_Recv(in, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, &status);
      if (way == 1) {
        MPI_Irecv(in, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
        code = MPI_Wait(&request, &status);
        see("truncated/handle", request == MPI_REQUEST_NULL, "null=%d", request == MPI_REQUEST_NULL);
      }
      if (way == 2) {
        MPI_Mprobe(1, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        code = MPI_Mrecv(in, 2, MPI_INT, &message, &status);
      }
      if (way == 3) {
        code =
            MPI_Sendrecv(values, 0, MPI_INT, MPI_PROC_NULL, 3, in, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, &status);
      }
      if (way == 4) code = MPI_Recv(in, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      see(text("truncated/%s", ways[way]), class_of(code) == MPI_ERR_TRUNCATE, "%s source=%d tag=%d",
          error_name(code), status.MPI_SOURCE, status.MPI_TAG);
      see(text("truncated/%s/behind", ways[way]), in[2] == 0 && in[7] == 0, "%d %d", in[2], in[7]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* MPI 4.0, 3.10: the status of a receive from MPI_PROC_NULL has source MPI_PROC_NULL, any tag, count 0. */
static void null_process(void) {
  int in = 5, flag = 0;
  MPI_Status status;
  MPI_Request request;
  MPI_Message message;
  blank(&status);
  int code = MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  see("null/recv", code == MPI_SUCCESS && in == 5 && is_from(&status, MPI_PROC_NULL, MPI_ANY_TAG, MPI_INT, 0),
      "%s %s", error_name(code), full_status(&status, MPI_INT));
  blank(&status);
  code = MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  see("null/probe", code == MPI_SUCCESS && status.MPI_SOURCE == MPI_PROC_NULL, "%s %s", error_name(code),
      full_status(&status, MPI_INT));
  blank(&status);
  code = MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status);
  see("null/iprobe", code == MPI_SUCCESS && flag == 1, "%s %d %s", error_name(code), flag,
      full_status(&status, MPI_INT));
  blank(&status);
  code = MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
  see("null/mprobe", code == MPI_SUCCESS && message == MPI_MESSAGE_NO_PROC, "%s %d %s", error_name(code),
      message == MPI_MESSAGE_NO_PROC, full_status(&status, MPI_INT));
  blank(&status);
  code = MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
  see("null/mrecv", code == MPI_SUCCESS && message == MPI_MESSAGE_NULL && in == 5, "%s %d %s",
      error_name(code), message == MPI_MESSAGE_NULL, full_status(&status, MPI_INT));
  blank(&status);
  code = MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, &status);
  see("null/improbe", code == MPI_SUCCESS && flag == 1, "%s %d", error_name(code), flag);
  code = MPI_Imrecv(&in, 1, MPI_INT, &message, &request);
  blank(&status);
  const int ended = MPI_Wait(&request, &status);
  see("null/imrecv", code == MPI_SUCCESS && ended == MPI_SUCCESS && request == MPI_REQUEST_NULL, "%s %s",
      error_name(code), full_status(&status, MPI_INT));
  blank(&status);
  code = MPI_Sendrecv_replace(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  see("null/sendrecv_replace", code == MPI_SUCCESS && in == 5, "%s %s", error_name(code),
      full_status(&status, MPI_INT));
}

/* Elements of a derived type: 5 of 2 * 3 integers are not a whole number of pairs of three. */
static void elements(void) {
  MPI_Datatype three;
  MPI_Status status;
  int values[6] = {1, 2, 3, 4, 5, 6}, in[6] = {0};
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Type_commit(&three);
  for (int count = 0; count <= 6; count += 5) {
    if (my_rank == 1) MPI_Send(values, count, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (my_rank != 0) continue;
    blank(&status);
    const int code = MPI_Recv(in, 2, three, 1, 2, MPI_COMM_WORLD, &status);
    int whole = -1, parts = -1;
    MPI_Get_count(&status, three, &whole);
    MPI_Get_elements(&status, three, &parts);
    see(text("elements/%d", count), parts == count && whole == (count % 3 == 0 ? count / 3 : MPI_UNDEFINED),
        "%s %s", error_name(code), full_status(&status, three));
  }
  MPI_Type_free(&three);
}

/* A ring of three: both sides of Sendrecv, with and without a status. */
static void shift(void) {
  const int next = (my_rank + 1) % 3, previous = (my_rank + 2) % 3;
  int in = -1, both = my_rank;
  MPI_Status status;
  blank(&status);
  int code =
      MPI_Sendrecv(&my_rank, 1, MPI_INT, next, 4, &in, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, &status);
  see("sendrecv", code == MPI_SUCCESS && in == previous && is_from(&status, previous, 4, MPI_INT, 1), "%s %s",
      error_name(code), full_status(&status, MPI_INT));
  in = -1;
  code = MPI_Sendrecv(&my_rank, 1, MPI_INT, next, 4, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  see("sendrecv/ignored", code == MPI_SUCCESS && in == previous, "%s %d", error_name(code), in);
  blank(&status);
  code = MPI_Sendrecv_replace(&both, 1, MPI_INT, next, 6, previous, 6, MPI_COMM_WORLD, &status);
  see("sendrecv_replace",
      code == MPI_SUCCESS && both == previous && is_from(&status, previous, 6, MPI_INT, 1), "%s %s",
      error_name(code), full_status(&status, MPI_INT));
}

/* Two messages of one pair are not overtaken, whatever the tags of the receives. */
static void order(void) {
  for (int i = 0; i < 20; ++i) {
    int value = i, in = -1;
    MPI_Status status;
    if (my_rank == 2) MPI_Send(&value, 1, MPI_INT, 0, i % 2, MPI_COMM_WORLD);
    if (my_rank != 0) continue;
    MPI_Recv(&in, 1, MPI_INT, 2, i % 3 == 0 ? MPI_ANY_TAG : i % 2, MPI_COMM_WORLD, &status);
    see(text("order/%d", i), in == i && status.MPI_TAG == i % 2, "%d %d", in, status.MPI_TAG);
  }
}

/* MPI_BOTTOM with an absolute address, and a type without any data. */
static void odd_buffers(void) {
  int out = 41 + my_rank, in = -1;
  const int next = (my_rank + 1) % 3, previous = (my_rank + 2) % 3;
  MPI_Datatype here, there, nothing;
  MPI_Aint address;
  int one = 1;
  MPI_Get_address(&out, &address);
  MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &here);
  MPI_Get_address(&in, &address);
  MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &there);
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&here);
  MPI_Type_commit(&there);
  MPI_Type_commit(&nothing);
  MPI_Status status;
  blank(&status);
  int code =
      MPI_Sendrecv(MPI_BOTTOM, 1, here, next, 1, MPI_BOTTOM, 1, there, previous, 1, MPI_COMM_WORLD, &status);
  see("bottom", code == MPI_SUCCESS && in == 41 + previous, "%s %d %s", error_name(code), in,
      full_status(&status, there));
  blank(&status);
  code = MPI_Sendrecv(&out, 7, nothing, next, 1, &in, 3, nothing, previous, 1, MPI_COMM_WORLD, &status);
  see("no_data", code == MPI_SUCCESS, "%s source=%d tag=%d", error_name(code), status.MPI_SOURCE,
      status.MPI_TAG);
  MPI_Type_free(&here);
  MPI_Type_free(&there);
  MPI_Type_free(&nothing);
}

int main(int argc, char** argv) {
  start_checks(&argc, &argv);
  wildcards();
  truncated();
  null_process();
  elements();
  shift();
  order();
  odd_buffers();
  return end_checks();
}
