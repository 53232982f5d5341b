// SPDX-License-Identifier: Apache-2.0
#include "prepared.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "metadata.h"

namespace vef::merge {

namespace {

/// Seconds since the last call, for the report.
class StageClock {
 public:
  explicit StageClock(MergeReport& report) : report_(report) {}
  void stage(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    report_.seconds.emplace_back(name, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  MergeReport& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Ranks with the same name have the same clock.
std::string clock_of(const RankData& rank) { return rank.common_clock ? std::string() : rank.host; }

/// The latest init of the world that began first; on hosts without any of it, by the wall clock.
std::vector<std::int64_t> zeros(const std::vector<RankData>& ranks, std::uint32_t first_world,
                                TimeZero kind) {
  std::map<std::string, std::int64_t> latest;
  std::int64_t wall = 0;
  for (const RankData& rank : ranks) {
    if (!rank.present || rank.world != first_world) continue;
    const auto [it, added] = latest.try_emplace(clock_of(rank), rank.init_end);
    if (!added) it->second = std::max(it->second, rank.init_end);
    wall =
        latest.size() == 1 && added ? rank.init_end + rank.wall : std::max(wall, rank.init_end + rank.wall);
  }
  std::vector<std::int64_t> zero;
  for (const RankData& rank : ranks) {
    const bool own = kind == TimeZero::kOwnInit || !rank.present;
    zero.push_back(own ? rank.init_end : latest.try_emplace(clock_of(rank), wall - rank.wall).first->second);
  }
  return zero;
}

void sort_unmatched(MergeReport& report) {
  std::stable_sort(report.unmatched.begin(), report.unmatched.end(),
                   [](const Unmatched& a, const Unmatched& b) {
                     return std::tie(a.excused, a.rank, a.event) < std::tie(b.excused, b.rank, b.event);
                   });
  report.faults =
      static_cast<std::uint64_t>(std::count_if(report.unmatched.begin(), report.unmatched.end(),
                                               [](const Unmatched& entry) { return !entry.excused; }));
}

void describe_ranks(const std::vector<RankData>& ranks, MergeReport& report) {
  report.tasks = static_cast<formats::TaskId>(ranks.size());
  for (const RankData& rank : ranks) {
    report.threads += rank.threads.size();
    report.events += rank.events;
    report.model_bytes += model_bytes(rank);
    report.damage.insert(report.damage.end(), rank.damage.begin(), rank.damage.end());
    report.notes.insert(report.notes.end(), rank.notes.begin(), rank.notes.end());
    if (rank.unrecorded) {
      report.unrecorded.push_back(rank.rank);
    } else if (!rank.present) {
      report.missing.push_back(rank.rank);
    } else if (rank.damaged) {
      report.damaged.push_back(rank.rank);
    } else if (!rank.complete) {
      report.truncated.push_back(rank.rank);
    }
  }
}

void describe_worlds(const std::vector<World>& worlds, MergeReport& report) {
  for (const World& world : worlds)
    report.worlds.push_back({world.directory, world.first, world.size, world.how});
}

/// Keeps what is written.
class MemoryWriter : public formats::TraceWriter {
 public:
  explicit MemoryWriter(std::vector<formats::Record>& records) : records_(records) {}
  Status write(const formats::Record& record) override {
    records_.push_back(record);
    return {};
  }
  Status finish() override { return {}; }

 private:
  std::vector<formats::Record>& records_;
};

}  // namespace

Result<std::unique_ptr<Prepared>> prepare(std::vector<RankData> ranks, TimeZero zero,
                                          formats::Metadata metadata, MergeReport& report) {
  World world;
  world.size = static_cast<std::int32_t>(ranks.size());
  return prepare(std::move(ranks), {std::move(world)}, zero, std::move(metadata), report);
}

Result<std::unique_ptr<Prepared>> prepare(std::vector<RankData> ranks, std::vector<World> worlds,
                                          TimeZero zero, formats::Metadata metadata, MergeReport& report,
                                          const Means& means) {
  Workers alone(1);
  Workers& workers = means.workers != nullptr ? *means.workers : alone;
  auto prepared = std::make_unique<Prepared>();
  prepared->ranks = std::move(ranks);
  prepared->worlds = std::move(worlds);
  StageClock clock(report);
  join_worlds(prepared->ranks, prepared->worlds, report.warnings);
  if (prepared->worlds.size() > 1) prepared->first_world = align_begins(prepared->ranks, prepared->worlds);
  describe_worlds(prepared->worlds, report);
  describe_ranks(prepared->ranks, report);

  const std::vector<std::string> said = recorder_notes(prepared->ranks);
  report.notes.insert(report.notes.end(), said.begin(), said.end());
  if (std::string gap = outside(prepared->ranks); !gap.empty()) report.warnings.push_back(std::move(gap));

  std::vector<std::int32_t> sizes;
  for (const World& world : prepared->worlds) sizes.push_back(world.size);
  auto comms = unify(prepared->ranks, sizes);
  if (!comms.ok()) return comms.error();
  prepared->comms = std::move(*comms);
  clock.stage("communicators");

  prepared->messages = number_messages(prepared->ranks);
  match_messages(prepared->ranks, prepared->comms, prepared->messages, means.store, workers, report.unmatched,
                 report.warnings);
  clock.stage("messages");

  prepared->one_sided = match_one_sided(prepared->ranks, prepared->messages.total, report.warnings);
  clock.stage("one-sided");

  auto collectives = match_collectives(prepared->ranks, prepared->comms, prepared->one_sided.total,
                                       report.unmatched, report.warnings);
  if (!collectives.ok()) return collectives.error();
  prepared->collectives = std::move(*collectives);
  sort_unmatched(report);
  clock.stage("collectives");

  prepared->zero = zeros(prepared->ranks, prepared->first_world, zero);
  report.endings = endings(*prepared);
  prepared->plan = plan_records(prepared->model(), prepared->zero, means.store, workers);
  prepared->lines = prepared->comms.number();
  prepared->plan.header.communicators = prepared->lines.size();
  clock.stage("plan");

  report.header = prepared->plan.header;
  report.messages = prepared->plan.messages;
  report.marks = prepared->plan.marks;
  report.message_bytes = prepared->plan.message_bytes;
  std::copy(std::begin(prepared->plan.collectives_by_op), std::end(prepared->plan.collectives_by_op),
            std::begin(report.collectives_by_op));
  prepared->metadata = std::move(metadata);
  add_metadata(*prepared, zero, report, prepared->metadata);
  return prepared;
}

formats::Trace to_trace(const Prepared& prepared) {
  formats::Trace trace;
  trace.header = prepared.plan.header;
  trace.communicators = prepared.lines;
  trace.metadata = prepared.metadata;
  MemoryWriter writer(trace.records);
  // Nothing can fail in memory.
  static_cast<void>(write_records(prepared.model(), prepared.zero, prepared.plan, writer, nullptr, {}).ok());
  return trace;
}

}  // namespace vef::merge
