// SPDX-License-Identifier: Apache-2.0
// The recorder's clock: the processor's time-stamp counter where it runs at a constant rate through all power
// states (x86: CPUID 8000_0007h EDX[8]; Arm: the generic timer), else CLOCK_MONOTONIC_RAW in nanoseconds.
#pragma once

#include <ctime>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include <cstdint>

#include "vef/formats/rank_log_writer.h"

namespace vef::shim {

inline std::uint64_t read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

extern bool clock_is_counter;  // set by start_clock()

inline std::uint64_t ticks() {
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

void start_clock();

/// One instant on all three clocks; of a few tries the one with the least time between the readings.
formats::ClockSample sample_clock();

}  // namespace vef::shim
