// SPDX-License-Identifier: Apache-2.0
// Where the logs of a directory are listed and loaded: by this process, or by all processes of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "log_list.h"
#include "model.h"
#include "prepared.h"
#include "vef/base/result.h"

namespace vef::merge {

/// The logs of one rank, by thread.
using RankLogs = std::vector<LogEntry>;

Result<RankData> load_logs(const RankLogs& logs, std::int32_t world_size, Store* store);

class RankSource {
 public:
  virtual ~RankSource() = default;
  /// As list_logs(), of the logs that any of the processes sees.
  virtual Result<std::vector<LogEntry>> list(const std::string& directory) = 0;
  /// Loads the ranks of the directory last listed. `done`: called with the number of those that are loaded;
  /// not at the same time twice, but in any thread. Of several faults the one of the first rank counts.
  virtual Result<std::vector<RankData>> load(const std::vector<RankLogs>& ranks, std::int32_t world_size,
                                             const std::function<void(std::uint64_t)>& done) = 0;
};

/// This process alone, with all its threads.
class LocalSource final : public RankSource {
 public:
  explicit LocalSource(const Means& means) : means_(means) {}
  Result<std::vector<LogEntry>> list(const std::string& directory) override { return list_logs(directory); }
  Result<std::vector<RankData>> load(const std::vector<RankLogs>& ranks, std::int32_t world_size,
                                     const std::function<void(std::uint64_t)>& done) override;

 private:
  Means means_;
};

}  // namespace vef::merge
