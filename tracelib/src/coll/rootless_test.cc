// SPDX-License-Identifier: Apache-2.0
// All-reduce, all-gather, all-to-all and barrier on symbolic memory, for 1 to 33 ranks: what each rank ends
// with, and the number of messages and bytes against closed forms that are derived here.
#include <gtest/gtest.h>

#include <functional>

#include "allgather.h"
#include "allreduce.h"
#include "alltoall.h"
#include "barrier.h"
#include "symbolic_run.h"

namespace vef::tracelib::coll {
namespace {

constexpr std::int32_t kMaxSize = 33;

std::uint64_t log2_up(std::int32_t n) { return static_cast<std::uint64_t>(std::bit_width(u(n - 1))); }
std::uint64_t power_below(std::int32_t n) { return std::bit_floor(u(n)); }
std::uint64_t log2_down(std::int32_t n) {
  return static_cast<std::uint64_t>(std::countr_zero(power_below(n)));
}

// --- all-reduce

struct Vector {
  std::uint64_t bytes, element, segment;
};
constexpr Vector kVectors[] = {{0, 1, 0},  {1, 1, 0},   {7, 1, 0},   {24, 8, 0},  {67, 4, 0},
                               {71, 1, 1}, {200, 8, 8}, {331, 1, 7}, {512, 4, 16}};

// Leaving and coming back: MPICH 2 messages of B per pair; Open MPI halves both ways, one half again, B back.
// Halving and doubling among p: 2 p log2 p messages; each level's windows make up B: 2 (p - 1) B.
Traffic rabenseifner(std::int32_t n, const Vector& v, Cut cut) {
  const std::uint64_t p = power_below(n), pairs = u(n) - p;
  const std::uint64_t low = ceil_div(v.bytes, v.element) / 2 * v.element;
  Traffic t{2 * p * log2_down(n), 2 * (p - 1) * v.bytes};
  t.messages += pairs * (cut == Cut::kBlocks ? 2 : 4);
  t.bytes += pairs * (cut == Cut::kBlocks ? 2 * v.bytes : 2 * v.bytes + (v.bytes - low));
  return t;
}

struct AllreduceCase {
  const char* name;
  void (*body)(SymbolicPlan&, const Role&, const Vector&);
  Traffic (*traffic)(std::int32_t n, const Vector&);
};
const AllreduceCase kAllreduces[] = {
    {"linear", [](SymbolicPlan& p, const Role& r, const Vector& v) { allreduce_linear(p, r, v.bytes); },
     [](std::int32_t n, const Vector& v) {
       return Traffic{2 * (u(n) - 1), 2 * (u(n) - 1) * v.bytes};
     }},
    {"recursive doubling",
     [](SymbolicPlan& p, const Role& r, const Vector& v) { allreduce_recursive_doubling(p, r, v.bytes); },
     [](std::int32_t n, const Vector& v) {
       const std::uint64_t messages = power_below(n) * log2_down(n) + 2 * (u(n) - power_below(n));
       return Traffic{messages, messages * v.bytes};
     }},
    {"ring",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       allreduce_ring(p, r, {v.bytes, v.element});
     },
     [](std::int32_t n, const Vector& v) {
       return Traffic{2 * u(n) * (u(n) - 1), 2 * (u(n) - 1) * v.bytes};
     }},
    {"segmented ring",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       const Elements vector{v.bytes, v.element};
       allreduce_ring(p, r, vector, allreduce_ring_phases(vector, r.size, v.segment));
     },
     [](std::int32_t n, const Vector& v) {  // n (n - 1) messages per phase and for the distribution
       const std::uint64_t phases = allreduce_ring_phases({v.bytes, v.element}, n, v.segment);
       return Traffic{(phases + 1) * u(n) * (u(n) - 1), 2 * (u(n) - 1) * v.bytes};
     }},
    {"Rabenseifner, elements",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       allreduce_rabenseifner(p, r, {v.bytes, v.element}, Cut::kElements);
     },
     [](std::int32_t n, const Vector& v) { return rabenseifner(n, v, Cut::kElements); }},
    {"Rabenseifner, blocks",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       allreduce_rabenseifner(p, r, {v.bytes, v.element}, Cut::kBlocks);
     },
     [](std::int32_t n, const Vector& v) { return rabenseifner(n, v, Cut::kBlocks); }},
};

