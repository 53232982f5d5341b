// SPDX-License-Identifier: Apache-2.0
// The merge: what the ranks of one run recorded becomes one VEF trace.
//
// Input is a directory of rank logs, several where worlds met (MPI_Comm_spawn, ...), or a capture directory
// of the original recorder (VEFT.main, N.veft, N.comm). Sends and receives are matched by posting order
// within (communicator, source, destination, tag), collectives by their order in the communicator; time is
// never used for either. What finds no counterpart is reported, all of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace.h"
#include "vef/merge/transport.h"

namespace vef::merge {

struct MergeOptions {
  /// Only what is given: not the worlds that it spawned.
  bool alone = false;
  /// Write the trace even if something is unmatched, or a rank's log is missing or damaged. An unmatched
  /// receive becomes a mark without dependency, an unmatched send stays a message, a collective that misses a
  /// member is left out.
  bool allow_unmatched = false;
  int compression_level = 0;  // of the output; 0: the default
  /// Memory to stay within: what does not fit goes to a temporary file beside the output. 0: no bound. The
  /// trace is the same, whatever the memory and the number of threads.
  std::uint64_t memory = std::uint64_t{1} << 30;
  unsigned threads = 0;  // 0: as many as there are processors
  /// Of a job whose other processes are in serve(): they read the logs that they see, and this process, 0,
  /// those that nobody else does. Null: this process alone.
  const VefMergeTransport* transport = nullptr;
  /// Called now and then with the stage ("reading", "writing") and how much of it is done of how much; may be
  /// empty.
  std::function<void(std::string_view, std::uint64_t, std::uint64_t)> progress;
};

/// A call that found no counterpart in the other ranks' logs.
struct Unmatched {
  enum class Kind : std::uint8_t { kSend, kReceive, kProbe, kCollective };
  Kind kind = Kind::kSend;
  formats::TaskId rank = 0;
  std::uint64_t event = 0;  // the call's number in the rank's log, from 0
  std::string call;         // MPI function
  formats::TaskId peer =
      0;  // world rank; formats::kAnySource where it is unknown; collectives: the root or -1
  std::int32_t tag = 0;
  std::string communicator;  // for people: "MPI_COMM_WORLD", "communicator 3 (MPI_Comm_split, 4 ranks)"
  std::uint64_t bytes = 0;
  std::string
      site;  // where in the program, if the recorder kept that: "exchange (halo.c:42) < main (main.c:7)"
  std::string why;
  /// A rank's log ends early or is damaged, which explains it: no fault of the program.
  bool excused = false;
};

/// "rank 3, call 17: MPI_Send of 4096 bytes to rank 2, tag 5, MPI_COMM_WORLD, at main (halo.c:42): why".
std::string describe(const Unmatched& unmatched);

/// One MPI_COMM_WORLD.
struct MergedWorld {
  std::string directory;
  formats::TaskId first_task = 0;  // its rank 0
  formats::TaskId tasks = 0;
  std::string how;  // how it met another: "spawned by task 0 (MPI_Comm_spawn of ./worker)"; empty: it did not
};

struct MergeReport {
  bool written = false;  // false: the trace was not written because of `faults` or `damaged`
  std::string output;
  std::uint64_t output_bytes = 0;

  std::vector<MergedWorld> worlds;
  formats::TaskId tasks = 0;
  std::uint64_t threads = 0;      // logs read
  std::uint64_t events = 0;       // in the logs
  std::uint64_t model_bytes = 0;  // of the events once read, for bytes per event
  std::uint64_t file_bytes = 0;   // of what was put in a temporary file

  formats::TraceHeader header;  // counts of records by kind
  std::uint64_t messages = 0;   // records of real messages
  std::uint64_t marks = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t collectives_by_op[formats::kCollectiveOps] = {};

  std::vector<formats::TaskId> truncated;   // ranks whose log ends early
  std::vector<formats::TaskId> damaged;     // ranks of whose log a part is not as it was written
  std::vector<formats::TaskId> missing;     // ranks without a log
  std::vector<formats::TaskId> unrecorded;  // ranks of which none was wanted
  std::vector<std::string> endings;         // of `truncated`: "rank 3: MPI_Abort with code 1, at 1.5 s ..."
  std::vector<std::string> damage;          // one line each
  std::vector<std::string> notes;           // one line each, about logs that are sound
  std::vector<std::string>
      warnings;  // one line per kind of thing that the trace says less exactly than the logs
  std::vector<Unmatched> unmatched;  // faults first, by rank and call; then the excused ones
  std::uint64_t faults = 0;          // unmatched that are not excused
  std::vector<std::pair<std::string, double>> seconds;  // per stage
};

/// What the other processes of a job do while process 0 merges, until it releases them. Faults are told to
/// process 0.
void serve(const VefMergeTransport& transport);
void release(const VefMergeTransport& transport);

/// Merges what `directories` hold (or one VEFT.main), each a world of its own, and the worlds that these
/// spawned into the trace `output`.
Result<MergeReport> merge(const std::vector<std::string>& directories, const std::string& output,
                          const MergeOptions& options);

}  // namespace vef::merge
