// SPDX-License-Identifier: Apache-2.0
// Small traces made by hand, for the tests of this room.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vef/formats/trace_io.h"

namespace vef::analyzer {

/// Builds a VEF3 trace record by record; header counts follow.
class TraceMaker {
 public:
  explicit TraceMaker(formats::TaskId tasks) {
    trace_.header.tasks = tasks;
    trace_.communicators.emplace_back();
    for (formats::TaskId t = 0; t < tasks; ++t) trace_.communicators[0].push_back(t);
  }

  formats::CommId communicator(std::vector<formats::TaskId> members) {
    trace_.communicators.push_back(std::move(members));
    return static_cast<formats::CommId>(trace_.communicators.size() - 1);
  }

  /// A message `time` ns after the start; returns its id.
  formats::MessageId send(formats::TaskId from, formats::TaskId to, std::uint64_t bytes, std::uint64_t time) {
    return add_message(formats::RecordKind::kMessage, from, to, bytes, time, formats::DepKind::kIndependent,
                       0);
  }

  /// A message `time` ns after `task` received message `after`.
  formats::MessageId send_after(formats::MessageId after, formats::TaskId from, formats::TaskId to,
                                std::uint64_t bytes, std::uint64_t time) {
    return add_message(formats::RecordKind::kMessage, from, to, bytes, time, formats::DepKind::kReceive,
                       after);
  }

  void mark(formats::TaskId task, std::uint64_t time) {
    add_message(formats::RecordKind::kMark, task, task, 0, time, formats::DepKind::kIndependent, 0);
  }

  /// One operation on `comm`; `sizes` are (send, receive) by rank in the communicator.
  void collective(formats::CollectiveOp op, formats::CommId comm,
                  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sizes, std::uint64_t time) {
    const auto& members = trace_.communicators[static_cast<std::size_t>(comm)];
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      formats::Record record;
      record.kind = formats::RecordKind::kCollective;
      record.op = op;
      record.task = members[rank];
      record.comm = comm;
      record.id = trace_.header.collectives;
      record.send_bytes = sizes[rank].first;
      record.recv_bytes = sizes[rank].second;
      record.time = time;
      trace_.records.push_back(record);
      ++trace_.header.collective_records;
    }
    ++trace_.header.collectives;
  }

  void metadata(const std::string& key, const std::string& value) {
    trace_.metadata.emplace_back(key, value);
  }

  std::shared_ptr<const formats::Trace> make() const {
    auto trace = std::make_shared<formats::Trace>(trace_);
    trace->header.communicators = trace->communicators.size();
    return trace;
  }

 private:
  formats::MessageId add_message(formats::RecordKind kind, formats::TaskId from, formats::TaskId to,
                                 std::uint64_t bytes, std::uint64_t time, formats::DepKind dep,
                                 formats::MessageId after) {
    formats::Record record;
    record.kind = kind;
    record.task = from;
    record.peer = to;
    record.id = trace_.header.messages++;
    record.send_bytes = bytes;
    record.time = time;
    record.dep = dep;
    record.dep_id = after;
    trace_.records.push_back(record);
    return record.id;
  }

  formats::Trace trace_;
};

}  // namespace vef::analyzer
