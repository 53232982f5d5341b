// SPDX-License-Identifier: Apache-2.0
// Hand-made rank logs for tests, and the oracle of the execution rule.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "prepared.h"
#include "vef/formats/mpi_call.h"
#include "vef/formats/rank_log_reader.h"

namespace vef::merge {

/// One log, written verb by verb: `log.at(100, 10).send(1, 7, 64)` is a call that starts 100 ns after the end
/// of the one before and takes 10 ns. The log starts at `base` on the host's clock.
class Script {
 public:
  explicit Script(formats::TaskId rank, std::int32_t world, std::int32_t thread = 0,
                  std::uint64_t base = 1'000'000);

  Script& at(std::uint64_t gap, std::uint64_t duration);
  Script& in(std::uint32_t comm);          // the communicator of the next event
  Script& sequence(std::uint64_t number);  // of the next event
  Script& as(formats::MpiCall call);       // the MPI function of the next event
  Script& tagged(std::int32_t tag);        // the tag of the next event: comm_create()
  Script& from(std::uint32_t site);        // the call site of the next event

  Script& init();
  Script& finalize();
  Script& send(std::int32_t peer, std::int32_t tag, std::uint64_t bytes);
  Script& isend(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request);
  Script& recv(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::int32_t source,
               std::int32_t actual_tag);
  Script& recv(std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
    return recv(peer, tag, bytes, peer, tag);
  }
  Script& irecv(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request);
  Script& send_init(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request);
  Script& recv_init(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request);
  Script& start(std::vector<std::uint64_t> requests);
  Script& complete(std::vector<formats::Completion> completions);
  Script& request_free(std::uint64_t request);
  Script& cancel(std::uint64_t request);
  Script& probe(std::int32_t peer, std::int32_t tag, std::int32_t source, std::int32_t actual_tag,
                std::uint64_t bytes);
  Script& mprobe(std::int32_t peer, std::int32_t tag, std::int32_t source, std::int32_t actual_tag,
                 std::uint64_t bytes, std::uint64_t message);
  Script& mrecv(std::uint64_t message, std::int32_t source, std::int32_t tag, std::uint64_t bytes);
  Script& imrecv(std::uint64_t request, std::uint64_t message);
  Script& sendrecv(std::int32_t to, std::int32_t tag, std::uint64_t bytes, std::int32_t from,
                   std::int32_t recv_tag, std::uint64_t recv_bytes);
  Script& collective(formats::MpiCall call, std::uint64_t bytes, std::uint64_t recv_bytes,
                     std::int32_t root = formats::kUndefined);
  Script& icollective(formats::MpiCall call, std::uint64_t bytes, std::uint64_t recv_bytes,
                      std::uint64_t request, std::int32_t root = formats::kUndefined);
  Script& sizes(std::vector<std::uint64_t> per_peer);  // of the event written last
  Script& collective_init(formats::MpiCall call, std::uint64_t bytes, std::uint64_t recv_bytes,
                          std::uint64_t request, std::int32_t root = formats::kUndefined);
  Script& psend_init(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request);
  Script& precv_init(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t request);
  Script& pready(std::uint64_t request, std::uint64_t bytes);
  Script& neighbours(std::vector<std::int32_t> in,
                     std::vector<std::int32_t> out);  // of the event written last
  Script& win_create(std::uint32_t comm, std::uint32_t window);
  Script& win_free(std::uint32_t comm, std::uint32_t window);
  Script& rma(formats::MpiCall call, std::uint32_t window, std::int32_t target, std::uint64_t bytes,
              std::uint64_t recv_bytes, std::uint64_t request = 0);
  Script& sync(formats::MpiCall call, std::uint32_t window, std::int32_t target = formats::kUndefined);
  Script& sync_group(formats::MpiCall call, std::uint32_t window, std::vector<formats::RankRun> group);
  Script& io(std::uint64_t bytes, std::uint64_t request = 0);
  Script& region(std::int32_t begins, std::string name);
  Script& note(std::string text);
  Script& module(std::uint64_t number, std::string text);
  Script& site(std::uint32_t number, std::vector<std::uint64_t> frames);  // defines a call site
  Script& comm_create(std::uint32_t parent, std::uint32_t new_comm, std::vector<formats::RankRun> members,
                      std::uint8_t flags = 0, std::vector<formats::RankRun> remote = {});
  /// Worlds meet: processes of others have numbers from the world's size on.
  Script& meet(formats::MpiCall call, std::uint32_t new_comm, std::vector<formats::RankRun> members,
               std::vector<formats::RankRun> remote, std::string text = "");
  /// The first sight of those that spawned this world.
  Script& parents(std::uint32_t new_comm, std::vector<formats::RankRun> members,
                  std::vector<formats::RankRun> remote);
  Script& comm_free(std::uint32_t comm);
  Script& polls(std::uint64_t inside, std::uint64_t short_gaps, std::uint64_t long_gaps);
  Script& pause();
  Script& abort(std::int32_t code);
  Script& truncated();  // the log was not closed
  Script& lost();       // the event written last, and those before that were lost too, are missing in the log

  std::unique_ptr<formats::RankLogReader> log() const;

  struct Stored {
    formats::RankEvent event;
    std::vector<formats::Completion> completions;
    std::vector<std::uint64_t> requests;
    std::vector<std::uint64_t> sizes;
    std::vector<formats::RankRun> members;
    std::vector<formats::RankRun> remote;
    std::vector<std::int32_t> in;
    std::vector<std::int32_t> out;
    std::string text;
    bool lost = false;
  };

 private:
  Stored& add(formats::EventKind kind, formats::MpiCall call);

  formats::RankLogInfo info_;
  std::deque<Stored> events_;
  formats::RankEvent next_;
};

formats::Completion sent(std::uint64_t request);
formats::Completion received(std::uint64_t request, std::int32_t source, std::int32_t tag,
                             std::uint64_t bytes);
formats::Completion cancelled(std::uint64_t request, bool is_receive);

/// The whole merge of scripts, in the order of ranks and threads.
struct Merged {
  std::unique_ptr<Prepared> prepared;
  formats::Trace trace;
  MergeReport report;
  std::vector<std::string> body;  // the records as lines of VEF3
  std::string error;              // of a merge that failed
};
Merged merge_scripts(const std::vector<Script>& scripts);

/// The same of several worlds.
struct WorldScripts {
  std::string job;
  std::string parent_job;
  std::vector<Script> scripts;
};
Merged merge_worlds(const std::vector<WorldScripts>& worlds);

/// The records as lines of VEF3 text.
std::vector<std::string> body_lines(const formats::Trace& trace);
/// Those of one task.
std::vector<std::string> task_lines(const formats::Trace& trace, formats::TaskId task);

/// The oracle: places each event (a send handed over, a receive, the task's end of a collective) at its
/// recorded end and executes the rule t(k+1) = max(t(k), event(dep)) + time for each record. Returns, by task
/// and record, the recorded start minus the one computed: 0, or what was dropped because it is not computing.
std::vector<std::vector<std::int64_t>> oracle(const Prepared& prepared);

/// Why the trace cannot be executed, "" if it can: every mark and record fires in program order on a network
/// without latency.
std::string execution_fault(const formats::Trace& trace);

}  // namespace vef::merge
