// SPDX-License-Identifier: Apache-2.0
// Chakra's files as a schedule, which is executed like one of GOAL.
//
// Nodes that communicate stand before those that compute: of what can begin at the same time, they do first,
// as on a device that communicates beside its computing. Computing of the processor and of the accelerator
// are two processors, where a rank has both.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <unordered_map>
#include <utility>

#include "chakra.h"
#include "chakra_groups.h"
#include "vef/base/units.h"

namespace vef::neighbours {

namespace {

constexpr auto kMostNanos = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
constexpr std::uint64_t kMostTag = std::numeric_limits<std::int32_t>::max();

class ChakraInput final : public GoalInput {
 public:
  ChakraInput(ChakraFiles files, const Options& options, Losses& losses)
      : files_(std::move(files)),
        flops_per_second_(options.flops_per_second),
        losses_(losses),
        groups_(ranks(), losses) {
    for (const std::string& path : files_.paths) {
      std::error_code failed;
      const std::uintmax_t size = std::filesystem::file_size(path, failed);
      if (!failed) bytes_total_ += size;
    }
  }

  std::uint32_t ranks() const override { return static_cast<std::uint32_t>(files_.paths.size()); }
  std::uint64_t bytes_read() const override { return bytes_read_; }
  std::uint64_t bytes_total() const override { return bytes_total_; }
  GoalExtras extras() override { return std::move(extras_); }

  Result<bool> next(GoalRank& rank) override {
    rank.clear();
    if (next_rank_ == ranks()) {
      auto extras = groups_.finish();
      if (!extras) return input_error(files_.paths.front(), 0, extras.error().message);
      extras_ = std::move(*extras);
      extras_.has_clocks = false;
      extras_.files = files_.paths;
      return false;
    }
    groups_.begin_rank(next_rank_);
    if (Status status = read_file(rank); !status) return status.error();
    ++next_rank_;
    return true;
  }

 private:
  const std::string& path() const { return files_.paths[next_rank_]; }
  Error fault(const std::string& what) const {
    return input_error(path(), 0, "node " + std::to_string(node_.id) + ": " + what);
  }

  Status read_file(GoalRank& rank) {
    auto messages = ChakraMessages::open(path());
    if (!messages) return messages.error();
    std::string_view message;
    auto more = messages->next(message);
    if (!more) return more.error();
    if (!*more || !is_chakra_metadata(message))
      return input_error(path(), 0, "does not begin with Chakra's metadata; expected a trace of Chakra");
    needs_.clear();
    for (;;) {
      more = messages->next(message);
      if (!more) return more.error();
      if (!*more) break;
      if (!parse_chakra_node(message, node_))
        return input_error(path(), 0,
                           "message " + std::to_string(messages->number()) + " is no node; expected one");
      if (Status status = take_node(rank); !status) return status;
    }
    bytes_read_ += messages->bytes_read();
    settle_processors(rank);
    return put_in_order(rank);
  }

  Status take_node(GoalRank& rank) {
    if (rank.ops.size() == kGoalAny) return fault("one node too many; expected less than 2^32");
    GoalOp op;
    op.line = node_.id;
    const auto index = static_cast<std::uint32_t>(rank.ops.size());
    for (const std::uint64_t id : node_.needs) needs_.emplace_back(index, id);
    Status status = describe(op);
    rank.ops.push_back(op);
    return status;
  }

  Status describe(GoalOp& op) {
    if (node_.type >= kChakraTypes)
      return fault("type " + std::to_string(node_.type) + "; expected 0 to " +
                   std::to_string(kChakraTypes - 1));
    switch (static_cast<ChakraType>(node_.type)) {
      case ChakraType::kSend:
        op.kind = GoalKind::kSend;
        return message(op, node_.destination, "comm_dst", node_.source, "comm_src");
      case ChakraType::kReceive:
        op.kind = GoalKind::kRecv;
        return message(op, node_.source, "comm_src", node_.destination, "comm_dst");
      case ChakraType::kCollective:
        return collective(op);
      case ChakraType::kMetadata: {
        const Status status = groups_.read_lists(node_.input_values);
        return status ? Status() : fault(status.error().message);
      }
      default:
        return computing(op);
    }
  }

