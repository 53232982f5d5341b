// SPDX-License-Identifier: Apache-2.0
// One collective operation with its decisions taken: which algorithm, which blocks. Prepared once per
// operation, then expanded for every rank.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithm.h"
#include "blocks.h"

namespace vef::tracelib::coll {

enum class Library : std::uint8_t { kOpenMpi, kMpich };

/// What `from` sends to `to` in an all-to-all: basic form: send_size to each; vectorial form (recv_size 1):
/// the total split evenly, the remainder to the lowest ranks, so that the parts sum to the total.
std::uint64_t alltoall_bytes(const CollectiveCall& call, std::int32_t from, std::int32_t to);

class Prepared {
 public:
  /// The spans of `call` must outlive the use of this object. May be called again: memory is kept.
  void reset(const CollectiveCall& call, Library library);

  const CollectiveCall& call() const { return call_; }
  Library library() const { return library_; }
  Algorithm algorithm() const { return algorithm_; }
  /// Of kReduceBroadcast, kGatherBroadcast and kReduceScatter: the algorithms of the two halves.
  Algorithm first_half() const { return first_half_; }
  Algorithm second_half() const { return second_half_; }
  const Elements& vector() const { return vector_; }
  BlockLayout blocks() const {
    return equal_blocks_ ? BlockLayout(call_.size, block_) : BlockLayout(offsets_);
  }
  std::uint64_t block() const { return block_; }
  bool equal_blocks() const { return equal_blocks_; }

 private:
  void measure_vector();
  void measure_blocks(std::span<const std::uint64_t> sizes, std::int32_t ignored);
  void measure_alltoall();
  Algorithm choose(const Shape& shape) const;
  void choose_halves(const Shape& shape);

  CollectiveCall call_;
  Library library_ = Library::kOpenMpi;
  Algorithm algorithm_ = Algorithm::kNone;
  Algorithm first_half_ = Algorithm::kNone, second_half_ = Algorithm::kNone;
  Elements vector_;                     // broadcast, reductions, scans; the second half of kGatherBroadcast
  bool equal_blocks_ = true;            // the kinds with one block per rank
  std::uint64_t block_ = 0;             // of equal blocks, else their mean
  std::uint64_t total_ = 0;             // of all blocks
  std::vector<std::uint64_t> offsets_;  // of unequal blocks
};

}  // namespace vef::tracelib::coll
