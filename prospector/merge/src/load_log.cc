// SPDX-License-Identifier: Apache-2.0
#include "load_log.h"

#include "rank_builder.h"

namespace vef::merge {

namespace {

/// One log with the event it stands at.
struct Feed {
  std::unique_ptr<formats::RankLogReader> log;
  formats::RankEvent event;
  bool more = false;
  std::int64_t base = 0;  // of the log, on the host's clock

  std::int64_t start() const { return base + static_cast<std::int64_t>(log->event_start()); }
  std::int64_t end() const { return base + static_cast<std::int64_t>(log->event_end()); }
  Status advance() {
    auto next = log->next(event);
    if (!next.ok()) return next.error();
    more = *next;
    return {};
  }
};

std::size_t earliest(const std::vector<Feed>& feeds) {
  std::size_t best = feeds.size();
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i].more && (best == feeds.size() || feeds[i].start() < feeds[best].start())) best = i;
  }
  return best;
}

/// What the file itself says of how it ended; returns whether finalize closed it.
bool take_over(const formats::RankLogReader& log, RankData& data) {
  const formats::RankLogInfo& info = log.info();
  if (data.ending == Ending::kKilled && info.exited) data.ending = Ending::kExited;
  if (data.ending != Ending::kAborted && info.stopped) data.ending = Ending::kStopped;
  const formats::RankLogDamage& damage = log.damage();
  data.damaged = data.damaged || damage.corrupt;
  auto& lines = damage.corrupt ? data.damage : data.notes;
  lines.insert(lines.begin(), damage.notes.begin(), damage.notes.end());
  return info.complete;
}

}  // namespace

Result<RankData> load_rank(std::vector<std::unique_ptr<formats::RankLogReader>> logs, std::int32_t world_size,
                           Store* store) {
  const formats::RankLogInfo& info = logs.front()->info();
  RankBuilder builder(info.rank, world_size, logs.size(), info.path, store);
  const std::string host = info.host;
  const std::int64_t wall =
      static_cast<std::int64_t>(info.start.wall_ns) - static_cast<std::int64_t>(info.start.monotonic_ns);
  const std::string path = info.path;
  std::uint64_t taken = 0;
  std::vector<Feed> feeds;
  std::int64_t first_base = 0;
  for (auto& log : logs) {
    Feed feed;
    feed.base = static_cast<std::int64_t>(log->info().start.monotonic_ns);
    if (feeds.empty() || feed.base < first_base) first_base = feed.base;
    feed.log = std::move(log);
    if (auto status = feed.advance(); !status.ok()) return status.error();
    feeds.push_back(std::move(feed));
  }
  for (std::size_t at = earliest(feeds); at < feeds.size(); at = earliest(feeds)) {
    Feed& feed = feeds[at];
    if (auto status = builder.add(at, feed.event, feed.start(), feed.end(), feed.log->event_number());
        !status.ok()) {
      return status.error();
    }
    if (auto status = feed.advance(); !status.ok()) return status.error();
    if (store != nullptr && ++taken % Store::kTrimStep == 0) store->trim();
  }
  RankData data = builder.take();
  data.host = host;
  data.wall = wall;
  data.present = true;
  if (data.init_end == 0) data.init_end = first_base;
  for (const Feed& feed : feeds) data.logs.push_back(feed.log->info().path);
  bool all_closed = true;
  for (const Feed& feed : feeds) all_closed = take_over(*feed.log, data) && all_closed;
  if (all_closed && data.ending == Ending::kKilled) {
    data.damaged = true;
    data.damage.push_back(path +
                          ": closed by MPI_Finalize, but that call is missing; expected it at the end");
  }
  data.complete = all_closed && data.ending == Ending::kFinalized && !data.damaged;
  if (store != nullptr && store->is_full()) settle(data, *store);
  return data;
}

}  // namespace vef::merge
