// SPDX-License-Identifier: Apache-2.0
// VEF4 as VEF3 (docs/vef4.md, "Lowering to VEF3"): a reduce-scatter becomes a reduce and a scatter, a scan
// messages from each rank to the next. Answers are an error, or left out where Options::lossy says so.
#pragma once

#include <memory>
#include <string>

#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

/// Opens `path`, a trace of `format`, lowered. The file is read three times where there is something to
/// lower: what has to go is looked for, the records that remain are counted, and given.
Result<std::unique_ptr<formats::TraceReader>> open_lowered(const std::string& path, const Format& format,
                                                           Lowering lowering, const Options& options,
                                                           Losses& losses);

}  // namespace vef::neighbours
