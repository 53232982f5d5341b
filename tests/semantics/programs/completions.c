/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that complete requests, over arrays of null, inactive, finished and waiting requests. Each rank
 * talks to itself, so that what is complete is known. */
/* ranks 2 */
#include "../check.h"

enum { kRequests = 6 };

/* What a request of the array is: n null, i inactive, r a receive whose message has come, s a send that was
 * received, p a started persistent receive whose message has come, w a receive whose message comes later, 0 a
 * receive from MPI_PROC_NULL. */
static MPI_Request requests[kRequests];
static int out[kRequests], in[kRequests];
static int count;

static void make(const char* kinds) {
  count = (int)strlen(kinds);
  for (int i = 0; i < count; ++i) {
    in[i] = -1;
    out[i] = 100 + i;
    requests[i] = MPI_REQUEST_NULL;
    if (strchr("rwp", kinds[i]) != NULL) {
      const int source = i % 2 == 0 ? 0 : MPI_ANY_SOURCE;
      if (kinds[i] == 'p') {
        MPI_Recv_init(&in[i], 1, MPI_INT, source, i, MPI_COMM_SELF, &requests[i]);
        MPI_Start(&requests[i]);
      } else {
        MPI_Irecv(&in[i], 1, MPI_INT, source, i, MPI_COMM_SELF, &requests[i]);
      }
      if (kinds[i] != 'w') MPI_Send(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF);
    } else if (kinds[i] == 's') {
      MPI_Isend(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
      MPI_Recv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    } else if (kinds[i] == 'i') {
      MPI_Recv_init(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
    } else if (kinds[i] == '0') {
      MPI_Irecv(&in[i], 1, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD, &requests[i]);
    }
  }
}

/* Ends what is left: messages for the waiting, then all requests. */
static void clear(const char* kinds) {
  for (int i = 0; i < count; ++i) {
    if (kinds[i] == 'w') MPI_Send(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
  }
}

/* Which handles are null, and what came: "-x" for each request. */
static const char* state(void) {
  char line[8 * kRequests] = "";
  for (int i = 0; i < count; ++i) {
    snprintf(line + strlen(line), sizeof line - strlen(line), " %s%d",
             requests[i] == MPI_REQUEST_NULL ? "-" : "+", in[i]);
  }
  return text("state%s", line);
}

static const char* some_statuses(const MPI_Status* statuses, int some) {
  char line[240] = "";
  for (int i = 0; i < some; ++i) {
    snprintf(line + strlen(line), sizeof line - strlen(line), " %d/%d/%d", statuses[i].MPI_SOURCE,
             statuses[i].MPI_TAG, statuses[i].MPI_ERROR);
  }
  return text("statuses%s", line);
}

/* Persistent requests stay, the others become null. */
static int left_right(const char* kinds, int done) {
  const int persistent = kinds[done] == 'p' || kinds[done] == 'i';
  return (requests[done] != MPI_REQUEST_NULL) == persistent;
}

static int is_active(char kind) { return kind != 'n' && kind != 'i'; }

static int actives(const char* kinds) {
  int n = 0;
  for (int i = 0; kinds[i] != '\0'; ++i) n += is_active(kinds[i]);
  return n;
}

static void all_at_once(const char* kinds, int ignore, int test) {
  MPI_Status statuses[kRequests];
  for (int i = 0; i < kRequests; ++i) blank(&statuses[i]);
  make(kinds);
  MPI_Status* const given = ignore ? MPI_STATUSES_IGNORE : statuses;
  const int waits = strchr(kinds, 'w') != NULL;
  int flag = -1, code = MPI_SUCCESS;
  if (test) {
    code = MPI_Testall(count, requests, &flag, given);
  } else {
    code = MPI_Waitall(count, requests, given);
  }
  int right = code == MPI_SUCCESS && (!test || flag == !waits);
  for (int i = 0; right && !waits && i < count; ++i) {
    right = left_right(kinds, i);
    if (right && !ignore && strchr("rp", kinds[i]) != NULL) right = is_from(&statuses[i], 0, i, MPI_INT, 1);
    if (right && !ignore && !is_active(kinds[i])) {
      right = is_from(&statuses[i], MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_INT, 0); /* the empty status */
    }
  }
  see(text("%s%s/%s", test ? "testall" : "waitall", ignore ? "/ignored" : "", kinds), right,
      "%s flag=%d %s %s", error_name(code), flag, state(), some_statuses(statuses, waits ? 0 : count));
  clear(kinds);
}

static void any(const char* kinds, int ignore, int test) {
  MPI_Status status;
  make(kinds);
  /* As often as there are requests, and once more. */
  for (int round = 0; round <= count; ++round) {
    int index = -7, flag = -7, code = MPI_SUCCESS;
    blank(&status);
    MPI_Status* const given = ignore ? MPI_STATUS_IGNORE : &status;
    if (test) {
      code = MPI_Testany(count, requests, &index, &flag, given);
    } else {
      code = MPI_Waitany(count, requests, &index, given);
    }
    const int more = round < actives(kinds);
    int right = code == MPI_SUCCESS && (index != MPI_UNDEFINED) == more && (!test || flag == 1);
    if (right && more) right = left_right(kinds, index);
    if (right && more && !ignore && strchr("rp", kinds[index]) != NULL) {
      right = is_from(&status, 0, index, MPI_INT, 1);
    }
    see(text("%s%s/%s/%d", test ? "testany" : "waitany", ignore ? "/ignored" : "", kinds, round), right,
        "%s index=%d flag=%d %s %s", error_name(code), index, flag, state(), raw_status(&status));
  }
  clear(kinds);
}

static void some(const char* kinds, int ignore, int test) {
  MPI_Status statuses[kRequests];
  make(kinds);
  for (int round = 0; round < 2; ++round) {
    int indices[kRequests], done = -7, code = MPI_SUCCESS;
    for (int i = 0; i < kRequests; ++i) {
      blank(&statuses[i]);
      indices[i] = -7;
    }
    MPI_Status* const given = ignore ? MPI_STATUSES_IGNORE : statuses;
    if (test) {
      code = MPI_Testsome(count, requests, &done, indices, given);
    } else {
      code = MPI_Waitsome(count, requests, &done, indices, given);
    }
    /* All that can complete is complete, so one call takes all. */
    int right =
        code == MPI_SUCCESS && done == (round == 0 && actives(kinds) > 0 ? actives(kinds) : MPI_UNDEFINED);
    const int listed = done > 0 ? done : 0;
    for (int i = 0; right && i < listed; ++i) {
      right = is_active(kinds[indices[i]]) && left_right(kinds, indices[i]);
      if (right && !ignore && strchr("rp", kinds[indices[i]]) != NULL) {
        right = is_from(&statuses[i], 0, indices[i], MPI_INT, 1);
      }
    }
    char line[64] = "";
    for (int i = 0; i < listed; ++i)
      snprintf(line + strlen(line), sizeof line - strlen(line), " %d", indices[i]);
    see(text("%s%s/%s/%d", test ? "testsome" : "waitsome", ignore ? "/ignored" : "", kinds, round), right,
        "%s done=%d indices%s %s %s", error_name(code), done, line, state(),
        some_statuses(statuses, ignore ? 0 : listed));
  }
  clear(kinds);
}

static void one(const char* kind, int ignore, int test) {
  MPI_Status status;
  blank(&status);
  make(kind);
  MPI_Status* const given = ignore ? MPI_STATUS_IGNORE : &status;
  int flag = -7, code = MPI_SUCCESS;
  if (test) {
    code = MPI_Test(&requests[0], &flag, given);
  } else {
    code = MPI_Wait(&requests[0], given);
  }
  int right = code == MPI_SUCCESS && (!test || flag == (kind[0] != 'w'));
  if (kind[0] != 'w') right = right && left_right(kind, 0);
  see(text("%s%s/%s", test ? "test" : "wait", ignore ? "/ignored" : "", kind), right, "%s flag=%d %s %s",
      error_name(code), flag, state(), raw_status(&status));
  clear(kind);
}

/* MPI_Request_get_status looks and changes nothing. */
static void look(const char* kind) {
  MPI_Status status;
  make(kind);
  for (int round = 0; round < 2; ++round) {
    int flag = -7;
    blank(&status);
    const int code = MPI_Request_get_status(requests[0], &flag, round == 0 ? &status : MPI_STATUS_IGNORE);
    see(text("get_status/%s/%d", kind, round),
        code == MPI_SUCCESS && flag == (kind[0] != 'w') &&
            (requests[0] == MPI_REQUEST_NULL) == (kind[0] == 'n'),
        "%s flag=%d %s %s", error_name(code), flag, state(), raw_status(&status));
  }
  blank(&status);
  if (kind[0] != 'w') {
    const int code = MPI_Wait(&requests[0], &status);
    see(text("get_status/%s/wait", kind), code == MPI_SUCCESS, "%s %s %s", error_name(code), state(),
        raw_status(&status));
  }
  clear(kind);
}

/* One request of three fails (its message is too long). Open MPI 4.1 does not tell here. */
static void errors_in_statuses(int ignore, int some_form) {
  MPI_Status statuses[3];
  int indices[3] = {-7, -7, -7}, done = -7, data[8] = {0}, code = MPI_SUCCESS;
  for (int i = 0; i < 3; ++i) blank(&statuses[i]);
  make("rrr");
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i) MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < 3; ++i) MPI_Send(data, i == 1 ? 8 : 1, MPI_INT, 0, i, MPI_COMM_SELF);
  if (some_form) {
    code = MPI_Waitsome(3, requests, &done, indices, ignore ? MPI_STATUSES_IGNORE : statuses);
  } else {
    code = MPI_Waitall(3, requests, ignore ? MPI_STATUSES_IGNORE : statuses);
  }
  see(text("in_status/%s%s", some_form ? "waitsome" : "waitall", ignore ? "/ignored" : ""),
      code == MPI_SUCCESS || ignore || class_of(code) == MPI_ERR_IN_STATUS, "%s done=%d %s", error_name(code),
      done, state());
  for (int i = 0; !ignore && i < 3; ++i) {
    see(text("in_status/%s/%d", some_form ? "waitsome" : "waitall", i), 1, "%s index=%d",
        error_name(statuses[i].MPI_ERROR), indices[i]);
  }
  for (int i = 0; i < 3; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
}

static void nothing_at_all(void) {
  int index = -7, flag = -7, done = -7;
  int code = MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
  see("none/waitall", code == MPI_SUCCESS, "%s", error_name(code));
  code = MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
  see("none/testall", code == MPI_SUCCESS && flag == 1, "%s %d", error_name(code), flag);
  code = MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE);
  see("none/waitany", code == MPI_SUCCESS && index == MPI_UNDEFINED, "%s %d", error_name(code), index);
  code = MPI_Testany(0, NULL, &index, &flag, MPI_STATUS_IGNORE);
  see("none/testany", code == MPI_SUCCESS && flag == 1 && index == MPI_UNDEFINED, "%s %d %d",
      error_name(code), flag, index);
  code = MPI_Waitsome(0, NULL, &done, NULL, MPI_STATUSES_IGNORE);
  see("none/waitsome", code == MPI_SUCCESS && done == MPI_UNDEFINED, "%s %d", error_name(code), done);
  code = MPI_Testsome(0, NULL, &done, NULL, MPI_STATUSES_IGNORE);
  see("none/testsome", code == MPI_SUCCESS && done == MPI_UNDEFINED, "%s %d", error_name(code), done);
}

int main(int argc, char** argv) {
  static const char* const mixes[] = {"nnn", "iii", "ni", "rsp", "nrisp", "ssss", "0r0", "prprpr", "rnnnns"};
  static const char* const kinds[] = {"n", "i", "r", "s", "p", "0"};
  start_checks(&argc, &argv);
  for (int variant = 0; variant < 4; ++variant) {
    const int ignore = variant % 2, test = variant / 2;
    for (int i = 0; i < COUNT_OF(mixes); ++i) {
      all_at_once(mixes[i], ignore, test);
      any(mixes[i], ignore, test);
      some(mixes[i], ignore, test);
    }
    for (int i = 0; i < COUNT_OF(kinds); ++i) one(kinds[i], ignore, test);
    if (test) {
      one("w", ignore, test);
      all_at_once("rwr", ignore, test);
    }
    errors_in_statuses(ignore, test);
  }
  for (int i = 0; i < COUNT_OF(kinds); ++i) look(kinds[i]);
  look("w");
  nothing_at_all();
  return end_checks();
}
