// SPDX-License-Identifier: Apache-2.0
#include "metadata.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "vef/base/text.h"
#include "vef/formats/mpi_call.h"

namespace vef::merge {

namespace {

std::string rank_list(const std::vector<formats::TaskId>& ranks) {
  return ranges(std::vector<std::uint64_t>(ranks.begin(), ranks.end()));
}

struct Host {
  std::vector<std::uint64_t> ranks;
  bool timed = false;  // has ranks of the world that began first
  std::int64_t first_init = 0;
  std::int64_t last_init = 0;
};

std::map<std::string, Host> hosts_of(const std::vector<RankData>& ranks, std::uint32_t first_world) {
  std::map<std::string, Host> hosts;
  for (const RankData& rank : ranks) {
    if (!rank.present) continue;
    Host& host = hosts[rank.host];
    host.ranks.push_back(static_cast<std::uint64_t>(rank.rank));
    if (rank.world != first_world) continue;
    host.first_init = host.timed ? std::min(host.first_init, rank.init_end) : rank.init_end;
    host.last_init = host.timed ? std::max(host.last_init, rank.init_end) : rank.init_end;
    host.timed = true;
  }
  return hosts;
}

/// "MPI_Comm_split: G0 G4-7; MPI_Comm_dup: G1".
std::string named_barriers(const Prepared& prepared) {
  std::map<std::string, std::vector<std::uint64_t>> by_call;
  for (const auto& [group, call] : prepared.collectives.named) {
    by_call[formats::mpi_call_name(call)].push_back(prepared.plan.group_ids[group]);
  }
  std::string text;
  for (auto& [call, ids] : by_call) {
    std::sort(ids.begin(), ids.end());
    text += (text.empty() ? "" : "; ") + call + ": G " + ranges(ids);
  }
  return text;
}

/// "C3: 0-1 | 2-5", the two groups by their places in the line.
std::string inter_groups(const CommTable& comms) {
  std::string text;
  for (std::uint32_t i = 0; i < comms.size(); ++i) {
    const GlobalComm& comm = comms[i];
    if (!comm.used || comm.first_group == 0) continue;
    if (!text.empty()) text += "; ";
    text += "C" + std::to_string(comm.trace_id) + ": first " + std::to_string(comm.first_group) + " | last " +
            std::to_string(comm.members.size() - comm.first_group);
  }
  return text;
}

constexpr std::size_t kMostJoined = 100;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < kMostJoined; ++i) text += (i == 0 ? "" : "; ") + lines[i];
  if (lines.size() > kMostJoined) text += "; and " + std::to_string(lines.size() - kMostJoined) + " more";
  return text;
}

/// "0 12 5", a number per rank.
template <class Value>
std::string per_rank(const std::vector<RankData>& ranks, Value value) {
  std::string text;
  for (const RankData& rank : ranks) text += (text.empty() ? "" : " ") + std::to_string(value(rank));
  return text;
}

/// "calls per rank: 2 2; bytes per rank: 8 8; ns per rank: 10 12".
std::string io_totals(const std::vector<RankData>& ranks) {
  const auto any = [](const RankData& rank) { return rank.io.calls > 0; };
  if (std::none_of(ranks.begin(), ranks.end(), any)) return "";
  return "calls per rank: " + per_rank(ranks, [](const RankData& rank) { return rank.io.calls; }) +
         "; bytes per rank: " + per_rank(ranks, [](const RankData& rank) { return rank.io.bytes; }) +
         "; ns per rank: " + per_rank(ranks, [](const RankData& rank) { return rank.io.time; });
}

/// "solve: times per rank: 3 3; ns per rank: 120 118", one after the other.
std::string region_totals(const std::vector<RankData>& ranks) {
  std::set<std::string> names;
  for (const RankData& rank : ranks) {
    for (const auto& [name, totals] : rank.regions) names.insert(name);
  }
  std::string text;
  for (const std::string& name : names) {
    const auto of = [&](const RankData& rank) {
      const auto found = rank.regions.find(name);
      return found == rank.regions.end() ? RegionTotals{} : found->second;
    };
    text += (text.empty() ? "" : "; ") + name +
            ": times per rank: " + per_rank(ranks, [&](const RankData& rank) { return of(rank).count; }) +
            "; ns per rank: " + per_rank(ranks, [&](const RankData& rank) { return of(rank).time; });
  }
  return text;
}

/// "0: tasks 0-1, run; 1: tasks 2-4, run.1, spawned by task 0 (MPI_Comm_spawn of ./worker)".
std::string worlds(const Prepared& prepared) {
  if (prepared.worlds.size() == 1) return "";
  std::vector<std::string> lines;
  for (const World& world : prepared.worlds) {
    const std::string last = std::to_string(world.first + world.size - 1);
    std::string line =
        std::to_string(lines.size()) + ": " +
        (world.size == 1 ? "task " + last : "tasks " + std::to_string(world.first) + "-" + last);
    const std::string name =
        escaped(std::filesystem::path(world.directory).lexically_normal().filename().string());
    for (const std::string& more : {name, world.how}) line += more.empty() ? "" : ", " + more;
    const auto began = std::find_if(prepared.ranks.begin(), prepared.ranks.end(), [&](const RankData& rank) {
      return rank.world == lines.size() && rank.late > 0;
    });
    if (began != prepared.ranks.end()) line += ", began " + std::to_string(began->late) + " ns later";
    lines.push_back(std::move(line));
  }
  return joined(lines);
}