TEST(AllreduceTest, EveryRankEndsWithEveryContributionOnce) {
  for (const AllreduceCase& c : kAllreduces) {
    for (std::int32_t n = 1; n <= kMaxSize; ++n) {
      for (const Vector& v : kVectors) {
        SCOPED_TRACE(std::string(c.name) + " n=" + std::to_string(n) + " bytes=" + std::to_string(v.bytes));
        SymbolicRun run(n);
        for (std::int32_t i = 0; i < n; ++i) {
          run.out(i).resize(v.bytes);
          fill(run.out(i), 0, v.bytes, std::uint64_t{1} << i);
        }
        ASSERT_EQ(run.run([&](SymbolicPlan& plan, std::int32_t i) { c.body(plan, {i, n, 0}, v); }), "");
        for (std::int32_t i = 0; i < n; ++i) ASSERT_TRUE(holds(run.out(i), 0, v.bytes, all_ranks(n)));
        ASSERT_EQ(run.traffic(), c.traffic(n, v));
      }
    }
  }
}

// 71 bytes, 4 ranks, segments of 7 bytes: 28 bytes per phase, two phases and 15 left, more than half of one.
TEST(AllreduceTest, TheSegmentedRingRoundsItsPhases) {
  EXPECT_EQ(allreduce_ring_phases({71, 1}, 4, 7), 3u);
  EXPECT_EQ(allreduce_ring_phases({70, 1}, 4, 7), 2u);  // 14 left: not more than half
  EXPECT_EQ(allreduce_ring_phases({27, 1}, 4, 7), 1u);
  EXPECT_EQ(allreduce_ring_phases({71, 1}, 4, 0), 1u);
}

// --- all-gather

constexpr std::uint64_t kUneven = 99;  // block i is i % 4 bytes

std::vector<std::uint64_t> offsets_of(std::int32_t n, std::uint64_t b) {
  std::vector<std::uint64_t> offsets{0};
  for (std::int32_t i = 0; i < n; ++i) offsets.push_back(offsets.back() + (b == kUneven ? u(i % 4) : b));
  return offsets;
}

struct AllgatherCase {
  const char* name;
  void (*body)(SymbolicPlan&, const Role&, const BlockLayout&);
  std::uint64_t (*messages)(std::int32_t n, const BlockLayout&);
  bool (*legal)(std::int32_t n);
};
bool any_size(std::int32_t) { return true; }

// Bytes are always (n - 1) * total: each rank receives every block but its own once.
const AllgatherCase kAllgathers[] = {
    {"Bruck", allgather_bruck, [](std::int32_t n, const BlockLayout&) { return u(n) * log2_up(n); },
     any_size},
    {"recursive doubling", allgather_recursive_doubling,
     [](std::int32_t n, const BlockLayout&) { return u(n) * log2_up(n); }, is_power_of_two},
    {"ring", allgather_ring, [](std::int32_t n, const BlockLayout&) { return u(n) * (u(n) - 1); }, any_size},
    {"neighbour exchange", allgather_neighbor_exchange,
     [](std::int32_t n, const BlockLayout&) { return u(n) * u(n / 2); },
     [](std::int32_t n) { return n % 2 == 0; }},
    {"ring in chunks of 2 bytes",
     [](SymbolicPlan& p, const Role& r, const BlockLayout& b) { allgather_chunked_ring(p, r, b, 2); },
     [](std::int32_t n, const BlockLayout& blocks) {  // every block goes n - 1 hops in ceil(b / 2) messages
       std::uint64_t messages = 0;
       for (std::int32_t i = 0; i < n; ++i) messages += (u(n) - 1) * ceil_div(blocks.bytes(i), 2);
       return messages;
     },
     any_size},
};

