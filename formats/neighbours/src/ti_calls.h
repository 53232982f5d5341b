// SPDX-License-Identifier: Apache-2.0
// Collectives of the world as lines of a time-independent trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "element_units.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

struct TiUnits : ElementUnits {
  std::uint64_t type = 0;
};
/// For sizes up to `largest`. A fault has no file's name.
Result<TiUnits> ti_units(std::uint64_t largest);

/// The lines of all ranks, without their numbers.
struct TiCalls {
  std::int32_t root = -1;           // -1: the operation has none
  std::string name;                 // "gatherv"
  std::vector<std::string> before;  // by rank: arguments before the root
  std::string after;                // the datatypes, with a space in front
  std::string line(std::size_t member) const {
    return name + before[member] + (root < 0 ? "" : " " + std::to_string(root)) + after;
  }
};
/// `rounded` becomes true if a size had to be.
Result<TiCalls> ti_calls(const WholeCollective& call, bool& rounded);

}  // namespace vef::neighbours
