// SPDX-License-Identifier: Apache-2.0
// GOAL text:
//
//     num_ranks 2
//     rank 0 {
//     l1: calc 100 cpu 0
//     l2: send 8b to 1 tag 0 cpu 0 nic 0
//     l2 requires l1
//     }
//     rank 1 { ... }
//
// A statement ends with its line. Labels are the rank's own and stand before what refers to them. `//` and
// `/* */` are comments. -1 is any source or any tag of a recv.
#include <limits>
#include <unordered_map>

#include "goal.h"
#include "text_scanner.h"

namespace vef::neighbours {

namespace {

using formats::is_space;
using formats::quoted;

constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int64_t>::max();

class GoalTextInput final : public GoalInput {
 public:
  explicit GoalTextInput(std::unique_ptr<LineReader> lines) : lines_(std::move(lines)) {}

  Status read_head() {
    const auto more = find_statement();
    if (!more) return more.error();
    if (!*more || word() != "num_ranks") return fault("expected num_ranks and a number of ranks");
    std::uint64_t value = 0;
    const std::string range = "1 to " + std::to_string(kGoalMaxRanks);
    if (!number(value, kGoalMaxRanks)) return fault_here(range + " ranks");
    if (value == 0) return fault("0 ranks; expected " + range);
    ranks_ = static_cast<std::uint32_t>(value);
    return {};
  }

  std::uint32_t ranks() const override { return ranks_; }
  std::uint64_t bytes_read() const override { return lines_->bytes_read(); }
  std::uint64_t bytes_total() const override { return lines_->bytes_total(); }

  Result<bool> next(GoalRank& rank) override {
    rank.clear();
    const auto more = find_statement();
    if (!more) return more.error();
    if (next_rank_ == ranks_) {
      if (!*more) return false;
      return fault_here("the end, as all " + std::to_string(ranks_) + " ranks are closed");
    }
    const std::string wanted = "rank " + std::to_string(next_rank_);
    if (!*more) return fault("the file ends; expected " + wanted + " of " + std::to_string(ranks_));
    std::uint64_t value = 0;
    if (word() != "rank" || !number(value, ranks_) || value != next_rank_ || !take("{"))
      return fault_here("'" + wanted + " {'");
    labels_.clear();
    for (;;) {
      const auto statement = find_statement();
      if (!statement) return statement.error();
      if (!*statement) return fault("the file ends within " + wanted + "; expected '}'");
      if (take("}")) break;
      if (Status status = read_statement(rank); !status) return status.error();
    }
    ++next_rank_;
    return true;
  }

 private:
  /// Goes to the next character that is neither space nor comment, over ends of lines. False: none is left.
  Result<bool> find_statement() {
    for (;;) {
      if (skip_blank()) return true;
      const auto more = lines_->next();
      if (!more) return more.error();
      if (!*more && in_comment_) return fault("the file ends within a comment; expected '*/'");
      if (!*more) return false;
      rest_ = lines_->text();
    }
  }

  /// Skips spaces and comments of this line. True: something is left.
  bool skip_blank() {
    for (;;) {
      if (in_comment_) {
        const std::size_t end = rest_.find("*/");
        if (end == std::string_view::npos) rest_ = {};
        if (rest_.empty()) return false;
        rest_.remove_prefix(end + 2);
        in_comment_ = false;
      }
      while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
      if (rest_.starts_with("//")) rest_ = {};
      if (!rest_.starts_with("/*")) return !rest_.empty();
      rest_.remove_prefix(2);
      in_comment_ = true;
    }
  }

  std::string_view word() {
    skip_blank();
    std::size_t size = 0;
    if (!rest_.empty() && is_letter(rest_.front())) {
      while (size < rest_.size() && (is_letter(rest_[size]) || is_digit(rest_[size]) || rest_[size] == '_'))
        ++size;
    }
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }

