// SPDX-License-Identifier: Apache-2.0
// From VEF records to a Paraver trace. A trace has no absolute times: those of an ideal network are written
// (ideal_clock.h). A message is an MPI_Isend, and an MPI_Wait where its destination first waits for it; what
// nothing waits for arrives in MPI_Finalize. A collective that its task does not wait for at once is
// non-blocking, and its end, being no call of Paraver's, an MPI_Wait.
//
// Lines are sorted by time, those of one time by when their records fired: so what an event depends on stands
// before it.
#include "paraver_writer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "byte_file.h"
#include "byte_sink.h"
#include "collective_flow.h"
#include "ideal_clock.h"
#include "metadata_loss.h"
#include "paraver.h"
#include "paraver_labels.h"
#include "sorted_lines.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::CollectiveOp;
using formats::DepKind;
using formats::Record;
using formats::RecordKind;
using formats::TaskId;

namespace {

/// The value of the event that a collective is.
std::uint64_t value_of(const Record& part, bool blocks) {
  constexpr std::uint64_t kBlocking[formats::kCollectiveOps] = {7, 9, 10, 14, 16, 18, 8, 11, 80, 30, 214};
  constexpr std::uint64_t kOthers[formats::kCollectiveOps] = {157, 154, 155, 163, 165, 161,
                                                              156, 158, 166, 167, 215};
  if (part.op == CollectiveOp::kAlltoall && part.recv_bytes == 1) return blocks ? 12 : 159;
  return (blocks ? kBlocking : kOthers)[static_cast<std::size_t>(part.op)];
}

bool is_root(const Record& part) {
  const Flow flow = flow_of(part.op);
  return (flow == Flow::kFromRoot && part.send_bytes != 0) || (flow == Flow::kToRoot && part.recv_bytes != 0);
}

/// `path` without its ending.
std::string stem_of(std::string path) {
  for (const std::string_view ending : {".gz", ".zst", ".prv"}) {
    if (path.ends_with(ending)) path.resize(path.size() - ending.size());
  }
  return path;
}

class ParaverWriter final : public formats::TraceWriter {
 public:
  ParaverWriter(std::string path, const formats::TraceReader& trace, std::unique_ptr<formats::ByteSink> sink,
                Losses& losses)
      : path_(std::move(path)),
        clock_ps_(trace.header().clock),
        communicators_(trace.communicators()),
        losses_(losses),
        sink_(std::move(sink)),
        lines_(path_),
        tasks_(communicators_.front().size()),
        clock_(trace, [this](const IdealClock::Fired& fired) { draw(fired); }) {
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      call(static_cast<TaskId>(i), 0, 0, paraver::kOther, paraver::kInit);
  }

  Status write(const Record& record) override {
    if (record.answer)
      return input_error(path_, 0,
                         "message " + std::to_string(record.id) +
                             " is an answer of one-sided communication; a Paraver trace has none");
    if (Status status = clock_.add(record); !status) return input_error(path_, 0, status.error().message);
    return status_;
  }

  Status finish() override {
    if (Status status = clock_.finish(); !status) return input_error(path_, 0, status.error().message);
    for (const auto& [id, message] : in_flight_) {
      Task& task = at(message.destination);
      task.last_arrival = std::max(task.last_arrival, message.time);
    }
    for (const auto& [id, message] : in_flight_) {
      const Task& task = at(message.destination);
      arrive(message, task.time, std::max(task.time, task.last_arrival));
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const auto task = static_cast<TaskId>(i);
      Task& state = at(task);
      close_collective(task, state.collective_time, true);
      call(task, state.time, std::max(state.time, state.last_arrival), paraver::kOther, paraver::kFinalize);
    }
    if (!status_) return status_;
    if (Status status = write_file(); !status) return status;
    auto labels = write_beside(".pcf", paraver::pcf());
    if (!labels) return labels.error();
    auto names = write_beside(".row", paraver::row(tasks_.size()));
    if (!names) return names.error();
    if (Status status = sink_->finish(); !status) return status;
    if (Status status = (*labels)->commit(); !status) return status;
    return (*names)->commit();
  }

