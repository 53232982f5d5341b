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

}  // namespace

Result<RankData> load_rank(std::vector<std::unique_ptr<formats::RankLogReader>> logs,
                           std::int32_t world_size) {
  const formats::RankLogInfo& info = logs.front()->info();
  RankBuilder builder(info.rank, world_size, logs.size(), info.path);
  const std::string host = info.host;
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
  }
  RankData data = builder.take();
  data.host = host;
  data.present = true;
  if (data.init_end == 0) data.init_end = first_base;
  for (const Feed& feed : feeds) {
    if (!feed.log->info().complete || feed.log->damage().any()) data.complete = false;
    const auto& notes = feed.log->damage().notes;
    data.damage.insert(data.damage.begin(), notes.begin(), notes.end());
  }
  return data;
}

}  // namespace vef::merge
