// SPDX-License-Identifier: Apache-2.0
// What the merge keeps of the logs in memory: per rank the operations in program order, and beside them the
// sends, receives and parts in collectives they refer to by index. The loaders (load_log, load_capture) fill
// it, the matching stages resolve it, the emitter reads it. Times are nanoseconds; all of it is plain data.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "call_sites.h"
#include "vef/formats/rank_log.h"
#include "vef/formats/trace.h"

namespace vef::merge {

inline constexpr std::uint64_t kNoMessage = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

struct Send {
  enum Flags : std::uint8_t { kCancelled = 1, kCancelAsked = 2 };
  std::uint64_t bytes = 0;
  std::uint32_t event = 0;
  std::uint32_t sequence = 0;  // posting order among threads; 0: order of this array
  std::uint32_t comm = 0;      // index into RankData::comms
  std::int32_t peer = 0;       // world rank
  std::int32_t tag = 0;
  std::uint16_t call = 0;
  std::uint8_t flags = 0;
  bool matched = false;
};

enum class ReceiveState : std::uint8_t {
  kPosted,     // never completed: the log ended, or the program forgot it
  kCompleted,  // source and tag are the actual ones
  kFreed,      // MPI_Request_free while active: takes a message unseen
  kCancelled,
};

/// A receive, or a probe, which looks at the message that the next receive of its kind will take.
struct Receive {
  std::uint64_t bytes = 0;
  std::uint64_t message = kNoMessage;  // set by the matching
  std::uint32_t event = 0;
  std::uint32_t sequence = 0;
  std::uint32_t comm = 0;   // index into RankData::comms
  std::int32_t source = 0;  // world rank, or kAnySource until completed
  std::int32_t tag = 0;     // or kAnyTag until completed
  std::uint16_t call = 0;
  ReceiveState state = ReceiveState::kPosted;
  bool is_probe = false;
};

/// What collectives have in common, blocking or not, large-count or not.
enum class Family : std::uint8_t {
  kBroadcast,
  kReduce,
  kAllreduce,
  kGather,
  kScatter,
  kAllgather,
  kBarrier,
  kAlltoall,  // the operations of VEF
  kGatherv,
  kScatterv,
  kAllgatherv,
  kAlltoallv,
  kAlltoallw,
  kReduceScatter,
  kScan,
  kExscan,
  kNeighbor,
  kNamedBarrier,  // a call that synchronises and is no collective of data (MPI_Comm_split, ...): told apart
                  // by `call`
};

/// One rank's part in a collective.
struct Part {
  std::uint64_t send_bytes = 0;  // as in formats::RankEvent
  std::uint64_t recv_bytes = 0;
  std::uint32_t event = 0;
  std::uint32_t sequence = 0;
  std::uint32_t comm = 0;                   // index into RankData::comms
  std::int32_t root = formats::kUndefined;  // rank in the communicator, kRootHere, kProcNull, or kUndefined
  std::uint32_t instance = kNoIndex;        // set by the matching
  std::uint32_t sizes = kNoIndex;           // first of the per-peer sizes in RankData::sizes
  std::uint16_t call = 0;
  Family family = Family::kBarrier;
};

enum class OpKind : std::uint8_t {
  kSend,             // first: index into sends
  kComplete,         // first, count: into things; a blocking receive or probe is one
  kCollective,       // first: index into parts; blocking
  kStartCollective,  // the same, non-blocking
  kFinalize,
  kUnrecorded,  // a call that leaves no record and only counts for the order of lines of the same start
};

/// One operation of a thread. `time` is the computing since the end of the operation before it.
struct Op {
  std::int64_t start = 0;  // on the clock of the rank's host
  std::int64_t end = 0;
  std::uint64_t time = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  OpKind kind = OpKind::kSend;
};

/// Something that a call completes: a receive, or a part in a collective (kPartBit set).
using Thing = std::uint32_t;
inline constexpr Thing kPartBit = 0x80000000u;

struct LocalComm {
  std::uint32_t parent = kNoIndex;  // index into RankData::comms
  std::uint32_t ordinal = 0;        // among the creations on the parent by this rank
  std::uint8_t flags = 0;           // formats::CommFlags
  std::uint16_t call = 0;
  bool is_member = true;                  // false: the rank took part in the creation only
  std::vector<formats::RankRun> members;  // world ranks; of an inter-communicator the local group
  std::vector<formats::RankRun> remote_members;
  std::uint32_t global = kNoIndex;        // set by unify(): index into CommTable
  std::uint32_t member_index = kNoIndex;  // of this rank in the global communicator's members
};

/// How a rank's recording ended.
enum class Ending : std::uint8_t {
  kFinalized,  // with MPI_Finalize
  kAborted,    // with MPI_Abort
  kExited,     // the program ended without MPI_Finalize
  kStopped,    // nothing could be written any more
  kKilled,     // the log was never closed
};

/// Events that are missing in the middle of a rank's log: how much was there before them and with them. What
/// comes later is counted from the end of the run.
struct Hole {
  bool any = false;
  struct Range {
    std::uint32_t begin = 0;  // index of the first that is behind the first hole
    std::uint32_t end = 0;    // index of the first that is behind the last hole
  };
  Range sends;
  Range receives;
  Range parts;
};

struct RankData {
  formats::TaskId rank = 0;
  std::string host;
  bool present = false;   // a log exists
  bool complete = false;  // MPI_Finalize was recorded and nothing is damaged
  bool damaged = false;   // something is not as it was written
  Ending ending = Ending::kKilled;
  std::int32_t abort_code = 0;
  std::uint64_t last_event = 0;  // the call that ended last: its number, function and end
  std::uint16_t last_call = 0;
  std::int64_t last_end = 0;
  Hole hole;
  std::int64_t init_end = 0;  // the rank's own zero
  std::uint64_t events = 0;
  std::vector<std::vector<Op>> threads;     // by thread, in program order
  std::vector<std::int64_t> thread_begins;  // start of each thread's first call
  std::vector<Send> sends;                  // in posting order
  std::vector<Receive> receives;            // in posting order
  std::vector<Part> parts;                  // in call order
  std::vector<Thing> things;
  std::vector<std::uint64_t> sizes;
  std::vector<LocalComm> comms;
  std::vector<std::string> damage;  // one line each
  std::vector<std::string> notes;   // about a log that is sound
  RankSites sites;
};

/// Why a rank that is not complete may miss the counterpart of a call: "the log of rank 3 ends early".
std::string incomplete(const RankData& data);

/// Number of members, and the world rank of a member (-1: there is no such member).
std::uint64_t group_size(const std::vector<formats::RankRun>& runs);
formats::TaskId world_rank(const std::vector<formats::RankRun>& runs, std::int32_t member);

/// Memory of the rank's data.
std::uint64_t model_bytes(const RankData& data);

}  // namespace vef::merge
