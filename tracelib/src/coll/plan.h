// SPDX-License-Identifier: Apache-2.0
// What a collective algorithm is written against. An algorithm is a function template over a Plan:
//
//     plan.send(peer, pieces)               the bytes of `pieces`, as they are when the round begins, to
//     `peer` plan.receive(peer, pieces, arrival)   the next message of `peer` into `pieces`: copied, or
//     reduced into it plan.move(from, to, arrival)          the same inside the rank, done at once
//     plan.end_round()                      everything since the last call is posted together and waited for
//
// SchedulePlan keeps peers and sizes only: that is the expansion the player uses. The tests run the same
// templates on a plan that carries the identity of every byte, and so see what each rank ends with.
//
// `pieces` is anything with size(), the sum of its bytes, and for_each(visit), its contiguous Pieces in
// order; SchedulePlan asks for size() alone, so offsets cost nothing where nobody reads them.
#pragma once

#include <cstdint>

#include "vef/tracelib/collectives.h"

namespace vef::tracelib::coll {

enum class Buffer : std::uint8_t { kIn, kOut, kTemp };
enum class Arrival : std::uint8_t { kCopy, kReduce };

struct Piece {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;  // bytes
  Buffer buffer = Buffer::kOut;

  std::uint64_t size() const { return count; }
  template <class Visit>
  void for_each(Visit visit) const {
    if (count != 0) visit(*this);
  }
};

/// Who computes its part. Ranks are those of the communicator; "relative" ranks count from the root.
struct Role {
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::int32_t root = 0;

  bool is_root() const { return rank == root; }
  std::int32_t relative() const { return rank >= root ? rank - root : rank - root + size; }
  std::int32_t absolute(std::int32_t relative_rank) const { return wrap(relative_rank + root); }
  /// `r` may be off by less than one turn in either direction.
  std::int32_t wrap(std::int32_t r) const { return r < 0 ? r + size : (r >= size ? r - size : r); }
  std::int32_t right(std::int32_t distance = 1) const { return wrap(rank + distance); }
  std::int32_t left(std::int32_t distance = 1) const { return wrap(rank - distance); }
};

/// Appends to a Schedule.
class SchedulePlan {
 public:
  explicit SchedulePlan(Schedule& out) : out_(out) {}

  template <class Pieces>
  void send(std::int32_t peer, const Pieces& pieces) {
    out_.steps.push_back({peer, true, pieces.size()});
  }
  template <class Pieces>
  void receive(std::int32_t peer, const Pieces& pieces, Arrival) {
    out_.steps.push_back({peer, false, pieces.size()});
  }
  template <class From, class To>
  void move(const From&, const To&, Arrival = Arrival::kCopy) {}
  void end_round() {
    const auto end = static_cast<std::uint32_t>(out_.steps.size());
    if (end != (out_.round_ends.empty() ? 0 : out_.round_ends.back())) out_.round_ends.push_back(end);
  }

 private:
  Schedule& out_;
};

/// Both directions with one peer, or with two, in one round.
template <class Plan, class Sent, class Received>
void exchange(Plan& plan, std::int32_t to, const Sent& sent, std::int32_t from, const Received& received,
              Arrival arrival = Arrival::kCopy) {
  plan.receive(from, received, arrival);
  plan.send(to, sent);
  plan.end_round();
}

}  // namespace vef::tracelib::coll
