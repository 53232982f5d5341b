// SPDX-License-Identifier: Apache-2.0
// The libraries' choices: known rows of their decision tables, their fallbacks, and every choice run on
// symbolic memory. Also the test of the symbolic memory itself.
#include "dispatch.h"

#include <gtest/gtest.h>

#include <numeric>

#include "symbolic_run.h"
#include "vef/tracelib/collectives.h"

namespace vef::tracelib::coll {
namespace {

using formats::CollectiveOp;

constexpr CollectiveOp kAllOps[] = {
    CollectiveOp::kBroadcast,     CollectiveOp::kReduce,    CollectiveOp::kAllreduce, CollectiveOp::kGather,
    CollectiveOp::kScatter,       CollectiveOp::kAllgather, CollectiveOp::kBarrier,   CollectiveOp::kAlltoall,
    CollectiveOp::kReduceScatter, CollectiveOp::kScan,      CollectiveOp::kExscan};

/// The sizes of the G records of an operation, as VEF has them. `blocks`: per rank, for the kinds with a
/// block per rank; the first one is the vector of the others.
struct Sizes {
  std::vector<std::uint64_t> send, recv;
};
Sizes sizes_of(CollectiveOp op, std::int32_t root, const std::vector<std::uint64_t>& blocks, bool vectorial) {
  const std::size_t n = blocks.size();
  const std::uint64_t sum = std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0}), x = blocks[0];
  Sizes s{std::vector<std::uint64_t>(n, 0), std::vector<std::uint64_t>(n, 0)};
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_root = i == static_cast<std::size_t>(root);
    if (op == CollectiveOp::kBroadcast) (is_root ? s.send : s.recv)[i] = x;
    if (op == CollectiveOp::kReduce) (is_root ? s.recv : s.send)[i] = x;
    if (op == CollectiveOp::kAllreduce) s.send[i] = s.recv[i] = x;
    if (op == CollectiveOp::kGather) s.send[i] = blocks[i], s.recv[i] = is_root ? sum : 0;
    if (op == CollectiveOp::kScatter) s.recv[i] = blocks[i], s.send[i] = is_root ? sum : 0;
    if (op == CollectiveOp::kAllgather) s.send[i] = blocks[i], s.recv[i] = sum;
    if (op == CollectiveOp::kAlltoall) s.send[i] = blocks[i], s.recv[i] = vectorial ? 1 : 0;
    if (op == CollectiveOp::kReduceScatter) s.send[i] = sum, s.recv[i] = blocks[i];
    if (op == CollectiveOp::kScan || op == CollectiveOp::kExscan) s.send[i] = s.recv[i] = x;
  }
  return s;
}

std::string_view chosen(CollectiveOp op, std::int32_t n, std::uint64_t bytes, Expansion expansion,
                        std::uint32_t element = 1) {
  const Sizes s = sizes_of(op, 0, std::vector<std::uint64_t>(static_cast<std::size_t>(n), bytes), false);
  return chosen_algorithm({op, n, 0, s.send, s.recv, element}, expansion);
}

