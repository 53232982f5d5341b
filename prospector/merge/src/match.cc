// SPDX-License-Identifier: Apache-2.0
#include "match.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <span>
#include <tuple>
#include <unordered_set>

#include "flat_map.h"
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

/// The calls of one rank that concern one other rank, in posting order: indices into its sends or receives.
struct Peer {
  TaskId task = 0;
  std::size_t first = 0;  // into ByPeer::indices
  std::size_t count = 0;
};

/// The sends, or the receives, of a rank by the rank at the other end.
class ByPeer {
 public:
  explicit ByPeer(Store* store) : indices_(store) {}

  /// `peer(i)`: of call i; false through `takes(i)`: it is left out.
  template <class Takes, class PeerOf>
  void sort(std::size_t count, Takes takes, PeerOf peer) {
    peers_.clear();
    slots_ = {};
    for (std::size_t i = 0; i < count; ++i) {
      if (takes(i)) ++peers_[slot_of(peer(i))].count;
    }
    std::size_t total = 0;
    for (Peer& one : peers_) {
      one.first = total;
      total += std::exchange(one.count, 0);
    }
    indices_.assign(total, 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (!takes(i)) continue;
      Peer& one = peers_[slot_of(peer(i))];
      indices_[one.first + one.count++] = static_cast<std::uint32_t>(i);
    }
  }

  const std::vector<Peer>& peers() const { return peers_; }
  std::span<const std::uint32_t> of(const Peer& peer) const {
    return {indices_.data() + peer.first, peer.count};
  }
  std::span<const std::uint32_t> with(TaskId task) {
    const std::uint32_t* slot = slots_.find(static_cast<std::uint64_t>(task));
    return slot == nullptr ? std::span<const std::uint32_t>{} : of(peers_[*slot]);
  }

 private:
  std::uint32_t slot_of(TaskId task) {
    if (last_ < peers_.size() && peers_[last_].task == task) return last_;
    if (const std::uint32_t* known = slots_.find(static_cast<std::uint64_t>(task))) return last_ = *known;
    last_ = static_cast<std::uint32_t>(peers_.size());
    slots_[static_cast<std::uint64_t>(task)] = last_;
    peers_.push_back({task, 0, 0});
    return last_;
  }

  std::vector<Peer> peers_;
  FlatMap<std::uint32_t> slots_;  // by task, into peers_
  std::uint32_t last_ = 0;        // slot asked for last
  Column<std::uint32_t> indices_;
};

/// What the sends of a rank to one destination are.
struct Incoming {
  TaskId destination = 0;
  TaskId source = 0;
  std::span<const std::uint32_t> sends;
};

/// What is counted for the warnings.
struct Counts {
  std::uint64_t never_completed = 0;
  std::uint64_t freed_wildcards = 0;
  std::uint64_t other_size = 0;  // messages whose receiver saw another size than was sent

  void add(const Counts& other) {
    never_completed += other.never_completed;
    freed_wildcards += other.freed_wildcards;
    other_size += other.other_size;
  }
};

/// Matches what comes to one rank after the other; one for each thread.
class Matcher {
 public:
  Matcher(std::vector<RankData>& ranks, const CommTable& comms, const MessageNumbers& numbers, Store* store)
      : ranks_(ranks), comms_(comms), numbers_(numbers), receives_by_source_(store) {}

  /// `incoming`: all that has the rank as its destination, by source. Appends to `unmatched`.
  void match_rank(RankData& rank, std::span<const Incoming> incoming, std::vector<Unmatched>& unmatched) {
    unmatched_ = &unmatched;
    sent_ = 0;
    const Counts before = counts;
    if (match_quickly(rank, incoming)) return;
    counts = before;
    match_all(rank, incoming);
  }

  /// Calls looked at for the rank matched last.
  std::uint64_t calls() const { return sent_; }

  Counts counts;

 private:
  bool match_quickly(RankData& rank, std::span<const Incoming> incoming);
  bool match_in_step(RankData& rank, const RankData& source, std::span<const std::uint32_t> sends,
                     std::span<const std::uint32_t> receives);
  bool match_by_groups(RankData& rank, const RankData& source, std::span<const std::uint32_t> sends,
                       std::span<const std::uint32_t> receives);
  void match_all(RankData& rank, std::span<const Incoming> incoming);
  void match_groups(RankData& rank);
  std::size_t match_group(RankData& rank, std::size_t receive, std::size_t first_send, std::size_t last_send);
  void match_around_holes(RankData& rank, std::span<const Item> sends, std::span<const Item> receives);
  void match_wildcards(RankData& rank);
  void link(RankData& rank, Receive& receive, TaskId source, std::uint32_t index);
  void report_sends(RankData& rank);
  void report_receives(const RankData& rank);
  void clear();
  Send& send_of(const Item& item) { return ranks_[static_cast<std::size_t>(item.source)].sends[item.index]; }

