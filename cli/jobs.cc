// SPDX-License-Identifier: Apache-2.0
#include "jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

namespace vef::cli {
namespace {

using TracePtr = std::shared_ptr<const formats::Trace>;
using tracelib::MappingKind;
using tracelib::NodeId;

template <class Number>
bool parse_whole(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// "8-15", both included.
std::optional<tracelib::NodeRange> parse_nodes(std::string_view text) {
  const std::size_t dash = text.find('-');
  NodeId first = 0;
  NodeId last = 0;
  if (!parse_whole(text.substr(0, dash), first)) return std::nullopt;
  if (dash == std::string_view::npos) {
    last = first;
  } else if (!parse_whole(text.substr(dash + 1), last)) {
    return std::nullopt;
  }
  if (first < 0 || last < first) return std::nullopt;
  return tracelib::NodeRange{first, last - first + 1};
}

Status set_key(Job& job, std::string_view key, const std::string& value) {
  const auto wrong = [&](const char* expected) {
    return usage_error(fmt::format("{}: {} '{}'; expected {}", job.file, key, value, expected));
  };
  if (key == "start") {
    const auto start = parse_time(value);
    if (!start || *start < 0) return wrong("a time such as 2ms");
    job.start = *start;
  } else if (key == "scale") {
    if (!parse_whole(value, job.scale) || !(job.scale >= 0 && job.scale <= 1000))
      return wrong("a number from 0 to 1000");
  } else if (key == "mapping") {
    const auto rule = tracelib::parse_mapping(value);
    if (!rule) return usage_error(job.file + ": mapping " + rule.error().message);
    job.mapping = *rule;
  } else if (key == "nodes") {
    job.nodes = parse_nodes(value);
    if (!job.nodes) return wrong("FIRST-LAST");
  } else {
    return usage_error(fmt::format("{}: found '{}'; expected start, scale, mapping or nodes", job.file, key));
  }
  return {};
}

std::int64_t tasks_of(const std::vector<TracePtr>& traces) {
  return std::accumulate(traces.begin(), traces.end(), std::int64_t{0},
                         [](std::int64_t sum, const TracePtr& trace) { return sum + trace->header.tasks; });
}

/// One mapping of the tasks of all jobs.
Result<std::vector<std::vector<NodeId>>> place_together(const std::vector<TracePtr>& traces,
                                                        const Placement& placement) {
  const MappingKind kind = placement.mapping.kind;
  const bool by_task = kind == MappingKind::kFile || kind == MappingKind::kHosts;
  if (by_task && traces.size() > 1)
    return usage_error("--mapping file and hosts are of one trace; expected FILE@mapping=... for each");
  const bool one_each = !by_task && kind != MappingKind::kBlock && kind != MappingKind::kRoundRobin;
  const std::int64_t tasks = tasks_of(traces);
  if (one_each && tasks > placement.nodes) {
    return Error{
        ErrorKind::kInput,
        fmt::format("{} has {} nodes; expected at least one for each of the {} tasks of the {}",
                    placement.network, placement.nodes, tasks, traces.size() == 1 ? "trace" : "traces")};
  }
  if (tasks > std::numeric_limits<formats::TaskId>::max())
    return usage_error(fmt::format("the traces have {} tasks; expected fewer", tasks));
  const auto all = tracelib::make_mapping(placement.mapping, static_cast<formats::TaskId>(tasks),
                                          {0, placement.nodes}, placement.seed, traces.front()->metadata);
  if (!all) return all.error();
  std::vector<std::vector<NodeId>> mappings;
  auto next = all->begin();
  for (const TracePtr& trace : traces) {
    mappings.emplace_back(next, next + trace->header.tasks);
    next += trace->header.tasks;
  }
  return mappings;
}

Result<std::vector<NodeId>> place_alone(const Job& job, const formats::Trace& trace,
                                        const Placement& placement) {
  const tracelib::NodeRange all{0, placement.nodes};
  const tracelib::NodeRange nodes = job.nodes.value_or(all);
  if (nodes.count > placement.nodes - nodes.first)
    return usage_error(fmt::format("{}: nodes {}-{}; {} has the nodes 0 to {}", job.file, nodes.first,
                                   nodes.first + nodes.count - 1, placement.network, placement.nodes - 1));
  auto mapping = tracelib::make_mapping(job.mapping.value_or(placement.mapping), trace.header.tasks, nodes,
                                        placement.seed, trace.metadata);
  if (!mapping) return Error{mapping.error().kind, job.file + ": " + mapping.error().message};
  return mapping;
}

}  // namespace

Result<Job> parse_job(const std::string& text) {
  Job job;
  job.file = text;
  const std::size_t at = text.rfind('@');
  std::error_code ignored;
  if (at == std::string::npos || text.find('=', at) == std::string::npos ||
      std::filesystem::exists(text, ignored))
    return job;
  job.file = text.substr(0, at);
  for (std::size_t begin = at + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string pair = text.substr(begin, end - begin);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (Status status = set_key(job, pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
        !status)
      return status.error();
    begin = end + 1;
  }
  return job;
}

Result<std::vector<tracelib::PlayedTrace>> place_jobs(const std::vector<Job>& jobs,
                                                      const std::vector<TracePtr>& traces,
                                                      const Placement& placement) {
  const bool apart = std::any_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return job.mapping.has_value() || job.nodes.has_value();
  });
  std::vector<std::vector<NodeId>> mappings;
  if (!apart) {
    auto together = place_together(traces, placement);
    if (!together) return together.error();
    mappings = std::move(*together);
  }
  for (std::size_t i = 0; apart && i < jobs.size(); ++i) {
    auto mapping = place_alone(jobs[i], *traces[i], placement);
    if (!mapping) return mapping.error();
    mappings.push_back(std::move(*mapping));
  }
  std::vector<tracelib::PlayedTrace> played;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    played.push_back(
        {traces[i], std::move(mappings[i]), placement.compute_scale * jobs[i].scale, jobs[i].start});
  return played;
}

}  // namespace vef::cli
