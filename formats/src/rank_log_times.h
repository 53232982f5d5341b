// SPDX-License-Identifier: Apache-2.0
// How the times of a sealed chunk are modelled, shared by rank_log_pack.cc and rank_log_unpack.cc;
// docs/rank-log.md says the same in words.
//
// The times of one shape are alike: so each group (a shape with many events; group 0 has the rest) has two
// contexts, one for gaps and one for durations, each with a table of how often which symbol occurs. A symbol
// is the exponent of t + 1 and up to two of the bits below its leading one, as many as pay for the context;
// it is coded by rANS in as many bits as its frequency asks for. The bits below are noise, stored as they
// are.
#pragma once

#include <cstdint>

#include "rank_log_codec.h"

namespace vef::formats::rank_log {

inline constexpr std::uint32_t kMaxGroups = 64;
inline constexpr unsigned kFineBits = 2;  // of a time below its leading one that may be modelled
inline constexpr std::uint32_t kSymbols = 65u << kFineBits;
inline constexpr unsigned kFrequencyBits = 12;  // the frequencies of a context add up to 2^12
inline constexpr std::uint32_t kFrequencySum = 1u << kFrequencyBits;
inline constexpr std::uint32_t kBlockEvents = 2048;
inline constexpr std::uint32_t kLeastState = 1u << 16;  // of the coder

/// First byte of the packed classes.
enum class TimesCoding : std::uint8_t { kPlain, kModelled };

/// How many of the modelled bits a time with this exponent has.
constexpr unsigned top_bits(unsigned exponent, unsigned fine_bits) {
  return exponent < fine_bits ? exponent : fine_bits;
}
/// How many bits of a time with this exponent are stored as they are.
constexpr unsigned low_bits(unsigned exponent, unsigned fine_bits) {
  return exponent == 64 ? 0 : exponent - top_bits(exponent, fine_bits);
}

/// The slot of each event, from its head.
class HeadWalk {
 public:
  explicit HeadWalk(const std::uint8_t* heads) : at_(heads) {}

  VEF_INLINE std::uint32_t next_slot() {
    const std::uint32_t number = take_head(at_) >> 1;
    if (number != 0) return number;
    const std::uint32_t slot = fresh_;
    fresh_ = slot + 1 == kSlots ? 1 : slot + 1;
    return slot;
  }
  const std::uint8_t* at() const { return at_; }

 private:
  const std::uint8_t* at_;
  std::uint32_t fresh_ = 1;
};

}  // namespace vef::formats::rank_log
