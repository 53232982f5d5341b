// SPDX-License-Identifier: Apache-2.0
// The receives that one task has posted, until it is known which message each took. MPI gives a message to
// the first posted receive that fits; of a receive from any source, what it took is known when it is
// complete. Until then receives behind it, which it could have taken the message of, wait.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace vef::neighbours {

class PostedReceives {
 public:
  static constexpr std::int64_t kAny = -1;

  /// What a receive asks for: kAny for any task, any tag.
  struct Wanted {
    std::int64_t context = 0;  // communicator
    std::int64_t source = 0;   // task
    std::int64_t tag = 0;
    bool operator==(const Wanted&) const = default;
    bool operator<(const Wanted& other) const {
      return std::tie(context, source, tag) < std::tie(other.context, other.source, other.tag);
    }
  };
  /// A receive whose message is known now: who asked for it, and its id.
  struct Settled {
    std::uint64_t who = 0;
    std::uint64_t message = 0;
  };
  /// Takes the next receive of a channel, and returns the id of its message.
  using Match = std::function<std::uint64_t(const Wanted& channel, std::uint64_t line)>;

  explicit PostedReceives(Match match) : match_(std::move(match)) {}

  std::uint64_t post(const Wanted& wanted, std::uint64_t line);
  /// The receive took a message of this channel. Its id, or nothing: then watch() says who wants it, and a
  /// later call settles it.
  std::optional<std::uint64_t> complete(std::uint64_t receive, const Wanted& channel);
  void cancel(std::uint64_t receive);
  /// `who` waits for the message of a receive that has none yet.
  void watch(std::uint64_t receive, std::uint64_t who);

  /// What has been settled since this was asked last.
  std::vector<Settled> take_settled();
  static bool overlap(const Wanted& a, const Wanted& b);

  /// At the end: receives that nothing completes hold nobody up.
  void finish();

 private:
  struct Posted {
    Wanted wanted;
    std::uint64_t line = 0;
    std::optional<Wanted> took;  // it is complete
    std::optional<std::uint64_t> message;
    std::vector<std::uint64_t> waiting;  // who
  };

  bool is_blocked(std::uint64_t receive, const Wanted& channel) const;
  void assign(std::uint64_t receive, const Wanted& channel);
  void name(std::uint64_t receive, const Wanted& channel);
  void settle_held();

  Match match_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Posted> open_;                  // in the order of posting
  std::map<Wanted, std::deque<std::uint64_t>> specific_;  // by channel, those without a message
  std::vector<std::uint64_t> wild_;                       // those that are not complete
  std::vector<std::uint64_t> held_;                       // those that are, and have no message
  std::vector<Settled> settled_;
};

}  // namespace vef::neighbours
