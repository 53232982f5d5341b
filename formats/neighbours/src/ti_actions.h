// SPDX-License-Identifier: Apache-2.0
// What the lines of a time-independent trace do to the ranks, as VEF records. Lines of different ranks may
// come in any order; those of one in theirs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "message_matcher.h"
#include "record_builder.h"
#include "vef/formats/trace.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

class TiActions {
 public:
  TiActions(formats::TaskId ranks, const Options& options, Losses& losses)
      : ranks_(ranks),
        options_(options),
        losses_(losses),
        tasks_(static_cast<std::size_t>(ranks)),
        builder_(ranks) {}

  /// The words of a line, its rank among them. Faults have no file's name.
  Status take(const std::vector<std::string_view>& words, std::uint64_t line);
  /// After the last line: what has no counterpart is a fault or a loss.
  Status finish();

  /// Records that are ready, with their lines.
  std::deque<RecordBuilder::Ready>& ready() { return builder_.ready(); }

  static bool knows(std::string_view action);

 private:
  struct Request {
    bool is_send = false;
    MessageMatcher::Channel channel;
    std::uint64_t id = 0;
  };
  struct Task {
    std::uint64_t datatype = 6;     // where a line names none
    std::uint64_t collectives = 0;  // how many it has been in
    std::vector<Request> requests;  // in order
  };
  /// One line at work.
  struct Line;
  using Handler = Status (TiActions::*)(Line&);
  struct Action {
    std::string_view name;
    std::size_t
        fewest;  // arguments; those that depend on the number of ranks are checked where they are read
    Handler handler;
  };
  static const std::vector<Action>& actions();

  Status init(Line& line);
  Status finalize(Line& line);
  Status ignore(Line& line);
  Status compute(Line& line);
  Status sleep(Line& line);
  Status send(Line& line);
  Status recv(Line& line);
  Status send_recv(Line& line);
  Status wait(Line& line);
  Status wait_all(Line& line);
  Status barrier(Line& line);
  Status bcast(Line& line);
  Status reduce(Line& line);
  Status allreduce(Line& line);
  Status alltoall(Line& line);
  Status alltoallv(Line& line);
  Status gather(Line& line);
  Status scatter(Line& line);
  Status allgather(Line& line);
  Status reduce_scatter(Line& line);
  Status scan(Line& line);

  Status add_time(Line& line, double nanoseconds);
  Status add_flops(Line& line, double flops);
  void send_message(Line& line, const MessageMatcher::Channel& channel, std::uint64_t bytes,
                    bool keep_request);
  void await(Line& line, std::uint64_t message);
  void collective(Line& line, formats::CollectiveOp op, std::uint64_t send, std::uint64_t recv);

  formats::TaskId ranks_;
  Options options_;
  Losses& losses_;
  std::vector<Task> tasks_;
  MessageMatcher matcher_;
  RecordBuilder builder_;
};

}  // namespace vef::neighbours