// Read off coll_tuned_decision_fixed.c of Open MPI 4.1.4.
TEST(OpenMpiChoiceTest, FollowsTheFixedDecisions) {
  const auto of = [](CollectiveOp op, std::int32_t n, std::uint64_t bytes, std::uint32_t element = 1) {
    return chosen(op, n, bytes, Expansion::kOpenMpi, element);
  };
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 3, 31), "pipeline");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 3, 32), "binary tree");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 7, 1 << 20), "pipeline");  // a chain of fan-out 0
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 16, 4095), "4-nomial tree");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 16, 4096), "binomial tree");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 31, 1 << 20), "scatter and recursive doubling");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 256, 16384), "split binary tree");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 256, 16384, 16384), "pipeline");  // one element cannot be split
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 4096, 1 << 20), "scatter and recursive doubling");
  EXPECT_EQ(of(CollectiveOp::kReduce, 2, 4, 1), "Rabenseifner");
  EXPECT_EQ(of(CollectiveOp::kReduce, 2, 4, 4), "linear");  // fewer elements than ranks
  EXPECT_EQ(of(CollectiveOp::kReduce, 300, 8192), "in-order binary tree");
  EXPECT_EQ(of(CollectiveOp::kReduce, 64, 8192), "binomial tree");
  EXPECT_EQ(of(CollectiveOp::kAllreduce, 4, 8, 1), "ring");
  EXPECT_EQ(of(CollectiveOp::kAllreduce, 4, 8, 8), "recursive doubling");  // fewer elements than ranks
  EXPECT_EQ(of(CollectiveOp::kAllreduce, 64, 262143), "recursive doubling");
  EXPECT_EQ(of(CollectiveOp::kAllreduce, 64, 262144), "Rabenseifner");
  EXPECT_EQ(of(CollectiveOp::kAllreduce, 40, 128, 8), "linear");  // 16 elements, 32 members
  EXPECT_EQ(of(CollectiveOp::kAllreduce, 128, 100), "reduce and broadcast");
  EXPECT_EQ(of(CollectiveOp::kAllgather, 2, 100), "two processes");
  EXPECT_EQ(of(CollectiveOp::kAllgather, 12, 100), "Bruck");
  EXPECT_EQ(of(CollectiveOp::kAllgather, 16, 100), "recursive doubling");
  EXPECT_EQ(of(CollectiveOp::kAllgather, 34, 1024), "neighbour exchange");
  EXPECT_EQ(of(CollectiveOp::kAllgather, 35, 1024), "ring");
  EXPECT_EQ(of(CollectiveOp::kAlltoall, 2, 4096), "pairwise exchange");
  EXPECT_EQ(of(CollectiveOp::kAlltoall, 20, 511), "Bruck");
  EXPECT_EQ(of(CollectiveOp::kAlltoall, 64, 1 << 20), "pairwise exchange");
  EXPECT_EQ(of(CollectiveOp::kGather, 3, 1), "linear with synchronisation");
  EXPECT_EQ(of(CollectiveOp::kGather, 300, 2048), "linear");
  EXPECT_EQ(of(CollectiveOp::kScatter, 16, 16383), "binomial tree");
  EXPECT_EQ(of(CollectiveOp::kScatter, 16, 16384), "linear");
  EXPECT_EQ(of(CollectiveOp::kBarrier, 5, 0), "linear");
  EXPECT_EQ(of(CollectiveOp::kBarrier, 64, 0), "dissemination");
  EXPECT_EQ(of(CollectiveOp::kBarrier, 256, 0), "tree");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 16, 0), "none");
  EXPECT_EQ(of(CollectiveOp::kBarrier, 1, 0), "none");
}

// Read off maint/tuning/coll/mpir/generic.json of MPICH 4.0.2.
TEST(MpichChoiceTest, FollowsTheTable) {
  const auto of = [](CollectiveOp op, std::int32_t n, std::uint64_t bytes, std::uint32_t element = 1) {
    return chosen(op, n, bytes, Expansion::kMpich, element);
  };
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 7, 1 << 20), "binomial tree");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 8, 12288), "binomial tree");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 8, 12289), "scatter and recursive doubling");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 9, 12289), "scatter and ring");
  EXPECT_EQ(of(CollectiveOp::kBroadcast, 8, 524289), "scatter and ring");
  EXPECT_EQ(of(CollectiveOp::kReduce, 8, 2048), "binomial tree");
  EXPECT_EQ(of(CollectiveOp::kReduce, 8, 2056, 8), "Rabenseifner");
  EXPECT_EQ(of(CollectiveOp::kReduce, 300, 2056, 2056), "binomial tree");  // one element
  EXPECT_EQ(of(CollectiveOp::kAllreduce, 8, 8), "recursive doubling");
  EXPECT_EQ(of(CollectiveOp::kAllreduce, 8, 64, 8), "Rabenseifner");
  EXPECT_EQ(of(CollectiveOp::kAllreduce, 8, 56, 8), "recursive doubling");  // 7 elements
  EXPECT_EQ(of(CollectiveOp::kAllgather, 8, 65535), "recursive doubling");
  EXPECT_EQ(of(CollectiveOp::kAllgather, 8, 65536), "ring");
  EXPECT_EQ(of(CollectiveOp::kAllgather, 10, 8191), "Bruck");
  EXPECT_EQ(of(CollectiveOp::kAllgather, 10, 8192), "ring");
  EXPECT_EQ(of(CollectiveOp::kAlltoall, 7, 100), "scattered");
  EXPECT_EQ(of(CollectiveOp::kAlltoall, 8, 256), "Bruck");
  EXPECT_EQ(of(CollectiveOp::kAlltoall, 8, 32768), "scattered");
  EXPECT_EQ(of(CollectiveOp::kAlltoall, 8, 32769), "pairwise exchange");
  EXPECT_EQ(of(CollectiveOp::kGather, 8, 1), "binomial tree");
  EXPECT_EQ(of(CollectiveOp::kBarrier, 8, 0), "dissemination");
}

