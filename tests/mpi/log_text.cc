// SPDX-License-Identifier: Apache-2.0
// Prints the rank logs of a capture directory, one line per event, without times: what the tests of the
// recorder compare. "# RANK.THREAD" begins a log; "complete" or "cut off" ends it.
#include <cinttypes>
#include <cstdio>
#include <string>

#include "vef/formats/mpi_call.h"
#include "vef/formats/rank_log.h"
#include "vef/formats/rank_log_reader.h"

namespace {

using namespace vef::formats;

std::string rank_text(std::int32_t rank) {
  switch (rank) {
    case kAnySource:
      return "any";
    case kProcNull:
      return "null";
    case kRootHere:
      return "here";
    case kUndefined:
      return "none";
    default:
      return std::to_string(rank);
  }
}

std::string tag_text(std::int32_t tag) { return tag == kAnyTag ? "any" : std::to_string(tag); }

std::string comm_text(std::uint32_t comm) { return comm == kCommNull ? "null" : std::to_string(comm); }

void print_field(const char* name, const std::string& value) { std::printf(" %s=%s", name, value.c_str()); }
void print_field(const char* name, std::uint64_t value) { print_field(name, std::to_string(value)); }

void print_runs(const char* name, std::span<const RankRun> runs) {
  std::string text;
  for (const RankRun& run : runs) {
    if (!text.empty()) text += ",";
    text += std::to_string(run.first);
    if (run.count > 1) text += "+" + std::to_string(run.stride) + "x" + std::to_string(run.count);
  }
  print_field(name, text);
}

void print_numbers(const char* name, std::span<const std::uint64_t> numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  print_field(name, text);
}

void print_ranks(const char* name, std::span<const std::int32_t> ranks) {
  std::string text;
  for (const std::int32_t rank : ranks) text += (text.empty() ? "" : ",") + rank_text(rank);
  print_field(name, text);
}

/// In quotes, so that a blank in it can be told from the end of the field; a line end is shown as "|".
void print_text(const char* name, std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\n' ? '|' : c;
  print_field(name, quoted + "'");
}

std::string received_text(const Completion& c) {
  if (c.cancelled) return "cancelled";
  if (!c.is_receive) return "sent";
  return rank_text(c.source) + "/" + tag_text(c.tag) + "/" + std::to_string(c.bytes);
}

void print_posted(const RankEvent& e) {
  print_field("comm", comm_text(e.comm));
  print_field("peer", rank_text(e.peer));
  print_field("tag", tag_text(e.tag));
}

void print_found(const RankEvent& e) {
  for (const Completion& c : e.completions) print_field("got", received_text(c));
}

void print_collective(const RankEvent& e) {
  print_field("comm", comm_text(e.comm));
  if (e.peer != kUndefined) print_field("root", rank_text(e.peer));
  print_field("bytes", e.bytes);
  print_field("recv", e.recv_bytes);
  if (!e.sizes.empty()) print_numbers("sizes", e.sizes);
}

void print_communicator(const RankEvent& e) {
  if (e.kind == EventKind::kCommCreate) print_field("comm", comm_text(e.comm));
  if (e.tag != 0) print_field("tag", e.tag);
  print_field("new", comm_text(e.new_comm));
  if (e.comm_flags != 0) print_field("flags", e.comm_flags);
  if (!e.members.empty()) print_runs("members", e.members);
  if (!e.remote_members.empty()) print_runs("remote", e.remote_members);
  if (!e.in_neighbours.empty()) print_ranks("in", e.in_neighbours);
  if (!e.out_neighbours.empty()) print_ranks("out", e.out_neighbours);
  if (e.recv_bytes != 0) print_field("asked", e.recv_bytes);
  if (!e.text.empty()) print_text("text", e.text);
  if (e.request != 0) print_field("req", e.request);
}

void print_window(const RankEvent& e) {
  print_field("comm", comm_text(e.comm));
  print_field("win", e.window);
}

void print_one_sided(const RankEvent& e) {
  switch (e.kind) {
    case EventKind::kWinCreate:
      print_window(e);
      print_field("bytes", e.bytes);
      break;
    case EventKind::kWinFree:
      print_window(e);
      break;
    case EventKind::kRma:
      print_window(e);
      print_field("target", rank_text(e.peer));
      print_field("bytes", e.bytes);
      print_field("recv", e.recv_bytes);
      if (e.request != 0) print_field("req", e.request);
      break;
    default:
      print_window(e);
      if (e.peer != kUndefined) print_field("target", rank_text(e.peer));
      if (!e.members.empty()) print_runs("members", e.members);
      break;
  }
}

void print_point_to_point(const RankEvent& e) {
  print_posted(e);
  if (e.kind != EventKind::kProbe && e.kind != EventKind::kMprobe) print_field("bytes", e.bytes);
  if (e.kind == EventKind::kSendrecv) {
    print_field("from", rank_text(e.recv_peer));
    print_field("rtag", tag_text(e.recv_tag));
    print_field("room", e.recv_bytes);
  }
  if (e.kind == EventKind::kIsend || e.kind == EventKind::kIrecv || e.kind == EventKind::kSendInit ||
      e.kind == EventKind::kRecvInit || e.kind == EventKind::kPsendInit || e.kind == EventKind::kPrecvInit) {
    print_field("req", e.request);
  }
  if (e.kind == EventKind::kMprobe) print_field("message", e.request);
  print_found(e);
}

/// MODULE+OFFSET each, the offset in hexadecimal.
void print_addresses(std::span<const std::uint64_t> addresses) {
  for (const std::uint64_t address : addresses) {
    std::printf(" at=%" PRIu64 "+%" PRIx64, address >> 48, address & 0xffff'ffff'ffff);
  }
}

void print_others(const RankEvent& e) {
  switch (e.kind) {
    case EventKind::kAbort:
      print_field("code", std::to_string(e.tag));
      break;
    case EventKind::kStart:
      print_numbers("reqs", e.requests);
      break;
    case EventKind::kComplete:
      for (const Completion& c : e.completions) {
        print_field("done", std::to_string(c.request) + ":" + received_text(c));
      }
      break;
    case EventKind::kRequestFree:
    case EventKind::kCancel:
      print_field("req", e.request);
      break;
    case EventKind::kMrecv:
      print_field("message", e.request);
      print_field("bytes", e.bytes);
      print_found(e);
      break;
    case EventKind::kImrecv:
      print_field("message", e.message);
      print_field("bytes", e.bytes);
      print_field("req", e.request);
      break;
    case EventKind::kCollective:
      print_collective(e);
      break;
    case EventKind::kIcollective:
    case EventKind::kCollectiveInit:
      print_collective(e);
      print_field("req", e.request);
      break;
    case EventKind::kPready:
      print_field("req", e.request);
      print_field("bytes", e.bytes);
      break;
    case EventKind::kWinCreate:
    case EventKind::kWinFree:
    case EventKind::kRma:
    case EventKind::kRmaSync:
      print_one_sided(e);
      break;
    case EventKind::kIo:
      print_field("bytes", e.bytes);
      if (e.request != 0) print_field("req", e.request);
      break;
    case EventKind::kRegion:
      std::printf(e.tag < 0 ? " ends" : " begins");
      print_text("name", e.text);
      break;
    case EventKind::kModule:
      print_field("number", e.request);
      print_text("file", e.text);
      break;
    case EventKind::kSite:
      print_addresses(e.requests);
      break;
    case EventKind::kNote:
      print_text("text", e.text);
      break;
    case EventKind::kCommCreate:
    case EventKind::kCommDefine:
      print_communicator(e);
      break;
    case EventKind::kCommFree:
      print_field("comm", comm_text(e.comm));
      break;
    case EventKind::kPolls:
      print_field("count", e.polls.count);
      break;
    default:
      break;
  }
}

std::string event_name(const RankEvent& e) {
  switch (e.kind) {
    case EventKind::kCommDefine:
      return "define";
    case EventKind::kPolls:
      return "polls";
    case EventKind::kPause:
      return "pause";
    case EventKind::kRegion:
      return "region";
    case EventKind::kModule:
      return "module";
    case EventKind::kSite:
      return "site";
    case EventKind::kNote:
      return "note";
    default:
      break;
  }
  const std::string name = mpi_call_name(e.call);
  return name.starts_with("MPI_") ? name.substr(4) : name;
}

void print_event(const RankEvent& e) {
  std::printf("%s", event_name(e).c_str());
  const bool point_to_point = (e.kind >= EventKind::kSend && e.kind <= EventKind::kRecvInit) ||
                              e.kind == EventKind::kPsendInit || e.kind == EventKind::kPrecvInit ||
                              e.kind == EventKind::kProbe || e.kind == EventKind::kMprobe ||
                              e.kind == EventKind::kSendrecv;
  point_to_point ? print_point_to_point(e) : print_others(e);
  if (e.sequence != 0) std::printf(" seq");
  if (e.site != 0) print_field("site", e.site);
  std::printf("\n");
}

bool print_log(const std::string& path) {
  auto log = RankLogReader::open(path);
  if (!log.ok()) {
    std::fprintf(stderr, "%s\n", log.error().message.c_str());
    return false;
  }
  RankLogReader& reader = **log;
  std::printf("# %d.%d\n", reader.info().rank, reader.info().thread);
  RankEvent event;
  std::uint64_t end = 0;
  for (;;) {
    const auto more = reader.next(event);
    if (!more.ok()) {
      std::fprintf(stderr, "%s\n", more.error().message.c_str());
      return false;
    }
    if (!*more) break;
    if (reader.event_start() < end) {
      std::fprintf(stderr, "%s: event %" PRIu64 " starts before the end of the one before\n", path.c_str(),
                   reader.event_number());
      return false;
    }
    end = reader.event_end();
    print_event(event);
  }
  for (const std::string& note : reader.damage().notes) std::fprintf(stderr, "%s\n", note.c_str());
  std::printf("%s\n", reader.info().complete ? "complete" : "cut off");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: log_text DIRECTORY\n");
    return 2;
  }
  const auto logs = list_rank_logs(argv[1]);
  if (!logs.ok()) {
    std::fprintf(stderr, "%s\n", logs.error().message.c_str());
    return 1;
  }
  bool good = true;
  for (const std::string& log : *logs) good = print_log(log) && good;
  return good ? 0 : 1;
}
