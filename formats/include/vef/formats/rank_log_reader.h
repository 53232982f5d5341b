// SPDX-License-Identifier: Apache-2.0
// Reads a rank log, whole or cut off at any byte: every whole chunk, then the valid prefix of the open chunk;
// says what it skipped. Never fails because a tail is missing; fails only where the file is no rank log at
// all or cannot be read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/rank_log.h"
#include "vef/formats/rank_log_writer.h"

namespace vef::formats {

struct RankLogInfo {
  std::string path;
  std::int32_t rank = 0;
  std::int32_t world_size = 0;
  std::int32_t thread = 0;
  std::uint64_t job = 0;  // the same in all logs of one run; 0: not known
  std::string host;
  std::string program;
  std::string mpi_library;
  ClockSample start;  // at creation
  ClockSample last;   // the last sample in the file; equal to start if there is only one
  double ticks_per_ns = 1.0;
  bool complete = false;  // closed by finalize
  bool exited = false;    // the program exited by itself, without finalize
  bool stopped = false;   // recording ended before the program: nothing could be written any more
  std::uint64_t file_bytes = 0;
};

struct RankLogDamage {
  /// Something is not as it was written, or missing in the middle; false: the log at most ends early.
  bool corrupt = false;
  std::uint64_t chunks_skipped = 0;
  std::uint64_t bytes_skipped = 0;
  std::vector<std::string> notes;  // one line each, file and offset named; at most 10
  bool any() const { return chunks_skipped != 0 || bytes_skipped != 0 || !notes.empty(); }
};

class RankLogReader {
 public:
  virtual ~RankLogReader() = default;

  /// `path` names the .vlog file; the .open file beside it is found by itself.
  static Result<std::unique_ptr<RankLogReader>> open(const std::string& path);

  virtual const RankLogInfo& info() const = 0;

  /// True: `event` is filled, gap and duration in nanoseconds (converted from absolute ticks, so that
  /// rounding does not add up); its spans are valid until the next call. False: the end of what can be read.
  virtual Result<bool> next(RankEvent& event) = 0;

  /// Start and end of the event last returned, nanoseconds since info().start on CLOCK_MONOTONIC_RAW.
  virtual std::uint64_t event_start() const = 0;
  virtual std::uint64_t event_end() const = 0;
  /// Ordinal of the event last returned, from 0: the "call number" of messages for people.
  virtual std::uint64_t event_number() const = 0;

  virtual const RankLogDamage& damage() const = 0;
};

/// Where the logs of a host lie that were written outside the capture directory (capture.scratch-HOST in it).
struct ScratchNote {
  std::string host;
  std::string path;
  bool is_here = false;  // the path is a directory on this machine
};
Result<std::vector<ScratchNote>> list_scratch_notes(const std::string& directory);

/// The .vlog files of a capture directory, and of the scratch directories that are here, ordered by rank,
/// then thread.
Result<std::vector<std::string>> list_rank_logs(const std::string& directory);

}  // namespace vef::formats
