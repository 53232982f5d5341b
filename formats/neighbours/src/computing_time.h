// SPDX-License-Identifier: Apache-2.0
// The times of records for formats whose ranks do one thing after the other and know no absolute times.
#pragma once

#include <string>
#include <vector>

#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

class ComputingTime {
 public:
  /// `format`: its name, for the reasons of losses.
  ComputingTime(const formats::TraceHeader& header, std::string format, Losses& losses)
      : ordered_(formats::has_program_order(header.version)),
        format_(std::move(format)),
        losses_(losses),
        computed_(static_cast<std::size_t>(header.tasks)) {}

  /// How long the task computes before the record, in units of the trace.
  std::uint64_t before(const formats::Record& record);

 private:
  bool ordered_;
  std::string format_;
  Losses& losses_;
  std::vector<std::uint64_t> computed_;  // by task, in all
};

/// `time` units of `clock` picoseconds as nanoseconds; what is rounded is counted, `why` being the reason. A
/// fault has no file's name.
Result<std::uint64_t> to_nanoseconds(std::uint64_t time, std::uint64_t clock, const char* why,
                                     Losses& losses);

}  // namespace vef::neighbours
