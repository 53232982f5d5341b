// SPDX-License-Identifier: Apache-2.0
// The rank log: what one rank (one thread of it) recorded. This header is the contract between the preloaded
// recorder, which writes, and the merge, which reads; the bytes on disk are specified in docs/rank-log.md.
//
// Everything here is plain data and canonical, whatever the MPI library: peers and roots are ranks in the
// event's communicator; kAnySource, kProcNull, kAnyTag below stand for the library's constants; sizes are
// bytes (64 bit); requests and communicators are numbers local to the process, never handles.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace vef::formats {

inline constexpr std::int32_t kAnySource = -1;
inline constexpr std::int32_t kProcNull = -2;
inline constexpr std::int32_t kRootHere =
    -3;  // MPI_ROOT: this rank is the root of an inter-communicator operation
inline constexpr std::int32_t kUndefined = -4;
inline constexpr std::int32_t kAnyTag = -1;

// Communicators are numbered per process in order of appearance.
inline constexpr std::uint32_t kCommWorld = 0;
inline constexpr std::uint32_t kCommSelf = 1;
inline constexpr std::uint32_t kCommNull = 0xffffffff;

/// What an event means for matching; the MPI function itself is RankEvent::call (vef/formats/mpi_call.h).
/// The fields that are set are named in braces. Numbers are stable: they stand in files.
enum class EventKind : std::uint8_t {
  kInit = 1,          // {} MPI_Init, MPI_Init_thread, ... has returned
  kFinalize = 2,      // {}
  kAbort = 3,         // {tag: the error code}
  kSend = 10,         // {comm, peer, tag, bytes} blocking send of any mode
  kIsend = 11,        // {comm, peer, tag, bytes, request}
  kRecv = 12,         // {comm, peer, tag, bytes: as posted; completions[0]: what came}
  kIrecv = 13,        // {comm, peer, tag, bytes: as posted, request}
  kSendInit = 14,     // {comm, peer, tag, bytes, request} persistent
  kRecvInit = 15,     // {comm, peer, tag, bytes, request} persistent
  kStart = 16,        // {requests} persistent requests that were started, in order
  kComplete = 17,     // {completions} a Wait/Test call that completed these, in array order; nothing else is
                      // logged of it. Without completions, of any call: time inside MPI, no more
  kRequestFree = 18,  // {request} freed while active: it will complete unseen
  kCancel = 19,       // {request}
  kProbe = 20,   // {comm, peer, tag: as asked; completions[0]: what was found} Probe or successful Iprobe
  kMprobe = 21,  // {comm, peer, tag: as asked; request: the message's number; completions[0]: what was found}
  kMrecv = 22,   // {request: the message's number; bytes: capacity; completions[0]: what came}
  kImrecv = 23,  // {request: the request's number; message: the message's number; bytes: capacity}
  kSendrecv =
      24,  // {comm, peer, tag, bytes: the send; recv_peer, recv_tag, recv_bytes: as posted; completions[0]}
  // Partitioned: kStart begins a round. Their receives match their sends only, in the order of these calls.
  kPsendInit = 25,    // {comm, peer, tag, bytes: of all partitions, request}
  kPrecvInit = 26,    // {comm, peer, tag, bytes: of all partitions, request}
  kPready = 27,       // {request, bytes: of the partitions that became ready}; all ready: the message leaves
  kCollective = 30,   // {comm, peer: root or kUndefined, bytes: sent, recv_bytes, sizes: per peer where the
                      // call has them}
  kIcollective = 31,  // the same + {request}
  kCollectiveInit = 32,  // the same, persistent: each kStart of the request begins one
  // Communicators. in_neighbours and out_neighbours where there is a topology. comm is kCommNull where a
  // communicator is made from a group without a parent (MPI_Comm_create_from_group, ..., with
  // kCommGroupOnly); text is then the string tag. Of MPI_Comm_create_group tag is that of the call.
  // Where worlds meet (MPI_Comm_spawn, _accept, _connect, _join) tag is the root's rank in the local group,
  // and the root has text: of a spawn the commands, one a line (and recv_bytes: the processes that were
  // asked for), else the port's name, or the socket's own and the peer's address with a blank between.
  kCommCreate = 40,  // {comm: parent, new_comm (kCommNull: this rank is no member), comm_flags, members,
                     // remote_members, request: 0 or that of MPI_Comm_idup}
  kCommDefine = 41,  // {new_comm, comm_flags, members, remote_members} seen in use by `call`, made by a call
                     // that was not recorded, or for this process by another (MPI_Comm_get_parent)
  kCommFree = 42,    // {comm}
  kPolls = 50,       // {polls} a run of consecutive failed Test/Iprobe calls, folded
  kPause =
      51,  // {} recording was off (Pcontrol) or the rank was busy with the log; duration is not computing
  kWinCreate = 60,  // {comm, window, bytes: what this rank exposes} collective over comm
  kWinFree = 61,    // {comm, window} collective over comm
  kRma = 62,        // {comm, window, peer: the target, bytes: to it, recv_bytes: from it, request: 0 or that
                    // of an Rput, ..., which completes at the origin} one-sided
  kRmaSync = 63,    // {comm, window, peer: the target or kUndefined; members: the group of Post and Start};
                    // `call` says what is synchronised
  kIo = 70,         // {bytes: of this rank, request: 0 or that of the non-blocking call} MPI_File_*
  kRegion = 80,     // {tag: 1 begins, -1 ends; text: its name} MPI_Pcontrol
  kModule = 81,     // {request: number from 1; text: the file's path, a newline, the build id in hexadecimal}
  kSite = 82,       // {site; requests: return addresses, innermost first: module << 48 | offset in the file's
                    // address space, as addr2line takes it} defines a call site; events refer to it
  kNote = 83,       // {text} a line for the person who merges: calls that were seen and not recorded
};

