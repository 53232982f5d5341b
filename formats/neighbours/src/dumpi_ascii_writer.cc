// SPDX-License-Identifier: Apache-2.0
// From VEF records to DUMPI's traces as text: OUT is a .meta, OUT_files/rank-<four digits>.txt is what
// `dumpi2ascii -HSX` prints of a rank. sst-dumpi's ascii2dumpi makes the binary files of them that OUT names.
//
// A trace has no absolute times: those of an ideal network are written (ideal_clock.h). A message is an
// MPI_Isend whose request is freed at once, so that no sender waits, which VEF does not know; its MPI_Recv
// stands where the destination first waits for it, or at the end. DUMPI has blocking collectives only: they
// stand where the task waits for them. Communicators are made at the beginning.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "byte_file.h"
#include "computing_time.h"
#include "dumpi_ascii.h"
#include "format_list.h"
#include "ideal_clock.h"
#include "metadata_loss.h"
#include "named_files.h"
#include "open_collectives.h"
#include "task_spool.h"

namespace vef::neighbours {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;
using formats::TaskId;

namespace {

/// What a task does, in the spool; behind kArguments come `bytes` of text.
struct Event {
  enum Kind : std::uint8_t { kSent, kReceived, kCollective, kArguments };

  Kind kind = kSent;
  std::uint64_t begin = 0;  // nanoseconds
  std::uint64_t end = 0;
  TaskId peer = 0;
  std::uint64_t id = 0;  // the tag, or the collective's number
  std::uint64_t bytes = 0;
};
static_assert(std::is_trivially_copyable_v<Event>);

/// The calls of one rank.
class RankText {
 public:
  explicit RankText(DumpiText& text) : text_(text) {}

  void init() {
    text_.entering("MPI_Init", 0).number("argc", 0).text("string argv[0]=<IGNORED>\n");
    text_.returning("MPI_Init", 0);
  }

  void finalize(std::uint64_t time) { text_.entering("MPI_Finalize", time).returning("MPI_Finalize", time); }

  /// Each communicator beyond the world is made of a group of it, which keeps the order of its members.
  void make_communicators(const formats::Communicators& communicators, TaskId rank) {
    if (communicators.size() == 1) return;
    text_.entering("MPI_Comm_group", 0).comm("comm", dumpi::kWorld);
    text_.group("group", dumpi::kFirstGroup).returning("MPI_Comm_group", 0);
    for (std::size_t i = 1; i < communicators.size(); ++i) {
      const auto& members = communicators[i];
      const bool takes_part = std::find(members.begin(), members.end(), rank) != members.end();
      if (takes_part) {
        text_.entering("MPI_Group_incl", 0).group("group", dumpi::kFirstGroup);
        text_.number("count", members.size()).numbers("ranks", {members.begin(), members.end()});
        text_.group("newgroup", dumpi::kFirstGroup + i).returning("MPI_Group_incl", 0);
      }
      text_.entering("MPI_Comm_create", 0).comm("oldcomm", dumpi::kWorld);
      text_.group("group", takes_part ? dumpi::kFirstGroup + i : dumpi::kEmptyGroup);
      text_.comm("newcomm", takes_part ? number_of(i) : dumpi::kNoComm).returning("MPI_Comm_create", 0);
    }
  }

  void send(const Event& event) {
    text_.entering("MPI_Isend", event.begin);
    message(event, "dest").request(dumpi::kFirstRequest).returning("MPI_Isend", event.end);
    text_.entering("MPI_Request_free", event.end).request(dumpi::kFirstRequest);
    text_.returning("MPI_Request_free", event.end);
  }

  void receive(const Event& event) {
    text_.entering("MPI_Recv", event.begin);
    message(event, "source").no_status().returning("MPI_Recv", event.end);
  }

  /// `call`: its name, and a line for each argument.
  void collective(const Event& event, std::string_view call) {
    const std::string_view name = call.substr(0, call.find('\n'));
    text_.entering(name, event.begin).text(call.substr(name.size() + 1)).returning(name, event.end);
  }

