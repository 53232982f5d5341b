// SPDX-License-Identifier: Apache-2.0
// The trace model: what a VEF trace says, independent of the file it came from.
//
// A trace lists, task by task in program order, messages, marks and parts in collectives; each record carries
// one dependency and a delay after it. The execution rule, for record k+1 of a task:
//     t(k+1) = max(t(k), event(dep)) + time          dep 0:  t(k+1) = max(t(0..k), T0 + time)
// (records that are `answers` stand outside: they fire at event(dep) + time and move no t)
// with event(SEND m): m was handed to the network; event(RECEIVE m): the last byte of m reached the task;
// event(COLLECTIVE g): this task has finished its part of g. Files with magic VEF and VEF2 have no marks and
// know no program order: there t = event(dep) + time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vef::formats {

using TaskId = std::int32_t;  // a task is a world rank
using CommId = std::int32_t;  // index into Trace::communicators; 0 is the world
using MessageId = std::uint64_t;
using CollectiveId = std::uint64_t;

/// VEF4 is VEF3 with answers and further collective operations (docs/vef4.md).
enum class TraceVersion : std::uint8_t { kVef = 1, kVef2 = 2, kVef3 = 3, kVef4 = 4 };

/// Marks exist, and the records of a task run in the order of the file.
constexpr bool has_program_order(TraceVersion version) { return version >= TraceVersion::kVef3; }
std::string_view magic_of(TraceVersion version);  // "VEF3"

enum class DepKind : std::uint8_t { kIndependent = 0, kSend = 1, kReceive = 2, kCollective = 3 };

/// ID_OP numbers of VEF; from 8 on VEF4 only.
enum class CollectiveOp : std::uint8_t {
  kBroadcast = 0,
  kReduce = 1,
  kAllreduce = 2,
  kGather = 3,
  kScatter = 4,
  kAllgather = 5,
  kBarrier = 6,
  kAlltoall = 7,
  kReduceScatter = 8,
  kScan = 9,
  kExscan = 10,
};
inline constexpr int kCollectiveOps = 11;
/// How many of them a version knows.
constexpr int collective_ops(TraceVersion version) {
  return version == TraceVersion::kVef4 ? kCollectiveOps : 8;
}
std::string_view collective_name(CollectiveOp op);  // "broadcast", "all-reduce", ...

enum class RecordKind : std::uint8_t {
  kMessage,     // a point-to-point message from `task` to `peer` of `send_bytes`
  kMark,        // VEF3: src == dst, 0 bytes, no bit 2: the instant the task enters a blocking completion call
  kCollective,  // `task`'s part in collective `id`
};

/// One line of the body. `time` is in units of TraceHeader::clock picoseconds.
struct Record {
  RecordKind kind = RecordKind::kMessage;
  DepKind dep = DepKind::kIndependent;
  CollectiveOp op = CollectiveOp::kBroadcast;  // collectives only
  /// A message that the network interface of `task` sends by itself when message `dep_id` has arrived,
  /// whatever the task does (the data of a one-sided read, an acknowledgement); `dep` is kReceive. VEF4 only.
  bool answer = false;
  TaskId task = 0;               // source task; for a collective the participating task (world rank)
  TaskId peer = 0;               // messages and marks: destination task
  CommId comm = 0;               // collectives only
  std::uint64_t id = 0;          // message id, or collective id (the number after 'G')
  std::uint64_t send_bytes = 0;  // message size; collectives: send_size
  std::uint64_t recv_bytes = 0;  // collectives: recv_size
  std::uint64_t time = 0;
  std::uint64_t dep_id = 0;  // message id or collective id; unused for kIndependent

  bool operator==(const Record&) const = default;
};

struct TraceHeader {
  TraceVersion version = TraceVersion::kVef3;
  TaskId tasks = 0;
  std::uint64_t messages = 0;  // point-to-point records, marks included
  std::uint64_t communicators = 1;
  std::uint64_t collectives = 0;         // operations
  std::uint64_t collective_records = 0;  // sum of participants
  bool only_send_deps = false;
  std::uint64_t clock = 1000;  // picoseconds per unit of `time`

  bool operator==(const TraceHeader&) const = default;
};

/// Members are world ranks, in communicator rank order.
using Communicators = std::vector<std::vector<TaskId>>;

/// What a recording knows beyond the VEF text: kept in the metadata object of .vef.zst. Values are free text.
using Metadata = std::vector<std::pair<std::string, std::string>>;

}  // namespace vef::formats
