// SPDX-License-Identifier: Apache-2.0
// OTF2 archives, both ways. What is read is written here with the library itself, with events and sizes as
// Score-P has them; records are worked out by hand.
#include <otf2/otf2.h>

#include <filesystem>
#include <map>

#include "test_traces.h"

/// What libotf2 leaks when it gives up on a damaged archive is not ours.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: the sanitizer's name
  return "leak:libopen-trace-format2";
}

namespace vef::neighbours {
namespace {

using testing::briefs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kinds_of;
using testing::NeighbourTest;
using testing::read_file;

enum Region : OTF2_RegionRef { kInit, kFinalize, kMpi, kUser, kFile };
constexpr const char* kRegionNames[] = {"MPI_Init", "MPI_Finalize", "MPI_Wait", "main", "MPI_File_read"};

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

/// An archive under work. Location 10 * r is the first thread of rank r, others further ones.
class Maker {
 public:
  Maker(const std::string& folder, const std::string& name, std::uint32_t ranks) : ranks_(ranks) {
    std::filesystem::remove_all(folder + "/" + name);
    std::filesystem::remove(folder + "/" + name + ".otf2");
    archive_ = OTF2_Archive_Open(folder.c_str(), name.c_str(), OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    static constexpr OTF2_FlushCallbacks kFlush = {flush, nullptr};
    OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_OpenEvtFiles(archive_);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) locations_[10 * rank] = rank;
  }

  OTF2_EvtWriter* at(OTF2_LocationRef location) {
    if (locations_.count(location) == 0) locations_[location] = static_cast<std::uint32_t>(location / 10);
    return OTF2_Archive_GetEvtWriter(archive_, location);
  }
  void in(OTF2_LocationRef location, std::uint64_t time, Region region = kMpi) {
    OTF2_EvtWriter_Enter(at(location), nullptr, time, region);
  }
  void out(OTF2_LocationRef location, std::uint64_t time, Region region = kMpi) {
    OTF2_EvtWriter_Leave(at(location), nullptr, time, region);
  }
  void collective(OTF2_LocationRef location, std::uint64_t time, OTF2_CollectiveOp op, OTF2_CommRef comm,
                  std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
    in(location, time);
    OTF2_EvtWriter_MpiCollectiveBegin(at(location), nullptr, time);
    OTF2_EvtWriter_MpiCollectiveEnd(at(location), nullptr, time, op, comm, root, sent, received);
    out(location, time);
  }

  /// `groups`: of the communicators from 1 on; no members: MPI_COMM_SELF.
  void finish(const std::vector<std::vector<std::uint64_t>>& groups = {},
              std::uint64_t resolution = 1'000'000'000, std::uint64_t offset = 0) {
    std::map<OTF2_LocationRef, std::uint64_t> counts;
    for (const auto& [location, rank] : locations_) {
      OTF2_EvtWriter* const writer = at(location);
      OTF2_EvtWriter_GetNumberOfEvents(writer, &counts[location]);
      OTF2_Archive_CloseEvtWriter(archive_, writer);
    }
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_Archive_OpenDefFiles(archive_);
    for (const auto& [location, rank] : locations_)
      OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, location));
    OTF2_Archive_CloseDefFiles(archive_);
    OTF2_GlobalDefWriter* const all = OTF2_Archive_GetGlobalDefWriter(archive_);
    OTF2_GlobalDefWriter_WriteClockProperties(all, resolution, offset, 1 << 20, OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteString(all, 0, "");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(all, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      OTF2_GlobalDefWriter_WriteLocationGroup(all, rank, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                              OTF2_UNDEFINED_LOCATION_GROUP);
    for (const auto& [location, rank] : locations_)
      OTF2_GlobalDefWriter_WriteLocation(all, location, 0, OTF2_LOCATION_TYPE_CPU_THREAD, counts[location],
                                         rank);
    for (OTF2_RegionRef region = 0; region < std::size(kRegionNames); ++region) {
      OTF2_GlobalDefWriter_WriteString(all, region + 1, kRegionNames[region]);
      OTF2_GlobalDefWriter_WriteRegion(all, region, region + 1, region + 1, 0, OTF2_REGION_ROLE_FUNCTION,
                                       region == kUser ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI,
                                       OTF2_REGION_FLAG_NONE, 0, 0, 0);
    }
    std::vector<std::uint64_t> ids;
    std::vector<std::uint64_t> world;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      ids.push_back(10 * rank);
      world.push_back(rank);
    }
    group(all, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, ids);
    group(all, 1, OTF2_GROUP_TYPE_COMM_GROUP, world);
    OTF2_GlobalDefWriter_WriteComm(all, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
      group(all, i + 2, groups[i].empty() ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP,
            groups[i]);
      OTF2_GlobalDefWriter_WriteComm(all, i + 1, 0, i + 2, 0, OTF2_COMM_FLAG_NONE);
    }
    if (groups.size() > 1)  // between the first two
      OTF2_GlobalDefWriter_WriteInterComm(all, 100, 0, 2, 3, 0, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive_, all);
    OTF2_Archive_Close(archive_);
  }