 private:
  struct Message {
    TaskId source = 0;
    TaskId destination = 0;
    std::uint64_t bytes = 0;
    std::uint64_t time = 0;
    std::uint64_t order = 0;
  };
  struct Task {
    std::uint64_t time = 0;
    std::uint64_t last_arrival = 0;  // of what nothing waits for
    bool in_collective = false;      // with its last record
    Record collective;
    std::uint64_t collective_time = 0;
    std::uint64_t collective_order = 0;
  };

  Task& at(TaskId task) { return tasks_[static_cast<std::size_t>(task)]; }

  std::uint64_t nanoseconds(std::uint64_t units) {
    constexpr std::uint64_t kPicos = 1000;
    const std::uint64_t picos = saturating_multiply(units, clock_ps_);
    if (picos > static_cast<std::uint64_t>(kNever) && status_)
      status_ =
          input_error(path_, 0, "a time of " + std::to_string(units) + " units; expected less than 2^63 ps");
    losses_.add("times are rounded to nanoseconds", "a Paraver trace has that unit",
                picos % kPicos != 0 ? 1 : 0);
    return picos / kPicos;
  }

  void put(std::uint64_t time, std::uint64_t order, const std::string& text) {
    if (!status_) return;
    end_ = std::max(end_, time);
    status_ = lines_.add({time, order}, text);
  }

  /// cpu:application:task:thread
  static std::string place(TaskId task) {
    const std::string number = std::to_string(task + 1);
    return number + ":1:" + number + ":1";
  }

  static std::string event(TaskId task, std::uint64_t time, std::uint64_t type, std::uint64_t value) {
    return "2:" + place(task) + ":" + std::to_string(time) + ":" + std::to_string(type) + ":" +
           std::to_string(value);
  }

  /// `more`: further events at the beginning.
  void call(TaskId task, std::uint64_t begin, std::uint64_t end, std::uint64_t type, std::uint64_t value,
            const std::string& more = "") {
    call(task, begin, end, type, value, more, next_order_++);
  }
  void call(TaskId task, std::uint64_t begin, std::uint64_t end, std::uint64_t type, std::uint64_t value,
            const std::string& more, std::uint64_t order) {
    const std::uint64_t from = nanoseconds(begin);
    const std::uint64_t to = nanoseconds(end);
    put(from, order, event(task, from, type, value) + more + "\n");
    put(to, next_order_++, event(task, to, type, 0) + "\n");
  }

  void state(TaskId task, std::uint64_t begin, std::uint64_t end, int kind) {
    if (begin == end) return;
    const std::uint64_t from = nanoseconds(begin);
    put(from, next_order_++,
        "1:" + place(task) + ":" + std::to_string(from) + ":" + std::to_string(nanoseconds(end)) + ":" +
            std::to_string(kind) + "\n");
  }

  void arrive(const Message& message, std::uint64_t waits, std::uint64_t received) {
    const std::uint64_t sent = nanoseconds(message.time);
    put(sent, message.order,
        "3:" + place(message.source) + ":" + std::to_string(sent) + ":" + std::to_string(sent) + ":" +
            place(message.destination) + ":" + std::to_string(nanoseconds(waits)) + ":" +
            std::to_string(nanoseconds(received)) + ":" + std::to_string(message.bytes) + ":0\n");
  }

  void draw(const IdealClock::Fired& fired) {
    const Record& record = fired.record;
    Task& task = at(record.task);
    const bool ends = record.dep == DepKind::kCollective && task.collective.id == record.dep_id;
    if (task.in_collective) {
      close_collective(record.task, ends ? fired.event : task.collective_time, ends);
    } else if (record.dep == DepKind::kCollective && fired.event != fired.ready) {
      state(record.task, fired.ready, fired.event, paraver::kWaiting);
      call(record.task, fired.ready, fired.event, paraver::kPointToPoint, paraver::kWait);
    }
    if (record.dep == DepKind::kReceive) wait(fired);
    state(record.task, fired.event, fired.time, paraver::kRunning);
    task.time = fired.time;
    if (record.kind == RecordKind::kMessage) {
      call(record.task, fired.time, fired.time, paraver::kPointToPoint, paraver::kIsend);
      in_flight_[record.id] = {record.task, record.peer, record.send_bytes, fired.time, next_order_++};
    } else if (record.kind == RecordKind::kCollective) {
      task.in_collective = true;
      task.collective = record;
      task.collective_time = fired.time;
      task.collective_order = next_order_++;
    }
  }

