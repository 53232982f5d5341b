// SPDX-License-Identifier: Apache-2.0
// Counts messages in intervals of time when the length of the run is not known beforehand: the intervals
// start at 1 ps and become ten times as wide whenever they get too many, so one pass and bounded memory are
// enough. Not thread safe.
#pragma once

#include <vector>

#include "vef/analyzer/analysis.h"

namespace vef::analyzer {

class TimeBins {
 public:
  /// finish() yields at most `max_intervals` intervals (kMinIntervals ... kMaxIntervals; else the nearer of
  /// the two), and at least about two fifths of them where the messages are far enough apart.
  explicit TimeBins(std::size_t max_intervals);

  /// `time` (>= 0) must not decrease.
  void add(int operation, Picoseconds time, std::uint64_t bytes);
  TimeSeries finish();

 private:
  struct Bin {
    std::array<std::uint64_t, kOperations> messages{};
    std::array<std::uint64_t, kOperations> bytes{};
  };

  Picoseconds last() const;          // index of the last bin, counted from time 0
  Picoseconds final_factor() const;  // the smallest 1, 2, 5, 10, ... that makes the bins few enough
  void coarsen(Picoseconds factor);

  std::size_t max_intervals_;
  std::size_t limit_;
  Picoseconds width_ = 1;
  Picoseconds base_ = 0;  // bins_[0] begins at base_ * width_
  std::vector<Bin> bins_;
};

}  // namespace vef::analyzer
