// SPDX-License-Identifier: Apache-2.0
// For the tests of the rank log: events that own their lists, random ones of every kind, a scratch directory.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "temporary_folder.h"
#include "vef/formats/rank_log_reader.h"
#include "vef/formats/rank_log_writer.h"

namespace vef::formats::testing {

using test_support::TemporaryFolder;

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// A RankEvent with its own lists.
struct OwnedEvent {
  RankEvent fields;
  std::vector<Completion> completions;
  std::vector<std::uint64_t> requests, sizes;
  std::vector<RankRun> members, remote_members;
  std::vector<std::int32_t> in_neighbours, out_neighbours;
  std::string text;

  OwnedEvent() = default;
  explicit OwnedEvent(const RankEvent& event)
      : fields(event),
        completions(event.completions.begin(), event.completions.end()),
        requests(event.requests.begin(), event.requests.end()),
        sizes(event.sizes.begin(), event.sizes.end()),
        members(event.members.begin(), event.members.end()),
        remote_members(event.remote_members.begin(), event.remote_members.end()),
        in_neighbours(event.in_neighbours.begin(), event.in_neighbours.end()),
        out_neighbours(event.out_neighbours.begin(), event.out_neighbours.end()),
        text(event.text) {
    drop_spans();
  }

  RankEvent view() const {
    RankEvent event = fields;
    event.completions = completions;
    event.requests = requests;
    event.sizes = sizes;
    event.members = members;
    event.remote_members = remote_members;
    event.in_neighbours = in_neighbours;
    event.out_neighbours = out_neighbours;
    event.text = text;
    return event;
  }

  bool operator==(const OwnedEvent& other) const {
    const RankEvent &a = fields, &b = other.fields;
    return a.kind == b.kind && a.call == b.call && a.gap == b.gap && a.duration == b.duration &&
           a.comm == b.comm && a.peer == b.peer && a.tag == b.tag && a.bytes == b.bytes &&
           a.recv_peer == b.recv_peer && a.recv_tag == b.recv_tag && a.recv_bytes == b.recv_bytes &&
           a.request == b.request && a.message == b.message && a.sequence == b.sequence &&
           a.new_comm == b.new_comm && a.comm_flags == b.comm_flags && a.polls == b.polls &&
           a.window == b.window && a.site == b.site && in_neighbours == other.in_neighbours &&
           out_neighbours == other.out_neighbours && text == other.text && completions == other.completions &&
           requests == other.requests && sizes == other.sizes && members == other.members &&
           remote_members == other.remote_members;
  }

 private:
  void drop_spans() {
    fields.completions = {};
    fields.requests = {};
    fields.sizes = {};
    fields.members = {};
    fields.remote_members = {};
    fields.in_neighbours = {};
    fields.out_neighbours = {};
    fields.text = {};
  }
};

/// Random events with exactly the fields that EventKind names for each kind. `wild` draws extreme values too.
class EventSource {
 public:
  EventSource(std::uint64_t seed, bool wild) : random_(seed), wild_(wild) {}

  OwnedEvent next() {
    static constexpr EventKind kKinds[] = {
        EventKind::kInit,           EventKind::kFinalize,   EventKind::kAbort,      EventKind::kSend,
        EventKind::kIsend,          EventKind::kRecv,       EventKind::kIrecv,      EventKind::kSendInit,
        EventKind::kRecvInit,       EventKind::kStart,      EventKind::kComplete,   EventKind::kRequestFree,
        EventKind::kCancel,         EventKind::kProbe,      EventKind::kMprobe,     EventKind::kMrecv,
        EventKind::kImrecv,         EventKind::kSendrecv,   EventKind::kCollective, EventKind::kIcollective,
        EventKind::kCommCreate,     EventKind::kCommDefine, EventKind::kCommFree,   EventKind::kPolls,
        EventKind::kPause,          EventKind::kPsendInit,  EventKind::kPrecvInit,  EventKind::kPready,
        EventKind::kCollectiveInit, EventKind::kWinCreate,  EventKind::kWinFree,    EventKind::kRma,
        EventKind::kRmaSync,        EventKind::kIo,         EventKind::kRegion,     EventKind::kModule,
        EventKind::kSite,           EventKind::kNote};
    OwnedEvent event;
    event.fields.kind = kKinds[below(std::size(kKinds))];
    event.fields.call = number<std::uint16_t>(300);
    event.fields.gap = time(5000);
    event.fields.duration = time(900);
    if (below(6) == 0) event.fields.site = number<std::uint32_t>(20);
    fill(event);
    return event;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  template <class T>
  T number(std::uint64_t usual) {
    if (wild_ && below(4) == 0) {
      switch (below(4)) {
        case 0:
          return std::numeric_limits<T>::max();
        case 1:
          return std::numeric_limits<T>::min();
        case 2:
          return static_cast<T>(-1);
        default:
          return static_cast<T>(random_());
      }
    }
    return static_cast<T>(random_() % usual);
  }

  /// All of a log's times together must stay within 2^61: 2^15 of 2^46 do.
  std::uint64_t time(std::uint64_t usual) {
    return wild_ && below(4) == 0 ? random_() >> (18 + below(46)) : random_() % usual;
  }

  std::vector<Completion> completions(std::size_t count) {
    std::vector<Completion> list(count);
    for (Completion& item : list) {
      item.request = number<std::uint64_t>(400);
      item.is_receive = below(2) != 0;
      item.cancelled = below(16) == 0;
      if (!item.is_receive && !wild_) continue;
      item.source = number<std::int32_t>(64);
      item.tag = number<std::int32_t>(4);
      item.bytes = number<std::uint64_t>(70000);
    }
    return list;
  }

  std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> list(below(wild_ ? 40 : 3));
    for (std::uint64_t& item : list) item = number<std::uint64_t>(100000);
    return list;
  }

