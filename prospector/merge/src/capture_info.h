// SPDX-License-Identifier: Apache-2.0
// capture.json of a recorded run, as far as it is there: what the trace's metadata says about the program.
#pragma once

#include <string>

#include "vef/formats/trace.h"

namespace vef::merge {

/// Program, command line, MPI library, ... as metadata pairs. Empty if the file is absent; a file that is no
/// JSON object gives a line in `note`. Keys may be absent or of another type.
formats::Metadata read_capture_info(const std::string& directory, std::string& note);

/// What was to be recorded, where it was not everything.
struct Selection {
  std::string ranks;              // as VEF_RANKS says it; empty: all
  bool leaves_out_calls = false;  // some classes of calls
};
Selection read_selection(const std::string& directory);

}  // namespace vef::merge
