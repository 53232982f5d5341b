// SPDX-License-Identifier: Apache-2.0
// All-reduce: at the start everybody's kOut holds the own contribution; at the end the sum. The operation is
// taken as commutative.
// Sources: Open MPI 4.1.4, ompi/mca/coll/base/coll_base_allreduce.c; MPICH 4.0, src/mpi/coll/allreduce/.
#pragma once

#include "bcast.h"
#include "reduce.h"

namespace vef::tracelib::coll {

/// Reduce to rank 0 and broadcast from it, both linear: 2 (n - 1) messages.
template <class Plan>
void allreduce_linear(Plan& plan, const Role& role, std::uint64_t bytes) {
  const Role from_zero{role.rank, role.size, 0};
  reduce_linear(plan, from_zero, bytes);
  bcast_linear(plan, from_zero, bytes);
}

/// p log2(p) messages among the p ranks that stay (odd ones of the pairs), two more per pair; all of the
/// whole vector. Open MPI's and MPICH's are the same.
template <class Plan>
void allreduce_recursive_doubling(Plan& plan, const Role& role, std::uint64_t bytes) {
  const Fold fold(role.size, true);
  const Piece all{0, bytes};
  const bool paired = fold.paired(role.rank), stays = fold.stays(role.rank);
  const std::int32_t partner = fold.partner(role.rank);
  if (!stays) {
    plan.send(partner, all);
    plan.end_round();
    plan.receive(partner, all, Arrival::kCopy);
    plan.end_round();
    return;
  }
  if (paired) plan.receive(partner, all, Arrival::kReduce);
  plan.end_round();
  const std::int32_t v = fold.to_virtual(role.rank);
  for (std::int32_t bit = 1; bit < fold.members(); bit <<= 1) {
    const std::int32_t peer = fold.to_rank(v ^ bit);
    exchange(plan, peer, all, peer, all, Arrival::kReduce);
  }
  if (paired) plan.send(partner, all);
  plan.end_round();
}

/// The second half of both ring algorithms: block rank + 1 is complete here; n - 1 steps spread all blocks.
template <class Plan>
void allreduce_ring_distribution(Plan& plan, const Role& role, const Elements& vector) {
  const EvenSplit blocks{vector.count(), static_cast<std::uint64_t>(role.size)};
  const auto block = [&](std::int32_t i) {
    const auto b = static_cast<std::uint64_t>(i);
    return vector.range(blocks.begin(b), blocks.begin(b + 1));
  };
  for (std::int32_t k = 0; k < role.size - 1; ++k) {
    exchange(plan, role.right(), block(role.wrap(role.right() - k)), role.left(), block(role.left(k)));
  }
}

/// A ring in which the blocks are reduced on their way, once per phase, each phase a part of every block;
/// then the distribution. One phase: 2 n (n - 1) messages, 2 (n - 1) vectors. Needs count >= n * phases.
template <class Plan>
void allreduce_ring(Plan& plan, const Role& role, const Elements& vector, std::uint64_t phases = 1) {
  if (role.size == 1) return;
  const EvenSplit blocks{vector.count(), static_cast<std::uint64_t>(role.size)};
  const auto part = [&](std::int32_t i, std::uint64_t phase) {
    const std::uint64_t begin = blocks.begin(static_cast<std::uint64_t>(i));
    const EvenSplit parts{blocks.begin(static_cast<std::uint64_t>(i) + 1) - begin, phases};
    return vector.range(begin + parts.begin(phase), begin + parts.begin(phase + 1));
  };
  for (std::uint64_t phase = 0; phase < phases; ++phase) {
    for (std::int32_t k = 0; k < role.size - 1; ++k) {
      exchange(plan, role.right(), part(role.left(k), phase), role.left(), part(role.left(k + 1), phase),
               Arrival::kReduce);
    }
  }
  allreduce_ring_distribution(plan, role, vector);
}

/// How many phases the segmented ring has for segments of `segment` bytes: one per n * segment bytes, the
/// rest being worth one of its own if it exceeds half of that. 1 (the plain ring) where the vector is
/// shorter.
inline std::uint64_t allreduce_ring_phases(const Elements& vector, std::int32_t size, std::uint64_t segment) {
  const std::uint64_t count = vector.count(), n = static_cast<std::uint64_t>(size);
  const std::uint64_t segment_count = segment < vector.element ? 0 : segment / vector.element;
  if (segment_count == 0 || segment_count > count / n) return 1;
  const std::uint64_t per_phase = n * segment_count, rest = count % per_phase;
  return count / per_phase + (rest >= n && rest > per_phase / 2 ? 1 : 0);
}

/// Rabenseifner: reduce-scatter by recursive halving, all-gather by recursive doubling the same way back.
/// Open MPI (Cut::kElements): even ranks of the pairs stay; needs count >= p. MPICH (Cut::kBlocks): odd ones
/// stay.
template <class Plan>
void allreduce_rabenseifner(Plan& plan, const Role& role, const Elements& vector, Cut cut) {
  const Fold fold(role.size, cut == Cut::kBlocks);
  const bool paired = fold.paired(role.rank);
  const std::int32_t partner = fold.partner(role.rank);
  fold_in(plan, role, vector, fold, cut);
  if (!fold.stays(role.rank)) {
    plan.receive(partner, vector.all(), Arrival::kCopy);
    plan.end_round();
    return;
  }
  const std::int32_t v = fold.to_virtual(role.rank);
  const Halving halving(vector, fold.members(), v, cut);
  reduce_scatter_halving(plan, fold, v, halving);
  for (std::int32_t step = halving.steps() - 1; step >= 0; --step) {
    const std::int32_t peer = fold.to_rank(v ^ (1 << step));
    exchange(plan, peer, halving.kept(step), peer, halving.given(step));
  }
  if (paired) plan.send(partner, vector.all());
  plan.end_round();
}

}  // namespace vef::tracelib::coll
