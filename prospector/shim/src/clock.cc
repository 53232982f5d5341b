// SPDX-License-Identifier: Apache-2.0
#include "clock.h"

namespace vef::shim {

bool clock_is_counter = false;

void start_clock() {
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
    best = {.ticks = clock_is_counter ? before + (after - before) / 2 : monotonic,
            .monotonic_ns = monotonic,
            .wall_ns = wall};
  }
  return best;
}

}  // namespace vef::shim
