// SPDX-License-Identifier: Apache-2.0
#include "zstd_memory_source.h"

#include <utility>

#include "byte_file.h"

namespace vef::formats {

ZstdMemorySource::ZstdMemorySource(const InputFile& file, std::string packed, std::string what)
    : file_(file),
      packed_(std::move(packed)),
      what_(std::move(what)),
      input_{packed_.data(), packed_.size(), 0},
      stream_(ZSTD_createDStream()) {}

Result<std::size_t> ZstdMemorySource::read(char* out, std::size_t size) {
  if (stream_ == nullptr) return Error{ErrorKind::kSystem, file_.path() + ": no memory for zstd"};
  ZSTD_outBuffer output{out, size, 0};
  while (output.pos == 0) {
    if (input_.pos == input_.size && whole_) return std::size_t{0};
    const std::size_t given = input_.pos;
    const std::size_t left = ZSTD_decompressStream(stream_.get(), &output, &input_);
    whole_ = left == 0;
    if (ZSTD_isError(left) != 0 || (output.pos == 0 && input_.pos == given && !whole_))
      return input_error(file_.path(), 0, "damaged " + what_ + "; expected whole zstd data");
  }
  return output.pos;
}

}  // namespace vef::formats
