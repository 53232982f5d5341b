// SPDX-License-Identifier: Apache-2.0
// The members of a group as runs of world ranks.
#pragma once

#include <cstddef>

#include "vef/formats/rank_log.h"

namespace vef::shim {

/// Runs of equal stride in `ranks`, negative ones left out; writes at most `count` runs, returns how many.
std::size_t compress_ranks(const int* ranks, std::size_t count, formats::RankRun* runs);

}  // namespace vef::shim
