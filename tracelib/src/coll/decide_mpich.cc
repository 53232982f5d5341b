// SPDX-License-Identifier: Apache-2.0
// What MPICH chooses by default for a communicator of one rank per node (no hierarchy), by its table
// maint/tuning/coll/mpir/generic.json; thresholds in bytes. Its CH4 device sends such communicators straight
// to these algorithms; ranks that share a node would be served through shared memory first.
#include "algorithm.h"
#include "halving.h"

namespace vef::tracelib::coll {
namespace {

using formats::CollectiveOp;
using enum Algorithm;

constexpr std::int32_t kFewRanks = 8;
constexpr std::uint64_t kBcastShort = 12'288, kBcastLong = 524'288;
constexpr std::uint64_t kReduceShort = 2048, kAllreduceShort = 8;
constexpr std::uint64_t kAllgatherShort = 81'920, kAllgatherLong = 524'288;  // of all blocks together
constexpr std::uint64_t kAlltoallShort = 256, kAlltoallMedium = 32'768;

bool fewer_elements_than_members(const Shape& shape) {
  return shape.count < static_cast<std::uint64_t>(floor_power_of_two(shape.size));
}

Algorithm broadcast(const Shape& shape) {
  if (shape.size < kFewRanks || shape.bytes <= kBcastShort) return kBinomial;
  return is_power_of_two(shape.size) && shape.bytes <= kBcastLong ? kScatterAllgather : kScatterRing;
}

Algorithm allgather(const Shape& shape) {
  if (is_power_of_two(shape.size)) return shape.total < kAllgatherLong ? kRecursiveDoubling : kRing;
  return shape.total < kAllgatherShort ? kBruck : kRing;
}

Algorithm alltoall(const Shape& shape) {
  if (!shape.equal_blocks) return kScattered;
  if (shape.size >= kFewRanks && shape.bytes <= kAlltoallShort) return kBruck;
  return shape.bytes <= kAlltoallMedium ? kScattered : kPairwise;
}

}  // namespace

Algorithm choose_mpich(const Shape& shape) {
  switch (shape.op) {
    case CollectiveOp::kBroadcast:
      return broadcast(shape);
    case CollectiveOp::kReduce:
      return shape.bytes <= kReduceShort || fewer_elements_than_members(shape) ? kBinomial : kRabenseifner;
    case CollectiveOp::kAllreduce:
      return shape.bytes <= kAllreduceShort || fewer_elements_than_members(shape) ? kRecursiveDoubling
                                                                                  : kRabenseifner;
    case CollectiveOp::kGather:
    case CollectiveOp::kScatter:
      return shape.equal_blocks ? kBinomial : kLinear;
    case CollectiveOp::kAllgather:
      return allgather(shape);
    case CollectiveOp::kBarrier:
      return kDissemination;
    case CollectiveOp::kAlltoall:
      return alltoall(shape);
    case CollectiveOp::kReduceScatter:
      return kReduceScatter;
    case CollectiveOp::kScan:
    case CollectiveOp::kExscan:
      return kRecursiveDoubling;
  }
  return kNone;
}

}  // namespace vef::tracelib::coll
