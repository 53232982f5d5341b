// SPDX-License-Identifier: Apache-2.0
// From VEF records to Chakra's execution traces, a file for each rank.
//
// A rank is a chain: computing, receives and collectives that are waited for come one after the other. Sends
// hang off the chain, for VEF does not wait for them; so do collectives, until a record depends on their end.
// A receive stands where the task first waits for its message, or at the end. Tags are numbers in order, so
// that each receive takes its own message. What a rank does is spooled: what a receive or a part in a
// collective looks like may be known only later.
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "byte_file.h"
#include "chakra.h"
#include "computing_time.h"
#include "little_endian.h"
#include "metadata_loss.h"
#include "open_collectives.h"
#include "task_spool.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::CollectiveOp;
using formats::DepKind;
using formats::Record;
using formats::RecordKind;

namespace {

constexpr std::string_view kEnding = ".et";
constexpr std::uint32_t kNoRoot = kGoalAny;

/// What a rank does, or what is known of what it does elsewhere (kIncoming, kPart), in the spool.
struct Entry {
  enum Kind : std::uint8_t { kCompute, kSend, kIncoming, kAwaitMessage, kEnter, kPart, kAwaitCollective };

  Kind kind = kCompute;
  std::uint8_t type = 0;   // of a part
  std::uint32_t peer = 0;  // of a message; of a part the communicator
  std::uint32_t tag = 0;   // of a message; of a part the root
  std::uint64_t id = 0;    // of a message or a collective
  std::uint64_t size = 0;  // bytes, or nanoseconds

  std::string text() const {
    std::string out;
    put_little<std::uint8_t>(out, kind);
    put_little(out, type);
    put_little(out, peer);
    put_little(out, tag);
    put_little(out, id);
    put_little(out, size);
    return out;
  }
  static Entry take(std::string_view bytes, std::size_t& at) {
    Entry entry;
    entry.kind = static_cast<Kind>(take_little<std::uint8_t>(bytes, at));
    entry.type = take_little<std::uint8_t>(bytes, at);
    entry.peer = take_little<std::uint32_t>(bytes, at);
    entry.tag = take_little<std::uint32_t>(bytes, at);
    entry.id = take_little<std::uint64_t>(bytes, at);
    entry.size = take_little<std::uint64_t>(bytes, at);
    return entry;
  }
};

ChakraCollective type_of(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::kBroadcast:
      return ChakraCollective::kBroadcast;
    case CollectiveOp::kReduce:
      return ChakraCollective::kReduce;
    case CollectiveOp::kAllreduce:
      return ChakraCollective::kAllReduce;
    case CollectiveOp::kGather:
      return ChakraCollective::kGather;
    case CollectiveOp::kScatter:
      return ChakraCollective::kScatter;
    case CollectiveOp::kAllgather:
      return ChakraCollective::kAllGather;
    case CollectiveOp::kAlltoall:
      return ChakraCollective::kAllToAll;
    case CollectiveOp::kReduceScatter:
      return ChakraCollective::kReduceScatter;
    case CollectiveOp::kScan:  // have become messages
    case CollectiveOp::kExscan:
    case CollectiveOp::kBarrier:
      break;
  }
  return ChakraCollective::kBarrier;
}

/// The graph of one rank, as it grows.
class RankGraph {
 public:
  RankGraph(std::size_t rank, std::string& out, Losses& losses)
      : rank_(static_cast<std::uint32_t>(rank)), text_(out), losses_(losses) {}

  void begin(const std::string& groups) {
    text_.metadata();
    if (groups.empty()) return;
    text_.begin(ChakraType::kMetadata, "process groups", {});
    text_.input_values(groups);
    text_.end();
  }

  /// The end of the rank. What it has waited for at last needs a node that waits.
  void end() {
    if (waits_) compute(0);
  }