  std::vector<RankData>& ranks_;
  const CommTable& comms_;
  const MessageNumbers& numbers_;
  ByPeer receives_by_source_;
  std::vector<Unmatched>* unmatched_ = nullptr;
  std::uint64_t sent_ = 0;
  std::vector<Item> sends_;     // at work
  std::vector<Item> receives_;  // likewise; those whose source and tag are known
  std::vector<std::uint32_t> wildcards_;
  std::vector<LeftSend> left_sends_;
  std::vector<LeftReceive> left_receives_;
};

void Matcher::clear() {
  sends_.clear();
  receives_.clear();
  wildcards_.clear();
  left_sends_.clear();
  left_receives_.clear();
}

/// Where all is in order: source by source. False: something is left over, or no log tells enough.
bool Matcher::match_quickly(RankData& rank, std::span<const Incoming> incoming) {
  bool whole = !rank.hole.any;
  const auto takes = [&](std::size_t i) {
    const Receive& receive = rank.receives[i];
    if (receive.state == ReceiveState::kCancelled) return false;
    whole = whole && receive.source != kAnySource && receive.tag != kAnyTag;
    return whole;
  };
  receives_by_source_.sort(rank.receives.size(), takes,
                           [&](std::size_t i) { return rank.receives[i].source; });
  std::uint64_t sources = 0;
  for (const Incoming& one : incoming) {
    const RankData& source = ranks_[static_cast<std::size_t>(one.source)];
    const auto receives = receives_by_source_.with(one.source);
    sent_ += one.sends.size() + receives.size();
    sources += receives.empty() ? 0 : 1;
    if (!whole || source.hole.any) return false;
    if (!match_in_step(rank, source, one.sends, receives) &&
        !match_by_groups(rank, source, one.sends, receives))
      return false;
  }
  return whole && sources == receives_by_source_.peers().size();
}

std::uint32_t order_of(const Send& send) {
  return (send.flags & Send::kPartitioned) != 0 ? 0 : send.sequence;
}
std::uint32_t channel_of(const Send& send) { return send.sequence - order_of(send); }
std::uint32_t order_of(const Receive& receive) {
  return receive.kind == ReceiveKind::kPartitioned ? 0 : receive.sequence;
}
std::uint32_t channel_of(const Receive& receive) { return receive.sequence - order_of(receive); }

/// The usual case: the k-th receive takes the k-th send, because nothing overtakes anything.
bool Matcher::match_in_step(RankData& rank, const RankData& source, std::span<const std::uint32_t> sends,
                            std::span<const std::uint32_t> receives) {
  const Counts before = counts;
  std::size_t next = 0;
  std::uint32_t last_send = 0;
  std::uint32_t last_receive = 0;
  for (const std::uint32_t index : receives) {
    Receive& receive = rank.receives[index];
    if (next == sends.size()) break;
    const Send& send = source.sends[sends[next]];
    const bool alike = send.tag == receive.tag && channel_of(send) == channel_of(receive) &&
                       source.comms[send.comm].global == rank.comms[receive.comm].global;
    if (!alike || order_of(send) < last_send || order_of(receive) < last_receive) {
      next = 0;
      break;
    }
    last_send = order_of(send);
    last_receive = order_of(receive);
    link(rank, receive, source.rank, sends[next]);
    if (!is_probe(receive)) ++next;
  }
  const bool all =
      next == sends.size() && (receives.empty() || rank.receives[receives.back()].message != kNoMessage);
  if (!all) counts = before;
  return all;
}

/// Several tags or communicators, mixed.
bool Matcher::match_by_groups(RankData& rank, const RankData& source, std::span<const std::uint32_t> sends,
                              std::span<const std::uint32_t> receives) {
  clear();
  for (const std::uint32_t index : sends) {
    const Send& send = source.sends[index];
    sends_.push_back(item_of(source.comms[send.comm].global, source.rank, send, index));
  }
  for (const std::uint32_t index : receives) receives_.push_back(item_of(rank, index));
  std::sort(sends_.begin(), sends_.end());
  std::sort(receives_.begin(), receives_.end());
  match_groups(rank);
  return left_sends_.empty() && left_receives_.empty();
}

