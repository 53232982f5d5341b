// SPDX-License-Identifier: Apache-2.0
// The global definitions of an OTF2 archive that we need: who the tasks are, what regions are MPI's, who the
// members of communicators are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <otf2/otf2.h>

#include "vef/base/result.h"
#include "vef/formats/trace.h"

namespace vef::neighbours {

enum class Otf2Region : std::uint8_t { kOther, kMpi, kInit, kFinalize };

/// A communicator as its events name it.
struct Otf2Comm {
  formats::CommId comm = 0;  // of VEF; not of those below
  bool is_self = false;      // MPI_COMM_SELF and what was made of it: its only member is who uses it
  bool is_inter = false;
  std::vector<formats::TaskId> members;
  std::vector<formats::TaskId> others;  // the second group of an inter-communicator
};

class Otf2Definitions {
 public:
  /// Reads them; `path` is for messages.
  Status read(OTF2_Reader* reader, const std::string& path);

  const formats::Communicators& communicators() const { return communicators_; }
  formats::TaskId tasks() const { return static_cast<formats::TaskId>(communicators_.front().size()); }
  const std::vector<OTF2_LocationRef>& locations() const { return locations_; }
  /// The task of a location, or -1; of a thread it is that of its process.
  formats::TaskId task_of(OTF2_LocationRef location) const;
  bool is_thread(OTF2_LocationRef location) const { return tasks_of_.count(location) == 0; }
  Otf2Region region(OTF2_RegionRef ref) const;
  /// Null: there is no such communicator.
  const Otf2Comm* comm(OTF2_CommRef ref) const;
  std::uint64_t nanoseconds(OTF2_TimeStamp time) const;
  /// How many events the locations have, as their definitions say.
  std::uint64_t events() const { return events_; }

 private:
  struct Group {
    OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
    std::vector<std::uint64_t> members;
  };
  struct Inter {
    OTF2_CommRef ref = 0;
    OTF2_GroupRef a = 0;
    OTF2_GroupRef b = 0;
  };
  friend struct Otf2DefinitionCallbacks;

  Status settle(const std::string& path);
  /// Ranks of a group. False: it does not exist, or names ranks that do not.
  bool members_of(OTF2_GroupRef group, std::vector<formats::TaskId>& members) const;

  std::unordered_map<OTF2_StringRef, std::string> strings_;
  std::unordered_map<OTF2_RegionRef, OTF2_StringRef> mpi_regions_;
  std::unordered_map<OTF2_GroupRef, Group> groups_;
  std::vector<std::pair<OTF2_CommRef, OTF2_GroupRef>> intra_;
  std::vector<Inter> inter_;
  std::vector<std::uint64_t> ranks_;  // locations by rank of MPI
  bool has_ranks_ = false;
  std::vector<OTF2_LocationRef> locations_;
  std::unordered_map<OTF2_LocationRef, OTF2_LocationGroupRef> processes_;
  std::uint64_t events_ = 0;
  std::uint64_t resolution_ = 0;
  std::uint64_t offset_ = 0;

  std::unordered_map<OTF2_LocationRef, formats::TaskId> tasks_of_;
  std::unordered_map<OTF2_LocationGroupRef, formats::TaskId> tasks_of_processes_;
  std::unordered_map<OTF2_RegionRef, Otf2Region> regions_;
  std::unordered_map<OTF2_CommRef, Otf2Comm> comms_;
  formats::Communicators communicators_;
};

}  // namespace vef::neighbours
