// SPDX-License-Identifier: Apache-2.0
// How the memory of a rank log's writer is divided. Nothing here allocates or throws.
#pragma once

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <cstddef>

#include "rank_log_format.h"
#include "vef/formats/rank_log_writer.h"

namespace vef::formats::rank_log {

inline constexpr std::size_t kMinBuffer = 1 << 20;
inline constexpr std::size_t kMaxOpenBytes = 32u << 20;
inline constexpr std::size_t kLeastOpenBytes = 128u << 10;

constexpr std::size_t round_down(std::size_t bytes) { return bytes / kPage * kPage; }
constexpr std::size_t round_up(std::size_t bytes) { return round_down(bytes + kPage - 1); }

/// How the budget is divided. The columns' shares suit a code with a few bytes of fields per event.
struct Plan {
  std::size_t workspace = 0;  // zstd's
  std::size_t packed = 0;     // a finished chunk
  std::size_t marks = 0;
  std::size_t columns[kColumns] = {};
  std::size_t stored[kColumns] = {};  // what they can take when they are packed
  std::size_t open_bytes = 0;         // the .open file
};

/// Divides `open` bytes for the .open file.
void plan_columns(std::size_t open, Plan& plan);

/// The parameters of the wanted level for chunks as large as fit beside its memory, or those of the next
/// lower level for which any fit. Level 1 always does. `state_bytes` are taken besides.
bool choose_plan(const RankLogOptions& options, std::size_t state_bytes,
                 ZSTD_compressionParameters& parameters, Plan& plan);

/// False: zstd refuses the parameters.
bool set_level(ZSTD_CCtx* zstd, const ZSTD_compressionParameters& level);

}  // namespace vef::formats::rank_log