  Status message(GoalOp& op, const ChakraNumber& peer, const char* peer_name, const ChakraNumber& own,
                 const char* own_name) {
    const auto describe_number = [](const ChakraNumber& number) {
      return !number.is_there   ? "is not there"
             : !number.is_whole ? "is negative"
                                : std::to_string(number.value);
    };
    if (!peer.is_whole || peer.value >= ranks())
      return fault(std::string(peer_name) + " " + describe_number(peer) + "; expected 0 to " +
                   std::to_string(ranks() - 1));
    if (own.is_there && (!own.is_whole || own.value != next_rank_))
      return fault(std::string(own_name) + " " + describe_number(own) + "; expected " +
                   std::to_string(next_rank_) + " in the file of that rank");
    if (node_.tag.is_there && (!node_.tag.is_whole || node_.tag.value > kMostTag))
      return fault("comm_tag " + describe_number(node_.tag) + "; expected 0 to " + std::to_string(kMostTag));
    op.peer = static_cast<std::uint32_t>(peer.value);
    op.tag = static_cast<std::uint32_t>(node_.tag.value);
    return size(op);
  }

  Status size(GoalOp& op) {
    if (node_.comm_size.is_there && !node_.comm_size.is_whole)
      return fault("comm_size is out of range; expected 0 to 2^63 - 1 bytes");
    op.size = node_.comm_size.value;
    return {};
  }

  Status collective(GoalOp& op) {
    op.kind = GoalKind::kCollective;
    if (Status status = size(op); !status) return status;
    if (node_.comm_type.value == static_cast<std::uint64_t>(ChakraCollective::kBarrier)) op.size = 0;
    const auto index = groups_.add(node_, op.size);
    if (!index) return fault(index.error().message);
    op.peer = *index;
    return {};
  }

  /// Also of what only passes dependencies on.
  Status computing(GoalOp& op) {
    const auto type = static_cast<ChakraType>(node_.type);
    if (type == ChakraType::kInvalid) return {};
    op.size = saturating_multiply(node_.duration_micros, 1000);
    if (node_.nanos.is_there) op.size = node_.nanos.is_whole ? node_.nanos.value : kMostNanos + 1;
    if (op.size == 0 && node_.operations.value != 0) {
      const double nanos = static_cast<double>(node_.operations.value) / flops_per_second_ * 1e9;
      op.size = nanos < 9.2e18 ? static_cast<std::uint64_t>(std::nearbyint(nanos)) : kMostNanos + 1;
    } else if (op.size == 0 && !node_.nanos.is_there) {
      losses_.add("nodes that compute or move data take no time",
                  "they have neither a duration nor a number of operations");
    }
    if (op.size > kMostNanos) return fault("a duration of more than 2^63 - 1 ns; expected less");
    op.cpu = node_.is_cpu && op.size != 0 ? 1 : 0;
    return {};
  }

  /// A rank that has computing of one kind has one processor.
  static void settle_processors(GoalRank& rank) {
    const bool both = std::any_of(rank.ops.begin(), rank.ops.end(), [](const GoalOp& op) {
      return op.kind == GoalKind::kCalc && op.size != 0 && op.cpu == 0;
    });
    if (both) return;
    for (GoalOp& op : rank.ops) op.cpu = 0;
  }

  /// Puts what communicates first, and turns ids into places.
  Status put_in_order(GoalRank& rank) {
    std::vector<std::uint32_t> places(rank.ops.size());
    std::unordered_map<std::uint64_t, std::uint32_t> by_id;
    by_id.reserve(rank.ops.size());
    std::uint32_t next = 0;
    for (const bool computing : {false, true}) {
      for (std::size_t i = 0; i < rank.ops.size(); ++i) {
        if ((rank.ops[i].kind == GoalKind::kCalc) == computing) places[i] = next++;
      }
    }
    std::vector<GoalOp> ordered(rank.ops.size());
    for (std::size_t i = 0; i < rank.ops.size(); ++i) {
      ordered[places[i]] = rank.ops[i];
      node_.id = rank.ops[i].line;
      if (!by_id.emplace(node_.id, places[i]).second) return fault("its id occurs twice; expected once");
    }
    for (const auto& [op, id] : needs_) {
      node_.id = rank.ops[op].line;
      const auto found = by_id.find(id);
      if (found == by_id.end() || id == node_.id)
        return fault("depends on node " + std::to_string(id) + "; expected another of this file");
      rank.edges.push_back({places[op], found->second, false});
    }
    rank.ops = std::move(ordered);
    return {};
  }

  ChakraFiles files_;
  double flops_per_second_;
  Losses& losses_;
  ChakraGroups groups_;
  GoalExtras extras_;
  ChakraNode node_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> needs_;  // operation, id of what it waits for
  std::uint32_t next_rank_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_total_ = 0;
};

}  // namespace

Result<std::unique_ptr<GoalInput>> open_chakra(const std::string& path, const Options& options,
                                               Losses& losses) {
  auto files = find_chakra_files(path);
  if (!files) return files.error();
  return std::unique_ptr<GoalInput>(new ChakraInput(std::move(*files), options, losses));
}

}  // namespace vef::neighbours
