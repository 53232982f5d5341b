// SPDX-License-Identifier: Apache-2.0
// Broadcast, reduce, gather and scatter on symbolic memory, for 1 to 33 ranks and every root: what each rank
// ends with, and the number of messages and bytes against closed forms that are derived here.
#include <gtest/gtest.h>

#include <functional>

#include "bcast.h"
#include "gather.h"
#include "reduce.h"
#include "symbolic_run.h"

namespace vef::tracelib::coll {
namespace {

constexpr std::int32_t kMaxSize = 33;

std::uint64_t segments(std::uint64_t bytes, std::uint64_t segment) {
  return bytes == 0 || segment == 0 ? 1 : ceil_div(bytes, segment);
}

struct Vector {
  std::uint64_t bytes, element, segment;
};
// Fewer elements than ranks, in segments; more than most have, the last one short; nothing, one byte, odd,
// whole.
constexpr Vector kVectors[] = {{24, 8, 8}, {67, 4, 12}, {0, 1, 0}, {1, 1, 0},
                               {7, 1, 3},  {24, 8, 0},  {71, 1, 0}};

using Body = std::function<void(SymbolicPlan&, const Role&, const Vector&)>;
using ClosedForm = std::function<Traffic(std::int32_t n, std::int32_t root, const Vector&)>;
struct Case {
  const char* name;
  Body body;
  ClosedForm traffic;
  std::uint64_t least_elements = 0;
};

// n - 1 edges, each carries every segment once.
Traffic tree_traffic(std::int32_t n, std::int32_t, const Vector& v) {
  return {(u(n) - 1) * segments(v.bytes, v.segment), (u(n) - 1) * v.bytes};
}
Traffic star_traffic(std::int32_t n, std::int32_t, const Vector& v) {
  return {u(n) - 1, (u(n) - 1) * v.bytes};
}

// Odd relative ranks (n / 2 of them) get the first half from above, even ones but the root the second; then
// each of the n - 1 gets one message with the other half.
Traffic split_traffic(std::int32_t n, std::int32_t, const Vector& v) {
  if (n == 1) return {};
  const std::uint64_t second = ceil_div(v.bytes, v.element) / 2;
  const std::uint64_t first_bytes = std::min((ceil_div(v.bytes, v.element) - second) * v.element, v.bytes);
  return {u(n / 2) * segments(first_bytes, v.segment) +
              u((n - 1) / 2) * segments(v.bytes - first_bytes, v.segment) + u(n) - 1,
          (u(n) - 1) * v.bytes};
}

// Scatter: relative rank j's block travels popcount(j) hops; those get a message whose block is not empty.
Traffic scatter_phase(std::int32_t n, const Vector& v) {
  const std::uint64_t block = ceil_div(ceil_div(v.bytes, v.element), u(n)) * v.element;
  Traffic t;
  for (std::int32_t j = 1; j < n; ++j) {
    const std::uint64_t begin = std::min(u(j) * block, v.bytes), end = std::min(u(j + 1) * block, v.bytes);
    t.messages += end > begin ? 1 : 0;
    t.bytes += (end - begin) * static_cast<std::uint64_t>(std::popcount(u(j)));
  }
  return t;
}
// Doubling: on each level every rank gets one message, unless its group of `width` has no sibling group: the
// last group, if its number is even. Every rank gets every block but its own once: (n - 1) vectors.
Traffic scatter_allgather_traffic(std::int32_t n, std::int32_t, const Vector& v) {
  Traffic t = scatter_phase(n, v);
  for (std::int32_t width = 1; width < n; width *= 2) {
    const std::int32_t last_group = (n - 1) / width;
    t.messages += u(last_group % 2 == 0 ? last_group * width : n);
  }
  t.bytes += (u(n) - 1) * v.bytes;
  return t;
}
Traffic scatter_ring_traffic(std::int32_t n, std::int32_t, const Vector& v) {
  Traffic t = scatter_phase(n, v);
  return {t.messages + u(n) * (u(n) - 1), t.bytes + (u(n) - 1) * v.bytes};
}

template <class MakeTree>
Body bcast_along(MakeTree make) {
  return [make](SymbolicPlan& plan, const Role& role, const Vector& v) {
    bcast_tree(plan, make(role), v.bytes, v.segment);
  };
}

const Case kBroadcasts[] = {
    {"linear", [](SymbolicPlan& p, const Role& r, const Vector& v) { bcast_linear(p, r, v.bytes); },
     star_traffic},
    {"pipeline", bcast_along([](const Role& r) { return chain_tree(r, 1); }), tree_traffic},
    {"4 chains", bcast_along([](const Role& r) { return chain_tree(r, 4); }), tree_traffic},
    {"binary", bcast_along(binary_tree), tree_traffic},
    {"binomial, high bit", bcast_along(binomial_tree_high), tree_traffic},
    {"binomial, low bit",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       bcast_tree(p, binomial_tree_low(r), v.bytes, v.segment, true);
     },
     tree_traffic},
    {"2-nomial", bcast_along([](const Role& r) { return knomial_tree(r, 2); }), tree_traffic},
    {"3-nomial", bcast_along([](const Role& r) { return knomial_tree(r, 3); }), tree_traffic},
    {"4-nomial", bcast_along([](const Role& r) { return knomial_tree(r, 4); }), tree_traffic},
    {"split binary",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       bcast_split_binary(p, r, {v.bytes, v.element}, v.segment);
     },
     split_traffic, 2},
    {"scatter, all-gather",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       bcast_scatter_allgather(p, r, {v.bytes, v.element});
     },
     scatter_allgather_traffic},
    {"scatter, ring",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       bcast_scatter_ring(p, r, {v.bytes, v.element});
     },
     scatter_ring_traffic},
};

