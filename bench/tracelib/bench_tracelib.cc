// SPDX-License-Identifier: Apache-2.0
// How fast the player runs on the ideal network: records per second for point-to-point traces, messages per
// second for expanded collectives. One JSON line per case. usage: bench_tracelib [ROUNDS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "vef/tracelib/ideal_network.h"

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

/// Every task sends to its right neighbour, waits for its left one, computes, and again: `rounds` times.
formats::Trace ring(formats::TaskId tasks, std::uint64_t rounds) {
  formats::Trace trace = empty_trace(tasks);
  const auto n = static_cast<std::uint64_t>(tasks);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto message = [&](std::uint64_t r, formats::TaskId task) {
      return 2 * n * r + static_cast<std::uint64_t>(task);
    };
    for (formats::TaskId i = 0; i < tasks; ++i) {
      Record send{RecordKind::kMessage,
                  DepKind::kIndependent,
                  {},
                  i,
                  (i + 1) % tasks,
                  0,
                  message(round, i),
                  1024,
                  0,
                  1000,
                  0};
      if (round > 0) send.dep = DepKind::kReceive, send.dep_id = message(round - 1, (i + tasks - 1) % tasks);
      trace.records.push_back(send);
    }
    for (formats::TaskId i = 0; i < tasks; ++i) {
      trace.records.push_back({RecordKind::kMark,
                               DepKind::kSend,
                               {},
                               i,
                               i,
                               0,
                               message(round, i) + n,
                               0,
                               0,
                               10,
                               message(round, i)});
    }
  }
  trace.header.messages = trace.records.size();
  return trace;
}

formats::Trace collectives(formats::TaskId tasks, formats::CollectiveOp op, std::uint64_t rounds) {
  formats::Trace trace = empty_trace(tasks);
  for (std::uint64_t g = 0; g < rounds; ++g) {
    for (formats::TaskId i = 0; i < tasks; ++i) {
      Record r{RecordKind::kCollective,
               g == 0 ? DepKind::kIndependent : DepKind::kCollective,
               op,
               i,
               0,
               0,
               g,
               1024,
               1024,
               100,
               g == 0 ? 0 : g - 1};
      trace.records.push_back(r);
    }
  }
  trace.header.collectives = rounds;
  trace.header.collective_records = trace.records.size();
  return trace;
}

void measure(const char* name, formats::Trace&& built, tracelib::Expansion expansion) {
  const auto trace = std::make_shared<const formats::Trace>(std::move(built));
  const auto begin = std::chrono::steady_clock::now();
  tracelib::Player player({{trace, {}, 1.0, 0}}, {expansion});
  const auto built_at = std::chrono::steady_clock::now();
  const tracelib::IdealRun run = tracelib::run_on_ideal_network(player);
  const auto end = std::chrono::steady_clock::now();
  const double index_s = std::chrono::duration<double>(built_at - begin).count();
  const double run_s = std::chrono::duration<double>(end - built_at).count();
  const auto messages = static_cast<double>(run.counts.messages + run.counts.collective_messages);
  std::printf(
      "{\"bench\":\"tracelib\",\"case\":\"%s\",\"finished\":%s,\"records\":%zu,\"messages\":%.0f,\"index_s\":"
      "%.4f,"
      "\"run_s\":%.4f,\"records_per_s\":%.0f,\"messages_per_s\":%.0f}\n",
      name, run.finished ? "true" : "false", trace->records.size(), messages, index_s, run_s,
      static_cast<double>(trace->records.size()) / run_s, messages / run_s);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000;
  using tracelib::Expansion;
  measure("ring-64", ring(64, rounds), Expansion::kN);
  measure("ring-1024", ring(1024, rounds / 16), Expansion::kN);
  measure("all-reduce-64-n", collectives(64, formats::CollectiveOp::kAllreduce, rounds), Expansion::kN);
  measure("all-reduce-64-log-n", collectives(64, formats::CollectiveOp::kAllreduce, rounds),
          Expansion::kLogN);
  measure("all-to-all-256-n", collectives(256, formats::CollectiveOp::kAlltoall, rounds / 400),
          Expansion::kN);
}
