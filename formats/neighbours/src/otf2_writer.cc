// SPDX-License-Identifier: Apache-2.0
// From VEF records to an OTF2 archive, a location for each task. Its times are those of an ideal network
// (ideal_clock.h): a trace has no absolute ones.
//
// A message is an MPI_Send, which takes no time; what waits for it an MPI_Recv, from the record before (a
// mark has no region of its own) to the arrival. A collective that the next record waits for is a blocking
// one, others are completed by an MPI_Wait. The last mark is MPI_Finalize. All lies in a region
// `application`, which is the computing. Tags are the ids of the messages. Events are spooled, since the root
// of a collective is known when all have entered.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "collective_flow.h"
#include "ideal_clock.h"
#include "metadata_loss.h"
#include "otf2.h"
#include "otf2_archive.h"
#include "task_spool.h"
#include "vef/base/units.h"

namespace vef::neighbours {

namespace fs = std::filesystem;
using formats::CollectiveOp;
using formats::DepKind;
using formats::Record;
using formats::RecordKind;

namespace {

constexpr std::string_view kEnding = ".otf2";

enum Region : OTF2_RegionRef { kApplication, kSend, kRecv, kWait, kFinalize, kCollectives };

OTF2_RegionRef region_of(CollectiveOp op, bool blocking) {
  return kCollectives + 2 * static_cast<OTF2_RegionRef>(op) + (blocking ? 1 : 0);
}

/// What happens at a task, in the spool.
struct Event {
  enum Kind : std::uint8_t { kSent, kReceived, kEntered, kLeft, kMarked };

  Kind kind = kMarked;
  std::uint64_t begin = 0;  // of what takes time
  std::uint64_t end = 0;
  Record record;  // the message, or the part in a collective

  std::string_view bytes() const { return {reinterpret_cast<const char*>(this), sizeof(*this)}; }
};
static_assert(std::is_trivially_copyable_v<Event>);

/// The events of one location.
class LocationWriter {
 public:
  LocationWriter(OTF2_EvtWriter* writer, const formats::Communicators& communicators,
                 const std::unordered_map<std::uint64_t, std::uint32_t>& roots)
      : writer_(writer), communicators_(communicators), roots_(roots) {}

  /// The first fault, if there was one.
  OTF2_ErrorCode write(const std::vector<Event>& events) {
    enter(0, kApplication);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      const Event* const next = i + 1 < events.size() ? &events[i + 1] : nullptr;
      last_ = std::max(last_, event.end);
      if (event.kind == Event::kSent) send(event);
      if (event.kind == Event::kReceived && done_.insert(event.record.id).second) receive(event);
      if (event.kind == Event::kMarked && next == nullptr) finalize(event.end);
      if (event.kind == Event::kEntered) {
        const bool blocking = next == nullptr || (next->kind == Event::kLeft && next->begin == event.end &&
                                                  next->record.id == event.record.id);
        enter_collective(event, blocking);
      }
      if (event.kind == Event::kLeft) leave_collective(event);
      // What ends the task ends there, though others may come to it later.
      if (event.kind == Event::kEntered && next == nullptr) leave_collective(event);
    }
    complete_all(last_);
    leave(last_, kApplication);
    return code_;
  }

  std::uint64_t last() const { return last_; }

 private:
  void note(OTF2_ErrorCode code) {
    if (code_ == OTF2_SUCCESS) code_ = code;
  }
  void enter(std::uint64_t time, OTF2_RegionRef region) {
    note(OTF2_EvtWriter_Enter(writer_, nullptr, time, region));
  }
  void leave(std::uint64_t time, OTF2_RegionRef region) {
    note(OTF2_EvtWriter_Leave(writer_, nullptr, time, region));
  }
  static std::uint32_t tag_of(const Record& message) {
    return static_cast<std::uint32_t>(message.id & 0x7fffffffU);
  }

  void send(const Event& event) {
    enter(event.end, kSend);
    note(OTF2_EvtWriter_MpiSend(writer_, nullptr, event.end, static_cast<std::uint32_t>(event.record.peer), 0,
                                tag_of(event.record), event.record.send_bytes));
    leave(event.end, kSend);
  }

