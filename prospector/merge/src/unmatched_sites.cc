// SPDX-License-Identifier: Apache-2.0
#include "unmatched_sites.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "call_sites.h"
#include "vef/formats/mpi_call.h"
#include "vef/formats/rank_log_reader.h"

namespace vef::merge {

namespace {

/// An entry of the list, and the call's site.
struct Wanted {
  const Unmatched* entry = nullptr;
  std::uint32_t site = 0;
};

/// Sets the sites of the calls of one log. `only_same`: of calls with the same function only, for another
/// thread's log has calls with the same numbers.
void read_sites(const std::string& path, bool only_same, std::vector<Wanted>& wanted) {
  auto log = formats::RankLogReader::open(path);
  if (!log.ok()) return;  // it could be read before; the list is right without the sites
  formats::RankEvent event;
  std::size_t next = 0;
  while (next < wanted.size()) {
    const auto more = (*log)->next(event);
    if (!more.ok() || !*more) return;
    for (; next < wanted.size() && wanted[next].entry->event <= (*log)->event_number(); ++next) {
      const bool is_it = wanted[next].entry->event == (*log)->event_number() &&
                         (!only_same || formats::mpi_call_name(event.call) == wanted[next].entry->call);
      if (is_it && wanted[next].site == 0) wanted[next].site = event.site;
    }
  }
}

}  // namespace

void find_call_sites(const std::vector<RankData>& ranks, Workers& workers,
                     std::vector<Unmatched>& unmatched) {
  std::vector<std::vector<Wanted>> by_rank(ranks.size());
  for (const Unmatched& entry : unmatched) {
    const auto rank = static_cast<std::size_t>(entry.rank);
    if (!ranks[rank].sites.empty()) by_rank[rank].push_back({&entry, 0});
  }
  workers.for_each(ranks.size(), [&](std::size_t rank) {
    std::vector<Wanted>& wanted = by_rank[rank];
    if (wanted.empty()) return;
    std::sort(wanted.begin(), wanted.end(),
              [](const Wanted& a, const Wanted& b) { return a.entry->event < b.entry->event; });
    for (const std::string& path : ranks[rank].logs) read_sites(path, ranks[rank].logs.size() > 1, wanted);
  });
  SiteNames names;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const Wanted& one : by_rank[rank])
      unmatched[static_cast<std::size_t>(one.entry - unmatched.data())].site =
          names.name(ranks[rank].sites, one.site);
  }
}

}  // namespace vef::merge
