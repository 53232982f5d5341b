// SPDX-License-Identifier: Apache-2.0
// How large matrices travel inside the page: varints, gzip (what a browser can inflate), base64.
#pragma once

#include <cstdint>
#include <string>

#include "vef/analyzer/analysis.h"
#include "vef/base/result.h"

namespace vef::analyzer {

/// Appends `value` in groups of seven bits, lowest first; all but the last with the high bit set (LEB128).
void append_varint(std::uint64_t value, std::string& out);

/// The cells that hold a message. Per row: number of such cells, then for each: columns skipped since the one
/// before, messages, bytes; all varints.
std::string pack_matrix(const TrafficMatrix& matrix);

Result<std::string> gzip(const std::string& data);
std::string base64(const std::string& data);

}  // namespace vef::analyzer
