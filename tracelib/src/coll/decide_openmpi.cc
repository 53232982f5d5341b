// SPDX-License-Identifier: Apache-2.0
// What Open MPI chooses by default: the fixed decision functions of coll/tuned, which also leave segment
// sizes and fan-outs at 0: nothing is segmented, a chain is one chain (a pipeline), a segmented ring a ring.
#include <span>

#include "algorithm.h"
#include "halving.h"

namespace vef::tracelib::coll {
namespace {

using formats::CollectiveOp;
using enum Algorithm;

constexpr std::uint64_t kKi = 1024, kMi = kKi * kKi, kAny = ~std::uint64_t{0};

/// Applies to communicators of fewer than `size` ranks and messages of less than `bytes`; the first that fits
/// counts.
struct Rule {
  std::uint64_t size;
  std::uint64_t bytes;
  Algorithm algorithm;
};

// By the bytes of the vector.
constexpr Rule kBcast[] = {
    {4, 32, kPipeline},
    {4, 256, kBinary},
    {4, 512, kPipeline},
    {4, kKi, kKnomial},
    {4, 32 * kKi, kLinear},
    {4, 128 * kKi, kBinary},
    {4, 256 * kKi, kPipeline},
    {4, 512 * kKi, kLinear},
    {4, kMi, kBinomial},
    {4, kAny, kBinary},
    {8, 64, kBinary},
    {8, 128, kBinomial},
    {8, 2 * kKi, kBinary},
    {8, 8 * kKi, kBinomial},
    {8, kMi, kLinear},
    {8, kAny, kPipeline},
    {16, 8, kKnomial},
    {16, 64, kBinary},
    {16, 4 * kKi, kKnomial},
    {16, 16 * kKi, kBinary},
    {16, 32 * kKi, kBinomial},
    {16, kAny, kLinear},
    {32, 4 * kKi, kKnomial},
    {32, kMi, kBinomial},
    {32, kAny, kScatterAllgather},
    {64, 2 * kKi, kBinomial},
    {64, kAny, kKnomial},
    {128, kAny, kKnomial},
    {256, 2, kBinomial},
    {256, 16 * kKi, kBinary},
    {256, 32 * kKi, kLinear},
    {256, 64 * kKi, kBinary},
    {256, kAny, kKnomial},
    {1024, 16 * kKi, kKnomial},
    {1024, 32 * kKi, kSplitBinary},
    {1024, kAny, kKnomial},
    {2048, 512 * kKi, kKnomial},
    {2048, kAny, kScatterAllgather},
    {4096, 256 * kKi, kKnomial},
    {4096, kAny, kScatterAllgather},
    {kAny, 8 * kKi, kKnomial},
    {kAny, 16 * kKi, kBinary},
    {kAny, 256 * kKi, kKnomial},
    {kAny, kAny, kScatterAllgather},
};

// By the bytes of the vector; commutative operations.
constexpr Rule kReduce[] = {
    {4, 8, kRabenseifner},
    {4, 16, kBinary},
    {4, 32, kPipeline},
    {4, 256 * kKi, kLinear},
    {4, kAny, kPipeline},
    {8, 4 * kKi, kBinary},
    {8, 64 * kKi, kPipeline},
    {8, 256 * kKi, kBinomial},
    {8, 512 * kKi, kLinear},
    {8, kMi, kBinomial},
    {8, kAny, kLinear},
    {16, 8 * kKi, kBinary},
    {16, kAny, kBinomial},
    {32, 4 * kKi, kBinary},
    {32, kAny, kBinomial},
    {256, kAny, kBinomial},
    {512, 8 * kKi, kBinomial},
    {512, 16 * kKi, kInOrderBinary},
    {512, kAny, kBinomial},
    {2048, kAny, kBinomial},
    {4096, 512, kBinomial},
    {4096, kKi, kInOrderBinary},
    {4096, 8 * kKi, kBinomial},
    {4096, 16 * kKi, kInOrderBinary},
    {4096, kAny, kBinomial},
    {kAny, 16, kBinomial},
    {kAny, 32, kInOrderBinary},
    {kAny, kKi, kBinomial},
    {kAny, 2 * kKi, kInOrderBinary},
    {kAny, 8 * kKi, kBinomial},
    {kAny, 16 * kKi, kInOrderBinary},
    {kAny, kAny, kBinomial},
};

// By the bytes of the vector; commutative operations.
constexpr Rule kAllreduce[] = {
    {4, 8, kRing},
    {4, 4 * kKi, kRecursiveDoubling},
    {4, 8 * kKi, kRing},
    {4, 16 * kKi, kRecursiveDoubling},
    {4, 256 * kKi, kRing},
    {4, kAny, kRabenseifner},
    {8, 16, kRing},
    {8, 8 * kKi, kRecursiveDoubling},
    {8, kAny, kRabenseifner},
    {16, 8 * kKi, kRecursiveDoubling},
    {16, kAny, kRabenseifner},
    {32, 64, kRing},
    {32, 4 * kKi, kRecursiveDoubling},
    {32, kAny, kRabenseifner},
    {64, 128, kRing},
    {64, kAny, kRabenseifner},
    {128, 256 * kKi, kRecursiveDoubling},
    {128, kAny, kRabenseifner},
    {256, 128 * kKi, kReduceBroadcast},
    {256, 256 * kKi, kRecursiveDoubling},
    {256, kAny, kRabenseifner},
    {512, 4 * kKi, kReduceBroadcast},
    {512, kAny, kRabenseifner},
    {2048, 2 * kKi, kReduceBroadcast},
    {2048, 16 * kKi, kRecursiveDoubling},
    {2048, kAny, kRabenseifner},
    {4096, 2 * kKi, kReduceBroadcast},
    {4096, 4 * kKi, kRing},
    {4096, 16 * kKi, kRecursiveDoubling},
    {4096, kAny, kRabenseifner},
    {kAny, 2 * kKi, kReduceBroadcast},
    {kAny, 16 * kKi, kRing},
    {kAny, 32 * kKi, kRecursiveDoubling},
    {kAny, kAny, kRabenseifner},
};

// By the bytes of one block.
constexpr Rule kAllgather[] = {
    {3, kAny, kTwoProcesses},
    {32, kAny, kRecursiveDoubling},
    {64, kKi, kRecursiveDoubling},
    {64, 64 * kKi, kNeighborExchange},
    {64, kAny, kRing},
    {128, 512, kRecursiveDoubling},
    {128, 64 * kKi, kNeighborExchange},
    {128, kAny, kRing},
    {256, 512, kRecursiveDoubling},
    {256, 128 * kKi, kNeighborExchange},
    {256, 512 * kKi, kRing},
    {256, kMi, kNeighborExchange},
    {256, kAny, kRing},
    {512, 32, kRecursiveDoubling},
    {512, 128, kBruck},
    {512, kKi, kRecursiveDoubling},
    {512, 128 * kKi, kNeighborExchange},
    {512, 512 * kKi, kRing},
    {512, kMi, kNeighborExchange},
    {512, kAny, kRing},
    {1024, 64, kRecursiveDoubling},
    {1024, 256, kBruck},
    {1024, 2 * kKi, kRecursiveDoubling},
    {1024, kAny, kNeighborExchange},
    {2048, 4, kRecursiveDoubling},
    {2048, 8, kBruck},
    {2048, 16, kRecursiveDoubling},
    {2048, 32, kBruck},
    {2048, 256, kRecursiveDoubling},
    {2048, 512, kBruck},
    {2048, 4 * kKi, kRecursiveDoubling},
    {2048, kAny, kNeighborExchange},
    {4096, 32, kBruck},
    {4096, 128, kRecursiveDoubling},
    {4096, 512, kBruck},
    {4096, 4 * kKi, kRecursiveDoubling},
    {4096, kAny, kNeighborExchange},
    {kAny, 2, kRecursiveDoubling},
    {kAny, 8, kBruck},
    {kAny, 16, kRecursiveDoubling},
    {kAny, 512, kBruck},
    {kAny, 4 * kKi, kRecursiveDoubling},
    {kAny, kAny, kNeighborExchange},
};

// By the mean bytes of a block.
constexpr Rule kAllgatherv[] = {
    {3, 2 * kKi, kRing},
    {3, 4 * kKi, kTwoProcesses},
    {3, 8 * kKi, kRing},
    {3, kAny, kTwoProcesses},
    {8, 256, kGatherBroadcast},
    {8, 4 * kKi, kNeighborExchange},
    {8, 8 * kKi, kRing},
    {8, 16 * kKi, kNeighborExchange},
    {8, 256 * kKi, kBruck},
    {8, kAny, kNeighborExchange},
    {16, kKi, kGatherBroadcast},
    {16, kAny, kBruck},
    {32, 128, kGatherBroadcast},
    {32, 256 * kKi, kBruck},
    {32, kAny, kRing},
    {64, 256, kGatherBroadcast},
    {64, 8 * kKi, kBruck},
    {64, kAny, kRing},
    {128, 256, kGatherBroadcast},
    {128, 4 * kKi, kBruck},
    {128, kAny, kRing},
    {256, kKi, kBruck},
    {256, 64 * kKi, kNeighborExchange},
    {256, kAny, kRing},
    {512, kKi, kBruck},
    {512, kAny, kRing},
    {1024, 512, kBruck},
    {1024, kKi, kGatherBroadcast},
    {1024, 4 * kKi, kBruck},
    {1024, kMi, kNeighborExchange},
    {1024, kAny, kRing},
    {kAny, 4 * kKi, kBruck},
    {kAny, kAny, kNeighborExchange},
};

// By the bytes for one destination.
constexpr Rule kAlltoall[] = {
    {3, 2, kPairwise},
    {3, 4, kTwoProcesses},
    {3, 16, kPairwise},
    {3, 64, kTwoProcesses},
    {3, 256, kPairwise},
    {3, 4 * kKi, kTwoProcesses},
    {3, 32 * kKi, kPairwise},
    {3, 256 * kKi, kLinearSync},
    {3, kMi, kTwoProcesses},
    {3, kAny, kPairwise},
    {8, 8 * kKi, kLinearSync},
    {8, 16 * kKi, kLinear},
    {8, 64 * kKi, kLinearSync},
    {8, 512 * kKi, kLinear},
    {8, kMi, kPairwise},
    {8, kAny, kLinear},
    {16, 256 * kKi, kLinearSync},
    {16, kAny, kLinear},
    {32, 4, kLinearSync},
    {32, 512, kBruck},
    {32, 8 * kKi, kLinearSync},
    {32, 32 * kKi, kLinear},
    {32, 256 * kKi, kLinearSync},
    {32, 512 * kKi, kLinear},
    {32, kAny, kLinearSync},
    {64, 512, kBruck},
    {64, 512 * kKi, kLinear},
    {64, kAny, kLinearSync},
    {128, kKi, kBruck},
    {128, 2 * kKi, kLinear},
    {128, 4 * kKi, kLinearSync},
    {128, 256 * kKi, kLinear},
    {128, kAny, kPairwise},
    {256, kKi, kBruck},
    {256, 2 * kKi, kLinearSync},
    {256, 256 * kKi, kLinear},
    {256, kAny, kPairwise},
    {512, kKi, kBruck},
    {512, 8 * kKi, kLinearSync},
    {512, 32 * kKi, kLinear},
    {512, kAny, kPairwise},
    {1024, 512, kBruck},
    {1024, 8 * kKi, kLinearSync},
    {1024, 16 * kKi, kLinear},
    {1024, 128 * kKi, kLinearSync},
    {1024, 256 * kKi, kLinear},
    {1024, kAny, kPairwise},
    {2048, 512, kBruck},
    {2048, kKi, kLinearSync},
    {2048, 2 * kKi, kLinear},
    {2048, 16 * kKi, kLinearSync},
    {2048, 256 * kKi, kLinear},
    {2048, kAny, kLinearSync},
    {4096, kKi, kBruck},
    {4096, 4 * kKi, kLinearSync},
    {4096, 8 * kKi, kLinear},
    {4096, 128 * kKi, kLinearSync},
    {4096, kAny, kLinear},
    {kAny, 2 * kKi, kBruck},
    {kAny, 8 * kKi, kLinearSync},
    {kAny, 16 * kKi, kLinear},
    {kAny, 32 * kKi, kLinearSync},
    {kAny, 64 * kKi, kLinear},
    {kAny, kAny, kLinearSync},
};

// By size alone.
constexpr Rule kAlltoallv[] = {
    {4, kAny, kPairwise}, {64, kAny, kLinear},     {128, kAny, kPairwise},
    {256, kAny, kLinear}, {1024, kAny, kPairwise}, {kAny, kAny, kLinear},
};

// By the bytes of one block.
constexpr Rule kGather[] = {
    {4, 2, kLinearSync},       {4, 4, kLinear},         {4, 32 * kKi, kBinomial}, {4, 64 * kKi, kLinear},
    {4, 128 * kKi, kBinomial}, {4, kAny, kLinearSync},  {8, kKi, kBinomial},      {8, 8 * kKi, kLinear},
    {8, 32 * kKi, kBinomial},  {8, 256 * kKi, kLinear}, {8, kAny, kLinearSync},   {256, kAny, kBinomial},
    {512, 2 * kKi, kBinomial}, {512, 8 * kKi, kLinear}, {512, kAny, kBinomial},   {kAny, kAny, kBinomial},
};

// By the bytes of one block; its two linear forms send the same messages.
constexpr Rule kScatter[] = {
    {4, kAny, kLinear},  {8, 2 * kKi, kBinomial},   {8, 4 * kKi, kLinear},  {8, 8 * kKi, kBinomial},
    {8, kAny, kLinear},  {16, 16 * kKi, kBinomial}, {16, kAny, kLinear},    {32, 16 * kKi, kBinomial},
    {32, kAny, kLinear}, {64, 512, kBinomial},      {64, 8 * kKi, kLinear}, {64, 16 * kKi, kBinomial},
    {64, kAny, kLinear}, {kAny, 512, kBinomial},    {kAny, kAny, kLinear},
};

// By size alone.
constexpr Rule kBarrier[] = {
    {4, kAny, kRecursiveDoubling}, {8, kAny, kLinear},           {64, kAny, kRecursiveDoubling},
    {256, kAny, kDissemination},   {512, kAny, kTree},           {1024, kAny, kDissemination},
    {4096, kAny, kTree},           {kAny, kAny, kDissemination},
};

Algorithm look_up(std::span<const Rule> rules, const Shape& shape) {
  for (const Rule& rule : rules) {
    const bool fits_size = rule.size == kAny || static_cast<std::uint64_t>(shape.size) < rule.size;
    if (fits_size && (rule.bytes == kAny || shape.bytes < rule.bytes)) return rule.algorithm;
  }
  return kLinear;  // not reached: every table ends with a rule for all
}

Algorithm allreduce(const Shape& shape) {
  const Algorithm wanted = look_up(kAllreduce, shape);
  const auto members = static_cast<std::uint64_t>(floor_power_of_two(shape.size));
  if (wanted == kRing && shape.count < static_cast<std::uint64_t>(shape.size)) return kRecursiveDoubling;
  if (wanted == kRabenseifner && shape.count < members) return kLinear;
  return wanted;
}

Algorithm reduce(const Shape& shape) {
  const Algorithm wanted = look_up(kReduce, shape);
  const auto members = static_cast<std::uint64_t>(floor_power_of_two(shape.size));
  return wanted == kRabenseifner && shape.count < members ? kLinear : wanted;
}

Algorithm broadcast(const Shape& shape) {
  const Algorithm wanted = look_up(kBcast, shape);
  if (wanted == kScatterAllgather && shape.count < static_cast<std::uint64_t>(shape.size)) return kLinear;
  return wanted == kSplitBinary && shape.count < 2 ? kPipeline : wanted;
}

Algorithm allgather(const Shape& shape) {
  const Algorithm wanted = shape.equal_blocks ? look_up(kAllgather, shape) : look_up(kAllgatherv, shape);
  if (wanted == kRecursiveDoubling && !is_power_of_two(shape.size)) return kBruck;
  return wanted == kNeighborExchange && shape.size % 2 != 0 ? kRing : wanted;
}

}  // namespace

Algorithm choose_openmpi(const Shape& shape) {
  switch (shape.op) {
    case CollectiveOp::kBroadcast:
      return broadcast(shape);
    case CollectiveOp::kReduce:
      return reduce(shape);
    case CollectiveOp::kAllreduce:
      return allreduce(shape);
    case CollectiveOp::kGather:  // the vector form is coll/basic's, always linear
      return shape.equal_blocks ? look_up(kGather, shape) : kLinear;
    case CollectiveOp::kScatter:
      return shape.equal_blocks ? look_up(kScatter, shape) : kLinear;
    case CollectiveOp::kAllgather:
      return allgather(shape);
    case CollectiveOp::kBarrier:
      return look_up(kBarrier, shape);
    case CollectiveOp::kAlltoall:
      return shape.equal_blocks ? look_up(kAlltoall, shape) : look_up(kAlltoallv, shape);
    case CollectiveOp::kReduceScatter:
      return kReduceScatter;
    case CollectiveOp::kScan:  // coll/basic's
    case CollectiveOp::kExscan:
      return kLinear;
  }
  return kNone;
}

}  // namespace vef::tracelib::coll
