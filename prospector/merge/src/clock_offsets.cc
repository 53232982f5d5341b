// SPDX-License-Identifier: Apache-2.0
#include "clock_offsets.h"

#include <map>

namespace vef::merge {
bool apply_clock_offsets(const std::vector<ClockOffset>& offsets, std::vector<RankData>& ranks) {
  if (offsets.empty() || ranks.empty() || !ranks[0].present) return false;
  std::map<std::string, std::int64_t> by_host = {{ranks[0].host, 0}};
  for (const ClockOffset& offset : offsets) {
    const auto rank = static_cast<std::size_t>(offset.rank);
    if (rank < ranks.size() && ranks[rank].present) by_host.try_emplace(ranks[rank].host, offset.offset);
  }
  for (const RankData& rank : ranks) {
    if (rank.present && !by_host.contains(rank.host)) return false;
  }
  for (RankData& rank : ranks) {
    if (!rank.present) continue;
    const std::int64_t offset = by_host[rank.host];
    rank.common_clock = true;
    rank.init_end += offset;
    rank.wall = ranks[0].wall;
    for (Meeting& meeting : rank.meetings) meeting.end += offset;
    for (auto& thread : rank.threads) {
      for (Op& op : thread) {
        op.start += offset;
        op.end += offset;
      }
    }
  }
  return true;
}

std::string describe_clock_offsets(const std::vector<ClockOffset>& offsets,
                                   const std::vector<RankData>& ranks) {
  std::string text;
  for (const ClockOffset& offset : offsets) {
    const auto rank = static_cast<std::size_t>(offset.rank);
    if (rank >= ranks.size()) continue;
    if (!text.empty()) text += "; ";
    text += ranks[rank].host + " " + std::to_string(offset.offset) + " ns, round trip " +
            std::to_string(offset.round_trip) + " ns";
    if (offset.end_round_trip > 0) {
      text += ", at the end " + std::to_string(offset.end_offset - offset.offset) + " ns more";
    }
  }
  return text;
}

}  // namespace vef::merge
