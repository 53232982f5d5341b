// SPDX-License-Identifier: Apache-2.0
#include "clock.h"

namespace vef::shim {

bool clock_is_counter = false;
bool ticks_are_ns = false;
ClockUnit clock_unit;

ClockUnit::ClockUnit(const ClockStep& step, unsigned doublings)
    : offset_(2 * step.offset),
      // Rounded up, so that what lies on the border of a unit does not fall into the one before.
      factor_(static_cast<std::uint64_t>(
          ((static_cast<Wide>(step.steps) << (63 - doublings)) + step.length - 1) / step.length)) {}

namespace {

constexpr std::uint64_t kMostSteps = 4;     // that make a whole number of counts
constexpr std::uint64_t kMostLength = 512;  // counts of so many steps
constexpr std::uint64_t kLeastStep = 8;     // counts: less is not worth it

/// The remainders of the readings by `length`, if there are at most kMostSteps; else 0.
std::uint64_t find_remainders(std::span<const std::uint64_t> readings, std::uint64_t length,
                              std::uint64_t (&found)[kMostSteps]) {
  std::uint64_t count = 0;
  for (const std::uint64_t reading : readings) {
    const std::uint64_t remainder = reading % length;
    std::uint64_t i = 0;
    while (i < count && found[i] != remainder) ++i;
    if (i < count) continue;
    if (count == kMostSteps) return 0;
    found[count++] = remainder;
  }
  return count;
}

/// Whether each of the remainders falls into a unit of its own.
bool separates(const ClockStep& step, const std::uint64_t (&remainders)[kMostSteps]) {
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < step.steps; ++i)
    seen |= std::uint64_t{1} << (remainders[i] + step.offset) * step.steps / step.length % step.steps;
  return seen + 1 == std::uint64_t{1} << step.steps;
}

/// Counts in a nanosecond.
double counter_rate() {
  constexpr std::uint64_t kLong = 50'000;
  const std::uint64_t begin_ns = read_clock(CLOCK_MONOTONIC_RAW);
  const std::uint64_t begin = read_counter();
  std::uint64_t now_ns = begin_ns;
  while (now_ns - begin_ns < kLong) now_ns = read_clock(CLOCK_MONOTONIC_RAW);
  return static_cast<double>(read_counter() - begin) / static_cast<double>(now_ns - begin_ns);
}

}  // namespace

ClockStep find_step(std::span<const std::uint64_t> readings) {
  ClockStep best;
  for (std::uint64_t length = kLeastStep; length <= kMostLength; ++length) {
    std::uint64_t remainders[kMostSteps] = {};
    const std::uint64_t steps = find_remainders(readings, length, remainders);
    // A longer step than the best, which is at least kLeastStep.
    if (steps == 0 || length < kLeastStep * steps || length * best.steps <= best.length * steps) continue;
    ClockStep step{length, steps, 0};
    while (step.offset < length && !separates(step, remainders)) ++step.offset;
    if (step.offset < length) best = step;
  }
  return best;
}

void start_clock(std::uint64_t resolution_ns) {
#if defined(__x86_64__)
  constexpr unsigned kInvariantCounter = 1U << 8;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  clock_is_counter = __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & kInvariantCounter) != 0;
#elif defined(__aarch64__)
  clock_is_counter = true;
#endif
  ClockStep step;
  double counts = static_cast<double>(resolution_ns);  // in the resolution
  if (clock_is_counter) {
    std::uint64_t readings[512];
    for (std::uint64_t& reading : readings) reading = read_counter();
    step = find_step(readings);
    counts *= counter_rate();
  }
  double unit = static_cast<double>(step.length) / static_cast<double>(step.steps);
  unsigned doublings = 0;
  for (; 2 * unit <= counts && doublings < 40; unit *= 2) ++doublings;
  clock_unit = ClockUnit(step, doublings);
  ticks_are_ns = !clock_is_counter && doublings == 0;
}

formats::ClockSample sample_clock() {
  formats::ClockSample best;
  std::uint64_t least = ~std::uint64_t{0};
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::uint64_t before = ticks();
    const std::uint64_t monotonic = read_clock(CLOCK_MONOTONIC_RAW);
    const std::uint64_t wall = read_clock(CLOCK_REALTIME);
    const std::uint64_t after = ticks();
    if (after - before >= least) continue;
    least = after - before;
    best = {.ticks = clock_is_counter ? before + (after - before) / 2 : clock_unit(monotonic),
            .monotonic_ns = monotonic,
            .wall_ns = wall};
  }
  return best;
}

}  // namespace vef::shim