  std::vector<std::int32_t> ranks() {
    std::vector<std::int32_t> list(below(wild_ ? 40 : 3));
    for (std::int32_t& item : list) item = number<std::int32_t>(64);
    return list;
  }

  std::string text() {
    std::string text(below(wild_ ? 600 : 20), ' ');
    for (char& c : text) c = number<char>(128);
    return text;
  }

  std::vector<RankRun> runs() {
    std::vector<RankRun> list(below(wild_ ? 20 : 3));
    for (RankRun& item : list)
      item = {number<std::int32_t>(1000), number<std::int32_t>(3), number<std::uint32_t>(1000)};
    return list;
  }

  void envelope(RankEvent& e) {
    e.comm = number<std::uint32_t>(3);
    e.peer = number<std::int32_t>(26);
    e.tag = number<std::int32_t>(4);
    if (below(8) == 0) e.sequence = number<std::uint64_t>(1000);
  }

  void fill(OwnedEvent& event) {
    RankEvent& e = event.fields;
    switch (e.kind) {
      case EventKind::kAbort:
        e.tag = number<std::int32_t>(10);
        break;
      case EventKind::kIsend:
      case EventKind::kIrecv:
      case EventKind::kSendInit:
      case EventKind::kRecvInit:
      case EventKind::kPsendInit:
      case EventKind::kPrecvInit:
        e.request = number<std::uint64_t>(500);
        [[fallthrough]];
      case EventKind::kSend:
        envelope(e);
        e.bytes = number<std::uint64_t>(70000);
        break;
      case EventKind::kRecv:
        envelope(e);
        e.bytes = number<std::uint64_t>(70000);
        event.completions = completions(1);
        break;
      case EventKind::kStart:
        event.requests = numbers();
        break;
      case EventKind::kComplete:
        event.completions = completions(below(wild_ ? 60 : 5));
        break;
      case EventKind::kRequestFree:
      case EventKind::kCancel:
        e.request = number<std::uint64_t>(500);
        break;
      case EventKind::kMprobe:
        e.request = number<std::uint64_t>(500);
        [[fallthrough]];
      case EventKind::kProbe:
        envelope(e);
        event.completions = completions(1);
        break;
      case EventKind::kMrecv:
        e.request = number<std::uint64_t>(500);
        e.bytes = number<std::uint64_t>(70000);
        event.completions = completions(1);
        break;
      case EventKind::kImrecv:
        e.request = number<std::uint64_t>(500);
        e.message = number<std::uint64_t>(500);
        e.bytes = number<std::uint64_t>(70000);
        break;
      case EventKind::kSendrecv:
        envelope(e);
        e.bytes = number<std::uint64_t>(70000);
        e.recv_peer = number<std::int32_t>(26);
        e.recv_tag = number<std::int32_t>(4);
        e.recv_bytes = number<std::uint64_t>(70000);
        event.completions = completions(1);
        break;
      case EventKind::kPready:
        e.request = number<std::uint64_t>(500);
        e.bytes = number<std::uint64_t>(70000);
        break;
      case EventKind::kWinCreate:
        e.bytes = number<std::uint64_t>(70000);
        [[fallthrough]];
      case EventKind::kWinFree:
        e.comm = number<std::uint32_t>(3);
        e.window = number<std::uint32_t>(4);
        break;
      case EventKind::kRma:
        e.request = number<std::uint64_t>(500);
        e.bytes = number<std::uint64_t>(70000);
        e.recv_bytes = number<std::uint64_t>(70000);
        [[fallthrough]];
      case EventKind::kRmaSync:
        e.comm = number<std::uint32_t>(3);
        e.window = number<std::uint32_t>(4);
        e.peer = number<std::int32_t>(26);
        if (e.kind == EventKind::kRmaSync) event.members = runs();
        break;
      case EventKind::kIo:
        e.request = number<std::uint64_t>(500);
        e.bytes = number<std::uint64_t>(70000);
        break;
      case EventKind::kRegion:
        e.tag = below(2) == 0 ? 1 : -1;
        event.text = text();
        break;
      case EventKind::kModule:
        e.request = number<std::uint64_t>(5);
        [[fallthrough]];
      case EventKind::kNote:
        event.text = text();
        break;
      case EventKind::kSite:
        e.site = number<std::uint32_t>(20);
        event.requests = numbers();
        break;
      case EventKind::kIcollective:
      case EventKind::kCollectiveInit:
        e.request = number<std::uint64_t>(500);
        [[fallthrough]];
      case EventKind::kCollective:
        e.comm = number<std::uint32_t>(3);
        e.peer = number<std::int32_t>(26);
        e.bytes = number<std::uint64_t>(70000);
        e.recv_bytes = number<std::uint64_t>(70000);
        event.sizes = numbers();
        break;
      case EventKind::kCommCreate:
        e.comm = number<std::uint32_t>(3);
        [[fallthrough]];
      case EventKind::kCommDefine:
        e.new_comm = number<std::uint32_t>(9);
        e.comm_flags = number<std::uint8_t>(8);
        event.members = runs();
        event.remote_members = runs();
        event.in_neighbours = ranks();
        event.out_neighbours = ranks();
        if (below(4) == 0) {
          e.bytes = number<std::uint64_t>(8);
          event.text = text();
        }
        break;
      case EventKind::kCommFree:
        e.comm = number<std::uint32_t>(9);
        break;
      case EventKind::kPolls:
        e.polls = {number<std::uint64_t>(90), time(9000), time(9000), time(100)};
        break;
      default:
        break;
    }
  }