  void compute(std::uint64_t nanos) {
    // Rounded so that the sum of all durations is never a microsecond away from the truth.
    constexpr std::uint64_t kNanosPerMicro = 1000;
    const std::uint64_t micros = nanos / kNanosPerMicro + (left_ + nanos % kNanosPerMicro) / kNanosPerMicro;
    left_ = (left_ + nanos % kNanosPerMicro) % kNanosPerMicro;
    text_.begin(ChakraType::kCompute, "compute", needs_);
    text_.duration_micros(micros);
    text_.attribute_bool("is_cpu_op", false);
    if (nanos == 0 || saturating_multiply(micros, kNanosPerMicro) != nanos) {
      losses_.add("durations are rounded to microseconds",
                  "Chakra has no smaller unit; the attribute duration_nanos is exact", nanos != 0);
      text_.attribute_uint64(kChakraNanos, nanos);
    }
    needs_ = {text_.end()};
    waits_ = false;
  }

  void send(const Entry& message) {
    text_.begin(ChakraType::kSend, "send to " + std::to_string(message.peer), needs_);
    put_message(rank_, message.peer, message);
    text_.end();
  }

  void receive(const Entry& message, bool is_awaited) {
    text_.begin(ChakraType::kReceive, "receive from " + std::to_string(message.peer), needs_);
    put_message(message.peer, rank_, message);
    const std::uint64_t id = text_.end();
    if (!is_awaited) return;
    needs_ = {id};
    waits_ = true;
  }

  void enter(const Entry& part) {
    const auto type = static_cast<ChakraCollective>(part.type);
    text_.begin(ChakraType::kCollective, "collective " + std::to_string(part.id), needs_);
    text_.attribute_bool("is_cpu_op", false);
    text_.attribute_int64("comm_type", static_cast<std::uint64_t>(type));
    text_.attribute_int64("comm_size", part.size);
    if (part.peer != 0) text_.attribute("pg_name", std::to_string(part.peer));
    if (part.tag != kNoRoot) text_.attribute_int32(kChakraRoot, part.tag);
    entered_[part.id] = text_.end();
  }

  void await_collective(std::uint64_t id) {
    const auto found = entered_.find(id);
    if (found == entered_.end()) return;  // waited for before
    needs_.push_back(found->second);
    waits_ = true;
    entered_.erase(found);
  }

 private:
  void put_message(std::uint32_t source, std::uint32_t destination, const Entry& message) {
    text_.attribute_bool("is_cpu_op", false);
    text_.attribute_int32("comm_src", source);
    text_.attribute_int32("comm_dst", destination);
    text_.attribute_int32("comm_tag", message.tag);
    text_.attribute_int64("comm_size", message.size);
  }

  std::uint32_t rank_;
  ChakraText text_;
  Losses& losses_;
  std::vector<std::uint64_t> needs_;                          // what the next node waits for
  bool waits_ = false;                                        // and has not been computing since
  std::unordered_map<std::uint64_t, std::uint64_t> entered_;  // node of a collective not waited for
  std::uint64_t left_ = 0;                                    // nanoseconds that rounding has left out
};

class ChakraWriter final : public formats::TraceWriter {
 public:
  ChakraWriter(std::string path, const formats::TraceReader& trace, Losses& losses)
      : path_(std::move(path)),
        prefix_(path_.ends_with(kEnding) ? path_.substr(0, path_.size() - kEnding.size()) : path_),
        header_(trace.header()),
        communicators_(trace.communicators()),
        losses_(losses),
        spool_(path_, communicators_.front().size()),
        computing_(header_, "Chakra", losses),
        collectives_(communicators_) {}

  Status write(const Record& record) override {
    if (record.answer)
      return refuse("message " + std::to_string(record.id) +
                    " is an answer of one-sided communication; Chakra's traces have none");
    if (record.dep == DepKind::kReceive) put(record.task, {Entry::kAwaitMessage, 0, 0, 0, record.dep_id, 0});
    if (record.dep == DepKind::kCollective)
      put(record.task, {Entry::kAwaitCollective, 0, 0, 0, record.dep_id, 0});
    const auto nanos = to_nanoseconds(computing_.before(record), header_.clock,
                                      "the durations that are written have no smaller unit", losses_);
    if (!nanos) return refuse(nanos.error().message);
    if (*nanos != 0) put(record.task, {Entry::kCompute, 0, 0, 0, 0, *nanos});
    if (record.kind == RecordKind::kMessage) write_message(record);
    if (record.kind == RecordKind::kCollective) return write_collective(record);
    return status_;
  }

