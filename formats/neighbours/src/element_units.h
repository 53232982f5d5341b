// SPDX-License-Identifier: Apache-2.0
// Sizes as numbers of elements, for formats that count them as MPI does, in 31 bits.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "vef/base/result.h"

namespace vef::neighbours {

/// How bytes are counted: as they are, or by 8 where 31 bits are too few.
struct ElementUnits {
  std::uint64_t bytes = 1;
  std::uint64_t count(std::uint64_t size) const { return size / bytes + (size % bytes == 0 ? 0 : 1); }
};

inline constexpr std::uint64_t kMostElements = std::numeric_limits<std::int32_t>::max();

/// For sizes up to `largest`, each the sum of at most `parts` that are rounded up. A fault has no file's
/// name; `format` is who counts.
inline Result<ElementUnits> element_units(std::uint64_t largest, const char* format,
                                          std::uint64_t parts = 0) {
  if (largest <= kMostElements) return ElementUnits{1};
  const ElementUnits eights{8};
  const std::uint64_t most = kMostElements - parts;
  if (eights.count(largest) <= most) return eights;
  return Error{ErrorKind::kInput, std::to_string(largest) + " bytes; expected at most " +
                                      std::to_string(8 * most) + ", which is what " + format + " can count"};
}

}  // namespace vef::neighbours
