// SPDX-License-Identifier: Apache-2.0
// Which places of the program the calls come from, where the recorder kept that (kModule and kSite events):
// counted for each rank while it is read, summed over the ranks, and named with the help of the program's
// symbols.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vef/formats/rank_log.h"
#include "vef/formats/trace.h"

namespace vef::merge {

/// Calls of one MPI function from one place.
struct SiteUse {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  // sent, or received by receives; collectives: sent
};

/// The call sites of one rank.
class RankSites {
 public:
  /// Of kModule and kSite events what they define; of others their use. Cheap for events without a site.
  void add(const formats::RankEvent& event) {
    if (event.site != 0 || event.kind == formats::EventKind::kModule) take(event);
  }
  bool empty() const { return frames_.empty(); }

 private:
  friend class CallSites;
  friend class SiteNames;
  template <class Archive>
  friend void transfer(Archive& archive, RankSites& sites);
  void take(const formats::RankEvent& event);

  std::map<std::uint64_t, std::string> modules_;                     // number -> path, newline, build id
  std::map<std::uint32_t, std::vector<std::uint64_t>> frames_;       // site -> return addresses
  std::map<std::pair<std::uint32_t, std::uint16_t>, SiteUse> uses_;  // (site, call)
};

/// Names single call sites for people. Not thread safe.
class SiteNames {
 public:
  SiteNames();
  ~SiteNames();
  /// "exchange (halo.c:42) < main (main.c:7)"; "" for a site that the rank does not define.
  std::string name(const RankSites& rank, std::uint32_t site);

 private:
  class Namer;
  std::unique_ptr<Namer> namer_;
};

/// Those of all ranks.
class CallSites {
 public:
  void add(const RankSites& rank);
  bool empty() const { return uses_.empty(); }

  /// One pair for each place and function, those with the most calls first ("call site 1", ...: "MPI_Send at
  /// exchange (halo.c:42) < main (main.c:7): 1200 calls, 4800 bytes, 8 ranks"), at most `most` of them, then
  /// the sum of the others, and why files could not be used.
  formats::Metadata describe(std::size_t most = 1000) const;

 private:
  struct Frame {
    std::uint32_t module = 0;  // index into modules_
    std::uint64_t offset = 0;
    auto operator<=>(const Frame&) const = default;
  };
  struct Total {
    SiteUse use;
    std::uint64_t ranks = 0;
  };

  std::vector<std::string> modules_{""};  // 0: code of no file
  std::map<std::string, std::uint32_t> module_numbers_;
  std::map<std::pair<std::vector<Frame>, std::uint16_t>, Total> uses_;
};

}  // namespace vef::merge
