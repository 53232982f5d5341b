// SPDX-License-Identifier: Apache-2.0
// vef info --parts, --lines, --times: pieces of a trace, found by its index without reading the rest.
#pragma once

#include <string>

namespace vef::cli {

struct PiecesOptions {
  std::string file;
  bool parts = false;
  std::string lines;  // FIRST:LAST, FIRST:, LINE; empty: not asked for
  std::string times;  // the same with times
  bool json = false;
  unsigned threads = 0;
};

/// Returns the command's exit status.
int print_pieces(const PiecesOptions& options);

}  // namespace vef::cli
