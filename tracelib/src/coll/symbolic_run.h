// SPDX-License-Identifier: Apache-2.0
// Executes an algorithm on symbolic memory, for tests: each byte of each rank's buffers knows which ranks
// contributed to it and at which offset of theirs. Failures are: reading a byte that was never written, a
// reduction of bytes that do not belong together or that counts a rank twice, a copy that lands on bytes
// which are being sent or received in the same round, a message of another size than its receive, messages
// left over, and ranks that never end.
#pragma once

#include <bit>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "plan.h"

namespace vef::tracelib::coll {

/// What is counted, and the arithmetic of closed forms.
struct Traffic {
  std::uint64_t messages = 0, bytes = 0;
  bool operator==(const Traffic&) const = default;
};
inline void PrintTo(const Traffic& t, std::ostream* out) {
  *out << t.messages << " messages, " << t.bytes << " bytes";
}
inline std::uint64_t u(std::int32_t n) { return static_cast<std::uint64_t>(n); }
inline std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// `ranks`: bit i: rank i has contributed; 0: never written. At most 64 ranks.
struct SymbolicByte {
  std::uint64_t ranks = 0;
  std::uint64_t offset = 0;
  bool operator==(const SymbolicByte&) const = default;
};
using SymbolicBuffer = std::vector<SymbolicByte>;

/// Records what one rank does.
class SymbolicPlan {
 public:
  enum class Kind : std::uint8_t { kSend, kReceive, kMove };
  struct Range {  // of pieces
    std::size_t begin = 0, end = 0;
  };
  struct Action {
    Kind kind;
    Arrival arrival;
    std::int32_t peer;
    Range pieces;
    Range to;  // moves
  };
  using Round = std::vector<Action>;

  template <class Pieces>
  void send(std::int32_t peer, const Pieces& pieces) {
    round_.push_back({Kind::kSend, Arrival::kCopy, peer, list(pieces), {}});
  }
  template <class Pieces>
  void receive(std::int32_t peer, const Pieces& pieces, Arrival arrival) {
    round_.push_back({Kind::kReceive, arrival, peer, list(pieces), {}});
  }
  template <class From, class To>
  void move(const From& from, const To& to, Arrival arrival = Arrival::kCopy) {
    round_.push_back({Kind::kMove, arrival, 0, list(from), list(to)});
  }
  void end_round() {
    if (!round_.empty()) rounds_.push_back(std::move(round_));
    round_.clear();
  }

  const std::vector<Round>& rounds() const { return rounds_; }
  std::span<const Piece> pieces(const Range& range) const {
    return std::span(pieces_).subspan(range.begin, range.end - range.begin);
  }
  const std::string& error() const { return error_; }

 private:
  template <class Pieces>
  Range list(const Pieces& pieces) {
    const std::size_t begin = pieces_.size();
    std::uint64_t sum = 0;
    pieces.for_each([&](const Piece& piece) {
      pieces_.push_back(piece);
      sum += piece.count;
    });
    if (sum != pieces.size()) error_ = "size() is not the sum of the pieces";
    return {begin, pieces_.size()};
  }

  std::vector<Piece> pieces_;
  std::vector<Round> rounds_;
  Round round_;
  std::string error_;
};

class SymbolicRun {
 public:
  explicit SymbolicRun(std::int32_t size)
      : size_(size), states_(static_cast<std::size_t>(size)), wires_(states_.size() * states_.size()) {
    for (std::int32_t i = 0; i < size; ++i) states_[i].known = std::uint64_t{1} << i;
  }

  SymbolicBuffer& buffer(std::int32_t rank, Buffer which) {
    return states_[rank].buffers[static_cast<std::size_t>(which)];
  }
  SymbolicBuffer& out(std::int32_t rank) { return buffer(rank, Buffer::kOut); }
  /// Which ranks `rank` has heard of, directly or through others.
  std::uint64_t known(std::int32_t rank) const { return states_[rank].known; }
  Traffic traffic() const { return traffic_; }

