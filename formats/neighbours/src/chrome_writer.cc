// SPDX-License-Identifier: Apache-2.0
// A VEF trace as a time line for Chrome's tracing page and for Perfetto (Trace Event Format, JSON).
//
// One track for each task, and one for the network interface of those that send answers. A trace has no
// absolute times: those of an ideal network are drawn (ideal_clock.h). Slices: `compute`; `wait for ...`, the
// time until a message has come; a collective, from its entry to its end; `send ...`, which takes no time. An
// arrow leads from each send to the slice of the task that waits for its message first.
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "byte_sink.h"
#include "format_list.h"
#include "ideal_clock.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::DepKind;
using formats::Record;
using formats::RecordKind;

namespace {

constexpr int kTasks = 0;  // "process" of the task's tracks
constexpr int kInterfaces = 1;

class ChromeWriter final : public formats::TraceWriter {
 public:
  ChromeWriter(std::string path, const formats::TraceReader& trace, std::unique_ptr<formats::ByteSink> sink)
      : path_(std::move(path)),
        clock_ps_(trace.header().clock),
        sink_(std::move(sink)),
        clock_(trace, [this](const IdealClock::Fired& fired) { draw(fired); }) {
    nlohmann::ordered_json about = nlohmann::ordered_json::object();
    about["times"] = "of an ideal network: no latency, infinite bandwidth";
    for (const auto& [key, value] : trace.metadata()) about[key] = value;
    text_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":" +
            about.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) +
            ",\"traceEvents\":[";
    name_process(kTasks, "tasks");
    for (std::size_t i = 0; i < trace.communicators().front().size(); ++i)
      name_track(kTasks, static_cast<formats::TaskId>(i), "task ");
  }

  Status write(const Record& record) override {
    if (Status status = clock_.add(record); !status) return input_error(path_, 0, status.error().message);
    if (!status_) return status_;
    return text_.size() > kBlockBytes ? flush() : Status{};
  }

  Status finish() override {
    if (Status status = clock_.finish(); !status) return input_error(path_, 0, status.error().message);
    if (!status_) return status_;
    text_ += "\n]}\n";
    if (Status status = flush(); !status) return status;
    return sink_->finish();
  }

 private:
  static constexpr std::size_t kBlockBytes = 1 << 20;

  Status flush() {
    if (Status status = sink_->write_block(text_); !status) return status;
    text_.clear();
    return {};
  }

  void begin_event() { text_ += std::exchange(is_first_, false) ? "\n" : ",\n"; }

  void name_process(int process, const char* name) {
    begin_event();
    text_ += "{\"ph\":\"M\",\"pid\":" + std::to_string(process) +
             ",\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"" + name + "\"}}";
  }

  void name_track(int process, formats::TaskId task, const char* name) {
    begin_event();
    text_ += "{\"ph\":\"M\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(task) +
             ",\"name\":\"thread_name\",\"args\":{\"name\":\"" + name + std::to_string(task) + "\"}}";
  }

  /// Microseconds with all digits.
  std::string micros(std::uint64_t units) {
    constexpr std::uint64_t kPicosPerMicro = 1'000'000;
    const std::uint64_t picos = saturating_multiply(units, clock_ps_);
    if (picos > static_cast<std::uint64_t>(kNever) && status_)
      status_ =
          input_error(path_, 0, "a time of " + std::to_string(units) + " units; expected less than 2^63 ps");
    std::string fraction = std::to_string(picos % kPicosPerMicro);
    fraction.insert(0, 6 - fraction.size(), '0');
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return std::to_string(picos / kPicosPerMicro) + (fraction.empty() ? "" : "." + fraction);
  }

  /// `more`: further members of the event.
  void slice(int process, formats::TaskId track, std::uint64_t begin, std::uint64_t end,
             const std::string& name, const std::string& more = "") {
    begin_event();
    text_ += "{\"ph\":\"X\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(track) +
             ",\"ts\":" + micros(begin) + ",\"dur\":" + micros(end - begin) + ",\"name\":\"" + name + "\"" +
             more + "}";
  }

  static std::string arrow(std::uint64_t message, const char* direction) {
    return ",\"bind_id\":\"" + std::to_string(message) + "\",\"" + direction + "\":true";
  }

  static std::string size_of(const Record& message) {
    return ",\"args\":{\"message\":" + std::to_string(message.id) +
           ",\"bytes\":" + std::to_string(message.send_bytes) + "}";
  }

  void draw(const IdealClock::Fired& fired) {
    const Record& record = fired.record;
    const int process = record.answer ? kInterfaces : kTasks;
    if (record.answer && interfaces_.empty()) name_process(kInterfaces, "network interfaces");
    if (record.answer && interfaces_.insert(record.task).second)
      name_track(kInterfaces, record.task, "interface ");
    if (!record.answer) draw_cause(fired);
    if (fired.time != fired.event) slice(process, record.task, fired.event, fired.time, "compute");
    if (record.kind == RecordKind::kMessage)
      slice(process, record.task, fired.time, fired.time, "send to " + std::to_string(record.peer),
            arrow(record.id, "flow_out") + size_of(record));
  }

  /// What the task waited for before it computed.
  void draw_cause(const IdealClock::Fired& fired) {
    const Record& record = fired.record;
    const Record& cause = fired.cause;
    if (record.dep == DepKind::kReceive) {
      if (!arrived_.insert(record.dep_id).second && fired.event == fired.ready) return;
      slice(kTasks, record.task, fired.ready, fired.event, "wait for " + std::to_string(cause.task),
            arrow(record.dep_id, "flow_in") + size_of(cause));
    } else if (record.dep == DepKind::kCollective) {
      slice(kTasks, record.task, fired.ready, fired.event, std::string(formats::collective_name(cause.op)),
            ",\"args\":{\"collective\":" + std::to_string(cause.id) + ",\"communicator\":" +
                std::to_string(cause.comm) + ",\"send_bytes\":" + std::to_string(cause.send_bytes) +
                ",\"recv_bytes\":" + std::to_string(cause.recv_bytes) + "}");
    }
  }

  std::string path_;
  std::uint64_t clock_ps_;
  std::unique_ptr<formats::ByteSink> sink_;
  IdealClock clock_;
  std::unordered_set<std::uint64_t> arrived_;       // messages whose arrow is drawn
  std::unordered_set<formats::TaskId> interfaces_;  // with a track
  std::string text_;
  bool is_first_ = true;
  Status status_;
};

Result<std::unique_ptr<formats::TraceWriter>> create(const std::string& path,
                                                     const formats::TraceReader& trace,
                                                     const Options& options, Losses&) {
  if (Status status = need_order(path, trace); !status) return status.error();
  auto sink = formats::ByteSink::create(path, options.level);
  if (!sink) return sink.error();
  return std::unique_ptr<formats::TraceWriter>(new ChromeWriter(path, trace, std::move(*sink)));
}

}  // namespace

Format chrome_format() {
  Format format;
  format.name = "chrome";
  format.title = "time line for Perfetto and Chrome's tracing page, JSON (.gz and .zst compress)";
  format.endings = {".json"};
  format.keeps = "computing, waiting, messages as arrows, collectives; times of an ideal network";
  format.loses = "what depends on what, unless an arrow shows it";
  format.create = create;
  return format;
}

}  // namespace vef::neighbours
