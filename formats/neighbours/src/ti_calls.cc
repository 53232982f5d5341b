// SPDX-License-Identifier: Apache-2.0
#include "ti_calls.h"

#include <algorithm>

#include "collective_shape.h"
#include "ti_types.h"

namespace vef::neighbours {

using formats::CollectiveOp;

namespace {

/// Builds the arguments of one operation.
class Builder {
 public:
  Builder(const WholeCollective& call, TiUnits units) : call_(call), units_(units) {
    calls_.before.resize(call.send_bytes.size());
  }

  bool rounded() const { return rounded_; }

  TiCalls build() {
    const Sizes& send = call_.send_bytes;
    const Sizes& recv = call_.recv_bytes;
    switch (call_.op) {
      case CollectiveOp::kBarrier:
        calls_.name = "barrier";
        return std::move(calls_);
      case CollectiveOp::kBroadcast:
        set_root(send);
        return one_size("bcast", std::max(largest_of(send), largest_of(recv)), 1, false);
      case CollectiveOp::kReduce:
        set_root(recv);
        return one_size("reduce", std::max(largest_of(send), largest_of(recv)), 1, true);
      case CollectiveOp::kAllreduce:
        return one_size("allreduce", largest_of(send), 1, true);
      case CollectiveOp::kGather:
        set_root(recv);
        return parts("gather", send, false);
      case CollectiveOp::kScatter:
        set_root(send);
        return parts("scatter", recv, true);
      case CollectiveOp::kAllgather:
        return parts("allgather", send, false);
      case CollectiveOp::kAlltoall:
        return all_to_all();
      case CollectiveOp::kReduceScatter:
        return reduce_scatter();
      case CollectiveOp::kScan:
        return one_size("scan", largest_of(send), 1, true);
      case CollectiveOp::kExscan:
        return one_size("exscan", largest_of(send), 1, true);
    }
    return std::move(calls_);
  }

 private:
  void set_root(const Sizes& sizes) { calls_.root = static_cast<std::int32_t>(root_of(sizes)); }

  std::string count(std::uint64_t size) {
    rounded_ |= size % units_.bytes != 0;
    return " " + std::to_string(units_.count(size));
  }
  std::string type() const { return " " + std::to_string(units_.type); }

  /// A size that all members name. What a reduction computes is not known: 0.
  TiCalls one_size(const char* name, std::uint64_t size, int types, bool computes) {
    calls_.name = name;
    std::fill(calls_.before.begin(), calls_.before.end(), count(size) + (computes ? " 0" : ""));
    for (; types != 0; --types) calls_.after += type();
    return std::move(calls_);
  }

  /// Each member's own part. With parts of different sizes every line names them all.
  TiCalls parts(const std::string& name, const Sizes& sizes, bool all_first) {
    calls_.after = type() + type();
    const bool equal = all_equal(sizes);
    calls_.name = name + (equal ? "" : "v");
    std::string all;
    if (!equal) {
      for (const std::uint64_t size : sizes) all += count(size);
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::string own = count(sizes[i]);
      calls_.before[i] = equal ? own + own : all_first ? all + own : own + all;
    }
    return std::move(calls_);
  }

  /// Every line names all parts.
  TiCalls reduce_scatter() {
    calls_.name = "reducescatter";
    std::string all;
    for (const std::uint64_t size : call_.recv_bytes) all += count(size);
    std::fill(calls_.before.begin(), calls_.before.end(), all + " 0");
    calls_.after = type();
    return std::move(calls_);
  }

  TiCalls all_to_all() {
    const Sizes& send = call_.send_bytes;
    const bool basic = is_plain_alltoall(call_);
    calls_.after = type() + type();
    calls_.name = basic ? "alltoall" : "alltoallv";
    for (std::size_t i = 0; i < send.size(); ++i) {
      if (basic) {
        calls_.before[i] = count(send[i]) + count(send[i]);
        continue;
      }
      std::string sends;
      std::string receives;
      std::uint64_t sent = 0;
      std::uint64_t received = 0;
      for (std::size_t j = 0; j < send.size(); ++j) {
        sends += count(alltoall_share(call_, i, j));
        receives += count(alltoall_share(call_, j, i));
        sent += alltoall_share(call_, i, j);
        received += alltoall_share(call_, j, i);
      }
      calls_.before[i] = count(sent) + sends + count(received) + receives;
    }
    return std::move(calls_);
  }

  const WholeCollective& call_;
  TiUnits units_;
  TiCalls calls_;
  bool rounded_ = false;
};

}  // namespace

Result<TiUnits> ti_units(std::uint64_t largest) {
  const auto units = element_units(largest, "SimGrid");
  if (!units) return units.error();
  return TiUnits{*units, units->bytes == 1 ? kTiByte : kTiDouble};
}

Result<TiCalls> ti_calls(const WholeCollective& call, bool& rounded) {
  const auto units = ti_units(largest_named(call));
  if (!units) return units.error();
  Builder builder(call, *units);
  TiCalls calls = builder.build();
  rounded = builder.rounded();
  return calls;
}

}  // namespace vef::neighbours
