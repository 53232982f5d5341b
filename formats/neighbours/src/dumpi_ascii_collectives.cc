// SPDX-License-Identifier: Apache-2.0
// Collectives of VEF as the calls of DUMPI that they may have been. Parts of different sizes make it the
// variant with vectors; arguments that only the root has are shown for others as dumpi2ascii shows them.
#include <algorithm>

#include "collective_shape.h"
#include "dumpi_ascii.h"

namespace vef::neighbours {

using formats::CollectiveOp;

namespace {

class Builder {
 public:
  Builder(const WholeCollective& call, const ElementUnits& units, std::uint64_t comm)
      : call_(call), units_(units), comm_(comm), members_(call.send_bytes.size()) {}

  DumpiCollective build() {
    const Sizes& send = call_.send_bytes;
    const Sizes& recv = call_.recv_bytes;
    switch (call_.op) {
      case CollectiveOp::kBarrier:
        each("MPI_Barrier", [](DumpiText&, std::size_t) {});
        break;
      case CollectiveOp::kBroadcast:
        one_size("MPI_Bcast", false, true, root_of(send));
        break;
      case CollectiveOp::kReduce:
        one_size("MPI_Reduce", true, true, root_of(recv));
        break;
      case CollectiveOp::kAllreduce:
        one_size("MPI_Allreduce", true, false, 0);
        break;
      case CollectiveOp::kGather:
        all_equal(send) ? gather(root_of(recv)) : gather_vector(root_of(recv));
        break;
      case CollectiveOp::kScatter:
        all_equal(recv) ? scatter(root_of(send)) : scatter_vector(root_of(send));
        break;
      case CollectiveOp::kAllgather:
        all_equal(send) ? exchange("MPI_Allgather") : allgather_vector();
        break;
      case CollectiveOp::kAlltoall:
        is_plain_alltoall(call_) ? exchange("MPI_Alltoall") : alltoall_vector();
        break;
      case CollectiveOp::kReduceScatter:
      case CollectiveOp::kScan:
      case CollectiveOp::kExscan:
        break;  // lowered before they come here
    }
    return std::move(result_);
  }

 private:
  /// Each member's arguments; the communicator is always the last.
  template <class Print>
  void each(std::string_view name, Print&& print) {
    result_.name = name;
    for (std::size_t i = 0; i < members_; ++i) {
      DumpiText text;
      print(text, i);
      result_.arguments.push_back(text.comm("comm", comm_).take());
    }
  }

  std::uint64_t count(std::uint64_t size) {
    result_.rounded |= size % units_.bytes != 0;
    return units_.count(size);
  }
  Sizes counts(const Sizes& sizes) {
    Sizes result;
    for (const std::uint64_t size : sizes) result.push_back(count(size));
    return result;
  }
  static Sizes displacements(const Sizes& counts) {
    Sizes result;
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts) {
      result.push_back(sum);
      sum += count;
    }
    return result;
  }
  std::uint64_t type() const { return dumpi::type_of(units_); }

  /// A size that all members name.
  void one_size(std::string_view name, bool computes, bool has_root, std::size_t root) {
    const std::uint64_t size = count(std::max(largest_of(call_.send_bytes), largest_of(call_.recv_bytes)));
    each(name, [&](DumpiText& text, std::size_t) {
      text.number("count", size).datatype("datatype", type());
      if (computes) text.operation();
      if (has_root) text.number("root", root);
    });
  }

  /// All send and receive the same to each and from each.
  void exchange(std::string_view name) {
    const std::uint64_t size = count(call_.send_bytes[0]);
    each(name, [&](DumpiText& text, std::size_t) {
      text.number("sendcount", size).datatype("sendtype", type());
      text.number("recvcount", size).datatype("recvtype", type());
    });
  }

  void gather(std::size_t root) {
    const std::uint64_t size = count(call_.send_bytes[0]);
    each("MPI_Gather", [&](DumpiText& text, std::size_t rank) {
      text.number("commrank", rank).number("sendcount", size).datatype("sendtype", type());
      text.number("recvcount", rank == root ? size : 0);
      text.datatype("recvtype", rank == root ? type() : dumpi::kNoType).number("root", root);
    });
  }

  void scatter(std::size_t root) {
    const std::uint64_t size = count(call_.recv_bytes[0]);
    each("MPI_Scatter", [&](DumpiText& text, std::size_t rank) {
      text.number("commrank", rank).number("sendcount", rank == root ? size : 0);
      text.datatype("sendtype", rank == root ? type() : dumpi::kNoType);
      text.number("recvcount", size).datatype("recvtype", type()).number("root", root);
    });
  }

  void root_vectors(DumpiText& text, bool is_root, const char* name, const Sizes& parts) const {
    if (is_root) {
      text.numbers(name, parts).numbers("displs", displacements(parts));
    } else {
      text.no_numbers(name, members_).no_numbers("displs", members_);
    }
  }

  void gather_vector(std::size_t root) {
    const Sizes parts = counts(call_.send_bytes);
    each("MPI_Gatherv", [&](DumpiText& text, std::size_t rank) {
      text.number("commrank", rank).number("commsize", members_);
      text.number("sendcount", parts[rank]).datatype("sendtype", type());
      root_vectors(text, rank == root, "recvcounts", parts);
      text.datatype("recvtype", type()).number("root", root);
    });
  }

  void scatter_vector(std::size_t root) {
    const Sizes parts = counts(call_.recv_bytes);
    each("MPI_Scatterv", [&](DumpiText& text, std::size_t rank) {
      text.number("commrank", rank).number("commsize", members_);
      root_vectors(text, rank == root, "sendcounts", parts);
      text.datatype("sendtype", type()).number("recvcount", parts[rank]);
      text.datatype("recvtype", type()).number("root", root);
    });
  }

  void allgather_vector() {
    const Sizes parts = counts(call_.send_bytes);
    each("MPI_Allgatherv", [&](DumpiText& text, std::size_t rank) {
      text.number("commsize", members_).number("sendcount", parts[rank]).datatype("sendtype", type());
      root_vectors(text, true, "recvcounts", parts);
      text.datatype("recvtype", type());
    });
  }

  void alltoall_vector() {
    each("MPI_Alltoallv", [&](DumpiText& text, std::size_t rank) {
      Sizes sent;
      Sizes received;
      for (std::size_t peer = 0; peer < members_; ++peer) {
        sent.push_back(count(alltoall_share(call_, rank, peer)));
        received.push_back(count(alltoall_share(call_, peer, rank)));
      }
      text.number("commsize", members_);
      text.numbers("sendcounts", sent).numbers("senddispls", displacements(sent));
      text.datatype("sendtype", type());
      text.numbers("recvcounts", received).numbers("recvdispls", displacements(received));
      text.datatype("recvtype", type());
    });
  }

  const WholeCollective& call_;
  ElementUnits units_;
  std::uint64_t comm_;
  std::size_t members_;
  DumpiCollective result_;
};

}  // namespace

Result<DumpiCollective> dumpi_collective(const WholeCollective& call, std::uint64_t comm) {
  const auto units = element_units(largest_named(call), "DUMPI", call.send_bytes.size());
  if (!units) return units.error();
  return Builder(call, *units, comm).build();
}

}  // namespace vef::neighbours
