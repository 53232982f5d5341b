// SPDX-License-Identifier: Apache-2.0
#include "log_directory.h"

#include <utility>

#include "find_worlds.h"
#include "metadata.h"
#include "vef/formats/rank_log_reader.h"
#include "vef/settings/settings.h"

namespace vef::merge {

namespace {

/// All logs are of one run of one world.
Status check(const LogEntry& entry, const LogEntry& first) {
  if (entry.job != first.job) {
    return input_error(entry.path, 0,
                       "a log of another run than " + first.path +
                           "; expected the logs of one run, each run in a directory of its own");
  }
  if (entry.world_size < 1 || entry.world_size > kMaxTasks || entry.rank < 0 ||
      entry.rank >= entry.world_size) {
    return input_error(entry.path, 0,
                       "rank " + std::to_string(entry.rank) + " of " + std::to_string(entry.world_size) +
                           "; expected a rank of a world of 1 to " + std::to_string(kMaxTasks));
  }
  if (entry.world_size != first.world_size) {
    return input_error(entry.path, 0,
                       "a world of " + std::to_string(entry.world_size) + " ranks; expected " +
                           std::to_string(first.world_size) + " as in " + first.path);
  }
  return {};
}

/// The readable logs by rank.
Result<std::vector<RankLogs>> group(const std::vector<LogEntry>& entries, bool allow_unreadable,
                                    std::vector<std::string>& unreadable) {
  std::vector<RankLogs> ranks;
  for (const LogEntry& entry : entries) {
    if (!entry.fault.empty()) {
      if (!allow_unreadable) return Error{ErrorKind::kInput, entry.fault};
      unreadable.push_back(entry.fault);
      continue;
    }
    const LogEntry& first = ranks.empty() ? entry : ranks.front().front();
    if (auto status = check(entry, first); !status.ok()) return status.error();
    const LogEntry* const before = ranks.empty() ? nullptr : &ranks.back().back();
    if (before == nullptr || before->rank < entry.rank) {
      ranks.emplace_back();
    } else if (before->rank > entry.rank) {
      return input_error(
          entry.path, 0,
          "holds rank " + std::to_string(entry.rank) + "; expected file names in the order of ranks");
    } else if (before->thread == entry.thread) {
      return input_error(entry.path, 0,
                         "a second log of rank " + std::to_string(entry.rank) + ", thread " +
                             std::to_string(entry.thread) + "; expected one");
    }
    ranks.back().push_back(entry);
  }
  return ranks;
}

/// Where logs lie that cannot be read from here.
std::string logs_elsewhere(const std::string& directory) {
  std::string text;
  const auto notes = formats::list_scratch_notes(directory);
  if (!notes.ok()) return text;
  for (const formats::ScratchNote& note : *notes) {
    if (!note.is_here)
      text += (text.empty() ? "; those of host " : ", of ") + note.host + " lie there in " + note.path;
  }
  return text;
}

/// Every rank gets its place, with or without a log.
Status fill_missing(const std::string& directory, const Selection& selection, bool allow_missing,
                    std::int32_t world_size, std::vector<RankData>& ranks) {
  if (ranks.size() == static_cast<std::size_t>(world_size)) return {};
  const char* const to_record = selection.ranks.empty() ? nullptr : selection.ranks.c_str();
  std::vector<RankData> all(static_cast<std::size_t>(world_size));
  for (std::int32_t rank = 0; rank < world_size; ++rank) all[static_cast<std::size_t>(rank)].rank = rank;
  for (RankData& data : ranks) all[static_cast<std::size_t>(data.rank)] = std::move(data);
  std::vector<std::uint64_t> missing;
  for (RankData& data : all) {
    data.unrecorded = !data.present && !settings::in_ranks(to_record, data.rank);
    if (!data.present && !data.unrecorded) missing.push_back(static_cast<std::uint64_t>(data.rank));
  }
  if (!missing.empty() && !allow_missing) {
    return input_error(directory, 0,
                       "no log of rank " + ranges(missing) + "; expected one of each of the " +
                           std::to_string(world_size) + " ranks" + logs_elsewhere(directory));
  }
  ranks = std::move(all);
  return {};
}

}  // namespace

Result<std::vector<RankData>> load_directory(const std::string& directory, const Selection& selection,
                                             const MergeOptions& options, RankSource& source,
                                             std::vector<std::string>& unreadable) {
  const auto entries = source.list(directory);
  if (!entries.ok()) return entries.error();
  if (entries->empty()) {
    const std::string others = listed(other_recordings(directory, {}));
    return input_error(directory, 0,
                       "no rank logs and no VEFT.main; expected a directory that `vef record` wrote" +
                           (others.empty() ? "" : ", as these are: " + others));
  }
  const auto logs = group(*entries, options.allow_unmatched, unreadable);
  if (!logs.ok()) return logs.error();
  if (logs->empty()) return input_error(directory, 0, "no readable log; expected one of each rank");
  const std::int32_t world_size = logs->front().front().world_size;
  auto ranks = source.load(*logs, world_size, [&](std::uint64_t done) {
    if (options.progress) options.progress("reading", done, static_cast<std::uint64_t>(world_size));
  });
  if (!ranks.ok()) return ranks.error();
  if (auto status = fill_missing(directory, selection, options.allow_unmatched, world_size, *ranks);
      !status.ok())
    return status.error();
  for (RankData& data : *ranks) data.partial = data.partial || selection.leaves_out_calls;
  return ranks;
}

}  // namespace vef::merge
