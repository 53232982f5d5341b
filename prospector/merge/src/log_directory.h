// SPDX-License-Identifier: Apache-2.0
// The logs of one world: checked against each other, loaded, and every rank in its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture_info.h"
#include "model.h"
#include "rank_source.h"
#include "vef/base/result.h"
#include "vef/merge/merge.h"

namespace vef::merge {

inline constexpr std::int32_t kMaxTasks = 1 << 22;

/// The ranks 0, 1, ... of the world, with or without a log. `unreadable`: gets one line for each log that is
/// none any more, where the options allow that.
Result<std::vector<RankData>> load_directory(const std::string& directory, const Selection& selection,
                                             const MergeOptions& options, RankSource& source,
                                             std::vector<std::string>& unreadable);

}  // namespace vef::merge
