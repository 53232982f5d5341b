// SPDX-License-Identifier: Apache-2.0
// Summary cards and tables: HTML that says the numbers without any script.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "escape.h"
#include "page_parts.h"
#include "vef/base/units.h"

namespace vef::analyzer {
namespace {

constexpr std::size_t kBusiestPairs = 20;
constexpr std::size_t kShownCommunicators = 50;

std::string card(const std::string& name, const std::string& value, const std::string& detail) {
  return "<div class=\"card\"><div class=\"name\">" + escape_html(name) + "</div><div class=\"value\">" +
         escape_html(value) + "</div><div class=\"detail\">" + escape_html(detail) + "</div></div>\n";
}

std::string cells(const std::vector<std::string>& texts, const char* element) {
  std::string row = "<tr>";
  for (const std::string& text : texts) {
    row += std::string("<") + element + ">" + escape_html(text) + "</" + element + ">";
  }
  return row + "</tr>\n";
}

std::string table(const std::string& caption, const std::vector<std::string>& head, const std::string& body,
                  const std::string& foot = {}) {
  return "<div class=\"scroll\"><table>\n<caption>" + escape_html(caption) + "</caption>\n<thead>" +
         cells(head, "th") + "</thead>\n<tbody>\n" + body + "</tbody>\n" +
         (foot.empty() ? "" : "<tfoot>" + foot + "</tfoot>\n") + "</table></div>\n";
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "–";
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::vector<std::string> operation_cells(const std::string& name, const OperationCounts& counts,
                                         std::uint64_t all_message_bytes) {
  return {name,
          format_count(counts.calls),
          format_count(counts.operations),
          format_bytes(counts.call_bytes),
          format_count(counts.messages),
          format_count(counts.self_messages),
          format_bytes(counts.message_bytes),
          format_count(counts.message_bytes),
          share(counts.message_bytes, all_message_bytes)};
}

std::string operations_table(const Analysis& analysis) {
  const OperationCounts total = analysis.total();
  std::string body;
  for (int op = 0; op < kOperations; ++op) {
    const OperationCounts& counts = analysis.operations[static_cast<std::size_t>(op)];
    if (counts.calls == 0) continue;
    body += cells(operation_cells(std::string(operation_name(op)), counts, total.message_bytes), "td");
  }
  return "<h2>Operations</h2>\n" +
         table("Calls and buffers as recorded; messages after the expansion of collectives.",
               {"Operation", "Calls", "Operations", "Buffers", "Messages", "To itself", "Message bytes",
                "Exactly", "Share of bytes"},
               body, cells(operation_cells("all", total, total.message_bytes), "td"));
}

std::string task_range(std::int64_t block_index, const TrafficMatrix& matrix) {
  const std::int64_t first = block_index * matrix.block;
  if (matrix.block == 1) return std::to_string(first);
  return std::to_string(first) + "–" + std::to_string(std::min(first + matrix.block, matrix.tasks) - 1);
}

std::string pairs_table(const Analysis& analysis) {
  const TrafficMatrix& matrix = analysis.matrix;
  const OperationCounts total = analysis.total();
  std::vector<std::size_t> pairs;
  for (std::size_t cell = 0; cell < matrix.messages.size(); ++cell) {
    if (matrix.messages[cell] > 0) pairs.push_back(cell);
  }
  const std::size_t shown = std::min(kBusiestPairs, pairs.size());
  std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(shown), pairs.end(),
                    [&matrix](std::size_t a, std::size_t b) {
                      if (matrix.bytes[a] != matrix.bytes[b]) return matrix.bytes[a] > matrix.bytes[b];
                      if (matrix.messages[a] != matrix.messages[b])
                        return matrix.messages[a] > matrix.messages[b];
                      return a < b;
                    });
  std::string body;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t cell = pairs[i];
    const auto row = static_cast<std::int64_t>(cell) / matrix.side;
    const auto column = static_cast<std::int64_t>(cell) % matrix.side;
    body += cells({task_range(row, matrix) + " → " + task_range(column, matrix),
                   format_count(matrix.messages[cell]), format_bytes(matrix.bytes[cell]),
                   format_count(matrix.bytes[cell]), share(matrix.bytes[cell], total.message_bytes)},
                  "td");
  }
  const std::string caption =
      (shown < pairs.size()
           ? "The " + std::to_string(shown) + " of " + format_count(pairs.size()) +
                 " pairs with the most bytes."
           : "All " + std::to_string(shown) + " pairs that exchange messages, most bytes first.");
  return "<h2>Busiest pairs</h2>\n" +
         table(caption, {"Source → destination", "Messages", "Bytes", "Exactly", "Share of bytes"}, body);
}

std::string communicators_table(const Analysis& analysis) {
  std::vector<std::size_t> order(analysis.communicators.size());
  for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
  const std::size_t shown = std::min(kShownCommunicators, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&analysis](std::size_t a, std::size_t b) {
                      const CommunicatorCounts& left = analysis.communicators[a];
                      const CommunicatorCounts& right = analysis.communicators[b];
                      return left.call_bytes != right.call_bytes ? left.call_bytes > right.call_bytes : a < b;
                    });
  std::string body;
  for (std::size_t i = 0; i < shown; ++i) {
    const CommunicatorCounts& counts = analysis.communicators[order[i]];
    body +=
        cells({order[i] == 0 ? "0 (world)" : std::to_string(order[i]), format_count(counts.members),
               format_count(counts.operations), format_count(counts.calls), format_bytes(counts.call_bytes)},
              "td");
  }
  const std::string caption =
      shown < order.size()
          ? "The " + std::to_string(shown) + " of " + format_count(order.size()) +
                " communicators with the most bytes."
          : "Collective operations on each; point-to-point messages belong to none in a VEF trace.";
  return "<h2>Communicators</h2>\n" +
         table(caption, {"Communicator", "Tasks", "Operations", "Calls", "Buffers"}, body);
}

