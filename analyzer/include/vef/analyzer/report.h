// SPDX-License-Identifier: Apache-2.0
// What is made of an Analysis: the report page, the data files behind its figures, and a summary for
// programs. Output depends on the analysis alone: no date, no host. Not thread safe per file; values may be
// shared.
#pragma once

#include <string>

#include "vef/analyzer/analysis.h"
#include "vef/base/result.h"

namespace vef::analyzer {

/// The report as one HTML document that needs neither network nor other files.
Result<std::string> render_report(const Analysis& analysis);

/// Writes render_report() to `path`, whole or not at all.
Status write_report(const Analysis& analysis, const std::string& path);

/// Writes the CSV file behind each figure, and README.txt, into `folder`, which is created if need be.
Status write_data(const Analysis& analysis, const std::string& folder);

/// The counts as one JSON object, with a newline at the end.
std::string summary_json(const Analysis& analysis);

}  // namespace vef::analyzer