  static std::uint64_t number_of(std::size_t comm) {
    return comm == 0 ? dumpi::kWorld : dumpi::kFirstComm + comm - 1;
  }

 private:
  DumpiText& message(const Event& event, const char* peer) {
    const auto units = element_units(event.bytes, "DUMPI");  // whether it has some was asked at the sending
    text_.number("count", units->count(event.bytes)).datatype("datatype", dumpi::type_of(*units));
    text_.number(peer, static_cast<std::uint64_t>(event.peer)).number("tag", event.id);
    return text_.comm("comm", dumpi::kWorld);
  }

  DumpiText& text_;
};

class DumpiAsciiWriter final : public formats::TraceWriter {
 public:
  DumpiAsciiWriter(std::string path, const formats::TraceReader& trace, Losses& losses)
      : path_(std::move(path)),
        clock_ps_(trace.header().clock),
        communicators_(trace.communicators()),
        losses_(losses),
        spool_(path_, communicators_.front().size()),
        tasks_(communicators_.front().size()),
        collectives_(communicators_),
        clock_(trace, [this](const IdealClock::Fired& fired) { take(fired); }) {}

  Status write(const Record& record) override {
    if (record.answer)
      return refuse("message " + std::to_string(record.id) +
                    " is an answer of one-sided communication; DUMPI's traces have none");
    if (record.kind == RecordKind::kCollective) add_arguments(record);
    if (Status status = clock_.add(record); !status) return refuse(status.error().message);
    return status_;
  }

  Status finish() override {
    if (Status status = clock_.finish(); !status) return refuse(status.error().message);
    if (Status status = collectives_.finish(); !status) return refuse(status.error().message);
    end_tasks();
    if (!status_) return status_;
    const auto folder = create_files_folder(path_);
    if (!folder) return folder.error();
    for (std::size_t rank = 0; rank < tasks_.size(); ++rank) {
      std::string number = std::to_string(rank);
      number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
      if (Status status = write_rank(rank, *folder + "/rank-" + number + ".txt"); !status) return status;
    }
    return write_meta(*folder);
  }

 private:
  struct Message {
    TaskId source = 0;
    TaskId destination = 0;
    std::uint64_t bytes = 0;
    std::uint64_t sent = 0;   // nanoseconds
    std::uint64_t order = 0;  // of its sending, among all
  };
  struct Task {
    std::uint64_t time = 0;              // nanoseconds
    std::vector<std::uint64_t> entered;  // collectives that are still to be written, in order
    bool entered_last = false;           // by the record before
    bool marked_last = false;            // the record before was a mark
  };

  Error refuse(const std::string& message) const { return input_error(path_, 0, message); }
  void fail(const Error& error) {
    if (status_) status_ = error;
  }
  Task& at(TaskId task) { return tasks_[static_cast<std::size_t>(task)]; }

  void put(TaskId task, const Event& event, std::string_view text = {}) {
    const auto rank = static_cast<std::size_t>(task);
    if (status_) status_ = spool_.append(rank, {reinterpret_cast<const char*>(&event), sizeof(event)});
    if (status_ && !text.empty()) status_ = spool_.append(rank, text);
  }

  std::uint64_t nanoseconds(std::uint64_t units) {
    const auto time = to_nanoseconds(units, clock_ps_, "DUMPI's traces have that unit", losses_);
    if (time) return *time;
    fail(refuse(time.error().message));
    return 0;
  }

  void add_arguments(const Record& record) {
    auto whole = collectives_.add(record, 0);
    if (!whole) return fail(refuse(whole.error().message));
    if (!*whole) return;
    const auto& members = communicators_[static_cast<std::size_t>(record.comm)];
    const auto number = RankText::number_of(static_cast<std::size_t>(record.comm));
    const auto calls = dumpi_collective((*whole)->call, number);
    if (!calls) return fail(refuse("G" + std::to_string(record.id) + ": " + calls.error().message));
    if (calls->rounded) say_rounded();
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::string text = std::string(calls->name) + "\n" + calls->arguments[i];
      put(members[i], {Event::kArguments, 0, 0, 0, record.id, text.size()}, text);
    }
  }

