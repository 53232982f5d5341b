// SPDX-License-Identifier: Apache-2.0
// Traces of neighbouring tools: which formats there are, reading any of them as a VEF trace, and converting.
//
// A format that is read comes as a formats::TraceReader, one that is written is a formats::TraceWriter; so
// whatever reads a VEF trace reads its neighbours. What a conversion cannot keep is counted, never dropped in
// silence. Not thread safe; one object per thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace_io.h"

namespace vef::neighbours {

/// "12 tags are not kept: a VEF message is known by its id" is {12, "tags are not kept", "a VEF ..."}.
struct Loss {
  std::uint64_t count = 0;
  std::string what;
  std::string why;
};

class Losses {
 public:
  /// Adds to the kind `what`; `why` is that of its first time.
  void add(std::string_view what, std::string_view why, std::uint64_t count = 1);
  /// In the order of their first times.
  const std::vector<Loss>& kinds() const { return kinds_; }

 private:
  std::vector<Loss> kinds_;
};

/// A message of an expanded collective, as one of its ranks sees it. The steps of a round are posted
/// together; the next round begins when its sends are handed over and its receives have arrived. The k-th
/// send from one rank to another meets the k-th receive.
struct CollectiveStep {
  std::int32_t peer = 0;  // rank in the communicator, never the own one
  bool is_send = false;
  bool ends_round = false;
  std::uint64_t bytes = 0;
};

/// One collective operation with the sizes of its records, by rank in the communicator.
struct WholeCollective {
  formats::CollectiveOp op = formats::CollectiveOp::kBarrier;
  std::vector<std::uint64_t> send_bytes;
  std::vector<std::uint64_t> recv_bytes;
};

/// The messages of `rank`, for formats that know no collectives. Algorithms are not this room's business: the
/// caller brings them.
using CollectiveExpander =
    std::function<void(const WholeCollective& call, std::int32_t rank, std::vector<CollectiveStep>& steps)>;

/// Called now and then with how much is done and how much there is (0: unknown).
using ProgressFunction = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct Options {
  /// Files that a file names may lie outside its folder.
  bool allow_outside = false;
  /// What a processor does in a second, for formats that count operations instead of time.
  double flops_per_second = 1e9;
  /// Beside the caller's, for what can be decoded or compressed at the same time.
  unsigned threads = 0;
  /// What VEF3 cannot hold at all may be left out.
  bool lossy = false;
  /// Of compressed output; 0: the compressor's default.
  int level = 0;
  /// Empty: a collective that would have to be expanded is an error.
  CollectiveExpander expand;
  /// May be empty.
  ProgressFunction progress;
};

/// What of VEF4 is lowered before a format is written.
enum class Lowering : std::uint8_t {
  kNothing,
  kScans,  // to messages
  kVef4,   // all that VEF3 does not have
};

struct Format {
  std::string_view name;   // "goal"
  std::string_view title;  // "GOAL schedule as text (LogGOPSim, ATLAHS)"
  std::vector<std::string_view> endings;
  std::string_view keeps;  // one line each, for people
  std::string_view loses;
  Lowering lowering = Lowering::kNothing;
  /// By the first bytes (at most kHeadBytes, decompressed). Null: only known by its ending.
  bool (*recognises)(std::string_view head) = nullptr;
  /// Whether a path without a file stands for several, whose names it begins. Null: never.
  bool (*is_prefix)(const std::string& path) = nullptr;
  /// Null: not read. `losses` outlives the reader, and is complete when the reader is open.
  Result<std::unique_ptr<formats::TraceReader>> (*open)(const std::string& path, const Options& options,
                                                        Losses& losses) = nullptr;
  /// Null: not written. `losses` outlives the writer, and is complete when it has finished.
  Result<std::unique_ptr<formats::TraceWriter>> (*create)(const std::string& path,
                                                          const formats::TraceReader& trace,
                                                          const Options& options, Losses& losses) = nullptr;
};
inline constexpr std::size_t kHeadBytes = 4096;

/// All of them, the own form first.
std::span<const Format> all_formats();

/// The format of a file, by `name` if that is not empty, else by its content, else by its ending. What is not
/// recognised is taken for VEF, whose reader says what is wrong.
Result<const Format*> format_to_read(const std::string& path, const std::string& name);
/// By `name` if that is not empty, else by the ending.
Result<const Format*> format_to_write(const std::string& path, const std::string& name);

/// Opens a trace of any format that is read.
Result<std::unique_ptr<formats::TraceReader>> open_trace(const std::string& path, const std::string& from,
                                                         const Options& options, Losses& losses);
/// The same, whole and in memory.
Result<formats::Trace> read_trace(const std::string& path, const std::string& from, const Options& options,
                                  Losses& losses);

struct Conversion {
  std::string_view from;
  std::string_view to;
  std::uint64_t records =
      0;  // of the trace; operations, where two forms of one format are converted directly
  Losses losses;
};

/// `from`, `to`: names of formats, or empty.
Result<Conversion> convert(const std::string& input, const std::string& output, const std::string& from,
                           const std::string& to, const Options& options);

}  // namespace vef::neighbours
