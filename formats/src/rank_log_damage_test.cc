// SPDX-License-Identifier: Apache-2.0
// Whatever happens to the files, the reader returns only events that were written, in their order and under
// their numbers, and says that something is missing.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "rank_log_format.h"
#include "rank_log_test_util.h"

namespace vef::formats::testing {
namespace {

/// A log of a few chunks and an open one, built small: a big event between makes the chunks turn over early.
class DamagedLog : public ::testing::Test {
 protected:
  void SetUp() override {
    EventSource source(11, false);
    RankLogWriter* writer = create_writer(nanosecond_options(scratch_.path()));
    for (int chunk = 0; chunk < 3; ++chunk) {
      for (int i = 0; i < 12; ++i) append(*writer, source.next());
      // At ten bytes each (a difference of 2^62) these fill most of a chunk, and compress to almost nothing.
      OwnedEvent filler;
      filler.fields.kind = EventKind::kCollective;
      for (int i = 0; i < 4100; ++i) filler.sizes.push_back(static_cast<std::uint64_t>(i) << 62);
      append(*writer, filler);
    }
    for (int i = 0; i < 300; ++i) append(*writer, source.next());
    vlog_ = read_file(path());
    open_ = read_file(open_path());
    writer->abandon();
    rank_log::FileHeader header;
    ASSERT_GE(vlog_.size(), sizeof header);
    const ReadBack whole = read_back(path());
    ASSERT_EQ(whole.events.size(), wrote_.size());
    ASSERT_FALSE(whole.damage.any()) << joined(whole.damage.notes);
  }

  void append(RankLogWriter& writer, const OwnedEvent& event) {
    const AppendResult result = writer.append(event.view());
    ASSERT_NE(result, AppendResult::kStopped);
    if (result == AppendResult::kTurnedOver) chunk_starts_.push_back(wrote_.size());
    wrote_.push_back(event);
  }

  std::string path() const { return scratch_.file("000007.0.vlog"); }
  std::string open_path() const { return scratch_.file("000007.0.open"); }

  /// Every event read is the one written under that number, except that times may differ where the clock
  /// samples themselves are hit (they are not: ticks are nanoseconds here) or a chunk is missing before.
  void expect_sound(const ReadBack& back, const std::string& what) const {
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < back.events.size(); ++i) {
      ASSERT_LT(back.numbers[i], wrote_.size()) << what;
      ASSERT_GE(back.numbers[i], next) << what;
      ASSERT_TRUE(back.events[i] == wrote_[back.numbers[i]]) << what << ": event " << back.numbers[i];
      next = back.numbers[i] + 1;
    }
    if (back.error.empty() && back.events.size() != wrote_.size()) {
      ASSERT_TRUE(back.damage.any()) << what << ": " << wrote_.size() - back.events.size()
                                     << " events lost silently";
    }
  }

  /// Bytes of a file that the format gives a meaning: all but the unused room of the open chunk.
  std::vector<std::size_t> open_offsets() const {
    rank_log::OpenHeader header;
    std::memcpy(&header, open_.data(), sizeof header);
    std::vector<std::size_t> offsets;
    const auto add = [&](std::size_t from, std::size_t count) {
      for (std::size_t i = from; i < from + count; ++i) offsets.push_back(i);
    };
    add(0, sizeof header);
    add(header.marks_offset, 20);
    for (const std::uint32_t column : header.column_offset) add(column, 400);
    return offsets;
  }

