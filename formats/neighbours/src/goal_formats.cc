// SPDX-License-Identifier: Apache-2.0
// GOAL's two forms in the list of formats, and between each other.
#include <limits>

#include "format_list.h"
#include "goal.h"
#include "goal_binary.h"
#include "goal_records.h"
#include "goal_trace_writer.h"
#include "little_endian.h"
#include "metadata_loss.h"

namespace vef::neighbours {

using formats::TraceReader;
using formats::TraceWriter;

namespace {

using Open = Result<std::unique_ptr<GoalInput>> (*)(const std::string&);
using Create = Result<std::unique_ptr<GoalOutput>> (*)(const std::string&, std::uint32_t ranks, int level);

template <Open open>
Result<std::unique_ptr<TraceReader>> open_trace_of(const std::string& path, const Options& options,
                                                   Losses& losses) {
  return open_counted(
      path,
      [path](Losses& counted) -> Result<std::unique_ptr<RecordSource>> {
        auto input = open(path);
        if (!input) return input.error();
        return open_goal_records(std::move(*input), path, counted);
      },
      losses, options.progress);
}

template <Create create>
Result<std::unique_ptr<TraceWriter>> create_trace_of(const std::string& path, const TraceReader& trace,
                                                     const Options& options, Losses& losses) {
  const auto ranks = static_cast<std::uint32_t>(trace.header().tasks);
  if (ranks > kGoalMaxRanks)
    return input_error(path, 0,
                       std::to_string(ranks) + " tasks; expected at most " + std::to_string(kGoalMaxRanks));
  note_metadata(trace, losses);
  auto output = create(path, ranks, options.level);
  if (!output) return output.error();
  return create_goal_trace(path, trace, options, losses, std::move(*output));
}

template <Open open, Create create>
Result<std::uint64_t> copy(const std::string& from, const std::string& to, const Options& options) {
  auto input = open(from);
  if (!input) return input.error();
  auto output = create(to, (*input)->ranks(), options.level);
  if (!output) return output.error();
  GoalRank rank;
  for (std::uint64_t operations = 0;; operations += rank.ops.size()) {
    if (options.progress) options.progress((*input)->bytes_read(), (*input)->bytes_total());
    const auto more = (*input)->next(rank);
    if (!more) return more.error();
    if (!*more) {
      if (Status status = (*output)->finish(); !status) return status.error();
      return operations;
    }
    if (Status status = (*output)->write(rank); !status) return status.error();
  }
}

Result<std::unique_ptr<GoalOutput>> create_binary(const std::string& path, std::uint32_t ranks, int) {
  if (Status status = refuse_compressed(path); !status) return status.error();
  return create_goal_binary(path, ranks);
}

constexpr std::string_view kKeeps = "messages, sizes, computing, dependencies; collectives as their messages";
constexpr std::string_view kLoses =
    "in: tags, further processors and interfaces, the freedom of a rank's operations to change places; out: "
    "metadata";

bool is_text(std::string_view head) {
  for (;;) {
    while (!head.empty() &&
           (head.front() == ' ' || head.front() == '\t' || head.front() == '\n' || head.front() == '\r'))
      head.remove_prefix(1);
    const bool line = head.starts_with("//");
    if (!line && !head.starts_with("/*")) return head.starts_with("num_ranks");
    const std::size_t end = head.find(line ? "\n" : "*/");
    if (end == std::string_view::npos) return false;
    head.remove_prefix(end + (line ? 1 : 2));
  }
}

bool is_binary(std::string_view head) {
  std::size_t at = 0;
  if (head.size() < kGoalBase) return false;
  const auto magic = take_little<std::uint64_t>(head, at);
  return magic == kGoalMagic || magic == kGoalSpoiltMagic;
}

}  // namespace

Format goal_text_format() {
  Format format;
  format.name = "goal";
  format.title = "GOAL schedule of LogGOPSim and ATLAHS, text (.gz and .zst compress)";
  format.endings = {".goal"};
  format.keeps = kKeeps;
  format.loses = kLoses;
  format.recognises = is_text;
  format.open = open_trace_of<open_goal_text>;
  format.create = create_trace_of<create_goal_text>;
  return format;
}

Format goal_binary_format() {
  Format format;
  format.name = "goal-bin";
  format.title = "GOAL schedule of LogGOPSim and ATLAHS, binary";
  format.endings = {".goal.bin", ".bin"};
  format.keeps = kKeeps;
  format.loses = kLoses;
  format.recognises = is_binary;
  format.open = open_trace_of<open_goal_binary>;
  format.create = create_trace_of<create_binary>;
  return format;
}

std::vector<DirectConversion> goal_conversions() {
  return {{"goal", "goal", copy<open_goal_text, create_goal_text>},
          {"goal", "goal-bin", copy<open_goal_text, create_binary>},
          {"goal-bin", "goal", copy<open_goal_binary, create_goal_text>},
          {"goal-bin", "goal-bin", copy<open_goal_binary, create_binary>}};
}

}  // namespace vef::neighbours
