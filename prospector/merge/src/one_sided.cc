// SPDX-License-Identifier: Apache-2.0
#include "one_sided.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace vef::merge {

namespace {

using formats::TaskId;

/// A message that its target waits for in the call that closes the epoch.
struct Incoming {
  std::uint32_t window = 0;  // global
  TaskId target = 0;
  Epoch epoch = Epoch::kFence;
  std::uint32_t number = 0;
  TaskId origin = 0;
  std::uint64_t message = 0;

  auto fence() const { return std::tie(window, target, epoch, number); }
  auto access() const { return std::tie(window, target, epoch, number, origin); }
  bool operator<(const Incoming& other) const {
    return std::tie(window, target, epoch, number, origin, message) <
           std::tie(other.window, other.target, other.epoch, other.number, other.origin, other.message);
  }
};

class OneSidedMatcher {
 public:
  OneSidedMatcher(std::vector<RankData>& ranks, const OneSidedNumbers& numbers)
      : ranks_(ranks), numbers_(numbers) {}

  void run() {
    for (const RankData& rank : ranks_) collect(rank);
    std::sort(incoming_.begin(), incoming_.end());
    for (RankData& rank : ranks_) {
      for (Sync& sync : rank.syncs) resolve(rank, sync);
    }
  }

  std::uint64_t lonely = 0;  // synchronisations without their counterpart

 private:
  enum class Signal : std::uint8_t { kPost, kComplete };
  using Pair = std::tuple<std::uint32_t, Signal, TaskId, TaskId>;  // window, what, from, to

  void collect(const RankData& rank);
  void resolve(RankData& rank, Sync& sync);
  void await_fence(RankData& rank, const Sync& sync);
  void await_data(RankData& rank, const Sync& sync, TaskId origin, std::uint32_t number);
  std::uint32_t await_signal(RankData& rank, std::uint32_t window, Signal signal, TaskId from);

  std::vector<RankData>& ranks_;
  const OneSidedNumbers& numbers_;
  std::vector<Incoming> incoming_;
  std::map<Pair, std::vector<std::uint64_t>> signals_;  // in the order in which they were sent
  std::map<Pair, std::uint32_t> awaited_;               // how many of them
};

void OneSidedMatcher::collect(const RankData& rank) {
  const auto r = static_cast<std::size_t>(rank.rank);
  for (std::size_t i = 0; i < rank.accesses.size(); ++i) {
    const Access& access = rank.accesses[i];
    if (access.epoch == Epoch::kPassive || access.target == kStranger) continue;
    incoming_.push_back({rank.comms[access.window].global, access.target, access.epoch, access.number,
                         rank.rank, numbers_.first_access[r] + 2 * i});
  }
  for (const Sync& sync : rank.syncs) {
    if (sync.kind != Sync::Kind::kPost && sync.kind != Sync::Kind::kComplete) continue;
    const Signal signal = sync.kind == Sync::Kind::kPost ? Signal::kPost : Signal::kComplete;
    for (std::uint32_t p = sync.first_peer; p < sync.first_peer + sync.peers; ++p) {
      if (rank.peers[p] == kStranger) continue;
      signals_[{rank.comms[sync.window].global, signal, rank.rank, rank.peers[p]}].push_back(
          numbers_.first_peer[r] + p);
    }
  }
}

void OneSidedMatcher::await_fence(RankData& rank, const Sync& sync) {
  const Incoming key{rank.comms[sync.window].global, rank.rank, Epoch::kFence, sync.number, 0, 0};
  auto it = std::lower_bound(incoming_.begin(), incoming_.end(), key);
  for (; it != incoming_.end() && it->fence() == key.fence(); ++it) rank.awaited.push_back(it->message);
}

void OneSidedMatcher::await_data(RankData& rank, const Sync& sync, TaskId origin, std::uint32_t number) {
  const Incoming key{rank.comms[sync.window].global, rank.rank, Epoch::kAccess, number, origin, 0};
  auto it = std::lower_bound(incoming_.begin(), incoming_.end(), key);
  for (; it != incoming_.end() && it->access() == key.access(); ++it) rank.awaited.push_back(it->message);
}

/// Returns the how-manieth it is between the two.
std::uint32_t OneSidedMatcher::await_signal(RankData& rank, std::uint32_t window, Signal signal,
                                            TaskId from) {
  const Pair pair{window, signal, from, rank.rank};
  const std::uint32_t number = awaited_[pair]++;
  const auto found = signals_.find(pair);
  if (found != signals_.end() && number < found->second.size()) {
    rank.awaited.push_back(found->second[number]);
  } else {
    ++lonely;
  }
  return number;
}

void OneSidedMatcher::resolve(RankData& rank, Sync& sync) {
  const std::uint32_t window = rank.comms[sync.window].global;
  sync.first_awaited = rank.awaited.size();
  if (sync.kind == Sync::Kind::kFence) await_fence(rank, sync);
  for (std::uint32_t p = sync.first_peer; p < sync.first_peer + sync.peers; ++p) {
    const TaskId peer = rank.peers[p];
    if (peer == kStranger) continue;
    if (sync.kind == Sync::Kind::kStart) await_signal(rank, window, Signal::kPost, peer);
    if (sync.kind != Sync::Kind::kWait) continue;
    await_data(rank, sync, peer, await_signal(rank, window, Signal::kComplete, peer));
  }
  for (std::uint32_t i = sync.first_answer; i < sync.first_answer + sync.answers; ++i) {
    if (rank.accesses[rank.answers[i]].target == kStranger) continue;
    rank.awaited.push_back(numbers_.first_access[static_cast<std::size_t>(rank.rank)] +
                           2 * std::uint64_t{rank.answers[i]} + 1);
  }
  sync.awaited = rank.awaited.size() - sync.first_awaited;
}

}  // namespace

OneSidedNumbers match_one_sided(std::vector<RankData>& ranks, std::uint64_t first,
                                std::vector<std::string>& warnings) {
  OneSidedNumbers numbers;
  numbers.total = first;
  for (const RankData& rank : ranks) {
    numbers.first_access.push_back(numbers.total);
    numbers.total += 2 * rank.accesses.size();
    numbers.first_peer.push_back(numbers.total);
    numbers.total += rank.peers.size();
  }
  OneSidedMatcher matcher(ranks, numbers);
  matcher.run();
  if (matcher.lonely > 0) {
    warnings.push_back(
        std::to_string(matcher.lonely) +
        " calls of MPI_Win_start, MPI_Win_wait or MPI_Win_test wait for a rank whose MPI_Win_post or "
        "MPI_Win_complete is not in its log: written without waiting for it");
  }
  return numbers;
}

}  // namespace vef::merge
