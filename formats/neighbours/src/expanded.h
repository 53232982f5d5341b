// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

/// The messages of all members, by rank, with the sizes of the receives, which the expander need not give.
std::vector<std::vector<CollectiveStep>> expand_all(const WholeCollective& call,
                                                    const CollectiveExpander& expand);

}  // namespace vef::neighbours
