// SPDX-License-Identifier: Apache-2.0
// Builds the RankData of one rank event by event. Knows requests, messages of matched probes and
// communicators by the numbers of the process; keeps no event.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "flat_map.h"
#include "model.h"
#include "vef/base/result.h"
#include "vef/formats/rank_log.h"

namespace vef::merge {

class RankBuilder {
 public:
  /// `store`: null: all in memory.
  RankBuilder(formats::TaskId rank, std::int32_t world_size, std::size_t threads, std::string path,
              Store* store);

  /// One event of `thread`, with its place on the host's clock and its number in its log. Events of one
  /// thread in order. An error means a log that contradicts itself in a way no missing part explains.
  Status add(std::size_t thread, const formats::RankEvent& event, std::int64_t start, std::int64_t end,
             std::uint64_t number);

  RankData take();

 private:
  using Event = formats::RankEvent;
  struct Context {  // of the event at work
    std::size_t thread;
    std::int64_t start;
    std::int64_t end;
    std::uint32_t number;
  };
  enum class PendingKind : std::uint8_t { kNothing, kSend, kReceive, kPart, kAnswer };
  struct Pending {
    PendingKind kind = PendingKind::kNothing;
    std::uint32_t index = 0;
  };
  struct Persistent {
    Event event;                // spans empty
    Part part;                  // of a collective
    std::uint32_t channel = 0;  // of a partitioned one, from 1
    std::uint64_t ready_bytes = 0;
    bool sent = false;  // the round's message has left
    Pending active;     // kNothing kind: inactive, or it goes nowhere
  };
  /// Where a window's epochs stand, seen from this rank.
  struct WindowState {
    std::uint32_t comm = 0;  // its LocalComm
    std::uint32_t fences = 0;
    bool accessing = false;  // between MPI_Win_start and MPI_Win_complete
    bool all_locked = false;
    std::set<formats::TaskId> locked;
    std::vector<formats::TaskId> started;
    std::vector<formats::TaskId> posted;
    std::map<formats::TaskId, std::uint32_t> access_count;             // by target
    std::map<formats::TaskId, std::vector<std::uint32_t>> unanswered;  // by target, into accesses
  };
  struct Region {
    std::string name;
    std::int64_t start = 0;
  };

  struct Thread {
    bool begun = false;
    std::uint64_t computing = 0;  // since its last operation
    std::uint64_t next_number = 0;
    std::int64_t last_end = 0;
    Hole posted;  // how much the rank had posted with the thread's last event: the begins
  };

  std::uint64_t take_time(const Context& context);
  /// The gap before the event is computing, but for a thread's time before its first call.
  void count_gap(const Context& context, std::uint64_t gap, std::uint64_t number);
  void open_hole(const Context& context, const Thread& thread);
  void push_op(const Context& context, OpKind kind, std::uint32_t first, std::uint32_t count);
  void push_complete(const Context& context, std::uint32_t first_thing);
  void push_receive(const Context& context, std::uint32_t receive);
  Status complete_now(const Context& context, const Event& event, std::uint32_t receive, const char* what);

  /// Index of the communicator, or kNoIndex with a note of damage.
  std::uint32_t find_comm(std::uint32_t number, const Context& context);
  /// The process that a rank in a communicator is; false: it lies in no group that the log names.
  bool translate(std::uint32_t comm, std::int32_t peer, std::int32_t& world) const;

  Result<Pending> post_send(const Context& context, const Event& event);
  Result<Pending> post_receive(const Context& context, const Event& event, std::int32_t peer,
                               std::int32_t tag, std::uint64_t bytes);
  Status resolve(const Context& context, Receive& receive, const formats::Completion& completion);

  Status dispatch(const Context& context, const Event& event);
  Status on_send(const Context& context, const Event& event);
  Status on_receive(const Context& context, const Event& event);
  Status on_sendrecv(const Context& context, const Event& event);
  Status on_start(const Context& context, const Event& event);
  Status on_complete(const Context& context, const Event& event);
  Status on_probe(const Context& context, const Event& event);
  Status on_mprobe(const Context& context, const Event& event);
  Status on_mrecv(const Context& context, const Event& event);
  Status on_imrecv(const Context& context, const Event& event);
  Status on_collective(const Context& context, const Event& event);
  /// What is matched in an order of its own on the communicator, a window or a persistent collective: the
  /// members of one with the same number, by the order in which they were made. Its index.
  std::uint32_t add_order(std::uint32_t comm, std::uint16_t call, std::uint8_t kind);
  /// False: the communicator is not known.
  bool make_part(const Context& context, const Event& event, Part& part);
  void push_part(const Context& context, Part part, std::uint64_t request, bool blocking);
  void make_persistent(const Context& context, const Event& event);
  Result<Pending> start_one(const Context& context, Persistent& persistent, std::uint64_t sequence);
  Status on_pready(const Context& context, const Event& event);
  void on_io(const Context& context, const Event& event);
  void on_region(const Context& context, const Event& event);
  Status on_comm(const Context& context, const Event& event);
  void on_request_free(const Event& event);
  void on_cancel(const Event& event);

  // One-sided (rank_builder_rma.cc).
  Status on_window(const Context& context, const Event& event);
  Status on_access(const Context& context, const Event& event);
  Status on_sync(const Context& context, const Event& event);
  WindowState* find_window(const Context& context, const Event& event);
  void await(WindowState& window, formats::TaskId target, bool local, Sync& sync);
  Status add_peers(const Context& context, std::span<const formats::RankRun> group, Sync& sync,
                   std::vector<formats::TaskId>& peers);
  void push_sync(const Context& context, const Sync& sync);
  void await_all(WindowState& window, bool local, Sync& sync);
  void close_fence(const Context& context, const Event& event, WindowState& window, Sync& sync);
  void end_access(WindowState& window, Sync& sync);
  void end_exposure(WindowState& window, Sync& sync);
  bool on_passive(const Event& event, WindowState& window, Sync& sync);

  std::vector<formats::TaskId> neighbours(const LocalComm& comm, std::span<const std::int32_t> ranks) const;

  Status complete_one(const Context& context, const formats::Completion& completion);
  Status check_group(const Context& context, std::span<const formats::RankRun> runs, bool others);
  void note_meeting(const Context& context, const Event& event, std::uint32_t comm, std::uint32_t part);
  Error error(const Context& context, const std::string& message) const;
  void note(const Context& context, const std::string& message);

  RankData data_;
  std::int32_t world_size_;
  std::string path_;
  std::vector<Thread> threads_;
  std::uint64_t lost_requests_ = 0;               // completed, and posted in a hole
  std::unordered_set<std::uint32_t> lost_comms_;  // communicators made in a hole, or later
  FlatMap<Pending> requests_;
  std::unordered_map<std::uint64_t, Persistent> persistent_;
  std::unordered_map<std::uint64_t, Pending> messages_;         // of matched probes
  FlatMap<std::uint32_t> comms_;                                // number in the process -> index
  std::unordered_map<std::uint32_t, std::uint32_t> creations_;  // index of the parent -> creations so far
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::uint32_t> orders_;  // by communicator and kind
  std::unordered_map<std::uint32_t, WindowState> windows_;                  // by number in the process
  std::set<std::uint32_t> lost_windows_;
  std::map<std::tuple<bool, std::uint32_t, std::int32_t, std::int32_t>, std::uint32_t>
      channels_;  // by (is a send, communicator, peer, tag): partitioned requests made so far
  std::vector<std::vector<Region>> open_regions_;  // by thread
};

}  // namespace vef::merge
