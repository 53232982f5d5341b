// SPDX-License-Identifier: Apache-2.0
// What the calls of a DUMPI trace do, as VEF records. Calls of different ranks may come in any order; those
// of one in theirs.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "collective_calls.h"
#include "dumpi_comms.h"
#include "dumpi_datatypes.h"
#include "dumpi_file.h"
#include "message_matcher.h"
#include "posted_receives.h"
#include "record_builder.h"

namespace vef::neighbours {

class DumpiRecords {
 public:
  /// `comms` is resolved, and outlives this.
  DumpiRecords(const std::vector<DumpiFile>& files, const DumpiComms& comms, Losses& losses);

  /// Faults have no file's name.
  Status take(formats::TaskId rank, const DumpiCall& call);
  /// After the last call: what has no counterpart is a fault or a loss.
  Status finish();

  std::deque<RecordBuilder::Ready>& ready() { return builder_.ready(); }
  /// Those that collectives use.
  formats::Communicators communicators() const { return calls_.used(); }

 private:
  using Wanted = PostedReceives::Wanted;
  using Membership = DumpiComms::Membership;

  struct Request {
    enum class Kind : std::uint8_t { kNothing, kSend, kReceive };
    Kind kind = Kind::kNothing;
    bool persistent = false;
    bool active = false;
    bool cancelled = false;
    Wanted wanted;               // of a receive
    Membership comm;             // of a receive
    std::uint64_t receive = 0;   // while it is active
    MessageMatcher::Channel to;  // of a send
    std::uint64_t bytes = 0;     // of a send
  };
  struct Probe {
    Wanted wanted;
    std::uint64_t pending = 0;
  };
  struct Rank {
    Rank(const std::vector<std::uint32_t>& sizes, PostedReceives::Match match)
        : datatypes(sizes), receives(std::move(match)) {}

    DumpiDatatypes datatypes;
    PostedReceives receives;
    std::unordered_map<std::int64_t, Membership> comms;
    std::size_t comms_made = 0;
    std::unordered_map<std::int64_t, Membership> windows;
    std::unordered_map<std::int64_t, Membership> files;
    std::unordered_map<std::int64_t, Request> requests;
    std::vector<Probe> probes;
    bool started = false;
    bool polled = false;  // the call before was a poll that found nothing
    std::uint64_t last_end = 0;
    std::uint16_t thread = 0;
  };
  /// The call at work; the first fault stays.
  struct Now {
    formats::TaskId rank;
    Rank& state;
    const DumpiCall& call;
    Status status = {};

    std::int64_t value(std::size_t i) const { return call.values[i]; }
    void fail(const std::string& message) {
      if (status) status = Error{ErrorKind::kInput, message};
    }
  };

  // dumpi_records.cc
  static MessageMatcher::Channel channel_of(const Wanted& wanted, formats::TaskId destination);
  void pass_time(Now& now);
  bool other(Now& now);
  Membership comm_of(Now& now, std::int64_t number) const;
  formats::TaskId task_of(Now& now, const Membership& comm, std::int64_t rank, const char* what) const;
  std::uint64_t bytes_of(Now& now, std::int64_t count, std::int64_t datatype) const;
  std::uint64_t sum_of(Now& now, const std::vector<std::int32_t>& counts, std::int64_t datatype) const;

  // dumpi_point_to_point.cc
  bool point_to_point(Now& now);
  bool completion(Now& now);
  /// The arguments begin with count, datatype, destination and tag.
  Request send_of(Now& now, std::int64_t comm) const;
  Request receive_of(Now& now, std::int64_t source, std::int64_t tag, std::int64_t comm) const;
  void start(Now& now, Request& request);
  void take_message(Now& now, Request& request, const DumpiStatus* status);
  void complete(Now& now, std::int64_t number, const DumpiStatus* status);
  void complete_all(Now& now, const std::vector<std::int32_t>& requests);
  void complete_some(Now& now);
  void probe(Now& now);
  void settle(Rank& state);

  // dumpi_collectives.cc
  bool collective_call(Now& now);
  void gather(Now& now);
  void scatter(Now& now);
  void reduce_scatter(Now& now);
  void scan(Now& now);
  void alltoall_vector(Now& now);
  bool barrier_call(Now& now);
  bool maker_call(Now& now);
  bool has_all(Now& now, const Membership& comm, std::size_t list) const;
  bool is_root(Now& now, const Membership& comm, std::int64_t root) const;
  void collective(Now& now, const Membership& comm, formats::CollectiveOp op, std::uint64_t send,
                  std::uint64_t recv);
  const std::vector<formats::TaskId>& members(const Membership& comm) const {
    return comms_.members(comm.comm);
  }

  const DumpiComms& comms_;
  Losses& losses_;
  std::deque<Rank> ranks_;
  RecordBuilder builder_;
  MessageMatcher matcher_;
  CollectiveCalls calls_;
};

}  // namespace vef::neighbours
