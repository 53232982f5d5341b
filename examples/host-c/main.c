/* SPDX-License-Identifier: Apache-2.0 */
/* A simulator in C that counts cycles, with the calls of the original VEF-TraceLIB: every message takes 1000
 * cycles of one nanosecond. host_c TRACE NODES
 *
 *   cc main.c $(pkg-config --cflags --libs vefkit) -o host_c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vef/tracelib/TraceManager.h>

#define LATENCY 1000
#define MOST_UNDER_WAY 100000

static struct {
  long arrives;
  msg_t msg;
} wire[MOST_UNDER_WAY]; /* a ring: all take equally long, so they arrive in the order in which they left */

int main(int argc, char** argv) {
  conf_t conf;
  long cycle = 0, messages = 0;
  int first = 0, last = 0;
  if (argc != 3) return 2;
  memset(&conf, 0, sizeof conf);
  conf.simNodes = atoi(argv[2]);
  conf.number_of_traces = 1;
  strncpy(conf.filename, argv[1], sizeof conf.filename - 1);
  if (init_MultipleTraceManager(&conf) != 0) return 1;

  while (!isTraceComplete()) {
    while (areMsgstoGet()) {
      wire[last].arrives = cycle + LATENCY;
      getMsgTrace(&wire[last].msg);
      last = (last + 1) % MOST_UNDER_WAY;
    }
    while (first != last && wire[first].arrives == cycle) {
      ReceiveTraceMsg(wire[first].msg.dst, wire[first].msg.id);
      first = (first + 1) % MOST_UNDER_WAY;
      messages++;
    }
    cycle++;
    clock_tictac();
  }
  if (isTraceStuck()) return 1;
  printf("%ld messages, %ld cycles\n", messages, cycle);
  return 0;
}
