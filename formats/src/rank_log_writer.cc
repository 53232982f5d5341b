// SPDX-License-Identifier: Apache-2.0
// Contract: vef/formats/rank_log_writer.h. Memory: one anonymous mapping holds the writer, the codec's state
// and, unless it packs with another writer, zstd's workspace and the buffer of a finished chunk; the open
// chunk is a shared mapping of the .open file.
//
// Order of stores, for a kill between any two instructions: the bytes of an event, then `commit`. At
// turn-over: the whole chunk goes to the .vlog file, then `commit` becomes 0, then the header of the open
// chunk changes. A reader that finds the same sequence number in both files therefore takes the sealed one.
#include "vef/formats/rank_log_writer.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "rank_log_encode.h"
#include "rank_log_files.h"
#include "rank_log_pack.h"
#include "rank_log_plan.h"
#include "rank_log_repeat.h"

namespace vef::formats {

using namespace rank_log;

namespace {

constexpr std::size_t kPathBytes = 4096;

template <std::size_t kSize>
void copy_text(char (&to)[kSize], const char* from) {
  const std::size_t length = from != nullptr ? strnlen(from, kSize - 1) : 0;
  std::memset(to, 0, kSize);
  if (length != 0) std::memcpy(to, from, length);
}

std::uint64_t job_of(const char* name) {
  return name == nullptr || *name == '\0' ? 0 : XXH64(name, std::strlen(name), 0);
}

}  // namespace

/// What sealing a chunk takes: kept by one writer, used by all that pack with it.
struct RankLogWriter::Packing {
  std::atomic<bool> busy = false;
  Folder folder;
  TimePacker times;
  ZSTD_CCtx* zstd = nullptr;
  std::uint8_t* packed = nullptr;
  Plan plan;

  std::size_t pack_bytes(const std::uint8_t* column, std::size_t size, std::uint8_t* to, std::size_t room);

  /// Held while a chunk is sealed: `packed` is written from here.
  class Turn {
   public:
    explicit Turn(Packing& packing) : packing_(packing) {
      while (packing_.busy.exchange(true, std::memory_order_acquire)) sched_yield();
    }
    ~Turn() { packing_.busy.store(false, std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Packing& packing_;
  };
};

struct RankLogWriter::State : ChunkWriter {
  std::uint32_t* marks = nullptr;
  bool stopped = false;
  std::uint64_t first_event = 0;
  std::uint8_t* columns[kColumns] = {};
  Plan plan;
  Packing* packing = nullptr;
  std::size_t memory_bytes = 0;
  int log_fd = -1;
  int open_fd = -1;
  std::uint64_t log_end = 0;  // of the last whole chunk
  FileHeader header = {};
  char error[256] = "";
  char note[320] = "";
  char log_path[kPathBytes] = "";
  char open_path[kPathBytes] = "";

