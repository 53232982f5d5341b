// SPDX-License-Identifier: Apache-2.0
#include "clock.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace vef::shim {
namespace {

/// What a counter says after n steps of length/steps counts.
struct Counter {
  std::uint64_t length, steps, start;
  std::uint64_t operator()(std::uint64_t n) const { return start + n * length / steps; }
};

std::vector<std::uint64_t> readings_of(const Counter& counter) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> readings;
  for (std::uint64_t n = 0; readings.size() < 512; n += 1 + random() % 3) readings.push_back(counter(n));
  return readings;
}

TEST(Clock, ACounterThatAdvancesInStepsIsCountedInSteps) {
  for (const Counter& counter : {Counter{49, 2, 0}, Counter{49, 2, 12345678}, Counter{97, 4, 99},
                                 Counter{36, 1, 5}, Counter{110, 3, 1}, Counter{8, 1, 3}}) {
    const ClockStep step = find_step(readings_of(counter));
    EXPECT_EQ(step.length * counter.steps, counter.length * step.steps) << counter.length;
    const ClockUnit unit(step, 0);
    // A step is a unit, after months too.
    for (const std::uint64_t far : {std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{1} << 50})
      for (std::uint64_t n = far; n < far + 1000; ++n)
        ASSERT_EQ(unit(counter(n + 1)), unit(counter(n)) + 1) << counter.length << " " << n;
  }
}

TEST(Clock, ACounterWithoutStepsIsCountedAsItIs) {
  for (const Counter& counter : {Counter{1, 1, 0}, Counter{2, 1, 1}, Counter{5, 1, 0}}) {
    const ClockStep step = find_step(readings_of(counter));
    EXPECT_EQ(step.length, 1u) << counter.length;
    EXPECT_EQ(ClockUnit(step, 0)(1'234'567'890'123), 1'234'567'890'123u);
  }
}

TEST(Clock, UnitsAreRoundedDown) {
  const ClockUnit unit(ClockStep{}, 4);  // 16 counts
  EXPECT_EQ(unit(0), 0u);
  EXPECT_EQ(unit(15), 0u);
  EXPECT_EQ(unit(16), 1u);
  EXPECT_EQ(unit((std::uint64_t{1} << 62) + 17), (std::uint64_t{1} << 58) + 1);
}

TEST(Clock, TicksAreNotLongerThanTheResolution) {
  start_clock(1'000'000);
  const formats::ClockSample begin = sample_clock();
  formats::ClockSample end = sample_clock();
  while (end.monotonic_ns - begin.monotonic_ns < 50'000'000) end = sample_clock();
  // The largest power of two times a step that is at most a millisecond: more than half of it.
  const double length = static_cast<double>(end.monotonic_ns - begin.monotonic_ns) /
                        static_cast<double>(end.ticks - begin.ticks);
  EXPECT_LE(length, 1.05e6);
  EXPECT_GE(length, 0.45e6);
  start_clock(1);
}

}  // namespace
}  // namespace vef::shim
