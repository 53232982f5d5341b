// SPDX-License-Identifier: Apache-2.0
// Static analysis: what a trace communicates, without any network.
//
// One pass executes the trace on an ideal network (infinite bandwidth, zero latency) and counts the messages
// that are handed out. A VEF trace knows no absolute time, so the time axis of every figure is the time on
// that ideal network: computing time and dependencies only. Models the figures of "Characterization of Real
// Communication Patterns and Congestion Dynamics in HPC Interconnection Networks" (2026), section on static
// analysis.
//
// Units: bytes, picoseconds. All sums saturate at 2^64-1. Plain values; safe to read from several threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vef/base/result.h"
#include "vef/base/units.h"
#include "vef/formats/trace_io.h"
#include "vef/tracelib/collectives.h"

namespace vef::analyzer {

/// The operations that are counted: 0 is the point-to-point message, 1 + n is collective operation n.
inline constexpr int kOperations = 1 + formats::kCollectiveOps;
inline constexpr int kSend = 0;
constexpr int operation_of(formats::CollectiveOp op) { return 1 + static_cast<int>(op); }
std::string_view operation_name(int operation);  // "send", "broadcast", ...

struct OperationCounts {
  std::uint64_t calls = 0;  // MPI calls: one per point-to-point message, one per participant of a collective
  std::uint64_t operations = 0;  // a collective counts once, however many tasks take part
  /// Sum over the calls of the larger buffer at the call: max(send size, receive size) of the record; for an
  /// all-to-all everything the task sends.
  std::uint64_t call_bytes = 0;
  std::uint64_t messages = 0;  // after the expansion of collectives
  std::uint64_t message_bytes = 0;
  std::uint64_t self_messages = 0;  // of `messages`, those from a task to itself
};

/// Values per operation in intervals of equal width. Interval i is [begin + i * width, begin + (i + 1) *
/// width); the first holds the first message and the last the last one. No message: no interval.
struct TimeSeries {
  Picoseconds begin = 0;  // a multiple of `width`
  Picoseconds width = 1;  // 1, 2 or 5 times a power of ten
  std::size_t intervals = 0;
  std::array<std::vector<std::uint64_t>, kOperations> messages;
  std::array<std::vector<std::uint64_t>, kOperations> bytes;
};

/// Source x destination, row-major, `side` x `side`. Cell (r, c) sums the tasks [r * block, (r + 1) * block)
/// as sources and the same of c as destinations.
struct TrafficMatrix {
  std::int64_t tasks = 0;
  std::int64_t block = 1;
  std::int64_t side = 0;
  std::vector<std::uint64_t> messages;
  std::vector<std::uint64_t> bytes;
};

/// Messages by size. Class 0: 0 bytes; class k: 2^(k-1) ... 2^k - 1 bytes.
inline constexpr int kSizeClasses = 65;
struct SizeHistogram {
  std::array<std::array<std::uint64_t, kSizeClasses>, kOperations> messages{};
};
constexpr std::uint64_t size_class_begin(int size_class) {
  return size_class == 0 ? 0 : std::uint64_t{1} << (size_class - 1);
}

struct CommunicatorCounts {
  std::uint64_t members = 0;
  std::uint64_t operations = 0;  // collectives
  std::uint64_t calls = 0;
  std::uint64_t call_bytes = 0;  // as OperationCounts::call_bytes
};

struct Analysis {
  std::string source;  // the file's name, without its folders
  formats::TraceHeader header;
  formats::Metadata metadata;
  tracelib::Expansion expansion = tracelib::Expansion::kN;

  std::uint64_t records = 0;
  std::uint64_t marks = 0;  // of `records`: instants, neither calls nor messages
  std::array<OperationCounts, kOperations> operations{};
  TimeSeries over_time;
  TrafficMatrix matrix;
  SizeHistogram sizes;
  std::vector<CommunicatorCounts> communicators;
  Picoseconds ideal_time = 0;  // when the last record fired or the last message was handed out
  Picoseconds first_message = 0;
  Picoseconds last_message = 0;

  OperationCounts total() const;
};

// With fewer intervals than the minimum the widths could leave 64 bits.
inline constexpr std::size_t kMinIntervals = 10;
inline constexpr std::size_t kMaxIntervals = 100'000;

struct AnalysisOptions {
  tracelib::Expansion expansion = tracelib::Expansion::kN;
  std::size_t max_intervals = 1000;     // of the time series; kMinIntervals ... kMaxIntervals
  std::int64_t max_matrix_side = 4096;  // more tasks than this are summed in blocks; at least 1
  std::function<void(std::uint64_t done, std::uint64_t records)> progress;  // may be empty
};

/// Validates and analyses `trace`. `path` is used in messages and, without folders, as Analysis::source.
Result<Analysis> analyze(std::shared_ptr<const formats::Trace> trace, const std::string& path,
                         const AnalysisOptions& options = {});

}  // namespace vef::analyzer
