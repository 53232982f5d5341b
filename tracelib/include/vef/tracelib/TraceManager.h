/* SPDX-License-Identifier: Apache-2.0 */
/* The names by which hosts of the original VEF-TraceLIB call it, on top of vef_player.h, for simulators that
 * have such a loop already:
 *
 *     init_MultipleTraceManager(&conf);
 *     while (!isTraceComplete()) {
 *       while (areMsgstoGet()) { getMsgTrace(&msg); inject msg.id from msg.src to msg.dst; }
 *       one cycle of the network, with ReceiveTraceMsg(node, id) for each message that has arrived;
 *       clock_tictac();
 *     }
 *
 * What hosts in public show of the original is kept: these functions, the named fields of conf_t and msg_t.
 * The rest is ours, as documented here. One job at a time; not thread safe. New hosts do better with
 * vef_player.h: it tells when something happens next, so that nobody has to count empty cycles. */
#ifndef VEF_TRACELIB_TRACE_MANAGER_H
#define VEF_TRACELIB_TRACE_MANAGER_H

#include <stdint.h>

#include "vef/tracelib/c_linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VEF_TRACE_FILE_NAME 4096

typedef struct conf {
  int simNodes;         /* nodes of the network */
  int number_of_traces; /* 1: `filename` is a trace; more: it is a text with the name of one in each line */
  int mapping_mode; /* 0: the tasks on the nodes 0, 1, ..., those of one trace behind those of another; 1: at
                       random */
  int use_simulator_clock_instead_of_factorTime; /* 0: a cycle is the unit of time of the (first) trace, 1 ns
                                                    in all known ones; else `cycle_picoseconds` */
  char filename[VEF_TRACE_FILE_NAME];
  long cycle_picoseconds;
} conf_t;

typedef struct msg {
  int src, dst; /* nodes */
  long size;    /* bytes */
  int id;       /* for ReceiveTraceMsg(); free for another message after that */
} msg_t;

/* 0: all is ready. Else one line on stderr says what is wrong. A job that was begun before is forgotten. */
int init_MultipleTraceManager(const conf_t* conf) VEF_NOEXCEPT;
/* Everything has been sent and has arrived; or nothing is under way, nothing will ever be due, and one line
 * for each task that waits was printed on stderr (isTraceStuck() tells which it is). */
int isTraceComplete(void) VEF_NOEXCEPT;
int isTraceStuck(void) VEF_NOEXCEPT;
/* Whether a message is to be injected in this cycle. */
int areMsgstoGet(void) VEF_NOEXCEPT;
/* That message, which now counts as sent. Only after areMsgstoGet() was true. */
void getMsgTrace(msg_t* msg) VEF_NOEXCEPT;
/* The last byte of message `id` has reached node `dst`. */
void ReceiveTraceMsg(int dst, int id) VEF_NOEXCEPT;
/* A cycle has passed. */
void clock_tictac(void) VEF_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
