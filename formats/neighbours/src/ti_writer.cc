// SPDX-License-Identifier: Apache-2.0
// From VEF records to time-independent traces: OUT is the index, OUT_files/<rank>.txt are the ranks.
//
// Time becomes `compute`. A message is an `isend`, so that no sender waits, which VEF does not know; its
// `recv` stands where the destination first waits for it, or at the end. Collectives of the world that the
// task waits for at once stand where it enters them, others where it waits; those of other communicators
// become messages.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "byte_file.h"
#include "computing_time.h"
#include "expanded.h"
#include "metadata_loss.h"
#include "named_files.h"
#include "open_collectives.h"
#include "task_spool.h"
#include "ti.h"
#include "ti_calls.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;

namespace {

// A rank's lines wait in a spool without the rank in front. Those that begin with one of these say what is
// known elsewhere or later.
constexpr char kMessageIn = '<';   // "<id source tag count type": a message to the rank
constexpr char kAwaited = '?';     // "?id": here the rank waits for it
constexpr char kCollective = '@';  // "@id": here the rank does its part
constexpr char kCall = '=';        // "=id line": a line of that part

class TiWriter final : public formats::TraceWriter {
 public:
  TiWriter(std::string path, const formats::TraceReader& trace, const Options& options, Losses& losses)
      : path_(std::move(path)),
        header_(trace.header()),
        communicators_(trace.communicators()),
        options_(options),
        losses_(losses),
        spool_(path_, communicators_.front().size()),
        tasks_(communicators_.front().size()),
        computing_(header_, "SimGrid", losses),
        collectives_(communicators_) {}

  Status write(const Record& record) override {
    if (record.answer)
      return refuse("message " + std::to_string(record.id) +
                    " is an answer of one-sided communication; SimGrid's traces have none");
    Task& task = tasks_[static_cast<std::size_t>(record.task)];
    if (record.dep == DepKind::kReceive) put(record.task, kAwaited + std::to_string(record.dep_id));
    if (record.dep == DepKind::kCollective || task.entered_last) settle_collectives(record);
    compute(record);
    task.entered_last = record.kind == RecordKind::kCollective;
    if (record.kind == RecordKind::kMessage) write_message(record);
    if (record.kind == RecordKind::kCollective) write_collective(record);
    return status_;
  }

  Status finish() override {
    if (Status status = collectives_.finish(); !status) return refuse(status.error().message);
    const auto created = create_files_folder(path_);
    if (!created) return created.error();
    const std::filesystem::path folder = *created;
    auto index = formats::OutputFile::create(path_);
    if (!index) return index.error();
    for (std::size_t rank = 0; rank < tasks_.size(); ++rank) {
      const std::string name = std::to_string(rank) + ".txt";
      if (Status status = write_rank(rank, (folder / name).string()); !status) return status;
      if (Status status = (*index)->write((folder.filename() / name).string() + "\n"); !status) return status;
    }
    return (*index)->commit();
  }

 private:
  struct Task {
    std::vector<std::uint64_t> entered;  // collectives whose lines are still to come, in order
    bool entered_last = false;           // by the record before
  };

  Error refuse(const std::string& message) const { return input_error(path_, 0, message); }

  void put(formats::TaskId task, const std::string& line) {
    if (status_) status_ = spool_.append(static_cast<std::size_t>(task), line + "\n");
  }

  void compute(const Record& record) {
    const std::uint64_t time = computing_.before(record);
    if (time == 0) return;
    const double seconds =
        static_cast<double>(time) * static_cast<double>(header_.clock) / static_cast<double>(kPicosPerSecond);
    // Rounded to 15 digits, so that whole nanoseconds come out as whole numbers.
    char text[32];
    const auto end = std::to_chars(text, text + sizeof(text), seconds * options_.flops_per_second,
                                   std::chars_format::general, 15)
                         .ptr;
    put(record.task, "compute " + std::string(text, end));
  }

