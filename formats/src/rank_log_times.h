// SPDX-License-Identifier: Apache-2.0
// How the times of a sealed chunk are modelled, shared by rank_log_pack.cc and rank_log_unpack.cc;
// docs/rank-log.md says the same in words.
//
// A time is cut in its class (the exponent of t + 1 and the two bits below the leading one: 8 bits in two
// halves) and the bits below, which are noise and stored as they are. Each half is coded by a range coder
// with frequencies that are learnt as the chunk goes on, so no table is stored and none must be long enough
// to pay. What a half depends on: the shape of the event, the times just before, and the upper half for the
// lower one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rank_log_codec.h"

namespace vef::formats::rank_log {

inline constexpr unsigned kFineBits = 2;       // of a time below its leading one that are modelled
inline constexpr unsigned kMostExponent = 63;  // of a time that can be modelled
inline constexpr unsigned kHalves = 16;        // values of half a class
inline constexpr unsigned kShareBits = 16;     // shares of a model add up to 2^16
inline constexpr unsigned kModelBits = 12;     // there are 2^12 models
inline constexpr std::size_t kCoderBytes = 8;  // of the coder's state

/// First byte of the packed classes.
enum class TimesCoding : std::uint8_t { kPlain, kModelled };

/// How many bits of a time with this exponent are stored as they are.
constexpr unsigned low_bits(unsigned exponent) { return exponent < kFineBits ? 0 : exponent - kFineBits; }

/// How likely the values of half a class are: each has the places from its start to that of the next.
struct HalfModel {
  alignas(32) std::uint16_t starts[kHalves];  // the first is 0, and its place counts how much was learnt

  std::uint32_t start(unsigned value) const { return value == 0 ? 0 : starts[value]; }
  std::uint32_t end(unsigned value) const {
    return value + 1 == kHalves ? 1u << kShareBits : starts[value + 1];
  }

  /// The value that has the place, which is below 2^kShareBits.
  VEF_INLINE unsigned value_at(std::uint16_t place) const;

  /// Moves all starts by 1/2, then 1/4, ... and at last 1/64 of the way to where they were if only `value`
  /// existed; every value keeps a share. The counter in the first place grows up to 64 by the same rule.
  VEF_INLINE void learn(unsigned value);
};

/// Eight numbers of a model at a time: what compilers make one instruction of.
using Lanes [[gnu::vector_size(16)]] = std::uint16_t;

inline Lanes load_lanes(const std::uint16_t* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

VEF_INLINE unsigned HalfModel::value_at(std::uint16_t place) const {
  // The starts ascend: as many as are not above the place, the first among them, whose counter stands for 0.
  constexpr Lanes kNoCounter = {0, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};
  const Lanes sought = Lanes{} + place;
  const auto found =
      -((load_lanes(starts) & kNoCounter) <= sought) - (load_lanes(starts + kHalves / 2) <= sought);
  std::uint64_t words[2];
  static_assert(sizeof words == sizeof found);
  std::memcpy(words, &found, sizeof words);
  constexpr std::uint64_t kAddLanes = 0x0001'0001'0001'0001;  // into the highest
  return static_cast<unsigned>((words[0] + words[1]) * kAddLanes >> 48) - 1;
}

inline constexpr unsigned kSlowest = 6;

struct LearningTargets {
  alignas(32) std::uint16_t of[kSlowest + 1][kHalves][kHalves];  // by rate and value

  constexpr LearningTargets() : of{} {
    for (unsigned rate = 1; rate <= kSlowest; ++rate)
      for (unsigned value = 0; value < kHalves; ++value)
        for (unsigned i = 0; i < kHalves; ++i)
          of[rate][value][i] = static_cast<std::uint16_t>(
              i == 0 ? 1 : (i <= value ? i : (1u << kShareBits >> rate) - (kHalves - i)));
  }
};
inline constexpr LearningTargets kTargets;

VEF_INLINE void HalfModel::learn(unsigned value) {
  const auto width = static_cast<unsigned>(std::bit_width(starts[0] + 1u));
  const unsigned rate = width < kSlowest ? width : kSlowest;
  for (unsigned i = 0; i < kHalves; i += sizeof(Lanes) / sizeof *starts) {
    const Lanes before = load_lanes(starts + i);
    const Lanes now =
        before - (before >> static_cast<std::uint16_t>(rate)) + load_lanes(kTargets.of[rate][value] + i);
    std::memcpy(starts + i, &now, sizeof now);
  }
}

/// The models of a chunk, and the times before, by which they are chosen.
class TimeModels {
 public:
  void reset() {
    for (unsigned i = 0; i < kHalves; ++i) models_[0].starts[i] = static_cast<std::uint16_t>(i << 12);
    for (std::uint32_t i = 1; i < 1u << kModelBits; ++i) models_[i] = models_[0];
    gap_ = duration_ = 0;
  }

  /// What the time depends on.
  VEF_INLINE std::uint32_t gap_context(std::uint32_t slot) const {
    return (slot << 6 | duration_) << 6 | gap_ >> 1;
  }
  VEF_INLINE std::uint32_t duration_context(std::uint32_t slot) const { return (slot << 6 | gap_) << 6 | 32; }
  void note_gap(unsigned exponent) { gap_ = exponent; }
  void note_duration(unsigned exponent) { duration_ = exponent; }

  VEF_INLINE HalfModel& upper(std::uint32_t context) { return model(context * 17); }
  VEF_INLINE HalfModel& lower(std::uint32_t context, unsigned upper) {
    return model(context * 17 + 1 + upper);
  }

 private:
  // Two contexts may share a model, which then fits both less well.
  VEF_INLINE HalfModel& model(std::uint32_t number) {
    return models_[number * 0x9e3779b1u >> (32 - kModelBits)];
  }

  HalfModel models_[1u << kModelBits];
  unsigned gap_;  // exponents of the event before
  unsigned duration_;
};

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
