// SPDX-License-Identifier: Apache-2.0
// All-gather of one block per rank: at the start everybody's kOut holds the own block in its place, at the
// end all blocks. Every algorithm moves n (n - 1) blocks in all (a rank receives each foreign block once).
// Sources: Open MPI 4.1.4, ompi/mca/coll/base/coll_base_{allgather,allgatherv}.c; MPICH 4.0,
// src/mpi/coll/{allgather,allgatherv}/.
#pragma once

#include "bcast.h"
#include "gather.h"
#include "halving.h"

namespace vef::tracelib::coll {

/// ceil(log2 n) messages per rank, to ever farther ranks on the left. Bruck, Ho, Kipnis, Upfal, Weathersby,
/// "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems", TPDS 1997.
template <class Plan>
void allgather_bruck(Plan& plan, const Role& role, const BlockLayout& blocks) {
  for (std::int32_t distance = 1; distance < role.size; distance <<= 1) {
    const std::int32_t count = std::min(distance, role.size - distance);
    const std::int32_t from = role.right(distance);
    exchange(plan, role.left(distance), BlockRange{blocks, role.rank, count}, from,
             BlockRange{blocks, from, count});
  }
}

/// log2 n messages per rank; n must be a power of two.
template <class Plan>
void allgather_recursive_doubling(Plan& plan, const Role& role, const BlockLayout& blocks) {
  for (std::int32_t width = 1; width < role.size; width <<= 1) {
    const std::int32_t mine = role.rank & -width, peer = role.rank ^ width;
    exchange(plan, peer, BlockRange{blocks, mine, width}, peer, BlockRange{blocks, mine ^ width, width});
  }
}

/// n - 1 messages per rank, each one block, to the right.
template <class Plan>
void allgather_ring(Plan& plan, const Role& role, const BlockLayout& blocks) {
  for (std::int32_t k = 0; k < role.size - 1; ++k) {
    exchange(plan, role.right(), blocks.block(role.left(k)), role.left(), blocks.block(role.left(k + 1)));
  }
}

/// n / 2 messages per rank, the first of one block, the others of the two that came last, to the two
/// neighbours in turn; n must be even. Chen, Zhang, Zhang, Yuan, "Performance Evaluation of Allgather
/// Algorithms on Terascale Linux Cluster with Fast Ethernet", HPC Asia 2005.
template <class Plan>
void allgather_neighbor_exchange(Plan& plan, const Role& role, const BlockLayout& blocks) {
  const bool even = role.rank % 2 == 0;
  const std::int32_t first = even ? role.right() : role.left(), second = even ? role.left() : role.right();
  exchange(plan, first, blocks.block(role.rank), first, blocks.block(first));
  const std::int32_t own_pair = even ? role.rank : role.rank - 1;
  std::int32_t sent = own_pair;                    // first block of the pair that goes out next
  std::int32_t right = own_pair, left = own_pair;  // the pairs that came last, by side
  for (std::int32_t step = 1; step < role.size / 2; ++step) {
    const bool to_second = step % 2 != 0;
    // Pairs arrive alternately from the left and from the right of those already here: an even rank's second
    // neighbour is the left one, an odd rank's the right one.
    const bool from_left = to_second == even;
    std::int32_t& came = from_left ? left : right;
    came = role.wrap(came + (from_left ? -2 : 2));
    const std::int32_t peer = to_second ? second : first;
    exchange(plan, peer, BlockRange{blocks, sent, 2}, peer, BlockRange{blocks, came, 2});
    sent = came;
  }
}

/// Pipelined ring of MPICH's all-gather with unequal blocks: blocks longer than `chunk` bytes go in chunks;
/// nothing is sent for empty ones. `chunk` 0: whole blocks.
template <class Plan>
void allgather_chunked_ring(Plan& plan, const Role& role, const BlockLayout& blocks, std::uint64_t chunk) {
  struct Cursor {  // walks the blocks leftwards from `block`, chunk by chunk, for `left` bytes
    std::int32_t block;
    std::uint64_t done, left;
  };
  const auto next = [&](Cursor& c) {
    const std::uint64_t rest = blocks.bytes(c.block) - c.done;
    const Piece piece{blocks.offset(c.block) + c.done,
                      c.left == 0 ? 0 : (chunk == 0 ? rest : std::min(rest, chunk))};
    c.left -= piece.count;
    c.done += piece.count;
    if (c.done == blocks.bytes(c.block)) {
      c.done = 0;
      c.block = c.block == 0 ? role.size - 1 : c.block - 1;
    }
    return piece;
  };
  Cursor out{role.rank, 0, blocks.total() - blocks.bytes(role.right())};
  Cursor in{role.left(), 0, blocks.total() - blocks.bytes(role.rank)};
  while (out.left != 0 || in.left != 0) {
    const Piece sent = next(out), received = next(in);
    if (received.count != 0) plan.receive(role.left(), received, Arrival::kCopy);
    if (sent.count != 0) plan.send(role.right(), sent);
    plan.end_round();
  }
}

}  // namespace vef::tracelib::coll