  void say_rounded() {
    losses_.add("sizes of 2 GiB and more are rounded up to 8 bytes", "DUMPI counts elements with 31 bits");
  }

  void take(const IdealClock::Fired& fired) {
    const Record& record = fired.record;
    Task& task = at(record.task);
    bool calls = false;
    if (record.dep == DepKind::kCollective || task.entered_last) calls = settle_collectives(fired);
    if (record.dep == DepKind::kReceive) calls = receive(fired);
    losses_.add("marks that no call follows are not kept", "DUMPI's traces have calls only",
                task.marked_last && !calls ? 1 : 0);
    task.time = nanoseconds(fired.time);
    task.entered_last = record.kind == RecordKind::kCollective;
    task.marked_last = record.kind == RecordKind::kMark;
    if (record.kind == RecordKind::kMessage) send(record);
    if (record.kind == RecordKind::kCollective) task.entered.push_back(record.id);
  }

  /// Puts the collectives that the task has entered and that it waits for, older ones included, for their
  /// order is the same at all ranks. False: there are none.
  bool settle_collectives(const IdealClock::Fired& fired) {
    Task& task = at(fired.record.task);
    const bool waits = fired.record.dep == DepKind::kCollective;
    const auto found =
        waits ? std::find(task.entered.begin(), task.entered.end(), fired.record.dep_id) : task.entered.end();
    if (task.entered_last && found != task.entered.end() - 1)
      losses_.add("parts in non-blocking collectives are done where they are waited for",
                  "DUMPI's traces have blocking ones only");
    if (found == task.entered.end()) return false;
    for (auto it = task.entered.begin(); it != found; ++it) put_collective(fired.record.task, *it, task.time);
    put_collective(fired.record.task, *found, nanoseconds(fired.event));
    task.entered.erase(task.entered.begin(), found + 1);
    return true;
  }

  void put_collective(TaskId task, std::uint64_t id, std::uint64_t end) {
    put(task, {Event::kCollective, at(task).time, end, 0, id, 0});
  }

  void send(const Record& record) {
    const std::uint64_t time = at(record.task).time;
    const std::uint64_t order = next_order_++;
    in_flight_[record.id] = {record.task, record.peer, record.send_bytes, time, order};
    const auto units = element_units(record.send_bytes, "DUMPI");
    if (!units) return fail(refuse("message " + std::to_string(record.id) + ": " + units.error().message));
    if (record.send_bytes % units->bytes != 0) say_rounded();
    put(record.task, {Event::kSent, time, time, record.peer, tag_of(order), record.send_bytes});
  }

  /// False: it was received before.
  bool receive(const IdealClock::Fired& fired) {
    const auto found = in_flight_.find(fired.record.dep_id);
    if (found == in_flight_.end()) return false;
    put_receive(found->second, nanoseconds(fired.event));
    in_flight_.erase(found);
    return true;
  }

  void put_receive(const Message& message, std::uint64_t end) {
    put(message.destination, {Event::kReceived, at(message.destination).time, end, message.source,
                              tag_of(message.order), message.bytes});
  }

  /// Every message has its own, so that no receive takes another's.
  static std::uint64_t tag_of(std::uint64_t order) { return order & kMostElements; }

  /// What nothing has waited for is done before MPI_Finalize.
  void end_tasks() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (const std::uint64_t id : tasks_[i].entered)
        put_collective(static_cast<TaskId>(i), id, tasks_[i].time);
    }
    std::vector<Message> left;
    for (const auto& [id, message] : in_flight_) left.push_back(message);
    std::sort(left.begin(), left.end(), [](const Message& a, const Message& b) { return a.order < b.order; });
    for (const Message& message : left) {
      Task& task = at(message.destination);
      const std::uint64_t end = std::max(task.time, message.sent);
      put_receive(message, end);
      task.time = end;
    }
  }

  Status write_rank(std::size_t rank, const std::string& path);
  Status write_meta(const std::string& folder) const;

  std::string path_;
  std::uint64_t clock_ps_;
  formats::Communicators communicators_;
  Losses& losses_;
  TaskSpool spool_;
  std::vector<Task> tasks_;
  OpenCollectives collectives_;
  std::unordered_map<std::uint64_t, Message> in_flight_;  // that nothing has waited for
  std::uint64_t next_order_ = 0;
  Status status_;
  IdealClock clock_;
};

