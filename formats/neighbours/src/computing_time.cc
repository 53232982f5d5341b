// SPDX-License-Identifier: Apache-2.0
#include "computing_time.h"

#include <limits>

#include "vef/base/units.h"

namespace vef::neighbours {

using formats::DepKind;

std::uint64_t ComputingTime::before(const formats::Record& record) {
  std::uint64_t& computed = computed_[static_cast<std::size_t>(record.task)];
  std::uint64_t time = record.time;
  if (record.dep == DepKind::kIndependent) {
    losses_.add("absolute times are kept as computing only", format_ + "'s traces have no absolute times",
                computed != 0);
    time = record.time > computed ? record.time - computed : 0;
  } else if (!ordered_) {
    losses_.add("delays of one task are done one after the other",
                "a rank of " + format_ + " does one thing at a time", time != 0);
  }
  saturating_add_to(computed, time);
  return time;
}

Result<std::uint64_t> to_nanoseconds(std::uint64_t time, std::uint64_t clock, const char* why,
                                     Losses& losses) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  constexpr std::uint64_t kPicos = kPicosPerNano;
  if (clock == kPicos && time <= kMost) return time;
  if (saturating_multiply(time, clock) > kMost)
    return Error{ErrorKind::kInput,
                 "a time of " + std::to_string(time) + " units; expected less than 2^63 ps"};
  const std::uint64_t picos = time * clock;
  losses.add("times are rounded to nanoseconds", why, picos % kPicos != 0);
  return picos / kPicos + (picos % kPicos >= kPicos / 2 ? 1 : 0);
}

}  // namespace vef::neighbours
