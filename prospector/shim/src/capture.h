// SPDX-License-Identifier: Apache-2.0
// What this process records into: the directory of its run, and capture.json in it. Called by one thread at a
// time.
#pragma once

#include <cstdint>

#include "clock_sync.h"
#include "job.h"
#include "run_directory.h"
#include "vef/formats/rank_log_writer.h"
#include "vef/settings/settings.h"

namespace vef::shim {

class Capture {
 public:
  /// Finds or makes the directory. False: not possible, `error()` says why in one line.
  bool open(const settings::Settings& settings, std::int32_t rank, std::int32_t world_size);

  /// Writes capture.json (the first recording rank only; a no-op elsewhere), atomically.
  bool write_description(const formats::ClockSample& start, const formats::ClockSample* end,
                         const ClockSync& clocks) const;

  const char* directory() const { return directory_.path(); }
  const char* logs() const { return directory_.logs(); }
  const char* job() const { return job_.name; }
  const char* program() const { return program_; }
  const char* host() const { return host_; }
  const char* error() const { return error_; }

 private:
  settings::Settings settings_;
  RunDirectory directory_;
  Job job_;
  std::int32_t rank_ = 0;
  std::int32_t world_size_ = 0;
  char program_[1024] = "";
  char host_[256] = "";
  const char* error_ = "";
};

}  // namespace vef::shim
