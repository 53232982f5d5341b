// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "little_endian.h"
#include "vefb_block.h"

namespace vef::formats::vefb {

void TaskOrder::sort(const std::vector<TaskId>& tasks, TaskId task_count) {
  ends_.assign(static_cast<std::size_t>(task_count) + 1, 0);
  for (const TaskId task : tasks) ++ends_[static_cast<std::size_t>(task) + 1];
  for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
  order_.resize(tasks.size());
  for (std::uint32_t i = 0; i < tasks.size(); ++i) order_[ends_[static_cast<std::size_t>(tasks[i])]++] = i;
}

BlockEncoder::BlockEncoder(TaskId tasks, int level) : tasks_(tasks), context_(ZSTD_createCCtx()) {
  if (context_ != nullptr)
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level == 0 ? ZSTD_CLEVEL_DEFAULT : level);
}

void BlockEncoder::put(Column column, std::uint64_t value, unsigned bytes) {
  put_number(columns_[column], value, bytes);
}

void BlockEncoder::put_varint(Column column, std::uint64_t value) {
  std::string& out = columns_[column];
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

/// Heads, and what depends on the records of other tasks: in file order.
void BlockEncoder::code_ids(const std::vector<Record>& records) {
  history_.begin(next_message_, last_collective_);
  heads_.resize(records.size());
  arrivals_.resize(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    History::Task* task = &history_.task(record.task);
    unsigned head = static_cast<unsigned>(record.kind) | static_cast<unsigned>(record.dep) << kDepShift |
                    (record.answer ? kAnswerBit : 0);
    const std::uint64_t predicted = record.kind == RecordKind::kCollective
                                        ? history_.predicted_collective(*task)
                                        : history_.next_message();
    if (record.id != predicted) {
      head |= kIdBit;
      put_varint(kIds, fold_sign(record.id - predicted));
    }
    if (record.dep == DepKind::kReceive) {
      std::uint64_t* const end = task->arrivals + task->waiting;
      std::uint64_t* const found = std::find(&task->arrivals[0], end, record.dep_id);
      if (found != end) {
        arrivals_[i] = static_cast<std::uint8_t>(found - task->arrivals);
        task->take(arrivals_[i]);
      } else {
        head |= kDepIdBit;
        put_varint(kDepIds, fold_sign(record.dep_id - history_.next_message()));
      }
    } else if (record.dep != DepKind::kIndependent) {
      const std::uint64_t expected = History::predicted_dependency(*task, record.dep);
      if (record.dep_id != expected) {
        head |= kDepIdBit;
        put_varint(kDepIds, fold_sign(record.dep_id - expected));
      }
    }
    heads_[i] = static_cast<std::uint8_t>(head);
    history_.note(record, *task);
  }
  next_message_ = history_.next_message();
  last_collective_ = history_.last_collective();
}

void BlockEncoder::code_time(std::uint64_t time) {
  const unsigned time_class = TimeClass::of(time);
  const unsigned bits = TimeClass::bits(time_class);
  put(kClasses, time_class, 1);
  if (bits == 0) return;
  const std::uint64_t low = time - TimeClass::lowest(time_class);
  time_bits_ |= low << time_bit_count_;
  if (time_bit_count_ + bits < 64) {
    time_bit_count_ += bits;
    return;
  }
  put(kTimeBits, time_bits_, 8);
  const unsigned written = 64 - time_bit_count_;
  time_bit_count_ = bits - written;
  time_bits_ = written == 64 ? 0 : low >> written;
}

void BlockEncoder::code_fields(const Record& record, std::uint32_t place) {
  put(kHeads, heads_[place], 1);
  if (record.kind == RecordKind::kMessage) {
    const TaskId distance = record.peer - record.task;
    put(kPeers, static_cast<std::uint64_t>(distance < 0 ? distance + tasks_ : distance), task_width(tasks_));
    put_varint(kSizes, record.send_bytes);
  } else if (record.kind == RecordKind::kCollective) {
    put(kOps, static_cast<std::uint64_t>(record.op), 1);
    put_varint(kComms, static_cast<std::uint64_t>(record.comm));
    put_varint(kSizes, record.send_bytes);
    put_varint(kSizes, record.recv_bytes);
  }
  if (record.dep == DepKind::kReceive && (heads_[place] & kDepIdBit) == 0)
    put(kArrivals, arrivals_[place], 1);
  code_time(record.time);
}

Result<std::string_view> BlockEncoder::encode(const std::vector<Record>& records) {
  for (std::string& column : columns_) column.clear();
  payload_.clear();
  put_number(payload_, records.size(), 4);
  put_number(payload_, next_message_, 8);
  put_number(payload_, last_collective_, 8);

  block_tasks_.clear();
  for (const Record& record : records) {
    block_tasks_.push_back(record.task);
    put(kTasks, static_cast<std::uint64_t>(record.task), task_width(tasks_));
  }
  order_.sort(block_tasks_, tasks_);
  code_ids(records);
  for (const std::uint32_t place : order_.order()) code_fields(records[place], place);
  put(kTimeBits, time_bits_, (time_bit_count_ + 7) / 8);
  time_bits_ = 0;
  time_bit_count_ = 0;

  std::size_t end = kPayloadHeadBytes;
  payload_.resize(end);
  for (unsigned i = 0; i < kColumns; ++i) {
    const std::string& column = columns_[i];
    payload_.resize(end + ZSTD_compressBound(column.size()));
    std::size_t packed = i == kTimeBits ? column.size()
                                        : ZSTD_compress2(context_.get(), payload_.data() + end,
                                                         payload_.size() - end, column.data(), column.size());
    if (ZSTD_isError(packed) != 0)
      return Error{ErrorKind::kSystem, std::string("zstd: ") + ZSTD_getErrorName(packed)};
    if (packed >= column.size()) {
      packed = column.size();
      column.copy(payload_.data() + end, packed);
    }
    std::string sizes;
    put_number(sizes, column.size(), 4);
    put_number(sizes, packed, 4);
    sizes.copy(payload_.data() + 4 + 8 + 8 + 8 * i, sizes.size());
    end += packed;
  }
  payload_.resize(end);
  return std::string_view(payload_);
}

}  // namespace vef::formats::vefb
