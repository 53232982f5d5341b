// SPDX-License-Identifier: Apache-2.0
// Writes one rank log from inside somebody else's process: no exceptions, no iostreams, no locale, no
// allocation and no system call in append() except when a chunk is full. Memory is taken once, in create().
// Not thread safe: one writer per thread. Fork safety is the caller's.
//
// Files in `directory`: RRRRRR.T.vlog (header and sealed chunks: checksummed zstd frames) and, while the job
// runs, RRRRRR.T.open (the open chunk, mapped shared, so that a rank killed by any signal loses nothing that
// append() had accepted; where the file system has no such mappings the chunk lies in plain memory). Bytes:
// docs/rank-log.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vef/formats/rank_log.h"

namespace vef::formats {

/// The same instant on three clocks. `ticks` is what gap and duration are counted in.
struct ClockSample {
  std::uint64_t ticks = 0;
  std::uint64_t monotonic_ns = 0;  // CLOCK_MONOTONIC_RAW
  std::uint64_t wall_ns = 0;       // CLOCK_REALTIME since 1970
};

class RankLogWriter;
namespace rank_log {
struct ChunkWriter;
}

struct RankLogOptions {
  const char* directory = nullptr;
  std::int32_t rank = 0;
  std::int32_t world_size = 0;
  std::int32_t thread = 0;  // 0: the first thread that called MPI
  std::size_t buffer_bytes =
      8 << 20;  // all memory of this writer, compression state included; at least 1 MiB
  /// Another writer of this process that outlives this one, or null. This one then compresses in its memory,
  /// one of them at a time, and kLeastSharing bytes suffice for a buffer.
  RankLogWriter* packs_with = nullptr;
  static constexpr std::size_t kLeastSharing = 256 << 10;
  const char* host = "";
  const char* program = "";
  const char* mpi_library = "";
  const char* job = "";       // names the run, the same for all its ranks and no other; only a hash is kept
  int level = 1;              // of zstd; a lower one is taken where its tables do not fit into the buffer
  bool map_open_file = true;  // false: the open chunk lies in plain memory, which a kill loses
  bool ticks_are_ns = false;  // else the tick rate is found from the clock samples
  ClockSample start;
};

enum class AppendResult {
  kOk,
  kTurnedOver,  // accepted, and a chunk was compressed and written on the way: the caller should log a kPause
  kStopped,     // not accepted: the log had stopped (disk full, ...); see RankLogWriter::error()
};

/// What a caller knows an event by, in words of its own choosing: the arguments of the call. See note().
struct EventMemo {
  // The last one is not 0, and alone tells events of which the first four are 0 from all others.
  std::uint64_t words[5] = {};
};

class RankLogWriter {
 public:
  /// Opens the files O_EXCL | O_NOFOLLOW, mode 0600, and reserves the blocks of the open chunk. Null on
  /// failure, with one line in `error`. The object lies in memory of its own (mmap), not on the caller's
  /// heap.
  static RankLogWriter* create(const RankLogOptions& options, char* error, std::size_t error_size) noexcept;

  /// Appends an event whose gap and duration are in ticks.
  AppendResult append(const RankEvent& event) noexcept;
  /// The same for an event of a kind that NarrowEvent suffices for, and cheaper: nothing else is looked at.
  AppendResult append_narrow(const NarrowEvent& event) noexcept;

  /// `memo` stands for the event that was appended last: whenever it is given again, the event is the same in
  /// all but gap, duration, request and what is said of its completion.
  void note(const EventMemo& memo) noexcept;

  /// The memos mean nothing any more.
  void forget_memos() noexcept;

  /// Where events that repeat others are appended at less cost: rank_log_repeat.h, which also completes the
  /// type.
  rank_log::ChunkWriter& open_chunk() noexcept { return *chunk_; }

  /// Seals the open chunk now: what is recorded so far lies compressed in the .vlog file.
  AppendResult flush() noexcept;

  /// Adds a clock sample (for instance after MPI_Init, at finalize); the reader calibrates with the first and
  /// the last.
  void sample_clock(const ClockSample& sample) noexcept;

  std::uint64_t events() const noexcept;
  const char* error() const noexcept;  // "" while all is well
  /// One line if the open chunk lies in plain memory because the file cannot be mapped, else "".
  const char* note() const noexcept;

  /// Seals the open chunk, marks the log complete, removes the .open file and frees everything. False if
  /// something could not be written. `complete` false: the run ended otherwise (abort); readers report it as
  /// truncated.
  bool close(bool complete) noexcept;

  /// Notes that the process is ending by itself (exit) without closing the log. Nothing else changes, so that
  /// other threads may still be appending.
  void note_exit() noexcept;

  /// Gives up the mapping and the descriptors without writing: for a forked child.
  void abandon() noexcept;

 private:
  friend struct rank_log::ChunkWriter;
  RankLogWriter() = default;
  struct State;
  struct Packing;
  struct Memory;
  State& state() const noexcept;
  static RankLogWriter* create_memory(const RankLogOptions& options, const char*& error);
  rank_log::ChunkWriter* chunk_ = nullptr;  // of the State
};

}  // namespace vef::formats
