// SPDX-License-Identifier: Apache-2.0
// Every expansion is run with symbolic data: each rank starts with the set {itself}; a message carries what
// its sender knew when it sent; after the run each rank must know whom MPI promises it to have heard of.
#include "vef/tracelib/collectives.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace vef::tracelib {
namespace {

using formats::CollectiveOp;
using Known = std::uint64_t;  // bit i: has heard of rank i

struct Outcome {
  bool finished = false;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sent_by_root = 0;
  std::vector<Known> known;
  std::size_t left_over = 0;  // messages nobody received
};

class CollectiveRun {
 public:
  CollectiveRun(CollectiveOp op, std::int32_t n, std::int32_t root, std::uint64_t s, Expansion expansion)
      : n_(n), root_(root), send_(n, s), recv_(n, s), schedules_(n) {
    const auto total = s * static_cast<std::uint64_t>(n);
    for (std::int32_t i = 0; i < n; ++i) {
      const bool is_root = i == root;
      if (op == CollectiveOp::kBroadcast) {
        send_[i] = is_root ? s : 0;
        recv_[i] = is_root ? 0 : s;
      }
      if (op == CollectiveOp::kReduce) {
        send_[i] = is_root ? 0 : s;
        recv_[i] = is_root ? s : 0;
      }
      if (op == CollectiveOp::kGather) recv_[i] = is_root ? total : 0;
      if (op == CollectiveOp::kScatter) send_[i] = is_root ? total : 0;
      if (op == CollectiveOp::kAllgather) recv_[i] = total;
      if (op == CollectiveOp::kBarrier) send_[i] = recv_[i] = 0;
      if (op == CollectiveOp::kAlltoall) recv_[i] = 0;
      if (op == CollectiveOp::kReduceScatter) send_[i] = total;
    }
    const CollectiveCall call{op, n, root, send_, recv_};
    for (std::int32_t i = 0; i < n; ++i) expand(call, expansion, i, schedules_[i]);
  }

  Outcome run() {
    Outcome out;
    std::vector<std::size_t> round(n_, 0);
    std::vector<bool> posted(n_, false);
    for (std::int32_t i = 0; i < n_; ++i) out.known.push_back(Known{1} << i);
    Wire wire(n_ * n_);
    bool progress = true;
    while (progress) {
      progress = false;
      for (std::int32_t i = 0; i < n_; ++i) {
        if (round[i] == schedules_[i].round_ends.size()) continue;
        if (!posted[i]) {
          post(i, round[i], wire, out);
          posted[i] = true;
          progress = true;
        }
        if (receive(i, round[i], wire, out)) {
          ++round[i];
          posted[i] = false;
          progress = true;
        }
      }
    }
    out.finished = true;
    for (std::int32_t i = 0; i < n_; ++i) out.finished &= round[i] == schedules_[i].round_ends.size();
    for (const auto& queue : wire) out.left_over += queue.size();
    return out;
  }

 private:
  struct Queue {
    std::vector<Known> messages;
    std::size_t head = 0;
    std::size_t size() const { return messages.size() - head; }
  };
  using Wire = std::vector<Queue>;  // [source * n + destination]

  std::span<const Step> steps(std::int32_t i, std::size_t r) const {
    const auto& s = schedules_[i];
    const std::size_t begin = r == 0 ? 0 : s.round_ends[r - 1];
    return std::span(s.steps).subspan(begin, s.round_ends[r] - begin);
  }
  void post(std::int32_t i, std::size_t r, Wire& wire, Outcome& out) {
    for (const Step& step : steps(i, r)) {
      EXPECT_NE(step.peer, i);
      if (!step.is_send) continue;
      wire[i * n_ + step.peer].messages.push_back(out.known[i]);
      ++out.messages;
      out.bytes += step.bytes;
      if (i == root_) ++out.sent_by_root;
    }
  }
  bool receive(std::int32_t i, std::size_t r, Wire& wire, Outcome& out) {
    // In one round a schedule receives from a peer at most once.
    for (const Step& step : steps(i, r)) {
      if (!step.is_send && wire[step.peer * n_ + i].size() == 0) return false;
    }
    for (const Step& step : steps(i, r)) {
      if (step.is_send) continue;
      Queue& queue = wire[step.peer * n_ + i];
      out.known[i] |= queue.messages[queue.head++];
    }
    return true;
  }

