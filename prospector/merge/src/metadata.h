// SPDX-License-Identifier: Apache-2.0
// What the trace says about itself beyond its records: hosts, clocks, truncated ranks, named barriers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prepared.h"

namespace vef::merge {

void add_metadata(const Prepared& prepared, TimeZero zero, const MergeReport& report,
                  formats::Metadata& metadata);

/// How the log of each rank that ends early ended, as far as it is known.
std::vector<std::string> endings(const Prepared& prepared);

/// What the recorders said, each text once with its ranks.
std::vector<std::string> recorder_notes(const std::vector<RankData>& ranks);

/// What was exchanged with processes of another world; "" where nothing was.
std::string outside(const std::vector<RankData>& ranks);

/// "0-3 7 9-10"; the numbers must ascend.
std::string ranges(const std::vector<std::uint64_t>& numbers);

}  // namespace vef::merge
