// SPDX-License-Identifier: Apache-2.0
#include "prepared.h"

#include <algorithm>

namespace vef::tracelib::coll {
namespace {

using formats::CollectiveOp;

/// Traces do not say the datatype. Doubles and 32-bit numbers are what applications mostly send.
std::uint64_t likely_element(std::uint64_t bytes) {
  if (bytes % 8 == 0) return 8;
  return bytes % 4 == 0 ? 4 : 1;
}

}  // namespace

std::uint64_t alltoall_bytes(const CollectiveCall& call, std::int32_t from, std::int32_t to) {
  const std::uint64_t bytes = call.send_bytes[from];
  if (call.recv_bytes[from] != 1) return bytes;
  const auto size = static_cast<std::uint64_t>(call.size);
  return bytes / size + (static_cast<std::uint64_t>(to) < bytes % size ? 1 : 0);
}

void Prepared::reset(const CollectiveCall& call, Library library) {
  call_ = call;
  library_ = library;
  algorithm_ = first_half_ = second_half_ = Algorithm::kNone;
  vector_ = {};
  equal_blocks_ = true;
  block_ = total_ = 0;
  offsets_.clear();
  if (call.size < 2) return;
  switch (call.op) {
    case CollectiveOp::kBroadcast:
    case CollectiveOp::kReduce:
    case CollectiveOp::kAllreduce:
    case CollectiveOp::kScan:
    case CollectiveOp::kExscan:
      measure_vector();
      break;
    case CollectiveOp::kGather:
      measure_blocks(call.send_bytes, call.root);
      break;
    case CollectiveOp::kScatter:
      measure_blocks(call.recv_bytes, call.root);
      break;
    case CollectiveOp::kAllgather:
      measure_blocks(call.send_bytes, -1);
      break;
    case CollectiveOp::kReduceScatter:
      measure_vector();
      measure_blocks(call.recv_bytes, -1);
      break;
    case CollectiveOp::kAlltoall:
      measure_alltoall();
      break;
    case CollectiveOp::kBarrier:
      break;
  }
  const bool nothing = vector_.bytes == 0 && total_ == 0;
  if (nothing && call.op != CollectiveOp::kBarrier) return;
  const Shape shape{call.op, call.size,       vector_.bytes != 0 ? vector_.bytes : block_,
                    total_,  vector_.count(), equal_blocks_};
  algorithm_ = choose(shape);
  choose_halves(shape);
}

void Prepared::measure_vector() {
  const bool reduces = call_.op == CollectiveOp::kReduce;
  const bool rooted = reduces || call_.op == CollectiveOp::kBroadcast;
  const std::int32_t from = rooted ? call_.root : 0;
  vector_.bytes = reduces ? call_.recv_bytes[from] : call_.send_bytes[from];
  vector_.element = call_.element_bytes != 0 ? call_.element_bytes : likely_element(vector_.bytes);
  // MPICH cuts broadcasts between bytes.
  if (library_ == Library::kMpich && call_.op == CollectiveOp::kBroadcast) vector_.element = 1;
}

/// `ignored`: the root, whose own block may be recorded as 0 (in place); -1: nobody.
void Prepared::measure_blocks(std::span<const std::uint64_t> sizes, std::int32_t ignored) {
  const std::uint64_t first = sizes[ignored == 0 ? 1 : 0];
  for (std::int32_t i = 0; i < call_.size && equal_blocks_; ++i) {
    equal_blocks_ = i == ignored || sizes[i] == first;
  }
  if (equal_blocks_) {
    block_ = first;
    total_ = first * static_cast<std::uint64_t>(call_.size);
    return;
  }
  offsets_.reserve(static_cast<std::size_t>(call_.size) + 1);
  offsets_.push_back(0);
  for (std::int32_t i = 0; i < call_.size; ++i) offsets_.push_back(offsets_.back() + sizes[i]);
  total_ = offsets_.back();
  block_ = total_ / static_cast<std::uint64_t>(call_.size);
}

void Prepared::measure_alltoall() {
  block_ = call_.send_bytes[0];
  for (std::int32_t i = 0; i < call_.size; ++i) {
    total_ |= call_.send_bytes[i];  // only asked whether it is 0
    equal_blocks_ = equal_blocks_ && call_.recv_bytes[i] != 1 && call_.send_bytes[i] == block_;
  }
}

Algorithm Prepared::choose(const Shape& shape) const {
  return library_ == Library::kOpenMpi ? choose_openmpi(shape) : choose_mpich(shape);
}

void Prepared::choose_halves(const Shape& shape) {
  Shape half = shape;
  if (algorithm_ == Algorithm::kReduceScatter) {
    half.op = CollectiveOp::kScatter;
    half.bytes = block_;
    second_half_ = choose(half);
    half = shape;
    half.equal_blocks = true;
    half.op = CollectiveOp::kReduce;
    first_half_ = choose(half);
    return;
  }
  half.equal_blocks = true;
  if (algorithm_ == Algorithm::kReduceBroadcast) {
    half.op = CollectiveOp::kReduce;
    first_half_ = choose(half);
  } else if (algorithm_ == Algorithm::kGatherBroadcast) {
    // The gathered blocks are broadcast as one element of an indexed datatype.
    first_half_ = Algorithm::kLinear;
    vector_ = {total_, std::max<std::uint64_t>(total_, 1)};
    half.bytes = total_;
    half.count = 1;
  } else {
    return;
  }
  half.op = CollectiveOp::kBroadcast;
  second_half_ = choose(half);
}

}  // namespace vef::tracelib::coll
