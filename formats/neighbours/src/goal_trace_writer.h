// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "goal.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

/// Writes the trace as a GOAL schedule to `output`; `path` is for messages and the place of temporary files.
Result<std::unique_ptr<formats::TraceWriter>> create_goal_trace(const std::string& path,
                                                                const formats::TraceReader& trace,
                                                                const Options& options, Losses& losses,
                                                                std::unique_ptr<GoalOutput> output);

}  // namespace vef::neighbours
