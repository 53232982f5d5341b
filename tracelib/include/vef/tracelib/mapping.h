// SPDX-License-Identifier: Apache-2.0
// Which end node runs which task.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace.h"
#include "vef/tracelib/player.h"

namespace vef::tracelib {

/// Of the nodes that a trace may use, in their order:
enum class MappingKind : std::uint8_t {
  kLinear,       // task i on node i
  kRoundRobin,   // task i on node i modulo their number: several tasks a node where there are more tasks
  kBlock,        // `count` tasks after each other on each node
  kInterleaved,  // nodes 0, count, 2 count, ..., then 1, count + 1, ...: every count-th node first
  kRandom,       // a random injection of the tasks into the nodes, fixed by the seed
  kFile,         // what lines `task node` of a file say; # begins a comment
  kHosts,  // the tasks of a host of the recording on a node each, hosts in the order of their first task
};

struct MappingRule {
  MappingKind kind = MappingKind::kLinear;
  NodeId count = 1;  // of kBlock and kInterleaved
  std::string file;  // of kFile
};

/// "linear", "round-robin", "block:4", "interleaved:8", "random", "file:PATH", "hosts".
Result<MappingRule> parse_mapping(std::string_view text);

/// Nodes first, first + 1, ..., of which there are `count`.
struct NodeRange {
  NodeId first = 0;
  NodeId count = 0;
};

/// One node per task; an error if the tasks do not fit. `metadata`: of the trace, for kHosts. The same
/// arguments give the same mapping on every machine.
Result<std::vector<NodeId>> make_mapping(const MappingRule& rule, formats::TaskId tasks, NodeRange nodes,
                                         std::uint64_t seed, const formats::Metadata& metadata = {});

}  // namespace vef::tracelib
