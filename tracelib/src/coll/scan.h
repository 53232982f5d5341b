// SPDX-License-Identifier: Apache-2.0
// Scans: at the start everybody's kOut holds the own contribution; at the end the sum of those up to the own
// rank. An exclusive scan sends the same messages. kTemp holds what comes in and what is passed on.
// Sources: Open MPI 4.1.4, ompi/mca/coll/basic/coll_basic_scan.c; MPICH 4.0, src/mpi/coll/scan/.
#pragma once

#include "plan.h"

namespace vef::tracelib::coll {

/// From each rank to the next: n - 1 messages, one after the other.
template <class Plan>
void scan_linear(Plan& plan, const Role& role, std::uint64_t bytes) {
  const Piece all{0, bytes};
  if (role.rank > 0) plan.receive(role.rank - 1, all, Arrival::kReduce);
  plan.end_round();
  if (role.rank + 1 < role.size) plan.send(role.rank + 1, all);
  plan.end_round();
}

/// At step k the sums of groups of 2^k ranks are exchanged with rank ^ 2^k, if there is one; only the upper
/// of the two adds what comes to its result, both add it to what they pass on.
template <class Plan>
void scan_recursive_doubling(Plan& plan, const Role& role, std::uint64_t bytes) {
  const Piece result{0, bytes}, group{0, bytes, Buffer::kTemp}, incoming{bytes, bytes, Buffer::kTemp};
  plan.move(result, group);
  for (std::int64_t bit = 1; bit < role.size; bit <<= 1) {
    const auto peer = static_cast<std::int32_t>(role.rank ^ bit);
    if (peer >= role.size) continue;
    exchange(plan, peer, group, peer, incoming);
    if (peer < role.rank) plan.move(incoming, result, Arrival::kReduce);
    plan.move(incoming, group, Arrival::kReduce);
  }
}

}  // namespace vef::tracelib::coll