// The surplus ranks' part and each member's last window in Rabenseifner's reduce. See reduce_traffic.
std::uint64_t last_window(const Vector& v, std::int32_t members, std::int32_t m, Cut cut) {
  const std::uint64_t count = ceil_div(v.bytes, v.element);
  std::uint64_t first = 0, width = cut == Cut::kElements ? count : u(members);
  for (std::int32_t bit = 1; bit < members; bit *= 2) {
    const std::uint64_t low = width / 2;
    if ((m & bit) != 0) first += low, width -= low;
    if ((m & bit) == 0) width = low;
  }
  std::uint64_t begin = first, end = first + width;
  if (cut == Cut::kBlocks) {
    const auto start = [&](std::uint64_t i) {
      return i * (count / u(members)) + std::min(i, count % u(members));
    };
    begin = start(first), end = start(first + width);
  }
  return std::min(end * v.element, v.bytes) - std::min(begin * v.element, v.bytes);
}
// Leaving: MPICH one message of B per pair, Open MPI the two halves and the second one again. Halving among
// p: p log2 p messages; on level k the 2^k windows make up B and each is swapped by p / 2^(k+1) pairs: (p -
// 1) B in all. Gather: p - 1 messages; m's window travels one hop per bit in which m differs from the root.
// If the root has left, rank 0 hands it its window first.
Traffic rabenseifner_traffic(std::int32_t n, std::int32_t root, const Vector& v, Cut cut) {
  const std::int32_t p = static_cast<std::int32_t>(std::bit_floor(u(n))), surplus = n - p;
  const std::uint64_t low = ceil_div(v.bytes, v.element) / 2 * v.element;
  Traffic t;
  if (cut == Cut::kElements) t = {3 * u(surplus), u(surplus) * (v.bytes + (v.bytes - low))};
  if (cut == Cut::kBlocks) t = {u(surplus), u(surplus) * v.bytes};
  t.messages += u(p) * u(std::countr_zero(u(p))) + u(p) - 1;
  t.bytes += (u(p) - 1) * v.bytes;
  const bool root_left = root < 2 * surplus && root % 2 != 0;
  const std::int32_t virtual_root = root_left ? 0 : (root < 2 * surplus ? root / 2 : root - surplus);
  for (std::int32_t m = 0; m < p; ++m) {
    t.bytes += last_window(v, p, m, cut) * static_cast<std::uint64_t>(std::popcount(u(m ^ virtual_root)));
  }
  if (root_left && p > 1) t.messages += 1, t.bytes += last_window(v, p, 0, cut);
  return t;
}

template <class MakeTree>
Body reduce_along(MakeTree make) {
  return [make](SymbolicPlan& plan, const Role& role, const Vector& v) {
    reduce_tree(plan, make(role), v.bytes, v.segment);
  };
}

const Case kReduces[] = {
    {"linear", [](SymbolicPlan& p, const Role& r, const Vector& v) { reduce_linear(p, r, v.bytes); },
     star_traffic},
    {"pipeline", reduce_along([](const Role& r) { return chain_tree(r, 1); }), tree_traffic},
    {"4 chains", reduce_along([](const Role& r) { return chain_tree(r, 4); }), tree_traffic},
    {"binary", reduce_along(binary_tree), tree_traffic},
    {"binomial", reduce_along(binomial_tree_low), tree_traffic},
    {"in-order binary",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       reduce_in_order_binary(p, r, v.bytes, v.segment);
     },
     [](std::int32_t n, std::int32_t root, const Vector& v) {
       Traffic t = tree_traffic(n, root, v);
       if (root != n - 1) t.messages += 1, t.bytes += v.bytes;
       return t;
     }},
    {"Rabenseifner, elements",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       reduce_rabenseifner(p, r, {v.bytes, v.element}, Cut::kElements);
     },
     [](std::int32_t n, std::int32_t root, const Vector& v) {
       return rabenseifner_traffic(n, root, v, Cut::kElements);
     }},
    {"Rabenseifner, blocks",
     [](SymbolicPlan& p, const Role& r, const Vector& v) {
       reduce_rabenseifner(p, r, {v.bytes, v.element}, Cut::kBlocks);
     },
     [](std::int32_t n, std::int32_t root, const Vector& v) {
       return rabenseifner_traffic(n, root, v, Cut::kBlocks);
     }},
};

