// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "byte_file.h"
#include "goal.h"
#include "goal_binary.h"
#include "little_endian.h"

namespace vef::neighbours {

namespace {

class GoalBinaryInput final : public GoalInput {
 public:
  explicit GoalBinaryInput(std::unique_ptr<formats::InputFile> file) : file_(std::move(file)) {}

  Status read_head() {
    constexpr std::size_t kHead = kGoalBase + kGoalHeadBytes;
    if (file_->size() < kHead)
      return fault("holds " + std::to_string(file_->size()) + " bytes; expected more");
    const auto head = file_->read_at(0, kHead);
    if (!head) return head.error();
    std::size_t at = 0;
    const auto magic = take_little<std::uint64_t>(*head, at);
    if (magic == kGoalSpoiltMagic)
      return fault("a simulator that saved memory has overwritten this schedule; expected a fresh one");
    if (magic != kGoalMagic) return fault("begins with " + std::to_string(magic) + "; expected 4223");
    ranks_ = take_little<std::uint32_t>(*head, at);
    const std::uint64_t most =
        std::min<std::uint64_t>(kGoalMaxRanks, (file_->size() - kHead) / kGoalJumpBytes);
    if (ranks_ == 0 || ranks_ > most)
      return fault(std::to_string(ranks_) + " ranks; expected 1 to " + std::to_string(most) +
                   " in a file of this size");
    return {};
  }

  std::uint32_t ranks() const override { return ranks_; }
  std::uint64_t bytes_read() const override { return bytes_read_; }
  std::uint64_t bytes_total() const override { return file_->size(); }

  Result<bool> next(GoalRank& rank) override {
    rank.clear();
    if (next_rank_ == ranks_) {
      if (last_end_ == file_->size() - kGoalBase) return false;
      return fault("its ranks end at byte " + std::to_string(last_end_ + kGoalBase) + " of " +
                   std::to_string(file_->size()) + "; expected the end of the file");
    }
    const auto jump = file_->read_at(kGoalBase + kGoalHeadBytes + std::uint64_t{next_rank_} * kGoalJumpBytes,
                                     kGoalJumpBytes);
    if (!jump) return jump.error();
    std::size_t at = 0;
    const auto begin = take_little<std::uint64_t>(*jump, at);
    const auto end = take_little<std::uint64_t>(*jump, at);
    const std::uint64_t first = kGoalHeadBytes + std::uint64_t{ranks_} * kGoalJumpBytes;
    const std::uint64_t last = file_->size() - kGoalBase;
    if (begin < first || end > last || begin > end || end - begin < kCounts) {
      return rank_fault("lies from " + std::to_string(begin) + " to " + std::to_string(end) +
                        "; expected within " + std::to_string(first) + " to " + std::to_string(last));
    }
    const auto bytes = file_->read_at(kGoalBase + begin, end - begin);
    if (!bytes) return bytes.error();
    if (Status status = read_rank(*bytes, rank); !status) return status.error();
    bytes_read_ += bytes->size();
    last_end_ = std::max(last_end_, end);
    ++next_rank_;
    return true;
  }

 private:
  static constexpr std::size_t kCounts = 2 * 4;

  Status read_rank(std::string_view bytes, GoalRank& rank) {
    std::size_t at = 0;
    const auto ops = take_little<std::uint32_t>(bytes, at);
    const auto roots = take_little<std::uint32_t>(bytes, at);
    const std::uint64_t fixed = kCounts + std::uint64_t{roots} * 4 + std::uint64_t{ops} * kGoalNodeBytes;
    if (roots > ops || fixed > bytes.size() || (bytes.size() - fixed) % 4 != 0) {
      return rank_fault(std::to_string(ops) + " operations and " + std::to_string(roots) + " roots in " +
                        std::to_string(bytes.size()) + " bytes; expected what fits");
    }
    appendix_ = bytes.substr(fixed);
    waits_.assign(ops, 0);
    incoming_.assign(ops, 0);
    std::size_t root = at;
    at += std::size_t{roots} * 4;
    rank.ops.resize(ops);
    for (std::uint32_t i = 0; i < ops; ++i) {
      if (Status status = read_op(bytes, at, i, rank); !status) return status;
    }
    if (rank.edges.size() * 4 != appendix_.size())
      return rank_fault(std::to_string(appendix_.size() / 4) +
                        " dependencies, of which its operations name " + std::to_string(rank.edges.size()) +
                        "; expected all");
    return check_counts(bytes, root, roots);
  }