  bool take(std::string_view text) {
    skip_blank();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  bool number(std::uint64_t& value, std::uint64_t highest) {
    skip_blank();
    std::size_t size = 0;
    while (size < rest_.size() && is_digit(rest_[size])) ++size;
    if (!formats::parse_number(rest_.substr(0, size), highest, value)) return false;
    rest_.remove_prefix(size);
    return true;
  }

  Status read_statement(GoalRank& rank) {
    std::string_view first = word();
    std::string_view label;
    if (first != "send" && first != "recv" && first != "calc") {
      label = first;
      if (label.empty()) return fault_here("a label, send, recv, calc or '}'");
      if (!take(":")) return read_edge(rank, label);
      first = word();
    }
    GoalOp op;
    op.line = lines_->line();
    Status status;
    if (first == "calc") {
      status = read_calc(op);
    } else if (first == "send" || first == "recv") {
      op.kind = first == "send" ? GoalKind::kSend : GoalKind::kRecv;
      status = read_message(op);
    } else {
      return fault("found " + quoted(first) + "; expected send, recv or calc");
    }
    if (!status) return status;
    if (rank.ops.size() >= kGoalAny) return fault("one operation more than the format can number");
    if (!label.empty() &&
        !labels_.try_emplace(std::string(label), static_cast<std::uint32_t>(rank.ops.size())).second)
      return fault("label " + quoted(label) + " occurs twice in its rank; expected another");
    rank.ops.push_back(op);
    return end_of_statement();
  }

  Status read_calc(GoalOp& op) {
    if (!number(op.size, kMaxSize)) return fault_here("a time, 0 to " + std::to_string(kMaxSize));
    return take("cpu") ? read_byte(op.cpu) : Status{};
  }

  Status read_message(GoalOp& op) {
    if (!number(op.size, kMaxSize)) return fault_here("a size, 0 to " + std::to_string(kMaxSize));
    const bool is_recv = op.kind == GoalKind::kRecv;
    if (!take("b") || !take(is_recv ? "from" : "to")) return fault_here(is_recv ? "'b from'" : "'b to'");
    std::uint64_t value = 0;
    if (is_recv && take("-1")) {
      op.peer = kGoalAny;
    } else if (number(value, ranks_ - 1)) {
      op.peer = static_cast<std::uint32_t>(value);
    } else {
      return fault_here("a rank, 0 to " + std::to_string(ranks_ - 1));
    }
    if (take("tag")) {
      if (is_recv && take("-1")) {
        op.tag = kGoalAny;
      } else if (number(value, kGoalAny - 1)) {
        op.tag = static_cast<std::uint32_t>(value);
      } else {
        return fault_here("a tag, 0 to " + std::to_string(kGoalAny - 1));
      }
    }
    if (take("cpu")) {
      if (Status status = read_byte(op.cpu); !status) return status;
    }
    return take("nic") ? read_byte(op.nic) : Status{};
  }

  Status read_byte(std::uint8_t& out) {
    std::uint64_t value = 0;
    if (!number(value, 255)) return fault_here("a number, 0 to 255");
    out = static_cast<std::uint8_t>(value);
    return {};
  }

  Status read_edge(GoalRank& rank, std::string_view label) {
    const std::string_view verb = word();
    if (verb != "requires" && verb != "irequires")
      return fault("found " + quoted(verb) + " after " + quoted(label) +
                   "; expected ':', requires or irequires");
    const std::string_view other = word();
    GoalEdge edge;
    edge.start = verb == "irequires";
    if (Status status = find_label(label, edge.op); !status) return status;
    if (Status status = find_label(other, edge.needs); !status) return status;
    if (edge.op == edge.needs) return fault(quoted(label) + " waits for itself; expected another operation");
    rank.edges.push_back(edge);
    return end_of_statement();
  }

  Status find_label(std::string_view label, std::uint32_t& op) {
    const auto found = labels_.find(std::string(label));
    if (found == labels_.end())
      return fault("label " + quoted(label) + "; expected one that stands above in its rank");
    op = found->second;
    return {};
  }

  Status end_of_statement() { return skip_blank() ? Status{fault_here("the end of the line")} : Status{}; }

  Error fault(const std::string& message) const { return lines_->fault(message); }
  Error fault_here(const std::string& expected) const {
    return fault("found " + (rest_.empty() ? std::string("the end of the line") : quoted(rest_)) +
                 "; expected " + expected);
  }

  std::unique_ptr<LineReader> lines_;
  std::string_view rest_;  // of the line
  bool in_comment_ = false;
  std::uint32_t ranks_ = 0;
  std::uint32_t next_rank_ = 0;
  std::unordered_map<std::string, std::uint32_t> labels_;
};

}  // namespace

Result<std::unique_ptr<GoalInput>> open_goal_text(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return lines.error();
  auto input = std::make_unique<GoalTextInput>(std::move(*lines));
  if (Status status = input->read_head(); !status) return status.error();
  return std::unique_ptr<GoalInput>(std::move(input));
}

}  // namespace vef::neighbours