  void receive(const Event& event) {
    enter(event.begin, kRecv);
    note(OTF2_EvtWriter_MpiRecv(writer_, nullptr, event.end, static_cast<std::uint32_t>(event.record.task), 0,
                                tag_of(event.record), event.record.send_bytes));
    leave(event.end, kRecv);
  }

  /// The end of the task; what nothing has waited for is completed before.
  void finalize(std::uint64_t time) {
    complete_all(time);
    enter(time, kFinalize);
    leave(time, kFinalize);
  }

  void complete_all(std::uint64_t time) {
    for (const std::uint64_t id : order_) {
      const auto found = open_.find(id);
      if (found != open_.end()) complete(found->second, time, time);
    }
    open_.clear();
  }

  void enter_collective(const Event& event, bool blocking) {
    const Record& part = event.record;
    const OTF2_RegionRef region = region_of(part.op, blocking);
    enter(event.end, region);
    if (blocking) {
      blocking_ = part;
      note(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, event.end));
      return;
    }
    note(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, event.end, part.id));
    leave(event.end, region);
    open_[part.id] = part;
    order_.push_back(part.id);
  }

  void leave_collective(const Event& event) {
    if (const auto found = open_.find(event.record.id); found != open_.end()) {
      complete(found->second, event.begin, event.end);
      open_.erase(found);
      return;
    }
    if (!blocking_ || blocking_->id != event.record.id) return;  // left before
    const Otf2Sizes sizes = otf2_sizes_of(*blocking_, members(*blocking_));
    note(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, event.end, otf2_op_of(*blocking_),
                                         static_cast<OTF2_CommRef>(blocking_->comm), root(*blocking_),
                                         sizes.sent, sizes.received));
    leave(event.end, region_of(blocking_->op, true));
    blocking_.reset();
  }

  void complete(const Record& part, std::uint64_t begin, std::uint64_t end) {
    const Otf2Sizes sizes = otf2_sizes_of(part, members(part));
    enter(begin, kWait);
    note(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, end, otf2_op_of(part),
                                                      static_cast<OTF2_CommRef>(part.comm), root(part),
                                                      sizes.sent, sizes.received, part.id));
    leave(end, kWait);
  }

  std::uint64_t members(const Record& part) const {
    return communicators_[static_cast<std::size_t>(part.comm)].size();
  }

  std::uint32_t root(const Record& part) const {
    if (flow_of(part.op) == Flow::kToAll) return OTF2_COLLECTIVE_ROOT_NONE;
    const auto found = roots_.find(part.id);
    return found == roots_.end() ? 0 : found->second;
  }

  OTF2_EvtWriter* writer_;
  const formats::Communicators& communicators_;
  const std::unordered_map<std::uint64_t, std::uint32_t>& roots_;
  std::unordered_set<std::uint64_t> done_;          // messages received
  std::unordered_map<std::uint64_t, Record> open_;  // non-blocking collectives
  std::vector<std::uint64_t> order_;                // of them
  std::optional<Record> blocking_;                  // the collective that the task is in
  std::uint64_t last_ = 0;
  OTF2_ErrorCode code_ = OTF2_SUCCESS;
};

class Otf2Writer final : public formats::TraceWriter {
 public:
  Otf2Writer(std::string path, const formats::TraceReader& trace)
      : path_(std::move(path)),
        header_(trace.header()),
        communicators_(trace.communicators()),
        spool_(path_, communicators_.front().size()),
        clock_(trace, [this](const IdealClock::Fired& fired) { note(fired); }) {
    // Ticks are units of the trace, or picoseconds where a second has no whole number of units.
    if (kPicosPerSecond % static_cast<Picoseconds>(header_.clock) != 0) ticks_ = header_.clock;
  }

  Status write(const Record& record) override {
    if (record.answer)
      return refuse("message " + std::to_string(record.id) +
                    " is an answer of one-sided communication; expected messages of tasks");
    const bool is_root = record.kind == RecordKind::kCollective && is_root_of(record);
    if (is_root) {
      const auto& members = communicators_[static_cast<std::size_t>(record.comm)];
      const auto rank = std::find(members.begin(), members.end(), record.task) - members.begin();
      roots_[record.id] = static_cast<std::uint32_t>(rank);
    }
    if (Status status = clock_.add(record); !status) return refuse(status.error().message);
    return status_;
  }

