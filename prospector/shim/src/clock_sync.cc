// SPDX-License-Identifier: Apache-2.0
#include "clock_sync.h"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "clock.h"
#include "message.h"
#include "mpi_library.h"
#include "name_hash.h"

namespace vef::shim {
namespace {

constexpr std::uint64_t kTimeLimit = 5'000'000'000;  // ns, for all of it at one instant
constexpr int kExchanges = 100;
constexpr int kTag = 1;

std::uint64_t now() { return read_clock(CLOCK_MONOTONIC_RAW); }

std::uint64_t host_id() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name_hash(name);
}

struct Answer {
  std::int64_t offset;
  std::uint64_t round_trip;
};

}  // namespace

/// Whether the request completes in time. Otherwise it is left to the library: the program ends with it
/// pending, as it would have without an answer.
bool ClockSync::finish(MPI_Request& request) {
  int done = 0;
  for (;;) {
    if (pmpi.test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done != 0) return true;
    if (now() > deadline_) return false;
    sched_yield();
  }
}

bool ClockSync::send(const void* data, int bytes, std::int32_t to) {
  MPI_Request request = mpi.request_null;
  return pmpi.isend(data, bytes, mpi.byte, to, kTag, comm_, &request) == MPI_SUCCESS && finish(request);
}

bool ClockSync::receive(void* data, int bytes, std::int32_t from) {
  MPI_Request request = mpi.request_null;
  return pmpi.irecv(data, bytes, mpi.byte, from, kTag, comm_, &request) == MPI_SUCCESS && finish(request);
}

bool ClockSync::duplicate_world() {
  MPI_Request request = mpi.request_null;
  return pmpi.comm_idup(mpi.comm_world, &comm_, &request) == MPI_SUCCESS && finish(request);
}

/// Which rank is the first of each host, as all ranks see it.
bool ClockSync::find_hosts() {
  const auto ranks = static_cast<std::size_t>(size_);
  std::size_t slots = 2;
  while (slots < 2 * ranks) slots *= 2;
  // Kept where the others do not answer: the library may still write to them.
  auto* ids = static_cast<std::uint64_t*>(std::calloc(ranks, sizeof(std::uint64_t)));
  auto* first_ranks = static_cast<std::int32_t*>(std::calloc(slots, sizeof(std::int32_t)));  // + 1, by host
  hosts_ = static_cast<Host*>(std::calloc(ranks, sizeof(Host)));
  if (ids == nullptr || first_ranks == nullptr || hosts_ == nullptr) return false;
  own_id_ = host_id();
  MPI_Request request = mpi.request_null;
  if (pmpi.iallgather(&own_id_, sizeof own_id_, mpi.byte, ids, sizeof own_id_, mpi.byte, comm_, &request) !=
          MPI_SUCCESS ||
      !finish(request)) {
    return false;
  }
  for (std::int32_t r = 0; r < size_; ++r) {
    std::size_t slot = ids[r] & (slots - 1);
    while (first_ranks[slot] != 0 && ids[first_ranks[slot] - 1] != ids[r]) slot = (slot + 1) & (slots - 1);
    if (first_ranks[slot] != 0) continue;
    first_ranks[slot] = r + 1;
    if (r != 0) hosts_[host_count_++].rank = r;
  }
  std::free(ids);
  std::free(first_ranks);
  return true;
}

/// Rank 0's side: tells the time as often as the leader of the host asks, and gets the result.
bool ClockSync::serve(std::int32_t leader, int instant) {
  Host* host = hosts_;
  while (host->rank != leader) ++host;
  for (int i = 0; i < kExchanges; ++i) {
    char asked = 0;
    if (!receive(&asked, 1, leader)) return false;
    const std::uint64_t time = now();
    if (!send(&time, sizeof time, leader)) return false;
  }
  Answer answer{};
  if (!receive(&answer, sizeof answer, leader)) return false;
  host->offset[instant] = answer.offset;
  host->round_trip[instant] = answer.round_trip;
  return true;
}

bool ClockSync::ask(std::int64_t& offset, std::uint64_t& round_trip) {
  round_trip = ~std::uint64_t{0};
  for (int i = 0; i < kExchanges; ++i) {
    const char question = 0;
    std::uint64_t theirs = 0;
    const std::uint64_t before = now();
    if (!send(&question, 1, 0) || !receive(&theirs, sizeof theirs, 0)) return false;
    const std::uint64_t after = now();
    if (after - before >= round_trip) continue;
    round_trip = after - before;
    offset = static_cast<std::int64_t>(theirs) - static_cast<std::int64_t>(before + round_trip / 2);
  }
  return true;
}

void ClockSync::measure(int instant) {
  for (std::size_t i = 0; i < host_count_ && works_; ++i) {
    if (rank_ == 0) {
      works_ = serve(hosts_[i].rank, instant);
    } else if (rank_ == hosts_[i].rank) {
      Answer answer{};
      works_ = ask(answer.offset, answer.round_trip) && send(&answer, sizeof answer, 0);
    }
  }
  if (!works_) say_once("the clocks are not compared: not all ranks answered within 5 s");
}

void ClockSync::at_init(std::int32_t rank, std::int32_t size) {
  rank_ = rank;
  size_ = size;
  deadline_ = now() + kTimeLimit;
  works_ = duplicate_world() && find_hosts();
  if (works_) return measure(0);
  say_once("the clocks are not compared: not all ranks answered within 5 s");
}

void ClockSync::at_finalize() {
  if (!works_) return;
  deadline_ = now() + kTimeLimit;
  measure(1);
}

void ClockSync::write(JsonText& json) const {
  if (rank_ != 0 || hosts_ == nullptr) return;
  json.open_array("clock_offsets");
  for (std::size_t i = 0; i < host_count_; ++i) {
    const Host& host = hosts_[i];
    if (host.round_trip[0] == 0) continue;
    json.open_element();
    json.number("rank", static_cast<std::uint64_t>(host.rank));
    json.signed_number("offset_ns", host.offset[0]);
    json.number("round_trip_ns", host.round_trip[0]);
    if (host.round_trip[1] != 0) {
      json.signed_number("end_offset_ns", host.offset[1]);
      json.number("end_round_trip_ns", host.round_trip[1]);
    }
    json.close_object();
  }
  json.close_array();
}

}  // namespace vef::shim
