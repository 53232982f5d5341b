// SPDX-License-Identifier: Apache-2.0
#include "vef/formats/trace.h"

#include <iterator>

namespace vef::formats {

std::string_view collective_name(CollectiveOp op) {
  static constexpr std::string_view kNames[kCollectiveOps] = {
      "broadcast", "reduce",     "all-reduce",     "gather", "scatter", "all-gather",
      "barrier",   "all-to-all", "reduce-scatter", "scan",   "exscan"};
  const auto index = static_cast<std::size_t>(op);
  return index < kCollectiveOps ? kNames[index] : std::string_view("unknown operation");
}

std::string_view magic_of(TraceVersion version) {
  static constexpr std::string_view kMagics[] = {"", "VEF", "VEF2", "VEF3", "VEF4"};
  const auto index = static_cast<std::size_t>(version);
  return index < std::size(kMagics) ? kMagics[index] : std::string_view();
}

}  // namespace vef::formats
