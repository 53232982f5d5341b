// SPDX-License-Identifier: Apache-2.0
#include "rank_runs.h"

namespace vef::shim {

std::size_t compress_ranks(const int* ranks, std::size_t count, formats::RankRun* runs) {
  std::size_t written = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (ranks[i] < 0) continue;
    formats::RankRun* last = written == 0 ? nullptr : &runs[written - 1];
    if (last != nullptr && last->count == 1) {
      last->stride = ranks[i] - last->first;
      last->count = 2;
    } else if (last != nullptr &&
               ranks[i] == last->first + last->stride * static_cast<std::int64_t>(last->count)) {
      ++last->count;
    } else {
      runs[written++] = {.first = ranks[i], .stride = 1, .count = 1};
    }
  }
  return written;
}

}  // namespace vef::shim
