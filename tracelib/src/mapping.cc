// SPDX-License-Identifier: Apache-2.0
#include "vef/tracelib/mapping.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <utility>

namespace vef::tracelib {

namespace {

using formats::TaskId;

constexpr NodeId kNone = -1;
constexpr const char* kExpected =
    "expected linear, round-robin, block:K, interleaved:K, random, file:PATH or hosts";

/// The whole of `text`, `lowest` or more.
std::optional<std::int32_t> parse_int(std::string_view text, std::int32_t lowest) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest) return std::nullopt;
  return value;
}

/// Places 0, 1, ... in the range for the tasks, of which there are at most as many.
std::vector<NodeId> shuffled(TaskId tasks, NodeId nodes, std::uint64_t seed) {
  std::vector<NodeId> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  // Fisher-Yates with our own bounded draw: std::shuffle and std::uniform_int_distribution may differ
  // between standard libraries, mt19937_64 may not.
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) {
    const std::uint64_t limit = i * (~std::uint64_t{0} / i);
    std::uint64_t draw = random();
    while (draw >= limit) draw = random();
    std::swap(order[i - 1], order[draw % i]);
  }
  order.resize(static_cast<std::size_t>(tasks));
  return order;
}

std::vector<NodeId> interleaved(TaskId tasks, NodeId nodes, NodeId stride) {
  std::vector<NodeId> places;
  for (NodeId begin = 0; begin < stride; ++begin) {
    for (std::int64_t node = begin; node < nodes; node += stride) {
      if (places.size() == static_cast<std::size_t>(tasks)) return places;
      places.push_back(static_cast<NodeId>(node));
    }
  }
  return places;
}

/// The tasks of a host as the metadata name them: "0-3 8".
bool read_ranks(const std::string& text, std::vector<TaskId>& ranks) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t dash = word.find('-');
    const auto first = parse_int(word.substr(0, dash), 0);
    const auto last = dash == std::string::npos ? first : parse_int(word.substr(dash + 1), 0);
    if (!first || !last || *last < *first) return false;
    for (TaskId rank = *first; rank <= *last; ++rank) ranks.push_back(rank);
  }
  return !ranks.empty();
}

/// "node0: ranks 0-3 8; node1: ranks 4-7" -> place of each task.
Result<std::vector<NodeId>> by_hosts(TaskId tasks, const formats::Metadata& metadata) {
  const auto hosts = std::find_if(metadata.begin(), metadata.end(),
                                  [](const auto& entry) { return entry.first == "hosts"; });
  if (hosts == metadata.end())
    return usage_error(
        "mapping hosts: the trace does not name the hosts of its tasks; expected a .vef.zst or .vefb of vef "
        "merge");
  std::vector<std::vector<TaskId>> ranks_of;
  std::string_view left = hosts->second;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find("; "), left.size());
    const std::string_view host = left.substr(0, end);
    left.remove_prefix(std::min(end + 2, left.size()));
    constexpr std::string_view kRanks = ": ranks ";
    const std::size_t at = host.rfind(kRanks);
    if (at == std::string_view::npos ||
        !read_ranks(std::string(host.substr(at + kRanks.size())), ranks_of.emplace_back()))
      return usage_error("mapping hosts: '" + std::string(host) + "' in the trace; expected HOST: ranks ...");
  }
  std::sort(ranks_of.begin(), ranks_of.end());
  std::vector<NodeId> places(static_cast<std::size_t>(tasks), kNone);
  for (std::size_t host = 0; host < ranks_of.size(); ++host) {
    for (const TaskId rank : ranks_of[host]) {
      if (rank < tasks) places[static_cast<std::size_t>(rank)] = static_cast<NodeId>(host);
    }
  }
  if (const auto lost = std::find(places.begin(), places.end(), kNone); lost != places.end())
    return usage_error("mapping hosts: the trace names no host of task " +
                       std::to_string(lost - places.begin()) + "; expected one for each task");
  return places;
}

