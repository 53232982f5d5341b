// SPDX-License-Identifier: Apache-2.0
// All-to-all: at the start everybody's kIn holds one block per destination, at the end kOut one per source.
// Sources: Open MPI 4.1.4, ompi/mca/coll/base/coll_base_{alltoall,alltoallv}.c; MPICH 4.0,
// src/mpi/coll/{alltoall,alltoallv}/.
#pragma once

#include <algorithm>

#include "halving.h"
#include "plan.h"

namespace vef::tracelib::coll {

/// The block of `from` for `to`, in the send buffer of `from` or in the receive buffer of `to`. Sizes is
/// callable: bytes(from, to).
template <class Sizes>
struct PairBlock {
  const Sizes& bytes;
  std::int32_t from, to;
  Buffer buffer;

  std::uint64_t size() const { return bytes(from, to); }
  template <class Visit>
  void for_each(Visit visit) const {
    std::uint64_t offset = 0;
    if (buffer == Buffer::kIn) {
      for (std::int32_t i = 0; i < to; ++i) offset += bytes(from, i);
    } else {
      for (std::int32_t i = 0; i < from; ++i) offset += bytes(i, to);
    }
    Piece{offset, size(), buffer}.for_each(visit);
  }
};

template <class Sizes>
class Alltoall {
 public:
  Alltoall(const Role& role, const Sizes& bytes) : role_(role), bytes_(bytes) {}

  template <class Plan>
  void keep_own(Plan& plan) const {
    plan.move(out_to(role_.rank), in_from(role_.rank));
  }
  template <class Plan>
  void send(Plan& plan, std::int32_t to) const {
    plan.send(to, out_to(to));
  }
  template <class Plan>
  void receive(Plan& plan, std::int32_t from) const {
    plan.receive(from, in_from(from), Arrival::kCopy);
  }
  bool sends_to(std::int32_t to) const { return bytes_(role_.rank, to) != 0; }
  bool receives_from(std::int32_t from) const { return bytes_(from, role_.rank) != 0; }

 private:
  PairBlock<Sizes> out_to(std::int32_t to) const { return {bytes_, role_.rank, to, Buffer::kIn}; }
  PairBlock<Sizes> in_from(std::int32_t from) const { return {bytes_, from, role_.rank, Buffer::kOut}; }

  Role role_;
  const Sizes& bytes_;
};

/// Everything at once: n - 1 messages per rank. Open MPI's linear and (without a limit of requests, the
/// default) synchronised linear: receives from the right, sends to the left.
template <class Plan, class Sizes>
void alltoall_linear(Plan& plan, const Role& role, const Sizes& bytes) {
  const Alltoall<Sizes> blocks(role, bytes);
  blocks.keep_own(plan);
  for (std::int32_t k = 1; k < role.size; ++k) blocks.receive(plan, role.right(k));
  for (std::int32_t k = 1; k < role.size; ++k) blocks.send(plan, role.left(k));
  plan.end_round();
}

/// The same in rank order: Open MPI's linear algorithm of the vector form.
template <class Plan, class Sizes>
void alltoall_linear_by_rank(Plan& plan, const Role& role, const Sizes& bytes) {
  const Alltoall<Sizes> blocks(role, bytes);
  blocks.keep_own(plan);
  for (std::int32_t peer = 0; peer < role.size; ++peer) {
    if (peer != role.rank) blocks.receive(plan, peer);
  }
  for (std::int32_t peer = 0; peer < role.size; ++peer) {
    if (peer != role.rank) blocks.send(plan, peer);
  }
  plan.end_round();
}

/// The same, at most `batch` peers at a time (the own rank counts as one of them). The vector form leaves out
/// empty blocks.
template <class Plan, class Sizes>
void alltoall_scattered(Plan& plan, const Role& role, const Sizes& bytes, std::int32_t batch,
                        bool skip_empty) {
  const Alltoall<Sizes> blocks(role, bytes);
  blocks.keep_own(plan);
  for (std::int32_t begin = 0; begin < role.size; begin += batch) {
    const std::int32_t end = std::min(role.size, begin + batch);
    for (std::int32_t k = std::max(begin, 1); k < end; ++k) {
      if (!skip_empty || blocks.receives_from(role.right(k))) blocks.receive(plan, role.right(k));
    }
    for (std::int32_t k = std::max(begin, 1); k < end; ++k) {
      if (!skip_empty || blocks.sends_to(role.left(k))) blocks.send(plan, role.left(k));
    }
    plan.end_round();
  }
}

/// n - 1 rounds, one message each: to the k-th rank on the right, from the k-th on the left.
template <class Plan, class Sizes>
void alltoall_pairwise(Plan& plan, const Role& role, const Sizes& bytes) {
  const Alltoall<Sizes> blocks(role, bytes);
  blocks.keep_own(plan);
  for (std::int32_t k = 1; k < role.size; ++k) {
    blocks.receive(plan, role.left(k));
    blocks.send(plan, role.right(k));
    plan.end_round();
  }
}

/// The same with rank ^ k in round k: MPICH's where n is a power of two. Open MPI's two-process form is its
/// case n = 2.
template <class Plan, class Sizes>
void alltoall_pairwise_xor(Plan& plan, const Role& role, const Sizes& bytes) {
  const Alltoall<Sizes> blocks(role, bytes);
  blocks.keep_own(plan);
  for (std::int32_t k = 1; k < role.size; ++k) {
    blocks.receive(plan, role.rank ^ k);
    blocks.send(plan, role.rank ^ k);
    plan.end_round();
  }
}

/// The slots of kTemp whose number has `bit` set.
struct BruckSlots {
  std::int32_t slots;
  std::int32_t bit;
  std::uint64_t block;

  std::uint64_t size() const {
    const std::int64_t n = slots, period = 2 * static_cast<std::int64_t>(bit);
    const std::int64_t count = n / period * bit + std::max<std::int64_t>(0, n % period - bit);
    return static_cast<std::uint64_t>(count) * block;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int32_t slot = bit; slot < slots; ++slot) {
      if ((slot & bit) != 0)
        Piece{static_cast<std::uint64_t>(slot) * block, block, Buffer::kTemp}.for_each(visit);
    }
  }
};

/// ceil(log2 n) messages per rank; a block travels once per set bit of its distance: n * sum of popcounts of
/// 1 .. n - 1 blocks in all. Bruck et al., TPDS 1997.
template <class Plan>
void alltoall_bruck(Plan& plan, const Role& role, std::uint64_t block) {
  const auto at = [&](std::int32_t i, Buffer buffer) {
    return Piece{static_cast<std::uint64_t>(i) * block, block, buffer};
  };
  for (std::int32_t i = 0; i < role.size; ++i)
    plan.move(at(role.right(i), Buffer::kIn), at(i, Buffer::kTemp));
  for (std::int32_t bit = 1; bit < role.size; bit <<= 1) {
    const BruckSlots slots{role.size, bit, block};
    exchange(plan, role.right(bit), slots, role.left(bit), slots);
  }
  for (std::int32_t i = 0; i < role.size; ++i)
    plan.move(at(i, Buffer::kTemp), at(role.left(i), Buffer::kOut));
}

}  // namespace vef::tracelib::coll
