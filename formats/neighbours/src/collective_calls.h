// SPDX-License-Identifier: Apache-2.0
// Puts the parts of collectives together: on a communicator, the k-th call of one member belongs to the k-th
// of the others. Memory follows what not all members have come to.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace.h"

namespace vef::neighbours {

class CollectiveCalls {
 public:
  CollectiveCalls(formats::TaskId tasks, std::vector<formats::TaskId> world)
      : counts_(static_cast<std::size_t>(tasks)), used_{std::move(world)} {}

  /// The next call of `task` on a communicator, with the sizes and the operation of `part`. `kind` tells
  /// calls apart, `name` is for people, without MPI_, and stays. Faults have no file's name.
  Result<formats::Record> add(formats::TaskId task, std::int64_t comm,
                              const std::vector<formats::TaskId>& members, std::uint32_t kind,
                              std::string_view name, formats::Record part);
  /// A fault if members have not come to a call.
  Status finish() const;

  /// The communicators that calls were on, the world first; those of the same members as the world are it.
  const formats::Communicators& used() const { return used_; }

 private:
  struct Operation {
    std::uint64_t id = 0;
    std::size_t missing = 0;
    std::uint32_t kind = 0;
    std::string_view name;
    formats::TaskId first = 0;
  };

  std::vector<std::unordered_map<std::int64_t, std::uint64_t>> counts_;  // calls, by task and communicator
  std::map<std::pair<std::int64_t, std::uint64_t>, Operation> open_;
  std::uint64_t next_id_ = 0;
  formats::Communicators used_;
  std::unordered_map<std::int64_t, formats::CommId> ids_;  // in used_
};

}  // namespace vef::neighbours