std::string reason(const RankData& rank) {
  switch (rank.ending) {
    case Ending::kAborted:
      return "MPI_Abort with code " + std::to_string(rank.abort_code);
    case Ending::kExited:
      return "the program ended without MPI_Finalize";
    case Ending::kStopped:
      return "recording stopped, nothing could be written any more";
    case Ending::kFinalized:
    case Ending::kKilled:
      break;
  }
  return "killed, or still running";
}

}  // namespace

std::string outside(const std::vector<RankData>& ranks) {
  Outside sum;
  std::vector<std::uint64_t> who;
  for (const RankData& rank : ranks) {
    if (rank.outside.sends + rank.outside.receives == 0) continue;
    who.push_back(static_cast<std::uint64_t>(rank.rank));
    sum.sends += rank.outside.sends;
    sum.bytes += rank.outside.bytes;
    sum.receives += rank.outside.receives;
  }
  if (who.empty()) return "";
  return std::to_string(sum.sends) + " messages of " + std::to_string(sum.bytes) + " bytes to and " +
         std::to_string(sum.receives) + " receives from processes of another world, by ranks " + ranges(who) +
         ": not written";
}

std::vector<std::string> recorder_notes(const std::vector<RankData>& ranks) {
  std::map<std::string, std::vector<std::uint64_t>> by_text;
  for (const RankData& rank : ranks) {
    for (const std::string& text : rank.recorder_notes) {
      auto& who = by_text[text];
      const auto number = static_cast<std::uint64_t>(rank.rank);
      if (who.empty() || who.back() != number) who.push_back(number);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [text, who] : by_text) lines.push_back(text + " (ranks " + ranges(who) + ")");
  return lines;
}

std::vector<std::string> endings(const Prepared& prepared) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < prepared.ranks.size(); ++i) {
    const RankData& rank = prepared.ranks[i];
    if (!rank.present || rank.complete || rank.damaged) continue;
    std::string line = "rank " + std::to_string(rank.rank) + ": " + reason(rank) + "; ";
    if (rank.last_call == 0) {
      line += "no call was recorded";
    } else {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%.6f",
                    static_cast<double>(rank.last_end - prepared.zero[i]) / 1e9);
      line += "last call " + std::to_string(rank.last_event) + ", " + formats::mpi_call_name(rank.last_call) +
              ", ended at " + seconds + " s";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string ranges(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ' ';
    text += std::to_string(numbers[i]);
    if (last > i) text += '-' + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

void add_metadata(const Prepared& prepared, TimeZero zero, const MergeReport& report,
                  formats::Metadata& metadata) {
  const auto add = [&](const char* key, std::string value) {
    if (!value.empty()) metadata.emplace_back(key, std::move(value));
  };
  std::string hosts;
  std::string clocks;
  for (const auto& [name, host] : hosts_of(prepared.ranks, prepared.first_world)) {
    hosts += (hosts.empty() ? "" : "; ") + name + ": ranks " + ranges(host.ranks);
    if (!host.timed) continue;
    clocks +=
        "; " + name + ": MPI_Init ended within " + std::to_string(host.last_init - host.first_init) + " ns";
  }
  add("worlds", worlds(prepared));
  add("hosts", hosts);
  const bool common = !prepared.ranks.empty() && prepared.ranks[0].common_clock;
  add("clock", zero == TimeZero::kLatestInit
                   ? (common ? "time zero is the latest end of MPI_Init of all ranks"
                             : "time zero is the latest end of MPI_Init on each host") +
                         clocks
                   : "time zero is each task's own start of MPI_Init");
  add("truncated ranks", rank_list(report.truncated));
  add("how they ended", joined(report.endings));
  add("damaged ranks", rank_list(report.damaged));
  add("ranks without a log", rank_list(report.missing));
  add("ranks not recorded", rank_list(report.unrecorded));
  if (!report.unmatched.empty()) add("unmatched calls", std::to_string(report.unmatched.size()));
  add("recorder's notes", joined(recorder_notes(prepared.ranks)));
  add("file I/O", io_totals(prepared.ranks));
  add("regions", region_totals(prepared.ranks));
  add("named barriers", named_barriers(prepared));
  add("inter-communicators", inter_groups(prepared.comms));
  add("written less exactly", joined(report.warnings));
  CallSites sites;
  for (const RankData& rank : prepared.ranks) sites.add(rank.sites);
  for (auto& [key, text] : sites.describe()) metadata.emplace_back(std::move(key), std::move(text));
}

}  // namespace vef::merge
