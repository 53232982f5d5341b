// SPDX-License-Identifier: Apache-2.0
#include "time_bins.h"

#include <gtest/gtest.h>

#include <limits>

namespace vef::analyzer {
namespace {

TEST(TimeBins, NoMessageGivesNoInterval) { EXPECT_EQ(TimeBins(100).finish().intervals, 0U); }

TEST(TimeBins, OneMessageGivesOneIntervalOfOnePicosecond) {
  TimeBins bins(100);
  bins.add(2, 1'234'567, 9);
  const TimeSeries series = bins.finish();
  EXPECT_EQ(series.intervals, 1U);
  EXPECT_EQ(series.begin, 1'234'567);
  EXPECT_EQ(series.width, 1);
  EXPECT_EQ(series.messages[2], std::vector<std::uint64_t>{1});
  EXPECT_EQ(series.bytes[2], std::vector<std::uint64_t>{9});
  EXPECT_EQ(series.messages[0], std::vector<std::uint64_t>{0});
}

// 0 ... 999 ps, one message each, in at most 100 intervals: width 10, ten messages in each.
TEST(TimeBins, FindsTheFinestRoundWidth) {
  TimeBins bins(100);
  for (Picoseconds t = 0; t < 1000; ++t) bins.add(0, t, 3);
  const TimeSeries series = bins.finish();
  EXPECT_EQ(series.width, 10);
  EXPECT_EQ(series.messages[0], std::vector<std::uint64_t>(100, 10));
  EXPECT_EQ(series.bytes[0], std::vector<std::uint64_t>(100, 30));
}

// Beginnings are multiples of the width: a run from 995 to 1004 ps in ten intervals fits width 1; the 30 ps
// from 995 to 1024 touch 995...999, 1000...1004, ... = 6 intervals of 5 ps but 15 or 16 of 2 ps.
TEST(TimeBins, BeginsAtAMultipleOfTheWidth) {
  TimeBins fine(10), coarse(10);
  for (Picoseconds t = 995; t < 1005; ++t) fine.add(0, t, 1);
  EXPECT_EQ(fine.finish().width, 1);
  for (Picoseconds t = 995; t < 1025; ++t) coarse.add(0, t, 1);
  const TimeSeries series = coarse.finish();
  EXPECT_EQ(series.width, 5);
  EXPECT_EQ(series.begin, 995);
  EXPECT_EQ(series.messages[0], std::vector<std::uint64_t>(6, 5));
}

// Whatever the spacing: nothing is lost, never too many intervals, and the messages stay in their intervals.
TEST(TimeBins, KeepsEveryMessageInItsInterval) {
  for (const Picoseconds step : {1LL, 7LL, 333LL, 1'000'003LL, 9'223'372'036'854'775LL}) {
    for (const std::size_t most : {std::size_t{10}, std::size_t{37}, std::size_t{1000}}) {
      TimeBins bins(most);
      std::vector<Picoseconds> times;
      for (Picoseconds i = 1; i <= 1000; ++i) times.push_back(i * step);
      for (const Picoseconds t : times) bins.add(0, t, 2);
      const TimeSeries series = bins.finish();
      EXPECT_LE(series.intervals, most);
      EXPECT_EQ(series.begin % series.width, 0);
      std::vector<std::uint64_t> expected(series.intervals);
      for (const Picoseconds t : times)
        ++expected.at(static_cast<std::size_t>((t - series.begin) / series.width));
      EXPECT_EQ(series.messages[0], expected);
      if (most < 1000) {
        EXPECT_GE(series.intervals * 5 + 5, most * 2);
      }
    }
  }
}

TEST(TimeBins, ReachesTheEndOfTime) {
  TimeBins bins(10);
  bins.add(0, 0, 1);
  bins.add(0, std::numeric_limits<Picoseconds>::max() - 1, 1);
  const TimeSeries series = bins.finish();
  EXPECT_EQ(series.messages[0].front(), 1U);
  EXPECT_EQ(series.messages[0].back(), 1U);
  EXPECT_GT(series.width, 0);
}

TEST(TimeBins, ClampsTheNumberOfIntervals) {
  TimeBins bins(0);
  for (Picoseconds t = 0; t < 100; ++t) bins.add(0, t, 1);
  EXPECT_EQ(bins.finish().intervals, kMinIntervals);
}

}  // namespace
}  // namespace vef::analyzer
