// SPDX-License-Identifier: Apache-2.0
// MPI_Pcontrol: what its levels mean to the recorder.
#pragma once

namespace vef::shim {

constexpr int kRegionLevel = 3;  // and its negative

/// `name` is what stood in the place of a second argument: with the levels of regions the name of the region,
/// if there was one; else it may be anything.
void control(int level, const char* name);

}  // namespace vef::shim
