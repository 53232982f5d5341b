// SPDX-License-Identifier: Apache-2.0
// Which recordings are of one job: the worlds that a job spawned record beside it.
#pragma once

#include <string>
#include <vector>

#include "capture_info.h"

namespace vef::merge {

struct Capture {
  std::string directory;
  CaptureInfo info;
};

/// The given directories, each once, and unless `alone` behind them those beside them whose worlds were
/// spawned by one that is there already.
std::vector<Capture> find_worlds(const std::vector<std::string>& directories, bool alone);

/// Recordings in `directory` and beside it, but for those that are `merged`: a second world of a job writes
/// to DIR.1, DIR.2 and so on.
std::vector<std::string> other_recordings(const std::string& directory,
                                          const std::vector<std::string>& merged);

/// Paths for people, the first ten.
std::string listed(const std::vector<std::string>& paths);

}  // namespace vef::merge
