// SPDX-License-Identifier: Apache-2.0
#include "dumpi_records.h"

#include <limits>
#include <utility>

#include "dumpi_functions.h"
#include "vef/base/units.h"

namespace vef::neighbours {

using formats::TaskId;

namespace {

bool is_failed_poll(const DumpiCall& call) {
  switch (call.function) {
    case dumpi_number("Test"):
    case dumpi_number("Testall"):
    case dumpi_number("Request_get_status"):
      return call.values[1] == 0;
    case dumpi_number("Testany"):
      return call.values[2] == 0;
    case dumpi_number("Testsome"):
      return call.lists[1].empty();
    case dumpi_number("Iprobe"):
      return call.values[3] == 0;
    default:
      return false;
  }
}

}  // namespace

DumpiRecords::DumpiRecords(const std::vector<DumpiFile>& files, const DumpiComms& comms, Losses& losses)
    : comms_(comms),
      losses_(losses),
      builder_(static_cast<TaskId>(files.size())),
      calls_(static_cast<TaskId>(files.size()), comms.members(0)) {
  for (const DumpiFile& file : files) {
    const auto rank = static_cast<TaskId>(ranks_.size());
    Rank& state =
        ranks_.emplace_back(file.datatype_sizes(), [this, rank](const Wanted& channel, std::uint64_t line) {
          return matcher_.receive(channel_of(channel, rank), line, builder_.next_id());
        });
    state.comms = {{DumpiComms::kWorld, DumpiComms::world_of(rank)},
                   {DumpiComms::kSelf, DumpiComms::self(rank)}};
  }
}

MessageMatcher::Channel DumpiRecords::channel_of(const Wanted& wanted, TaskId destination) {
  constexpr int kTagBits = 32;
  return {static_cast<TaskId>(wanted.source), destination,
          wanted.context << kTagBits | static_cast<std::uint32_t>(wanted.tag)};
}

Status DumpiRecords::take(TaskId rank, const DumpiCall& call) {
  Now now{rank, ranks_[static_cast<std::size_t>(rank)], call};
  pass_time(now);
  if (!point_to_point(now) && !completion(now) && !collective_call(now) && !other(now))
    now.state.datatypes.note(call);
  settle(now.state);
  return now.status;
}

void DumpiRecords::pass_time(Now& now) {
  constexpr std::uint64_t kPollGap = 1000;  // ns; between polls that find nothing lies waiting
  Rank& state = now.state;
  const DumpiCall& call = now.call;
  if (!call.has_time) {
    losses_.add("calls have no times", "the trace was recorded without; computing takes no time then");
    return;
  }
  if (state.started && call.thread != state.thread)
    losses_.add("calls of further threads are put behind those that ended before",
                "a task of VEF3 does one thing after another");
  if (!state.started) state.thread = call.thread;
  const bool began = std::exchange(state.started, true);
  const std::uint64_t gap = began && call.begin > state.last_end ? call.begin - state.last_end : 0;
  const bool failed = is_failed_poll(call);
  const bool polling = std::exchange(state.polled, failed) && failed && gap <= kPollGap;
  state.last_end = std::max(state.last_end, call.end);
  const bool counts = call.function != dumpi_number("Init") && call.function != dumpi_number("Init_thread");
  if (counts && !polling) builder_.add_time(now.rank, gap);
  const std::string_view name = dumpi_name(call.function);
  if (name.starts_with("File_") && name != "File_open" && name != "File_close" && call.end > call.begin)
    builder_.add_time(now.rank, call.end - call.begin);
}

bool DumpiRecords::other(Now& now) {
  const DumpiCall& call = now.call;
  switch (call.function) {
    case dumpi_number("Finalize"):
      builder_.mark(now.rank, call.offset);
      return true;
    case dumpi_number("Comm_rank"):
    case dumpi_number("Comm_size"): {
      const auto known = now.state.comms.find(now.value(0));
      if (known == now.state.comms.end() || known->second.comm == DumpiComms::kUnknown) return true;
      const std::int64_t expected = call.function == dumpi_number("Comm_rank")
                                        ? known->second.rank
                                        : static_cast<std::int64_t>(members(known->second).size());
      if (now.value(1) != expected)
        now.fail("result " + std::to_string(now.value(1)) + "; expected " + std::to_string(expected) +
                 " by the calls that made the communicator");
      return true;
    }
    case dumpi_number("Put"):
    case dumpi_number("Get"):
    case dumpi_number("Accumulate"):
    case dumpi_number("Win_post"):
    case dumpi_number("Win_start"):
    case dumpi_number("Win_complete"):
    case dumpi_number("Win_wait"):
    case dumpi_number("Win_lock"):
    case dumpi_number("Win_unlock"):
      losses_.add("calls of one-sided communication are left out, but for fences",
                  "they are not converted from DUMPI");
      return true;
    default:
      return false;
  }
}

DumpiComms::Membership DumpiRecords::comm_of(Now& now, std::int64_t number) const {
  const auto found = now.state.comms.find(number);
  if (found == now.state.comms.end() || found->second.comm == DumpiComms::kUnknown) {
    now.fail("communicator " + std::to_string(number) +
             "; expected one within the world whose members the calls before tell");
    return {0, now.rank};
  }
  return found->second;
}

TaskId DumpiRecords::task_of(Now& now, const Membership& comm, std::int64_t rank, const char* what) const {
  const std::vector<TaskId>& all = members(comm);
  if (rank >= 0 && static_cast<std::uint64_t>(rank) < all.size()) return all[static_cast<std::size_t>(rank)];
  now.fail(std::string(what) + " " + std::to_string(rank) + "; expected 0 to " +
           std::to_string(all.size() - 1));
  return 0;
}

std::uint64_t DumpiRecords::bytes_of(Now& now, std::int64_t count, std::int64_t datatype) const {
  if (count < 0) now.fail("count " + std::to_string(count) + "; expected 0 or more");
  const auto size = now.state.datatypes.size(datatype);
  if (count > 0 && !size)
    now.fail("datatype " + std::to_string(datatype) +
             " of unknown size; expected one that the file says at its end, or that earlier calls make");
  const std::uint64_t bytes =
      saturating_multiply(count > 0 ? static_cast<std::uint64_t>(count) : 0, size.value_or(0));
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    now.fail("a size of more than 2^63 bytes");
  return bytes;
}

std::uint64_t DumpiRecords::sum_of(Now& now, const std::vector<std::int32_t>& counts,
                                   std::int64_t datatype) const {
  std::int64_t total = 0;
  for (const std::int32_t count : counts) {
    if (count < 0) now.fail("count " + std::to_string(count) + "; expected 0 or more");
    total += count;
  }
  return bytes_of(now, total, datatype);
}

Status DumpiRecords::finish() {
  for (Rank& state : ranks_) {
    state.receives.finish();
    settle(state);
  }
  losses_.add("probes found messages that no receive takes", "what they waited for is not known",
              builder_.give_up_all());
  if (Status status = calls_.finish(); !status) return status;
  losses_.add("sends are kept that no receive takes", "the network carries them all the same",
              matcher_.sends_left());
  MessageMatcher::Receive first;
  if (!matcher_.receive_left(first)) return {};
  return Error{ErrorKind::kInput, "the receive at byte " + std::to_string(first.line) + " of rank " +
                                      std::to_string(first.channel.destination) +
                                      " takes a message of rank " + std::to_string(first.channel.source) +
                                      " with tag " +
                                      std::to_string(static_cast<std::int32_t>(first.channel.tag)) +
                                      ", which sends fewer; expected a send for each receive"};
}

}  // namespace vef::neighbours
