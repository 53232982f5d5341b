// SPDX-License-Identifier: Apache-2.0
// The JSON that the page's script draws the figures from (page/main.js reads it), and the summary for
// programs.
#include <nlohmann/json.hpp>

#include "pack.h"
#include "page_parts.h"
#include "vef/analyzer/report.h"

namespace vef::analyzer {
namespace {

using Json = nlohmann::ordered_json;

double in_seconds(Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kPicosPerSecond);
}

Json operations_json(const Analysis& analysis) {
  Json list = Json::array();
  for (int op = 0; op < kOperations; ++op) {
    const auto index = static_cast<std::size_t>(op);
    const OperationCounts& counts = analysis.operations[index];
    if (counts.calls == 0 && counts.messages == 0) continue;
    Json entry;
    entry["name"] = std::string(operation_name(op));
    entry["style"] = op;
    entry["calls"] = counts.calls;
    entry["callBytes"] = counts.call_bytes;
    entry["messages"] = counts.messages;
    entry["messageBytes"] = counts.message_bytes;
    if (counts.messages > 0) {
      entry["messagesOverTime"] = analysis.over_time.messages[index];
      entry["bytesOverTime"] = analysis.over_time.bytes[index];
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json sizes_json(const SizeHistogram& sizes) {
  Json list = Json::array();
  for (std::size_t size_class = 0; size_class < kSizeClasses; ++size_class) {
    std::uint64_t in_collectives = 0;
    for (std::size_t op = 1; op < kOperations; ++op) in_collectives += sizes.messages[op][size_class];
    const std::uint64_t sends = sizes.messages[kSend][size_class];
    if (sends == 0 && in_collectives == 0) continue;
    list.push_back({{"class", size_class}, {"sends", sends}, {"inCollectives", in_collectives}});
  }
  return list;
}

}  // namespace

Result<std::string> page_data(const Analysis& analysis) {
  Result<std::string> packed = gzip(pack_matrix(analysis.matrix));
  if (!packed) return packed.error();
  const TimeSeries& series = analysis.over_time;
  Json data;
  data["name"] = analysis.source;
  data["operations"] = operations_json(analysis);
  data["time"] = {{"begin", in_seconds(series.begin)},
                  {"width", in_seconds(series.width)},
                  {"intervals", series.intervals}};
  data["sizes"] = sizes_json(analysis.sizes);
  data["matrix"] = {{"tasks", analysis.matrix.tasks},
                    {"block", analysis.matrix.block},
                    {"side", analysis.matrix.side},
                    {"packed", base64(*packed)}};
  return data.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string summary_json(const Analysis& analysis) {
  const OperationCounts total = analysis.total();
  Json out;
  out["trace"] = analysis.source;
  out["tasks"] = analysis.header.tasks;
  out["records"] = analysis.records;
  out["marks"] = analysis.marks;
  out["communicators"] = analysis.communicators.size();
  out["expansion"] = std::string(tracelib::expansion_name(analysis.expansion));
  out["calls"] = total.calls;
  out["call_bytes"] = total.call_bytes;
  out["messages"] = total.messages;
  out["message_bytes"] = total.message_bytes;
  out["ideal_time_ps"] = analysis.ideal_time;
  for (int op = 0; op < kOperations; ++op) {
    const OperationCounts& counts = analysis.operations[static_cast<std::size_t>(op)];
    out["operations"][std::string(operation_name(op))] = {{"calls", counts.calls},
                                                          {"operations", counts.operations},
                                                          {"call_bytes", counts.call_bytes},
                                                          {"messages", counts.messages},
                                                          {"message_bytes", counts.message_bytes},
                                                          {"self_messages", counts.self_messages}};
  }
  return out.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace vef::analyzer
