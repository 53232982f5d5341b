// SPDX-License-Identifier: Apache-2.0
#include "time_bins.h"

#include <algorithm>
#include <utility>
#include "vef/base/units.h"

namespace vef::analyzer {

// Twenty bins per interval before a tenfold merge leave at least two afterwards, so that the last, finer
// merge always finds a width of 1, 2 or 5 times a power of ten that uses two fifths of the intervals or more.
constexpr std::size_t kBinsPerInterval = 20;

TimeBins::TimeBins(std::size_t max_intervals)
    : max_intervals_(std::clamp(max_intervals, kMinIntervals, kMaxIntervals)),
      limit_(max_intervals_ * kBinsPerInterval) {}

void TimeBins::add(int operation, Picoseconds time, std::uint64_t bytes) {
  if (bins_.empty()) base_ = time / width_;
  while (static_cast<std::uint64_t>(time / width_ - base_) >= limit_) coarsen(10);
  const std::size_t index = static_cast<std::size_t>(time / width_ - base_);
  if (index >= bins_.size()) bins_.resize(index + 1);
  const auto op = static_cast<std::size_t>(operation);
  saturating_add_to(bins_[index].messages[op], 1);
  saturating_add_to(bins_[index].bytes[op], bytes);
}

Picoseconds TimeBins::last() const { return base_ + static_cast<Picoseconds>(bins_.size()) - 1; }

void TimeBins::coarsen(Picoseconds factor) {
  const Picoseconds base = base_ / factor;
  std::vector<Bin> merged(static_cast<std::size_t>(last() / factor - base + 1));
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    Bin& to = merged[static_cast<std::size_t>((base_ + static_cast<Picoseconds>(i)) / factor - base)];
    for (std::size_t op = 0; op < kOperations; ++op) {
      saturating_add_to(to.messages[op], bins_[i].messages[op]);
      saturating_add_to(to.bytes[op], bins_[i].bytes[op]);
    }
  }
  bins_ = std::move(merged);
  base_ = base;
  width_ *= factor;
}

Picoseconds TimeBins::final_factor() const {
  for (Picoseconds decade = 1;; decade *= 10) {
    for (const Picoseconds step : {1, 2, 5}) {
      const Picoseconds factor = step * decade;
      if (static_cast<std::size_t>(last() / factor - base_ / factor + 1) <= max_intervals_) return factor;
    }
  }
}

TimeSeries TimeBins::finish() {
  if (!bins_.empty()) coarsen(final_factor());
  TimeSeries series;
  series.width = width_;
  series.begin = base_ * width_;
  series.intervals = bins_.size();
  for (std::size_t op = 0; op < kOperations; ++op) {
    series.messages[op].reserve(bins_.size());
    series.bytes[op].reserve(bins_.size());
    for (const Bin& bin : bins_) {
      series.messages[op].push_back(bin.messages[op]);
      series.bytes[op].push_back(bin.bytes[op]);
    }
  }
  return series;
}

}  // namespace vef::analyzer
