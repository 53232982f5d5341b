// SPDX-License-Identifier: Apache-2.0
// The last frame of a .vef.zst: a zstd skippable frame (RFC 8878, 3.1.2) that ordinary zstd tools pass over.
// It holds where each frame of text begins, and what the recording knows beyond the text. Little endian, no
// padding:
//
//   u32 0x184D2A56, u32 payload size
//   "VEFINDX1", u32 frames, u32 metadata bytes
//   frames x { u64 offset in the file, u64 first line (from 1), u64 earliest time, u64 latest time }
//   metadata: a JSON object of texts; a key that occurs several times has an array of texts
//   u32 CRC-32 of the payload so far, u32 payload size, "VEFINDX1"
//
// The times are sums of the `time` fields of a task up to and including a record (units of the header's
// clock), the smallest and largest of the frame; both 0 in a frame without records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vef/base/result.h"
#include "vef/formats/trace_io.h"

namespace vef::formats {

class InputFile;

struct TraceTail {
  std::vector<TracePart> frames;
  Metadata metadata;
  std::uint64_t offset = 0;  // of the frame in the file that it was read from
};

/// Whether bytes that begin so may be the frame.
bool starts_tail(std::string_view bytes);

/// The bytes of the frame. An error (without a file's name) if they would exceed what a frame can hold.
Result<std::string> encode_tail(const TraceTail& tail);

/// The tail of `file`; empty if the file has none (made by other tools, or no regular file). An error if it
/// is damaged.
Result<TraceTail> read_tail(const InputFile& file);

}  // namespace vef::formats
