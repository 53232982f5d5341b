// SPDX-License-Identifier: Apache-2.0
#include "vef4_lowering.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "byte_file.h"
#include "counted_reader.h"
#include "lowering.h"

namespace vef::neighbours {

using formats::CollectiveOp;
using formats::CommId;
using formats::Communicators;
using formats::DepKind;
using formats::Record;
using formats::RecordKind;
using formats::TaskId;
using formats::TraceReader;
using formats::TraceVersion;

namespace {

constexpr std::string_view kAnswerLoss = "answers are left out, and nothing waits for them";

/// Numbers without those that are taken out: dense ones stay dense.
class Renumbering {
 public:
  void remove(std::uint64_t id) { removed_.push_back(id); }
  void settle() {
    std::sort(removed_.begin(), removed_.end());
    removed_.erase(std::unique(removed_.begin(), removed_.end()), removed_.end());
  }
  bool has(std::uint64_t id) const { return std::binary_search(removed_.begin(), removed_.end(), id); }
  std::uint64_t operator()(std::uint64_t id) const {
    return id - static_cast<std::uint64_t>(std::lower_bound(removed_.begin(), removed_.end(), id) -
                                           removed_.begin());
  }

 private:
  std::vector<std::uint64_t> removed_;
};

/// Ids that are in use end here.
struct NextId {
  std::uint64_t next = 0;

  void note(std::uint64_t id) { next = std::max(next, id + 1); }
  /// False: there are not so many.
  bool take(std::uint64_t count, std::uint64_t& first) {
    first = next;
    next += count;
    return next >= first;
  }
};

/// What becomes of each operation and id; the same whenever the file is read.
class Plan {
 public:
  explicit Plan(bool all) : all_(all) {}

  /// Looks through the whole trace.
  Status survey(TraceReader& reader, bool lossy) {
    const Communicators& communicators = reader.communicators();
    NextId messages;
    NextId collectives;
    Record record;
    for (;;) {
      const auto more = reader.next(record);
      if (!more) return more.error();
      if (!*more) break;
      if (record.kind == RecordKind::kCollective) {
        collectives.note(record.id);
        note_collective(record, communicators);
      } else {
        messages.note(record.id);
        if (!all_ || !record.answer) continue;
        if (!lossy) return answer_fault(reader, record);
        messages_.remove(record.id);
      }
    }
    return settle(reader, communicators, messages, collectives);
  }

  struct Scan {
    CommId comm = 0;
    std::uint64_t first = 0;  // message of the first rank; those of the others follow, then the marks
  };

  const Renumbering& messages() const { return messages_; }
  const Renumbering& collectives() const { return collectives_; }
  /// Null: `id` is no scan that becomes messages.
  const Scan* scan(std::uint64_t id) const {
    const auto found = scans_.find(id);
    return found == scans_.end() ? nullptr : &found->second;
  }
  /// The scatter of a reduce-scatter; null: `id` is none.
  const std::uint64_t* scatter(std::uint64_t id) const {
    const auto found = scatters_.find(id);
    return found == scatters_.end() ? nullptr : &found->second;
  }
  /// Rank in a communicator that has scans.
  std::int32_t rank(CommId comm, TaskId task) const {
    const auto& ranks = ranks_.at(comm);
    const auto found = ranks.find(task);
    return found == ranks.end() ? -1 : found->second;
  }

 private:
  static Status answer_fault(const TraceReader& reader, const Record& record) {
    return input_error(reader.path(), reader.line(),
                       "message " + std::to_string(record.id) +
                           " is an answer, which VEF3 does not have; expected none, or --lossy to leave out "
                           "what it carries");
  }

  void note_collective(const Record& record, const Communicators& communicators) {
    const auto comm = static_cast<std::size_t>(record.comm);
    if (record.op == CollectiveOp::kReduceScatter && all_) scatters_.try_emplace(record.id, 0);
    if (record.op != CollectiveOp::kScan && record.op != CollectiveOp::kExscan) return;
    if (communicators[comm].size() < 2) return;
    if (scans_.try_emplace(record.id, Scan{record.comm, 0}).second) collectives_.remove(record.id);
    auto& ranks = ranks_[record.comm];
    if (!ranks.empty()) return;
    std::int32_t rank = 0;
    for (const TaskId task : communicators[comm]) ranks.emplace(task, rank++);
  }

