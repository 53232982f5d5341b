// SPDX-License-Identifier: Apache-2.0
#include "vef/settings/settings.h"

#include <cstring>

namespace vef::settings {
namespace {

struct Unit {
  const char* name;
  std::uint64_t factor;
};

constexpr Unit kBytes[] = {{"", 1},
                           {"B", 1},
                           {"k", 1ULL << 10},
                           {"K", 1ULL << 10},
                           {"KiB", 1ULL << 10},
                           {"M", 1ULL << 20},
                           {"MiB", 1ULL << 20},
                           {"G", 1ULL << 30},
                           {"GiB", 1ULL << 30}};
constexpr Unit kNanoseconds[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
constexpr Unit kPlain[] = {{"", 1}};

/// The digits at `text`, which is moved behind them. False: there are none, or they mean more than 2^63.
bool read_digits(const char*& text, std::uint64_t& value) {
  if (*text < '0' || *text > '9') return false;
  value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    if (value > (std::uint64_t{1} << 63) / 10) return false;
    value = value * 10 + static_cast<std::uint64_t>(*text - '0');
  }
  return true;
}

bool read_number(const char* text, std::span<const Unit> units, std::uint64_t least, std::uint64_t most,
                 std::uint64_t& value) {
  std::uint64_t number = 0;
  if (!read_digits(text, number)) return false;
  for (const Unit& unit : units) {
    if (std::strcmp(text, unit.name) != 0) continue;
    if (number > most / unit.factor || number * unit.factor < least) return false;
    value = number * unit.factor;
    return true;
  }
  return false;
}

/// One item of a set of ranks: N, N-M or N-. Moves `text` behind it.
bool read_range(const char*& text, std::uint64_t& first, std::uint64_t& last) {
  if (!read_digits(text, first)) return false;
  last = first;
  if (*text != '-') return true;
  ++text;
  if (*text == ',' || *text == '\0') {
    last = ~std::uint64_t{0};
    return true;
  }
  return read_digits(text, last) && last >= first;
}

bool is_rank_set(const char* text) {
  for (;; ++text) {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (!read_range(text, first, last)) return false;
    if (*text == '\0') return true;
    if (*text != ',') return false;
  }
}

/// Calls `visit(start, length)` for the items between commas, until it says true; whether it did.
template <class Visit>
bool any_item(const char* text, Visit visit) {
  for (;;) {
    const std::size_t length = std::strcspn(text, ",");
    if (visit(text, length)) return true;
    if (text[length] == '\0') return false;
    text += length + 1;
  }
}

bool is(const char* item, std::size_t length, const char* word) {
  return std::strlen(word) == length && std::memcmp(item, word, length) == 0;
}

bool set_calls(Settings& settings, const char* text) {
  unsigned calls = 0;
  const bool unknown = any_item(text, [&](const char* item, std::size_t length) {
    if (is(item, length, "p2p")) {
      calls |= kPointToPoint;
    } else if (is(item, length, "collectives")) {
      calls |= kCollectives;
    } else if (is(item, length, "rma")) {
      calls |= kOneSided;
    } else if (is(item, length, "files")) {
      calls |= kFiles;
    } else {
      return true;
    }
    return false;
  });
  if (!unknown) settings.calls = calls;
  return !unknown;
}

bool set_clock_sync(Settings& settings, const char* text) {
  if (std::strcmp(text, "off") == 0) {
    settings.clock_sync = ClockSync::kOff;
  } else if (std::strcmp(text, "init") == 0) {
    settings.clock_sync = ClockSync::kInit;
  } else if (std::strcmp(text, "both") == 0) {
    settings.clock_sync = ClockSync::kBoth;
  } else {
    return false;
  }
  return true;
}

bool set_start(Settings& settings, const char* text) {
  const bool on = std::strcmp(text, "on") == 0;
  if (!on && std::strcmp(text, "off") != 0) return false;
  settings.starts_on = on;
  return true;
}

bool set_ranks(Settings& settings, const char* text) {
  if (!is_rank_set(text)) return false;
  settings.ranks = text;
  return true;
}

template <const char* Settings::*member, std::size_t kMost>
bool set_text(Settings& settings, const char* text) {
  if (std::strlen(text) > kMost) return false;
  settings.*member = text;
  return true;
}

constexpr Definition kDefinitions[] = {
    {"VEF_DIR", nullptr, "", "a path of at most 2000 characters", nullptr,
     set_text<&Settings::directory, 2000>},
    {"VEF_JOB", nullptr, "", "a name of at most 400 characters", nullptr, set_text<&Settings::job, 400>},
    {"VEF_BUFFER", "--buffer", "Memory of the recorder in each rank [8MiB]", "a size from 1MiB to 16GiB",
     nullptr,
     [](Settings& s, const char* text) {
       return read_number(text, kBytes, 1ULL << 20, 1ULL << 34, s.buffer_bytes);
     }},
    {"VEF_LEVEL", "--level", "Compression of the logs (zstd): 1 is fastest, 19 smallest [1]",
     "a number from 1 to 19", nullptr,
     [](Settings& s, const char* text) { return read_number(text, kPlain, 1, 19, s.level); }},
    {"VEF_SCRATCH", "--scratch",
     "Write the logs into this directory of each host; the merge collects them from there",
     "a path of at most 2000 characters", nullptr, set_text<&Settings::scratch, 2000>},
    {"VEF_RANKS", "--ranks", "Record these ranks only [all]", "ranks such as 0-3,8,64-", nullptr, set_ranks},
    {"VEF_CALLS", "--calls", "Record these classes of calls only [p2p,collectives,rma,files]",
     "some of p2p,collectives,rma,files", nullptr, set_calls},
    {"VEF_START", "--start", "on, or off: recording begins where the program calls MPI_Pcontrol(1) [on]",
     "on or off", nullptr, set_start},
    {"VEF_REGIONS", "--regions", "Record inside these regions of MPI_Pcontrol only [everywhere]",
     "names such as solve,exchange of at most 2000 characters", nullptr, set_text<&Settings::regions, 2000>},
    {"VEF_CALL_SITES", "--call-sites",
     "Record where in the program each call is made: this many frames of the call stack [0: do not; 1 where "
     "no "
     "number is given]",
     "a number of frames from 0 to 32", "1",
     [](Settings& s, const char* text) { return read_number(text, kPlain, 0, 32, s.call_site_depth); }},
    {"VEF_POLL_GAP", "--poll-gap",
     "Failed polls at most this far apart count as waiting, not as computing [1us]", "a time from 0 to 1s",
     nullptr,
     [](Settings& s, const char* text) {
       return read_number(text, kNanoseconds, 0, 1'000'000'000, s.poll_gap_ns);
     }},
    {"VEF_TIME_RESOLUTION", "--time-resolution",
     "Precision of the times; coarser ones take fewer bytes [1ns]", "a time from 1ns to 1s", nullptr,
     [](Settings& s, const char* text) {
       return read_number(text, kNanoseconds, 1, 1'000'000'000, s.time_resolution_ns);
     }},
    {"VEF_CLOCK_SYNC", "--clock-sync",
     "Measure how far the hosts' clocks are apart, with messages of its own: init (at MPI_Init; meant where "
     "no "
     "word is given), both (and at MPI_Finalize), off [off]",
     "off, init or both", "init", set_clock_sync},
};

}  // namespace

std::span<const Definition> definitions() { return kDefinitions; }

const Definition* find(const char* variable) {
  for (const Definition& definition : kDefinitions) {
    if (std::strcmp(definition.variable, variable) == 0) return &definition;
  }
  return nullptr;
}

bool in_ranks(const char* text, std::int32_t rank) {
  if (text == nullptr) return true;
  const auto wanted = static_cast<std::uint64_t>(rank);
  for (;; ++text) {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (!read_range(text, first, last)) return false;
    if (wanted >= first && wanted <= last) return true;
    if (*text != ',') return false;
  }
}

bool in_names(const char* text, const char* name, std::size_t length) {
  if (text == nullptr) return true;
  return any_item(text, [&](const char* item, std::size_t item_length) {
    return item_length == length && std::memcmp(item, name, length) == 0;
  });
}

}  // namespace vef::settings