TEST(AllgatherTest, EveryRankEndsWithAllBlocks) {
  for (const AllgatherCase& c : kAllgathers) {
    for (std::int32_t n = 1; n <= kMaxSize; ++n) {
      if (!c.legal(n)) continue;
      for (std::uint64_t b : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, kUneven}) {
        SCOPED_TRACE(std::string(c.name) + " n=" + std::to_string(n) + " b=" + std::to_string(b));
        const auto offsets = offsets_of(n, b);
        const BlockLayout blocks = b == kUneven ? BlockLayout(offsets) : BlockLayout(n, b);
        SymbolicRun run(n);
        for (std::int32_t i = 0; i < n; ++i) {
          run.out(i).resize(offsets.back());
          fill(run.out(i), offsets[i], offsets[i + 1] - offsets[i], std::uint64_t{1} << i);
        }
        ASSERT_EQ(run.run([&](SymbolicPlan& plan, std::int32_t i) { c.body(plan, {i, n, 0}, blocks); }), "");
        for (std::int32_t rank = 0; rank < n; ++rank) {
          for (std::int32_t i = 0; i < n; ++i) {
            ASSERT_TRUE(holds(run.out(rank), offsets[i], offsets[i + 1] - offsets[i], std::uint64_t{1} << i));
          }
        }
        ASSERT_EQ(run.traffic(), (Traffic{c.messages(n, blocks), (u(n) - 1) * offsets.back()}));
      }
    }
  }
}

// --- all-to-all

using Sizes = std::function<std::uint64_t(std::int32_t from, std::int32_t to)>;

/// Block from -> to lies behind those for lower ranks in the sender's kIn, behind those of lower ranks in the
/// receiver's kOut; its bytes are known by their offset in kIn.
std::string check_alltoall(std::int32_t n, const Sizes& bytes,
                           const std::function<void(SymbolicPlan&, const Role&)>& body, Traffic* traffic) {
  SymbolicRun run(n);
  for (std::int32_t rank = 0; rank < n; ++rank) {
    std::uint64_t in = 0, out = 0;
    for (std::int32_t i = 0; i < n; ++i) in += bytes(rank, i), out += bytes(i, rank);
    run.buffer(rank, Buffer::kIn).resize(in);
    fill(run.buffer(rank, Buffer::kIn), 0, in, std::uint64_t{1} << rank);
    run.buffer(rank, Buffer::kTemp).resize(in);
    run.out(rank).resize(out);
  }
  std::string error = run.run([&](SymbolicPlan& plan, std::int32_t i) { body(plan, {i, n, 0}); });
  for (std::int32_t rank = 0; rank < n && error.empty(); ++rank) {
    std::uint64_t at = 0;
    for (std::int32_t from = 0; from < n; ++from) {
      std::uint64_t offset = 0;
      for (std::int32_t i = 0; i < rank; ++i) offset += bytes(from, i);
      for (std::uint64_t k = 0; k < bytes(from, rank); ++k, ++at) {
        if (run.out(rank)[at] != SymbolicByte{std::uint64_t{1} << from, offset + k}) error = "wrong byte";
      }
    }
  }
  *traffic = run.traffic();
  return error;
}

struct AlltoallCase {
  const char* name;
  void (*body)(SymbolicPlan&, const Role&, const Sizes&);
  bool (*legal)(std::int32_t n);
  bool skips_empty;
};
const AlltoallCase kAlltoalls[] = {
    {"linear", alltoall_linear<SymbolicPlan, Sizes>, any_size, false},
    {"linear by rank", alltoall_linear_by_rank<SymbolicPlan, Sizes>, any_size, false},
    {"pairwise", alltoall_pairwise<SymbolicPlan, Sizes>, any_size, false},
    {"pairwise, exclusive or", alltoall_pairwise_xor<SymbolicPlan, Sizes>, is_power_of_two, false},
    {"scattered by 4",
     [](SymbolicPlan& p, const Role& r, const Sizes& s) { alltoall_scattered(p, r, s, 4, false); }, any_size,
     false},
    {"scattered, vector form",
     [](SymbolicPlan& p, const Role& r, const Sizes& s) { alltoall_scattered(p, r, s, 32, true); }, any_size,
     true},
};

