// SPDX-License-Identifier: Apache-2.0
// The directory of one run: which one it is (or is made), and capture.json in it. No communication: the ranks
// agree by the job's identity, which the first of them writes into the directory. Called by one thread at a
// time.
#pragma once

#include <cstdint>

#include "vef/formats/rank_log_writer.h"

namespace vef::shim {

struct CaptureOptions {
  const char* directory = nullptr;  // VEF_DIR; null: <program>-<job> in the working directory
  std::uint64_t buffer_bytes = 4U << 20;
  std::uint64_t poll_gap_ns = 1000;
};

/// From VEF_DIR, VEF_BUFFER, VEF_POLL_GAP; a value that cannot be read is reported and the default taken.
CaptureOptions read_options();

class Capture {
 public:
  /// Finds or makes the directory. False: not possible, `error()` says why in one line.
  bool open(const CaptureOptions& options, std::int32_t rank, std::int32_t world_size);

  /// Writes capture.json (rank 0 only; a no-op elsewhere), atomically.
  bool write_description(const formats::ClockSample& start, const formats::ClockSample* end) const;

  const char* directory() const { return directory_; }
  const char* program() const { return program_; }
  const char* host() const { return host_; }
  const char* error() const { return error_; }

 private:
  bool join_or_make(const char* wanted);

  CaptureOptions options_;
  std::int32_t rank_ = 0;
  std::int32_t world_size_ = 0;
  char directory_[3072] = "";
  char job_[512] = "";
  char program_[1024] = "";
  char host_[256] = "";
  char error_[3584] = "";
};

}  // namespace vef::shim