  Status finish() override {
    if (Status status = collectives_.finish(); !status) return refuse(status.error().message);
    if (const auto highest = highest_chakra_rank(prefix_, std::string(kEnding));
        highest >= static_cast<std::int64_t>(header_.tasks))
      return refuse(file_of(static_cast<std::size_t>(highest)) +
                    " is there, of a trace with more ranks; expected no such file");
    find_groups();
    Status status;
    std::size_t written = 0;
    while (status && written < communicators_.front().size()) status = write_rank(written++);
    if (status) return status;
    // Some ranks without the others would be no trace.
    for (std::size_t rank = 0; rank + 1 < written; ++rank) {
      std::error_code ignored;
      std::filesystem::remove(file_of(rank), ignored);
    }
    return status;
  }

 private:
  Error refuse(const std::string& message) const { return input_error(path_, 0, message); }
  std::string file_of(std::size_t rank) const {
    return prefix_ + "." + std::to_string(rank) + std::string(kEnding);
  }

  void put(formats::TaskId task, const Entry& entry) {
    if (status_) status_ = spool_.append(static_cast<std::size_t>(task), entry.text());
  }

  void write_message(const Record& record) {
    const auto source = static_cast<std::uint32_t>(record.task);
    const auto destination = static_cast<std::uint32_t>(record.peer);
    put(record.task, {Entry::kSend, 0, destination, tag_, record.id, record.send_bytes});
    put(record.peer, {Entry::kIncoming, 0, source, tag_, record.id, record.send_bytes});
    tag_ = (tag_ + 1) & 0x7fffffffU;
  }

  Status write_collective(const Record& record) {
    put(record.task, {Entry::kEnter, 0, 0, 0, record.id, 0});
    const auto whole = collectives_.add(record, 0);
    if (!whole) return refuse(whole.error().message);
    return *whole ? write_parts(**whole) : status_;
  }

  Status write_parts(const OpenCollectives::Whole& whole) {
    const auto& members = communicators_[static_cast<std::size_t>(whole.comm)];
    const WholeCollective& call = whole.call;
    const auto root_of = [&](const std::vector<std::uint64_t>& sizes) {
      const auto found =
          std::find_if(sizes.begin(), sizes.end(), [](std::uint64_t size) { return size != 0; });
      const auto index = found == sizes.end() ? 0 : found - sizes.begin();
      return static_cast<std::uint32_t>(members[static_cast<std::size_t>(index)]);
    };
    std::uint32_t root = kNoRoot;
    if (call.op == CollectiveOp::kBroadcast || call.op == CollectiveOp::kScatter)
      root = root_of(call.send_bytes);
    if (call.op == CollectiveOp::kReduce || call.op == CollectiveOp::kGather) root = root_of(call.recv_bytes);
    const std::vector<std::uint64_t>& parts = call.recv_bytes;
    if (call.op == CollectiveOp::kReduceScatter &&
        std::any_of(parts.begin(), parts.end(), [&](std::uint64_t part) { return part != parts[0]; })) {
      losses_.add("reduce-scatters have parts of one size",
                  "a node of Chakra names the size of the whole operation only");
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint64_t size = own_size(call, i);
      if (size > static_cast<std::uint64_t>(kNever))
        return refuse("G" + std::to_string(whole.id) + " has more than 2^63 - 1 bytes; expected less");
      put(members[i], {Entry::kPart, static_cast<std::uint8_t>(type_of(call.op)),
                       static_cast<std::uint32_t>(whole.comm), root, whole.id, size});
    }
    return status_;
  }

