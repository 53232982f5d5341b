// SPDX-License-Identifier: Apache-2.0
// What a user selects for a recording, each setting described once: the environment variable that the
// preloaded recorder reads, the option of `vef record` that sets it, what it may be. Part of the recorder, so
// plain C++ without exceptions or allocation; texts are kept as pointers to what was given (an environment
// outlives it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vef::settings {

/// Classes of calls that may be recorded or left out; communicators are always recorded.
enum Calls : unsigned {
  kPointToPoint = 1,
  kCollectives = 2,
  kOneSided = 4,
  kFiles = 8,
  kAllCalls = 15,
};

enum class ClockSync : std::uint8_t { kOff, kInit, kBoth };

struct Settings {
  const char* directory = nullptr;  // null: <program>-<job> in the working directory
  const char* job = nullptr;        // what the ranks know their job by; null: found out
  const char* scratch = nullptr;    // host-local directory for the logs; null: they lie in `directory`
  const char* ranks = nullptr;      // ranks that record, see in_ranks(); null: all
  const char* regions = nullptr;    // record inside these regions only, see in_names(); null: everywhere
  std::uint64_t buffer_bytes = 8U << 20;
  std::uint64_t poll_gap_ns = 1000;
  std::uint64_t time_resolution_ns = 1;
  std::uint64_t level = 1;            // of the compression (zstd)
  std::uint64_t call_site_depth = 0;  // frames of a call site; 0: call sites are not recorded
  unsigned calls = kAllCalls;
  ClockSync clock_sync = ClockSync::kOff;
  bool starts_on = true;  // false: recording begins with MPI_Pcontrol(1)
};

struct Definition {
  const char* variable;  // "VEF_BUFFER"
  const char* option;    // "--buffer"; null: not an option of its own
  const char* help;
  const char* expected;  // "a size from 1MiB to 16GiB"
  const char* alone;     // what the option without a value means; null: it needs one
  /// Takes `text` over; false, with nothing changed: it is not what is expected.
  bool (*set)(Settings& settings, const char* text);
};

/// All of them, in the order of the help.
std::span<const Definition> definitions();

/// By its variable; null: there is no such setting.
const Definition* find(const char* variable);

/// Whether a set of ranks such as "0-3,8,64-" has `rank`. A null text has all.
bool in_ranks(const char* text, std::int32_t rank);

/// Whether a list such as "solve,exchange" has `name`. A null text has all.
bool in_names(const char* text, const char* name, std::size_t length);

}  // namespace vef::settings