  Status finish() override;

 private:
  Error refuse(const std::string& message) const { return input_error(path_, 0, message); }

  static bool is_root_of(const Record& part) {
    const Flow flow = flow_of(part.op);
    return (flow == Flow::kFromRoot && part.send_bytes != 0) ||
           (flow == Flow::kToRoot && part.recv_bytes != 0);
  }

  void put(const Record& record, Event event) {
    event.begin = saturating_multiply(event.begin, ticks_);
    event.end = saturating_multiply(event.end, ticks_);
    if (event.end > static_cast<std::uint64_t>(kNever) && status_)
      status_ = refuse("a time beyond 2^63 - 1 ticks; expected less");
    if (status_) status_ = spool_.append(static_cast<std::size_t>(record.task), event.bytes());
  }

  void note(const IdealClock::Fired& fired) {
    if (fired.record.dep == DepKind::kReceive)
      put(fired.record, {Event::kReceived, fired.ready, fired.event, fired.cause});
    if (fired.record.dep == DepKind::kCollective)
      put(fired.record, {Event::kLeft, fired.ready, fired.event, fired.cause});
    const Event::Kind kind = fired.record.kind == RecordKind::kMessage ? Event::kSent
                             : fired.record.kind == RecordKind::kMark  ? Event::kMarked
                                                                       : Event::kEntered;
    put(fired.record, {kind, fired.time, fired.time, fired.record});
  }

  /// The whole archive `name` in `folder`.
  Status write_archive(const std::string& folder, const std::string& name);
  Status write_locations(OTF2_Archive* archive, std::vector<std::uint64_t>& counts, std::uint64_t& last);
  OTF2_ErrorCode write_definitions(OTF2_GlobalDefWriter* writer, const std::vector<std::uint64_t>& counts,
                                   std::uint64_t last) const;
  Status fault(OTF2_ErrorCode code) const { return refuse("libotf2 cannot write: " + otf2_message(code)); }

  std::string path_;
  formats::TraceHeader header_;
  formats::Communicators communicators_;
  TaskSpool spool_;
  std::unordered_map<std::uint64_t, std::uint32_t> roots_;  // by collective
  std::uint64_t ticks_ = 1;                                 // per unit of the trace
  Status status_;
  IdealClock clock_;
};

