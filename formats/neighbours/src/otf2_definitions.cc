// SPDX-License-Identifier: Apache-2.0
#include "otf2_definitions.h"

#include <algorithm>
#include <numeric>

#include "otf2_archive.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::TaskId;

namespace {

constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;

}  // namespace

/// What the library calls while it reads. Names that are not named are for what we do not need.
struct Otf2DefinitionCallbacks {
  static Otf2Definitions& at(void* data) { return *static_cast<Otf2Definitions*>(data); }

  static OTF2_CallbackCode clock(void* data, std::uint64_t resolution, std::uint64_t offset, std::uint64_t,
                                 std::uint64_t) {
    at(data).resolution_ = resolution;
    at(data).offset_ = offset;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode string(void* data, OTF2_StringRef self, const char* text) {
    at(data).strings_[self] = text == nullptr ? "" : text;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode location(void* data, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType,
                                    std::uint64_t events, OTF2_LocationGroupRef process) {
    saturating_add_to(at(data).events_, events);
    at(data).locations_.push_back(self);
    at(data).processes_[self] = process;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode region(void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                                  OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                                  OTF2_StringRef, std::uint32_t, std::uint32_t) {
    if (paradigm == OTF2_PARADIGM_MPI) at(data).mpi_regions_[self] = name;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode group(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                                 OTF2_Paradigm paradigm, OTF2_GroupFlag, std::uint32_t count,
                                 const std::uint64_t* members) {
    if (paradigm != OTF2_PARADIGM_MPI) return OTF2_CALLBACK_SUCCESS;
    std::vector<std::uint64_t> all(members, members + count);
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
      at(data).ranks_ = std::move(all);
      at(data).has_ranks_ = true;
    } else {
      at(data).groups_[self] = {type, std::move(all)};
    }
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode comm(void* data, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef group,
                                OTF2_CommRef, OTF2_CommFlag) {
    at(data).intra_.emplace_back(self, group);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode inter_comm(void* data, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef a,
                                      OTF2_GroupRef b, OTF2_CommRef, OTF2_CommFlag) {
    at(data).inter_.push_back({self, a, b});
    return OTF2_CALLBACK_SUCCESS;
  }
};

Status Otf2Definitions::read(OTF2_Reader* reader, const std::string& path) {
  using Call = Otf2DefinitionCallbacks;
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* const calls =
      definitions != nullptr ? OTF2_GlobalDefReaderCallbacks_New() : nullptr;
  if (calls == nullptr)
    return input_error(path, 0, "libotf2 cannot read its definitions: " + otf2_message(OTF2_ERROR_INVALID));
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(calls, Call::clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls, Call::string);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, Call::location);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(calls, Call::region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls, Call::group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(calls, Call::comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(calls, Call::inter_comm);
  OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, calls, this);
  OTF2_GlobalDefReaderCallbacks_Delete(calls);
  std::uint64_t count = 0;
  if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
  if (code == OTF2_SUCCESS) code = OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (code != OTF2_SUCCESS)
    return input_error(path, 0, "libotf2 cannot read its definitions: " + otf2_message(code));
  return settle(path);
}

bool Otf2Definitions::members_of(OTF2_GroupRef ref, std::vector<TaskId>& members) const {
  const auto group = groups_.find(ref);
  if (group == groups_.end()) return false;
  std::vector<bool> seen(ranks_.size());
  for (const std::uint64_t rank : group->second.members) {
    if (rank >= ranks_.size() || seen[rank]) return false;
    seen[rank] = true;
    members.push_back(static_cast<TaskId>(rank));
  }
  return true;
}

Status Otf2Definitions::settle(const std::string& path) {
  const auto fault = [&](const std::string& what) { return input_error(path, 0, what); };
  if (!has_ranks_ || ranks_.empty())
    return fault("no group says which locations are MPI's ranks; expected a trace of an MPI program");
  if (resolution_ == 0) return fault("a clock without a resolution; expected ticks per second");
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto process = processes_.find(ranks_[rank]);
    if (process == processes_.end())
      return fault("rank " + std::to_string(rank) + " is location " + std::to_string(ranks_[rank]) +
                   ", which is not defined; expected one that is");
    if (!tasks_of_.emplace(ranks_[rank], static_cast<TaskId>(rank)).second)
      return fault("location " + std::to_string(ranks_[rank]) + " has two ranks; expected one");
    tasks_of_processes_.emplace(process->second, static_cast<TaskId>(rank));
  }
  for (const auto& [ref, name] : mpi_regions_) {
    const auto found = strings_.find(name);
    const std::string_view text = found == strings_.end() ? std::string_view() : found->second;
    // Transfers to files count as computing, as in a recording.
    regions_[ref] = text.starts_with("MPI_File_")                     ? Otf2Region::kOther
                    : text == "MPI_Init" || text == "MPI_Init_thread" ? Otf2Region::kInit
                    : text == "MPI_Finalize"                          ? Otf2Region::kFinalize
                                                                      : Otf2Region::kMpi;
  }
  std::vector<TaskId> all(ranks_.size());
  std::iota(all.begin(), all.end(), 0);
  communicators_.push_back(all);
  bool has_world = false;
  std::sort(intra_.begin(), intra_.end());
  for (const auto& [ref, group] : intra_) {
    Otf2Comm comm;
    const auto found = groups_.find(group);
    comm.is_self = found != groups_.end() && found->second.type == OTF2_GROUP_TYPE_COMM_SELF;
    if (!comm.is_self && (!members_of(group, comm.members) || comm.members.empty()))
      return fault("communicator " + std::to_string(ref) +
                   " has no proper group; expected one of MPI's ranks");
    if (!comm.is_self && !(comm.members == all && !has_world)) {
      comm.comm = static_cast<formats::CommId>(communicators_.size());
      communicators_.push_back(comm.members);
    } else if (!comm.is_self) {
      has_world = true;  // the first with all ranks in order
    }
    comms_[ref] = std::move(comm);
  }
  for (const Inter& inter : inter_) {
    Otf2Comm comm;
    comm.is_inter = true;
    if (!members_of(inter.a, comm.members) || !members_of(inter.b, comm.others))
      return fault("inter-communicator " + std::to_string(inter.ref) +
                   " has no proper groups; expected two of MPI's ranks");
    comms_[inter.ref] = std::move(comm);
  }
  return {};
}

TaskId Otf2Definitions::task_of(OTF2_LocationRef location) const {
  if (const auto task = tasks_of_.find(location); task != tasks_of_.end()) return task->second;
  const auto process = processes_.find(location);
  if (process == processes_.end()) return -1;
  const auto task = tasks_of_processes_.find(process->second);
  return task == tasks_of_processes_.end() ? -1 : task->second;
}

Otf2Region Otf2Definitions::region(OTF2_RegionRef ref) const {
  const auto found = regions_.find(ref);
  return found == regions_.end() ? Otf2Region::kOther : found->second;
}

const Otf2Comm* Otf2Definitions::comm(OTF2_CommRef ref) const {
  const auto found = comms_.find(ref);
  return found == comms_.end() ? nullptr : &found->second;
}

std::uint64_t Otf2Definitions::nanoseconds(OTF2_TimeStamp time) const {
  if (time <= offset_) return 0;
  __extension__ using Wide = unsigned __int128;
  const Wide nanos = (Wide{time - offset_} * kNanosPerSecond + resolution_ / 2) / resolution_;
  constexpr auto kMost = static_cast<std::uint64_t>(INT64_MAX);
  return nanos > kMost ? kMost : static_cast<std::uint64_t>(nanos);
}

}  // namespace vef::neighbours
