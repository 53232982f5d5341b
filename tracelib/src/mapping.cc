// SPDX-License-Identifier: Apache-2.0
#include "vef/tracelib/mapping.h"

#include <numeric>
#include <random>
#include <string>
#include <utility>

namespace vef::tracelib {

Result<MappingKind> parse_mapping(std::string_view name) {
  if (name == "linear") return MappingKind::kLinear;
  if (name == "random") return MappingKind::kRandom;
  return usage_error("'" + std::string(name) + "' is no mapping; expected linear or random");
}

Result<std::vector<NodeId>> make_mapping(MappingKind kind, formats::TaskId tasks, NodeId nodes,
                                         std::uint64_t seed) {
  if (tasks > nodes) {
    return usage_error("the trace has " + std::to_string(tasks) + " tasks, the network only " +
                       std::to_string(nodes) + " nodes");
  }
  std::vector<NodeId> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  if (kind == MappingKind::kRandom) {
    // Fisher-Yates with our own bounded draw: std::shuffle and std::uniform_int_distribution may differ
    // between standard libraries, mt19937_64 may not.
    std::mt19937_64 random(seed);
    for (std::size_t i = order.size(); i > 1; --i) {
      const std::uint64_t limit = i * (~std::uint64_t{0} / i);
      std::uint64_t draw = random();
      while (draw >= limit) draw = random();
      std::swap(order[i - 1], order[draw % i]);
    }
  }
  order.resize(static_cast<std::size_t>(tasks));
  return order;
}

}  // namespace vef::tracelib
