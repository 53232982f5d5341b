// SPDX-License-Identifier: Apache-2.0
#include "rank_log_plan.h"

#include <utility>

#include "rank_log_pack.h"

namespace vef::formats::rank_log {

/// Whichever column is full first ends the chunk. The shares suit up to 1.2 bytes of heads, 1.6 of fields and
/// 1.6 of bits per event, whose classes are 2.
void plan_columns(std::size_t open, Plan& plan) {
  static constexpr std::size_t kSixteenths[kColumns] = {3, 4, 5, 4};
  const std::size_t marks_bytes = open * kSixteenths[kClasses] / 32 / kEventsPerMark * sizeof(std::uint32_t);
  plan.marks = marks_bytes / sizeof(std::uint32_t);
  plan.open_bytes = kPage + round_up(marks_bytes);
  const std::size_t rest = open - plan.open_bytes;
  plan.packed = sizeof(ChunkHeader);
  for (unsigned column = 0; column < kColumns; ++column) {
    const std::size_t bytes = round_down(rest * kSixteenths[column] / 16);
    plan.columns[column] = bytes;
    plan.stored[column] = column <= kFields ? ZSTD_compressBound(bytes + kFoldSlack) : bytes + kPage;
    plan.open_bytes += bytes;
    plan.packed += plan.stored[column];
  }
}

namespace {

/// False: the compression alone needs nearly all of the buffer.
bool make_plan(std::size_t buffer_bytes, std::size_t state_bytes, const ZSTD_compressionParameters& level,
               Plan& plan) {
  plan.workspace = ZSTD_estimateCCtxSize_usingCParams(level);
  const std::size_t fixed = round_up(state_bytes + plan.workspace) + 8 * kPage;
  if (buffer_bytes < fixed + kMinBuffer / 4) return false;
  // The open chunk and its compressed copy, which zstd may need 1/256 longer.
  const std::size_t open = round_down((buffer_bytes - fixed) / 2 - (buffer_bytes - fixed) / 64);
  plan_columns(open < kMaxOpenBytes ? open : kMaxOpenBytes, plan);
  return true;
}

}  // namespace

bool choose_plan(const RankLogOptions& options, std::size_t state_bytes,
                 ZSTD_compressionParameters& parameters, Plan& plan) {
  for (int level = options.level; level >= 1; --level) {
    for (std::size_t chunk = options.buffer_bytes / 2; chunk >= kMinBuffer / 32; chunk /= 2) {
      parameters = ZSTD_getCParams(level, chunk, 0);
      if (make_plan(options.buffer_bytes, state_bytes, parameters, plan)) return true;
    }
  }
  return false;
}

bool set_level(ZSTD_CCtx* zstd, const ZSTD_compressionParameters& level) {
  const std::pair<ZSTD_cParameter, int> values[] = {
      {ZSTD_c_windowLog, static_cast<int>(level.windowLog)},
      {ZSTD_c_chainLog, static_cast<int>(level.chainLog)},
      {ZSTD_c_hashLog, static_cast<int>(level.hashLog)},
      {ZSTD_c_searchLog, static_cast<int>(level.searchLog)},
      {ZSTD_c_minMatch, static_cast<int>(level.minMatch)},
      {ZSTD_c_targetLength, static_cast<int>(level.targetLength)},
      {ZSTD_c_strategy, static_cast<int>(level.strategy)},
      {ZSTD_c_contentSizeFlag, 1},
  };
  for (const auto& [name, value] : values)
    if (ZSTD_isError(ZSTD_CCtx_setParameter(zstd, name, value))) return false;
  return true;
}

}  // namespace vef::formats::rank_log
