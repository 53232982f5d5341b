// SPDX-License-Identifier: Apache-2.0
// Which end node runs which task.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "vef/base/result.h"
#include "vef/tracelib/player.h"

namespace vef::tracelib {

enum class MappingKind : std::uint8_t {
  kLinear,  // task i on node i
  kRandom,  // a random injection of the tasks into the nodes, fixed by the seed
};

Result<MappingKind> parse_mapping(std::string_view name);  // "linear", "random"

/// One node per task; an error if there are more tasks than nodes. The same arguments give the same mapping
/// on every machine.
Result<std::vector<NodeId>> make_mapping(MappingKind kind, formats::TaskId tasks, NodeId nodes,
                                         std::uint64_t seed);

}  // namespace vef::tracelib
