// SPDX-License-Identifier: Apache-2.0
// The times of a part of a trace as its index entry has them: sums of a task's `time` fields.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "trace_tail.h"
#include "vef/formats/trace.h"

namespace vef::formats {

class PartTimes {
 public:
  explicit PartTimes(TaskId tasks) : sums_(static_cast<std::size_t>(tasks)) {}

  /// `part` begins with the next record.
  void begin(TracePart& part, std::uint64_t offset, std::uint64_t line) {
    part = {offset, line, 0, 0};
    empty_ = true;
  }
  void add(TracePart& part, const Record& record) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t& sum = sums_[static_cast<std::size_t>(record.task)];
    sum = sum > kMost - record.time ? kMost : sum + record.time;
    part.earliest = empty_ ? sum : std::min(part.earliest, sum);
    part.latest = empty_ ? sum : std::max(part.latest, sum);
    empty_ = false;
  }

 private:
  std::vector<std::uint64_t> sums_;  // by task
  bool empty_ = true;
};

}  // namespace vef::formats
