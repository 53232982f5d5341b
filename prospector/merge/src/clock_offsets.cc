// SPDX-License-Identifier: Apache-2.0
#include "clock_offsets.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace vef::merge {
namespace {

template <class Number>
Number number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<Number>() : Number{0};
}

}  // namespace

std::vector<ClockOffset> read_clock_offsets(const std::string& directory) {
  std::vector<ClockOffset> offsets;
  std::ifstream in(std::filesystem::path(directory) / "capture.json", std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object()) return offsets;
  const auto list = json.find("clock_offsets");
  if (list == json.end() || !list->is_array()) return offsets;
  for (const nlohmann::json& entry : *list) {
    if (!entry.is_object()) continue;
    const ClockOffset offset{.rank = number<formats::TaskId>(entry, "rank"),
                             .offset = number<std::int64_t>(entry, "offset_ns"),
                             .round_trip = number<std::uint64_t>(entry, "round_trip_ns"),
                             .end_offset = number<std::int64_t>(entry, "end_offset_ns"),
                             .end_round_trip = number<std::uint64_t>(entry, "end_round_trip_ns")};
    if (offset.rank > 0 && offset.round_trip > 0) offsets.push_back(offset);
  }
  return offsets;
}

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
