// SPDX-License-Identifier: Apache-2.0
// A rank's log: the sealed file and the open one. A changed byte fails a check value before anything is made
// of it; so that the decoder behind is reached too, every second input gets the check values that its bytes
// should have.
#include <algorithm>
#include <cstring>

#include "rank_log_format.h"
#include "rank_log_seeds.h"
#include "vef/formats/rank_log_reader.h"

using namespace vef;
using namespace vef::formats::rank_log;

namespace {

template <class Block>
bool take(std::string& bytes, std::size_t at, Block& block) {
  if (bytes.size() < at + sizeof block) return false;
  std::memcpy(&block, bytes.data() + at, sizeof block);
  return true;
}

void vouch(std::string& log) {
  FileHeader header;
  if (!take(log, 0, header)) return;
  header.identity.check = block_check(header.identity);
  header.progress.check = block_check(header.progress, header.identity.check);
  std::memcpy(log.data(), &header, sizeof header);
  ChunkHeader chunk;
  for (std::size_t at = sizeof header; take(log, at, chunk);) {
    std::size_t size = 0;
    for (const std::uint32_t column : chunk.stored_bytes) size += column;
    const std::size_t data = at + sizeof chunk;
    if (size > log.size() - data) return;
    chunk.data_check = XXH64(log.data() + data, size, 0);
    chunk.check = block_check(chunk, header.identity.check);
    std::memcpy(log.data() + at, &chunk, sizeof chunk);
    at = data + size;
  }
}

void vouch_open(std::string& open, const std::string& log) {
  FileHeader header;
  OpenHeader chunk;
  std::string copy = log;
  if (!take(copy, 0, header) || !take(open, 0, chunk)) return;
  chunk.log_check = header.identity.check;
  chunk.check = block_check(chunk);
  std::memcpy(open.data(), &chunk, sizeof chunk);
}

// An open file is mostly room for what did not come. An input has its header, and the beginnings of the table
// of marks and of the columns one after the other; they are put where the seeds have them.
constexpr std::size_t kPart = 1024;

struct Places {
  std::size_t at[1 + kColumns];
  std::size_t size;

  explicit Places(const std::string& open) : size(open.size()) {
    OpenHeader header;
    std::memcpy(&header, open.data(), sizeof header);
    at[0] = header.marks_offset;
    std::copy(std::begin(header.column_offset), std::end(header.column_offset), at + 1);
  }
};

std::string condense(const std::string& open) {
  std::string parts = open.substr(0, sizeof(OpenHeader));
  for (const std::size_t at : Places(open).at) parts += open.substr(at, kPart);
  return parts;
}

std::string expand(std::string_view parts) {
  static const Places places(fuzz::write_log(fuzz::exchange()[0], false).open);
  std::string open(places.size, '\0');
  const auto put = [&](std::size_t at, std::size_t size) {
    const std::string_view part = parts.substr(0, size);
    std::copy(part.begin(), part.end(), open.begin() + static_cast<std::ptrdiff_t>(at));
    parts.remove_prefix(part.size());
  };
  put(0, sizeof(OpenHeader));
  for (const std::size_t at : places.at) put(at, kPart);
  return open;
}

}  // namespace

bool fuzz::run(std::string_view input) {
  static const fuzz::Folder folder;
  const auto parts = fuzz::unbundle(input, 2);
  std::string log(parts[0]), open;
  if (!parts[1].empty()) open = expand(parts[1]);
  if (input.size() % 2 == 0) {
    vouch(log);
    vouch_open(open, log);
  }
  const std::string path = folder.write("000000.0.vlog", log);
  if (open.empty()) {
    folder.remove("000000.0.open");
  } else {
    folder.write("000000.0.open", open);
  }
  const auto reader = formats::RankLogReader::open(path);
  if (!reader) {
    fuzz::check_message(reader.error().message);
    return false;
  }
  formats::RankEvent event;
  while (true) {
    const Result<bool> more = (*reader)->next(event);
    if (!more) fuzz::check_message(more.error().message);
    if (!more || !*more) break;
    if ((*reader)->event_end() < (*reader)->event_start()) fuzz::fail("an event ends before it starts");
  }
  for (const std::string& note : (*reader)->damage().notes) fuzz::check_message(note);
  return !(*reader)->damage().any() && (*reader)->event_number() > 10;
}

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> seeds;
  for (const merge::Script& script : exchange()) {
    for (const bool close : {true, false}) {
      const LogFiles files = write_log(script, close);
      seeds.push_back(bundle({files.sealed, close ? "" : condense(files.open)}));
    }
  }
  return seeds;
}
