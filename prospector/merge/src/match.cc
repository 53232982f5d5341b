// SPDX-License-Identifier: Apache-2.0
#include "match.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_set>

#include "vef/formats/mpi_call.h"

namespace vef::merge {

namespace {

using formats::kAnySource;
using formats::kAnyTag;
using formats::TaskId;

/// A send to, or a receive of, one destination; sorts into groups that match among themselves.
struct Item {
  std::uint32_t comm = 0;  // global
  TaskId source = 0;
  std::int32_t tag = 0;
  std::uint32_t sequence = 0;
  std::uint32_t index = 0;
  std::uint32_t channel = 0;  // of partitioned messages, from 1

  auto group() const { return std::tie(comm, source, tag, channel); }
  bool operator<(const Item& other) const {
    return std::tie(comm, source, tag, channel, sequence, index) <
           std::tie(other.comm, other.source, other.tag, other.channel, other.sequence, other.index);
  }
};

/// A send that no receive took, and how many there were on its (communicator, source, tag).
struct LeftSend {
  Item item;
  std::uint64_t nth = 0;
  std::uint64_t receives = 0;
  bool taken = false;
};

struct LeftReceive {
  Item item;
  std::uint64_t sends = 0;
};

bool is_probe(const Receive& receive) { return receive.kind == ReceiveKind::kProbe; }

Item item_of(std::uint32_t comm, TaskId source, const Send& send, std::uint32_t index) {
  const bool partitioned = (send.flags & Send::kPartitioned) != 0;
  return {comm, source, send.tag, partitioned ? 0 : send.sequence, index, partitioned ? send.sequence : 0};
}

Item item_of(const RankData& rank, std::uint32_t index) {
  const Receive& receive = rank.receives[index];
  const bool partitioned = receive.kind == ReceiveKind::kPartitioned;
  return {rank.comms[receive.comm].global,    receive.source, receive.tag,
          partitioned ? 0 : receive.sequence, index,          partitioned ? receive.sequence : 0};
}

std::string count_of(std::uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

class Matcher {
 public:
  Matcher(std::vector<RankData>& ranks, const CommTable& comms, const MessageNumbers& numbers,
          std::vector<Unmatched>& unmatched)
      : ranks_(ranks), comms_(comms), numbers_(numbers), unmatched_(unmatched) {}

  void match_all() {
    bucket_sends();
    for (RankData& rank : ranks_) match_rank(rank);
  }

  std::uint64_t never_completed = 0;
  std::uint64_t freed_wildcards = 0;
  std::uint64_t other_size = 0;  // messages whose receiver saw another size than was sent

 private:
  struct SendRef {
    TaskId source = 0;
    std::uint32_t index = 0;
  };

  void bucket_sends();
  void match_rank(RankData& rank);
  void match_groups(RankData& rank);
  std::size_t match_group(RankData& rank, std::size_t receive, std::size_t first_send, std::size_t last_send);
  void match_around_holes(RankData& rank, std::span<const Item> sends, std::span<const Item> receives);
  void match_wildcards(RankData& rank);
  void link(RankData& rank, Receive& receive, const Item& send);
  void report_sends(RankData& rank);
  void report_receives(const RankData& rank);
  Send& send_of(const Item& item) { return ranks_[static_cast<std::size_t>(item.source)].sends[item.index]; }

  std::vector<RankData>& ranks_;
  const CommTable& comms_;
  const MessageNumbers& numbers_;
  std::vector<Unmatched>& unmatched_;
  std::vector<std::size_t> offsets_;  // by destination, into refs_
  std::vector<SendRef> refs_;
  std::vector<Item> sends_;     // of the destination at work
  std::vector<Item> receives_;  // likewise; those whose source and tag are known
  std::vector<std::uint32_t> wildcards_;
  std::vector<LeftSend> left_sends_;
  std::vector<LeftReceive> left_receives_;
};

void Matcher::bucket_sends() {
  offsets_.assign(ranks_.size() + 1, 0);
  for (const RankData& rank : ranks_) {
    for (const Send& send : rank.sends) ++offsets_[static_cast<std::size_t>(send.peer) + 1];
  }
  for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  refs_.resize(offsets_.back());
  std::vector<std::size_t> at(offsets_.begin(), offsets_.end() - 1);
  for (const RankData& rank : ranks_) {
    for (std::uint32_t i = 0; i < rank.sends.size(); ++i) {
      refs_[at[static_cast<std::size_t>(rank.sends[i].peer)]++] = {rank.rank, i};
    }
  }
}

void Matcher::match_rank(RankData& rank) {
  const auto destination = static_cast<std::size_t>(rank.rank);
  sends_.clear();
  receives_.clear();
  wildcards_.clear();
  left_sends_.clear();
  left_receives_.clear();
  for (std::size_t i = offsets_[destination]; i < offsets_[destination + 1]; ++i) {
    const RankData& source = ranks_[static_cast<std::size_t>(refs_[i].source)];
    const Send& send = source.sends[refs_[i].index];
    if ((send.flags & Send::kCancelled) != 0) continue;
    sends_.push_back(item_of(source.comms[send.comm].global, source.rank, send, refs_[i].index));
  }
  for (std::uint32_t i = 0; i < rank.receives.size(); ++i) {
    const Receive& receive = rank.receives[i];
    if (receive.state == ReceiveState::kCancelled) continue;
    if (receive.source == kAnySource || receive.tag == kAnyTag) {
      wildcards_.push_back(i);
    } else {
      receives_.push_back(item_of(rank, i));
    }
  }
  std::sort(sends_.begin(), sends_.end());
  std::sort(receives_.begin(), receives_.end());
  match_groups(rank);
  match_wildcards(rank);
  report_sends(rank);
  report_receives(rank);
}

void Matcher::match_groups(RankData& rank) {
  std::size_t send = 0;
  std::size_t receive = 0;
  while (send < sends_.size() || receive < receives_.size()) {
    std::size_t last_send = send;
    const bool sends_first = receive == receives_.size() ||
                             (send < sends_.size() && sends_[send].group() <= receives_[receive].group());
    const Item key = sends_first ? sends_[send] : receives_[receive];
    while (last_send < sends_.size() && sends_[last_send].group() == key.group()) ++last_send;
    const bool received = receive < receives_.size() && receives_[receive].group() == key.group();
    if (received && (rank.hole.any || ranks_[static_cast<std::size_t>(key.source)].hole.any)) {
      std::size_t last_receive = receive;
      while (last_receive < receives_.size() && receives_[last_receive].group() == key.group())
        ++last_receive;
      match_around_holes(rank, std::span(sends_).subspan(send, last_send - send),
                         std::span(receives_).subspan(receive, last_receive - receive));
      receive = last_receive;
    } else if (received) {
      receive = match_group(rank, receive, send, last_send);
    } else {
      for (std::size_t i = send; i < last_send; ++i)
        left_sends_.push_back({sends_[i], i - send + 1, 0, false});
    }
    send = last_send;
  }
}

/// Matches the group that begins at `receive`; returns the first receive behind it.
std::size_t Matcher::match_group(RankData& rank, std::size_t receive, std::size_t first_send,
                                 std::size_t last_send) {
  std::size_t next = first_send;
  std::uint64_t receives = 0;
  const Item key = receives_[receive];
  for (; receive < receives_.size() && receives_[receive].group() == key.group(); ++receive) {
    Receive& taker = rank.receives[receives_[receive].index];
    if (!is_probe(taker)) ++receives;
    if (next == last_send) {
      left_receives_.push_back({receives_[receive], last_send - first_send});
      continue;
    }
    link(rank, taker, sends_[next]);
    if (!is_probe(taker)) ++next;
  }
  for (std::size_t i = next; i < last_send; ++i) {
    left_sends_.push_back({sends_[i], i - first_send + 1, receives, false});
  }
  return receive;
}

/// A group of which a part is missing in one or both logs: what comes before the holes is counted from the
/// beginning, what comes behind them from the end, where both ranks reached the end.
void Matcher::match_around_holes(RankData& rank, std::span<const Item> sends,
                                 std::span<const Item> receives) {
  const RankData& source = ranks_[static_cast<std::size_t>(receives.front().source)];
  const auto before = [](const RankData& data, const Hole::Range& range, const Item& item) {
    return !data.hole.any || item.index < range.begin;
  };
  const auto behind = [](const RankData& data, const Hole::Range& range, const Item& item) {
    return data.ending == Ending::kFinalized && (!data.hole.any || item.index >= range.end);
  };
  std::vector<const Item*> taken_by(receives.size(), nullptr);  // by receive
  std::vector<bool> taken(sends.size(), false);
  std::size_t next = 0;
  for (std::size_t r = 0; r < receives.size() && before(rank, rank.hole.receives, receives[r]); ++r) {
    if (next == sends.size() || !before(source, source.hole.sends, sends[next])) break;
    taken_by[r] = &sends[next];
    taken[next] = true;
    if (!is_probe(rank.receives[receives[r].index])) ++next;
  }
  std::size_t last = sends.size();  // the send that the receive behind took
  for (std::size_t r = receives.size(); r-- > 0 && behind(rank, rank.hole.receives, receives[r]);) {
    const bool probe = is_probe(rank.receives[receives[r].index]);
    if (taken_by[r] != nullptr) break;
    if (probe && last == sends.size()) continue;  // of a message that nothing received
    if (!probe && (last == 0 || taken[last - 1] || !behind(source, source.hole.sends, sends[last - 1])))
      break;
    if (!probe) taken[--last] = true;
    taken_by[r] = &sends[last];
  }
  for (std::size_t r = 0; r < receives.size(); ++r) {
    if (taken_by[r] == nullptr) {
      left_receives_.push_back({receives[r], sends.size()});
    } else {
      link(rank, rank.receives[receives[r].index], *taken_by[r]);
    }
  }
  for (std::size_t s = 0; s < sends.size(); ++s) {
    if (!taken[s]) left_sends_.push_back({sends[s], s + 1, receives.size(), false});
  }
}

void Matcher::link(RankData& rank, Receive& receive, const Item& item) {
  Send& send = send_of(item);
  receive.message = numbers_.first[static_cast<std::size_t>(item.source)] + item.index;
  if (is_probe(receive)) return;
  send.matched = true;
  if (receive.state == ReceiveState::kCompleted && receive.bytes != send.bytes) ++other_size;
  if (receive.state == ReceiveState::kPosted && rank.complete) ++never_completed;
}

/// Receives whose actual source or tag nobody saw: what is left, in posting order.
void Matcher::match_wildcards(RankData& rank) {
  for (const std::uint32_t index : wildcards_) {
    Receive& receive = rank.receives[index];
    const Item item = item_of(rank, index);
    const auto fits = [&](const LeftSend& left) {
      return !left.taken && left.item.comm == item.comm && left.item.channel == item.channel &&
             (item.source == kAnySource || left.item.source == item.source) &&
             (item.tag == kAnyTag || left.item.tag == item.tag);
    };
    const auto found = std::find_if(left_sends_.begin(), left_sends_.end(), fits);
    // With a hole what is left may belong to a receive that is missing.
    if (found == left_sends_.end() || rank.hole.any) {
      left_receives_.push_back({item, 0});
      continue;
    }
    found->taken = true;
    link(rank, receive, found->item);
    ++freed_wildcards;
  }
}

void Matcher::report_sends(RankData& rank) {
  std::unordered_set<std::uint64_t> cancelled;
  for (const LeftSend& left : left_sends_) {
    if (left.taken) continue;
    Send& send = send_of(left.item);
    if ((send.flags & Send::kCancelAsked) !=
        0) {  // its request was freed, so that only this tells the outcome
      send.flags |= Send::kCancelled;
      cancelled.insert(numbers_.first[static_cast<std::size_t>(left.item.source)] + left.item.index);
      continue;
    }
    const RankData& source = ranks_[static_cast<std::size_t>(left.item.source)];
    Unmatched entry;
    entry.kind = Unmatched::Kind::kSend;
    entry.rank = source.rank;
    entry.event = send.event;
    entry.call = formats::mpi_call_name(send.call);
    entry.peer = rank.rank;
    entry.tag = send.tag;
    entry.communicator = comms_.name(left.item.comm);
    entry.bytes = send.bytes;
    entry.excused = may_miss_calls(rank) || may_miss_calls(source);
    entry.why = may_miss_calls(rank) ? incomplete(rank)
                : source.hole.any    ? incomplete(source)
                                     : "send number " + std::to_string(left.nth) +
                                        " with this source and tag, but rank " + std::to_string(rank.rank) +
                                        " made " + count_of(left.receives, "receive") + " for them";
    unmatched_.push_back(std::move(entry));
  }
  if (cancelled.empty()) return;
  // Probes saw them before they were cancelled: nothing in the trace to wait for.
  for (Receive& receive : rank.receives) {
    if (cancelled.count(receive.message) != 0) receive.message = kNoMessage;
  }
}

void Matcher::report_receives(const RankData& rank) {
  for (const LeftReceive& left : left_receives_) {
    const Receive& receive = rank.receives[left.item.index];
    if (receive.state == ReceiveState::kFreed) continue;
    if (receive.state == ReceiveState::kPosted && !rank.complete) continue;
    const bool from_known = receive.source != kAnySource;
    const RankData* source = from_known ? &ranks_[static_cast<std::size_t>(receive.source)] : nullptr;
    Unmatched entry;
    entry.kind = is_probe(receive) ? Unmatched::Kind::kProbe : Unmatched::Kind::kReceive;
    entry.rank = rank.rank;
    entry.event = receive.event;
    entry.call = formats::mpi_call_name(receive.call);
    entry.peer = receive.source;
    entry.tag = receive.tag;
    entry.communicator = comms_.name(left.item.comm);
    entry.bytes = receive.bytes;
    entry.excused = may_miss_calls(rank) || (source != nullptr && may_miss_calls(*source));
    if (receive.state == ReceiveState::kPosted) {
      entry.why = "it was never completed, and no send is left for it";
    } else if (source != nullptr && may_miss_calls(*source)) {
      entry.why = incomplete(*source);
    } else if (rank.hole.any) {
      entry.why = incomplete(rank);
    } else if (source != nullptr) {
      const std::string made =
          left.sends == 0 ? "no send with this tag"
                          : count_of(left.sends, "send") + " with this tag, all taken by other receives";
      entry.why = "rank " + std::to_string(source->rank) + " made " + made;
    } else {
      entry.why = "its status names no source, and no send is left for it";
    }
    unmatched_.push_back(std::move(entry));
  }
}

}  // namespace

MessageNumbers number_messages(const std::vector<RankData>& ranks) {
  MessageNumbers numbers;
  for (const RankData& rank : ranks) {
    numbers.first.push_back(numbers.total);
    numbers.total += rank.sends.size();
  }
  return numbers;
}

void match_messages(std::vector<RankData>& ranks, const CommTable& comms, const MessageNumbers& numbers,
                    std::vector<Unmatched>& unmatched, std::vector<std::string>& warnings) {
  Matcher matcher(ranks, comms, numbers, unmatched);
  matcher.match_all();
  if (matcher.never_completed > 0) {
    warnings.push_back(count_of(matcher.never_completed, "receive") +
                       " never completed by the program: written as messages that nobody waits for");
  }
  if (matcher.freed_wildcards > 0) {
    warnings.push_back(
        count_of(matcher.freed_wildcards, "receive") +
        " with a wildcard and no status (freed or never completed): matched with what was left");
  }
  if (matcher.other_size > 0) {
    warnings.push_back(count_of(matcher.other_size, "message") +
                       " received with another size than was sent: the size sent is written");
  }
}

}  // namespace vef::merge
