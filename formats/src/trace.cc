// SPDX-License-Identifier: Apache-2.0
#include "vef/formats/trace.h"

namespace vef::formats {

std::string_view collective_name(CollectiveOp op) {
  static constexpr std::string_view kNames[kCollectiveOps] = {
      "broadcast", "reduce", "all-reduce", "gather", "scatter", "all-gather", "barrier", "all-to-all"};
  const auto index = static_cast<std::size_t>(op);
  return index < kCollectiveOps ? kNames[index] : std::string_view("unknown operation");
}

}  // namespace vef::formats
