// SPDX-License-Identifier: Apache-2.0
// The capture directory of the original recorder -> RankData: VEFT.main (text), N.veft (records of 40 bytes,
// little endian) and N.comm. As in the original mixer, what an MPI_Irecv takes counts as computing, and each
// task's clock starts at its own MPI_Init.
#pragma once

#include <string>
#include <vector>

#include "model.h"
#include "vef/base/result.h"

namespace vef::merge {

/// The VEFT.main of a directory, or `path` itself if it is one; "" if there is none.
std::string find_capture(const std::string& path);

/// Reads the capture that VEFT.main at `path` belongs to; the other files lie beside it. Appends to
/// `warnings` what is guessed.
Result<std::vector<RankData>> load_capture(const std::string& path, std::vector<std::string>& warnings);

}  // namespace vef::merge