  /// `algorithm(plan, rank)` for every rank. Returns what went wrong; empty: nothing.
  template <class Algorithm>
  std::string run(Algorithm algorithm) {
    for (std::int32_t i = 0; i < size_; ++i) {
      algorithm(states_[i].plan, i);
      states_[i].plan.end_round();
      if (!states_[i].plan.error().empty()) return states_[i].plan.error();
    }
    for (bool progress = true; progress && error_.empty();) {
      progress = false;
      for (std::int32_t i = 0; i < size_; ++i) progress |= advance(i);
    }
    for (std::int32_t i = 0; i < size_ && error_.empty(); ++i) {
      if (states_[i].round != states_[i].plan.rounds().size()) fail(i, "never ends");
    }
    for (const auto& wire : wires_) {
      if (wire.size() != 0 && error_.empty()) error_ = "a message was never received";
    }
    return error_;
  }

 private:
  using Action = SymbolicPlan::Action;
  using Kind = SymbolicPlan::Kind;
  struct Letter {
    SymbolicBuffer content;
    std::uint64_t known;
  };
  struct State {
    SymbolicBuffer buffers[3];
    SymbolicPlan plan;
    std::size_t round = 0;
    bool posted = false;
    std::uint64_t known = 0;
  };

  struct Wire {
    std::vector<Letter> letters;
    std::size_t taken = 0;
    std::size_t size() const { return letters.size() - taken; }
  };

  Wire& wire(std::int32_t from, std::int32_t to) {
    return wires_[static_cast<std::size_t>(from) * states_.size() + static_cast<std::size_t>(to)];
  }
  void fail(std::int32_t rank, const std::string& what) {
    if (error_.empty()) error_ = "rank " + std::to_string(rank) + " " + what;
  }

  bool advance(std::int32_t rank) {
    State& state = states_[rank];
    bool progress = false;
    while (state.round < state.plan.rounds().size()) {
      const auto& round = state.plan.rounds()[state.round];
      if (!state.posted) {
        post(rank, round);
        state.posted = progress = true;
      }
      if (!arrived(rank, round)) return progress;
      for (const Action& action : round) {
        if (action.kind == Kind::kReceive) take(rank, action);
      }
      ++state.round;
      state.posted = false;
      progress = true;
      if (!error_.empty()) return false;
    }
    return progress;
  }

  void post(std::int32_t rank, const SymbolicPlan::Round& round) {
    check_overlaps(rank, round);
    for (const Action& action : round) {
      if (action.kind == Kind::kMove) write(rank, action.to, read(rank, action.pieces), action.arrival);
      if (action.kind != Kind::kSend) continue;
      if (action.peer < 0 || action.peer >= size_ || action.peer == rank) {
        return fail(rank, "sends to itself or to nobody");
      }
      Letter letter{read(rank, action.pieces), states_[rank].known};
      ++traffic_.messages;
      traffic_.bytes += letter.content.size();
      wire(rank, action.peer).letters.push_back(std::move(letter));
    }
  }

  bool arrived(std::int32_t rank, const SymbolicPlan::Round& round) {
    for (std::size_t a = 0; a < round.size(); ++a) {
      const Action& action = round[a];
      if (action.kind != Kind::kReceive) continue;
      if (action.peer < 0 || action.peer >= size_ || action.peer == rank) {
        fail(rank, "receives from itself or from nobody");
        return false;
      }
      std::size_t wanted = 1;
      for (std::size_t b = 0; b < a; ++b) wanted += receives_from(round[b], action.peer) ? 1 : 0;
      if (wire(action.peer, rank).size() < wanted) return false;
    }
    return true;
  }

  static bool receives_from(const Action& action, std::int32_t peer) {
    return action.kind == Kind::kReceive && action.peer == peer;
  }

  void take(std::int32_t rank, const Action& action) {
    Wire& queue = wire(action.peer, rank);
    const Letter& letter = queue.letters[queue.taken++];
    states_[rank].known |= letter.known;
    write(rank, action.pieces, letter.content, action.arrival);
  }

