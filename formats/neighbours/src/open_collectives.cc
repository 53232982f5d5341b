// SPDX-License-Identifier: Apache-2.0
#include "open_collectives.h"

#include <algorithm>
#include <utility>

namespace vef::neighbours {

namespace {

Error fault(std::uint64_t id, const std::string& message) {
  return {ErrorKind::kInput, "G" + std::to_string(id) + ": " + message + "; `vef check` says more"};
}

}  // namespace

std::int32_t OpenCollectives::rank_in(formats::CommId comm, formats::TaskId task) {
  if (comm == 0) return task;
  const auto& members = communicators_[static_cast<std::size_t>(comm)];
  auto& ranks = ranks_[static_cast<std::size_t>(comm)];
  if (ranks.empty()) {
    for (std::size_t i = 0; i < members.size(); ++i) ranks.emplace(members[i], static_cast<std::int32_t>(i));
  }
  const auto found = ranks.find(task);
  return found == ranks.end() ? -1 : found->second;
}

Result<std::optional<OpenCollectives::Whole>> OpenCollectives::add(const formats::Record& part,
                                                                   std::uint64_t note) {
  const auto [entry, is_new] = open_.try_emplace(part.id);
  Open& open = entry->second;
  if (is_new) {
    const std::size_t members = communicators_[static_cast<std::size_t>(part.comm)].size();
    open.whole.id = part.id;
    open.whole.comm = part.comm;
    open.whole.call.op = part.op;
    open.whole.call.send_bytes.resize(members);
    open.whole.call.recv_bytes.resize(members);
    open.whole.notes.resize(members);
    open.present.resize(members);
    open.missing = members;
  }
  if (open.whole.comm != part.comm || open.whole.call.op != part.op)
    return fault(part.id, "two operations or two communicators; expected one");
  const std::int32_t rank = rank_in(part.comm, part.task);
  if (rank < 0) return fault(part.id, "task " + std::to_string(part.task) + " is not in its communicator");
  const auto index = static_cast<std::size_t>(rank);
  if (open.present[index]) return fault(part.id, "task " + std::to_string(part.task) + " takes part twice");
  open.present[index] = true;
  open.whole.call.send_bytes[index] = part.send_bytes;
  open.whole.call.recv_bytes[index] = part.recv_bytes;
  open.whole.notes[index] = note;
  if (--open.missing != 0) return std::optional<Whole>();
  std::optional<Whole> whole = std::move(open.whole);
  open_.erase(entry);
  return whole;
}

Status OpenCollectives::finish() const {
  if (open_.empty()) return {};
  const auto first = std::min_element(open_.begin(), open_.end(),
                                      [](const auto& a, const auto& b) { return a.first < b.first; });
  return fault(first->first, std::to_string(first->second.missing) + " members take no part");
}

}  // namespace vef::neighbours
