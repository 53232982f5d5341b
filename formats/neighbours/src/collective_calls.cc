// SPDX-License-Identifier: Apache-2.0
#include "collective_calls.h"

namespace vef::neighbours {

using formats::Record;
using formats::TaskId;

Result<Record> CollectiveCalls::add(TaskId task, std::int64_t comm, const std::vector<TaskId>& members,
                                    std::uint32_t kind, std::string_view name, Record part) {
  const std::uint64_t ordinal = counts_[static_cast<std::size_t>(task)][comm]++;
  const auto [entry, is_new] = open_.try_emplace({comm, ordinal});
  Operation& operation = entry->second;
  if (is_new) operation = {next_id_++, members.size(), kind, name, task};
  if (operation.kind != kind)
    return Error{ErrorKind::kInput, "while rank " + std::to_string(operation.first) + " calls MPI_" +
                                        std::string(operation.name) +
                                        " on the same communicator; expected the same"};
  const auto [id, is_first] = ids_.try_emplace(comm, 0);
  if (is_first && members != used_.front()) {
    id->second = static_cast<formats::CommId>(used_.size());
    used_.push_back(members);
  }
  part.comm = id->second;
  part.id = operation.id;
  if (--operation.missing == 0) open_.erase(entry);
  return part;
}

Status CollectiveCalls::finish() const {
  if (open_.empty()) return {};
  const Operation& operation = open_.begin()->second;
  return Error{ErrorKind::kInput, "rank " + std::to_string(operation.first) + " calls MPI_" +
                                      std::string(operation.name) + ", and " +
                                      std::to_string(operation.missing) +
                                      " members of its communicator do not; expected all of them to"};
}

}  // namespace vef::neighbours