  void write_message(const Record& record) {
    const auto units = ti_units(record.send_bytes);
    if (!units) return fail(refuse("message " + std::to_string(record.id) + ": " + units.error().message));
    if (record.send_bytes % units->bytes != 0) say_rounded();
    const std::string rest = " " + std::to_string(next_tag()) + " " +
                             std::to_string(units->count(record.send_bytes)) + " " +
                             std::to_string(units->type);
    put(record.task, "isend " + std::to_string(record.peer) + rest);
    put(record.peer, kMessageIn + std::to_string(record.id) + " " + std::to_string(record.task) + rest);
  }

  void say_rounded() {
    losses_.add("sizes of 2 GiB and more are rounded up to 8 bytes", "SimGrid counts elements with 31 bits");
  }

  void fail(const Error& error) {
    if (status_) status_ = error;
  }

  std::uint32_t next_tag() { return std::exchange(tag_, (tag_ + 1) & 0x7fffffffU); }

  /// Puts the collectives that the task has entered and that `record` waits for, older ones included, for
  /// their order is the same at all ranks.
  void settle_collectives(const Record& record) {
    Task& task = tasks_[static_cast<std::size_t>(record.task)];
    const bool waits = record.dep == DepKind::kCollective;
    const auto found =
        waits ? std::find(task.entered.begin(), task.entered.end(), record.dep_id) : task.entered.end();
    if (task.entered_last && found != task.entered.end() - 1)
      losses_.add("parts in non-blocking collectives are done where they are waited for",
                  "SimGrid's traces have blocking ones only");
    if (!waits || found == task.entered.end()) return;
    for (auto it = task.entered.begin(); it <= found; ++it)
      put(record.task, kCollective + std::to_string(*it));
    task.entered.erase(task.entered.begin(), found + 1);
  }

  void write_collective(const Record& record) {
    tasks_[static_cast<std::size_t>(record.task)].entered.push_back(record.id);
    auto whole = collectives_.add(record, 0);
    if (!whole) return fail(refuse(whole.error().message));
    if (!*whole) return;
    const auto& members = communicators_[static_cast<std::size_t>(record.comm)];
    if (members.size() != tasks_.size()) return expand(**whole, members);
    // A communicator of all tasks may have them in another order than the world, which SimGrid knows alone.
    WholeCollective call = (*whole)->call;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto task = static_cast<std::size_t>(members[i]);
      call.send_bytes[task] = (*whole)->call.send_bytes[i];
      call.recv_bytes[task] = (*whole)->call.recv_bytes[i];
    }
    bool rounded = false;
    const auto calls = ti_calls(call, rounded);
    if (!calls) return fail(refuse("G" + std::to_string(record.id) + ": " + calls.error().message));
    if (rounded) say_rounded();
    for (std::size_t i = 0; i < members.size(); ++i) {
      put(static_cast<formats::TaskId>(i), kCall + std::to_string(record.id) + " " + calls->line(i));
    }
  }

  void expand(const OpenCollectives::Whole& whole, const std::vector<formats::TaskId>& members) {
    if (!options_.expand)
      return fail(usage_error(
          path_ + ": SimGrid's traces have collectives of all ranks only; expected a way to expand others"));
    losses_.add("parts in collectives of other communicators are written as messages",
                "SimGrid's traces have the world only", members.size());
    const auto steps = expand_all(whole.call, options_.expand);
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::string prefix = kCall + std::to_string(whole.id) + " ";
      std::unordered_map<std::int64_t, std::uint32_t> counts;  // by peer; receives below 0
      std::vector<std::string> receives;                       // of the round: after its sends
      for (const CollectiveStep& step : steps[i]) {
        const std::uint32_t k = counts[step.is_send ? step.peer : -1 - std::int64_t{step.peer}]++;
        most = std::max(most, k + 1);
        const auto units = ti_units(step.bytes);
        if (!units) return fail(refuse("G" + std::to_string(whole.id) + ": " + units.error().message));
        std::string line = prefix + (step.is_send ? "isend " : "recv ") +
                           std::to_string(members[static_cast<std::size_t>(step.peer)]) + " " +
                           std::to_string((tag_ + k) & 0x7fffffffU) + " " +
                           std::to_string(units->count(step.bytes)) + " " + std::to_string(units->type);
        if (step.is_send) {
          put(members[i], line);
        } else {
          receives.push_back(std::move(line));
        }
        if (!step.ends_round) continue;
        for (const std::string& receive : receives) put(members[i], receive);
        receives.clear();
      }
    }
    tag_ = (tag_ + most) & 0x7fffffffU;
  }

  Status write_rank(std::size_t rank, const std::string& path);

  std::string path_;
  formats::TraceHeader header_;
  formats::Communicators communicators_;
  Options options_;
  Losses& losses_;
  TaskSpool spool_;
  std::vector<Task> tasks_;
  ComputingTime computing_;
  OpenCollectives collectives_;
  std::uint32_t tag_ = 0;
  Status status_;
};

