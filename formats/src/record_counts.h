// SPDX-License-Identifier: Apache-2.0
// The records seen so far against the counts that a header promises. Not thread safe.
#pragma once

#include <cstdint>
#include <string>

#include "trace_ids.h"
#include "vef/formats/trace.h"

namespace vef::formats {

class RecordCounts {
 public:
  void expect(const TraceHeader& header) { header_ = header; }

  /// False: one more than promised.
  bool add_message() { return ++messages_ <= header_.messages; }
  bool add_collective(std::uint64_t id) {
    const bool in_records = ++collective_records_ <= header_.collective_records;
    const bool in_operations = !collectives_.insert(id) || collectives_.size() <= header_.collectives;
    return in_records && in_operations;
  }
  bool add(const Record& record) {
    return record.kind == RecordKind::kCollective ? add_collective(record.id) : add_message();
  }
  bool all_records() const {
    return messages_ == header_.messages && collective_records_ == header_.collective_records;
  }

  /// What is wrong with `record`, for which add() was false.
  std::string excess(const Record& record) const;
  /// What is wrong if the trace ends here; empty: nothing.
  std::string lack() const;
  /// The count that differs from the header, for who writes; empty: none.
  std::string difference() const;

 private:
  TraceHeader header_;
  std::uint64_t messages_ = 0;
  std::uint64_t collective_records_ = 0;
  DistinctIds collectives_;
};

}  // namespace vef::formats
