// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "load_trace.h"
#include "vef/tracelib/TraceManager.h"
#include "vef/tracelib/mapping.h"
#include "vef/tracelib/player.h"

namespace {

using namespace vef;
using vef::tracelib::load_trace;

struct Job {
  std::unique_ptr<tracelib::Player> player;
  Picoseconds cycle = 1000;
  Picoseconds now = 0;
  std::uint64_t under_way = 0;
  std::optional<tracelib::Message> next;  // found by areMsgstoGet()
  bool stuck = false;
};

Job& job() {
  static Job only;
  return only;
}

Result<std::vector<std::string>> trace_files(const conf_t& conf) {
  if (conf.number_of_traces == 1) return std::vector<std::string>{conf.filename};
  std::ifstream in(conf.filename);
  if (!in) return system_error(conf.filename, "cannot open", errno);
  std::vector<std::string> files;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) files.push_back(line);
  }
  if (conf.number_of_traces < 1 || files.size() != static_cast<std::size_t>(conf.number_of_traces))
    return input_error(conf.filename, 0,
                       std::to_string(files.size()) + " lines; expected the names of number_of_traces = " +
                           std::to_string(conf.number_of_traces) + " traces");
  return files;
}

Result<std::vector<tracelib::PlayedTrace>> load(const conf_t& conf) {
  if (conf.mapping_mode != 0 && conf.mapping_mode != 1)
    return usage_error("mapping_mode " + std::to_string(conf.mapping_mode) + "; expected 0 or 1");
  const auto files = trace_files(conf);
  if (!files) return files.error();
  std::vector<tracelib::PlayedTrace> traces;
  formats::TaskId tasks = 0;
  for (const std::string& file : *files) {
    auto trace = load_trace(file);
    if (!trace) return trace.error();
    tasks += (*trace)->header.tasks;
    traces.push_back({std::move(*trace), {}, 1.0, 0});
  }
  tracelib::MappingRule rule;
  if (conf.mapping_mode == 1) rule.kind = tracelib::MappingKind::kRandom;
  const auto nodes = tracelib::make_mapping(rule, tasks, {0, conf.simNodes}, 1);
  if (!nodes) return nodes.error();
  auto next = nodes->begin();
  for (tracelib::PlayedTrace& played : traces) {
    const auto end = next + played.trace->header.tasks;
    played.mapping.assign(next, end);
    next = end;
  }
  return traces;
}

/// Nothing that could still happen would finish the job.
bool can_go_on(const Job& current) {
  return current.next || current.under_way > 0 || current.player->next_time() != kNever;
}

}  // namespace

int init_MultipleTraceManager(const conf_t* conf) noexcept {
  job() = {};
  auto traces = load(*conf);
  if (!traces) {
    std::fprintf(stderr, "vef: %s\n", traces.error().message.c_str());
    return 1;
  }
  job().cycle = conf->use_simulator_clock_instead_of_factorTime != 0
                    ? conf->cycle_picoseconds
                    : static_cast<Picoseconds>(traces->front().trace->header.clock);
  if (job().cycle <= 0) {
    std::fprintf(stderr, "vef: cycle_picoseconds %lld; expected more than 0\n",
                 static_cast<long long>(job().cycle));
    return 1;
  }
  job().player = std::make_unique<tracelib::Player>(std::move(*traces), tracelib::PlayerConfig{});
  return 0;
}

int isTraceComplete(void) noexcept {
  Job& current = job();
  if (current.player == nullptr || current.player->done() || current.stuck) return 1;
  if (can_go_on(current)) return 0;
  current.stuck = true;
  for (const tracelib::Waiting& one : current.player->stuck())
    std::fprintf(stderr, "vef: stuck: %s\n", one.what.c_str());
  return 1;
}

int isTraceStuck(void) noexcept { return job().stuck ? 1 : 0; }

int areMsgstoGet(void) noexcept {
  Job& current = job();
  if (current.player != nullptr && !current.next) current.next = current.player->next(current.now);
  return current.next ? 1 : 0;
}

void getMsgTrace(msg_t* msg) noexcept {
  Job& current = job();
  if (areMsgstoGet() == 0) return;
  const tracelib::Message& next = *current.next;
  *msg = {next.src_node, next.dst_node, static_cast<long>(next.bytes), static_cast<int>(next.id)};
  current.next.reset();
  ++current.under_way;
}

void ReceiveTraceMsg(int, int id) noexcept {
  Job& current = job();
  if (current.player == nullptr || current.under_way == 0) return;
  --current.under_way;
  current.player->delivered(static_cast<std::uint64_t>(id), current.now);
}

void clock_tictac(void) noexcept { job().now += job().cycle; }
