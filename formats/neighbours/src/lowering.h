// SPDX-License-Identifier: Apache-2.0
// What readers say of operations that VEF does not have, and what becomes of them; as in a recording.
#pragma once

#include <string_view>

namespace vef::neighbours {

inline constexpr std::string_view kNoSuchOperation = "VEF has no such operation";
inline constexpr std::string_view kReduceScatterLoss =
    "parts in reducescatter are kept as a reduce and a scatter";
inline constexpr std::string_view kScanLoss = "parts in scans are kept as a message to the next rank";
inline constexpr std::string_view kAlltoallvLoss = "parts in alltoallv are kept as their totals";

}  // namespace vef::neighbours
