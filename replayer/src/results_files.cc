// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "vef/replayer/results.h"

namespace vef::replayer {
namespace {

using Json = nlohmann::ordered_json;

/// A file that is being written; keeps the first error. Not copied: owns the handle.
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr) error_ = errno;
  }
  ~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text) {
    if (error_ != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
  }
  template <class... Values>
  void print(const char* format, Values... values) {
    char line[256];
    const int length = std::snprintf(line, sizeof line, format, values...);
    write({line, static_cast<std::size_t>(length)});
  }
  Status close() {
    if (file_ != nullptr && std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
    if (error_ != 0) return system_error(path_, "cannot be written", error_);
    return {};
  }
  Status status() const {
    if (error_ != 0) return system_error(path_, "cannot be written", error_);
    return {};
  }

 private:
  std::string path_;
  std::FILE* file_;
  int error_ = 0;
};

Status write_file(const std::string& path, const std::function<void(OutputFile&)>& write) {
  OutputFile file(path);
  write(file);
  return file.close();
}

/// Picoseconds as nanoseconds with three decimals, exactly.
std::string nanoseconds(Picoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%" PRId64 ".%03" PRId64, time / 1000, time % 1000);
  return text;
}

void write_cdf(OutputFile& file, const std::vector<Picoseconds>& ascending) {
  constexpr std::size_t kSteps = 1000;
  file.write("share,fct_ns\n");
  const std::size_t count = ascending.size();
  if (count <= kSteps) {
    for (std::size_t i = 0; i < count; ++i) {
      file.print("%.6f,%s\n", static_cast<double>(i + 1) / static_cast<double>(count),
                 nanoseconds(ascending[i]).c_str());
    }
    return;
  }
  file.print("%.6f,%s\n", 0.0, nanoseconds(ascending.front()).c_str());
  for (std::size_t step = 1; step <= kSteps; ++step) {
    const double share = static_cast<double>(step) / kSteps;
    file.print("%.6f,%s\n", share, nanoseconds(nearest_rank(ascending, share)).c_str());
  }
}

void write_links(OutputFile& file, const ReplayResults& results, const Simulation& simulation) {
  const Topology& topology = simulation.topology();
  file.write("from,to,packets,bytes,busy_ns,utilisation,peak_buffer_bytes\n");
  for (PortId port = 0; port < topology.ports(); ++port) {
    const PortId peer = topology.peer[port];
    if (peer == kNoPort) continue;
    const LinkCounts link = simulation.link_counts(port);
    const double share = results.execution_time > 0
                             ? static_cast<double>(link.busy) / static_cast<double>(results.execution_time)
                             : 0;
    file.print("%s,%s,%" PRIu64 ",%" PRIu64 ",%s,%.6f,%" PRIu64 "\n", topology.port_name(port).c_str(),
               topology.port_name(peer).c_str(), link.packets, link.bytes, nanoseconds(link.busy).c_str(),
               share, link.peak_buffer);
  }
}

Json network_json(const Simulation& simulation) {
  const NetworkConfig& config = simulation.config();
  const TopologySummary summary = summarise(simulation.topology(), &config.topology);
  return {{"name", config.name},
          {"nodes", summary.nodes},
          {"switches", summary.switches},
          {"bandwidth_bps", config.link.bandwidth},
          {"link_delay_ps", config.link.delay()},
          {"mtu", config.packet.mtu}};
}

}  // namespace

std::string summary_json(const ReplayResults& results, const Simulation& simulation,
                         const RunDescription& run) {
  Json json;
  json["format"] = "vefkit-replay-1";
  for (const auto& [name, value] : run)
    std::visit([&json, &key = name](const auto& v) { json["run"][key] = v; }, value);
  json["network"] = network_json(simulation);
  json["execution_time_ps"] = results.execution_time;
  const SimulationCounts& n = results.network;
  json["messages"] = {{"count", n.messages},
                      {"bytes", n.message_bytes},
                      {"delivered", n.delivered},
                      {"local", n.local_messages},
                      {"local_bytes", n.local_bytes},
                      {"point_to_point", results.trace.messages},
                      {"of_collectives", results.trace.collective_messages}};
  const FctStatistics& fct = results.fct_statistics;
  json["fct_ps"] = {
      {"count", fct.count}, {"mean", fct.mean}, {"median", fct.median}, {"p99", fct.p99}, {"max", fct.max}};
  json["packets"] = {{"count", n.packets},
                     {"delivered", n.packets_delivered},
                     {"wire_bytes", n.wire_bytes},
                     {"mean_hops", results.mean_hops}};
  json["links"] = {
      {"mean_utilisation", results.mean_utilisation},
      {"max_utilisation", results.max_utilisation},
      {"busiest", results.busiest == kNoPort ? "" : simulation.topology().port_name(results.busiest)},
      {"pauses", n.pauses}};
  json["records"] = results.trace.records;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

class ResultsDirectory::Impl {
 public:
  explicit Impl(std::string path) : path_(std::move(path)) {}

  std::string file(const char* name) const { return path_ + "/" + name; }

  std::string path_;
  std::unique_ptr<OutputFile> messages_;
};

ResultsDirectory::ResultsDirectory(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ResultsDirectory::~ResultsDirectory() = default;
ResultsDirectory::ResultsDirectory(ResultsDirectory&&) noexcept = default;
ResultsDirectory& ResultsDirectory::operator=(ResultsDirectory&&) noexcept = default;

Result<ResultsDirectory> ResultsDirectory::open(const std::string& path, bool with_messages) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error) && !error) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) return system_error(path, "cannot be made a directory", error.value());
  auto impl = std::make_unique<Impl>(path);
  if (with_messages) {
    impl->messages_ = std::make_unique<OutputFile>(impl->file("messages.csv"));
    impl->messages_->write("trace,src_task,dst_task,src_node,dst_node,bytes,operation,generated_ns,fct_ns\n");
    if (Status status = impl->messages_->status(); !status) return status.error();
  } else {
    std::filesystem::remove(impl->file("messages.csv"),
                            error);  // of an earlier run: it would not belong to this one
  }
  return ResultsDirectory(std::move(impl));
}

void ResultsDirectory::add_message(const tracelib::Message& m, Picoseconds arrived) {
  if (!impl_->messages_) return;
  const std::string_view operation =
      m.op < 0 ? "point-to-point" : formats::collective_name(static_cast<formats::CollectiveOp>(m.op));
  impl_->messages_->print("%d,%d,%d,%d,%d,%" PRIu64 ",%.*s,%s,%s\n", m.trace, m.src_task, m.dst_task,
                          m.src_node, m.dst_node, m.bytes, static_cast<int>(operation.size()),
                          operation.data(), nanoseconds(m.time).c_str(),
                          nanoseconds(arrived - m.time).c_str());
}

Status ResultsDirectory::finish(const ReplayResults& results, const Simulation& simulation,
                                const RunDescription& run) {
  if (impl_->messages_) {
    if (Status status = impl_->messages_->close(); !status) return status;
  }
  Status status = write_file(impl_->file("fct_cdf.csv"), [&](OutputFile& f) { write_cdf(f, results.fct); });
  if (!status) return status;
  status = write_file(impl_->file("links.csv"), [&](OutputFile& f) { write_links(f, results, simulation); });
  if (!status) return status;
  return write_file(impl_->file("summary.json"),
                    [&](OutputFile& f) { f.write(summary_json(results, simulation, run)); });
}

}  // namespace vef::replayer
