// SPDX-License-Identifier: Apache-2.0
// Traces for tests that ask what comes back.
#pragma once

#include <random>

#include "vef/formats/trace_io.h"

namespace vef::formats::testing {

/// A trace of random records within the format's ranges; it need not make sense.
inline Trace random_trace(unsigned seed, std::uint64_t most_records = 3000) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  Trace trace;
  trace.header.version = static_cast<TraceVersion>(1 + below(4));
  const bool marks = has_program_order(trace.header.version);
  trace.header.tasks = static_cast<TaskId>(1 + below(9));
  trace.header.only_send_deps = below(2) == 1;
  trace.header.clock = marks ? 1 + below(1'000'000) : 1000;
  const auto any_task = [&] {
    return static_cast<TaskId>(below(static_cast<std::uint64_t>(trace.header.tasks)));
  };
  const auto any_number = [&] { return random() >> below(64); };
  trace.header.communicators = 1 + below(3);
  std::vector<TaskId> world;
  for (TaskId task = 0; task < trace.header.tasks; ++task) world.push_back(task);
  for (std::uint64_t comm = 0; comm < trace.header.communicators; ++comm)
    trace.communicators.push_back(world);
  for (std::size_t i = 0, count = 1 + below(most_records - 1); i < count; ++i) {
    Record record;
    record.kind = static_cast<RecordKind>(below(3));
    if (record.kind == RecordKind::kMark && !marks) record.kind = RecordKind::kMessage;
    record.dep = static_cast<DepKind>(below(4));
    record.task = any_task();
    record.time = any_number();
    record.dep_id = record.dep == DepKind::kIndependent ? 0 : any_number();
    if (record.kind == RecordKind::kCollective) {
      record.id = below(4) == 0 ? any_number() : trace.header.collectives;
      record.op =
          static_cast<CollectiveOp>(below(static_cast<std::uint64_t>(collective_ops(trace.header.version))));
      record.comm = static_cast<CommId>(below(trace.header.communicators));
      record.recv_bytes = any_number() / 2;
      record.send_bytes = any_number() / 2;
      ++trace.header.collective_records;
      bool is_new = true;
      for (const Record& other : trace.records) {
        is_new = is_new && !(other.kind == RecordKind::kCollective && other.id == record.id);
      }
      trace.header.collectives += is_new ? 1 : 0;
    } else {
      record.id = any_number();
      record.peer = record.kind == RecordKind::kMark ? record.task : any_task();
      record.send_bytes = record.kind == RecordKind::kMark ? 0 : any_number() / 2;
      record.answer = trace.header.version == TraceVersion::kVef4 && record.kind == RecordKind::kMessage &&
                      record.dep == DepKind::kReceive && below(2) == 0;
      ++trace.header.messages;
    }
    trace.records.push_back(record);
  }
  return trace;
}

}  // namespace vef::formats::testing
