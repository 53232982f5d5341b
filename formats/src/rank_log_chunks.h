// SPDX-License-Identifier: Apache-2.0
// Finds the sound chunks of a rank log: those of the .vlog file in order, then the verified beginning of the
// open chunk. Nothing leaves here unchecked, so the decoder sees only what the writer wrote. Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rank_log_decode.h"
#include "rank_log_format.h"
#include "rank_log_unpack.h"
#include "vef/base/result.h"
#include "vef/formats/rank_log_reader.h"

struct ZSTD_DCtx_s;

namespace vef::formats::rank_log {

/// A file that is read at offsets. Move only.
class InputFile {
 public:
  static Result<InputFile> open(const std::string& path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  std::uint64_t size() const { return size_; }
  /// The number of bytes read: fewer than asked for only at the end of the file.
  Result<std::size_t> read(void* to, std::size_t size, std::uint64_t offset) const;

 private:
  InputFile(std::string path, int fd, std::uint64_t size);
  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

/// A chunk ready for the decoder.
struct Chunk {
  std::uint32_t sequence = 0;
  std::uint32_t events = 0;
  std::uint64_t start_ticks = 0;
  std::uint64_t first_event = 0;
  ColumnView columns[kColumns];
};

/// The .open file, in memory. What has happened to its pages is found out by decoding it once.
class OpenChunk {
 public:
  /// No such file is not an error.
  static Result<OpenChunk> load(const std::string& path);

  bool present() const { return present_; }
  /// Decodes and compares with the check values: chunk().events is then the length of the sound beginning.
  /// `log_check` binds it to its .vlog file.
  void verify(std::uint64_t log_check);
  const Chunk& chunk() const { return chunk_; }
  bool usable() const { return usable_; }
  /// The recorder had not begun it: no magic, and nothing but zeros where the columns would be.
  bool untouched() const { return untouched_; }
  /// What verify() found wrong; "" if nothing.
  const std::string& fault() const { return fault_; }

 private:
  bool find_columns(std::uint64_t log_check);
  /// Number of events up to the last check value that matched; `complete` if that is what was committed.
  std::uint32_t count_sound(bool& complete);

  std::string path_;
  std::string fault_;
  bool present_ = false;
  bool untouched_ = false;
  bool usable_ = false;  // its header and its sequence number can be believed
  std::uint64_t size_ = 0;
  std::vector<std::uint8_t> bytes_;  // with kColumnPadding zeros behind
  OpenHeader header_ = {};
  Chunk chunk_;
};

class ChunkSource {
 public:
  ChunkSource(std::string path, InputFile file, const FileHeader& header, OpenChunk open,
              RankLogDamage damage);
  ChunkSource(ChunkSource&&) noexcept;
  ~ChunkSource();

  /// True: chunk() is the next sound one, until the next call.
  Result<bool> next();
  const Chunk& chunk() const { return chunk_; }
  const RankLogDamage& damage() const { return damage_; }
  /// The rest of the current chunk, `events` of them, could not be decoded.
  void note_undecodable(std::uint32_t events);

 private:
  Result<bool> next_sealed();
  Result<bool> load(const ChunkHeader& header);
  Result<std::uint64_t> find_magic(std::uint64_t from) const;
  Status resynchronise(const std::string& what);
  bool next_open();
  bool open_continues(std::uint32_t sequence) const;
  bool unpack(const ChunkHeader& header);
  bool unpack_bytes(Bytes stored, std::uint8_t* to, std::size_t size);
  void accept(const Chunk& chunk);
  void skip(std::uint64_t from, std::uint64_t to, const std::string& what);
  void note(const std::string& text);

  std::string path_;
  InputFile file_;
  std::uint64_t log_check_;
  bool closed_;  // by the recorder: the last chunk is whole
  std::uint64_t offset_;
  std::uint32_t expected_sequence_ = 0;
  std::uint32_t seen_sequence_ = 0;  // one more than the highest that a header told of
  std::uint64_t expected_event_ = 0;
  bool open_done_ = false;
  OpenChunk open_;
  RankLogDamage damage_;
  Chunk chunk_;
  std::vector<std::uint8_t> stored_;
  std::vector<std::uint8_t> folded_;
  std::vector<std::uint8_t> raw_[kColumns];
  TimeUnpacker times_;
  struct FreeContext {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, FreeContext> zstd_;
};

}  // namespace vef::formats::rank_log