  SymbolicBuffer read(std::int32_t rank, const SymbolicPlan::Range& range) {
    SymbolicBuffer content;
    for (const Piece& piece : states_[rank].plan.pieces(range)) {
      const SymbolicBuffer& from = buffer(rank, piece.buffer);
      if (piece.offset + piece.count > from.size()) {
        fail(rank, "reads beyond its buffer");
        return content;
      }
      const auto bytes = std::span(from).subspan(piece.offset, piece.count);
      for (const SymbolicByte& byte : bytes) {
        if (byte.ranks == 0) fail(rank, "reads a byte that was never written");
      }
      content.insert(content.end(), bytes.begin(), bytes.end());
    }
    return content;
  }

  void write(std::int32_t rank, const SymbolicPlan::Range& range, const SymbolicBuffer& content,
             Arrival arrival) {
    std::size_t at = 0;
    for (const Piece& piece : states_[rank].plan.pieces(range)) {
      SymbolicBuffer& to = buffer(rank, piece.buffer);
      if (piece.offset + piece.count > to.size()) return fail(rank, "writes beyond its buffer");
      for (std::uint64_t i = 0; i < piece.count; ++i, ++at) {
        if (at >= content.size()) return fail(rank, "gets a shorter message than it wants");
        SymbolicByte& byte = to[piece.offset + i];
        if (arrival == Arrival::kCopy) {
          byte = content[at];
          continue;
        }
        if (byte.ranks == 0 || byte.offset != content[at].offset) fail(rank, "reduces unrelated bytes");
        if ((byte.ranks & content[at].ranks) != 0) fail(rank, "counts a contribution twice");
        byte.ranks |= content[at].ranks;
      }
    }
    if (at != content.size()) fail(rank, "gets a longer message than it wants");
  }

  /// A copy must not land on what the same round sends, or another copy writes.
  void check_overlaps(std::int32_t rank, const SymbolicPlan::Round& round) {
    const SymbolicPlan& plan = states_[rank].plan;
    for (std::size_t a = 0; a < round.size(); ++a) {
      if (round[a].kind != Kind::kReceive || round[a].arrival != Arrival::kCopy) continue;
      for (std::size_t b = 0; b < round.size(); ++b) {
        if (b == a || round[b].kind == Kind::kMove || (round[b].kind == Kind::kReceive && b < a)) continue;
        if (overlap(plan.pieces(round[a].pieces), plan.pieces(round[b].pieces), round[b].kind)) {
          fail(rank, "copies onto bytes in use");
        }
      }
    }
  }
  /// Slots of kTemp may be sent and received in one round (Bruck's all-to-all): the library receives
  /// elsewhere and copies back.
  static bool overlap(std::span<const Piece> received, std::span<const Piece> used, Kind use) {
    for (const Piece& p : received) {
      if (p.buffer == Buffer::kTemp && use == Kind::kSend) continue;
      for (const Piece& q : used) {
        if (p.buffer == q.buffer && p.offset < q.offset + q.count && q.offset < p.offset + p.count)
          return true;
      }
    }
    return false;
  }

  std::int32_t size_;
  std::vector<State> states_;
  std::vector<Wire> wires_;
  Traffic traffic_;
  std::string error_;
};

/// The bits of all ranks of a communicator.
inline std::uint64_t all_ranks(std::int32_t size) { return (std::uint64_t{1} << size) - 1; }

/// `count` bytes at `offset`, contributed by `ranks`.
inline void fill(SymbolicBuffer& buffer, std::uint64_t offset, std::uint64_t count, std::uint64_t ranks) {
  for (std::uint64_t i = 0; i < count; ++i) buffer[offset + i] = {ranks, offset + i};
}
inline bool holds(const SymbolicBuffer& buffer, std::uint64_t offset, std::uint64_t count,
                  std::uint64_t ranks) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (buffer[offset + i] != SymbolicByte{ranks, offset + i}) return false;
  }
  return true;
}

}  // namespace vef::tracelib::coll
