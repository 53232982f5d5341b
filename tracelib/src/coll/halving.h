// SPDX-License-Identifier: Apache-2.0
// What the algorithms that need a power of two of ranks share: leaving the surplus ranks out, and the windows
// of recursive vector halving. Source: Rabenseifner's reduction in Thakur, Rabenseifner, Gropp, "Optimization
// of Collective Communication Operations in MPICH", IJHPCA 19(1), 2005.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "blocks.h"
#include "plan.h"

namespace vef::tracelib::coll {

inline bool is_power_of_two(std::int32_t n) { return (n & (n - 1)) == 0; }
inline std::int32_t floor_power_of_two(std::int32_t n) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n)));
}

/// The first 2 * extra ranks act in pairs (even, odd); one of each pair stays, as virtual rank pair number,
/// the other leaves. All further ranks stay as virtual rank - extra.
class Fold {
 public:
  Fold(std::int32_t size, bool odd_stays)
      : members_(floor_power_of_two(size)), extra_(size - members_), odd_stays_(odd_stays) {}

  std::int32_t members() const { return members_; }
  bool paired(std::int32_t rank) const { return rank < 2 * extra_; }
  std::int32_t partner(std::int32_t rank) const { return rank ^ 1; }
  bool stays(std::int32_t rank) const { return !paired(rank) || (rank % 2 != 0) == odd_stays_; }
  std::int32_t to_virtual(std::int32_t rank) const { return paired(rank) ? rank / 2 : rank - extra_; }
  std::int32_t to_rank(std::int32_t v) const {
    return v < extra_ ? 2 * v + (odd_stays_ ? 1 : 0) : v + extra_;
  }

 private:
  std::int32_t members_, extra_;
  bool odd_stays_;
};

/// Where a vector may be cut. Open MPI halves the window of elements; MPICH first cuts the vector into as
/// many even blocks as there are members and halves the window of blocks.
enum class Cut : std::uint8_t { kElements, kBlocks };

/// The windows of one member: at step k it exchanges with v ^ 2^k, gives away given(k) and keeps kept(k).
class Halving {
 public:
  Halving(const Elements& vector, std::int32_t members, std::int32_t v, Cut cut)
      : vector_(vector), cut_(cut), split_{vector.count(), static_cast<std::uint64_t>(members)} {
    Window window{0, cut == Cut::kElements ? vector.count() : static_cast<std::uint64_t>(members)};
    for (std::int32_t bit = 1; bit < members; bit <<= 1) {
      const std::uint64_t middle = window.first + (window.last - window.first) / 2;
      const Window low{window.first, middle}, high{middle, window.last};
      const bool keeps_low = (v & bit) == 0;
      given_[steps_] = keeps_low ? high : low;
      window = kept_[steps_] = keeps_low ? low : high;
      ++steps_;
    }
  }

  std::int32_t steps() const { return steps_; }
  Piece given(std::int32_t step) const { return piece(given_[step]); }
  Piece kept(std::int32_t step) const { return piece(kept_[step]); }

 private:
  struct Window {
    std::uint64_t first, last;
  };
  Piece piece(const Window& w) const {
    if (cut_ == Cut::kElements) return vector_.range(w.first, w.last);
    return vector_.range(split_.begin(w.first), split_.begin(w.last));
  }

  Elements vector_;
  Cut cut_;
  EvenSplit split_;
  std::int32_t steps_ = 0;
  std::array<Window, 31> given_, kept_;  // the first steps_ are set
};

}  // namespace vef::tracelib::coll
