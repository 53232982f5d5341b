// SPDX-License-Identifier: Apache-2.0
// The offsets between the hosts' clocks that the recorder measured where it was asked to (capture.json,
// "clock_offsets").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model.h"
#include "vef/formats/trace.h"

namespace vef::merge {

/// Of one host against that of rank 0: what to add to its clock to get the other, in ns, and the round trip
/// within which that is uncertain; the same again at MPI_Finalize, where it was measured (0 round trip: not).
struct ClockOffset {
  formats::TaskId rank = 0;  // the host's first
  std::int64_t offset = 0;
  std::uint64_t round_trip = 0;
  std::int64_t end_offset = 0;
  std::uint64_t end_round_trip = 0;
};

/// Brings the ranks' times onto the clock of rank 0's host, if the offset of every host is known; whether it
/// is. `offsets` empty: false.
bool apply_clock_offsets(const std::vector<ClockOffset>& offsets, std::vector<RankData>& ranks);

/// "n2 -1000000002199 ns (at the end 977 ns more)": for the trace's metadata.
std::string describe_clock_offsets(const std::vector<ClockOffset>& offsets,
                                   const std::vector<RankData>& ranks);

}  // namespace vef::merge
