// SPDX-License-Identifier: Apache-2.0
// How the processes of one merge talk: bytes in order between process 0, which merges, and the others, which
// read logs where they lie. The program itself is not linked to MPI: a plug-in for each MPI library
// (prospector/merge/mpi) fills this in. Plain C, since it crosses a dlopen().
#pragma once

#include <cstdint>

extern "C" {

/// Not thread safe. What fails ends the job, as MPI_ERRORS_ARE_FATAL does.
struct VefMergeTransport {
  int rank;
  int size;
  /// Returns when `bytes` bytes at `from` may be used again.
  void (*send)(int to, const void* from, std::uint64_t bytes);
  /// Waits for the next message of process `from` and returns its bytes, valid until the next call.
  const void* (*receive)(int from, std::uint64_t* bytes);
  /// All processes call it, as the last.
  void (*finish)(void);
};

/// What a plug-in exports under the name kVefMergeTransportSymbol: starts MPI, once. `build`: of the caller;
/// null if the plug-in is of another one.
using VefMergeTransportStart = const VefMergeTransport* (*)(const char* build);
}

inline constexpr const char* kVefMergeTransportSymbol = "vef_merge_transport_start";
