// SPDX-License-Identifier: Apache-2.0
#include "ti_calls.h"

#include <algorithm>
#include <limits>

#include "ti_types.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::CollectiveOp;

namespace {

constexpr std::uint64_t kMostCount = std::numeric_limits<std::int32_t>::max();
using Sizes = std::vector<std::uint64_t>;

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
        return one_size("bcast", std::max(largest(send), largest(recv)), 1, false);
      case CollectiveOp::kReduce:
        set_root(recv);
        return one_size("reduce", std::max(largest(send), largest(recv)), 1, true);
      case CollectiveOp::kAllreduce:
        return one_size("allreduce", largest(send), 1, true);
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
    }
    return std::move(calls_);
  }

 private:
  static std::uint64_t largest(const Sizes& sizes) { return *std::max_element(sizes.begin(), sizes.end()); }

  /// The member that has a size where the others have none; 0 if nobody has.
  void set_root(const Sizes& sizes) {
    const auto found = std::find_if(sizes.begin(), sizes.end(), [](std::uint64_t size) { return size != 0; });
    calls_.root = found == sizes.end() ? 0 : static_cast<std::int32_t>(found - sizes.begin());
  }

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
    const bool equal =
        std::all_of(sizes.begin(), sizes.end(), [&](std::uint64_t size) { return size == sizes[0]; });
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

  /// What `from` sends to `to`: the same to each, or its total shared out evenly, the first a byte more.
  std::uint64_t share(std::size_t from, std::size_t to) const {
    const std::uint64_t size = call_.send_bytes[from];
    if (call_.recv_bytes[from] == 0) return size;
    const std::uint64_t members = call_.send_bytes.size();
    return size / members + (to < size % members ? 1 : 0);
  }

  TiCalls all_to_all() {
    const Sizes& send = call_.send_bytes;
    const bool basic =
        std::all_of(send.begin(), send.end(), [&](std::uint64_t size) { return size == send[0]; }) &&
        largest(call_.recv_bytes) == 0;
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
        sends += count(share(i, j));
        receives += count(share(j, i));
        sent += share(i, j);
        received += share(j, i);
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
  if (largest <= kMostCount) return TiUnits{1, kTiByte};
  const TiUnits eights{8, kTiDouble};
  if (eights.count(largest) <= kMostCount) return eights;
  return Error{ErrorKind::kInput, std::to_string(largest) + " bytes; expected at most " +
                                      std::to_string(8 * kMostCount) + ", which is what SimGrid can count"};
}

Result<TiCalls> ti_calls(const WholeCollective& call, bool& rounded) {
  // What a line names at most: a member's own size, or the sum of what it exchanges.
  std::uint64_t most = 0;
  for (const std::uint64_t size : call.send_bytes) most = std::max(most, size);
  for (const std::uint64_t size : call.recv_bytes) most = std::max(most, size);
  std::uint64_t all = 0;  // which one may get
  for (const std::uint64_t size : call.send_bytes) saturating_add_to(all, size);
  if (call.op == CollectiveOp::kAlltoall) most = std::max(most, all);
  const auto units = ti_units(most);
  if (!units) return units.error();
  Builder builder(call, *units);
  TiCalls calls = builder.build();
  rounded = builder.rounded();
  return calls;
}

}  // namespace vef::neighbours
