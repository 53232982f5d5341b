// SPDX-License-Identifier: Apache-2.0
// The plug-in of `vef merge --mpi`, built once for each MPI library: vef/merge/transport.h in terms of MPI.
#include "vef/merge/transport.h"

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 30;  // counts of MPI are ints
constexpr int kTag = 0;

/// A message is its size, then its bytes in pieces.
void send(int to, const void* from, std::uint64_t bytes) {
  MPI_Send(&bytes, 1, MPI_UINT64_T, to, kTag, MPI_COMM_WORLD);
  const char* at = static_cast<const char*>(from);
  for (std::uint64_t left = bytes; left > 0;) {
    const std::uint64_t piece = std::min(left, kPiece);
    MPI_Send(at, static_cast<int>(piece), MPI_BYTE, to, kTag, MPI_COMM_WORLD);
    at += piece;
    left -= piece;
  }
}

/// Until a message is there, without keeping a processor busy: other processes of the machine may need it for
/// minutes.
void wait_for_message(int from) {
  constexpr int kBusy = 1000;
  constexpr timespec kPause{0, 200'000};
  int there = 0;
  for (int tries = 0;; ++tries) {
    MPI_Iprobe(from, kTag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there != 0) return;
    if (tries >= kBusy) nanosleep(&kPause, nullptr);
  }
}

const void* receive(int from, std::uint64_t* bytes) {
  static std::vector<char> message;
  wait_for_message(from);
  MPI_Recv(bytes, 1, MPI_UINT64_T, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  message.resize(std::max<std::uint64_t>(*bytes, 1));
  char* at = message.data();
  for (std::uint64_t left = *bytes; left > 0;) {
    const std::uint64_t piece = std::min(left, kPiece);
    MPI_Recv(at, static_cast<int>(piece), MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    at += piece;
    left -= piece;
  }
  return message.data();
}

/// Process 0 comes last, and long after the others: they wait for its word.
void finish() {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::uint64_t nothing = 0;
  if (rank != 0) receive(0, &nothing);
  for (int process = 1; rank == 0 && process < size; ++process) send(process, nullptr, 0);
  MPI_Finalize();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const VefMergeTransport* vef_merge_transport_start(
    const char* build) {
  if (std::strcmp(build, VEF_VERSION) != 0) return nullptr;
  static VefMergeTransport transport{0, 1, send, receive, finish};
  // Only the thread that merges talks.
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &transport.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &transport.size);
  return &transport;
}