TEST(ChoiceTest, NAndLogNHaveNamesToo) {
  EXPECT_EQ(chosen(CollectiveOp::kBroadcast, 8, 1, Expansion::kN), "linear");
  EXPECT_EQ(chosen(CollectiveOp::kBarrier, 8, 0, Expansion::kN), "reduce and broadcast");
  EXPECT_EQ(chosen(CollectiveOp::kGather, 8, 1, Expansion::kLogN), "binomial tree");
  EXPECT_EQ(chosen(CollectiveOp::kAllgather, 8, 1, Expansion::kLogN), "ring");
  EXPECT_EQ(chosen(CollectiveOp::kReduceScatter, 8, 1, Expansion::kN), "reduce and scatter");
  EXPECT_EQ(chosen(CollectiveOp::kScan, 8, 1, Expansion::kN), "linear");
  EXPECT_EQ(chosen(CollectiveOp::kExscan, 8, 1, Expansion::kLogN), "recursive doubling");
}

TEST(ChoiceTest, DatatypesAreGuessedFromTheSize) {
  // 32 bytes are four doubles: fewer than the 20 ranks of a ring. 34 bytes are bytes.
  EXPECT_EQ(chosen(CollectiveOp::kAllreduce, 20, 32, Expansion::kOpenMpi, 0), "recursive doubling");
  EXPECT_EQ(chosen(CollectiveOp::kAllreduce, 20, 34, Expansion::kOpenMpi, 0), "ring");
}

TEST(ChoiceTest, OneRankSendsNothing) {
  const std::uint64_t bytes[] = {100};
  for (CollectiveOp op : kAllOps) {
    for (Expansion expansion : {Expansion::kOpenMpi, Expansion::kMpich}) {
      Schedule schedule;
      expand({op, 1, 0, bytes, bytes}, expansion, 0, schedule);
      EXPECT_TRUE(schedule.steps.empty());
      EXPECT_EQ(chosen_algorithm({op, 1, 0, bytes, bytes}, expansion), "none");
    }
  }
}

/// What MPI promises, for one operation on symbolic memory.
class Promise {
 public:
  Promise(CollectiveOp op, std::int32_t root, std::vector<std::uint64_t> blocks, bool vectorial)
      : op_(op),
        n_(static_cast<std::int32_t>(blocks.size())),
        root_(root),
        blocks_(std::move(blocks)),
        sizes_(sizes_of(op, root, blocks_, vectorial)),
        run_(n_) {
    offsets_.push_back(0);
    for (std::uint64_t b : blocks_) offsets_.push_back(offsets_.back() + b);
  }

  std::string check(Library library) {
    Prepared what;
    what.reset({op_, n_, root_, sizes_.send, sizes_.recv}, library);
    for (std::int32_t i = 0; i < n_; ++i) start(i);
    std::string error = run_.run([&](SymbolicPlan& plan, std::int32_t i) { coll::run(plan, what, i); });
    for (std::int32_t i = 0; i < n_ && error.empty(); ++i) {
      if (!kept(i)) error = "rank " + std::to_string(i) + " does not end with what MPI promises";
    }
    return error.empty() ? error : error + " (" + std::string(algorithm_name(what.algorithm())) + ")";
  }

