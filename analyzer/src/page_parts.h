// SPDX-License-Identifier: Apache-2.0
// The parts of the report page that depend on the analysis, as HTML or JSON.
#pragma once

#include <string>

#include "vef/analyzer/analysis.h"
#include "vef/base/result.h"

namespace vef::analyzer {

/// format_time() with the micro sign.
std::string time_text(Picoseconds time);

std::string page_title(const Analysis& analysis);  // plain text, not escaped
std::string cards_html(const Analysis& analysis);
std::string metadata_html(const Analysis& analysis);
std::string tables_html(const Analysis& analysis);

/// What the figures are drawn from, as pure ASCII JSON.
Result<std::string> page_data(const Analysis& analysis);

}  // namespace vef::analyzer
