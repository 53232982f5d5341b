// SPDX-License-Identifier: Apache-2.0
// How fast the player runs on the ideal network: records per second for point-to-point traces, messages per
// second for expanded collectives. One JSON line per case; times are CPU time. usage: bench_tracelib [ROUNDS]
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "vef/tracelib/ideal_network.h"

namespace {

using namespace vef;
using formats::DepKind;
using formats::Record;
using formats::RecordKind;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

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
                  false,
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
                               false,
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
               false,
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
  const double begin = cpu_seconds();
  tracelib::Player player({{trace, {}, 1.0, 0}}, {expansion});
  const double built_at = cpu_seconds();
  const tracelib::IdealRun run = tracelib::run_on_ideal_network(player);
  const double end = cpu_seconds();
  const double index_s = built_at - begin;
  const double run_s = end - built_at;
  const auto messages = static_cast<double>(run.counts.messages + run.counts.collective_messages);
  std::printf(
      "{\"bench\":\"tracelib\",\"case\":\"%s\",\"finished\":%s,\"records\":%zu,\"messages\":%.0f,\"index_s\":"
      "%.4f,"
      "\"run_s\":%.4f,\"records_per_s\":%.0f,\"messages_per_s\":%.0f}\n",
      name, run.finished ? "true" : "false", trace->records.size(), messages, index_s, run_s,
      static_cast<double>(trace->records.size()) / run_s, messages / run_s);
}

/// The expansion alone, without the player: every rank's schedule of one operation, again and again.
void expand_only(formats::CollectiveOp op, std::int32_t ranks, std::uint64_t rounds,
                 tracelib::Expansion expansion) {
  const std::vector<std::uint64_t> bytes(static_cast<std::size_t>(ranks), 1024);
  tracelib::Schedule schedule;
  std::uint64_t messages = 0;
  const double begin = cpu_seconds();
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const auto rank = static_cast<std::int32_t>(i % static_cast<std::uint64_t>(ranks));
    tracelib::expand({op, ranks, 0, bytes, bytes}, expansion, rank, schedule);
    messages += schedule.steps.size();
  }
  const double seconds = cpu_seconds() - begin;
  const std::string name(tracelib::expansion_name(expansion));
  std::printf(
      "{\"bench\":\"tracelib\",\"case\":\"expand-all-reduce-%d-%s\",\"steps\":%llu,\"steps_per_s\":%.0f}\n",
      ranks, name.c_str(), static_cast<unsigned long long>(messages),
      static_cast<double>(messages) / seconds);
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
  measure("all-reduce-64-openmpi", collectives(64, formats::CollectiveOp::kAllreduce, rounds),
          Expansion::kOpenMpi);
  measure("all-reduce-64-mpich", collectives(64, formats::CollectiveOp::kAllreduce, rounds),
          Expansion::kMpich);
  measure("all-gather-256-openmpi", collectives(256, formats::CollectiveOp::kAllgather, rounds / 200),
          Expansion::kOpenMpi);
  measure("all-reduce-1024-openmpi", collectives(1024, formats::CollectiveOp::kAllreduce, rounds / 50),
          Expansion::kOpenMpi);
  measure("all-to-all-256-n", collectives(256, formats::CollectiveOp::kAlltoall, rounds / 400),
          Expansion::kN);
  for (const auto expansion : {Expansion::kLogN, Expansion::kOpenMpi, Expansion::kMpich}) {
    expand_only(formats::CollectiveOp::kAllreduce, 1024, rounds * 10, expansion);
  }
}
