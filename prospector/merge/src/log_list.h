// SPDX-License-Identifier: Apache-2.0
// The logs that a directory shows to this process, by what their headers say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vef/base/result.h"

namespace vef::merge {

struct LogEntry {
  std::string path;
  std::int32_t rank = 0;
  std::int32_t thread = 0;
  std::int32_t world_size = 0;
  std::uint64_t job = 0;
  std::uint64_t bytes = 0;
  std::string fault;  // not empty: it cannot be read, and the rest is not known
};

/// In the order of their names: by rank, then thread.
Result<std::vector<LogEntry>> list_logs(const std::string& directory);

}  // namespace vef::merge
