// SPDX-License-Identifier: Apache-2.0
// OTF2, the Open Trace Format of Score-P and Vampir, through its library. What its reader and writer share:
// how MPI's collectives are counted there.
//
// An archive is NAME.otf2 (the anchor), NAME.def and a folder NAME with the events of each location. Sizes of
// collectives are counted as Score-P does (src/adapters/mpi, functions scorep_mpi_coll_bytes_*): a member
// that sends the same to all counts it once for each, itself included; with MPI_IN_PLACE itself left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <otf2/otf2.h>

#include "vef/base/result.h"
#include "vef/formats/trace.h"

namespace vef::neighbours {

/// The name of MPI's function and of its non-blocking form.
std::string_view otf2_region_of(formats::CollectiveOp op, bool blocking);
inline constexpr std::size_t kOtf2Ops = formats::kCollectiveOps;

OTF2_CollectiveOp otf2_op_of(const formats::Record& part);

struct Otf2Sizes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};
/// Of a part in a collective of `members`.
Otf2Sizes otf2_sizes_of(const formats::Record& part, std::uint64_t members);

/// The library says on stderr what goes wrong; from now on it is kept for otf2_message() instead.
void otf2_keep_messages();
/// The first message since this was asked last, or what the code means.
std::string otf2_message(OTF2_ErrorCode code);

}  // namespace vef::neighbours
