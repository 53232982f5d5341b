// SPDX-License-Identifier: Apache-2.0
// Every number is checked against the trace's header here, so that the records are as good as those read
// from text.
#include <limits>

#include "little_endian.h"
#include "vefb_block.h"

namespace vef::formats::vefb {

namespace {

constexpr std::size_t kSlack = 24;  // readable bytes behind each column

std::uint64_t load(const char* at, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
  return bytes == 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

}  // namespace

/// Reads a column; what is taken behind its end is noticed by ended().
struct BlockDecoder::Cursor {
  const char* at;
  const char* end;

  explicit Cursor(const std::string& column, std::size_t size)
      : at(column.data()), end(column.data() + size) {}

  bool ended() const { return at == end; }
  bool fixed(unsigned bytes, std::uint64_t& value) {
    if (end - at < static_cast<std::ptrdiff_t>(bytes)) return false;
    value = load(at, bytes);
    at += bytes;
    return true;
  }
  bool varint(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; at != end && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at++);
      if (shift == 63 && byte > 1) return false;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
};

bool BlockDecoder::unpack(std::string_view payload, std::uint32_t count) {
  std::size_t at = kPayloadHeadBytes;
  for (unsigned i = 0; i < kColumns; ++i) {
    const std::size_t raw = get_number(payload, 4 + 8 + 8 + 8 * i, 4);
    const std::size_t packed = get_number(payload, 4 + 8 + 8 + 8 * i + 4, 4);
    if (raw > kMostBytes[i] * count || packed > raw || packed > payload.size() - at) return false;
    std::string& column = columns_[i];
    if (column.size() < raw + kSlack) column.resize(raw + kSlack);
    if (packed == raw) {
      payload.copy(column.data(), raw, at);
    } else if (ZSTD_decompressDCtx(context_.get(), column.data(), raw, payload.data() + at, packed) != raw) {
      return false;
    }
    sizes_[i] = raw;
    at += packed;
  }
  return at == payload.size();
}

bool BlockDecoder::read_tasks(std::uint32_t count) {
  const unsigned width = task_width(header_.tasks);
  if (sizes_[kTasks] != std::size_t{width} * count) return false;
  block_tasks_.resize(count);
  const char* at = columns_[kTasks].data();
  for (TaskId& task : block_tasks_) {
    const std::uint64_t value = load(at, width);
    if (value >= static_cast<std::uint64_t>(header_.tasks)) return false;
    task = static_cast<TaskId>(value);
    at += width;
  }
  order_.sort(block_tasks_, header_.tasks);
  return true;
}

/// What a record says by itself: task by task.
bool BlockDecoder::read_fields(std::vector<Record>& records) {
  const auto column = [this](Column which) { return Cursor(columns_[which], sizes_[which]); };
  Cursor peers = column(kPeers);
  Cursor ops = column(kOps);
  Cursor comms = column(kComms);
  Cursor sizes = column(kSizes);
  Cursor arrivals = column(kArrivals);
  if (sizes_[kHeads] != records.size() || sizes_[kClasses] != records.size()) return false;
  const char* head_at = columns_[kHeads].data();
  const char* class_at = columns_[kClasses].data();
  const char* const bits = columns_[kTimeBits].data();
  std::size_t bit = 0;
  const std::size_t bit_end = sizes_[kTimeBits] * 8;
  const unsigned width = task_width(header_.tasks);
  constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int64_t>::max();
  const auto size_of = [&](std::uint64_t& size) { return sizes.varint(size) && size <= kMaxSize; };

  for (const std::uint32_t place : order_.order()) {
    Record& record = records[place];
    const auto head = static_cast<unsigned char>(*head_at++);
    record = Record{};
    record.task = block_tasks_[place];
    if ((head & kKindMask) > static_cast<unsigned>(RecordKind::kCollective) || (head & kUnusedBit) != 0)
      return false;
    record.kind = static_cast<RecordKind>(head & kKindMask);
    record.dep = static_cast<DepKind>(head >> kDepShift & 3);
    record.answer = (head & kAnswerBit) != 0;
    if (record.answer && (header_.version != TraceVersion::kVef4 || record.kind != RecordKind::kMessage ||
                          record.dep != DepKind::kReceive)) {
      return false;
    }
    std::uint64_t value = 0;
    if (record.kind == RecordKind::kMessage) {
      if (!peers.fixed(width, value) || value >= static_cast<std::uint64_t>(header_.tasks)) return false;
      const std::int64_t peer = record.task + static_cast<std::int64_t>(value);
      record.peer = static_cast<TaskId>(peer >= header_.tasks ? peer - header_.tasks : peer);
      if (!size_of(record.send_bytes)) return false;
    } else if (record.kind == RecordKind::kMark) {
      if (!has_program_order(header_.version)) return false;
      record.peer = record.task;
    } else {
      if (!ops.fixed(1, value) || value >= static_cast<std::uint64_t>(collective_ops(header_.version)))
        return false;
      record.op = static_cast<CollectiveOp>(value);
      if (!comms.varint(value) || value >= header_.communicators) return false;
      record.comm = static_cast<CommId>(value);
      if (!size_of(record.send_bytes) || !size_of(record.recv_bytes)) return false;
    }
    heads_[place] = head;
    if (record.dep == DepKind::kReceive && (head & kDepIdBit) == 0) {
      if (!arrivals.fixed(1, value)) return false;
      arrivals_[place] = static_cast<std::uint8_t>(value);
    }
    const auto time_class = static_cast<unsigned char>(*class_at++);
    if (time_class > TimeClass::kMostClass) return false;
    record.time = TimeClass::lowest(time_class);
    if (const unsigned length = TimeClass::bits(time_class); length != 0) {
      if (bit_end - bit < length) return false;
      std::uint64_t low = load(bits + bit / 8, 8) >> bit % 8;
      if (bit % 8 + length > 64) low |= load(bits + bit / 8 + 8, 1) << (64 - bit % 8);
      record.time += low & ((std::uint64_t{1} << length) - 1);
      bit += length;
    }
  }
  return peers.ended() && ops.ended() && comms.ended() && sizes.ended() && arrivals.ended() &&
         bit_end - bit < 8;
}

/// What depends on the records of other tasks: in file order.
bool BlockDecoder::read_ids(std::vector<Record>& records) {
  Cursor ids(columns_[kIds], sizes_[kIds]);
  Cursor dep_ids(columns_[kDepIds], sizes_[kDepIds]);
  for (std::size_t i = 0; i < records.size(); ++i) {
    Record& record = records[i];
    const unsigned head = heads_[i];
    History::Task& task = history_.task(record.task);
    std::uint64_t folded = 0;
    record.id = record.kind == RecordKind::kCollective ? history_.predicted_collective(task)
                                                       : history_.next_message();
    if ((head & kIdBit) != 0) {
      if (!ids.varint(folded)) return false;
      record.id += unfold_sign(folded);
    }
    if ((head & kDepIdBit) != 0 && !dep_ids.varint(folded)) return false;
    if (record.dep == DepKind::kReceive) {
      if ((head & kDepIdBit) != 0) {
        record.dep_id = history_.next_message() + unfold_sign(folded);
      } else {
        if (arrivals_[i] >= task.waiting) return false;
        record.dep_id = task.arrivals[arrivals_[i]];
        task.take(arrivals_[i]);
      }
    } else if (record.dep != DepKind::kIndependent) {
      record.dep_id = History::predicted_dependency(task, record.dep);
      if ((head & kDepIdBit) != 0) record.dep_id += unfold_sign(folded);
    } else if ((head & kDepIdBit) != 0) {
      return false;
    }
    history_.note(record, task);
  }
  return ids.ended() && dep_ids.ended();
}

bool BlockDecoder::decode(std::string_view payload, std::vector<Record>& records) {
  if (payload.size() < kPayloadHeadBytes || context_ == nullptr) return false;
  const auto count = static_cast<std::uint32_t>(get_number(payload, 0, 4));
  if (count == 0 || count > kMostRecords || !unpack(payload, count)) return false;
  history_.begin(get_number(payload, 4, 8), get_number(payload, 12, 8));
  if (!read_tasks(count)) return false;
  records.resize(count);
  heads_.resize(count);
  arrivals_.resize(count);
  return read_fields(records) && read_ids(records);
}

}  // namespace vef::formats::vefb
