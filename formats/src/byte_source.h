// SPDX-License-Identifier: Apache-2.0
// A stream of bytes out of a file that may be compressed: plain, gzip (any number of members, RFC 1952) or
// zstd (any number of frames, skippable ones included, RFC 8878). The kind is found from the first bytes.
// Data that ends early or is damaged is an error that names the file and the offset in it. One object per
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "vef/base/result.h"

namespace vef::formats {

class InputFile;

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  static Result<std::unique_ptr<ByteSource>> open(const std::string& path);
  /// `file` stands at its begin.
  static Result<std::unique_ptr<ByteSource>> open(std::unique_ptr<InputFile> file);

  /// Puts up to `size` bytes at `out`; 0: the end, and the compressed data were whole.
  virtual Result<std::size_t> read(char* out, std::size_t size) = 0;

  virtual Compression compression() const = 0;
  /// The file underneath, for its offset and size.
  virtual const InputFile& file() const = 0;
};

}  // namespace vef::formats
