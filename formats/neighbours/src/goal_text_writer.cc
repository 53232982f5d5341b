// SPDX-License-Identifier: Apache-2.0
// GOAL text in one form: operation n of a rank is labelled l<n>, from 1; what does not depart from its
// default is left out; an edge stands as early as both its labels are known, in ascending order.
#include <algorithm>
#include <utility>

#include "byte_sink.h"
#include "goal.h"

namespace vef::neighbours {

namespace {

class GoalTextOutput final : public GoalOutput {
 public:
  GoalTextOutput(std::unique_ptr<formats::ByteSink> sink, std::uint32_t ranks) : sink_(std::move(sink)) {
    text_ = "num_ranks " + std::to_string(ranks) + "\n";
  }

  Status write(GoalRank& rank) override {
    std::sort(rank.edges.begin(), rank.edges.end(), [](const GoalEdge& a, const GoalEdge& b) {
      const auto later = [](const GoalEdge& edge) { return std::max(edge.op, edge.needs); };
      return std::pair(later(a), a) < std::pair(later(b), b);
    });
    text_ += "\nrank " + std::to_string(next_rank_++) + " {\n";
    std::size_t edge = 0;
    for (std::size_t i = 0; i < rank.ops.size(); ++i) {
      write_op(i, rank.ops[i]);
      for (; edge < rank.edges.size() && std::max(rank.edges[edge].op, rank.edges[edge].needs) == i; ++edge) {
        const GoalEdge& e = rank.edges[edge];
        write_label(e.op);
        text_ += e.start ? " irequires " : " requires ";
        write_label(e.needs);
        text_ += '\n';
      }
      if (text_.size() < kBlockBytes) continue;
      if (Status status = flush(); !status) return status;
    }
    text_ += "}\n";
    return {};
  }

  Status finish() override {
    if (Status status = flush(); !status) return status;
    return sink_->finish();
  }

 private:
  static constexpr std::size_t kBlockBytes = 1 << 20;

  void write_label(std::size_t op) { text_.append("l").append(std::to_string(op + 1)); }

  void write_op(std::size_t index, const GoalOp& op) {
    static constexpr const char* kVerbs[] = {"", ": send ", ": recv ", ": calc "};
    write_label(index);
    text_ += kVerbs[static_cast<std::size_t>(op.kind)];
    text_ += std::to_string(op.size);
    if (op.kind != GoalKind::kCalc) {
      text_ += op.kind == GoalKind::kSend ? "b to " : "b from ";
      write_or_any(op.peer);
      text_ += " tag ";
      write_or_any(op.tag);
    }
    if (op.cpu != 0) text_.append(" cpu ").append(std::to_string(op.cpu));
    if (op.nic != 0) text_.append(" nic ").append(std::to_string(op.nic));
    text_ += '\n';
  }

  void write_or_any(std::uint32_t value) {
    text_ += value == kGoalAny ? std::string("-1") : std::to_string(value);
  }

  Status flush() {
    if (Status status = sink_->write_block(text_); !status) return status;
    text_.clear();
    return {};
  }

  std::unique_ptr<formats::ByteSink> sink_;
  std::string text_;
  std::uint32_t next_rank_ = 0;
};

}  // namespace

Result<std::unique_ptr<GoalOutput>> create_goal_text(const std::string& path, std::uint32_t ranks,
                                                     int level) {
  auto sink = formats::ByteSink::create(path, level);
  if (!sink) return sink.error();
  return std::unique_ptr<GoalOutput>(new GoalTextOutput(std::move(*sink), ranks));
}

}  // namespace vef::neighbours
