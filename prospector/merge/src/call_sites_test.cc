// SPDX-License-Identifier: Apache-2.0
#include "call_sites.h"

#include <gtest/gtest.h>

#include "vef/formats/mpi_call.h"

namespace vef::merge {
namespace {

using formats::EventKind;
using formats::MpiCall;
using formats::RankEvent;

RankEvent module(std::uint64_t number, const char* text) {
  RankEvent event;
  event.kind = EventKind::kModule;
  event.request = number;
  event.text = text;
  return event;
}

RankEvent site(std::uint32_t number, std::span<const std::uint64_t> frames) {
  RankEvent event;
  event.kind = EventKind::kSite;
  event.site = number;
  event.requests = frames;
  return event;
}

RankEvent send(std::uint32_t from, std::uint64_t bytes) {
  RankEvent event;
  event.kind = EventKind::kSend;
  event.call = static_cast<std::uint16_t>(MpiCall::kSend);
  event.site = from;
  event.bytes = bytes;
  return event;
}

TEST(CallSitesTest, RanksWithOtherNumbersMeetInTheSamePlaces) {
  const std::uint64_t in_first[] = {std::uint64_t{1} << 48 | 0x10, std::uint64_t{2} << 48 | 0x20};
  const std::uint64_t in_second[] = {std::uint64_t{2} << 48 | 0x10, std::uint64_t{1} << 48 | 0x20};
  RankSites first;
  first.add(module(1, "/no/such/a\nid"));
  first.add(module(2, "/no/such/b\n"));
  first.add(site(1, in_first));
  first.add(send(1, 100));
  first.add(send(1, 50));
  first.add(send(0, 1));  // without a site
  RankSites second;
  second.add(module(1, "/no/such/b\n"));
  second.add(module(2, "/no/such/a\nid"));
  second.add(site(7, in_second));
  second.add(send(7, 6));
  CallSites all;
  all.add(first);
  all.add(second);
  const formats::Metadata expected = {
      {"call site 1", "MPI_Send at a+0x10 < b+0x20: 3 calls, 156 bytes, 2 ranks"},
      {"call sites without symbols", "/no/such/a: no such file; /no/such/b: no such file"}};
  EXPECT_EQ(all.describe(), expected);
}

TEST(CallSitesTest, ReceivesCountWhatCameAndTheRestIsSummed) {
  const std::uint64_t one[] = {0x10};
  const std::uint64_t two[] = {0x20};
  RankSites rank;
  rank.add(site(1, one));
  rank.add(site(2, two));
  RankEvent receive = send(1, 4096);  // posted
  receive.kind = EventKind::kRecv;
  receive.call = static_cast<std::uint16_t>(MpiCall::kRecv);
  const formats::Completion came = {.source = 0, .tag = 0, .bytes = 16, .is_receive = true};
  receive.completions = {&came, 1};
  rank.add(receive);
  rank.add(receive);
  rank.add(send(2, 5));
  rank.add(send(3, 7));  // its definition is lost
  CallSites all;
  all.add(rank);
  const formats::Metadata expected = {
      {"call site 1", "MPI_Recv at 0x10: 2 calls, 32 bytes, 1 rank"},
      {"call site 2", "MPI_Send at an unknown place: 1 call, 7 bytes, 1 rank"},
      {"further call sites", "1: 1 call, 5 bytes"}};
  EXPECT_EQ(all.describe(2), expected);
}

}  // namespace
}  // namespace vef::merge