  /// comm_size: what a member contributes; in a scatter what it gets; in an all-to-all its total.
  static std::uint64_t own_size(const WholeCollective& call, std::size_t member) {
    const std::uint64_t send = call.send_bytes[member];
    const std::uint64_t recv = call.recv_bytes[member];
    switch (call.op) {
      case CollectiveOp::kBroadcast:
      case CollectiveOp::kReduce:
        return std::max(send, recv);
      case CollectiveOp::kScatter:
        return recv;
      case CollectiveOp::kAlltoall:
        return recv == 0 ? saturating_multiply(send, call.send_bytes.size()) : send;
      default:
        return send;
    }
  }

  void find_groups() {
    groups_of_.resize(communicators_.front().size());
    for (std::size_t comm = 1; comm < communicators_.size(); ++comm) {
      for (const formats::TaskId task : communicators_[comm])
        groups_of_[static_cast<std::size_t>(task)].push_back(comm);
    }
  }

  /// The groups of a rank as PyTorch lists them: a list with one text, which is JSON.
  std::string groups_text(std::size_t rank) const {
    std::string text;
    for (const std::size_t comm : groups_of_[rank]) {
      text += (text.empty() ? "['[{\"pg_name\": \"" : ", {\"pg_name\": \"") + std::to_string(comm) +
              "\", \"ranks\": [";
      for (const formats::TaskId task : communicators_[comm])
        text += (text.back() == '[' ? "" : ", ") + std::to_string(task);
      text += "]}";
    }
    return text.empty() ? text : text + "]']";
  }

  Status write_rank(std::size_t rank);

  std::string path_;
  std::string prefix_;
  formats::TraceHeader header_;
  formats::Communicators communicators_;
  Losses& losses_;
  TaskSpool spool_;
  ComputingTime computing_;
  OpenCollectives collectives_;
  std::vector<std::vector<std::size_t>> groups_of_;  // by task
  std::uint32_t tag_ = 0;
  Status status_;
};

Status ChakraWriter::write_rank(std::size_t rank) {
  constexpr std::size_t kBlockBytes = 1 << 20;
  const auto text = spool_.take(rank);
  if (!text) return text.error();
  std::unordered_map<std::uint64_t, Entry> incoming;  // by message; those not received yet
  std::unordered_map<std::uint64_t, Entry> parts;     // by collective
  std::vector<std::uint64_t> order;                   // of messages
  for (std::size_t at = 0; at < text->size();) {
    const Entry entry = Entry::take(*text, at);
    if (entry.kind == Entry::kPart) parts[entry.id] = entry;
    if (entry.kind != Entry::kIncoming) continue;
    incoming[entry.id] = entry;
    order.push_back(entry.id);
  }
  auto file = formats::OutputFile::create(file_of(rank));
  if (!file) return file.error();
  std::string out;
  RankGraph graph(rank, out, losses_);
  graph.begin(groups_text(rank));
  const auto receive = [&](std::uint64_t id, bool is_awaited) {
    const auto found = incoming.find(id);
    if (found == incoming.end()) return;  // received before
    graph.receive(found->second, is_awaited);
    incoming.erase(found);
  };
  for (std::size_t at = 0; at < text->size();) {
    const Entry entry = Entry::take(*text, at);
    if (entry.kind == Entry::kCompute) graph.compute(entry.size);
    if (entry.kind == Entry::kSend) graph.send(entry);
    if (entry.kind == Entry::kEnter) graph.enter(parts[entry.id]);
    if (entry.kind == Entry::kAwaitMessage) receive(entry.id, true);
    if (entry.kind == Entry::kAwaitCollective) graph.await_collective(entry.id);
    if (out.size() < kBlockBytes) continue;
    if (Status status = (*file)->write(out); !status) return status;
    out.clear();
  }
  graph.end();
  for (const std::uint64_t id : order) receive(id, false);
  if (Status status = (*file)->write(out); !status) return status;
  return (*file)->commit();
}

}  // namespace

Result<std::unique_ptr<formats::TraceWriter>> create_chakra(const std::string& path,
                                                            const formats::TraceReader& trace,
                                                            Losses& losses) {
  note_metadata(trace, losses);
  return std::unique_ptr<formats::TraceWriter>(new ChakraWriter(path, trace, losses));
}

}  // namespace vef::neighbours
