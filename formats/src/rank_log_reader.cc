// SPDX-License-Identifier: Apache-2.0
// Contract: vef/formats/rank_log_reader.h. Holds one chunk in memory, decompressed, besides the open chunk;
// not thread safe. The .open file is read before the .vlog file, so that of a running job no chunk is missed
// that turns over in between; sequence numbers sort out what is then seen twice.
#include "vef/formats/rank_log_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "rank_log_chunks.h"
#include "rank_log_decode.h"

namespace vef::formats {

using namespace rank_log;

namespace {

/// Ticks to nanoseconds: a whole factor and a binary fraction, exact to 1 ns over centuries.
class TickScale {
 public:
  TickScale() = default;
  TickScale(std::uint64_t ticks, std::uint64_t ns)
      : whole_(ns / ticks),
        fraction_(static_cast<std::uint64_t>((static_cast<Wide>(ns % ticks) << 64) / ticks)) {}

  std::uint64_t operator()(std::uint64_t ticks) const {
    return ticks * whole_ + static_cast<std::uint64_t>(static_cast<Wide>(ticks) * fraction_ >> 64);
  }

  /// Ticks that are surely less than 2^62 ns, so that no sum of two times overflows: at least 73 years.
  std::uint64_t limit() const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    return whole_ < kMost ? kMost / (whole_ + 1) : 0;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t whole_ = 1;
  std::uint64_t fraction_ = 0;
};

std::string text_of(const char* from, std::size_t size) { return std::string(from, strnlen(from, size)); }

class Reader final : public RankLogReader {
 public:
  Reader(ChunkSource chunks, const FileHeader& header, RankLogInfo info, TickScale scale)
      : chunks_(std::move(chunks)),
        info_(std::move(info)),
        scale_(scale),
        limit_(scale.limit()),
        start_ticks_(header.identity.start.ticks) {}

  const RankLogInfo& info() const override { return info_; }
  const RankLogDamage& damage() const override { return chunks_.damage(); }
  std::uint64_t event_start() const override { return start_ns_; }
  std::uint64_t event_end() const override { return end_ns_; }
  std::uint64_t event_number() const override { return number_; }

  Result<bool> next(RankEvent& event) override {
    while (true) {
      if (left_ == 0) {
        Result<bool> more = begin_chunk();
        if (!more || !*more) return more;
      }
      --left_;
      if (decode_event(decoder_, context_, event, lists_) && are_times(event)) [[likely]]
        break;
      chunks_.note_undecodable(left_ + 1);
      left_ = 0;
    }
    ++number_;
    convert_times(event);
    return true;
  }

 private:
  Result<bool> begin_chunk() {
    while (true) {
      Result<bool> more = chunks_.next();
      if (!more || !*more) return more;
      if (chunks_.chunk().start_ticks - start_ticks_ <= limit_) break;
      chunks_.note_undecodable(chunks_.chunk().events);
    }
    const Chunk& chunk = chunks_.chunk();
    left_ = chunk.events;
    number_ = chunk.first_event - 1;
    now_ticks_ = chunk.start_ticks;
    end_ns_ = scale_(now_ticks_ - start_ticks_);
    decoder_ = Decoder(chunk.columns);
    context_.reset();
    return true;
  }

  /// Whether the event ends within the times that there can be; forged or damaged ones are beyond.
  bool are_times(const RankEvent& event) const {
    const std::uint64_t since = now_ticks_ - start_ticks_;
    return event.gap <= limit_ - since && event.duration <= limit_ - since - event.gap &&
           (event.kind != EventKind::kPolls ||
            (event.polls.inside <= limit_ && event.polls.short_gaps <= limit_ &&
             event.polls.long_gaps <= limit_));
  }

  void convert_times(RankEvent& event) {
    const std::uint64_t start = now_ticks_ + event.gap;
    now_ticks_ = start + event.duration;
    start_ns_ = scale_(start - start_ticks_);
    const std::uint64_t end = scale_(now_ticks_ - start_ticks_);
    event.gap = start_ns_ - end_ns_;
    event.duration = end - start_ns_;
    end_ns_ = end;
    if (event.kind == EventKind::kPolls) {
      event.polls.inside = scale_(event.polls.inside);
      event.polls.short_gaps = scale_(event.polls.short_gaps);
      event.polls.long_gaps = scale_(event.polls.long_gaps);
    }
  }