/// Numbers of nodes as the file has them.
Result<std::vector<NodeId>> from_file(const std::string& path, TaskId tasks, NodeRange nodes) {
  std::ifstream in(path);
  if (!in) return system_error(path, "cannot open", errno);
  std::vector<NodeId> places(static_cast<std::size_t>(tasks), kNone);
  std::string text;
  for (unsigned long long line = 1; std::getline(in, text); ++line) {
    std::istringstream words(text.substr(0, text.find('#')));
    std::string task_word, node_word, further;
    if (!(words >> task_word)) continue;
    words >> node_word;
    const auto task = parse_int(task_word, 0);
    const auto node = parse_int(node_word, nodes.first);
    if (!task || *task >= tasks)
      return input_error(path, line, "task '" + task_word + "'; expected 0 to " + std::to_string(tasks - 1));
    if (!node || *node - nodes.first >= nodes.count)
      return input_error(path, line,
                         "node '" + node_word + "'; expected " + std::to_string(nodes.first) + " to " +
                             std::to_string(nodes.first + nodes.count - 1));
    if (words >> further) return input_error(path, line, "'" + further + "'; expected one task and one node");
    NodeId& place = places[static_cast<std::size_t>(*task)];
    if (place != kNone)
      return input_error(path, line, "task " + task_word + " a second time; expected it once");
    place = *node - nodes.first;
  }
  if (const auto lost = std::find(places.begin(), places.end(), kNone); lost != places.end())
    return input_error(path, 0,
                       "no node for task " + std::to_string(lost - places.begin()) +
                           "; expected one for each of the " + std::to_string(tasks) + " tasks");
  return places;
}

}  // namespace

Result<MappingRule> parse_mapping(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view value = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  constexpr std::pair<std::string_view, MappingKind> kPlain[] = {{"linear", MappingKind::kLinear},
                                                                 {"round-robin", MappingKind::kRoundRobin},
                                                                 {"random", MappingKind::kRandom},
                                                                 {"hosts", MappingKind::kHosts}};
  for (const auto& [known, kind] : kPlain) {
    if (text == known) return MappingRule{kind, 1, ""};
  }
  if (name == "file" && !value.empty()) return MappingRule{MappingKind::kFile, 1, std::string(value)};
  if (const auto count = parse_int(value, 1); count && (name == "block" || name == "interleaved"))
    return MappingRule{name == "block" ? MappingKind::kBlock : MappingKind::kInterleaved, *count, ""};
  return usage_error("'" + std::string(text) + "' is no mapping; " + kExpected);
}

Result<std::vector<NodeId>> make_mapping(const MappingRule& rule, TaskId tasks, NodeRange nodes,
                                         std::uint64_t seed, const formats::Metadata& metadata) {
  std::vector<NodeId> places(static_cast<std::size_t>(tasks));
  std::int64_t needed = tasks;
  switch (rule.kind) {
    case MappingKind::kBlock:
      needed = (std::int64_t{tasks} + rule.count - 1) / rule.count;
      for (TaskId task = 0; task < tasks; ++task) places[static_cast<std::size_t>(task)] = task / rule.count;
      break;
    case MappingKind::kRoundRobin:
      needed = 1;
      for (TaskId task = 0; task < tasks; ++task)
        places[static_cast<std::size_t>(task)] = task % std::max(nodes.count, 1);
      break;
    case MappingKind::kHosts:
    case MappingKind::kFile: {
      auto given =
          rule.kind == MappingKind::kFile ? from_file(rule.file, tasks, nodes) : by_hosts(tasks, metadata);
      if (!given) return given;
      places = std::move(*given);
      needed = *std::max_element(places.begin(), places.end()) + 1;
      break;
    }
    default:
      std::iota(places.begin(), places.end(), 0);
      break;
  }
  if (needed > nodes.count) {
    return usage_error("the trace has " + std::to_string(tasks) + " tasks for " + std::to_string(needed) +
                       " nodes; expected at most " + std::to_string(nodes.count) + " nodes");
  }
  if (rule.kind == MappingKind::kRandom) places = shuffled(tasks, nodes.count, seed);
  if (rule.kind == MappingKind::kInterleaved) places = interleaved(tasks, nodes.count, rule.count);
  for (NodeId& place : places) place += nodes.first;
  return places;
}

}  // namespace vef::tracelib
