// SPDX-License-Identifier: Apache-2.0
// Sealed columns: what is packed comes back, loops take next to nothing, and damage is survived.
#include "rank_log_pack.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "rank_log_format.h"
#include "rank_log_test_util.h"
#include "rank_log_unpack.h"

namespace vef::formats::testing {
namespace {

using namespace rank_log;
using ByteColumn = std::vector<std::uint8_t>;

ByteColumn folded(const ByteColumn& from) {
  ByteColumn to(from.size() + kFoldSlack);
  to.resize(std::make_unique<Folder>()->fold(from.data(), from.size(), to.data()));
  return to;
}

void expect_folds(const ByteColumn& from) {
  const ByteColumn packed = folded(from);
  ASSERT_LE(packed.size(), from.size() + kFoldSlack);
  ByteColumn back(from.size());
  ASSERT_TRUE(unfold(packed.data(), packed.size(), back.data(), back.size()));
  ASSERT_EQ(back, from);
}

TEST(Fold, BytesAreThoseOfTheSpecification) {
  // 20 times "abcdefghi": 9 literals, then 171 bytes (varint ab 01) equal to those 9 before; at last a
  // literal.
  ByteColumn from;
  for (int i = 0; i < 180; ++i) from.push_back(static_cast<std::uint8_t>('a' + i % 9));
  from.push_back('!');
  const std::string expected =
      "\x09"
      "abcdefghi"
      "\x09\xab\x01\x01!";
  const ByteColumn packed = folded(from);
  EXPECT_EQ(std::string(packed.begin(), packed.end()), expected);
  expect_folds(from);
  expect_folds({});
  expect_folds({7});
}

TEST(Fold, LoopsWithinLoopsComeBack) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    ByteColumn from;
    const std::size_t period = 1 + random() % 40;
    for (std::size_t i = 0; i < 6000; ++i) {
      const bool noise = round % 4 == 0 || i < period || random() % 300 == 0;
      from.push_back(noise ? static_cast<std::uint8_t>(random() % (2 + round)) : from[i - period]);
    }
    expect_folds(from);
  }
}

TEST(Fold, DamageIsSurvived) {
  ByteColumn from;
  for (int i = 0; i < 300; ++i) from.push_back(static_cast<std::uint8_t>(i % 50 == 0 ? i / 50 : i % 9));
  const ByteColumn packed = folded(from);
  ByteColumn back(from.size());
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(unfold(packed.data(), size, back.data(), back.size())) << size;
  for (std::size_t at = 0; at < packed.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      ByteColumn bad = packed;
      bad[at] = static_cast<std::uint8_t>(value);
      unfold(bad.data(), bad.size(), back.data(), back.size());  // must stay within `back`
    }
}

/// The columns of times of a chunk, as the recorder's encoder makes them.
struct Times {
  std::uint32_t events = 0;
  ByteColumn heads, classes, bits;
  std::uint64_t bit = 0;

  void add(std::uint64_t time) {
    const auto exponent = time + 1 == 0 ? 64u : static_cast<unsigned>(std::bit_width(time + 1)) - 1;
    classes.push_back(static_cast<std::uint8_t>(exponent));
    for (unsigned i = 0; exponent != 64 && i < exponent; ++i, ++bit) {
      if (bit % 8 == 0) bits.push_back(0);
      bits.back() = static_cast<std::uint8_t>(bits.back() | ((time + 1) >> i & 1) << bit % 8);
    }
  }
  void add_event(std::uint32_t slot, std::uint64_t gap, std::uint64_t duration) {
    const std::uint32_t head = slot << 1;
    if (head >= 0x80) heads.push_back(static_cast<std::uint8_t>(head | 0x80));
    heads.push_back(static_cast<std::uint8_t>(head >= 0x80 ? head >> 7 : head));
    add(gap);
    add(duration);
    ++events;
  }
};

struct Packed {
  ByteColumn classes, bits;
};