  TemporaryFolder scratch_;
  std::vector<OwnedEvent> wrote_;
  std::vector<std::size_t> chunk_starts_;
  std::string vlog_, open_;
};

TEST_F(DamagedLog, TruncationAtEveryByte) {
  ASSERT_GE(chunk_starts_.size(), 2u);
  for (const bool with_open : {true, false}) {
    write_file(path(), vlog_);
    if (!with_open) std::filesystem::remove(open_path());
    for (std::size_t size = vlog_.size(); size-- > 0;) {
      ASSERT_EQ(truncate(path().c_str(), static_cast<off_t>(size)), 0);
      const ReadBack back = read_back(path());
      expect_sound(back, "cut at " + std::to_string(size));
      if (size < sizeof(rank_log::FileHeader)) {
        EXPECT_NE(back.error, "");
      } else {
        EXPECT_EQ(back.error, "");
        // The open chunk is not hurt by what happens to the sealed ones.
        if (with_open) {
          EXPECT_GE(back.events.size(), wrote_.size() - chunk_starts_.back());
        }
      }
    }
  }
}

TEST_F(DamagedLog, TruncationOfTheOpenChunk) {
  std::vector<std::size_t> sizes = open_offsets();
  std::reverse(sizes.begin(), sizes.end());
  for (const std::size_t size : sizes) {
    ASSERT_EQ(truncate(open_path().c_str(), static_cast<off_t>(size)), 0);
    const ReadBack back = read_back(path());
    expect_sound(back, "open chunk cut at " + std::to_string(size));
    EXPECT_EQ(back.error, "");
    EXPECT_GE(back.events.size(), chunk_starts_.back());
  }
}

void flip_bytes(const std::string& path, const std::string& bytes, const std::vector<std::size_t>& offsets,
                const std::vector<unsigned>& patterns, const std::function<void(const std::string&)>& check) {
  const int fd = ::open(path.c_str(), O_WRONLY);
  ASSERT_GE(fd, 0);
  for (const std::size_t offset : offsets) {
    for (const unsigned pattern : patterns) {
      const char changed = static_cast<char>(static_cast<unsigned char>(bytes[offset]) ^ pattern);
      ASSERT_EQ(pwrite(fd, &changed, 1, static_cast<off_t>(offset)), 1);
      check("byte " + std::to_string(offset) + " ^ " + std::to_string(pattern));
      if (::testing::Test::HasFatalFailure()) break;
    }
    ASSERT_EQ(pwrite(fd, &bytes[offset], 1, static_cast<off_t>(offset)), 1);
  }
  ::close(fd);
}

const std::vector<unsigned> kPatterns = {1, 128, 0xff};

TEST_F(DamagedLog, EverySingleByteOfTheLog) {
  std::vector<std::size_t> offsets(vlog_.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = i;
  flip_bytes(path(), vlog_, offsets, kPatterns, [&](const std::string& what) {
    const ReadBack back = read_back(path());
    expect_sound(back, what);
    // Every byte counts: what is not an error is at least noted.
    ASSERT_TRUE(!back.error.empty() || back.damage.any()) << what;
    // And costs no more than one chunk.
    if (back.error.empty()) {
      ASSERT_GE(back.events.size() + chunk_starts_[0] + 1, wrote_.size()) << what;
    }
  });
}

TEST(DamagedTinyLog, EveryValueOfEveryByte) {
  TemporaryFolder scratch;
  const std::vector<OwnedEvent> wrote = random_events(5, 6, false);
  RankLogWriter* writer = create_writer(nanosecond_options(scratch.path()));
  for (const OwnedEvent& event : wrote) writer->append(event.view());
  ASSERT_TRUE(writer->close(true));
  const std::string path = scratch.file("000007.0.vlog");
  const std::string bytes = read_file(path);
  std::vector<std::size_t> offsets(bytes.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = i;
  std::vector<unsigned> patterns(255);
  for (unsigned i = 0; i < patterns.size(); ++i) patterns[i] = i + 1;
  flip_bytes(path, bytes, offsets, patterns, [&](const std::string& what) {
    const ReadBack back = read_back(path);
    ASSERT_TRUE(!back.error.empty() || back.damage.any()) << what;
    // The only chunk is sound or it is not.
    ASSERT_TRUE(back.events.empty() || back.events == wrote) << what;
  });
}

TEST_F(DamagedLog, EverySingleByteOfTheOpenChunk) {
  flip_bytes(open_path(), open_, open_offsets(), kPatterns, [&](const std::string& what) {
    const ReadBack back = read_back(path());
    expect_sound(back, what);
    ASSERT_EQ(back.error, "");
    ASSERT_GE(back.events.size(), chunk_starts_.back()) << what;
  });
}

TEST_F(DamagedLog, AnOpenChunkKeepsItsBeginning) {
  rank_log::OpenHeader header;
  std::memcpy(&header, open_.data(), sizeof header);
  const std::size_t events = wrote_.size() - chunk_starts_.back();
  ASSERT_GT(events, rank_log::kEventsPerMark);
  // The classes hold two bytes an event: near the committed end, behind the first mark.
  std::string changed = open_;
  changed[header.column_offset[rank_log::kClasses] + 2 * events - 4] ^= 1;
  write_file(open_path(), changed);
  const ReadBack back = read_back(path());
  expect_sound(back, "late change");
  // The changed byte belongs to the last event or the one before; up to the mark before that, all is kept.
  const std::size_t kept = (events - 2) / rank_log::kEventsPerMark * rank_log::kEventsPerMark;
  ASSERT_GT(kept, 0u);
  EXPECT_EQ(back.events.size(), chunk_starts_.back() + kept);
  EXPECT_EQ(back.damage.notes.size(), 1u) << joined(back.damage.notes);
}

TEST_F(DamagedLog, ALostChunkIsCountedAndNumbersGoOn) {
  // Overwrite the middle of the second chunk.
  const std::string magic(reinterpret_cast<const char*>(&rank_log::kChunkMagic), 8);
  const std::size_t first = vlog_.find(magic);
  const std::size_t second = vlog_.find(magic, first + 1);
  ASSERT_NE(second, std::string::npos);
  std::string changed = vlog_;
  for (std::size_t i = 0; i < 10; ++i) changed[second + sizeof(rank_log::ChunkHeader) + i] = 'x';
  write_file(path(), changed);
  const ReadBack back = read_back(path());
  expect_sound(back, "lost chunk");
  EXPECT_EQ(back.damage.chunks_skipped, 1u);
  EXPECT_TRUE(back.damage.corrupt);
  EXPECT_EQ(back.events.size(), wrote_.size() - (chunk_starts_[1] - chunk_starts_[0]));
  // Times after the hole are right because the chunk carries its start.
  std::uint64_t end = 0;
  for (const OwnedEvent& event : wrote_) end += event.fields.gap + event.fields.duration;
  EXPECT_EQ(back.ends.back(), end);
}

TEST_F(DamagedLog, AnUnfinishedChunkIsNoDamageWhileTheOpenChunkHasIt) {
  // The bytes that a kill leaves in the middle of a turn-over: the beginning of the chunk that is still open.
  RankLogOptions options = nanosecond_options(scratch_.path());
  options.rank = 8;
  RankLogWriter* writer = create_writer(options);
  for (const OwnedEvent& event : wrote_) writer->append(event.view());
  const std::string before = read_file(scratch_.file("000008.0.vlog"));
  const std::string open = read_file(scratch_.file("000008.0.open"));
  ASSERT_TRUE(writer->close(false));
  const std::string after = read_file(scratch_.file("000008.0.vlog"));
  ASSERT_GT(after.size(), before.size());
  for (std::size_t size = before.size(); size <= after.size(); size += size + 40 < after.size() ? 37 : 1) {
    write_file(scratch_.file("000008.0.vlog"), before + after.substr(before.size(), size - before.size()));
    write_file(scratch_.file("000008.0.open"), open);
    const ReadBack back = read_back(scratch_.file("000008.0.vlog"));
    EXPECT_EQ(back.error, "");
    ASSERT_EQ(back.events.size(), wrote_.size()) << size;  // nothing lost, nothing twice
    EXPECT_FALSE(back.damage.any()) << joined(back.damage.notes);
  }
}

TEST_F(DamagedLog, ALogOfAnotherRunIsNotMixedIn) {
  TemporaryFolder other;
  RankLogOptions options = nanosecond_options(other.path());
  options.start.wall_ns += 1;
  RankLogWriter* writer = create_writer(options);
  writer->append(wrote_[0].view());
  write_file(open_path(), read_file(other.file("000007.0.open")));
  writer->abandon();
  const ReadBack back = read_back(path());
  expect_sound(back, "foreign open chunk");
  EXPECT_EQ(back.events.size(), chunk_starts_.back());
}

TEST_F(DamagedLog, AbsurdSizesAreNotBelieved) {
  // A header whose checksum is right and whose sizes are not: no memory may be taken for them.
  const std::size_t at = vlog_.find(std::string(reinterpret_cast<const char*>(&rank_log::kChunkMagic), 8));
  rank_log::FileHeader file;
  std::memcpy(&file, vlog_.data(), sizeof file);
  for (const std::uint32_t size : {rank_log::kMaxColumnBytes + 1, 0xffffffffu}) {
    rank_log::ChunkHeader header;
    std::memcpy(&header, vlog_.data() + at, sizeof header);
    header.raw_bytes[1] = header.stored_bytes[1] = size;
    header.check = rank_log::block_check(header, file.identity.check);
    std::string changed = vlog_;
    std::memcpy(changed.data() + at, &header, sizeof header);
    write_file(path(), changed);
    const ReadBack back = read_back(path());
    expect_sound(back, "absurd size");
    EXPECT_EQ(back.events.size(), wrote_.size() - chunk_starts_[0]);
  }
}

TEST_F(DamagedLog, NoRankLog) {
  write_file(path(), "#VEF3 this is another kind of file, long enough for a header" + std::string(600, ' '));
  EXPECT_NE(read_back(path()).error.find("not a rank log"), std::string::npos);
  write_file(path(), "");
  EXPECT_NE(read_back(path()).error, "");
  EXPECT_NE(read_back(scratch_.file("000099.0.vlog")).error, "");
  EXPECT_NE(read_back(scratch_.path()).error, "");
  // Another version is refused by name, and so is a layout of before (0: logs that did not tell) or after.
  const auto refused = [&](std::uint32_t version, std::uint32_t layout) {
    rank_log::FileHeader file;
    std::memcpy(&file, vlog_.data(), sizeof file);
    file.identity.version = version;
    file.identity.layout = layout;
    file.identity.check = rank_log::block_check(file.identity);
    std::string changed = vlog_;
    std::memcpy(changed.data(), &file, sizeof file);
    write_file(path(), changed);
    return read_back(path()).error;
  };
  EXPECT_NE(refused(9, 2).find("unknown version 9; expected version 1"), std::string::npos);
  EXPECT_NE(refused(1, 0).find("unknown layout 0; expected layout 2"), std::string::npos);
  EXPECT_NE(refused(1, 3).find("unknown layout 3; expected layout 2"), std::string::npos);
}

}  // namespace
}  // namespace vef::formats::testing
