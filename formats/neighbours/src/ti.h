// SPDX-License-Identifier: Apache-2.0
// Time-independent traces of SimGrid: see ti_types.h for what they are.
#pragma once

#include <memory>
#include <string>

#include "counted_reader.h"

namespace vef::neighbours {

/// `path` is an index, or the one file of all ranks.
Result<std::unique_ptr<RecordSource>> open_ti(const std::string& path, const Options& options,
                                              Losses& losses);

Result<std::unique_ptr<formats::TraceWriter>> create_ti(const std::string& path,
                                                        const formats::TraceReader& trace,
                                                        const Options& options, Losses& losses);

/// Whether a line has the form of one: a number and a known action.
bool is_ti_line(std::string_view line);

}  // namespace vef::neighbours