Packed pack(Times times) {
  Packed packed;
  packed.classes.resize(2 * std::size_t{times.events} + (1 << 17));
  packed.bits.resize(times.bits.size() + 16);
  const std::size_t size = times.bits.size();
  times.bits.resize(size + 8);
  PackedTimes to{packed.classes.data(), packed.classes.size(), 0, packed.bits.data(), 0};
  std::make_unique<TimePacker>()->pack(
      {times.events, times.heads.data(), times.classes.data(), times.bits.data(), size}, to);
  packed.classes.resize(to.classes_size);
  packed.bits.resize(to.bits_size);
  return packed;
}

bool unpack(const Packed& packed, const Times& like, Times& back) {
  back.classes.assign(like.classes.size(), 0);
  back.bits.assign(like.bits.size() + 8, 0);
  const bool good = std::make_unique<TimeUnpacker>()->unpack({packed.classes.data(), packed.classes.size()},
                                                             {packed.bits.data(), packed.bits.size()},
                                                             {like.events,
                                                              {like.heads.data(), like.heads.size()},
                                                              back.classes.data(),
                                                              back.bits.data(),
                                                              like.bits.size()});
  back.bits.resize(like.bits.size());
  return good;
}

enum class Draw { kTame, kWild, kAnything };

Times times_of(std::uint64_t seed, std::uint32_t events, std::uint32_t slots, Draw kind) {
  std::mt19937_64 random(seed);
  Times times;
  const auto draw = [&](std::uint32_t slot) -> std::uint64_t {
    // 2^63 - 1 has the largest exponent with a model (63), 2^64 - 1 has none.
    if (kind != Draw::kTame && random() % 8 == 0) return random() >> (1 + random() % 63);
    if (kind == Draw::kAnything && random() % 64 == 0) return ~std::uint64_t{0} >> random() % 2;
    return slot * 40 + random() % (1 + slot * 8);
  };
  for (std::uint32_t i = 0; i < slots && i < events; ++i) times.add_event(0, draw(1), draw(2));
  while (times.events < events) {
    const auto slot = static_cast<std::uint32_t>(1 + random() % slots);
    times.add_event(slot, draw(slot), draw(slot + 3));
  }
  return times;
}

TEST(PackedTimes, ComeBack) {
  for (const std::uint32_t events : {0u, 1u, 31u, 32u, 100u, 2049u, 20000u})
    for (const std::uint32_t slots : {1u, 7u, 90u, 511u})
      for (const Draw kind : {Draw::kTame, Draw::kWild, Draw::kAnything}) {
        const Times times = times_of(events + slots, events, slots, kind);
        Times back;
        ASSERT_TRUE(unpack(pack(times), times, back))
            << events << " " << slots << " " << static_cast<int>(kind);
        ASSERT_EQ(back.classes, times.classes);
        ASSERT_EQ(back.bits, times.bits);
      }
}

TEST(PackedTimes, LongestTimesAreModelledUpToTheLastOne) {
  // 2^64 - 2 has exponent 63; 2^64 - 1 has 64, for which there is no class.
  for (const bool last : {false, true}) {
    Times times;
    for (int i = 0; i < 200; ++i)
      times.add_event(i == 0 ? 0 : 1, 7, ~std::uint64_t{0} - (last && i == 150 ? 0 : 1));
    const Packed packed = pack(times);
    EXPECT_EQ(packed.classes[0],
              static_cast<std::uint8_t>(last ? TimesCoding::kPlain : TimesCoding::kModelled));
    Times back;
    ASSERT_TRUE(unpack(packed, times, back));
    EXPECT_EQ(back.classes, times.classes);
    EXPECT_EQ(back.bits, times.bits);
  }
}