/// A folder beside the output, which disappears with all that is left in it.
class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& beside) {
    std::string pattern = (beside.parent_path() / ".vef-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

OTF2_FlushType before_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

Status Otf2Writer::finish() {
  if (Status status = clock_.finish(); !status) return refuse(status.error().message);
  if (!status_) return status_;
  const fs::path anchor = path_;
  const std::string name = anchor.stem().string();
  const fs::path events = anchor.parent_path() / name;
  std::error_code failed;
  // An older archive is replaced; a folder that belongs to none is not ours.
  if (fs::exists(events, failed) && !fs::exists(anchor, failed))
    return refuse(events.string() + " is there, where the events are to lie; expected no such file");
  const WorkFolder folder(anchor);
  if (folder.path().empty()) return system_error(path_, "cannot create a folder beside it", errno);
  if (Status status = write_archive(folder.path().string(), name); !status) return status;
  // The anchor goes last: without it there is no archive.
  fs::remove(anchor, failed);
  fs::remove_all(events, failed);
  for (const std::string& part : {name, name + ".def", name + std::string(kEnding)}) {
    fs::rename(folder.path() / part, anchor.parent_path() / part, failed);
    if (failed) return refuse("cannot be put in its place: " + failed.message());
  }
  return {};
}

Status Otf2Writer::write_archive(const std::string& folder, const std::string& name) {
  constexpr std::uint64_t kEventChunk = 1 << 20;
  constexpr std::uint64_t kDefinitionChunk = 4 << 20;
  otf2_keep_messages();
  OTF2_Archive* const archive =
      OTF2_Archive_Open(folder.c_str(), name.c_str(), OTF2_FILEMODE_WRITE, kEventChunk, kDefinitionChunk,
                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == nullptr) return fault(OTF2_ERROR_INVALID);
  static constexpr OTF2_FlushCallbacks kFlush = {before_flush, nullptr};
  OTF2_ErrorCode code = OTF2_Archive_SetFlushCallbacks(archive, &kFlush, nullptr);
  if (code == OTF2_SUCCESS) code = OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  if (code == OTF2_SUCCESS) code = OTF2_Archive_SetCreator(archive, "vefkit");
  Status status = code == OTF2_SUCCESS ? Status() : fault(code);
  std::vector<std::uint64_t> counts;
  std::uint64_t last = 0;
  if (status) status = write_locations(archive, counts, last);
  if (status) {
    OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive);
    code = writer == nullptr ? OTF2_ERROR_INVALID : write_definitions(writer, counts, last);
    if (code == OTF2_SUCCESS) code = OTF2_Archive_CloseGlobalDefWriter(archive, writer);
    if (code != OTF2_SUCCESS) status = fault(code);
  }
  code = OTF2_Archive_Close(archive);
  return status && code != OTF2_SUCCESS ? fault(code) : status;
}

Status Otf2Writer::write_locations(OTF2_Archive* archive, std::vector<std::uint64_t>& counts,
                                   std::uint64_t& last) {
  OTF2_ErrorCode code = OTF2_Archive_OpenEvtFiles(archive);
  for (std::size_t task = 0; task < communicators_.front().size() && code == OTF2_SUCCESS; ++task) {
    const auto bytes = spool_.take(task);
    if (!bytes) return bytes.error();
    std::vector<Event> events(bytes->size() / sizeof(Event));
    if (!events.empty()) std::memcpy(events.data(), bytes->data(), events.size() * sizeof(Event));
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, task);
    if (writer == nullptr) return fault(OTF2_ERROR_INVALID);
    LocationWriter location(writer, communicators_, roots_);
    code = location.write(events);
    last = std::max(last, location.last());
    counts.push_back(0);
    if (code == OTF2_SUCCESS) code = OTF2_EvtWriter_GetNumberOfEvents(writer, &counts.back());
    if (code == OTF2_SUCCESS) code = OTF2_Archive_CloseEvtWriter(archive, writer);
  }
  if (code == OTF2_SUCCESS) code = OTF2_Archive_CloseEvtFiles(archive);
  // Each location has a file of definitions, too, though nothing is local.
  if (code == OTF2_SUCCESS) code = OTF2_Archive_OpenDefFiles(archive);
  for (std::size_t task = 0; task < communicators_.front().size() && code == OTF2_SUCCESS; ++task)
    code = OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, task));
  if (code == OTF2_SUCCESS) code = OTF2_Archive_CloseDefFiles(archive);
  return code == OTF2_SUCCESS ? Status() : fault(code);
}

/// Global definitions; strings are numbered as they are needed.
class Definitions {
 public:
  explicit Definitions(OTF2_GlobalDefWriter* writer) : writer_(writer) {}

  void note(OTF2_ErrorCode code) {
    if (code_ == OTF2_SUCCESS) code_ = code;
  }
  OTF2_StringRef string(const std::string& text) {
    const auto [entry, is_new] = strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
    if (is_new) note(OTF2_GlobalDefWriter_WriteString(writer_, entry->second, text.c_str()));
    return entry->second;
  }
  void region(OTF2_RegionRef ref, std::string_view name, OTF2_RegionRole role, OTF2_Paradigm paradigm) {
    const OTF2_StringRef text = string(std::string(name));
    note(OTF2_GlobalDefWriter_WriteRegion(writer_, ref, text, text, string(""), role, paradigm,
                                          OTF2_REGION_FLAG_NONE, string(""), 0, 0));
  }
  void process(std::size_t task, std::uint64_t events) {
    const auto ref = static_cast<std::uint32_t>(task);
    const OTF2_StringRef name = string("MPI Rank " + std::to_string(task));
    note(OTF2_GlobalDefWriter_WriteLocationGroup(writer_, ref, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                 OTF2_UNDEFINED_LOCATION_GROUP));
    note(OTF2_GlobalDefWriter_WriteLocation(writer_, task, string("Master thread"),
                                            OTF2_LOCATION_TYPE_CPU_THREAD, events, ref));
  }
  void group(OTF2_GroupRef ref, const std::string& name, OTF2_GroupType type,
             const std::vector<formats::TaskId>& members) {
    const std::vector<std::uint64_t> wide(members.begin(), members.end());
    note(OTF2_GlobalDefWriter_WriteGroup(writer_, ref, string(name), type, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(wide.size()),
                                         wide.data()));
  }
  OTF2_ErrorCode code() const { return code_; }

