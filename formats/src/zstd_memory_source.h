// SPDX-License-Identifier: Apache-2.0
// The text of whole zstd frames that lie in memory, decompressed as it is asked for, so that a few bytes
// cannot claim much memory. One object per thread.
#pragma once

#include <zstd.h>

#include <memory>
#include <string>

#include "byte_source.h"

namespace vef::formats {

class ZstdMemorySource final : public ByteSource {
 public:
  /// `file`: where `packed` comes from, for messages; `what`: what it is there.
  ZstdMemorySource(const InputFile& file, std::string packed, std::string what);
  Compression compression() const override { return Compression::kZstd; }
  const InputFile& file() const override { return file_; }
  Result<std::size_t> read(char* out, std::size_t size) override;

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  const InputFile& file_;
  std::string packed_;
  std::string what_;
  ZSTD_inBuffer input_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  bool whole_ = true;  // no frame is begun
};

}  // namespace vef::formats
