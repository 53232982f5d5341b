// SPDX-License-Identifier: Apache-2.0
#include "otf2_archive.h"

#include <cstdarg>
#include <cstdio>
#include <utility>

#include "vef/base/text.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::CollectiveOp;
using formats::Record;

namespace {

constexpr std::string_view kRegions[kOtf2Ops][2] = {{"MPI_Ibcast", "MPI_Bcast"},
                                                    {"MPI_Ireduce", "MPI_Reduce"},
                                                    {"MPI_Iallreduce", "MPI_Allreduce"},
                                                    {"MPI_Igatherv", "MPI_Gatherv"},
                                                    {"MPI_Iscatterv", "MPI_Scatterv"},
                                                    {"MPI_Iallgatherv", "MPI_Allgatherv"},
                                                    {"MPI_Ibarrier", "MPI_Barrier"},
                                                    {"MPI_Ialltoall", "MPI_Alltoall"},
                                                    {"MPI_Ireduce_scatter", "MPI_Reduce_scatter"},
                                                    {"MPI_Iscan", "MPI_Scan"},
                                                    {"MPI_Iexscan", "MPI_Exscan"}};

thread_local std::string first_message;

OTF2_ErrorCode keep_message(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                            const char* format, va_list arguments) {
  char text[512] = "";
  if (format != nullptr) (void)std::vsnprintf(text, sizeof(text), format, arguments);
  if (first_message.empty()) first_message = escaped(text);
  return code;
}

}  // namespace

std::string_view otf2_region_of(CollectiveOp op, bool blocking) {
  return kRegions[static_cast<std::size_t>(op)][blocking ? 1 : 0];
}

OTF2_CollectiveOp otf2_op_of(const Record& part) {
  switch (part.op) {
    case CollectiveOp::kBroadcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case CollectiveOp::kReduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case CollectiveOp::kAllreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case CollectiveOp::kGather:
      return OTF2_COLLECTIVE_OP_GATHERV;
    case CollectiveOp::kScatter:
      return OTF2_COLLECTIVE_OP_SCATTERV;
    case CollectiveOp::kAllgather:
      return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case CollectiveOp::kAlltoall:
      return part.recv_bytes == 0 ? OTF2_COLLECTIVE_OP_ALLTOALL : OTF2_COLLECTIVE_OP_ALLTOALLV;
    case CollectiveOp::kReduceScatter:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case CollectiveOp::kScan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case CollectiveOp::kExscan:
      return OTF2_COLLECTIVE_OP_EXSCAN;
    case CollectiveOp::kBarrier:
      break;
  }
  return OTF2_COLLECTIVE_OP_BARRIER;
}

Otf2Sizes otf2_sizes_of(const Record& part, std::uint64_t members) {
  const std::uint64_t send = part.send_bytes;
  const std::uint64_t recv = part.recv_bytes;
  switch (part.op) {
    case CollectiveOp::kBroadcast:
      return {saturating_multiply(members, send), send + recv};
    case CollectiveOp::kReduce:
      return {send + recv, saturating_multiply(members, recv)};
    case CollectiveOp::kAllgather:
      return {saturating_multiply(members, send), recv};
    case CollectiveOp::kAllreduce:
      return {saturating_multiply(members, send), saturating_multiply(members, recv)};
    case CollectiveOp::kAlltoall: {
      const std::uint64_t total = recv == 0 ? saturating_multiply(members, send) : send;
      return {total, total};  // what arrives is not known
    }
    case CollectiveOp::kGather:
    case CollectiveOp::kScatter:
    case CollectiveOp::kBarrier:
    case CollectiveOp::kScan:  // have become messages
    case CollectiveOp::kExscan:
      break;
    case CollectiveOp::kReduceScatter:
      return {send, saturating_multiply(members, recv)};
  }
  return {send, recv};
}

void otf2_keep_messages() {
  first_message.clear();
  OTF2_Error_RegisterCallback(keep_message, nullptr);
}

std::string otf2_message(OTF2_ErrorCode code) {
  std::string message = std::exchange(first_message, {});
  if (!message.empty()) return message;
  const char* const text = OTF2_Error_GetDescription(code);
  return text != nullptr ? text : "unknown fault";
}

}  // namespace vef::neighbours
