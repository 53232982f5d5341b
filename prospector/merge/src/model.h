// SPDX-License-Identifier: Apache-2.0
// What the merge keeps of the logs in memory: per rank the operations in program order, and beside them the
// sends, receives and parts in collectives they refer to by index. The loaders (load_log, load_capture) fill
// it, the matching stages resolve it, the emitter reads it. Times are nanoseconds; all of it is plain data.
//
// Where a process is called a task: the loaders know the numbers that its own process gives it (see
// formats::RankRun), join_worlds() makes tasks of them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "call_sites.h"
#include "store.h"
#include "vef/formats/rank_log.h"
#include "vef/formats/trace.h"

namespace vef::merge {

inline constexpr std::uint64_t kNoMessage = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

struct Send {
  enum Flags : std::uint8_t { kCancelled = 1, kCancelAsked = 2, kPartitioned = 4 };
  std::uint64_t bytes = 0;
  std::uint32_t event = 0;
  std::uint32_t sequence =
      0;                   // posting order among threads; 0: order of this array. Partitioned: the channel
  std::uint32_t comm = 0;  // index into RankData::comms
  std::int32_t peer = 0;   // task
  std::int32_t tag = 0;
  std::uint16_t call = 0;
  std::uint8_t flags = 0;
};

enum class ReceiveState : std::uint8_t {
  kPosted,     // never completed: the log ended, or the program forgot it
  kCompleted,  // source and tag are the actual ones
  kFreed,      // MPI_Request_free while active: takes a message unseen
  kCancelled,
};

enum class ReceiveKind : std::uint8_t {
  kReceive,
  kProbe,        // looks at the message that the next receive of its kind will take
  kPartitioned,  // takes what partitioned sends of the same channel sent
};

struct Receive {
  std::uint64_t bytes = 0;
  std::uint64_t message = kNoMessage;  // set by the matching
  std::uint32_t event = 0;
  std::uint32_t sequence = 0;  // as in Send
  std::uint32_t comm = 0;      // index into RankData::comms
  std::int32_t source = 0;     // task, or kAnySource until completed
  std::int32_t tag = 0;        // or kAnyTag until completed
  std::uint16_t call = 0;
  ReceiveState state = ReceiveState::kPosted;
  ReceiveKind kind = ReceiveKind::kReceive;
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
  kNeighborAllgather,  // of neighbours: the same block to each
  kNeighborAlltoall,   // and a block for each
  kNamedBarrier,  // a call that synchronises and is no collective of data (MPI_Comm_split, ...): told apart
                  // by `call`
};

/// What closes an epoch in which a one-sided operation takes part.
enum class Epoch : std::uint8_t {
  kFence,
  kAccess,   // MPI_Win_start ... MPI_Win_complete
  kPassive,  // MPI_Win_lock ... MPI_Win_unlock
};

/// A one-sided operation: a message to the target, and where something comes back, a second one.
struct Access {
  std::uint64_t bytes = 0;       // to the target
  std::uint64_t recv_bytes = 0;  // from it
  std::uint32_t event = 0;
  std::uint32_t window = 0;  // index into RankData::comms
  std::int32_t target = 0;   // task; kStranger: in no world that is merged
  std::uint32_t number =
      0;  // of its epoch: of the rank's fences on the window, or of its accesses to the target
  Epoch epoch = Epoch::kFence;
  bool answered = false;  // data, or an acknowledgement, come back
  bool awaited = false;   // some call waits for the answer already
};

/// A call that synchronises one-sided communication: it sends an empty message to each of its peers, waits
/// for messages, and enters a part in a collective, in this order.
struct Sync {
  enum class Kind : std::uint8_t { kFence, kPost, kStart, kComplete, kWait, kFlush };
  Kind kind = Kind::kFlush;
  std::uint32_t event = 0;
  std::uint32_t window = 0;      // index into RankData::comms
  std::uint32_t number = 0;      // kFence: of the epoch it closes
  std::uint32_t first_peer = 0;  // into RankData::peers, tasks or kStranger
  std::uint32_t peers = 0;
  std::uint32_t first_answer = 0;  // into RankData::answers: the own accesses whose answers it waits for
  std::uint32_t answers = 0;
  std::uint32_t part = kNoIndex;    // kFence: into RankData::parts
  std::uint64_t first_awaited = 0;  // set by the matching, into RankData::awaited
  std::uint64_t awaited = 0;
};

/// What a rank did with processes of a world that is not merged.
struct Outside {
  std::uint64_t sends = 0;
  std::uint64_t bytes = 0;
  std::uint64_t receives = 0;
};

struct IoTotals {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t time = 0;
};

/// A region of the program that it names itself.
struct RegionTotals {
  std::uint64_t count = 0;
  std::uint64_t time = 0;
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
  kAccess,           // first: index into accesses
  kSync,             // first: index into syncs
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

/// Something that a call completes: a receive, a part in a collective (kPartBit set), or the answer of an
/// access (kAnswerBit set).
using Thing = std::uint32_t;
inline constexpr Thing kPartBit = 0x80000000u;
inline constexpr Thing kAnswerBit = 0x40000000u;
inline constexpr Thing kThingIndex = kAnswerBit - 1;

/// Beside formats::CommFlags: the LocalComm is a window, a copy of its parent with an order of calls of its
/// own.
inline constexpr std::uint8_t kCommWindow = 0x80;
inline constexpr std::uint8_t kCommPersistent = 0x40;  // the same for a persistent collective

struct LocalComm {
  std::uint32_t parent = kNoIndex;  // index into RankData::comms
  std::uint32_t ordinal = 0;        // among the creations on the parent by this rank
  std::uint8_t flags = 0;           // formats::CommFlags
  std::uint16_t call = 0;
  bool is_member = true;  // false: the rank took part in the creation only
  std::int32_t tag = 0;   // of what was made by its group alone: the tag, or the string tag
  std::string text;
  std::vector<formats::RankRun> members;  // tasks; of an inter-communicator the local group
  std::vector<formats::RankRun> remote_members;
  std::vector<formats::TaskId> in_neighbours;  // tasks; negative: no process
  std::vector<formats::TaskId> out_neighbours;
  std::uint32_t global = kNoIndex;        // set by unify(): index into CommTable
  std::uint32_t member_index = kNoIndex;  // of this rank in the global communicator's members
};

/// A call by which worlds meet, as one process saw it; or its first sight of those that spawned it.
struct Meeting {
  std::uint32_t comm = 0;         // index into RankData::comms
  std::uint32_t part = kNoIndex;  // the call's part over its own side
  std::int32_t root = 0;          // rank in the local group
  std::uint64_t asked = 0;        // processes that were to be spawned; at the root
  std::int64_t end = 0;           // of the call
  std::string text;               // as in formats::RankEvent
  bool collected = false;         // by join_worlds()
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
  formats::TaskId rank = 0;  // in its world; from join_worlds() on the task
  std::uint32_t world = 0;   // how-manieth of those that are merged
  std::int64_t wall = 0;     // what to add to its times to get ns since 1970
  std::int32_t numbers = 0;  // the processes it knows have numbers below this
  std::int64_t late = 0;     // how much later than the first world it began; `init_end` is before that
  std::string host;
  bool present = false;     // a log exists
  bool complete = false;    // MPI_Finalize was recorded and nothing is damaged
  bool damaged = false;     // something is not as it was written
  bool unrecorded = false;  // no log, and none was wanted (VEF_RANKS)
  bool partial = false;  // calls were left out on purpose (MPI_Pcontrol, VEF_CALLS, VEF_START, VEF_REGIONS)
  bool common_clock = false;  // its times are on the clock of rank 0's host
  Ending ending = Ending::kKilled;
  std::int32_t abort_code = 0;
  std::uint64_t last_event = 0;  // the call that ended last: its number, function and end
  std::uint16_t last_call = 0;
  std::int64_t last_end = 0;
  Hole hole;
  std::int64_t init_end = 0;  // the rank's own zero
  std::uint64_t events = 0;
  std::vector<Column<Op>> threads;          // by thread, in program order
  std::vector<std::int64_t> thread_begins;  // start of each thread's first call
  Column<Send> sends;                       // in posting order
  Column<Receive> receives;                 // in posting order
  Column<Part> parts;                       // in call order
  Column<Thing> things;
  Column<std::uint64_t> sizes;
  std::vector<LocalComm> comms;
  std::vector<Meeting> meetings;
  Column<Access> accesses;
  Column<Sync> syncs;
  Column<formats::TaskId> peers;
  Column<std::uint32_t> answers;
  Column<std::uint64_t> awaited;  // numbers of messages
  Outside outside;
  IoTotals io;
  std::map<std::string, RegionTotals> regions;
  std::vector<std::string> recorder_notes;
  std::vector<std::string> damage;  // one line each
  std::vector<std::string> notes;   // about a log that is sound
  RankSites sites;
  std::vector<std::string> logs;  // where they lie, by thread
};

/// Lets the columns of the rank grow in `store`.
void keep_in(RankData& data, Store* store);
/// Moves what is in the heap to the store's file.
void settle(RankData& data, Store& store);

/// Why a rank that is not complete may miss the counterpart of a call: "the log of rank 3 ends early".
std::string incomplete(const RankData& data);

/// Whether calls of the rank may be missing: what has no counterpart there is no fault of the program.
inline bool may_miss_calls(const RankData& rank) { return !rank.complete || rank.partial; }

/// A process of a world that is not merged.
inline constexpr formats::TaskId kStranger = -5;

/// Number of members, a member (-1: there is no such), and all of them.
std::uint64_t group_size(const std::vector<formats::RankRun>& runs);
formats::TaskId world_rank(const std::vector<formats::RankRun>& runs, std::int32_t member);
std::vector<formats::TaskId> members_of(const std::vector<formats::RankRun>& runs);

/// Memory of the rank's data.
std::uint64_t model_bytes(const RankData& data);

}  // namespace vef::merge
