// SPDX-License-Identifier: Apache-2.0
#include "rank_log_chunks.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace vef::formats::rank_log {
namespace {

constexpr std::size_t kMaxNotes = 10;
constexpr std::size_t kSearchBlock = 1 << 16;

/// The sizes in a chunk header that a writer can have written.
bool plausible(const ChunkHeader& header) {
  for (unsigned column = 0; column < kColumns; ++column) {
    if (header.raw_bytes[column] > kMaxColumnBytes) return false;
  }
  for (const Column column : {kHeads, kFields})
    if (header.stored_bytes[column] > ZSTD_compressBound(header.raw_bytes[column] + kFoldSlack)) return false;
  const std::uint64_t times = std::uint64_t{header.raw_bytes[kClasses]} + header.raw_bytes[kBits] + 1;
  return header.raw_bytes[kClasses] == std::uint64_t{2} * header.events &&
         std::uint64_t{header.stored_bytes[kClasses]} + header.stored_bytes[kBits] <= times;
}

std::uint64_t stored_bytes(const ChunkHeader& header) {
  std::uint64_t sum = 0;
  for (const std::uint32_t bytes : header.stored_bytes) sum += bytes;
  return sum;
}

}  // namespace

void ChunkSource::FreeContext::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

ChunkSource::ChunkSource(std::string path, InputFile file, const FileHeader& header, OpenChunk open,
                         RankLogDamage damage)
    : path_(std::move(path)),
      file_(std::move(file)),
      log_check_(header.identity.check),
      closed_(header.progress.state == LogState::kComplete || header.progress.state == LogState::kClosed),
      offset_(sizeof header),
      open_(std::move(open)),
      damage_(std::move(damage)),
      zstd_(ZSTD_createDCtx()) {
  if (open_.present()) open_.verify(log_check_);
}

ChunkSource::ChunkSource(ChunkSource&&) noexcept = default;
ChunkSource::~ChunkSource() = default;

void ChunkSource::note(const std::string& text) {
  if (damage_.notes.size() < kMaxNotes) damage_.notes.push_back(text);
}

void ChunkSource::skip(std::uint64_t from, std::uint64_t to, const std::string& what) {
  // What a write that failed, or the end of the machine, leaves at the end of an open log is no damage.
  damage_.corrupt = damage_.corrupt || closed_ || to < file_.size();
  damage_.bytes_skipped += to - from;
  note(path_ + ": offset " + std::to_string(from) + ": " + what + "; " + std::to_string(to - from) +
       " bytes skipped");
}

void ChunkSource::note_undecodable(std::uint32_t events) {
  damage_.corrupt = true;
  note(path_ + ": chunk " + std::to_string(chunk_.sequence) + ": the last " + std::to_string(events) +
       " events cannot be decoded; expected events of a known kind");
}

/// Makes `chunk` the current one, and says what is missing before it.
void ChunkSource::accept(const Chunk& chunk) {
  if (chunk.sequence > expected_sequence_) {
    const std::uint32_t chunks = chunk.sequence - expected_sequence_;
    damage_.corrupt = true;
    damage_.chunks_skipped += chunks;
    note(path_ + ": " + std::to_string(chunks) + " chunks with " +
         std::to_string(chunk.first_event - expected_event_) + " events are missing before event " +
         std::to_string(chunk.first_event) + ", whose gap is counted from the end of the last missing one");
  }
  expected_sequence_ = chunk.sequence + 1;
  expected_event_ = chunk.first_event + chunk.events;
  chunk_ = chunk;
}

bool ChunkSource::open_continues(std::uint32_t sequence) const {
  return open_.usable() && open_.chunk().events != 0 && open_.chunk().sequence == sequence;
}

Result<bool> ChunkSource::next() {
  Result<bool> sealed = next_sealed();
  if (!sealed || *sealed) return sealed;
  return next_open();
}

Result<bool> ChunkSource::next_sealed() {
  while (offset_ < file_.size()) {
    ChunkHeader header;
    const Result<std::size_t> got = file_.read(&header, sizeof header, offset_);
    if (!got) return got.error();
    if (*got < sizeof header || header.magic != kChunkMagic ||
        header.check != block_check(header, log_check_) || !plausible(header)) {
      const Status status = resynchronise(*got < sizeof header ? "cut off" : "no sound chunk header");
      if (!status) return status.error();
      continue;
    }
    Result<bool> loaded = load(header);
    if (!loaded || *loaded) return loaded;
  }
  return false;
}

/// There should be a chunk at offset_, and there is none: goes on at the next that looks like one.
Status ChunkSource::resynchronise(const std::string& what) {
  const Result<std::uint64_t> at = find_magic(offset_ + 1);
  if (!at) return at.error();
  // A kill while a chunk was being written leaves its beginning here and the events in the .open file.
  const bool unfinished = *at == file_.size() && open_continues(expected_sequence_);
  if (!unfinished) skip(offset_, *at, what);
  offset_ = *at;
  return {};
}

