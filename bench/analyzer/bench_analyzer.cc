// SPDX-License-Identifier: Apache-2.0
// How fast a trace in memory is analysed and its page made. One JSON line per case. usage: bench_analyzer
// [ROUNDS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "vef/analyzer/analysis.h"
#include "vef/analyzer/report.h"

namespace {

using namespace vef;
using formats::DepKind;
using formats::Record;
using formats::RecordKind;

formats::Trace empty_trace(formats::TaskId tasks) {
  formats::Trace trace;
  trace.header.tasks = tasks;
  trace.communicators.emplace_back();
  for (formats::TaskId i = 0; i < tasks; ++i) trace.communicators[0].push_back(i);
  return trace;
}

/// Each task sends to a neighbour that changes from round to round, each message after the task's one before.
formats::Trace shifts(formats::TaskId tasks, std::uint64_t rounds) {
  formats::Trace trace = empty_trace(tasks);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (formats::TaskId task = 0; task < tasks; ++task) {
      Record send;
      send.kind = RecordKind::kMessage;
      send.task = task;
      send.peer = static_cast<formats::TaskId>((static_cast<std::uint64_t>(task) + 1 + round % 8) %
                                               static_cast<std::uint64_t>(tasks));
      send.id = trace.header.messages++;
      send.send_bytes = 1024 << (round % 4);
      send.time = 1000;
      send.dep = round == 0 ? DepKind::kIndependent : DepKind::kSend;
      send.dep_id = round == 0 ? 0 : send.id - static_cast<std::uint64_t>(tasks);
      trace.records.push_back(send);
    }
  }
  return trace;
}

formats::Trace all_to_alls(formats::TaskId tasks, std::uint64_t rounds) {
  formats::Trace trace = empty_trace(tasks);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (formats::TaskId task = 0; task < tasks; ++task) {
      Record part;
      part.kind = RecordKind::kCollective;
      part.op = formats::CollectiveOp::kAlltoall;
      part.task = task;
      part.id = round;
      part.send_bytes = 1024;
      part.time = 1000;
      part.dep = round == 0 ? DepKind::kIndependent : DepKind::kCollective;
      part.dep_id = round == 0 ? 0 : round - 1;
      trace.records.push_back(part);
    }
  }
  trace.header.collectives = rounds;
  trace.header.collective_records = trace.records.size();
  return trace;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void measure(const char* name, formats::Trace&& built) {
  const auto trace = std::make_shared<const formats::Trace>(std::move(built));
  auto begin = std::chrono::steady_clock::now();
  const auto analysis = analyzer::analyze(trace, name);
  const double analysis_s = seconds_since(begin);
  if (!analysis) {
    std::fprintf(stderr, "%s\n", analysis.error().message.c_str());
    std::exit(1);
  }
  begin = std::chrono::steady_clock::now();
  const auto page = analyzer::render_report(*analysis);
  const double page_s = seconds_since(begin);
  const auto records = static_cast<double>(trace->records.size());
  const auto messages = static_cast<double>(analysis->total().messages);
  std::printf(
      "{\"bench\":\"analyzer\",\"case\":\"%s\",\"records\":%.0f,\"messages\":%.0f,\"analysis_s\":%.4f,"
      "\"records_per_s\":%.0f,\"messages_per_s\":%.0f,\"page_s\":%.4f,\"page_bytes\":%zu}\n",
      name, records, messages, analysis_s, records / analysis_s, messages / analysis_s, page_s,
      page.ok() ? page->size() : 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8000;
  measure("shifts-64", shifts(64, rounds));
  measure("shifts-4096", shifts(4096, rounds / 64));
  measure("all-to-all-256", all_to_alls(256, rounds / 400));
}
