// SPDX-License-Identifier: Apache-2.0
// What the player needs to find in O(1) while it runs: per task its records in order, per record the record
// it depends on, per collective operation its participants. Built once per trace; 4 to 16 bytes per record.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vef/formats/trace_io.h"

namespace vef::tracelib {

inline constexpr std::uint32_t kNoRecord = 0xffffffff;

struct CollectiveInstance {
  formats::CommId comm = 0;
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  std::int32_t root = 0;    // rank in the communicator
  std::uint32_t begin = 0;  // its records, by communicator rank: TraceIndex::participants[begin + rank]
  std::uint32_t size = 0;
};

class TraceIndex {
 public:
  /// `trace` must outlive the index and must have passed formats::validate.
  explicit TraceIndex(const formats::Trace& trace);

  /// Program order holds (VEF3, VEF4); in VEF and VEF2 files a record knows its dependency only.
  bool ordered() const { return ordered_; }

  /// Answers are not among them.
  std::span<const std::uint32_t> records_of(formats::TaskId task) const {
    return std::span(task_records_).subspan(task_begin_[task], task_begin_[task + 1] - task_begin_[task]);
  }
  /// The record whose event `record` waits for (for COLLECTIVE: the task's own part in it); kNoRecord if
  /// independent.
  std::uint32_t dependency(std::uint32_t record) const { return dependency_[record]; }
  /// The records that depend on `record`; in ordered traces only its answers.
  std::span<const std::uint32_t> dependents(std::uint32_t record) const {
    if (dependents_begin_.empty()) return {};
    return std::span(dependents_)
        .subspan(dependents_begin_[record], dependents_begin_[record + 1] - dependents_begin_[record]);
  }
  std::uint32_t instance_of(std::uint32_t record) const { return instance_of_[record]; }
  const CollectiveInstance& instance(std::uint32_t index) const { return instances_[index]; }
  std::uint32_t instances() const { return static_cast<std::uint32_t>(instances_.size()); }
  /// The participants' records, by communicator rank.
  std::span<const std::uint32_t> participants(const CollectiveInstance& instance) const {
    return std::span(participants_).subspan(instance.begin, instance.size);
  }
  /// Rank of `task` in communicator `comm`; -1 if it is no member.
  std::int32_t comm_rank(formats::CommId comm, formats::TaskId task) const;

 private:
  void index_tasks();
  void index_communicators();
  void index_collectives();
  void index_dependencies();
  void index_dependents();

  const formats::Trace& trace_;
  bool ordered_;
  bool answers_ = false;  // there are some
  std::vector<std::uint32_t> task_begin_, task_records_;
  std::vector<std::uint32_t> dependency_;
  std::vector<std::uint32_t> dependents_begin_, dependents_;
  std::vector<std::uint32_t> instance_of_;
  std::vector<CollectiveInstance> instances_;
  std::vector<std::uint32_t> participants_;
  // Per communicator its members sorted by task, with their ranks; empty where rank == task for every member.
  std::vector<std::vector<std::pair<formats::TaskId, std::int32_t>>> ranks_;
};

}  // namespace vef::tracelib
