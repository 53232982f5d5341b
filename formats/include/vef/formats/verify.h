// SPDX-License-Identifier: Apache-2.0
// Whether the index at the end of a .vef.zst or .vefb says what the file holds.
#pragma once

#include <cstdint>
#include <string>

#include "vef/base/result.h"

namespace vef::formats {

/// Reads all of PATH (checksums and the header's counts are checked on the way) and recomputes its index. The
/// number of parts that the index lists and that are right; 0: there is no index. The first difference is an
/// error.
Result<std::uint64_t> verify_index(const std::string& path);

}  // namespace vef::formats