  bool open_files(const RankLogOptions& options);
  void* map_open_file(bool wanted);
  bool map_open_chunk(bool map_file);
  void begin_chunk(std::uint32_t sequence);
  void reset_positions();
  bool seal();
  bool pack(ChunkHeader& chunk, std::size_t& size);
  template <Breadth kBreadth, class Event>
  bool try_append(const Event& event);
  bool try_append_wide(const RankEvent& event);
  bool try_append_any(const RankEvent& event);
  template <class Event, class TryAppend>
  AppendResult append_slowly(const Event& event, TryAppend try_again);
  bool write_progress();
  void stop(const char* path, const char* what, int error_number);
  void release_files();
};

RankLogWriter::State& RankLogWriter::state() const noexcept { return static_cast<State&>(*chunk_); }

void RankLogWriter::State::stop(const char* path, const char* what, int error_number) {
  stopped = true;
  close();
  if (error[0] == '\0')
    std::snprintf(error, sizeof error, "%.160s: %s: %s", path, what, error_text(error_number));
}

bool RankLogWriter::State::open_files(const RankLogOptions& options) {
  const char* names[] = {"vlog", "open"};
  char* paths[] = {log_path, open_path};
  for (int i = 0; i < 2; ++i) {
    const int length = std::snprintf(paths[i], kPathBytes, "%s/%06d.%d.%s", options.directory, options.rank,
                                     options.thread, names[i]);
    if (length < 0 || static_cast<std::size_t>(length) >= kPathBytes) {
      stop(options.directory, "cannot name a log in it", ENAMETOOLONG);
      return false;
    }
  }
  if (const int failed = create_file(log_path, log_fd)) {
    stop(log_path, "cannot create", failed);
    return false;
  }
  FileIdentity& identity = header.identity;
  identity = {kFileMagic,
              kVersion,
              sizeof(FileHeader),
              options.rank,
              options.world_size,
              options.thread,
              options.ticks_are_ns ? kTicksAreNanoseconds : 0,
              options.start,
              job_of(options.job),
              {},
              kLayout,
              {},
              {},
              0};
  copy_text(identity.host, options.host);
  copy_text(identity.program, options.program);
  copy_text(identity.mpi_library, options.mpi_library);
  identity.check = block_check(identity);
  FileProgress& progress = header.progress;
  progress = {LogState::kRunning, 1, options.start, 0};
  progress.check = block_check(progress, identity.check);
  if (const int failed = write_all(log_fd, &header, sizeof header, 0)) {
    stop(log_path, "cannot write", failed);
    return false;
  }
  log_end = sizeof header;
  if (const int failed = create_file(open_path, open_fd)) {
    stop(open_path, "cannot create", failed);
    return false;
  }
  return true;
}

/// Maps the .open file; where that is not possible the open chunk gets plain memory and no file.
void* RankLogWriter::State::map_open_file(bool wanted) {
  if (wanted) {
    void* map = mmap(nullptr, plan.open_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, open_fd, 0);
    if (map != MAP_FAILED) return map;
    std::snprintf(note, sizeof note, "%.160s: cannot be mapped (%s): a kill loses up to %zu KiB of events",
                  open_path, error_text(errno), plan.open_bytes / 1024);
  }
  ::close(open_fd);
  open_fd = -1;
  unlink(open_path);
  return mmap(nullptr, plan.open_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

bool RankLogWriter::State::map_open_chunk(bool map_file) {
  if (const int failed = reserve_blocks(open_fd, plan.open_bytes)) {
    stop(open_path, "cannot reserve its blocks", failed);
    return false;
  }
  void* map = map_open_file(map_file);
  if (map == MAP_FAILED) {
    stop(open_path, "cannot map", errno);
    return false;
  }
  open = static_cast<OpenHeader*>(map);
  auto* base = static_cast<std::uint8_t*>(map);
  marks = reinterpret_cast<std::uint32_t*>(base + kPage);
  std::size_t offset = kPage + round_up(plan.marks * sizeof(std::uint32_t));
  OpenHeader fresh = {};
  fresh.version = kVersion;
  fresh.marks = static_cast<std::uint32_t>(plan.marks);
  fresh.log_check = header.identity.check;
  fresh.marks_offset = kPage;
  for (unsigned column = 0; column < kColumns; ++column) {
    columns[column] = base + offset;
    fresh.column_offset[column] = static_cast<std::uint32_t>(offset);
    fresh.column_bytes[column] = static_cast<std::uint32_t>(plan.columns[column]);
    offset += plan.columns[column];
  }
  fresh.magic = kOpenMagic;
  fresh.check = block_check(fresh);
  fresh.magic = 0;
  std::memcpy(static_cast<void*>(open), &fresh, sizeof fresh);
  begin_chunk(0);
  // Last of all: a kill before leaves a chunk that was not begun.
  std::atomic_ref<std::uint64_t>(open->magic).store(kOpenMagic, std::memory_order_release);
  return true;
}

void RankLogWriter::State::reset_positions() {
  io.fields.at = columns[kFields];
  io.fields.limit = columns[kFields] + plan.columns[kFields] - kFieldsMargin - kRepeatsMargin;
  io.heads = columns[kHeads];
  classes = columns[kClasses];
  io.bits = columns[kBits];
  io.bit = 0;
  io.bits[0] = 0;  // put_bits() adds to the byte it finds
}

void RankLogWriter::State::begin_chunk(std::uint32_t sequence) {
  std::atomic_ref<std::uint64_t>(open->commit).store(0, std::memory_order_release);
  std::atomic_signal_fence(
      std::memory_order_seq_cst);  // a kill must never see the new header with the old commit
  first_event += chunk_events;
  chunk_events = 0;
  open->start_ticks = now_ticks;
  open->first_event = first_event;
  open->sequence = sequence;
  check = check_start(sequence, now_ticks, first_event);
  index.reset();
  context.reset();
  reset_positions();
}

/// Folds and compresses a column; 0: not possible. The folded one lies at the end of `packed` meanwhile,
/// where the columns go that are packed after this one.
std::size_t RankLogWriter::Packing::pack_bytes(const std::uint8_t* column, std::size_t size, std::uint8_t* to,
                                               std::size_t room) {
  std::uint8_t* folded = packed + plan.packed - (size + kFoldSlack);
  const std::size_t folded_size = folder.fold(column, size, folded);
  const std::size_t stored = ZSTD_compress2(zstd, to, room, folded, folded_size);
  return ZSTD_isError(stored) ? 0 : stored;
}

/// Packs the committed part of the open chunk behind a chunk header in `packed`, whose turn it is.
bool RankLogWriter::State::pack(ChunkHeader& chunk, std::size_t& size) {
  const std::uint8_t* ends[kColumns] = {io.heads, io.fields.at, classes_end(), io.bits + (io.bit + 7) / 8};
  for (unsigned column = 0; column < kColumns; ++column)
    chunk.raw_bytes[column] = static_cast<std::uint32_t>(ends[column] - columns[column]);
  std::uint8_t* const packed = packing->packed;
  const std::size_t* const room = packing->plan.stored;
  std::uint8_t* to = packed + sizeof(ChunkHeader);
  for (const Column column : {kHeads, kFields}) {
    const std::size_t stored =
        packing->pack_bytes(columns[column], chunk.raw_bytes[column], to, room[column]);
    if (stored == 0) return false;
    chunk.stored_bytes[column] = static_cast<std::uint32_t>(stored);
    to += stored;
  }
  PackedTimes done{to, room[kClasses], 0, to + room[kClasses], 0};
  packing->times.pack(
      {chunk_events, columns[kHeads], columns[kClasses], columns[kBits], chunk.raw_bytes[kBits]}, done);
  std::memmove(to + done.classes_size, done.bits, done.bits_size);
  chunk.stored_bytes[kClasses] = static_cast<std::uint32_t>(done.classes_size);
  chunk.stored_bytes[kBits] = static_cast<std::uint32_t>(done.bits_size);
  size = static_cast<std::size_t>(to - packed) + done.classes_size + done.bits_size;
  chunk.data_check = XXH64(packed + sizeof(ChunkHeader), size - sizeof(ChunkHeader), 0);
  chunk.check = block_check(chunk, header.identity.check);
  std::memcpy(packed, &chunk, sizeof chunk);
  return true;
}

/// Moves the open chunk to the .vlog file. False: nothing changed there, and the log has stopped.
bool RankLogWriter::State::seal() {
  if (chunk_events == 0) return true;
  ChunkHeader chunk = {
      kChunkMagic, open->sequence, chunk_events, {}, {}, open->start_ticks, open->first_event, 0, 0};
  std::size_t size = 0;
  const Packing::Turn turn(*packing);
  if (!pack(chunk, size)) {
    stop(log_path, "cannot compress a chunk", EINVAL);
  } else if (const int failed = write_all(log_fd, packing->packed, size, log_end)) {
    stop(log_path, "cannot write", failed);
  } else {
    log_end += size;
    begin_chunk(open->sequence + 1);
    return true;
  }
  // The events stay in the .open file; take back what was written of the chunk, so that it cannot be
  // mistaken.
  if (ftruncate(log_fd, static_cast<off_t>(log_end)) != 0) errno = 0;
  header.progress.state = LogState::kStopped;
  write_progress();
  return false;
}

__attribute__((noinline)) void ChunkWriter::mark(std::uint32_t events) {
  auto& state = static_cast<RankLogWriter::State&>(*this);
  const Plan& plan = state.plan;
  state.marks[events / kEventsPerMark - 1] = mark_word(check);
  const bool full = !io.fields.room() ||
                    io.heads > state.columns[kHeads] + plan.columns[kHeads] - kHeadsMargin ||
                    classes_end() > state.columns[kClasses] + plan.columns[kClasses] - kClassesMargin ||
                    io.bit / 8 > plan.columns[kBits] - kBitsMargin;
  if (full) close();
}

/// Encodes and commits. False: there is no room, or the log has stopped.
template <Breadth kBreadth, class Event>
VEF_INLINE bool RankLogWriter::State::try_append(const Event& event) {
  Encoder done = encoder();
  const std::uint8_t* before = done.fields.at;
  const std::uint32_t head = encode_event<kBreadth>(done.fields, context, index, event);
  if (head == kNoRoom) [[unlikely]]
    return false;
  done.head(head);
  done.put_times(classes_end(), event.gap, event.duration);
  const auto fields = static_cast<std::size_t>(done.fields.at - before);
  io.fields.at = done.fields.at;
  io.heads = done.heads;
  io.bit = done.bit;
  commit(check_event(check, head, before, fields, event.gap, event.duration), event.gap + event.duration);
  return true;
}

__attribute__((noinline)) bool RankLogWriter::State::try_append_wide(const RankEvent& event) {
  return try_append<Breadth::kWide>(event);
}

VEF_INLINE bool RankLogWriter::State::try_append_any(const RankEvent& event) {
  switch (breadth_of(event.kind)) {
    case Breadth::kNarrow:
      return try_append<Breadth::kNarrow>(static_cast<const NarrowEvent&>(event));
    case Breadth::kMiddle:
      return try_append<Breadth::kMiddle>(event);
    default:
      return try_append_wide(event);
  }
}

/// The event did not fit: the chunk turns over, and the event opens the next one.
template <class Event, class TryAppend>
__attribute__((noinline)) AppendResult RankLogWriter::State::append_slowly(const Event& event,
                                                                           TryAppend try_again) {
  if (stopped) return AppendResult::kStopped;
  const bool was_empty = chunk_events == 0;
  if (!seal()) return AppendResult::kStopped;
  if (!was_empty && (this->*try_again)(event)) return AppendResult::kTurnedOver;
  stop(log_path, "an event is larger than the buffer, which should be larger", EMSGSIZE);
  header.progress.state = LogState::kStopped;
  write_progress();
  return AppendResult::kStopped;
}

bool RankLogWriter::State::write_progress() {
  header.progress.check = block_check(header.progress, header.identity.check);
  const int failed =
      write_all(log_fd, &header.progress, sizeof header.progress, offsetof(FileHeader, progress));
  if (failed != 0) stop(log_path, "cannot write", failed);
  return failed == 0;
}

void RankLogWriter::State::release_files() {
  if (open != nullptr) munmap(open, plan.open_bytes);
  if (log_fd >= 0) ::close(log_fd);
  if (open_fd >= 0) ::close(open_fd);
  open = nullptr;
  log_fd = open_fd = -1;
}

/// Where the parts of a writer lie in its memory.
struct RankLogWriter::Memory {
  static constexpr std::size_t kState = (sizeof(RankLogWriter) + 63) / 64 * 64;
  static constexpr std::size_t kPacking = kState + (sizeof(State) + 63) / 64 * 64;
  static constexpr std::size_t kWorkspace = kPacking + (sizeof(Packing) + 63) / 64 * 64;
  static_assert(alignof(State) <= 64 && alignof(Packing) <= 64);
};

/// Sizes and memory, all of it from one mapping. Null: `error` says why.
RankLogWriter* RankLogWriter::create_memory(const RankLogOptions& options, const char*& error) {
  ZSTD_compressionParameters level = {};
  Plan plan;
  Packing* packing = options.packs_with != nullptr ? options.packs_with->state().packing : nullptr;
  std::size_t bytes = Memory::kPacking;
  if (packing != nullptr) {
    // Nor may a chunk be larger than what the other writer can pack.
    const std::size_t open = round_down(options.buffer_bytes - round_up(bytes));
    plan_columns(open < packing->plan.open_bytes ? open : packing->plan.open_bytes, plan);
  } else {
    if (!choose_plan(options, Memory::kWorkspace, level, plan)) {
      error = "rank log: the buffer is too small for this compression level";
      return nullptr;
    }
    bytes = Memory::kWorkspace + plan.workspace + plan.packed;
  }
  bytes = round_up(bytes);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    error = "rank log: no memory for the buffer";
    return nullptr;
  }
  auto* base = static_cast<std::uint8_t*>(memory);
  auto* writer = new (memory) RankLogWriter;
  auto* state = new (base + Memory::kState) State;
  writer->chunk_ = state;
  state->plan = plan;
  state->memory_bytes = bytes;
  state->now_ticks = options.start.ticks;
  if (packing == nullptr) {
    packing = new (base + Memory::kPacking) Packing;
    packing->plan = plan;
    packing->packed = base + Memory::kWorkspace + plan.workspace;
    packing->zstd = ZSTD_initStaticCCtx(base + Memory::kWorkspace, plan.workspace);
    if (packing->zstd == nullptr || !set_level(packing->zstd, level))
      state->stop(options.directory, "cannot set up the compression", ENOMEM);
  }
  state->packing = packing;
  return writer;
}

RankLogWriter* RankLogWriter::create(const RankLogOptions& options, char* error,
                                     std::size_t error_size) noexcept {
  const auto fail = [&](const char* text) -> RankLogWriter* {
    if (error != nullptr && error_size != 0) std::snprintf(error, error_size, "%s", text);
    return nullptr;
  };
  if (options.directory == nullptr || options.rank < 0 || options.thread < 0)
    return fail("rank log: a directory, a rank and a thread number are needed");
  static_assert(Memory::kPacking + kLeastOpenBytes <= RankLogOptions::kLeastSharing);
  if (options.packs_with == nullptr && options.buffer_bytes < kMinBuffer)
    return fail("rank log: a buffer of at least 1 MiB is needed");
  if (options.packs_with != nullptr && options.buffer_bytes < RankLogOptions::kLeastSharing)
    return fail("rank log: a buffer of at least 256 KiB is needed");
  const char* text = nullptr;
  RankLogWriter* writer = create_memory(options, text);
  if (writer == nullptr) return fail(text);
  State* state = &writer->state();
  if (!state->stopped && state->open_files(options) && state->map_open_chunk(options.map_open_file))
    return writer;

  fail(state->error);
  if (state->log_fd >= 0) unlink(state->log_path);
  if (state->open_fd >= 0) unlink(state->open_path);
  writer->abandon();
  return nullptr;
}

AppendResult RankLogWriter::append(const RankEvent& event) noexcept {
  State& state = this->state();
  return state.try_append_any(event) ? AppendResult::kOk : state.append_slowly(event, &State::try_append_any);
}

AppendResult RankLogWriter::append_narrow(const NarrowEvent& event) noexcept {
  State& state = this->state();
  return state.try_append<Breadth::kNarrow>(event)
             ? AppendResult::kOk
             : state.append_slowly(event, &State::try_append<Breadth::kNarrow, NarrowEvent>);
}

void RankLogWriter::note(const EventMemo& memo) noexcept { chunk_->index.note(memo); }

void RankLogWriter::forget_memos() noexcept {
  for (std::uint32_t slot = 0; slot < chunk_->context.used_slots; ++slot) chunk_->index.forget_memo(slot);
}

AppendResult RankLogWriter::flush() noexcept {
  State& state = this->state();
  if (state.stopped) return AppendResult::kStopped;
  if (state.chunk_events == 0) return AppendResult::kOk;
  return state.seal() ? AppendResult::kTurnedOver : AppendResult::kStopped;
}

void RankLogWriter::sample_clock(const ClockSample& sample) noexcept {
  State& state = this->state();
  state.header.progress.last = sample;
  ++state.header.progress.samples;
  state.write_progress();
}

std::uint64_t RankLogWriter::events() const noexcept { return state().first_event + chunk_->chunk_events; }

const char* RankLogWriter::error() const noexcept { return state().error; }
const char* RankLogWriter::note() const noexcept { return state().note; }

bool RankLogWriter::close(bool complete) noexcept {
  State& state = this->state();
  if (!state.stopped && state.seal()) {
    state.header.progress.state = complete ? LogState::kComplete : LogState::kClosed;
    state.write_progress();
  }
  const bool good = !state.stopped;
  if (good) unlink(state.open_path);
  abandon();
  return good;
}

void RankLogWriter::note_exit() noexcept {
  const State& state = this->state();
  FileProgress progress = state.header.progress;
  if (state.log_fd < 0 || progress.state != LogState::kRunning) return;
  progress.state = LogState::kExited;
  progress.check = block_check(progress, state.header.identity.check);
  write_all(state.log_fd, &progress, sizeof progress, offsetof(FileHeader, progress));
}

void RankLogWriter::abandon() noexcept {
  State* state = &this->state();
  state->release_files();
  munmap(this, state->memory_bytes);
}

}  // namespace vef::formats