  Status read_op(std::string_view bytes, std::size_t& at, std::uint32_t index, GoalRank& rank) {
    GoalOp& op = rank.ops[index];
    waits_[index] = take_little<std::uint32_t>(bytes, at);
    const auto kind = take_little<std::uint8_t>(bytes, at);
    op.peer = take_little<std::uint32_t>(bytes, at);
    op.size = take_little<std::uint64_t>(bytes, at);
    op.tag = take_little<std::uint32_t>(bytes, at);
    op.cpu = take_little<std::uint8_t>(bytes, at);
    op.nic = take_little<std::uint8_t>(bytes, at);
    if (kind < 1 || kind > 3) return op_fault(index, "kind " + std::to_string(kind) + "; expected 1 to 3");
    op.kind = static_cast<GoalKind>(kind);
    if (op.size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return op_fault(index, "size " + std::to_string(op.size) + "; expected at most 2^63 - 1");
    const bool any_source = op.kind == GoalKind::kRecv && op.peer == kGoalAny;
    if (op.kind != GoalKind::kCalc && op.peer >= ranks_ && !any_source)
      return op_fault(index,
                      "peer " + std::to_string(op.peer) + "; expected 0 to " + std::to_string(ranks_ - 1));
    if (op.kind == GoalKind::kSend && op.tag == kGoalAny)
      return op_fault(index, "any tag; expected the tag of a send");
    if (op.kind == GoalKind::kCalc) op.peer = op.tag = 0;
    for (const bool start : {false, true}) {
      if (Status status = read_edges(bytes, at, index, start, rank); !status) return status;
    }
    return {};
  }

  Status read_edges(std::string_view bytes, std::size_t& at, std::uint32_t index, bool start,
                    GoalRank& rank) {
    const auto count = take_little<std::uint32_t>(bytes, at);
    const auto first = take_little<std::uint32_t>(bytes, at);
    if (count == 0) return {};
    const std::uint64_t last = std::uint64_t{first} + count;
    if (last > appendix_.size() / 4 || rank.edges.size() + count > appendix_.size() / 4) {
      return op_fault(index, "dependents " + std::to_string(first) + " to " + std::to_string(last) +
                                 "; expected within " + std::to_string(appendix_.size() / 4));
    }
    std::size_t position = std::size_t{first} * 4;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto op = take_little<std::uint32_t>(appendix_, position);
      if (op >= rank.ops.size() || op == index)
        return op_fault(index, "dependent " + std::to_string(op) + "; expected another of " +
                                   std::to_string(rank.ops.size()));
      ++incoming_[op];
      rank.edges.push_back({op, index, start});
    }
    return {};
  }

  /// What the file says twice must agree.
  Status check_counts(std::string_view bytes, std::size_t root, std::uint32_t roots) {
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      if (waits_[i] != incoming_[i])
        return op_fault(i, "waits for " + std::to_string(waits_[i]) + " operations, which " +
                               std::to_string(incoming_[i]) + " name it; expected the same");
    }
    const auto free = static_cast<std::uint64_t>(std::count(waits_.begin(), waits_.end(), 0U));
    if (roots != free)
      return rank_fault(std::to_string(roots) + " roots; expected the " + std::to_string(free) +
                        " operations that wait for nothing");
    for (std::uint32_t i = 0; i < roots; ++i) {
      const auto op = take_little<std::uint32_t>(bytes, root);
      if (op >= waits_.size() || waits_[op] != 0)
        return rank_fault("root " + std::to_string(op) + "; expected an operation that waits for nothing");
      waits_[op] = 1;  // a second time it is no root
    }
    return {};
  }

  Error fault(const std::string& message) const { return input_error(file_->path(), 0, message); }
  Error rank_fault(const std::string& message) const {
    return fault("rank " + std::to_string(next_rank_) + ": " + message);
  }
  Error op_fault(std::size_t index, const std::string& message) const {
    return rank_fault("operation " + std::to_string(index + 1) + ": " + message);
  }

  std::unique_ptr<formats::InputFile> file_;
  std::uint32_t ranks_ = 0;
  std::uint32_t next_rank_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t last_end_ = 0;
  std::string_view appendix_;
  std::vector<std::uint32_t> waits_;     // by operation, as the file says
  std::vector<std::uint32_t> incoming_;  // as its edges say
};

}  // namespace

Result<std::unique_ptr<GoalInput>> open_goal_binary(const std::string& path) {
  auto file = formats::InputFile::open(path);
  if (!file) return file.error();
  auto input = std::make_unique<GoalBinaryInput>(std::move(*file));
  if (Status status = input->read_head(); !status) return status.error();
  return std::unique_ptr<GoalInput>(std::move(input));
}

}  // namespace vef::neighbours
