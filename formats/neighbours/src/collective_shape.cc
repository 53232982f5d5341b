// SPDX-License-Identifier: Apache-2.0
#include "collective_shape.h"

#include <algorithm>

#include "vef/base/units.h"

namespace vef::neighbours {

std::uint64_t largest_of(const Sizes& sizes) { return *std::max_element(sizes.begin(), sizes.end()); }

bool all_equal(const Sizes& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [&](std::uint64_t size) { return size == sizes[0]; });
}

std::size_t root_of(const Sizes& sizes) {
  const auto found = std::find_if(sizes.begin(), sizes.end(), [](std::uint64_t size) { return size != 0; });
  return found == sizes.end() ? 0 : static_cast<std::size_t>(found - sizes.begin());
}

bool is_plain_alltoall(const WholeCollective& call) {
  return all_equal(call.send_bytes) && largest_of(call.recv_bytes) == 0;
}

std::uint64_t alltoall_share(const WholeCollective& call, std::size_t from, std::size_t to) {
  const std::uint64_t size = call.send_bytes[from];
  if (call.recv_bytes[from] == 0) return size;
  const std::uint64_t members = call.send_bytes.size();
  return size / members + (to < size % members ? 1 : 0);
}

std::uint64_t largest_named(const WholeCollective& call) {
  std::uint64_t most = std::max(largest_of(call.send_bytes), largest_of(call.recv_bytes));
  if (call.op != formats::CollectiveOp::kAlltoall) return most;
  std::uint64_t all = 0;  // which one may get
  for (const std::uint64_t size : call.send_bytes) saturating_add_to(all, size);
  return std::max(most, all);
}

}  // namespace vef::neighbours
