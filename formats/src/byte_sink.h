// SPDX-License-Identifier: Apache-2.0
// Where blocks of text go: a plain, gzip or zstd file, by the ending of its name. With zstd each block
// becomes one frame (checksummed, its size in its header), so that a reader may begin at any of them. One
// object per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.h"
#include "vef/base/result.h"

namespace vef::formats {

/// What create() makes of a file of this name.
Compression compression_of_name(std::string_view path);

/// Whether zstd has the level; 0 is the default.
Status check_zstd_level(const std::string& path, int level);

class ByteSink {
 public:
  virtual ~ByteSink() = default;

  /// `level` 0: the default of the compression; others must exist there (gzip 1-9, zstd 1-19). `threads`:
  /// beside the caller's, that compress blocks of zstd.
  static Result<std::unique_ptr<ByteSink>> create(const std::string& path, int level, unsigned threads = 0);

  virtual Status write_block(std::string_view text) = 0;
  /// Waits until all blocks are in the file. Says where each begins.
  virtual Result<std::vector<std::uint64_t>> end_blocks() = 0;
  /// Appends bytes that are not compressed; only after end_blocks().
  virtual Status write_raw(std::string_view bytes) = 0;
  /// Makes the file whole under its name.
  virtual Status finish() = 0;

  virtual Compression compression() const = 0;
};

}  // namespace vef::formats
