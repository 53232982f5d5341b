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
  std::string note;  // why nothing could be read of a file that is there
};

CaptureInfo read_capture_info(const std::string& directory);

}  // namespace vef::merge