  /// New ids follow those in use.
  Status settle(const TraceReader& reader, const Communicators& communicators, NextId messages,
                NextId collectives) {
    messages_.settle();
    collectives_.settle();
    messages.next = messages_(messages.next);
    collectives.next = collectives_(collectives.next);
    bool enough = true;
    for (const std::uint64_t id : sorted_ids(scans_)) {
      Scan& scan = scans_.at(id);
      const std::uint64_t hops = communicators[static_cast<std::size_t>(scan.comm)].size() - 1;
      enough = messages.take(2 * hops, scan.first) && enough;
    }
    for (const std::uint64_t id : sorted_ids(scatters_))
      enough = collectives.take(1, scatters_.at(id)) && enough;
    if (enough) return {};
    return input_error(reader.path(), 0, "no ids are left for what is lowered; expected lower ids");
  }

  template <class Map>
  static std::vector<std::uint64_t> sorted_ids(const Map& map) {
    std::vector<std::uint64_t> ids;
    for (const auto& entry : map) ids.push_back(entry.first);
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  bool all_;
  Renumbering messages_;
  Renumbering collectives_;
  std::unordered_map<std::uint64_t, Scan> scans_;
  std::unordered_map<std::uint64_t, std::uint64_t> scatters_;
  std::unordered_map<CommId, std::unordered_map<TaskId, std::int32_t>> ranks_;
};

class LoweredSource final : public RecordSource {
 public:
  LoweredSource(std::unique_ptr<TraceReader> reader, std::shared_ptr<const Plan> plan, TraceVersion version,
                Losses& losses)
      : reader_(std::move(reader)),
        plan_(std::move(plan)),
        version_(version),
        losses_(losses),
        last_message_(static_cast<std::size_t>(reader_->header().tasks)) {}

  Result<bool> next(Record& record) override {
    while (given_ == ready_count_) {
      Record read;
      const auto more = reader_->next(read);
      if (!more || !*more) return more;
      given_ = ready_count_ = 0;
      lower(read);
    }
    record = ready_[given_++];
    return true;
  }

  std::uint64_t line() const override { return reader_->line(); }
  TraceVersion version() const override { return version_; }
  Communicators communicators() const override { return reader_->communicators(); }
  formats::Metadata metadata() const override { return reader_->metadata(); }
  std::uint64_t bytes_read() const override { return reader_->bytes_read(); }
  std::uint64_t bytes_total() const override { return reader_->bytes_total(); }

 private:
  void lower(Record& record) {
    if (record.kind != RecordKind::kCollective && plan_->messages().has(record.id)) {
      losses_.add(kAnswerLoss, "VEF3 has no messages outside the order of a task");
      return;
    }
    set_dependency(record);
    if (record.kind != RecordKind::kCollective) {
      record.id = plan_->messages()(record.id);
      give(record);
    } else if (const Plan::Scan* scan = plan_->scan(record.id)) {
      lower_scan(record, *scan);
    } else if (const std::uint64_t* scatter = plan_->scatter(record.id)) {
      lower_reduce_scatter(record, *scatter);
    } else {
      if (record.op == CollectiveOp::kScan || record.op == CollectiveOp::kExscan) lower_lone_scan(record);
      record.id = plan_->collectives()(record.id);
      give(record);
    }
  }

  void set_dependency(Record& record) {
    if (record.dep == DepKind::kIndependent) return;
    if (record.dep != DepKind::kCollective) {
      set_message_dependency(record);
      return;
    }
    const Plan::Scan* const scan = plan_->scan(record.dep_id);
    const std::uint64_t* const scatter = plan_->scatter(record.dep_id);
    if (scan != nullptr) {
      // The first rank has done its part when its message is on its way.
      const std::int32_t rank = plan_->rank(scan->comm, record.task);
      record.dep = rank > 0 ? DepKind::kReceive : DepKind::kSend;
      record.dep_id = scan->first + static_cast<std::uint64_t>(std::max(rank - 1, 0));
    } else {
      record.dep_id = scatter != nullptr ? *scatter : plan_->collectives()(record.dep_id);
    }
  }

  /// What waited for an answer keeps its place in the order of its task: it waits for the sending of the last
  /// message, which has happened.
  void set_message_dependency(Record& record) {
    if (!plan_->messages().has(record.dep_id)) {
      record.dep_id = plan_->messages()(record.dep_id);
      return;
    }
    const LastMessage& last = last_message_[static_cast<std::size_t>(record.task)];
    record.dep = last.any ? DepKind::kSend : DepKind::kIndependent;
    record.dep_id = last.any ? last.id : 0;
  }