/// Calls `use` with each event, and with what comes behind it.
template <class Use>
void for_each_event(std::string_view bytes, Use&& use) {
  while (!bytes.empty()) {
    Event event;
    std::memcpy(&event, bytes.data(), sizeof(event));
    bytes.remove_prefix(sizeof(event));
    const std::size_t size = event.kind == Event::kArguments ? event.bytes : 0;
    use(event, bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
}

Status DumpiAsciiWriter::write_rank(std::size_t rank, const std::string& path) {
  constexpr std::size_t kBlockBytes = 1 << 20;
  const auto bytes = spool_.take(rank);
  if (!bytes) return bytes.error();
  auto file = formats::OutputFile::create(path);
  if (!file) return file.error();
  std::unordered_map<std::uint64_t, std::string_view> calls;
  for_each_event(*bytes, [&](const Event& event, std::string_view text) {
    if (event.kind == Event::kArguments) calls[event.id] = text;
  });
  DumpiText text;
  RankText calls_of(text.header());
  calls_of.init();
  calls_of.make_communicators(communicators_, static_cast<TaskId>(rank));
  Status status;
  for_each_event(*bytes, [&](const Event& event, std::string_view) {
    if (event.kind == Event::kSent) calls_of.send(event);
    if (event.kind == Event::kReceived) calls_of.receive(event);
    if (event.kind == Event::kCollective) calls_of.collective(event, calls[event.id]);
    if (status && text.size() > kBlockBytes) status = (*file)->write(text.take());
  });
  if (!status) return status;
  calls_of.finalize(tasks_[rank].time);
  if (Status written = (*file)->write(text.datatype_sizes().take()); !written) return written;
  return (*file)->commit();
}

Status DumpiAsciiWriter::write_meta(const std::string& folder) const {
  auto file = formats::OutputFile::create(path_);
  if (!file) return file.error();
  const std::string name = std::filesystem::path(folder).filename().string();
  const std::string text = "hostname=vefkit\nnumprocs=" + std::to_string(tasks_.size()) +
                           "\nusername=vefkit\nstartime=86400\nfileprefix=" + name +
                           "/rank\nversion=1\nsubversion=0\nsubsubversion=0\n";
  if (Status status = (*file)->write(text); !status) return status;
  return (*file)->commit();
}

Result<std::unique_ptr<formats::TraceWriter>> create(const std::string& path,
                                                     const formats::TraceReader& trace, const Options&,
                                                     Losses& losses) {
  if (Status status = refuse_compressed(path); !status) return status.error();
  if (Status status = need_order(path, trace); !status) return status.error();
  constexpr std::uint64_t kMostComms = dumpi::kMostHandles - dumpi::kFirstComm + 1;
  if (trace.communicators().size() - 1 > kMostComms)
    return input_error(path, 0,
                       std::to_string(trace.communicators().size()) + " communicators; expected at most " +
                           std::to_string(kMostComms + 1) + ", which is what DUMPI can number");
  note_metadata(trace, losses);
  return std::unique_ptr<formats::TraceWriter>(new DumpiAsciiWriter(path, trace, losses));
}

}  // namespace

Format dumpi_ascii_format() {
  Format format;
  format.name = "dumpi-ascii";
  format.title = "DUMPI trace of SST as dumpi2ascii prints it: a .meta, and a text for each rank";
  format.endings = {".dumpi.txt"};
  format.keeps = "messages, sizes, computing, order, collectives, communicators; times of an ideal network";
  format.loses = "metadata, marks that no call follows, when non-blocking collectives are entered";
  format.lowering = Lowering::kVef4;
  format.create = create;
  return format;
}

}  // namespace vef::neighbours
