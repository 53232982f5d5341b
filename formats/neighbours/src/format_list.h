// SPDX-License-Identifier: Apache-2.0
// Where each format says what it is. A new one: a function here, a line in registry.cc, a row in
// docs/convert.md.
#pragma once

#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

Format goal_text_format();
Format goal_binary_format();
Format simgrid_format();
Format dumpi_format();
Format dumpi_ascii_format();
Format paraver_format();
Format chrome_format();
Format chakra_format();
Format otf2_format();

/// Two forms of one format, between which nothing need be lost.
struct DirectConversion {
  std::string_view from;
  std::string_view to;
  /// Returns how many operations there were.
  Result<std::uint64_t> (*run)(const std::string& input, const std::string& output, const Options& options);
};

std::vector<DirectConversion> goal_conversions();

/// A fault if `path` has the ending of a compressed file: for formats whose readers elsewhere take none.
inline Status refuse_compressed(const std::string& path) {
  if (!path.ends_with(".gz") && !path.ends_with(".zst")) return {};
  return usage_error(path + ": this format is not written compressed; expected a name without .gz or .zst");
}

}  // namespace vef::neighbours
