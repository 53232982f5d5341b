// SPDX-License-Identifier: Apache-2.0
// What happens to the columns of a chunk when it is sealed: heads and fields are folded (repetitions become
// references, however long they are) and then compressed by zstd; times are modelled (rank_log_times.h).
// Part of the recorder: works in memory given to it, never allocates. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rank_log_times.h"

namespace vef::formats::rank_log {

/// Replaces repetitions. The result takes at most kFoldSlack bytes more than the input (rank_log_format.h).
class Folder {
 public:
  std::size_t fold(const std::uint8_t* from, std::size_t size, std::uint8_t* to);

 private:
  std::uint32_t find(const std::uint8_t* from, std::uint32_t at);
  static constexpr unsigned kIndexBits = 12;
  std::uint32_t index_[1u << kIndexBits];  // one more than the last place with these 8 bytes
};

/// The columns of times of a chunk.
struct TimeColumns {
  std::uint32_t events;
  const std::uint8_t* heads;
  const std::uint8_t* classes;  // 2 * events
  const std::uint8_t* bits;     // 8 readable bytes behind its end
  std::size_t bits_size;
};

/// Where packed times go; sizes are set by TimePacker::pack().
struct PackedTimes {
  std::uint8_t* classes;
  std::size_t classes_room;  // at least 2 * events + 1
  std::size_t classes_size;
  std::uint8_t* bits;  // room for bits_size + 8
  std::size_t bits_size;
};

class TimePacker {
 public:
  void pack(const TimeColumns& from, PackedTimes& to);

 private:
  bool pack_modelled(const TimeColumns& from, PackedTimes& to);

  TimeModels models_;
};

}  // namespace vef::formats::rank_log
