// SPDX-License-Identifier: Apache-2.0
// Logs that several processes read, each those that it sees: process 0 asks, one rank after the other, and
// puts together what comes back.
#pragma once

#include <memory>

#include "rank_source.h"
#include "vef/merge/transport.h"

namespace vef::merge {

/// The source of process 0. Null `transport`: this process
/// alone.
std::unique_ptr<RankSource> make_source(const VefMergeTransport* transport, const Means& means);

}  // namespace vef::merge
