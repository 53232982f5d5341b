// SPDX-License-Identifier: Apache-2.0
#include "byte_source.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "byte_file.h"

namespace vef::formats {

namespace {

/// What the three kinds share: they own the file.
class FileSource : public ByteSource {
 public:
  explicit FileSource(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}
  const InputFile& file() const override { return *file_; }

 protected:
  /// The decoders look at some bytes before they find fault with them.
  Error damaged(const char* kind, const char* reason) const {
    return input_error(file_->path(), 0,
                       std::string("damaged ") + kind + " data before byte " +
                           std::to_string(file_->offset()) + " (" + reason + ")");
  }
  Error cut_off(const std::string& kind) const {
    return input_error(file_->path(), 0,
                       "truncated: the file ends at byte " + std::to_string(file_->offset()) +
                           " inside its " + kind + " data; expected a whole file");
  }

  std::unique_ptr<InputFile> file_;
};

class PlainSource final : public FileSource {
 public:
  using FileSource::FileSource;
  Compression compression() const override { return Compression::kNone; }

  Result<std::size_t> read(char* out, std::size_t size) override {
    const auto bytes = file_->peek();
    if (!bytes) return bytes.error();
    const std::size_t count = std::min(size, bytes->size());
    std::memcpy(out, bytes->data(), count);
    file_->consume(count);
    return count;
  }
};

class GzipSource final : public FileSource {
 public:
  static Result<std::unique_ptr<ByteSource>> create(std::unique_ptr<InputFile> file) {
    std::unique_ptr<GzipSource> source(new GzipSource(std::move(file)));
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&source->stream_, kGzipOnly) != Z_OK) {
      return Error{ErrorKind::kSystem, source->file_->path() + ": no memory for zlib"};
    }
    return std::unique_ptr<ByteSource>(std::move(source));
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  Compression compression() const override { return Compression::kGzip; }

  Result<std::size_t> read(char* out, std::size_t size) override {
    const auto limit = static_cast<uInt>(std::min<std::size_t>(size, 1U << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = limit;
    while (stream_.avail_out == limit) {
      const auto input = file_->peek();
      if (!input) return input.error();
      if (between_members_) {
        const Result<bool> more = begin_member(*input);
        if (!more) return more.error();
        if (!*more) return std::size_t{0};
      } else if (input->empty()) {
        return cut_off("gzip");
      }
      if (Status status = inflate_some(*input); !status) return status.error();
    }
    return static_cast<std::size_t>(limit - stream_.avail_out);
  }

 private:
  explicit GzipSource(std::unique_ptr<InputFile> file) : FileSource(std::move(file)) {}

  /// False: the file ends here. Zeros behind the last member are padding, as gzip(1) has it.
  Result<bool> begin_member(std::string_view input) {
    while (!input.empty() && input.front() == '\0') {
      file_->consume(std::min(input.find_first_not_of('\0'), input.size()));
      padded_ = true;
      const auto next = file_->peek();
      if (!next) return next.error();
      input = *next;
    }
    if (input.empty()) return false;
    if (padded_ || static_cast<unsigned char>(input.front()) != 0x1f) {
      return input_error(file_->path(), 0,
                         "no gzip data at byte " + std::to_string(file_->offset()) +
                             "; expected the end of the file or a further gzip member");
    }
    inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  Status inflate_some(std::string_view input) {
    const auto given = static_cast<uInt>(input.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));  // zlib only reads it
    stream_.avail_in = given;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    file_->consume(given - stream_.avail_in);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return damaged("gzip", stream_.msg != nullptr ? stream_.msg : zError(status));
    }
    return {};
  }

  z_stream stream_{};
  bool between_members_ = false;
  bool padded_ = false;
};

class ZstdSource final : public FileSource {
 public:
  explicit ZstdSource(std::unique_ptr<InputFile> file) : FileSource(std::move(file)) {}
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  Compression compression() const override { return Compression::kZstd; }

  Result<std::size_t> read(char* out, std::size_t size) override {
    if (stream_ == nullptr) return Error{ErrorKind::kSystem, file_->path() + ": no memory for zstd"};
    ZSTD_outBuffer output{out, size, 0};
    while (output.pos == 0) {
      const auto bytes = file_->peek();
      if (!bytes) return bytes.error();
      if (bytes->empty() && between_frames_) return std::size_t{0};
      ZSTD_inBuffer input{bytes->data(), bytes->size(), 0};
      const std::size_t hint = ZSTD_decompressStream(stream_, &output, &input);
      file_->consume(input.pos);
      if (ZSTD_isError(hint) != 0) {
        return damaged("zstd", ZSTD_getErrorName(hint));
      }
      between_frames_ = hint == 0;
      // Without input the decoder can only hand out what it holds back.
      if (bytes->empty() && output.pos == 0 && !between_frames_) return cut_off("zstd");
    }
    return output.pos;
  }

 private:
  ZSTD_DStream* stream_ = ZSTD_createDStream();
  bool between_frames_ = false;
};

bool starts_zstd(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  std::uint32_t magic = 0;
  for (int i = 3; i >= 0; --i)
    magic = magic << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  return open(std::move(*file));
}

Result<std::unique_ptr<ByteSource>> ByteSource::open(std::unique_ptr<InputFile> file) {
  const auto start = file->peek(4);
  if (!start) return start.error();
  if (start->starts_with("\x1f\x8b")) return GzipSource::create(std::move(file));
  if (starts_zstd(*start)) return std::unique_ptr<ByteSource>(new ZstdSource(std::move(file)));
  return std::unique_ptr<ByteSource>(new PlainSource(std::move(file)));
}

}  // namespace vef::formats