 private:
  static std::uint64_t bit(std::int32_t i) { return std::uint64_t{1} << i; }
  bool whole_vector() const {
    return op_ == CollectiveOp::kBroadcast || op_ == CollectiveOp::kReduce ||
           op_ == CollectiveOp::kAllreduce || scans();
  }
  /// An exclusive scan sends what an inclusive one does.
  bool scans() const { return op_ == CollectiveOp::kScan || op_ == CollectiveOp::kExscan; }
  std::uint64_t pair(std::int32_t from, std::int32_t to) const {
    return alltoall_bytes({op_, n_, 0, sizes_.send, sizes_.recv}, from, to);
  }
  void start(std::int32_t i) {
    SymbolicBuffer& out = run_.out(i);
    if (op_ == CollectiveOp::kAlltoall) {
      std::uint64_t in = 0, all = 0;
      for (std::int32_t k = 0; k < n_; ++k) in += pair(i, k), all += pair(k, i);
      run_.buffer(i, Buffer::kIn).resize(in);
      run_.buffer(i, Buffer::kTemp).resize(in);
      fill(run_.buffer(i, Buffer::kIn), 0, in, bit(i));
      out.resize(all);
      return;
    }
    out.resize(whole_vector() ? blocks_[0] : offsets_.back());
    if (op_ == CollectiveOp::kBroadcast && i == root_) fill(out, 0, out.size(), bit(i));
    if (op_ == CollectiveOp::kReduce || op_ == CollectiveOp::kAllreduce ||
        op_ == CollectiveOp::kReduceScatter || scans()) {
      fill(out, 0, out.size(), bit(i));
    }
    if (scans()) run_.buffer(i, Buffer::kTemp).resize(2 * out.size());
    if (op_ == CollectiveOp::kScatter && i == root_) fill(out, 0, out.size(), bit(root_));
    if (op_ == CollectiveOp::kGather || op_ == CollectiveOp::kAllgather)
      fill(out, offsets_[i], blocks_[i], bit(i));
  }
  bool kept(std::int32_t i) {
    const SymbolicBuffer& out = run_.out(i);
    switch (op_) {
      case CollectiveOp::kBroadcast:
        return holds(out, 0, out.size(), bit(root_));
      case CollectiveOp::kReduce:
        return i != root_ || holds(out, 0, out.size(), all_ranks(n_));
      case CollectiveOp::kAllreduce:
        return holds(out, 0, out.size(), all_ranks(n_));
      case CollectiveOp::kScatter:
        return holds(out, offsets_[i], blocks_[i], bit(root_));
      case CollectiveOp::kGather:
      case CollectiveOp::kAllgather:
        return (op_ == CollectiveOp::kGather && i != root_) || holds_all_blocks(out);
      case CollectiveOp::kBarrier:
        return run_.known(i) == all_ranks(n_);
      case CollectiveOp::kAlltoall:
        return holds_all_pairs(i);
      case CollectiveOp::kReduceScatter:
        return holds(out, offsets_[i], blocks_[i], all_ranks(n_));
      case CollectiveOp::kScan:
      case CollectiveOp::kExscan:
        return holds(out, 0, out.size(), all_ranks(i + 1));
    }
    return false;
  }
  bool holds_all_blocks(const SymbolicBuffer& out) const {
    bool good = true;
    for (std::int32_t k = 0; k < n_; ++k) good = good && holds(out, offsets_[k], blocks_[k], bit(k));
    return good;
  }
  bool holds_all_pairs(std::int32_t i) {
    std::uint64_t at = 0;
    for (std::int32_t from = 0; from < n_; ++from) {
      std::uint64_t offset = 0;
      for (std::int32_t k = 0; k < i; ++k) offset += pair(from, k);
      for (std::uint64_t k = 0; k < pair(from, i); ++k, ++at) {
        if (run_.out(i)[at] != SymbolicByte{bit(from), offset + k}) return false;
      }
    }
    return true;
  }

  CollectiveOp op_;
  std::int32_t n_, root_;
  std::vector<std::uint64_t> blocks_, offsets_;
  Sizes sizes_;
  SymbolicRun run_;
};

class EveryLibrary : public ::testing::TestWithParam<Library> {};

// Thresholds are crossed by the number of ranks here and by bytes up to some hundreds; what larger messages
// select is covered algorithm by algorithm in the other tests.
TEST_P(EveryLibrary, EveryChoiceDoesWhatMpiPromises) {
  for (CollectiveOp op : kAllOps) {
    for (std::int32_t n : {2, 3, 4, 7, 8, 9, 12, 16, 17, 31, 32, 33}) {
      for (std::uint64_t bytes : {0, 1, 4, 12, 70, 300}) {
        for (std::int32_t root : {0, n / 2, n - 1}) {
          SCOPED_TRACE(std::string(formats::collective_name(op)) + " n=" + std::to_string(n) +
                       " bytes=" + std::to_string(bytes) + " root=" + std::to_string(root));
          Promise equal(op, root, std::vector<std::uint64_t>(static_cast<std::size_t>(n), bytes), false);
          ASSERT_EQ(equal.check(GetParam()), "");
        }
      }
    }
  }
}

TEST_P(EveryLibrary, UnequalBlocksArriveToo) {
  for (CollectiveOp op : {CollectiveOp::kGather, CollectiveOp::kScatter, CollectiveOp::kAllgather,
                          CollectiveOp::kAlltoall, CollectiveOp::kReduceScatter}) {
    for (std::int32_t n = 2; n <= 33; ++n) {
      for (std::uint64_t scale : {1, 40}) {
        SCOPED_TRACE(std::string(formats::collective_name(op)) + " n=" + std::to_string(n));
        std::vector<std::uint64_t> blocks;
        for (std::int32_t i = 0; i < n; ++i) blocks.push_back(scale * ((u(i) * 7 + 3) % 5));
        ASSERT_EQ(Promise(op, n - 1, blocks, op == CollectiveOp::kAlltoall).check(GetParam()), "");
      }
    }
  }
}

