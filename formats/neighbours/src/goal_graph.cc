// SPDX-License-Identifier: Apache-2.0
#include "goal_graph.h"

#include <array>
#include <cstring>
#include <unordered_map>

namespace vef::neighbours {

using formats::DepKind;

/// As it lies in the spool.
struct GoalGraph::Entry {
  enum class Type : std::uint8_t { kOp, kEdge, kNamedEdge };

  Type type = Type::kOp;
  GoalKind kind = GoalKind::kCalc;
  DepKind name = DepKind::kIndependent;  // of the operation, or of what is needed
  std::uint8_t cpu = 0;
  std::uint8_t start = 0;
  std::uint32_t peer_or_op = 0;
  std::uint32_t tag_or_needs = 0;
  std::uint64_t size = 0;
  std::uint64_t id = 0;
};

namespace {

const char* noun(DepKind kind) {
  if (kind == DepKind::kSend) return "a message it sends, ";
  return kind == DepKind::kReceive ? "a message to it, " : "a collective it takes part in, G";
}

}  // namespace

void GoalGraph::append(std::size_t rank, const Entry& entry) {
  if (!status_) return;
  std::array<char, sizeof(Entry)> bytes;
  std::memcpy(bytes.data(), &entry, sizeof(entry));
  status_ = spool_.append(rank, {bytes.data(), bytes.size()});
}

std::uint32_t GoalGraph::add(std::size_t rank, const GoalOp& op, GoalName name) {
  if (counts_[rank] == kNone - 1 && status_)
    status_ =
        input_error(path_, 0, "rank " + std::to_string(rank) + " has more operations than GOAL can number");
  Entry entry;
  entry.kind = op.kind;
  entry.name = name.kind;
  entry.cpu = op.cpu;
  entry.peer_or_op = op.peer;
  entry.tag_or_needs = op.tag;
  entry.size = op.size;
  entry.id = name.id;
  append(rank, entry);
  return counts_[rank]++;
}

void GoalGraph::require(std::size_t rank, GoalEdge edge) {
  Entry entry;
  entry.type = Entry::Type::kEdge;
  entry.start = edge.start ? 1 : 0;
  entry.peer_or_op = edge.op;
  entry.tag_or_needs = edge.needs;
  append(rank, entry);
}

void GoalGraph::require(std::size_t rank, std::uint32_t op, GoalName needs) {
  Entry entry;
  entry.type = Entry::Type::kNamedEdge;
  entry.name = needs.kind;
  entry.start = needs.kind == DepKind::kSend ? 1 : 0;
  entry.peer_or_op = op;
  entry.id = needs.id;
  append(rank, entry);
}

Status GoalGraph::put_together(std::size_t rank, GoalRank& out) {
  const auto bytes = spool_.take(rank);
  if (!bytes) return bytes.error();
  out.clear();
  out.ops.reserve(counts_[rank]);
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, 4> named;  // by kind
  std::vector<Entry> named_edges;
  for (std::size_t at = 0; at < bytes->size(); at += sizeof(Entry)) {
    Entry entry;
    std::memcpy(&entry, bytes->data() + at, sizeof(entry));
    if (entry.type == Entry::Type::kEdge) {
      out.edges.push_back({entry.peer_or_op, entry.tag_or_needs, entry.start != 0});
    } else if (entry.type == Entry::Type::kNamedEdge) {
      named_edges.push_back(entry);
    } else {
      const auto index = static_cast<std::uint32_t>(out.ops.size());
      GoalOp op;
      op.kind = entry.kind;
      op.size = entry.size;
      op.peer = entry.peer_or_op;
      op.tag = entry.tag_or_needs;
      op.cpu = entry.cpu;
      out.ops.push_back(op);
      if (entry.name == DepKind::kIndependent) continue;
      if (!named[static_cast<std::size_t>(entry.name)].try_emplace(entry.id, index).second)
        return input_error(path_, 0,
                           "task " + std::to_string(rank) + " has twice " + noun(entry.name) +
                               std::to_string(entry.id) + "; expected different ids");
    }
  }
  for (const Entry& edge : named_edges) {
    const auto& ids = named[static_cast<std::size_t>(edge.name)];
    const auto found = ids.find(edge.id);
    if (found == ids.end())
      return input_error(path_, 0,
                         "task " + std::to_string(rank) + " waits for " + noun(edge.name) +
                             std::to_string(edge.id) + ", which does not exist; `vef check` says more");
    out.edges.push_back({edge.peer_or_op, found->second, edge.start != 0});
  }
  return {};
}

}  // namespace vef::neighbours