  std::int32_t n_, root_;
  std::vector<std::uint64_t> send_, recv_;
  std::vector<Schedule> schedules_;
};

constexpr CollectiveOp kAll[] = {
    CollectiveOp::kBroadcast,     CollectiveOp::kReduce,    CollectiveOp::kAllreduce, CollectiveOp::kGather,
    CollectiveOp::kScatter,       CollectiveOp::kAllgather, CollectiveOp::kBarrier,   CollectiveOp::kAlltoall,
    CollectiveOp::kReduceScatter, CollectiveOp::kScan,      CollectiveOp::kExscan};

bool everybody_hears_everybody(CollectiveOp op) {
  return op == CollectiveOp::kAllreduce || op == CollectiveOp::kAllgather || op == CollectiveOp::kBarrier ||
         op == CollectiveOp::kAlltoall || op == CollectiveOp::kReduceScatter;
}
bool is_scan(CollectiveOp op) { return op == CollectiveOp::kScan || op == CollectiveOp::kExscan; }

class EveryCollective : public ::testing::TestWithParam<Expansion> {};

TEST_P(EveryCollective, DeliversWhatMpiPromisesForEverySizeAndRoot) {
  for (CollectiveOp op : kAll) {
    for (std::int32_t n = 1; n <= 33; ++n) {
      for (std::int32_t root = 0; root < n; ++root) {
        SCOPED_TRACE(std::string(formats::collective_name(op)) + " n=" + std::to_string(n) +
                     " root=" + std::to_string(root));
        const Outcome out = CollectiveRun(op, n, root, 100, GetParam()).run();
        ASSERT_TRUE(out.finished);
        ASSERT_EQ(out.left_over, 0u);
        for (std::int32_t i = 0; i < n; ++i) {
          if (everybody_hears_everybody(op)) {
            ASSERT_EQ(std::popcount(out.known[i]), n);
          }
          if (is_scan(op)) {
            const Known before = (Known{1} << i << 1) - 1;  // and the rank itself
            ASSERT_EQ(out.known[i] & before, before);
          }
          if (op == CollectiveOp::kBroadcast || op == CollectiveOp::kScatter) {
            ASSERT_NE(out.known[i] & (Known{1} << root), 0u);
          }
        }
        if (op == CollectiveOp::kReduce || op == CollectiveOp::kGather) {
          ASSERT_EQ(std::popcount(out.known[root]), n);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Expansions, EveryCollective, ::testing::Values(Expansion::kN, Expansion::kLogN),
                         [](const auto& which) { return which.param == Expansion::kN ? "N" : "LogN"; });

// Closed forms for n tasks and s bytes. Stars: n-1 messages of s; all-reduce and barrier: there and back;
// all-gather and all-to-all: n(n-1) messages of s. Reduce-scatter with parts of s: n-1 messages of ns there,
// n-1 of s back. Scans: n-1 messages of s.
TEST(CollectiveCountsTest, StarsMatchTheClosedForms) {
  for (std::int32_t n : {1, 2, 5, 16, 33}) {
    const auto m = static_cast<std::uint64_t>(n - 1);
    for (CollectiveOp op : kAll) {
      SCOPED_TRACE(formats::collective_name(op));
      const Outcome out = CollectiveRun(op, n, n - 1, 10, Expansion::kN).run();
      std::uint64_t messages = m;
      if (op == CollectiveOp::kAllreduce || op == CollectiveOp::kBarrier ||
          op == CollectiveOp::kReduceScatter) {
        messages = 2 * m;
      }
      if (op == CollectiveOp::kAllgather || op == CollectiveOp::kAlltoall)
        messages = m * static_cast<std::uint64_t>(n);
      EXPECT_EQ(out.messages, messages);
      std::uint64_t bytes = op == CollectiveOp::kBarrier ? 0 : messages * 10;
      if (op == CollectiveOp::kReduceScatter) bytes = m * 10 * (m + 1) + m * 10;
      EXPECT_EQ(out.bytes, bytes);
    }
  }
}

// Binomial trees: n-1 messages, ceil(log2 n) of them from the root; broadcast and reduce move (n-1)s bytes. A
// gather's block travels once per set bit of its rank relative to the root: s * sum of popcounts. Ring and
// pairwise: n(n-1) messages of s. Dissemination: n * ceil(log2 n) empty messages. A reduce-scatter is a
// reduce of ns and a scatter of s. Scans: at step k every rank v with v ^ 2^k below n sends s.
TEST(CollectiveCountsTest, TreesMatchTheClosedForms) {
  for (std::int32_t n : {1, 2, 3, 5, 16, 33}) {
    const auto m = static_cast<std::uint64_t>(n - 1);
    std::uint64_t log2_up = 0, popcounts = 0;
    while ((1u << log2_up) < static_cast<unsigned>(n)) ++log2_up;
    for (unsigned v = 0; v < static_cast<unsigned>(n); ++v)
      popcounts += static_cast<std::uint64_t>(__builtin_popcount(v));
    const auto run = [&](CollectiveOp op) { return CollectiveRun(op, n, n / 2, 10, Expansion::kLogN).run(); };
    const Outcome bcast = run(CollectiveOp::kBroadcast);
    EXPECT_EQ(bcast.messages, m);
    EXPECT_EQ(bcast.bytes, 10 * m);
    EXPECT_EQ(bcast.sent_by_root, log2_up);
    EXPECT_EQ(run(CollectiveOp::kReduce).bytes, 10 * m);
    EXPECT_EQ(run(CollectiveOp::kAllreduce).messages, 2 * m);
    EXPECT_EQ(run(CollectiveOp::kGather).bytes, 10 * popcounts);
    EXPECT_EQ(run(CollectiveOp::kScatter).bytes, 10 * popcounts);
    EXPECT_EQ(run(CollectiveOp::kAllgather).bytes, 10 * m * static_cast<std::uint64_t>(n));
    EXPECT_EQ(run(CollectiveOp::kAlltoall).messages, m * static_cast<std::uint64_t>(n));
    EXPECT_EQ(run(CollectiveOp::kBarrier).messages, log2_up * static_cast<std::uint64_t>(n));
    const Outcome reduce_scatter = run(CollectiveOp::kReduceScatter);
    EXPECT_EQ(reduce_scatter.messages, 2 * m);
    EXPECT_EQ(reduce_scatter.bytes, m * 10 * (m + 1) + 10 * popcounts);
    std::uint64_t hops = 0;
    for (unsigned bit = 1; bit < static_cast<unsigned>(n); bit <<= 1) {
      for (unsigned v = 0; v < static_cast<unsigned>(n); ++v) hops += (v ^ bit) < static_cast<unsigned>(n);
    }
    EXPECT_EQ(run(CollectiveOp::kScan).messages, hops);
    EXPECT_EQ(run(CollectiveOp::kExscan).bytes, 10 * hops);
  }
}

TEST(CollectiveCountsTest, VectorialAlltoallSplitsTheTotal) {
  // 11 bytes over 4 ranks: 3, 3, 3, 2; rank 1 keeps its own 3, so 8 bytes travel.
  const std::uint64_t send[] = {11, 11, 11, 11}, recv[] = {1, 1, 1, 1};
  Schedule schedule;
  expand({CollectiveOp::kAlltoall, 4, 0, send, recv}, Expansion::kN, 1, schedule);
  std::uint64_t bytes = 0;
  for (const Step& step : schedule.steps) bytes += step.bytes;
  EXPECT_EQ(bytes, 8u);
}

TEST(FindRootTest, RecoversTheRootFromTheSizes) {
  const std::uint64_t x[] = {0, 0, 7, 0}, others[] = {7, 7, 0, 7}, none[] = {0, 0, 0, 0};
  EXPECT_EQ(find_root(CollectiveOp::kBroadcast, x, others), 2);
  EXPECT_EQ(find_root(CollectiveOp::kReduce, others, x), 2);
  EXPECT_EQ(find_root(CollectiveOp::kBroadcast, none, none), 0);
  EXPECT_EQ(find_root(CollectiveOp::kAllreduce, x, x), 0);
}

TEST(ExpansionNameTest, NamesAreParsedAndUnknownOnesRefused) {
  EXPECT_EQ(*parse_expansion("log-n"), Expansion::kLogN);
  EXPECT_EQ(expansion_name(*parse_expansion("n")), "n");
  EXPECT_FALSE(parse_expansion("magic").ok());
}

}  // namespace
}  // namespace vef::tracelib
