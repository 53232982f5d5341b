// SPDX-License-Identifier: Apache-2.0
// Where in the program the calls without a counterpart stand. What was read does not keep that for each call:
// the logs of the ranks in question are read once more.
#pragma once

#include <vector>

#include "model.h"
#include "vef/merge/merge.h"
#include "workers.h"

namespace vef::merge {

/// Sets Unmatched::site where the recorder kept the call sites.
void find_call_sites(const std::vector<RankData>& ranks, Workers& workers, std::vector<Unmatched>& unmatched);

}  // namespace vef::merge
