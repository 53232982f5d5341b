// SPDX-License-Identifier: Apache-2.0
// vef info of what was recorded and not merged yet: a rank's log, or the directory of all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vef/base/result.h"

namespace vef::cli {

/// The rank logs that `path` stands for, ordered by rank and thread: itself, or those of a directory.
/// Nothing: it is neither a rank log nor a directory.
Result<std::optional<std::vector<std::string>>> find_recording(const std::string& path);

struct RecordingOptions {
  std::string path;
  bool json = false;
  bool quiet = false;
};

/// Reads the logs whole, which verifies every checksum, and prints what they hold. The exit status: 1 where a
/// log is damaged (one that ends early is not).
int print_recording(const RecordingOptions& options, const std::vector<std::string>& logs);

}  // namespace vef::cli
