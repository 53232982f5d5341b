// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

/// For formats that have no place for what a recording knows beyond its records.
inline void note_metadata(const formats::TraceReader& trace, Losses& losses) {
  losses.add("entries of metadata are not kept", "the format has no place for them", trace.metadata().size());
}

}  // namespace vef::neighbours