Result<std::uint64_t> ChunkSource::find_magic(std::uint64_t from) const {
  std::vector<std::uint8_t> block(kSearchBlock);
  std::uint8_t wanted[sizeof kChunkMagic];
  std::memcpy(wanted, &kChunkMagic, sizeof wanted);
  while (from < file_.size()) {
    const Result<std::size_t> got = file_.read(block.data(), block.size(), from);
    if (!got) return got.error();
    const auto end = block.begin() + static_cast<std::ptrdiff_t>(*got);
    const auto found = std::search(block.begin(), end, std::begin(wanted), std::end(wanted));
    if (found != end) return from + static_cast<std::uint64_t>(found - block.begin());
    if (*got < block.size()) break;
    from += block.size() - sizeof wanted + 1;
  }
  return file_.size();
}

/// Reads and unpacks the chunk at offset_. False: it was skipped.
Result<bool> ChunkSource::load(const ChunkHeader& header) {
  const std::uint64_t size = stored_bytes(header);
  const std::uint64_t from = offset_;
  const std::uint64_t end = from + sizeof header + size;
  const bool cut_off = end > file_.size();
  if (!cut_off || closed_) seen_sequence_ = std::max(seen_sequence_, header.sequence + 1);
  if (cut_off) {
    offset_ = file_.size();
    if (!open_continues(header.sequence)) skip(from, offset_, "chunk cut off");
    return false;
  }
  stored_.resize(size);
  const Result<std::size_t> got = file_.read(stored_.data(), size, from + sizeof header);
  if (!got) return got.error();
  offset_ = end;
  if (*got < size || XXH64(stored_.data(), size, 0) != header.data_check || !unpack(header)) {
    skip(from, end, "chunk " + std::to_string(header.sequence) + " is damaged");
    return false;
  }
  if (header.sequence < expected_sequence_) {
    skip(from, end, "chunk " + std::to_string(header.sequence) + " stands here a second time");
    return false;
  }
  Chunk chunk{header.sequence, header.events, header.start_ticks, header.first_event, {}};
  for (unsigned column = 0; column < kColumns; ++column)
    chunk.columns[column] = {raw_[column].data(), header.raw_bytes[column]};
  accept(chunk);
  return true;
}

/// A folded and compressed column.
bool ChunkSource::unpack_bytes(Bytes stored, std::uint8_t* to, std::size_t size) {
  const unsigned long long folded = ZSTD_getFrameContentSize(stored.data, stored.size);
  if (folded > size + kFoldSlack) return false;  // or not told
  folded_.resize(static_cast<std::size_t>(folded));
  const std::size_t got =
      ZSTD_decompressDCtx(zstd_.get(), folded_.data(), folded_.size(), stored.data, stored.size);
  return got == folded && unfold(folded_.data(), folded_.size(), to, size);
}

bool ChunkSource::unpack(const ChunkHeader& header) {
  Bytes stored[kColumns];
  const std::uint8_t* from = stored_.data();
  for (unsigned column = 0; column < kColumns; ++column) {
    stored[column] = {from, header.stored_bytes[column]};
    from += header.stored_bytes[column];
    const std::size_t size = header.raw_bytes[column];
    std::vector<std::uint8_t>& raw = raw_[column];
    if (raw.size() < size + kColumnPadding) raw.resize(size + kColumnPadding);
  }
  for (const Column column : {kHeads, kFields})
    if (!unpack_bytes(stored[column], raw_[column].data(), header.raw_bytes[column])) return false;
  const UnpackedTimes times{header.events,
                            {raw_[kHeads].data(), header.raw_bytes[kHeads]},
                            raw_[kClasses].data(),
                            raw_[kBits].data(),
                            header.raw_bytes[kBits]};
  if (!times_.unpack(stored[kClasses], stored[kBits], times)) return false;
  for (unsigned column = 0; column < kColumns; ++column)
    std::memset(raw_[column].data() + header.raw_bytes[column], 0, kColumnPadding);
  return true;
}

/// The open chunk, once, after everything sealed.
bool ChunkSource::next_open() {
  if (open_done_) return false;
  open_done_ = true;
  const Chunk& open = open_.chunk();
  const bool already_sealed = open_.usable() && open.sequence < expected_sequence_;
  const bool never_begun = open_.untouched() && file_.size() == sizeof(FileHeader) && !closed_;
  if (!open_.fault().empty() && !already_sealed && !never_begun) {
    damage_.corrupt = true;
    note(open_.fault());
  }
  if (open_.usable() && open.sequence >= expected_sequence_) {
    accept(open);
    return open.events != 0;
  }
  // A chunk at the end whose header was sound and whose data was not.
  if (seen_sequence_ > expected_sequence_) {
    damage_.corrupt = true;
    damage_.chunks_skipped += seen_sequence_ - expected_sequence_;
  }
  return false;
}

// ---- the open chunk

