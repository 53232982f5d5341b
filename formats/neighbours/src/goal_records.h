// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "counted_reader.h"
#include "goal.h"

namespace vef::neighbours {

/// A GOAL schedule as VEF records; `path` is for messages.
Result<std::unique_ptr<RecordSource>> open_goal_records(std::unique_ptr<GoalInput> input,
                                                        const std::string& path, Losses& losses);

}  // namespace vef::neighbours
