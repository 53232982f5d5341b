// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "byte_file.h"
#include "goal.h"
#include "goal_binary.h"
#include "little_endian.h"

namespace vef::neighbours {

namespace {

class GoalBinaryOutput final : public GoalOutput {
 public:
  GoalBinaryOutput(std::unique_ptr<formats::OutputFile> file, std::uint32_t ranks)
      : file_(std::move(file)), ranks_(ranks) {}

  /// The head is written with zeros first; what it says is known at the end.
  Status reserve_head() {
    return file_->write(std::string(kGoalBase + kGoalHeadBytes + std::size_t{ranks_} * kGoalJumpBytes, '\0'));
  }

  Status write(GoalRank& rank) override {
    sort_by_needs(rank);
    bytes_.clear();
    const auto ops = static_cast<std::uint32_t>(rank.ops.size());
    waits_.assign(ops, 0);
    for (const GoalEdge& edge : rank.edges) ++waits_[edge.op];
    put_little(bytes_, ops);
    put_little(bytes_, static_cast<std::uint32_t>(std::count(waits_.begin(), waits_.end(), 0U)));
    for (std::uint32_t i = 0; i < ops; ++i) {
      if (waits_[i] == 0) put_little(bytes_, i);
    }
    std::size_t edge = 0;
    for (std::uint32_t i = 0; i < ops; ++i) {
      const std::size_t first = edge;
      while (edge < rank.edges.size() && rank.edges[edge].needs == i && !rank.edges[edge].start) ++edge;
      const std::size_t middle = edge;
      while (edge < rank.edges.size() && rank.edges[edge].needs == i) ++edge;
      put_op(rank.ops[i], waits_[i]);
      put_range(first, middle);
      put_range(middle, edge);
    }
    for (const GoalEdge& e : rank.edges) put_little(bytes_, e.op);
    jumps_.push_back(file_->offset() - kGoalBase);
    if (Status status = file_->write(bytes_); !status) return status;
    jumps_.push_back(file_->offset() - kGoalBase);
    return {};
  }

  Status finish() override {
    bytes_.clear();
    put_little(bytes_, kGoalMagic);
    put_little(bytes_, ranks_);
    put_little(bytes_, highest_cpu_);
    put_little(bytes_, highest_nic_);
    for (const std::uint64_t offset : jumps_) put_little(bytes_, offset);
    if (Status status = file_->write_at(0, bytes_); !status) return status;
    return file_->commit();
  }

 private:
  /// Those who wait for an operation's end before those who wait for its begin, in the order of the edges.
  static void sort_by_needs(GoalRank& rank) {
    std::stable_sort(rank.edges.begin(), rank.edges.end(), [](const GoalEdge& a, const GoalEdge& b) {
      return a.needs != b.needs ? a.needs < b.needs : a.start < b.start;
    });
  }

  void put_op(const GoalOp& op, std::uint32_t waits) {
    put_little(bytes_, waits);
    put_little(bytes_, static_cast<std::uint8_t>(op.kind));
    put_little(bytes_, op.peer);
    put_little(bytes_, op.size);
    put_little(bytes_, op.tag);
    put_little(bytes_, op.cpu);
    put_little(bytes_, op.nic);
    highest_cpu_ = std::max(highest_cpu_, op.cpu);
    highest_nic_ = std::max(highest_nic_, op.nic);
  }

  void put_range(std::size_t first, std::size_t last) {
    put_little(bytes_, static_cast<std::uint32_t>(last - first));
    put_little(bytes_, static_cast<std::uint32_t>(first));
  }

  std::unique_ptr<formats::OutputFile> file_;
  std::uint32_t ranks_;
  std::uint8_t highest_cpu_ = 0;
  std::uint8_t highest_nic_ = 0;
  std::vector<std::uint64_t> jumps_;
  std::vector<std::uint32_t> waits_;
  std::string bytes_;
};

}  // namespace

Result<std::unique_ptr<GoalOutput>> create_goal_binary(const std::string& path, std::uint32_t ranks) {
  auto file = formats::OutputFile::create(path);
  if (!file) return file.error();
  auto output = std::make_unique<GoalBinaryOutput>(std::move(*file), ranks);
  if (Status status = output->reserve_head(); !status) return status.error();
  return std::unique_ptr<GoalOutput>(std::move(output));
}

}  // namespace vef::neighbours
