// SPDX-License-Identifier: Apache-2.0
// Recipes of the constructors and destructors of communicators. All are logged also while recording is off:
// later calls refer to them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "call.h"
#include "socket_names.h"

namespace vef::shim {

/// Sets the new communicator and its members; flags are added to those of `event`.
inline void describe_created(Call& call, MPI_Comm created, RankEvent& event) {
  event.new_comm = formats::kCommNull;
  if (created == mpi.comm_null) return;
  const Communicator entry = process.communicators.enter(created);
  describe(entry, call.thread().members.describe(created), event);
}

template <class Real>
int comm_new(MpiCall number, MPI_Comm parent, const MPI_Comm* created, Real real) {
  return call_then(number, real, [&](Call& call) {
    RankEvent event = event_of(EventKind::kCommCreate);
    event.comm = call.communicator(parent).number;
    describe_created(call, *created, event);
    call.log(event, true);
  });
}

/// MPI_Comm_create_group: threads may make communicators of the same group at a time; the tag tells them
/// apart.
template <class Real>
int comm_new_group(MpiCall number, MPI_Comm parent, int tag, const MPI_Comm* created, Real real) {
  return call_then(number, real, [&](Call& call) {
    RankEvent event = event_of(EventKind::kCommCreate);
    event.comm = call.communicator(parent).number;
    event.tag = tag;
    event.comm_flags = formats::kCommGroupOnly;
    describe_created(call, *created, event);
    call.log(event, true);
  });
}

/// Worlds meet; `describe_root` adds to the event what counts at the root.
template <class Real, class DescribeRoot>
int comm_meeting(MpiCall number, MPI_Comm parent, int root, const MPI_Comm* created, Real real,
                 DescribeRoot describe_root) {
  return call_then(number, real, [&](Call& call) {
    RankEvent event = event_of(EventKind::kCommCreate);
    const Communicator ours = call.communicator(parent);
    event.comm = ours.number;
    event.tag = root;
    describe_created(call, *created, event);
    if (root == ours.rank) describe_root(event);
    call.log(event, true);
  });
}

/// MPI_Comm_accept, MPI_Comm_connect.
template <class Real>
int comm_port(MpiCall number, MPI_Comm parent, int root, const char* port, const MPI_Comm* created,
              Real real) {
  return comm_meeting(number, parent, root, created, real, [&](RankEvent& event) { event.text = port; });
}

/// MPI_Comm_spawn, MPI_Comm_spawn_multiple.
template <class Real>
int comm_spawn(MpiCall number, MPI_Comm parent, int root, int commands, const char* const* names,
               const int* processes, const MPI_Comm* created, Real real) {
  char text[1024] = "";
  return comm_meeting(number, parent, root, created, real, [&](RankEvent& event) {
    std::size_t length = 0;
    for (int i = 0; i < commands; ++i) {
      const int added =
          std::snprintf(text + length, sizeof text - length, "%s%s", i == 0 ? "" : "\n", names[i]);
      length = std::min(length + static_cast<std::size_t>(added > 0 ? added : 0), sizeof text - 1);
      if (processes[i] > 0) event.recv_bytes += static_cast<std::uint64_t>(processes[i]);
    }
    event.text = {text, length};
  });
}

template <class Real>
int comm_join(MpiCall number, int file, const MPI_Comm* created, Real real) {
  char text[256];
  name_socket(file, text, sizeof text);
  return comm_meeting(number, mpi.comm_self, 0, created, real, [&](RankEvent& event) { event.text = text; });
}

/// MPI_Comm_create_from_group, ...: no parent; the processes agree by the string tag.
template <class Real>
int comm_from_group(MpiCall number, const char* tag, const MPI_Comm* created, Real real) {
  return call_then(number, real, [&](Call& call) {
    RankEvent event = event_of(EventKind::kCommCreate);
    event.comm = formats::kCommNull;
    event.comm_flags = formats::kCommGroupOnly;
    describe_created(call, *created, event);
    event.text = tag;
    call.log(event, true);
  });
}

/// A spawned process asks for the communicator with its parents: described when it is first seen.
template <class Real>
int comm_parent(MpiCall number, const MPI_Comm* parent, Real real) {
  return call_then(number, real, [&](Call& call) {
    if (*parent != mpi.comm_null) call.communicator(*parent);
  });
}

/// The handle is set only at completion, but number and members are known now: those of the parent.
template <class Real>
int comm_idup(MpiCall number, MPI_Comm parent, MPI_Comm* created, MPI_Request* request, Real real) {
  return call_then(number, real, [&](Call& call) {
    RankEvent event = event_of(EventKind::kCommCreate);
    Communicator entry = call.communicator(parent);
    event.comm = entry.number;
    entry.number = process.communicators.reserve_number();
    describe(entry, call.thread().members.describe(parent), event);
    event.request = track(*request, {.room = reinterpret_cast<std::uintptr_t>(created),
                                     .source = static_cast<std::int32_t>(event.new_comm),
                                     .kind = OperationKind::kCommDup});
    call.log(event, true);
  });
}

/// Not guarded by depth: the program's callbacks for attributes run inside, and may free other communicators.
template <class Real>
int comm_free(MpiCall number, const MPI_Comm* comm, Real real) {
  const MPI_Comm handle = *comm;
  Communicator removed;
  const auto forget = [&] {
    forget_handles();
    return process.communicators.remove(handle, removed);
  };
  // Out of table and caches before the library can give the handle to another thread; where there is none
  // that could ask, afterwards, because the callbacks may still use it.
  const bool early = threads_are_concurrent;
  bool known = early && forget();
  Call call(number);
  const int result = real();
  call.end();
  if (result != MPI_SUCCESS) {
    if (known) process.communicators.restore(handle, removed);
    return result;
  }
  if (!early) known = forget();
  if (!known) return result;
  RankEvent event = event_of(EventKind::kCommFree);
  event.comm = removed.number;
  call.log(event, true);
  return result;
}

}  // namespace vef::shim