TEST(PackedTimes, TakeWhatTheirEntropyAsksFor) {
  // Slot 1: gaps that are 1000 or 1001 at random (one bit each); durations always 5. Plain, an event takes
  // two classes and 9 + 2 bits. The only bit that is random is the last one of the mantissa, so the two
  // modelled bits below the leading one are constant: 9 - 2 bits remain. In a model of a constant the 15
  // other values keep 64 of the 2^16 places each: log2(65536 / 64576) = 0.0213 bits for each of an event's
  // four halves.
  std::mt19937_64 random(3);
  Times times;
  for (int i = 0; i < 40000; ++i) times.add_event(i == 0 ? 0 : 1, 1000 + random() % 2, 5);
  const Packed packed = pack(times);
  EXPECT_LE(static_cast<double>(packed.bits.size()), 40000 * 7.0 / 8 + 8);
  EXPECT_NEAR(static_cast<double>(packed.classes.size()), 40000 * 4 * 0.0213 / 8, 100);
  // A shape's times 4 or 12 in equal shares: (t + 1) is 5 (exponent 2) or 13 (exponent 3), one bit of entropy
  // each; below, 01 and 101 are constant to two bits, and the last bit of 13 is stored. Frequencies that are
  // learnt at a rate of 1/64 waver: by a few hundredths of a bit.
  Times two;
  for (int i = 0; i < 40000; ++i) two.add_event(i == 0 ? 0 : 1, random() % 2 == 0 ? 4 : 12, 0);
  const Packed both = pack(two);
  EXPECT_NEAR(static_cast<double>(both.classes.size()), 40000 * 1.1 / 8.0, 40000 * 0.05 / 8);
  EXPECT_NEAR(static_cast<double>(both.bits.size()), 20000 / 8.0, 100);
}

TEST(PackedTimes, DependOnTheTimesBefore) {
  // Gaps of 100 or 1000 at random, and durations ten times as long: one bit of entropy, not two.
  std::mt19937_64 random(4);
  Times times;
  for (int i = 0; i < 40000; ++i) {
    const std::uint64_t gap = random() % 2 == 0 ? 100 : 1000;
    times.add_event(i == 0 ? 0 : 1, gap, 10 * gap);
  }
  const Packed packed = pack(times);
  EXPECT_NEAR(static_cast<double>(packed.classes.size()), 40000 * 1.1 / 8.0, 40000 * 0.05 / 8);
}

TEST(PackedTimes, BytesAreThoseOfTheSpecification) {
  // Nothing but times 0, class 0: each half is value 0. Fresh models give it 4096 of 2^16 places; the range
  // only shrinks, from the lower end, so the code is all zeros. 32 events fall on few models: after n events
  // a half costs less than 4 bits, and 4 * 32 halves less than 4 * 32 * 4 bits; the coder's 8 bytes end it.
  Times times;
  for (int i = 0; i < 32; ++i) times.add_event(i == 0 ? 0 : 1, 0, 0);
  const Packed packed = pack(times);
  ASSERT_EQ(packed.classes[0], static_cast<std::uint8_t>(TimesCoding::kModelled));
  EXPECT_LT(packed.classes.size(), 1 + 4 * 32 * 4 / 8 + kCoderBytes);
  for (std::size_t i = 1; i < packed.classes.size(); ++i) EXPECT_EQ(packed.classes[i], 0) << i;
}

TEST(HalfModel, LearnsAsTheSpecificationSays) {
  // Value 2 of 16 equal ones, at rate 1/2: starts up to the second move to i / 2 + i, the others to
  // (4096 i) / 2 + 2^15 - (16 - i).
  HalfModel model;
  for (unsigned i = 0; i < 16; ++i) model.starts[i] = static_cast<std::uint16_t>(4096 * i);
  model.learn(2);
  EXPECT_EQ(model.starts[0], 1);
  EXPECT_EQ(model.starts[1], 2048 + 1);
  EXPECT_EQ(model.starts[2], 4096 + 2);
  EXPECT_EQ(model.starts[3], 6144 + 32768 - 13);
  EXPECT_EQ(model.starts[15], 30720 + 32768 - 1);
  // Whatever comes, every value keeps a share.
  std::mt19937_64 random(6);
  for (int i = 0; i < 20000; ++i) {
    model.learn(
        static_cast<unsigned>(i % 2000 < 1000 ? static_cast<unsigned>(i / 2000) % 16 : random() % 16));
    for (unsigned value = 0; value < 16; ++value) ASSERT_LT(model.start(value), model.end(value)) << i;
  }
  EXPECT_EQ(model.starts[0], 64);
}

