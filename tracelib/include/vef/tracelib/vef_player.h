/* SPDX-License-Identifier: Apache-2.0 */
/* The player for simulators written in C, or in whatever calls C: vef/tracelib/player.h has the rules, this
 * is the same with handles. The host's loop:
 *
 *     while (!vef_player_done(player) && now != VEF_NEVER) {
 *       while (vef_player_next(player, now, &message)) inject(&message, now);
 *       now = run_network_until(vef_player_next_time(player));    calls vef_player_delivered() at each
 * arrival
 *     }
 *
 * Times are picoseconds. Deterministic. A player belongs to one thread at a time; different players are
 * independent. No C++ exception leaves these functions: without memory they print one line and abort. */
#ifndef VEF_TRACELIB_VEF_PLAYER_H
#define VEF_TRACELIB_VEF_PLAYER_H

#include <stddef.h>
#include <stdint.h>

#include "vef/tracelib/c_linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VEF_NEVER INT64_MAX

typedef struct vef_player vef_player;

/* A trace and how it runs. */
typedef struct vef_played_trace {
  const char* file;       /* VEF in any of its forms */
  const int32_t* mapping; /* node of each task; NULL: task i on node i */
  size_t mapping_size;    /* must be the number of tasks, where there is a mapping */
  double compute_scale;   /* multiplies every time of the trace; 1: as recorded */
  int64_t start;          /* when it begins */
} vef_played_trace;

typedef struct vef_message {
  uint64_t id;                /* small, and free for another message once this one is delivered */
  int32_t src_node, dst_node; /* may be the same */
  int32_t trace;              /* index of its trace */
  int32_t src_task, dst_task;
  uint64_t bytes;
  int64_t time; /* when it became due */
  int32_t op;   /* the collective it is part of, by the numbers of VEF; -1: none */
} vef_message;

/* Reads and checks the traces. `expansion`: how collectives become messages: "n", "log-n", "openmpi" or
 * "mpich". NULL: it failed, and `error` has one line that says why (cut off at `error_size`; may be NULL). */
vef_player* vef_player_open(const vef_played_trace* traces, size_t count, const char* expansion, char* error,
                            size_t error_size) VEF_NOEXCEPT;
void vef_player_close(vef_player* player) VEF_NOEXCEPT; /* may be NULL */

/* Tasks of a trace: how many nodes it needs. -1: there is no such trace. */
int32_t vef_player_tasks(const vef_player* player, int32_t trace) VEF_NOEXCEPT;

/* 1: `message` is due at or before `now`, and counts as sent. 0: none is. `now` must not decrease. */
int vef_player_next(vef_player* player, int64_t now, vef_message* message) VEF_NOEXCEPT;
/* The last byte of message `id` has reached its node. */
void vef_player_delivered(vef_player* player, uint64_t id, int64_t time) VEF_NOEXCEPT;
/* When there is something to do without a further arrival; VEF_NEVER: not before one. */
int64_t vef_player_next_time(const vef_player* player) VEF_NOEXCEPT;
/* All records have fired and all messages have arrived. */
int vef_player_done(const vef_player* player) VEF_NOEXCEPT;
/* When the last of that happened. */
int64_t vef_player_last_time(const vef_player* player) VEF_NOEXCEPT;

/* Who waits for what, one line each, cut off at `size` and closed by a 0. Returns the number of lines. */
size_t vef_player_stuck(const vef_player* player, char* text, size_t size) VEF_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