struct Completion {
  std::uint64_t request = 0;         // 0 where the event completes no request (Recv, Probe)
  std::int32_t source = kUndefined;  // actual source, rank in the communicator; receives only
  std::int32_t tag = kUndefined;     // actual tag; receives only
  std::uint64_t bytes = 0;           // actual size; receives only
  bool is_receive = false;
  bool cancelled = false;

  bool operator==(const Completion&) const = default;
};

/// Members of a group as runs of world ranks: first, first+stride, ... (count of them). Processes of other
/// worlds have numbers from the world's size on, which this process gives them when it first meets them and
/// which say no more than that two of them are, or are not, the same.
struct RankRun {
  std::int32_t first = 0;
  std::int32_t stride = 1;
  std::uint32_t count = 0;

  bool operator==(const RankRun&) const = default;
};

enum CommFlags : std::uint8_t {
  kCommInter = 1,  // an inter-communicator: `members` is the local group, `remote_members` the other
  kCommGroupOnly =
      2,  // the call was collective over the new group only (MPI_Comm_create_group), not the parent
  kCommOtherWorlds = 4,  // some members are in other worlds (spawned processes, ...)
};

/// A run of failed polls.
struct Polls {
  std::uint64_t count = 0;
  std::uint64_t inside = 0;      // ticks inside the calls
  std::uint64_t short_gaps = 0;  // sum of the gaps between them of at most the poll gap (waiting)
  std::uint64_t long_gaps = 0;   // sum of the longer gaps (computing)

  bool operator==(const Polls&) const = default;
};

/// What most events have: all there is of the kinds of point-to-point calls (but kSendrecv, kImrecv and
/// kStart), of requests, and of kInit to kAbort and kPause. `gap` is the time since the end of the previous
/// event of this log (for kPolls: the gap before the first poll), `duration` the time inside the call. The
/// writer takes clock ticks, the reader returns nanoseconds; spans point to the caller's memory (writer) or
/// into the reader until its next call.
struct NarrowEvent {
  EventKind kind = EventKind::kInit;
  std::uint16_t call = 0;  // MpiCall
  std::uint32_t site = 0;  // call site, from 1; 0: not recorded
  std::uint64_t gap = 0;
  std::uint64_t duration = 0;
  std::uint32_t comm = 0;
  std::int32_t peer = 0;
  std::uint64_t bytes = 0;
  std::uint64_t request = 0;
  std::uint64_t sequence = 0;  // order of posting events in the process once two threads call MPI; else 0
  std::int32_t tag = 0;
  std::span<const Completion> completions;
};

/// Any event.
struct RankEvent : NarrowEvent {
  std::int32_t recv_peer = 0;
  std::int32_t recv_tag = 0;
  std::uint64_t recv_bytes = 0;
  std::uint64_t message = 0;
  std::uint32_t window = 0;  // numbered per process in order of creation, from 1
  std::span<const std::uint64_t> requests;
  std::span<const std::uint64_t> sizes;
  std::uint32_t new_comm = 0;
  std::uint8_t comm_flags = 0;
  Polls polls;
  std::span<const RankRun> members;
  std::span<const RankRun> remote_members;
  std::span<const std::int32_t> in_neighbours;  // ranks in the communicator, with repetitions, in MPI's order
  std::span<const std::int32_t> out_neighbours;
  std::string_view text;  // UTF-8 is not checked
};

}  // namespace vef::formats
