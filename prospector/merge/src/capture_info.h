// SPDX-License-Identifier: Apache-2.0
// capture.json of a recorded run, as far as it is there: what was recorded, and what the trace's metadata
// says about the program. Keys may be absent or of another type.
#pragma once

#include <string>
#include <vector>

#include "clock_offsets.h"
#include "vef/formats/trace.h"

namespace vef::merge {

/// What was to be recorded, where it was not everything.
struct Selection {
  std::string ranks;              // as VEF_RANKS says it; empty: all
  bool leaves_out_calls = false;  // some classes of calls
};

struct CaptureInfo {
  formats::Metadata metadata;  // program, command line, MPI library, ...
  Selection selection;
  std::vector<ClockOffset> clock_offsets;
  std::string job;
  std::string spawned_by;             // the job that did; empty: none, or not known
  std::int32_t spawned_by_rank = -1;  // of it; -1: not known
  std::uint64_t start = 0;            // ns since 1970
  std::uint64_t end = 0;              // 0: not known
  std::string note;                   // why nothing could be read of a file that is there
};

CaptureInfo read_capture_info(const std::string& directory);

}  // namespace vef::merge
