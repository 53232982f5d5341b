// SPDX-License-Identifier: Apache-2.0
// The event list of the simulation: a timing wheel of plain 16-byte events in order of (time, key), with a
// heap for the few that lie beyond the wheel. Inserting and taking cost a constant few nanoseconds while the
// events of one slot are few; choose the slot width so.
//
// A slot is a list in a pool of nodes, so that the memory in use is that of the events pending. It is taken
// whole: sorted once and then emptied from the back; what arrives for it meanwhile is inserted in place.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pool.h"
#include "vef/base/units.h"

namespace vef::replayer {

struct Event {
  Picoseconds time = 0;
  std::uint64_t key = 0;  // orders events of one instant; carries kind, entity and argument
};

class EventQueue {
 public:
  /// Slots of 2^slot_shift ps.
  explicit EventQueue(unsigned slot_shift) : shift_(slot_shift) {}

  /// Not before the last event taken.
  void push(Picoseconds time, std::uint64_t key) {
    const std::int64_t slot = time >> shift_;
    ++size_;
    if (slot <= current_slot_) {
      insert_current({time, key});
    } else if (slot < current_slot_ + kSlots) {
      put({time, key}, slot);
    } else {
      push_far({time, key});
    }
  }

  /// Time of the next event if it is before `limit`, else kNever.
  Picoseconds next_before(Picoseconds limit) {
    if (current_.empty() && !load_slot(limit)) return kNever;
    const Picoseconds time = current_.back().time;
    return time < limit ? time : kNever;
  }

  /// Takes the event that next_before() has just found.
  Event take() {
    const Event event = current_.back();
    current_.pop_back();
    --size_;
    return event;
  }

  /// Further events may not be before `now`; keeps the wheel turned to the present while nothing happens.
  void advance(Picoseconds now);

  std::size_t size() const { return size_; }

 private:
  static constexpr std::int64_t kSlots = 4096;
  static constexpr std::int64_t kWords = kSlots / 64;

  struct Node {
    Event event;
    Index next = kNone;
  };

  void put(const Event& event, std::int64_t slot) {
    const auto index = static_cast<std::size_t>(slot & (kSlots - 1));
    const Index node = nodes_.take();
    nodes_[node].event = event;
    nodes_[node].next = slots_[index];
    slots_[index] = node;
    occupied_[index / 64] |= std::uint64_t{1} << (index % 64);
    ++in_wheel_;
  }
  void insert_current(const Event& event);
  void push_far(const Event& event);
  bool load_slot(Picoseconds limit);
  std::int64_t next_occupied() const;
  void move_near();

  unsigned shift_;
  std::int64_t current_slot_ = -1;  // slots up to and including this one are in current_
  std::size_t size_ = 0;
  std::size_t in_wheel_ = 0;
  std::vector<Event> current_;  // descending: the next event is the last
  std::vector<Index> slots_ = std::vector<Index>(kSlots, kNone);
  Pool<Node> nodes_;
  std::array<std::uint64_t, kWords> occupied_{};
  std::vector<Event> far_;  // heap, earliest first
};

}  // namespace vef::replayer