/// Whatever is the matter: also finds what is left over, and says why.
void Matcher::match_all(RankData& rank, std::span<const Incoming> incoming) {
  clear();
  for (const Incoming& one : incoming) {
    const RankData& source = ranks_[static_cast<std::size_t>(one.source)];
    for (const std::uint32_t index : one.sends) {
      const Send& send = source.sends[index];
      sends_.push_back(item_of(source.comms[send.comm].global, source.rank, send, index));
    }
  }
  for (std::uint32_t i = 0; i < rank.receives.size(); ++i) {
    Receive& receive = rank.receives[i];
    receive.message = kNoMessage;
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
    link(rank, taker, sends_[next].source, sends_[next].index);
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
      link(rank, rank.receives[receives[r].index], taken_by[r]->source, taken_by[r]->index);
    }
  }
  for (std::size_t s = 0; s < sends.size(); ++s) {
    if (!taken[s]) left_sends_.push_back({sends[s], s + 1, receives.size(), false});
  }
}

void Matcher::link(RankData& rank, Receive& receive, TaskId source, std::uint32_t index) {
  receive.message = numbers_.first[static_cast<std::size_t>(source)] + index;
  if (is_probe(receive)) return;
  const Send& send = ranks_[static_cast<std::size_t>(source)].sends[index];
  if (receive.state == ReceiveState::kCompleted && receive.bytes != send.bytes) ++counts.other_size;
  if (receive.state == ReceiveState::kPosted && rank.complete) ++counts.never_completed;
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
    link(rank, receive, found->item.source, found->item.index);
    ++counts.freed_wildcards;
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
    unmatched_->push_back(std::move(entry));
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
    unmatched_->push_back(std::move(entry));
  }
}

std::vector<Incoming> all_incoming(const std::vector<ByPeer>& sends) {
  std::vector<Incoming> incoming;
  for (std::size_t r = 0; r < sends.size(); ++r) {
    for (const Peer& peer : sends[r].peers())
      incoming.push_back({peer.task, static_cast<TaskId>(r), sends[r].of(peer)});
  }
  std::sort(incoming.begin(), incoming.end(), [](const Incoming& a, const Incoming& b) {
    return std::tie(a.destination, a.source) < std::tie(b.destination, b.source);
  });
  return incoming;
}

std::span<const Incoming> to(const std::vector<Incoming>& incoming, TaskId destination) {
  const auto range = std::ranges::equal_range(incoming, destination, {}, &Incoming::destination);
  return {range.begin(), range.end()};
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
                    Store* store, Workers& workers, std::vector<Unmatched>& unmatched,
                    std::vector<std::string>& warnings) {
  std::vector<ByPeer> sends;
  sends.reserve(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) sends.emplace_back(store);
  workers.for_each(ranks.size(), [&](std::size_t r) {
    const Column<Send>& all = ranks[r].sends;
    const auto takes = [&](std::size_t i) { return (all[i].flags & Send::kCancelled) == 0; };
    sends[r].sort(all.size(), takes, [&](std::size_t i) { return all[i].peer; });
    if (store != nullptr) store->trim();
  });
  const std::vector<Incoming> incoming = all_incoming(sends);
  Counts counts;
  std::vector<std::vector<Unmatched>> found(ranks.size());
  std::mutex mutex;  // of counts
  std::atomic<std::size_t> next{0};
  workers.for_each(workers.threads(), [&](std::size_t) {
    Matcher matcher(ranks, comms, numbers, store);
    std::uint64_t calls = 0;
    for (std::size_t r = next++; r < ranks.size(); r = next++) {
      matcher.match_rank(ranks[r], to(incoming, static_cast<TaskId>(r)), found[r]);
      calls += matcher.calls();
      if (store != nullptr && calls >= Store::kTrimStep) store->trim();
      calls %= Store::kTrimStep;
    }
    const std::lock_guard lock(mutex);
    counts.add(matcher.counts);
  });
  for (std::vector<Unmatched>& of_rank : found) {
    std::move(of_rank.begin(), of_rank.end(), std::back_inserter(unmatched));
  }
  if (counts.never_completed > 0) {
    warnings.push_back(count_of(counts.never_completed, "receive") +
                       " never completed by the program: written as messages that nobody waits for");
  }
  if (counts.freed_wildcards > 0) {
    warnings.push_back(
        count_of(counts.freed_wildcards, "receive") +
        " with a wildcard and no status (freed or never completed): matched with what was left");
  }
  if (counts.other_size > 0) {
    warnings.push_back(count_of(counts.other_size, "message") +
                       " received with another size than was sent: the size sent is written");
  }
}

}  // namespace vef::merge
