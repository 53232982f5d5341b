// SPDX-License-Identifier: Apache-2.0
// capture.json of a recorded run, as far as it is there: what the trace's metadata says about the program.
#pragma once

#include <string>

#include "vef/formats/trace.h"

namespace vef::merge {

/// Program, command line, MPI library, ... as metadata pairs. Empty if the file is absent; a file that is no
/// JSON object gives a line in `note`. Keys may be absent or of another type.
formats::Metadata read_capture_info(const std::string& directory, std::string& note);

}  // namespace vef::merge