std::string where(const Case& c, std::int32_t n, std::int32_t root, std::uint64_t bytes) {
  return std::string(c.name) + ", " + std::to_string(n) + " ranks, root " + std::to_string(root) + ", " +
         std::to_string(bytes) + " bytes";
}

/// The roots at which a rank's position changes its kind; for them every vector is tried, for all others the
/// first.
bool try_every_vector(std::int32_t n, std::int32_t root) {
  return root == 0 || root == n / 2 || root == n - 1;
}

/// Runs `check(case, n, root, vector)` for every size and root.
template <class Cases, class Check>
void for_every_size_and_root(const Cases& cases, Check check) {
  for (const Case& c : cases) {
    for (std::int32_t n = 1; n <= kMaxSize; ++n) {
      for (std::int32_t root = 0; root < n; ++root) {
        for (const Vector& v :
             std::span(kVectors).first(try_every_vector(n, root) ? std::size(kVectors) : 1)) {
          if (ceil_div(v.bytes, v.element) < c.least_elements) continue;
          check(c, n, root, v);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(BroadcastTest, EveryRankEndsWithTheRootsBytes) {
  for_every_size_and_root(kBroadcasts, [](const Case& c, std::int32_t n, std::int32_t root, const Vector& v) {
    SymbolicRun run(n);
    for (std::int32_t i = 0; i < n; ++i) run.out(i).resize(v.bytes);
    fill(run.out(root), 0, v.bytes, std::uint64_t{1} << root);
    ASSERT_EQ(run.run([&](SymbolicPlan& plan, std::int32_t i) {
      c.body(plan, {i, n, root}, v);
    }),
              "")
        << where(c, n, root, v.bytes);
    for (std::int32_t i = 0; i < n; ++i) {
      ASSERT_TRUE(holds(run.out(i), 0, v.bytes, std::uint64_t{1} << root)) << where(c, n, root, v.bytes);
    }
    ASSERT_EQ(run.traffic(), c.traffic(n, root, v)) << where(c, n, root, v.bytes);
  });
}

TEST(ReduceTest, TheRootEndsWithEveryContributionOnce) {
  for_every_size_and_root(kReduces, [](const Case& c, std::int32_t n, std::int32_t root, const Vector& v) {
    SymbolicRun run(n);
    for (std::int32_t i = 0; i < n; ++i) {
      run.out(i).resize(v.bytes);
      fill(run.out(i), 0, v.bytes, std::uint64_t{1} << i);
    }
    ASSERT_EQ(run.run([&](SymbolicPlan& plan, std::int32_t i) {
      c.body(plan, {i, n, root}, v);
    }),
              "")
        << where(c, n, root, v.bytes);
    ASSERT_TRUE(holds(run.out(root), 0, v.bytes, all_ranks(n))) << where(c, n, root, v.bytes);
    ASSERT_EQ(run.traffic(), c.traffic(n, root, v)) << where(c, n, root, v.bytes);
  });
}

// --- gather and scatter

/// Offsets of blocks: equal ones of b bytes, or (b == kUneven) i % 4 bytes.
constexpr std::uint64_t kUneven = 99;
std::vector<std::uint64_t> offsets_of(std::int32_t n, std::uint64_t b) {
  std::vector<std::uint64_t> offsets{0};
  for (std::int32_t i = 0; i < n; ++i) offsets.push_back(offsets.back() + (b == kUneven ? u(i % 4) : b));
  return offsets;
}

// A block travels one hop per set bit of its relative rank.
Traffic binomial_traffic(std::int32_t n, std::int32_t root, const std::vector<std::uint64_t>& offsets) {
  Traffic t{u(n) - 1, 0};
  for (std::int32_t i = 0; i < n; ++i) {
    const auto hops = static_cast<std::uint64_t>(std::popcount(u((i - root + n) % n)));
    t.bytes += hops * (offsets[i + 1] - offsets[i]);
  }
  return t;
}
Traffic direct_traffic(std::int32_t n, std::int32_t root, const std::vector<std::uint64_t>& offsets,
                       bool skip) {
  Traffic t;
  for (std::int32_t i = 0; i < n; ++i) {
    const std::uint64_t bytes = offsets[i + 1] - offsets[i];
    if (i == root || (skip && bytes == 0)) continue;
    t.messages += 1, t.bytes += bytes;
  }
  return t;
}

struct BlockCase {
  const char* name;
  void (*body)(SymbolicPlan&, const Role&, const BlockLayout&);
  Traffic (*traffic)(std::int32_t n, std::int32_t root, const std::vector<std::uint64_t>& offsets);
};

const BlockCase kGathers[] = {
    {"linear", [](SymbolicPlan& p, const Role& r, const BlockLayout& b) { gather_linear(p, r, b, false); },
     [](std::int32_t n, std::int32_t root, const std::vector<std::uint64_t>& o) {
       return direct_traffic(n, root, o, false);
     }},
    {"linear, vector form",
     [](SymbolicPlan& p, const Role& r, const BlockLayout& b) { gather_linear(p, r, b, true); },
     [](std::int32_t n, std::int32_t root, const std::vector<std::uint64_t>& o) {
       return direct_traffic(n, root, o, true);
     }},
    {"binomial", gather_binomial, binomial_traffic},
    {"linear with synchronisation",  // an empty question and two answers each
     [](SymbolicPlan& p, const Role& r, const BlockLayout& b) { gather_linear_sync(p, r, b, 2); },
     [](std::int32_t n, std::int32_t root, const std::vector<std::uint64_t>& o) {
       const Traffic t = direct_traffic(n, root, o, false);
       return Traffic{3 * t.messages, t.bytes};
     }},
};
const BlockCase kScatters[] = {
    {"linear", [](SymbolicPlan& p, const Role& r, const BlockLayout& b) { scatter_linear(p, r, b, false); },
     [](std::int32_t n, std::int32_t root, const std::vector<std::uint64_t>& o) {
       return direct_traffic(n, root, o, false);
     }},
    {"linear, vector form",
     [](SymbolicPlan& p, const Role& r, const BlockLayout& b) { scatter_linear(p, r, b, true); },
     [](std::int32_t n, std::int32_t root, const std::vector<std::uint64_t>& o) {
       return direct_traffic(n, root, o, true);
     }},
    {"binomial", scatter_binomial, binomial_traffic},
};

/// `start` and `end`: which blocks a rank must hold; bit i: block i.
template <class Cases, class Held>
void check_blocks(const Cases& cases, bool from_root, Held must_hold) {
  for (const BlockCase& c : cases) {
    for (std::int32_t n = 1; n <= kMaxSize; ++n) {
      for (std::int32_t root = 0; root < n; ++root) {
        for (std::uint64_t b : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, kUneven}) {
          SCOPED_TRACE(std::string(c.name) + " n=" + std::to_string(n) + " root=" + std::to_string(root));
          const auto offsets = offsets_of(n, b);
          SymbolicRun run(n);
          const auto owner = [&](std::int32_t i) { return std::uint64_t{1} << (from_root ? root : i); };
          const auto fill_block = [&](std::int32_t rank, std::int32_t i) {
            fill(run.out(rank), offsets[i], offsets[i + 1] - offsets[i], owner(i));
          };
          for (std::int32_t i = 0; i < n; ++i) run.out(i).resize(offsets.back());
          for (std::int32_t i = 0; i < n; ++i) fill_block(from_root ? root : i, i);
          const BlockLayout blocks = b == kUneven ? BlockLayout(offsets) : BlockLayout(n, b);
          ASSERT_EQ(run.run([&](SymbolicPlan& plan, std::int32_t i) {
            c.body(plan, {i, n, root}, blocks);
          }),
                    "");
          for (std::int32_t rank = 0; rank < n; ++rank) {
            for (std::int32_t i = 0; i < n; ++i) {
              if (!must_hold(rank, i, root)) continue;
              ASSERT_TRUE(holds(run.out(rank), offsets[i], offsets[i + 1] - offsets[i], owner(i)));
            }
          }
          ASSERT_EQ(run.traffic(), c.traffic(n, root, offsets));
        }
      }
    }
  }
}

TEST(GatherTest, TheRootEndsWithAllBlocks) {
  check_blocks(kGathers, false,
               [](std::int32_t rank, std::int32_t, std::int32_t root) { return rank == root; });
}

TEST(ScatterTest, EveryRankEndsWithItsBlock) {
  check_blocks(kScatters, true, [](std::int32_t rank, std::int32_t i, std::int32_t) { return rank == i; });
}

}  // namespace
}  // namespace vef::tracelib::coll
