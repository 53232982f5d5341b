// SPDX-License-Identifier: Apache-2.0
// The recorder's clock: the processor's time-stamp counter where it runs at a constant rate through all power
// states (x86: CPUID 8000_0007h EDX[8]; Arm: the generic timer), else CLOCK_MONOTONIC_RAW in nanoseconds.
//
// Ticks are whole units of it: at most the resolution that is asked for, but never less than the step in
// which the counter advances (on many AMD processors 10 ns, however fast it counts): what is left out is what
// the counter does not know. Instants are rounded, not durations, so nothing adds up.
#pragma once

#include <ctime>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include <cstdint>
#include <span>

#include "hidden.h"
#include "vef/formats/rank_log_writer.h"

namespace vef::shim {

inline std::uint64_t read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

/// Counts per unit: a whole number of counts `length` every `steps` units, the first unit beginning `offset`
/// counts before 0.
struct ClockStep {
  std::uint64_t length = 1;
  std::uint64_t steps = 1;
  std::uint64_t offset = 0;
};

/// Finds the step of a counter from many readings of it; one count where there is none to be seen.
ClockStep find_step(std::span<const std::uint64_t> readings);

/// Counts to units by one multiplication.
class ClockUnit {
 public:
  ClockUnit() = default;
  /// A unit is 2^doublings steps.
  ClockUnit(const ClockStep& step, unsigned doublings);

  std::uint64_t operator()(std::uint64_t counts) const {
    return static_cast<std::uint64_t>(static_cast<Wide>(2 * counts + offset_) * factor_ >> 64);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t offset_ = 0;
  std::uint64_t factor_ = std::uint64_t{1} << 63;  // 2^63 units per count
};

// Set by start_clock().
VEF_HIDDEN extern bool clock_is_counter;
VEF_HIDDEN extern bool ticks_are_ns;
VEF_HIDDEN extern ClockUnit clock_unit;

inline std::uint64_t read_counter() {
#if defined(__x86_64__)
  if (clock_is_counter) [[likely]]
    return __rdtsc();
#elif defined(__aarch64__)
  if (clock_is_counter) [[likely]] {
    std::uint64_t value = 0;
    asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value));
    return value;
  }
#endif
  return read_clock(CLOCK_MONOTONIC_RAW);
}

inline std::uint64_t ticks() { return clock_unit(read_counter()); }

/// Chooses clock and unit; takes about 100 us.
void start_clock(std::uint64_t resolution_ns);

/// One instant on all three clocks; of a few tries the one with the least time between the readings.
formats::ClockSample sample_clock();

}  // namespace vef::shim