 private:
  static void group(OTF2_GlobalDefWriter* writer, OTF2_GroupRef ref, OTF2_GroupType type,
                    const std::vector<std::uint64_t>& members) {
    OTF2_GlobalDefWriter_WriteGroup(writer, ref, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                    static_cast<std::uint32_t>(members.size()), members.data());
  }

  OTF2_Archive* archive_ = nullptr;
  std::uint32_t ranks_;
  std::map<OTF2_LocationRef, std::uint32_t> locations_;
};

class Otf2Test : public NeighbourTest {
 protected:
  Maker maker(std::uint32_t ranks) { return {path("").substr(0, path("").size() - 1), "t", ranks}; }
  formats::Trace read_archive() { return read(path("t.otf2")); }
  std::string fault() {
    Losses losses;
    const auto trace = read_trace(path("t.otf2"), "", options_, losses);
    return trace ? "nothing" : trace.error().message;
  }
};

TEST_F(Otf2Test, RequestsMatchInTheOrderOfTheirPosting) {
  Maker m = maker(2);
  // Rank 0: 5 ticks of computing after MPI_Init, two sends with one tag. Ticks are 10 ns here.
  m.in(0, 1000, kUser);
  m.in(0, 1010, kInit);
  m.out(0, 1050, kInit);
  m.in(0, 1055);
  OTF2_EvtWriter_MpiIsend(m.at(0), nullptr, 1056, 1, 0, 7, 100, 1);
  OTF2_EvtWriter_MpiIsend(m.at(0), nullptr, 1057, 1, 0, 7, 200, 2);
  m.out(0, 1060);
  m.in(0, 1063);
  OTF2_EvtWriter_MpiIsendComplete(m.at(0), nullptr, 1064, 1);
  m.out(0, 1070);
  m.in(0, 1080, kFinalize);
  m.out(0, 1090, kFinalize);
  m.out(0, 1091, kUser);
  // Rank 1 posts two receives, and completes the second first.
  m.in(10, 1000, kInit);
  m.out(10, 1020, kInit);
  m.in(10, 1022);
  OTF2_EvtWriter_MpiIrecvRequest(m.at(10), nullptr, 1023, 1);
  OTF2_EvtWriter_MpiIrecvRequest(m.at(10), nullptr, 1024, 2);
  OTF2_EvtWriter_MpiRequestTest(m.at(10), nullptr, 1025, 1);
  m.out(10, 1030);
  m.in(10, 1034);
  OTF2_EvtWriter_MpiIrecv(m.at(10), nullptr, 1200, 0, 0, 7, 200, 2);
  m.out(10, 1201);
  m.in(10, 1204);
  OTF2_EvtWriter_MpiIrecv(m.at(10), nullptr, 1205, 0, 0, 7, 100, 1);
  m.out(10, 1206);
  m.in(10, 1209, kFile);  // files are computing
  m.out(10, 1213, kFile);
  m.in(10, 1216, kFinalize);
  m.out(10, 1220, kFinalize);
  m.finish({}, 100'000'000, 1000);
  const formats::Trace trace = read_archive();
  EXPECT_THAT(briefs(trace, 0), ElementsAre("m0 0>1 100B =50", "m1 0>1 200B +0 s0", "mark 0 +130 s1"));
  // 2 ticks before the receives, 4 behind them; the second receive got message 1.
  EXPECT_THAT(briefs(trace, 1), ElementsAre("mark 1 =60", "mark 1 +30 r1", "mark 1 +100 r0"));
  EXPECT_THAT(losses_.kinds(), IsEmpty());
}

TEST_F(Otf2Test, EveryCollectiveAsScorePCountsIt) {
  Maker m = maker(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    const OTF2_LocationRef l = 10 * r;
    const auto root = [&](std::uint64_t at_root, std::uint64_t elsewhere) {
      return r == 1 ? at_root : elsewhere;
    };
    m.collective(l, 1, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    m.collective(l, 2, OTF2_COLLECTIVE_OP_BCAST, 0, 1, root(3 * 8, 0), 8);
    m.collective(l, 3, OTF2_COLLECTIVE_OP_REDUCE, 0, 1, 8, root(3 * 8, 0));
    // Parts of 1, 2, 3 bytes; the root of the gather has its 2 in place of equal ones: see below.
    m.collective(l, 4, OTF2_COLLECTIVE_OP_GATHERV, 0, 1, r + 1, root(6, 0));
    m.collective(l, 5, OTF2_COLLECTIVE_OP_SCATTER, 0, 1, root(3 * 4, 0), 4);
    m.collective(l, 6, OTF2_COLLECTIVE_OP_ALLGATHERV, 0, OTF2_COLLECTIVE_ROOT_NONE, 3 * (r + 1), 6);
    m.collective(l, 7, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_COLLECTIVE_ROOT_NONE, 3 * 16, 3 * 16);
    m.collective(l, 8, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_COLLECTIVE_ROOT_NONE, 2 * 16,
                 2 * 16);                                                             // in place
    m.collective(l, 9, OTF2_COLLECTIVE_OP_GATHER, 0, 1, root(0, 5), root(2 * 5, 0));  // in place
    m.collective(l, 10, OTF2_COLLECTIVE_OP_ALLTOALL, 0, OTF2_COLLECTIVE_ROOT_NONE, 3 * 7, 3 * 7);
    m.collective(l, 11, OTF2_COLLECTIVE_OP_ALLTOALLV, 0, OTF2_COLLECTIVE_ROOT_NONE, 10 + r, 11);
    m.collective(l, 12, OTF2_COLLECTIVE_OP_REDUCE_SCATTER, 0, OTF2_COLLECTIVE_ROOT_NONE, 6, 3 * (r + 1));
    m.collective(l, 13, OTF2_COLLECTIVE_OP_SCAN, 0, OTF2_COLLECTIVE_ROOT_NONE, (3 - r) * 4, (r + 1) * 4);
    m.collective(l, 14, OTF2_COLLECTIVE_OP_CREATE_HANDLE, 0, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  }
  m.finish();
  const formats::Trace trace = read_archive();
  EXPECT_THAT(briefs(trace, 0),
              ElementsAre("c0 C0 barrier 0 0/0 =1", "c1 C0 broadcast 0 0/8 +1 c0", "c2 C0 reduce 0 8/0 +1 c1",
                          "c3 C0 gather 0 1/0 +1 c2", "c4 C0 scatter 0 0/4 +1 c3",
                          "c5 C0 all-gather 0 1/6 +1 c4", "c6 C0 all-reduce 0 16/16 +1 c5",
                          "c7 C0 all-reduce 0 16/16 +1 c6", "c8 C0 gather 0 5/0 +1 c7",
                          "c9 C0 all-to-all 0 7/0 +1 c8", "c10 C0 all-to-all 0 10/1 +1 c9",
                          "c11 C0 reduce 0 0/6 +1 c10", "c12 C0 scatter 0 6/1 +0 c11", "m0 0>1 4B +1 c12",
                          "c13 C0 barrier 0 0/0 +1 s0", "mark 0 +0 c13"));
  EXPECT_THAT(briefs(trace, 1),
              ElementsAre("c0 C0 barrier 1 0/0 =1", "c1 C0 broadcast 1 8/0 +1 c0", "c2 C0 reduce 1 0/8 +1 c1",
                          "c3 C0 gather 1 2/6 +1 c2", "c4 C0 scatter 1 12/4 +1 c3",
                          "c5 C0 all-gather 1 2/6 +1 c4", "c6 C0 all-reduce 1 16/16 +1 c5",
                          "c7 C0 all-reduce 1 16/16 +1 c6", "c8 C0 gather 1 5/15 +1 c7",
                          "c9 C0 all-to-all 1 7/0 +1 c8", "c10 C0 all-to-all 1 11/1 +1 c9",
                          "c11 C0 reduce 1 6/0 +1 c10", "c12 C0 scatter 1 0/2 +0 c11", "mark 1 +1 c12",
                          "m2 1>2 4B +0 r0", "c13 C0 barrier 1 0/0 +1 s2", "mark 1 +0 c13"));
  EXPECT_THAT(kinds_of(losses_), ElementsAre("3 parts in alltoallv are kept as their totals",
                                             "3 parts in reducescatter are kept as a reduce and a scatter",
                                             "3 parts in scans are kept as a message to the next rank"));
}

TEST_F(Otf2Test, NonBlockingCollectivesStandWhereTheyBegin) {
  Maker m = maker(2);
  for (const OTF2_LocationRef l : {0, 10}) {
    m.in(l, 1);
    OTF2_EvtWriter_NonBlockingCollectiveRequest(m.at(l), nullptr, 1, 5);
    m.out(l, 1);
    m.collective(l, 3, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    m.in(l, 7);
    OTF2_EvtWriter_NonBlockingCollectiveComplete(m.at(l), nullptr, 7, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                                 OTF2_COLLECTIVE_ROOT_NONE, 16, 16, 5);
    m.out(l, 8);
    m.in(l, 9);
    OTF2_EvtWriter_NonBlockingCollectiveRequest(m.at(l), nullptr, 9, 6);  // never ends
    m.out(l, 9);
  }
  m.finish();
  EXPECT_THAT(briefs(read_archive(), 1), ElementsAre("c0 C0 all-reduce 1 8/8 =1", "c1 C0 barrier 1 0/0 =3",
                                                     "mark 1 +4 c1", "mark 1 +1 c0"));
  EXPECT_THAT(kinds_of(losses_), ElementsAre("2 non-blocking collectives that do not end are left out"));
}

TEST_F(Otf2Test, CommunicatorsAndThreads) {
  Maker m = maker(3);
  const auto send = [&](OTF2_LocationRef l, std::uint64_t time, std::uint32_t to, OTF2_CommRef comm) {
    m.in(l, time);
    OTF2_EvtWriter_MpiSend(m.at(l), nullptr, time, to, comm, 1, 8);
    m.out(l, time);
  };
  const auto receive = [&](OTF2_LocationRef l, std::uint64_t time, std::uint32_t from, OTF2_CommRef comm) {
    m.in(l, time);
    OTF2_EvtWriter_MpiRecv(m.at(l), nullptr, time, from, comm, 1, 8);
    m.out(l, time);
  };
  send(20, 1, 1, 1);  // C1 is 2, 0: rank 1 of it is task 0
  receive(0, 2, 0, 1);
  send(0, 3, 0, 3);  // to oneself, on MPI_COMM_SELF
  receive(0, 4, 0, 3);
  send(10, 5, 0, 100);  // from the second group of the inter-communicator to the first of the first
  receive(20, 6, 0, 100);
  send(21, 7, 0, 1);  // a further thread of rank 2, to itself
  receive(20, 8, 0, 1);
  m.collective(0, 9, OTF2_COLLECTIVE_OP_BARRIER, 3, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  for (const OTF2_LocationRef l : {0, 20})
    m.collective(l, 10, OTF2_COLLECTIVE_OP_BARRIER, 1, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  m.finish({{2, 0}, {1}, {}});
  const formats::Trace trace = read_archive();
  EXPECT_EQ(trace.communicators, (formats::Communicators{{0, 1, 2}, {2, 0}, {1}}));
  EXPECT_THAT(briefs(trace, 0), ElementsAre("mark 0 =2", "m2 0>0 8B +1 r0", "mark 0 +1 s2",
                                            "c0 C1 barrier 0 0/0 +6 r2", "mark 0 +0 c0"));
  EXPECT_THAT(briefs(trace, 1), ElementsAre("m4 1>2 8B =5", "mark 1 +0 s4"));
  EXPECT_THAT(briefs(trace, 2), ElementsAre("m0 2>0 8B =1", "mark 2 +5 s0", "m6 2>2 8B +1 r4", "mark 2 +1 s6",
                                            "c0 C1 barrier 2 0/0 +2 r6", "mark 2 +0 c0"));
  EXPECT_THAT(kinds_of(losses_),
              ElementsAre("1 MPI's events of further threads are put in the order of their times"));
}

TEST_F(Otf2Test, FaultsAreNamed) {
  const auto fault_of_event = [&](const auto& event) {
    Maker m = maker(2);
    m.in(0, 1);
    event(m);
    m.out(0, 2);
    m.finish({{0}, {1}});
    const std::string text = fault();
    return text.substr(std::min(text.size(), path("t.otf2").size() + 2));
  };
  EXPECT_EQ(fault_of_event([](Maker& m) { OTF2_EvtWriter_MpiSend(m.at(0), nullptr, 1, 2, 0, 0, 8); }),
            "rank 0 has peer 2 in communicator 0; expected 0 to 2 - 1");
  EXPECT_EQ(fault_of_event([](Maker& m) { OTF2_EvtWriter_MpiSend(m.at(0), nullptr, 1, 0, 9, 0, 8); }),
            "rank 0 uses communicator 9, which is not defined; expected one that is");
  EXPECT_EQ(fault_of_event([](Maker& m) { OTF2_EvtWriter_MpiRecv(m.at(0), nullptr, 1, 1, 0, 4, 8); }),
            "rank 0 receives from 1 with tag 4, and nothing is sent; expected a send for each receive");
  EXPECT_EQ(fault_of_event([](Maker& m) { OTF2_EvtWriter_MpiIrecv(m.at(0), nullptr, 1, 1, 0, 4, 8, 3); }),
            "rank 0 completes request 3, which no receive has posted; expected one that has");
  EXPECT_EQ(fault_of_event([](Maker& m) { m.out(0, 1); }),
            "rank 0 leaves a region of MPI that it has not entered; expected pairs");
  EXPECT_EQ(fault_of_event([](Maker& m) {
              OTF2_EvtWriter_MpiCollectiveEnd(m.at(0), nullptr, 1, OTF2_COLLECTIVE_OP_BCAST, 0, 2, 8, 8);
            }),
            "rank 0: a collective of communicator 0 with root 2; expected 0 to 2 - 1");
  EXPECT_EQ(fault_of_event([](Maker& m) {
              OTF2_EvtWriter_MpiCollectiveEnd(m.at(0), nullptr, 1, OTF2_COLLECTIVE_OP_BARRIER, 100, 0, 0, 0);
            }),
            "rank 0: a collective of communicator 100 between two groups; expected one of a single group");
}

TEST_F(Otf2Test, CapturedTracesComeBackAsTheyWere) {
  for (const std::string name : {"ring-4-send-recv-a", "ring-4-send-recv-b", "collectives-4"}) {
    const std::string original = std::string(VEF_SOURCE_DIR "/tests/data/vef3/") + name + ".vef";
    const formats::Trace before = read(original);
    convert_file(original, name + ".otf2");
    const formats::Trace after = read(path(name + ".otf2"));
    ASSERT_EQ(before.header, after.header) << name;
    // Without the ids, which are others.
    const auto shape = [](const formats::Trace& trace) {
      std::vector<std::vector<std::string>> tasks(static_cast<std::size_t>(trace.header.tasks));
      for (formats::Record record : trace.records) {
        record.id = record.dep_id = 0;
        tasks[static_cast<std::size_t>(record.task)].push_back(testing::brief(record));
      }
      return tasks;
    };
    EXPECT_EQ(shape(before), shape(after)) << name;
  }
}

TEST_F(Otf2Test, WhatIsInTheWayIsNotOverwritten) {
  const std::string small = VEF_SOURCE_DIR "/tests/data/small.vef";
  std::filesystem::create_directory(path("a"));
  const auto blocked = convert(small, path("a.otf2"), "", "", options_);
  ASSERT_FALSE(blocked.ok());
  EXPECT_THAT(blocked.error().message,
              HasSubstr("is there, where the events are to lie; expected no such file"));
  EXPECT_FALSE(std::filesystem::exists(path("a.def")));
  convert_file(small, "b.otf2");
  convert_file(small, "b.otf2");  // an older archive is replaced
  EXPECT_EQ(read(path("b.otf2")).header.messages, 7U);
  const auto answer =
      convert(file("in.vef", "VEF4 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 8 4 0 -1\n1 1 0 8 14 0 0\n"),
              path("c.otf2"), "", "", options_);
  ASSERT_FALSE(answer.ok());
  EXPECT_FALSE(std::filesystem::exists(path("c.otf2")));
}

TEST_F(Otf2Test, DamagedFilesAreRefusedOrReadAsTheyAre) {
  convert_file(VEF_SOURCE_DIR "/tests/data/small.vef", "t.otf2");
  // The library takes milliseconds for each, and definitions are long: there not every byte.
  const auto try_file = [&](const std::string& name, std::size_t step) {
    const std::string whole = read_file(path(name));
    for (std::size_t size = 0; size + 2 < whole.size(); size += step) {  // an end mark may be missing
      file(name, std::string_view(whole).substr(0, size));
      EXPECT_NE(fault(), "nothing") << name << " of " << size << " bytes";
    }
    for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 5 * step) {
      std::string damaged = whole;
      damaged[bit / 8] ^= static_cast<char>(1U << bit % 8);
      file(name, damaged);
      EXPECT_EQ(fault().find('\n'), std::string::npos);
    }
    file(name, whole);
  };
  try_file("t.otf2", 1);
  try_file("t.def", 11);
  try_file("t/0.evt", 1);
  EXPECT_EQ(fault(), "nothing");
}

}  // namespace
}  // namespace vef::neighbours