// The root of a gather in place reports no block of its own: the blocks count as equal all the same.
TEST_P(EveryLibrary, ARootInPlaceKeepsTheBlocksEqual) {
  const std::uint64_t send[] = {8, 8, 0, 8, 8, 8, 8, 8}, recv[] = {0, 0, 64, 0, 0, 0, 0, 0};
  Prepared what;
  what.reset({CollectiveOp::kGather, 8, 2, send, recv}, GetParam());
  EXPECT_TRUE(what.equal_blocks());
  EXPECT_EQ(what.block(), 8u);
}

INSTANTIATE_TEST_SUITE_P(Libraries, EveryLibrary, ::testing::Values(Library::kOpenMpi, Library::kMpich),
                         [](const auto& which) {
                           return which.param == Library::kOpenMpi ? "OpenMpi" : "Mpich";
                         });

// The plan that production uses sees the same messages as the symbolic one.
TEST(SchedulePlanTest, RecordsTheSameMessages) {
  const Elements vector{67, 4};
  for (std::int32_t rank = 0; rank < 13; ++rank) {
    const Role role{rank, 13, 0};
    SymbolicPlan symbolic;
    allreduce_rabenseifner(symbolic, role, vector, Cut::kElements);
    Schedule schedule;
    SchedulePlan plan(schedule);
    allreduce_rabenseifner(plan, role, vector, Cut::kElements);
    std::vector<Step> expected;
    for (const auto& round : symbolic.rounds()) {
      for (const auto& action : round) {
        std::uint64_t bytes = 0;
        for (const Piece& piece : symbolic.pieces(action.pieces)) bytes += piece.count;
        expected.push_back({action.peer, action.kind == SymbolicPlan::Kind::kSend, bytes});
      }
    }
    EXPECT_EQ(schedule.steps, expected);
    EXPECT_EQ(schedule.round_ends.size(), symbolic.rounds().size());
  }
}

// --- the symbolic memory finds the mistakes it is there for

template <class Body>
std::string error_of_two_ranks(Body body) {
  SymbolicRun run(2);
  for (std::int32_t i = 0; i < 2; ++i) {
    run.out(i).resize(8);
    fill(run.out(i), 0, 4, std::uint64_t{1} << i);
  }
  return run.run(body);
}

TEST(SymbolicRunTest, FindsWrongAlgorithms) {
  const Piece four{0, 4};
  const auto swap_twice = [&](SymbolicPlan& plan, std::int32_t i) {
    exchange(plan, 1 - i, four, 1 - i, four, Arrival::kReduce);
    exchange(plan, 1 - i, four, 1 - i, four, Arrival::kReduce);
  };
  EXPECT_EQ(error_of_two_ranks(swap_twice), "rank 0 counts a contribution twice");
  const auto shifted = [&](SymbolicPlan& plan, std::int32_t i) {
    exchange(plan, 1 - i, Piece{0, 3}, 1 - i, Piece{1, 3}, Arrival::kReduce);
  };
  EXPECT_EQ(error_of_two_ranks(shifted), "rank 1 reduces unrelated bytes");
  const auto in_place = [&](SymbolicPlan& plan, std::int32_t i) { exchange(plan, 1 - i, four, 1 - i, four); };
  EXPECT_EQ(error_of_two_ranks(in_place), "rank 0 copies onto bytes in use");
  const auto unwritten = [&](SymbolicPlan& plan, std::int32_t i) {
    if (i == 0) plan.send(1, Piece{4, 4});
    if (i == 1) plan.receive(0, four, Arrival::kCopy);
  };
  EXPECT_EQ(error_of_two_ranks(unwritten), "rank 0 reads a byte that was never written");
  const auto longer = [&](SymbolicPlan& plan, std::int32_t i) {
    if (i == 0) plan.send(1, four);
    if (i == 1) plan.receive(0, Piece{0, 3}, Arrival::kCopy);
  };
  EXPECT_EQ(error_of_two_ranks(longer), "rank 1 gets a longer message than it wants");
  const auto unmatched = [&](SymbolicPlan& plan, std::int32_t i) {
    if (i == 0) plan.send(1, four);
  };
  EXPECT_EQ(error_of_two_ranks(unmatched), "a message was never received");
  const auto waits = [&](SymbolicPlan& plan, std::int32_t i) { plan.receive(1 - i, four, Arrival::kCopy); };
  EXPECT_EQ(error_of_two_ranks(waits), "rank 0 never ends");
}

}  // namespace
}  // namespace vef::tracelib::coll