  std::mt19937_64 random_;
  bool wild_;
};

inline std::vector<OwnedEvent> random_events(std::uint64_t seed, std::size_t count, bool wild) {
  EventSource source(seed, wild);
  std::vector<OwnedEvent> events;
  for (std::size_t i = 0; i < count; ++i) events.push_back(source.next());
  return events;
}

inline RankLogOptions nanosecond_options(const std::string& directory) {
  RankLogOptions options;
  options.directory = directory.c_str();
  options.rank = 7;
  options.world_size = 64;
  options.host = "node001";
  options.program = "./solver";
  options.mpi_library = "Some MPI 1.2";
  options.job = "solver-4711";
  options.ticks_are_ns = true;
  options.start = {1000, 1000, 1'700'000'000'000'000'000};
  options.buffer_bytes = 1 << 20;
  return options;
}

inline RankLogWriter* create_writer(const RankLogOptions& options) {
  char error[256] = "";
  RankLogWriter* writer = RankLogWriter::create(options, error, sizeof error);
  EXPECT_NE(writer, nullptr) << error;
  return writer;
}

/// What a reader returned, and from where in the log.
struct ReadBack {
  std::vector<OwnedEvent> events;
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> starts, ends;
  RankLogInfo info;
  RankLogDamage damage;
  std::string error;  // of open() or next()
};

inline ReadBack read_back(const std::string& path) {
  ReadBack back;
  auto reader = RankLogReader::open(path);
  if (!reader) {
    back.error = reader.error().message;
    return back;
  }
  back.info = (*reader)->info();
  RankEvent event;
  while (true) {
    const Result<bool> more = (*reader)->next(event);
    if (!more) {
      back.error = more.error().message;
      break;
    }
    if (!*more) break;
    back.events.emplace_back(event);
    back.numbers.push_back((*reader)->event_number());
    back.starts.push_back((*reader)->event_start());
    back.ends.push_back((*reader)->event_end());
  }
  back.damage = (*reader)->damage();
  return back;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace vef::formats::testing
