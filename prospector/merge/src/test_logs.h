// SPDX-License-Identifier: Apache-2.0
// Scripts as rank logs on disk.
#pragma once

#include <string>

#include "test_script.h"

namespace vef::merge {

enum class LogEnd {
  kComplete,  // after MPI_Finalize
  kClosed,    // without it
  kKilled,    // not at all: what the script did lies in the open chunk
};

/// Writes the log of the script's rank into the directory.
void write_log(const Script& script, const std::string& directory, LogEnd end = LogEnd::kComplete,
               const char* job = "");

}  // namespace vef::merge