 private:
  OTF2_GlobalDefWriter* writer_;
  std::unordered_map<std::string, OTF2_StringRef> strings_;
  OTF2_ErrorCode code_ = OTF2_SUCCESS;
};

OTF2_RegionRole role_of(CollectiveOp op) {
  if (op == CollectiveOp::kBarrier) return OTF2_REGION_ROLE_BARRIER;
  const Flow flow = flow_of(op);
  return flow == Flow::kFromRoot ? OTF2_REGION_ROLE_COLL_ONE2ALL
         : flow == Flow::kToRoot ? OTF2_REGION_ROLE_COLL_ALL2ONE
                                 : OTF2_REGION_ROLE_COLL_ALL2ALL;
}

OTF2_ErrorCode Otf2Writer::write_definitions(OTF2_GlobalDefWriter* writer,
                                             const std::vector<std::uint64_t>& counts,
                                             std::uint64_t last) const {
  Definitions definitions(writer);
  const std::uint64_t unit = header_.clock / ticks_;  // picoseconds per tick
  definitions.note(OTF2_GlobalDefWriter_WriteClockProperties(
      writer, static_cast<std::uint64_t>(kPicosPerSecond) / unit, 0, last + 1, OTF2_UNDEFINED_TIMESTAMP));
  definitions.note(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, definitions.string("ideal network"),
                                                            definitions.string("machine"),
                                                            OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (std::size_t task = 0; task < counts.size(); ++task) definitions.process(task, counts[task]);
  definitions.region(kApplication, "application", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  definitions.region(kSend, "MPI_Send", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI);
  definitions.region(kRecv, "MPI_Recv", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI);
  definitions.region(kWait, "MPI_Wait", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI);
  definitions.region(kFinalize, "MPI_Finalize", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI);
  for (std::size_t i = 0; i < kOtf2Ops; ++i) {
    for (const bool blocking : {false, true}) {
      const auto op = static_cast<CollectiveOp>(i);
      definitions.region(region_of(op, blocking), otf2_region_of(op, blocking), role_of(op),
                         OTF2_PARADIGM_MPI);
    }
  }
  // Locations are numbered like tasks; the groups of communicators name them by rank.
  definitions.group(0, "", OTF2_GROUP_TYPE_COMM_LOCATIONS, communicators_.front());
  for (std::size_t comm = 0; comm < communicators_.size(); ++comm) {
    const auto ref = static_cast<OTF2_CommRef>(comm);
    definitions.group(ref + 1, "", OTF2_GROUP_TYPE_COMM_GROUP, communicators_[comm]);
    const OTF2_StringRef name = definitions.string(comm == 0 ? "MPI_COMM_WORLD" : "C" + std::to_string(comm));
    definitions.note(OTF2_GlobalDefWriter_WriteComm(
        writer, ref, name, ref + 1, comm == 0 ? OTF2_UNDEFINED_COMM : 0, OTF2_COMM_FLAG_NONE));
  }
  return definitions.code();
}

}  // namespace

Result<std::unique_ptr<formats::TraceWriter>> create_otf2(const std::string& path,
                                                          const formats::TraceReader& trace, Losses& losses) {
  if (!path.ends_with(kEnding) || fs::path(path).stem().empty())
    return usage_error(path + ": the name of an OTF2 archive; expected one that ends with .otf2");
  if (Status status = need_order(path, trace); !status) return status.error();
  note_metadata(trace, losses);
  return std::unique_ptr<formats::TraceWriter>(new Otf2Writer(path, trace));
}

}  // namespace vef::neighbours