// One message per ordered pair, with or without the empty ones.
TEST(AlltoallTest, EveryRankEndsWithItsBlocks) {
  const Sizes sizes[] = {[](std::int32_t, std::int32_t) { return std::uint64_t{0}; },
                         [](std::int32_t, std::int32_t) { return std::uint64_t{3}; },
                         [](std::int32_t from, std::int32_t to) { return u((from + 2 * to) % 4); }};
  for (const AlltoallCase& c : kAlltoalls) {
    for (std::int32_t n = 1; n <= kMaxSize; ++n) {
      if (!c.legal(n)) continue;
      for (const Sizes& bytes : sizes) {
        SCOPED_TRACE(std::string(c.name) + " n=" + std::to_string(n));
        Traffic expected, got;
        for (std::int32_t i = 0; i < n * n; ++i) {
          if (i / n == i % n) continue;
          expected.bytes += bytes(i / n, i % n);
          expected.messages += c.skips_empty && bytes(i / n, i % n) == 0 ? 0 : 1;
        }
        ASSERT_EQ(
            check_alltoall(
                n, bytes, [&](SymbolicPlan& plan, const Role& role) { c.body(plan, role, bytes); }, &got),
            "");
        ASSERT_EQ(got, expected);
      }
    }
  }
}

// ceil(log2 n) messages per rank; the block for the rank at distance d goes popcount(d) hops.
TEST(AlltoallTest, BrucksExchangeDeliversEveryBlock) {
  for (std::int32_t n = 1; n <= kMaxSize; ++n) {
    for (std::uint64_t block : {0, 1, 5}) {
      SCOPED_TRACE("n=" + std::to_string(n) + " block=" + std::to_string(block));
      Traffic got, expected{u(n) * log2_up(n), 0};
      for (std::int32_t d = 1; d < n; ++d) {
        expected.bytes += u(n) * block * static_cast<std::uint64_t>(std::popcount(u(d)));
      }
      ASSERT_EQ(check_alltoall(
                    n, [&](std::int32_t, std::int32_t) { return block; },
                    [&](SymbolicPlan& plan, const Role& role) { alltoall_bruck(plan, role, block); }, &got),
                "");
      ASSERT_EQ(got, expected);
    }
  }
}

// --- barrier

struct BarrierCase {
  const char* name;
  void (*body)(SymbolicPlan&, const Role&);
  std::uint64_t (*messages)(std::int32_t n);
};
const BarrierCase kBarriers[] = {
    {"linear", barrier_linear, [](std::int32_t n) { return 2 * (u(n) - 1); }},
    {"double ring", barrier_double_ring, [](std::int32_t n) { return n == 1 ? 0 : 2 * u(n); }},
    {"recursive doubling", barrier_recursive_doubling,
     [](std::int32_t n) { return power_below(n) * log2_down(n) + 2 * (u(n) - power_below(n)); }},
    {"dissemination", barrier_dissemination, [](std::int32_t n) { return u(n) * log2_up(n); }},
    {"tree", barrier_tree, [](std::int32_t n) { return 2 * (u(n) - 1); }},
};

TEST(BarrierTest, NobodyLeavesBeforeHearingOfEverybody) {
  for (const BarrierCase& c : kBarriers) {
    for (std::int32_t n = 1; n <= kMaxSize; ++n) {
      SCOPED_TRACE(std::string(c.name) + " n=" + std::to_string(n));
      SymbolicRun run(n);
      ASSERT_EQ(run.run([&](SymbolicPlan& plan, std::int32_t i) { c.body(plan, {i, n, 0}); }), "");
      for (std::int32_t i = 0; i < n; ++i) ASSERT_EQ(run.known(i), all_ranks(n));
      ASSERT_EQ(run.traffic(), (Traffic{c.messages(n), 0}));
    }
  }
}

}  // namespace
}  // namespace vef::tracelib::coll
