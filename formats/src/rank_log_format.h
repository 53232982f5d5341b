// SPDX-License-Identifier: Apache-2.0
// The bytes of a rank log outside its event columns: file header, chunk header, header of the open chunk. The
// one description that writer and reader share; docs/rank-log.md says the same in words. All numbers are
// little-endian and naturally aligned, so on the machines we run on the structs below are the bytes.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "vef/formats/rank_log_writer.h"

namespace vef::formats::rank_log {

static_assert(std::endian::native == std::endian::little,
              "the rank log is written as the memory of the machine");

inline constexpr std::uint32_t kVersion = 1;
/// Counts every change of the bytes between two versions: logs are read by the layout that wrote them, and by
/// no other.
inline constexpr std::uint32_t kLayout = 2;

// A byte above 127, text, and a newline: transfers in text mode show at once.
inline constexpr std::uint64_t magic(const char (&text)[9]) {
  std::uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}
inline constexpr std::uint64_t kFileMagic = magic("\xd6VEFLOG\n");
inline constexpr std::uint64_t kChunkMagic = magic("\xd6VEFCHK\n");
inline constexpr std::uint64_t kOpenMagic = magic("\xd6VEFOPN\n");

/// An event is cut in four columns (rank_log_codec.h); each is packed by itself (rank_log_pack.h).
enum Column : unsigned { kHeads, kFields, kClasses, kBits, kColumns };
/// No writer makes a column larger than this and no reader believes one that says so.
inline constexpr std::uint32_t kMaxColumnBytes = 16u << 20;

/// Folding a column (rank_log_pack.h) makes it at most so much longer.
inline constexpr std::size_t kFoldSlack = 16;

enum class LogState : std::uint32_t {
  kRunning = 0,   // the job runs, or was killed
  kComplete = 1,  // closed by finalize
  kClosed = 2,    // closed otherwise
  kStopped = 3,   // a write failed; later events are missing
  kExited = 4,    // the process has ended by itself without closing it: the .open file has the rest
};

inline constexpr std::uint32_t kTicksAreNanoseconds = 1;  // FileHeader::flags

/// What never changes after creation.
struct FileIdentity {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t header_bytes;  // sizeof(FileHeader): where the first chunk begins
  std::int32_t rank;
  std::int32_t world_size;
  std::int32_t thread;
  std::uint32_t flags;
  ClockSample start;
  std::uint64_t job;  // XXH64 of what names the run; 0: not known
  char host[68];      // zero terminated, cut off where too long
  std::uint32_t layout;
  char program[192];
  char mpi_library[128];
  std::uint64_t check;  // XXH64 of the bytes before; also the identity that chunks are bound to
};

/// What is rewritten while the job runs.
struct FileProgress {
  LogState state;
  std::uint32_t samples;  // clock samples taken, the one at the start included
  ClockSample last;
  std::uint64_t check;  // XXH64 of the bytes before, seeded with FileIdentity::check
};

struct FileHeader {
  FileIdentity identity;
  FileProgress progress;
};

static_assert(sizeof(FileIdentity) == 464 && sizeof(FileProgress) == 40 && sizeof(FileHeader) == 504);
static_assert(offsetof(FileIdentity, start) == 32 && offsetof(FileIdentity, layout) == 132 &&
              offsetof(FileIdentity, check) == 456);

/// Precedes the stored columns of a sealed chunk.
struct ChunkHeader {
  std::uint64_t magic;
  std::uint32_t sequence;  // 0, 1, 2, ...
  std::uint32_t events;
  std::uint32_t raw_bytes[kColumns];
  std::uint32_t stored_bytes[kColumns];  // packed, in this order
  std::uint64_t start_ticks;             // end of the event before the chunk
  std::uint64_t first_event;             // its number in the log
  std::uint64_t data_check;              // XXH64 of the stored columns
  std::uint64_t check;                   // XXH64 of the bytes before, seeded with FileIdentity::check
};

static_assert(sizeof(ChunkHeader) == 80 && offsetof(ChunkHeader, check) == 72);

/// The first page of the .open file. `commit` is all that appending changes here.
struct OpenHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t marks;      // places in the table of marks
  std::uint64_t log_check;  // FileIdentity::check of the .vlog file
  std::uint32_t marks_offset;
  std::uint32_t column_offset[kColumns];
  std::uint32_t column_bytes[kColumns];
  std::uint32_t reserved;
  std::uint64_t check;  // XXH64 of the bytes before

  std::uint64_t start_ticks;  // of the open chunk, as in ChunkHeader
  std::uint64_t first_event;
  std::uint32_t sequence;
  std::uint32_t reserved_too;
  std::uint64_t commit;  // 0: no events; else events | check value << 32, stored last, in one piece
};

static_assert(sizeof(OpenHeader) == 104 && offsetof(OpenHeader, check) == 64 &&
              offsetof(OpenHeader, commit) == 96);

inline constexpr std::uint32_t kPage = 4096;
/// After every so many events their check value is noted in the table of marks, so that a damaged open chunk
/// keeps its sound beginning.
inline constexpr std::uint32_t kEventsPerMark = 64;

/// Checks every struct above the same way: the bytes before its `check`.
template <class Block>
std::uint64_t block_check(const Block& block, std::uint64_t seed = 0) {
  return XXH64(&block, offsetof(Block, check), seed);
}

// ---- the running check of the open chunk: one multiplication per word, because append() pays for it

inline constexpr std::uint64_t kCheckFactor = 0x9e3779b97f4a7c15;  // odd, so that no difference is ever lost

inline std::uint64_t check_step(std::uint64_t check, std::uint64_t word) {
  return (check + word) * kCheckFactor;
}

inline std::uint64_t check_start(std::uint32_t sequence, std::uint64_t start_ticks,
                                 std::uint64_t first_event) {
  return check_step(check_step(check_step(kChunkMagic, sequence), start_ticks), first_event);
}

inline std::uint64_t commit_word(std::uint64_t check, std::uint32_t events) {
  return (check & 0xffffffff00000000) | events;
}
inline std::uint32_t mark_word(std::uint64_t check) { return static_cast<std::uint32_t>(check >> 32); }

}  // namespace vef::formats::rank_log
