// SPDX-License-Identifier: Apache-2.0
// Collectives of the world as lines of a time-independent trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

/// How bytes are counted: as they are, or by 8 where 31 bits are too few.
struct TiUnits {
  std::uint64_t bytes = 1;
  std::uint64_t type = 0;
  std::uint64_t count(std::uint64_t size) const { return size / bytes + (size % bytes == 0 ? 0 : 1); }
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