  Decoder decoder_;
  std::uint32_t left_ = 0;  // events of the chunk that are still to come
  std::uint64_t number_ = 0;
  std::uint64_t now_ticks_ = 0;
  std::uint64_t start_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  EventLists lists_;
  ChunkSource chunks_;
  RankLogInfo info_;
  TickScale scale_;
  std::uint64_t limit_;  // of ticks since the start of the log
  std::uint64_t start_ticks_;
  Context context_;
};

Result<FileHeader> read_header(const std::string& path, const InputFile& file) {
  FileHeader header;
  const Result<std::size_t> got = file.read(&header, sizeof header, 0);
  if (!got) return got.error();
  if (*got >= sizeof header.identity.magic && header.identity.magic != kFileMagic)
    return input_error(path, 0, "not a rank log; expected it to begin with \"\\xd6VEFLOG\"");
  if (*got < sizeof header)
    return input_error(path, 0,
                       std::to_string(*got) + " bytes; expected a rank log's header of " +
                           std::to_string(sizeof header) + " bytes");
  const FileIdentity& identity = header.identity;
  const auto unknown = [&](const char* what, std::uint32_t number, std::uint32_t expected) {
    return input_error(path, 0,
                       "rank log of unknown " + std::string(what) + " " + std::to_string(number) +
                           "; expected " + what + " " + std::to_string(expected) + ", which this vef reads");
  };
  const bool sound = identity.check == block_check(identity);
  if (sound && identity.version != kVersion) return unknown("version", identity.version, kVersion);
  if (sound && identity.layout != kLayout) return unknown("layout", identity.layout, kLayout);
  if (!sound || identity.header_bytes != sizeof header)
    return input_error(path, 0, "the header is damaged; expected its checksum to match");
  return header;
}

RankLogInfo make_info(const std::string& path, const FileHeader& header, std::uint64_t file_bytes) {
  const FileIdentity& identity = header.identity;
  RankLogInfo info;
  info.path = path;
  info.rank = identity.rank;
  info.world_size = identity.world_size;
  info.thread = identity.thread;
  info.job = identity.job;
  info.host = text_of(identity.host, sizeof identity.host);
  info.program = text_of(identity.program, sizeof identity.program);
  info.mpi_library = text_of(identity.mpi_library, sizeof identity.mpi_library);
  info.start = info.last = identity.start;
  info.file_bytes = file_bytes;
  return info;
}

/// Takes over the clock samples and the state, and says where they cannot be trusted.
TickScale calibrate(const FileHeader& header, RankLogInfo& info, RankLogDamage& damage) {
  const FileProgress& progress = header.progress;
  const bool sound = progress.check == block_check(progress, header.identity.check);
  if (!sound) {
    damage.corrupt = true;
    damage.notes.push_back(info.path + ": the clock samples at offset " +
                           std::to_string(offsetof(FileHeader, progress)) + " are damaged");
  } else {
    info.last = progress.last;
    info.complete = progress.state == LogState::kComplete;
    info.exited = progress.state == LogState::kClosed || progress.state == LogState::kExited;
    info.stopped = progress.state == LogState::kStopped;
    if (info.stopped)
      damage.notes.push_back(info.path +
                             ": recording stopped early because of a write error or too small a buffer");
  }
  if ((header.identity.flags & kTicksAreNanoseconds) != 0) return {};
  const std::uint64_t ticks = info.last.ticks - info.start.ticks;
  const std::uint64_t ns = info.last.monotonic_ns - info.start.monotonic_ns;
  if (info.last.ticks <= info.start.ticks || info.last.monotonic_ns <= info.start.monotonic_ns) {
    damage.notes.push_back(info.path +
                           ": only one sound clock sample; its times are in clock ticks, not nanoseconds");
    return {};
  }
  info.ticks_per_ns = static_cast<double>(ticks) / static_cast<double>(ns);
  return TickScale(ticks, ns);
}

}  // namespace

Result<std::unique_ptr<RankLogReader>> RankLogReader::open(const std::string& path) {
  constexpr std::string_view kSuffix = ".vlog";
  OpenChunk open;
  const bool named = path.ends_with(kSuffix);
  if (named) {
    Result<OpenChunk> loaded = OpenChunk::load(path.substr(0, path.size() - kSuffix.size()) + ".open");
    if (!loaded) return loaded.error();
    open = std::move(*loaded);
  }
  Result<InputFile> file = InputFile::open(path);
  if (!file) return file.error();
  const Result<FileHeader> header = read_header(path, *file);
  if (!header) return header.error();
  RankLogInfo info = make_info(path, *header, file->size());
  RankLogDamage damage;
  const TickScale scale = calibrate(*header, info, damage);
  const LogState state = header->progress.state;
  const bool running =
      state == LogState::kRunning || state == LogState::kStopped || state == LogState::kExited;
  if (named && running && !open.present())
    damage.notes.push_back(
        path +
        ": the log was not closed and its .open file is missing or unreadable; the last events are lost");
  ChunkSource chunks(path, std::move(*file), *header, std::move(open), std::move(damage));
  return std::unique_ptr<RankLogReader>(
      std::make_unique<Reader>(std::move(chunks), *header, std::move(info), scale));
}

}  // namespace vef::formats
