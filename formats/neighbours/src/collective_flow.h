// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vef/formats/trace.h"

namespace vef::neighbours {

/// Which way the data of a collective go, and so who can leave it when: with the last to enter; with the root
/// and oneself; with oneself, the root with the last.
enum class Flow { kToAll, kFromRoot, kToRoot };

inline Flow flow_of(formats::CollectiveOp op) {
  using formats::CollectiveOp;
  if (op == CollectiveOp::kBroadcast || op == CollectiveOp::kScatter) return Flow::kFromRoot;
  if (op == CollectiveOp::kReduce || op == CollectiveOp::kGather) return Flow::kToRoot;
  return Flow::kToAll;
}

}  // namespace vef::neighbours
