// SPDX-License-Identifier: Apache-2.0
// The class of a call, as VEF_CALLS selects them: from the blocks of numbers of formats/mpi/functions.tbl.
#pragma once

#include "vef/formats/mpi_call.h"
#include "vef/settings/settings.h"

namespace vef::shim {

/// 0: of none; always recorded.
constexpr unsigned class_of(formats::MpiCall call) {
  constexpr unsigned kLargeCounts = 2000;
  const unsigned number = static_cast<unsigned>(call) % kLargeCounts;
  if (number >= 20 && number < 100) return settings::kPointToPoint;
  if (number >= 100 && number < 250) return settings::kCollectives;
  if (number >= 300 && number < 350) return settings::kCollectives;  // MPIX_ forms of persistent ones
  if (number >= 350 && number < 400) return settings::kOneSided;
  if (number >= 400 && number < 500) return settings::kFiles;
  return 0;
}

static_assert(class_of(formats::MpiCall::kSend) == settings::kPointToPoint);
static_assert(class_of(formats::MpiCall::kPready) == settings::kPointToPoint);
static_assert(class_of(formats::MpiCall::kIneighborAlltoallw) == settings::kCollectives);
static_assert(class_of(formats::MpiCall::kBarrierInit) == settings::kCollectives);
static_assert(class_of(formats::MpiCall::kPut) == settings::kOneSided);
static_assert(class_of(formats::MpiCall::kWinFence) == settings::kOneSided);
static_assert(class_of(formats::MpiCall::kFileOpen) == settings::kFiles);
static_assert(class_of(formats::MpiCall::kCommSplit) == 0);
static_assert(class_of(formats::MpiCall::kInit) == 0);

}  // namespace vef::shim