TEST(PackedTimes, DamageIsSurvived) {
  const Times times = times_of(9, 700, 6, Draw::kWild);
  const Packed packed = pack(times);
  ASSERT_EQ(packed.classes[0], static_cast<std::uint8_t>(TimesCoding::kModelled));
  Times back;
  for (std::size_t size = 0; size < packed.classes.size(); ++size) {
    Packed cut = packed;
    cut.classes.resize(size);
    cut.classes.shrink_to_fit();
    EXPECT_FALSE(unpack(cut, times, back)) << size;
  }
  for (std::size_t at = 0; at < packed.classes.size(); ++at)
    for (const unsigned change : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 255u}) {
      Packed bad = packed;
      bad.classes[at] = static_cast<std::uint8_t>(bad.classes[at] ^ change);
      unpack(bad, times, back);  // must stay within its memory
    }
  Packed short_bits = packed;
  short_bits.bits.pop_back();
  EXPECT_FALSE(unpack(short_bits, times, back));
}

TEST(PackedLoop, TheSignaturesOfALoopAreStoredOnce) {
  TemporaryFolder scratch;
  RankLogOptions options = nanosecond_options(scratch.path());
  options.buffer_bytes = 4 << 20;
  RankLogWriter* writer = create_writer(options);
  std::mt19937_64 random(2);
  std::uint64_t request = 0, events = 0;
  const auto append = [&](RankEvent event) {
    event.gap = 50 + random() % 20;
    event.duration = 300 + random() % 200;
    ASSERT_NE(writer->append(event), AppendResult::kStopped);
    ++events;
  };
  for (int step = 0; step < 100'000; ++step) {
    std::vector<Completion> all(8);
    for (int i = 0; i < 8; ++i) {
      RankEvent event;
      event.kind = i < 4 ? EventKind::kIrecv : EventKind::kIsend;
      event.peer = i % 4;
      event.tag = i % 4;
      event.bytes = 1024;
      event.request = ++request;
      if (i < 4) all[i] = {request, event.peer, event.tag, event.bytes, true, false};
      all[i].request = request;
      append(event);
    }
    RankEvent wait;
    wait.kind = EventKind::kComplete;
    wait.completions = all;
    append(wait);
    if (step % 10 != 0) continue;
    RankEvent reduce;
    reduce.kind = EventKind::kCollective;
    append(reduce);
  }
  ASSERT_TRUE(writer->close(true));
  // Walk over the chunks by their headers.
  const std::string file = read_file(scratch.file("000007.0.vlog"));
  std::size_t signatures = 0, chunks = 0;
  for (std::size_t at = sizeof(FileHeader); at < file.size(); ++chunks) {
    ChunkHeader header;
    ASSERT_LE(at + sizeof header, file.size());
    std::memcpy(&header, file.data() + at, sizeof header);
    ASSERT_EQ(header.magic, kChunkMagic);
    signatures += header.stored_bytes[kHeads] + header.stored_bytes[kFields];
    at += sizeof header;
    for (const std::uint32_t bytes : header.stored_bytes) at += bytes;
  }
  EXPECT_EQ(events, 910'000u);
  EXPECT_GE(chunks, 2u);
  // Ten shapes of about ten bytes, and the loop, per chunk.
  EXPECT_LT(signatures, chunks * 160);
}

}  // namespace
}  // namespace vef::formats::testing
