// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

Result<std::unique_ptr<formats::TraceWriter>> create_paraver(const std::string& path,
                                                             const formats::TraceReader& trace,
                                                             const Options& options, Losses& losses);

}  // namespace vef::neighbours
