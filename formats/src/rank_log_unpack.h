// SPDX-License-Identifier: Apache-2.0
// The reading half of rank_log_pack.h. Believes nothing: every count, place and frequency is checked. Not
// thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rank_log_times.h"

namespace vef::formats::rank_log {

/// Undoes Folder::fold(). False: `from` does not tell of exactly `size` bytes.
bool unfold(const std::uint8_t* from, std::size_t from_size, std::uint8_t* to, std::size_t size);

struct Bytes {
  const std::uint8_t* data;
  std::size_t size;
};

/// The columns of times of a chunk, to be filled. `classes` has 2 * events bytes, `bits` has bits_size, and 8
/// more that may be spoilt.
struct UnpackedTimes {
  std::uint32_t events;
  Bytes heads;
  std::uint8_t* classes;
  std::uint8_t* bits;
  std::size_t bits_size;
};

class TimeUnpacker {
 public:
  /// False: the packed columns are damaged.
  bool unpack(Bytes classes, Bytes bits, const UnpackedTimes& to);

 private:
  bool unpack_modelled(Bytes from, Bytes bits, const UnpackedTimes& to);

  std::unique_ptr<TimeModels> models_ = std::make_unique<TimeModels>();  // 250 KiB
};

}  // namespace vef::formats::rank_log