std::string sizes_table(const Analysis& analysis) {
  const OperationCounts total = analysis.total();
  std::string body;
  for (int size_class = 0; size_class < kSizeClasses; ++size_class) {
    const auto index = static_cast<std::size_t>(size_class);
    std::uint64_t in_collectives = 0;
    for (std::size_t op = 1; op < kOperations; ++op) in_collectives += analysis.sizes.messages[op][index];
    const std::uint64_t sends = analysis.sizes.messages[kSend][index];
    if (sends + in_collectives == 0) continue;
    const std::uint64_t begin = size_class_begin(size_class);
    body += cells({begin <= 1 ? format_bytes(begin) : "from " + format_bytes(begin), format_count(sends),
                   format_count(in_collectives), share(sends + in_collectives, total.messages)},
                  "td");
  }
  return "<h2>Message sizes</h2>\n" + table("Each class ends below the next power of two.",
                                            {"Size", "Sends", "In collectives", "Share of messages"}, body);
}

}  // namespace

std::string time_text(Picoseconds time) {
  std::string text = format_time(time);
  if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "µ");
  return text;
}

std::string page_title(const Analysis& analysis) {
  for (const auto& [key, value] : analysis.metadata) {
    // A recording names the program as it was started, often with folders.
    const std::size_t name = value.find_last_of('/') + 1;  // 0 if there is none
    if (key == "application" && name < value.size()) return "Communication of " + value.substr(name);
  }
  return "Communication of " + analysis.source;
}

std::string cards_html(const Analysis& analysis) {
  const OperationCounts total = analysis.total();
  const OperationCounts& sends = analysis.operations[kSend];
  std::string out;
  out += card("Tasks", format_count(static_cast<std::uint64_t>(analysis.header.tasks)), "MPI processes");
  out +=
      card("Records", format_count(analysis.records),
           analysis.marks == 0 ? "one per call" : format_count(analysis.marks) + " of them marks of waits");
  out += card("MPI calls", format_count(total.calls), format_bytes(total.call_bytes) + " in their buffers");
  out += card("Messages", format_count(total.messages), format_count(sends.messages) + " point-to-point");
  out +=
      card("Bytes in messages", format_bytes(total.message_bytes), format_count(total.message_bytes) + " B");
  out += card("Collectives", format_count(total.operations - sends.operations),
              "on " + format_count(analysis.communicators.size()) +
                  (analysis.communicators.size() == 1 ? " communicator" : " communicators"));
  out += card("Ideal-network time", time_text(analysis.ideal_time), "computing and dependencies only");
  return out;
}

std::string metadata_html(const Analysis& analysis) {
  if (analysis.metadata.empty()) return {};
  constexpr std::size_t kLongest = 2000;
  std::string rows;
  for (const auto& [key, value] : analysis.metadata) {
    const std::string text = value.size() > kLongest ? value.substr(0, kLongest) + " …" : value;
    rows += "<tr><th>" + escape_html(key) + "</th><td>" + escape_html(text) + "</td></tr>\n";
  }
  return "<div class=\"metadata\"><table>\n" + rows + "</table></div>\n";
}

std::string tables_html(const Analysis& analysis) {
  return operations_table(analysis) + "<div class=\"pair\"><div>" + pairs_table(analysis) + "</div><div>" +
         sizes_table(analysis) + communicators_table(analysis) + "</div></div>\n";
}

}  // namespace vef::analyzer