  void lower_scan(const Record& part, const Plan::Scan& scan) {
    losses_.add(kScanLoss, kNoSuchOperation);
    const auto& members = reader_->communicators()[static_cast<std::size_t>(scan.comm)];
    const std::int32_t rank = plan_->rank(scan.comm, part.task);
    if (rank < 0) {  // a fault of the input, which stays one
      give(part);
      return;
    }
    const auto place = static_cast<std::size_t>(rank);
    const std::uint64_t hops = members.size() - 1;
    Record record;
    record.task = part.task;
    record.dep = part.dep;
    record.dep_id = part.dep_id;
    record.time = part.time;
    if (place > 0) {
      record.kind = RecordKind::kMark;
      record.peer = part.task;
      record.id = scan.first + hops + place - 1;
      give(record);
      record.dep = DepKind::kReceive;
      record.dep_id = scan.first + place - 1;
      record.time = 0;
    }
    if (place == hops) return;
    record.kind = RecordKind::kMessage;
    record.peer = members[place + 1];
    record.id = scan.first + place;
    record.send_bytes = part.send_bytes;
    give(record);
  }

  /// Of a communicator of one: nothing moves.
  void lower_lone_scan(Record& part) {
    losses_.add(kScanLoss, kNoSuchOperation);
    part.op = CollectiveOp::kBarrier;
    part.send_bytes = part.recv_bytes = 0;
  }

  void lower_reduce_scatter(Record part, std::uint64_t scatter) {
    losses_.add(kReduceScatterLoss, kNoSuchOperation);
    const bool root = part.task == reader_->communicators()[static_cast<std::size_t>(part.comm)].front();
    const std::uint64_t all = part.send_bytes;
    const std::uint64_t own = part.recv_bytes;
    part.op = CollectiveOp::kReduce;
    part.id = plan_->collectives()(part.id);
    part.send_bytes = root ? 0 : all;
    part.recv_bytes = root ? all : 0;
    give(part);
    part.op = CollectiveOp::kScatter;
    part.dep = DepKind::kCollective;
    part.dep_id = std::exchange(part.id, scatter);
    part.time = 0;
    part.send_bytes = root ? all : 0;
    part.recv_bytes = own;
    give(part);
  }

  void give(const Record& record) {
    ready_[ready_count_++] = record;
    if (record.kind == RecordKind::kMessage && !record.answer)
      last_message_[static_cast<std::size_t>(record.task)] = {true, record.id};
  }

  struct LastMessage {
    bool any = false;
    std::uint64_t id = 0;
  };

  std::unique_ptr<TraceReader> reader_;
  std::shared_ptr<const Plan> plan_;
  TraceVersion version_;
  Losses& losses_;
  std::vector<LastMessage> last_message_;  // by task
  std::array<Record, 2> ready_;            // what one record becomes
  std::size_t ready_count_ = 0;
  std::size_t given_ = 0;
};

}  // namespace

Result<std::unique_ptr<TraceReader>> open_lowered(const std::string& path, const Format& format,
                                                  Lowering lowering, const Options& options, Losses& losses) {
  auto reader = format.open(path, options, losses);
  if (!reader || lowering == Lowering::kNothing || (*reader)->header().version != TraceVersion::kVef4)
    return reader;
  if (path == formats::kStandardInput)
    return usage_error(
        "standard input is a VEF4 trace, which has to be read more than once; expected a file");
  const bool all = lowering == Lowering::kVef4;
  const auto plan = std::make_shared<Plan>(all);
  if (Status status = plan->survey(**reader, options.lossy); !status) return status.error();
  reader->reset();
  const SourceOpener open = [&format, path, options, plan,
                             all](Losses& lost) -> Result<std::unique_ptr<RecordSource>> {
    Losses again;  // of the format's own reader, which are told of already
    auto opened = format.open(path, options, again);
    if (!opened) return opened.error();
    return std::unique_ptr<RecordSource>(std::make_unique<LoweredSource>(
        std::move(*opened), plan, all ? TraceVersion::kVef3 : TraceVersion::kVef4, lost));
  };
  return open_counted(path, open, losses, options.progress);
}

}  // namespace vef::neighbours