  void wait(const IdealClock::Fired& fired) {
    const auto found = in_flight_.find(fired.record.dep_id);
    if (found == in_flight_.end()) return;  // waited for before
    arrive(found->second, fired.ready, fired.event);
    in_flight_.erase(found);
    state(fired.record.task, fired.ready, fired.event, paraver::kWaiting);
    call(fired.record.task, fired.ready, fired.event, paraver::kPointToPoint, paraver::kWait);
  }

  void close_collective(TaskId index, std::uint64_t end, bool blocks) {
    Task& task = at(index);
    if (!std::exchange(task.in_collective, false)) return;
    const Record& part = task.collective;
    losses_.add("waits for non-blocking collectives are not kept",
                "a Paraver trace does not say which call waits", blocks ? 0 : 1);
    std::string more = ":" + std::to_string(paraver::kSendSize) + ":" + std::to_string(part.send_bytes) +
                       ":" + std::to_string(paraver::kRecvSize) + ":" + std::to_string(part.recv_bytes) +
                       ":" + std::to_string(paraver::kComm) + ":" + std::to_string(part.comm + 1);
    if (is_root(part)) more += ":" + std::to_string(paraver::kRoot) + ":1";
    state(index, task.collective_time, end, paraver::kGroup);
    call(index, task.collective_time, end, paraver::kCollective, value_of(part, blocks), more,
         task.collective_order);
  }

  std::string header() const {
    const std::string tasks = std::to_string(tasks_.size());
    std::string text =
        "#Paraver (01/01/1970 at 00:00):" + std::to_string(end_) + "_ns:1(" + tasks + "):1:" + tasks + "(";
    for (std::size_t i = 0; i < tasks_.size(); ++i) text += i == 0 ? "1:1" : ",1:1";
    text += ")," + std::to_string(communicators_.size()) + "\n";
    for (std::size_t i = 0; i < communicators_.size(); ++i) {
      text += "c:1:" + std::to_string(i + 1) + ":" + std::to_string(communicators_[i].size());
      for (const TaskId member : communicators_[i]) text += ":" + std::to_string(member + 1);
      text += "\n";
    }
    return text;
  }

  Status write_file() {
    constexpr std::size_t kBlockBytes = 1 << 20;
    std::string text = header();
    const auto flush = [&]() -> Status {
      Status status = sink_->write_block(text);
      text.clear();
      return status;
    };
    Status status = lines_.take([&](std::string_view line) -> Status {
      text += line;
      return text.size() > kBlockBytes ? flush() : Status{};
    });
    return status ? flush() : status;
  }

  /// A file that only has to be committed.
  Result<std::unique_ptr<formats::OutputFile>> write_beside(const char* ending, const std::string& text) {
    auto file = formats::OutputFile::create(stem_of(path_) + ending);
    if (!file) return file.error();
    if (Status status = (*file)->write(text); !status) return status.error();
    return file;
  }

  std::string path_;
  std::uint64_t clock_ps_;
  formats::Communicators communicators_;
  Losses& losses_;
  std::unique_ptr<formats::ByteSink> sink_;
  SortedLines lines_;
  std::vector<Task> tasks_;
  std::unordered_map<std::uint64_t, Message> in_flight_;  // that nothing has waited for
  std::uint64_t next_order_ = 0;
  std::uint64_t end_ = 0;
  Status status_;
  IdealClock clock_;
};

}  // namespace

Result<std::unique_ptr<formats::TraceWriter>> create_paraver(const std::string& path,
                                                             const formats::TraceReader& trace,
                                                             const Options& options, Losses& losses) {
  if (Status status = need_order(path, trace); !status) return status.error();
  note_metadata(trace, losses);
  auto sink = formats::ByteSink::create(path, options.level);
  if (!sink) return sink.error();
  return std::unique_ptr<formats::TraceWriter>(new ParaverWriter(path, trace, std::move(*sink), losses));
}

}  // namespace vef::neighbours
