// SPDX-License-Identifier: Apache-2.0
// Traces of Paraver (.prv) as Extrae writes them: text, sorted by time, all numbers from 1.
//
//   #Paraver (date):end_ns:nodes(cpus,...):applications:tasks(threads:node,...),communicators
//   c:application:communicator:members:task:...
//   1:cpu:application:task:thread:begin:end:state
//   2:cpu:application:task:thread:time:type:value[:type:value]...
//   3:cpu:application:task:thread:logical send:physical send:cpu:application:task:thread:logical receive:
//     physical receive:bytes:tag
//
// An MPI call is an event of one of the types below, its value the call and 0 at its end. A message was
// received (physical receive) within the call that completed it. Facts: bsc-performance-tools/extrae, commit
// 2292a14, src/merger/paraver/{paraver_generator.c,MPI_EventEncoding.h, mpi_prv_semantics.c,labels.h},
// src/common/events.h, src/tracer/wrappers/MPI/mpi_wrapper_coll_c.c.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "vef/formats/trace.h"

namespace vef::neighbours::paraver {

// Types of events.
inline constexpr std::uint64_t kPointToPoint = 50000001;
inline constexpr std::uint64_t kCollective = 50000002;
inline constexpr std::uint64_t kOther = 50000003;
inline constexpr std::uint64_t kOneSided = 50000004;
inline constexpr std::uint64_t kSendSize = 50100001;  // of a collective, beside its call
inline constexpr std::uint64_t kRecvSize = 50100002;
inline constexpr std::uint64_t kRoot = 50100003;  // 1, at the root only
inline constexpr std::uint64_t kComm = 50100004;

// Values: MPI calls.
inline constexpr std::uint64_t kIsend = 3;
inline constexpr std::uint64_t kWait = 5;
inline constexpr std::uint64_t kInit = 31;
inline constexpr std::uint64_t kFinalize = 32;

enum class Form : std::uint8_t {
  kPlain,
  kTotals,         // of an all-to-all: sizes are those of all parts together
  kReduceScatter,  // no operation of VEF's
  kScan            // nor this
};

struct CollectiveCall {
  std::uint64_t value = 0;
  std::string_view name;  // without MPI_
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  Form form = Form::kPlain;
  bool blocks = true;
};

using Op = formats::CollectiveOp;
inline constexpr std::array<CollectiveCall, 34> kCollectiveCalls = {{
    {7, "Bcast", Op::kBroadcast},
    {8, "Barrier", Op::kBarrier},
    {9, "Reduce", Op::kReduce},
    {10, "Allreduce", Op::kAllreduce},
    {11, "Alltoall", Op::kAlltoall},
    {12, "Alltoallv", Op::kAlltoall, Form::kTotals},
    {13, "Gather", Op::kGather},
    {14, "Gatherv", Op::kGather},
    {15, "Scatter", Op::kScatter},
    {16, "Scatterv", Op::kScatter},
    {17, "Allgather", Op::kAllgather},
    {18, "Allgatherv", Op::kAllgather},
    {30, "Scan", Op::kBarrier, Form::kScan},
    {80, "Reduce_scatter", Op::kReduce, Form::kReduceScatter},
    {154, "Ireduce", Op::kReduce, Form::kPlain, false},
    {155, "Iallreduce", Op::kAllreduce, Form::kPlain, false},
    {156, "Ibarrier", Op::kBarrier, Form::kPlain, false},
    {157, "Ibcast", Op::kBroadcast, Form::kPlain, false},
    {158, "Ialltoall", Op::kAlltoall, Form::kPlain, false},
    {159, "Ialltoallv", Op::kAlltoall, Form::kTotals, false},
    {160, "Iallgather", Op::kAllgather, Form::kPlain, false},
    {161, "Iallgatherv", Op::kAllgather, Form::kPlain, false},
    {162, "Igather", Op::kGather, Form::kPlain, false},
    {163, "Igatherv", Op::kGather, Form::kPlain, false},
    {164, "Iscatter", Op::kScatter, Form::kPlain, false},
    {165, "Iscatterv", Op::kScatter, Form::kPlain, false},
    {166, "Ireduce_scatter", Op::kReduce, Form::kReduceScatter, false},
    {167, "Iscan", Op::kBarrier, Form::kScan, false},
    {168, "Reduce_scatter_block", Op::kReduce, Form::kReduceScatter},
    {169, "Ireduce_scatter_block", Op::kReduce, Form::kReduceScatter, false},
    {170, "Alltoallw", Op::kAlltoall, Form::kTotals},
    {171, "Ialltoallw", Op::kAlltoall, Form::kTotals, false},
    {214, "Exscan", Op::kBarrier, Form::kScan},
    {215, "Iexscan", Op::kBarrier, Form::kScan, false},
}};

/// Null: no collective that is converted.
constexpr const CollectiveCall* find_collective(std::uint64_t value) {
  for (const CollectiveCall& call : kCollectiveCalls) {
    if (call.value == value) return &call;
  }
  return nullptr;
}

// States of a thread.
inline constexpr int kRunning = 1;
inline constexpr int kWaiting = 8;
inline constexpr int kGroup = 13;

}  // namespace vef::neighbours::paraver
