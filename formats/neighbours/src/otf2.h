// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "counted_reader.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

/// `path` is the anchor; the library takes the other files from its folder, by its name.
Result<std::unique_ptr<RecordSource>> open_otf2(const std::string& path, Losses& losses);

/// An archive with the anchor `path`, which ends with .otf2; the rest is named after it.
Result<std::unique_ptr<formats::TraceWriter>> create_otf2(const std::string& path,
                                                          const formats::TraceReader& trace, Losses& losses);

}  // namespace vef::neighbours
