// SPDX-License-Identifier: Apache-2.0
#include "dumpi_groups.h"

#include <unordered_set>

namespace vef::neighbours {

namespace {

/// Those of `from` that are in `of`, or that are not.
Group filtered(const Group& from, const Group& of, bool in) {
  const std::unordered_set<formats::TaskId> members(of.begin(), of.end());
  Group result;
  for (const formats::TaskId task : from) {
    if ((members.count(task) != 0) == in) result.push_back(task);
  }
  return result;
}

bool is_rank(std::int64_t rank, std::size_t size) {
  return rank >= 0 && static_cast<std::uint64_t>(rank) < size;
}

}  // namespace

Group group_union(const Group& a, const Group& b) {
  Group result = a;
  const Group more = filtered(b, a, false);
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

Group group_intersection(const Group& a, const Group& b) { return filtered(a, b, true); }

Group group_difference(const Group& a, const Group& b) { return filtered(a, b, false); }

std::optional<Group> group_incl(const Group& group, const std::vector<std::int32_t>& ranks) {
  Group result;
  for (const std::int32_t rank : ranks) {
    if (!is_rank(rank, group.size())) return std::nullopt;
    result.push_back(group[static_cast<std::size_t>(rank)]);
  }
  return result;
}

std::optional<Group> group_excl(const Group& group, const std::vector<std::int32_t>& ranks) {
  const auto out = group_incl(group, ranks);
  if (!out) return std::nullopt;
  return group_difference(group, *out);
}

std::optional<std::vector<std::int32_t>> ranks_of_ranges(const std::vector<std::int32_t>& triples,
                                                         std::size_t size) {
  if (triples.size() % 3 != 0) return std::nullopt;
  std::vector<std::int32_t> ranks;
  for (std::size_t i = 0; i < triples.size(); i += 3) {
    const std::int64_t last = triples[i + 1];
    const std::int64_t stride = triples[i + 2];
    if (!is_rank(triples[i], size) || !is_rank(last, size) || stride == 0) return std::nullopt;
    for (std::int64_t rank = triples[i]; stride > 0 ? rank <= last : rank >= last; rank += stride)
      ranks.push_back(static_cast<std::int32_t>(rank));
    if (ranks.size() > size) return std::nullopt;  // one of them twice
  }
  return ranks;
}

}  // namespace vef::neighbours