/// Calls `use` with each line.
template <class Use>
void for_each_line(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    use(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

/// "<id rest": the id; `line` becomes the rest.
std::uint64_t take_id(std::string_view& line) {
  std::uint64_t id = 0;
  const char* const begin = line.data() + 1;
  const char* const end = std::from_chars(begin, line.data() + line.size(), id).ptr;
  line.remove_prefix(std::min(line.size(), static_cast<std::size_t>(end - line.data()) + 1));
  return id;
}

Status TiWriter::write_rank(std::size_t rank, const std::string& path) {
  const auto text = spool_.take(rank);
  if (!text) return text.error();
  struct Incoming {
    std::string_view arguments;
    bool received = false;
  };
  std::unordered_map<std::uint64_t, Incoming> incoming;
  std::unordered_map<std::uint64_t, std::vector<std::string_view>> calls;
  for_each_line(*text, [&](std::string_view line) {
    if (line.front() == kMessageIn) {
      const std::uint64_t id = take_id(line);
      incoming[id] = {line, false};
    } else if (line.front() == kCall) {
      calls[take_id(line)].push_back(line);
    }
  });
  const std::string prefix = std::to_string(rank) + " ";
  std::string out = prefix + "init\n";
  const auto put_line = [&](std::string_view a, std::string_view b = {}) {
    out.append(prefix).append(a).append(b).append("\n");
  };
  const auto put_call = [&](std::uint64_t id) {
    for (const std::string_view line : calls[id]) put_line(line);
  };
  Status status;
  for_each_line(*text, [&](std::string_view line) {
    const char kind = line.front();
    if (kind == kAwaited) {
      const auto found = incoming.find(take_id(line));
      if (found == incoming.end()) {
        status = refuse("task " + std::to_string(rank) +
                        " waits for a message that does not exist; `vef check` says more");
      } else if (!std::exchange(found->second.received, true)) {
        put_line("recv ", found->second.arguments);
      }
    } else if (kind == kCollective) {
      put_call(take_id(line));
    } else if (kind != kMessageIn && kind != kCall) {
      put_line(line);
    }
  });
  if (!status) return status;
  for (const std::uint64_t id : tasks_[rank].entered) put_call(id);
  for_each_line(*text, [&](std::string_view line) {
    if (line.front() != kMessageIn) return;
    Incoming& message = incoming[take_id(line)];
    if (!std::exchange(message.received, true)) put_line("recv ", message.arguments);
  });
  put_line("waitall");
  put_line("finalize");
  auto file = formats::OutputFile::create(path);
  if (!file) return file.error();
  if (Status written = (*file)->write(out); !written) return written;
  return (*file)->commit();
}

}  // namespace

Result<std::unique_ptr<formats::TraceWriter>> create_ti(const std::string& path,
                                                        const formats::TraceReader& trace,
                                                        const Options& options, Losses& losses) {
  note_metadata(trace, losses);
  return std::unique_ptr<formats::TraceWriter>(new TiWriter(path, trace, options, losses));
}

}  // namespace vef::neighbours
