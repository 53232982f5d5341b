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

namespace {

/// Calls `visit` with every column.
template <class Data, class Visit>
void visit_columns(Data& data, Visit visit) {
  for (auto& ops : data.threads) visit(ops);
  visit(data.sends);
  visit(data.receives);
  visit(data.parts);
  visit(data.things);
  visit(data.sizes);
  visit(data.accesses);
  visit(data.syncs);
  visit(data.peers);
  visit(data.answers);
  visit(data.awaited);
}

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void keep_in(RankData& data, Store* store) {
  visit_columns(data, [&](auto& column) { column.set_store(store); });
}

void settle(RankData& data, Store& store) {
  std::size_t bytes = 0;
  visit_columns(data, [&](const auto& column) { bytes += column.in_heap() ? aligned(column.bytes()) : 0; });
  const Store::Block home = bytes == 0 ? Store::Block{} : store.take_of_file(bytes);
  if (bytes != 0 && !home.mapped) {
    store.give_back(home);
    return;  // status() tells
  }
  std::byte* place = home.data;
  visit_columns(data, [&](auto& column) { place += aligned(column.settle(place)); });
}

std::uint64_t model_bytes(const RankData& data) {
  std::uint64_t bytes = 0;
  visit_columns(data, [&](const auto& column) { bytes += column.bytes(); });
  return bytes;
}

}  // namespace vef::merge