namespace {

Result<bool> only_zeros(const InputFile& file, std::uint64_t from) {
  std::vector<std::uint8_t> block(kSearchBlock);
  while (from < file.size()) {
    const Result<std::size_t> got = file.read(block.data(), block.size(), from);
    if (!got) return got.error();
    if (*got == 0) break;
    const auto end = block.begin() + static_cast<std::ptrdiff_t>(*got);
    if (std::find_if(block.begin(), end, [](std::uint8_t byte) { return byte != 0; }) != end) return false;
    from += *got;
  }
  return true;
}

}  // namespace

Result<OpenChunk> OpenChunk::load(const std::string& path) {
  OpenChunk open;
  open.path_ = path;
  Result<InputFile> file = InputFile::open(path);
  if (!file) {
    // Read as absent; whether that matters the .vlog file knows.
    return open;
  }
  open.present_ = true;
  open.size_ = file->size();
  const Result<std::size_t> got = file->read(&open.header_, sizeof open.header_, 0);
  if (!got) return got.error();
  if (open.header_.magic == 0) {
    const Result<bool> zeros = only_zeros(*file, kPage);
    if (!zeros) return zeros.error();
    open.untouched_ = *zeros;
    return open;
  }
  std::uint64_t end = kPage;
  for (unsigned column = 0; column < kColumns; ++column) {
    if (open.header_.column_bytes[column] > kMaxColumnBytes ||
        open.header_.column_offset[column] > kColumns * kMaxColumnBytes)
      return open;
    end =
        std::max(end, std::uint64_t{open.header_.column_offset[column]} + open.header_.column_bytes[column]);
  }
  open.bytes_.resize(end + kColumnPadding);
  const Result<std::size_t> body = file->read(open.bytes_.data(), end, 0);
  if (!body) return body.error();
  std::memcpy(&open.header_, open.bytes_.data(), sizeof open.header_);
  return open;
}

bool OpenChunk::find_columns(std::uint64_t log_check) {
  if (bytes_.empty() || size_ < sizeof header_ || header_.magic != kOpenMagic ||
      header_.version != kVersion || header_.check != block_check(header_) || header_.log_check != log_check)
    return false;
  const std::uint64_t size = bytes_.size() - kColumnPadding;
  if (header_.marks_offset + std::uint64_t{header_.marks} * sizeof(std::uint32_t) > size) return false;
  for (unsigned column = 0; column < kColumns; ++column) {
    if (std::uint64_t{header_.column_offset[column]} + header_.column_bytes[column] > size) return false;
    chunk_.columns[column] = {bytes_.data() + header_.column_offset[column], header_.column_bytes[column]};
  }
  return true;
}

std::uint32_t OpenChunk::count_sound(bool& complete) {
  complete = header_.commit == 0;
  if (complete) return 0;
  const auto committed = static_cast<std::uint32_t>(header_.commit);
  const std::uint8_t* marks = bytes_.data() + header_.marks_offset;
  auto context = std::make_unique<Context>();
  context->reset();
  Decoder decoder(chunk_.columns);
  EventLists lists;
  RankEvent event;
  std::uint64_t check = check_start(header_.sequence, header_.start_ticks, header_.first_event);
  const std::uint64_t last =
      std::max<std::uint64_t>(committed, std::uint64_t{header_.marks} * kEventsPerMark);
  std::uint32_t sound = 0;
  for (std::uint32_t events = 1; events <= last; ++events) {
    const std::uint8_t* before = decoder.fields;
    const std::uint8_t* heads = decoder.heads;
    if (!decode_event(decoder, *context, event, lists)) break;
    check = check_event(check, take_head(heads), before, static_cast<std::size_t>(decoder.fields - before),
                        event.gap, event.duration);
    if (events == committed && commit_word(check, events) == header_.commit) {
      complete = true;
      return events;
    }
    if (events % kEventsPerMark != 0) continue;
    std::uint32_t mark = 0;
    if (events / kEventsPerMark <= header_.marks)
      std::memcpy(&mark, marks + (events / kEventsPerMark - 1) * sizeof mark, sizeof mark);
    if (mark != mark_word(check)) break;
    sound = events;
  }
  return sound;
}

void OpenChunk::verify(std::uint64_t log_check) {
  if (!find_columns(log_check)) {
    fault_ = path_ + ": " + std::to_string(size_) +
             " bytes without a sound header of the open chunk of this log; " +
             "expected the last events in it";
    return;
  }
  bool complete = false;
  const std::uint32_t sound = count_sound(complete);
  const auto committed = static_cast<std::uint32_t>(header_.commit);
  // Where no check value matched, nothing vouches for the sequence number either.
  usable_ = complete || sound != 0;
  chunk_.sequence = header_.sequence;
  chunk_.events = sound;
  chunk_.start_ticks = header_.start_ticks;
  chunk_.first_event = header_.first_event;
  if (!complete)
    fault_ = path_ + ": the open chunk is damaged after " + std::to_string(sound) + " events; expected " +
             std::to_string(committed) + " events";
}

}  // namespace vef::formats::rank_log
