// SPDX-License-Identifier: Apache-2.0
// The collectives of time-independent traces. All are on the world; the k-th of one rank is the k-th of the
// others.
#include "lowering.h"
#include "ti_line.h"

namespace vef::neighbours {

using formats::CollectiveOp;

namespace {

constexpr std::int64_t kTiScanTag = -1;  // traces have tags from 0

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  std::uint64_t total = 0;
  for (const std::uint64_t value : values) saturating_add_to(total, value);
  return total;
}

}  // namespace

Status TiActions::barrier(Line& line) {
  collective(line, CollectiveOp::kBarrier, 0, 0);
  return {};
}

Status TiActions::bcast(Line& line) {
  const std::uint64_t count = line.count("count");
  const bool root = line.root() == line.rank;
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (line.status) collective(line, CollectiveOp::kBroadcast, root ? bytes : 0, root ? 0 : bytes);
  return line.status;
}

Status TiActions::reduce(Line& line) {
  const std::uint64_t count = line.count("count");
  const double flops = line.amount("flops", 0, kTiMostFlops, false);
  const bool root = line.root() == line.rank;
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (!line.status) return line.status;
  collective(line, CollectiveOp::kReduce, root ? 0 : bytes, root ? bytes : 0);
  return add_flops(line, flops);
}

Status TiActions::allreduce(Line& line) {
  const std::uint64_t count = line.count("count");
  const double flops = line.amount("flops", 0, kTiMostFlops, false);
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (!line.status) return line.status;
  collective(line, CollectiveOp::kAllreduce, bytes, bytes);
  return add_flops(line, flops);
}

Status TiActions::alltoall(Line& line) {
  const std::uint64_t count = line.count("count");
  (void)line.count("count");
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (line.status) collective(line, CollectiveOp::kAlltoall, bytes, 0);
  return line.status;
}

Status TiActions::alltoallv(Line& line) {
  (void)line.count("buffer size");
  const std::uint64_t total = sum(line.counts("send count"));
  (void)line.count("buffer size");
  (void)line.counts("receive count");
  const std::uint64_t bytes = line.bytes(total, line.datatype());
  if (!line.status) return line.status;
  losses_.add(kAlltoallvLoss, "VEF has no sizes per pair");
  collective(line, CollectiveOp::kAlltoall, bytes, 1);  // 1: a total
  return {};
}

Status TiActions::gather(Line& line) {
  const bool vector = line.action() == "gatherv";
  const std::uint64_t own = line.count("send count");
  const std::uint64_t all =
      vector ? sum(line.counts("receive count"))
             : saturating_multiply(line.count("receive count"), static_cast<std::uint64_t>(ranks_));
  const bool root = line.root() == line.rank;
  const std::uint64_t send = line.bytes(own, line.datatype());
  const std::uint64_t recv = line.bytes(all, line.datatype());
  if (line.status) collective(line, CollectiveOp::kGather, send, root ? recv : 0);
  return line.status;
}

Status TiActions::scatter(Line& line) {
  const bool vector = line.action() == "scatterv";
  const std::uint64_t all =
      vector ? sum(line.counts("send count"))
             : saturating_multiply(line.count("send count"), static_cast<std::uint64_t>(ranks_));
  const std::uint64_t own = line.count("receive count");
  const bool root = line.root() == line.rank;
  const std::uint64_t send = line.bytes(all, line.datatype());
  const std::uint64_t recv = line.bytes(own, line.datatype());
  if (line.status) collective(line, CollectiveOp::kScatter, root ? send : 0, recv);
  return line.status;
}

Status TiActions::allgather(Line& line) {
  const bool vector = line.action() == "allgatherv";
  const std::uint64_t own = line.count("send count");
  const std::uint64_t all =
      vector ? sum(line.counts("receive count"))
             : saturating_multiply(line.count("receive count"), static_cast<std::uint64_t>(ranks_));
  // Behind the counts of allgatherv may be datatypes, displacements, or both.
  const std::size_t left = line.words.size() - line.next;
  if (vector && left > 2 && left < static_cast<std::size_t>(ranks_) + 2) line.next = line.words.size();
  const std::uint64_t send = line.bytes(own, line.datatype());
  const std::uint64_t recv = line.bytes(all, line.datatype());
  if (line.status) collective(line, CollectiveOp::kAllgather, send, recv);
  return line.status;
}

Status TiActions::reduce_scatter(Line& line) {
  const std::vector<std::uint64_t> counts = line.counts("receive count");
  const double flops = line.amount("flops", 0, kTiMostFlops, false);
  const std::uint64_t element = line.datatype();
  const std::uint64_t all = line.bytes(sum(counts), element);
  const std::uint64_t own = line.bytes(counts[static_cast<std::size_t>(line.rank)], element);
  if (!line.status) return line.status;
  losses_.add(kReduceScatterLoss, kNoSuchOperation);
  const bool root = line.rank == 0;
  collective(line, CollectiveOp::kReduce, root ? 0 : all, root ? all : 0);
  collective(line, CollectiveOp::kScatter, root ? all : 0, own);
  return add_flops(line, flops);
}

Status TiActions::scan(Line& line) {
  const std::uint64_t count = line.count("count");
  const double flops = line.amount("flops", 0, kTiMostFlops, false);
  const std::uint64_t bytes = line.bytes(count, line.datatype());
  if (!line.status) return line.status;
  losses_.add(kScanLoss, kNoSuchOperation);
  if (line.rank > 0)
    await(line, matcher_.receive({line.rank - 1, line.rank, kTiScanTag}, line.number, builder_.next_id()));
  if (line.rank + 1 < ranks_) send_message(line, {line.rank, line.rank + 1, kTiScanTag}, bytes, false);
  return add_flops(line, flops);
}

}  // namespace vef::neighbours
