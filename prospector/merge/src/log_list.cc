// SPDX-License-Identifier: Apache-2.0
#include "log_list.h"

#include "vef/formats/rank_log_reader.h"

namespace vef::merge {

Result<std::vector<LogEntry>> list_logs(const std::string& directory) {
  const auto paths = formats::list_rank_logs(directory);
  if (!paths.ok()) return paths.error();
  std::vector<LogEntry> entries;
  for (const std::string& path : *paths) {
    LogEntry& entry = entries.emplace_back();
    entry.path = path;
    const auto log = formats::RankLogReader::open(path);
    if (!log.ok()) {
      entry.fault = log.error().message;
      continue;
    }
    const formats::RankLogInfo& info = (*log)->info();
    entry.rank = info.rank;
    entry.thread = info.thread;
    entry.world_size = info.world_size;
    entry.job = info.job;
    entry.bytes = info.file_bytes;
  }
  return entries;
}

}  // namespace vef::merge
