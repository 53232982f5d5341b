// SPDX-License-Identifier: Apache-2.0
#include "model.h"

namespace vef::merge {

std::string incomplete(const RankData& data) {
  const std::string rank = "rank " + std::to_string(data.rank);
  if (data.unrecorded) return rank + " was not to be recorded";
  if (!data.present) return rank + " has no log";
  if (data.complete && data.partial) return "recording left out calls of " + rank + " on purpose";
  return "the log of " + rank + (data.damaged ? " is damaged" : " ends early");
}

std::uint64_t group_size(const std::vector<formats::RankRun>& runs) {
  std::uint64_t size = 0;
  for (const formats::RankRun& run : runs) size += run.count;
  return size;
}

formats::TaskId world_rank(const std::vector<formats::RankRun>& runs, std::int32_t member) {
  if (member < 0) return -1;
  std::uint32_t left = static_cast<std::uint32_t>(member);
  for (const formats::RankRun& run : runs) {
    if (left < run.count) return static_cast<formats::TaskId>(run.first + std::int64_t{run.stride} * left);
    left -= run.count;
  }
  return -1;
}

std::vector<formats::TaskId> members_of(const std::vector<formats::RankRun>& runs) {
  std::vector<formats::TaskId> members;
  members.reserve(group_size(runs));
  for (const formats::RankRun& run : runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      members.push_back(static_cast<formats::TaskId>(run.first + std::int64_t{run.stride} * i));
    }
  }
  return members;
}

std::uint64_t model_bytes(const RankData& data) {
  std::uint64_t bytes = data.sends.size() * sizeof(Send) + data.receives.size() * sizeof(Receive) +
                        data.parts.size() * sizeof(Part) + data.things.size() * sizeof(Thing) +
                        data.sizes.size() * sizeof(std::uint64_t) + data.accesses.size() * sizeof(Access) +
                        data.syncs.size() * sizeof(Sync);
  for (const auto& ops : data.threads) bytes += ops.size() * sizeof(Op);
  return bytes;
}

}  // namespace vef::merge
