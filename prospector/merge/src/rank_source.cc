// SPDX-License-Identifier: Apache-2.0
#include "rank_source.h"

#include <mutex>
#include <utility>

#include "load_log.h"

namespace vef::merge {

Result<RankData> load_logs(const RankLogs& logs, std::int32_t world_size, Store* store) {
  std::vector<std::unique_ptr<formats::RankLogReader>> readers;
  for (const LogEntry& entry : logs) {
    auto log = formats::RankLogReader::open(entry.path);
    if (!log.ok()) return log.error();
    readers.push_back(std::move(*log));
  }
  return load_rank(std::move(readers), world_size, store);
}

Result<std::vector<RankData>> LocalSource::load(const std::vector<RankLogs>& ranks, std::int32_t world_size,
                                                const std::function<void(std::uint64_t)>& done) {
  std::vector<RankData> loaded(ranks.size());
  std::mutex mutex;  // of all below
  std::uint64_t finished = 0;
  Status fault;
  std::size_t fault_at = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    means_.workers->submit([&, i] {
      auto data = load_logs(ranks[i], world_size, means_.store);
      const std::lock_guard lock(mutex);
      if (data.ok()) {
        loaded[i] = std::move(*data);
      } else if (fault.ok() || i < fault_at) {
        fault = data.error();
        fault_at = i;
      }
      done(++finished);
    });
    const std::lock_guard lock(mutex);
    if (!fault.ok()) break;
  }
  // What was begun must end.
  means_.workers->wait();
  if (!fault.ok()) return fault.error();
  return loaded;
}

}  // namespace vef::merge
