// SPDX-License-Identifier: Apache-2.0
// What reader and writer of .vefb share; docs/vefb.md says the same in words.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "vef/formats/trace.h"

namespace vef::formats::vefb {

inline constexpr std::string_view kSignature = "VEFB1\r\n\x1a";
inline constexpr std::string_view kHeadBlock = "HEAD";
inline constexpr std::string_view kRecordBlock = "RECS";
inline constexpr std::size_t kBlockHeadBytes = 12;  // name, payload size, CRC-32 of the payload
inline constexpr std::uint32_t kMostPayload = 1u << 26;
inline constexpr std::uint32_t kMostRecords = 1u << 16;  // of a block

enum Column : unsigned {
  kTasks,     // file order; all others but the last two task by task
  kHeads,     // kind, dependency, flags
  kPeers,     // messages: (destination - source) modulo tasks
  kOps,       // collectives
  kComms,     // collectives
  kSizes,     // messages: one; collectives: send size, receive size
  kClasses,   // of the times
  kTimeBits,  // of the times, below their classes
  kArrivals,  // receive dependencies: place in the list of messages that came in
  kIds,       // file order; ids that are not as predicted
  kDepIds,    // file order; dependencies that are not as predicted
  kColumns
};
inline constexpr std::size_t kPayloadHeadBytes = 4 + 8 + 8 + kColumns * 8;

// Bits of a head.
inline constexpr unsigned kKindMask = 3;
inline constexpr unsigned kDepShift = 2;
inline constexpr unsigned kAnswerBit = 1 << 4;
inline constexpr unsigned kIdBit = 1 << 5;     // the id stands in kIds
inline constexpr unsigned kDepIdBit = 1 << 6;  // the dependency stands in kDepIds
inline constexpr unsigned kUnusedBit = 1 << 7;

/// Most bytes a column takes for one record: what a block may claim is bounded by it.
inline constexpr std::array<std::size_t, kColumns> kMostBytes = {4, 1, 4, 1, 5, 20, 1, 8, 1, 10, 10};

inline std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Bytes of a task number.
inline unsigned task_width(TaskId tasks) { return tasks <= 1 << 8 ? 1 : tasks <= 1 << 16 ? 2 : 4; }

/// A time is a class (below 8: the time itself; else its length in bits and the two bits below the leading
/// one) and the bits below those.
struct TimeClass {
  static constexpr unsigned kExact = 8;
  static constexpr unsigned kMostClass = kExact + 60 * 4 + 3;

  static unsigned of(std::uint64_t time) {
    if (time < kExact) return static_cast<unsigned>(time);
    const auto length = static_cast<unsigned>(std::bit_width(time));
    return kExact + (length - 4) * 4 + static_cast<unsigned>(time >> (length - 3) & 3);
  }
  static unsigned bits(unsigned time_class) {
    return time_class < kExact ? 0 : (time_class - kExact) / 4 + 1;
  }
  static std::uint64_t lowest(unsigned time_class) {
    if (time_class < kExact) return time_class;
    return std::uint64_t{4 + (time_class & 3)} << bits(time_class);
  }
};

/// What the records of a block before this one say about it. Reader and writer go through the block in file
/// order and ask and tell the same.
class History {
 public:
  void begin(std::uint64_t next_message, std::uint64_t last_collective) {
    next_message_ = next_message;
    last_collective_ = last_collective;
    slots_.clear();
    if (++epoch_ == 0) {  // so many blocks that the stamps begin anew
      std::fill(stamps_.begin(), stamps_.end(), Stamp{});
      epoch_ = 1;
    }
  }

  std::uint64_t next_message() const { return next_message_; }
  std::uint64_t last_collective() const { return last_collective_; }

  struct Task {
    static constexpr unsigned kPlaces = 32;

    std::uint64_t last_send = 0;
    std::uint64_t collective = 0;     // the task's last, if has_collective
    std::uint64_t arrivals[kPlaces];  // messages to this task that it has not waited for, oldest first
    unsigned waiting = 0;
    bool has_collective = false;

    void arrive(std::uint64_t id) {
      if (waiting == kPlaces) take(0);
      arrivals[waiting++] = id;
    }
    void take(unsigned place) {
      --waiting;
      std::memmove(arrivals + place, arrivals + place + 1, (waiting - place) * sizeof arrivals[0]);
    }
  };

  /// Valid until the next call.
  Task& task(TaskId id) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= stamps_.size()) stamps_.resize(std::max(index + 1, stamps_.size() * 2));
    Stamp& stamp = stamps_[index];
    if (stamp.epoch != epoch_) {
      stamp = {epoch_, static_cast<std::uint32_t>(slots_.size())};
      slots_.emplace_back();
    }
    return slots_[stamp.slot];
  }

  std::uint64_t predicted_collective(const Task& task) const {
    return task.has_collective ? task.collective + 1 : last_collective_;
  }
  static std::uint64_t predicted_dependency(const Task& task, DepKind kind) {
    return kind == DepKind::kCollective ? task.collective : task.last_send;
  }

  /// A record has been coded; `task` is its task's.
  void note(const Record& record, Task& task) {
    if (record.kind == RecordKind::kCollective) {
      task.collective = record.id;
      task.has_collective = true;
      last_collective_ = record.id;
      return;
    }
    next_message_ = std::max(next_message_, record.id + 1);
    if (record.kind == RecordKind::kMark) return;
    if (!record.answer) task.last_send = record.id;
    this->task(record.peer).arrive(record.id);
  }

 private:
  struct Stamp {
    std::uint32_t epoch = 0;
    std::uint32_t slot = 0;
  };

  std::vector<Stamp> stamps_;  // by task
  std::vector<Task> slots_;    // of the tasks that occur in the block
  std::uint32_t epoch_ = 0;
  std::uint64_t next_message_ = 0;
  std::uint64_t last_collective_ = 0;
};

/// Numbers by sign: 0, -1, 1, -2, ... as 0, 1, 2, 3, ...; differences wrap around.
inline std::uint64_t fold_sign(std::uint64_t difference) {
  return difference << 1 ^ (std::uint64_t{0} - (difference >> 63));
}
inline std::uint64_t unfold_sign(std::uint64_t folded) {
  return folded >> 1 ^ (std::uint64_t{0} - (folded & 1));
}

}  // namespace vef::formats::vefb
