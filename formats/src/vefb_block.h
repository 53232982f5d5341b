// SPDX-License-Identifier: Apache-2.0
// Records to the payload of a .vefb block and back (docs/vefb.md). A block is coded without the blocks before
// it. One object per thread.
#pragma once

#include <zstd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace.h"
#include "vefb_format.h"

namespace vef::formats::vefb {

/// File order to task by task: order[k] is the place in the file of the k-th record by task.
class TaskOrder {
 public:
  void sort(const std::vector<TaskId>& tasks, TaskId task_count);
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> ends_;  // by task, while it is sorted
};

class BlockEncoder {
 public:
  BlockEncoder(TaskId tasks, int level);

  /// The payload; `records` are in range for the trace and at most kMostRecords. An error has no file's name.
  Result<std::string_view> encode(const std::vector<Record>& records);

 private:
  void put(Column column, std::uint64_t value, unsigned bytes);
  void put_varint(Column column, std::uint64_t value);
  void code_ids(const std::vector<Record>& records);
  void code_fields(const Record& record, std::uint32_t place);
  void code_time(std::uint64_t time);

  struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  TaskId tasks_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
  History history_;
  std::uint64_t next_message_ = 0;
  std::uint64_t last_collective_ = 0;
  TaskOrder order_;
  std::vector<TaskId> block_tasks_;
  std::vector<std::uint8_t> heads_;     // by place in the file
  std::vector<std::uint8_t> arrivals_;  // by place in the file
  std::array<std::string, kColumns> columns_;
  std::uint64_t time_bits_ = 0;  // not yet in their column
  unsigned time_bit_count_ = 0;
  std::string payload_;
};

class BlockDecoder {
 public:
  BlockDecoder(TraceHeader header) : header_(header), context_(ZSTD_createDCtx()) {}

  /// Puts the records into `records`, all in range for the trace. False: the payload is no block.
  bool decode(std::string_view payload, std::vector<Record>& records);

 private:
  struct Cursor;
  bool unpack(std::string_view payload, std::uint32_t count);
  bool read_tasks(std::uint32_t count);
  bool read_fields(std::vector<Record>& records);
  bool read_ids(std::vector<Record>& records);

  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  TraceHeader header_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  History history_;
  TaskOrder order_;
  std::vector<TaskId> block_tasks_;
  std::vector<std::uint8_t> heads_;     // by place in the file
  std::vector<std::uint8_t> arrivals_;  // by place in the file
  std::array<std::string, kColumns> columns_;
  std::array<std::size_t, kColumns> sizes_{};
};

}  // namespace vef::formats::vefb
