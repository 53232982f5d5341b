// SPDX-License-Identifier: Apache-2.0
// How far the clocks of the hosts are apart (VEF_CLOCK_SYNC; otherwise the recorder sends nothing). The first
// rank of each host exchanges short messages with rank 0, on a duplicate of MPI_COMM_WORLD that the program
// does not see; of all exchanges the one with the shortest round trip gives the offset, uncertain by at most
// half of it (Cristian, "Probabilistic clock synchronization", 1989). Nothing blocks: what has not answered
// within the time limit is given up, since other ranks may be without the recorder.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "json_text.h"

namespace vef::shim {

class ClockSync {
 public:
  /// Within MPI_Init, after the library's own; and, to know the drift, at MPI_Finalize before it. Only rank 0
  /// learns the offsets.
  void at_init(std::int32_t rank, std::int32_t size);
  void at_finalize();

  /// On rank 0, where there was a synchronisation: "clock_offsets", an object for each other host: its first
  /// rank, and in ns what to add to its CLOCK_MONOTONIC_RAW to get rank 0's, at both instants, with the round
  /// trips.
  void write(JsonText& json) const;

 private:
  struct Host {
    std::int32_t rank;
    std::int64_t offset[2];
    std::uint64_t round_trip[2];  // 0: not measured
  };

  bool duplicate_world();
  bool find_hosts();
  void measure(int instant);
  bool serve(std::int32_t leader, int instant);
  bool ask(std::int64_t& offset, std::uint64_t& round_trip);
  bool send(const void* data, int bytes, std::int32_t to);
  bool receive(void* data, int bytes, std::int32_t from);
  bool finish(MPI_Request& request);

  MPI_Comm comm_{};
  std::int32_t rank_ = 0;
  std::int32_t size_ = 0;
  Host* hosts_ = nullptr;  // all but rank 0's
  std::size_t host_count_ = 0;
  std::uint64_t own_id_ = 0;  // of this host
  std::uint64_t deadline_ = 0;
  bool works_ = false;
};

}  // namespace vef::shim
