// SPDX-License-Identifier: Apache-2.0
#include "byte_sink.h"

#include <zlib.h>
#include <zstd.h>

#include <utility>
#include <vector>

#include "byte_file.h"
#include "ordered_jobs.h"

namespace vef::formats {

namespace {

class FileSink : public ByteSink {
 public:
  explicit FileSink(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}
  Status write_raw(std::string_view bytes) override { return file_->write(bytes); }
  Result<std::vector<std::uint64_t>> end_blocks() override { return std::move(block_offsets_); }
  Status finish() override { return file_->commit(); }

 protected:
  Status append_block(std::string_view bytes) {
    block_offsets_.push_back(file_->offset());
    return file_->write(bytes);
  }
  Error failed(const std::string& what) const { return {ErrorKind::kSystem, file_->path() + ": " + what}; }

  std::unique_ptr<OutputFile> file_;
  std::vector<std::uint64_t> block_offsets_;
};

class PlainSink final : public FileSink {
 public:
  using FileSink::FileSink;
  Compression compression() const override { return Compression::kNone; }
  Status write_block(std::string_view text) override { return append_block(text); }
};

class GzipSink final : public FileSink {
 public:
  static Result<std::unique_ptr<ByteSink>> create(std::unique_ptr<OutputFile> file, int level) {
    std::unique_ptr<GzipSink> sink(new GzipSink(std::move(file)));
    constexpr int kGzip = 16 + MAX_WBITS;
    constexpr int kMemoryLevel = 8;
    const int zlib_level = level == 0 ? Z_DEFAULT_COMPRESSION : level;
    if (deflateInit2(&sink->stream_, zlib_level, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      return sink->failed("no memory for zlib");
    }
    return std::unique_ptr<ByteSink>(std::move(sink));
  }
  ~GzipSink() override { deflateEnd(&stream_); }
  Compression compression() const override { return Compression::kGzip; }

  Status write_block(std::string_view text) override {
    // zlib counts in 32 bits: give it long blocks in pieces.
    constexpr std::size_t kPiece = 1U << 30;
    while (text.size() > kPiece) {
      if (Status status = deflate_all(text.substr(0, kPiece), Z_NO_FLUSH); !status) return status;
      text.remove_prefix(kPiece);
    }
    return deflate_all(text, Z_NO_FLUSH);
  }

  Status finish() override {
    if (Status status = deflate_all({}, Z_FINISH); !status) return status;
    return FileSink::finish();
  }

 private:
  explicit GzipSink(std::unique_ptr<OutputFile> file) : FileSink(std::move(file)), buffer_(256 * 1024) {}

  Status deflate_all(std::string_view text, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      if (deflate(&stream_, flush) == Z_STREAM_ERROR) return failed("zlib refused to compress");
      if (Status status = file_->write({buffer_.data(), buffer_.size() - stream_.avail_out}); !status)
        return status;
    } while (stream_.avail_out == 0);
    return {};
  }

  z_stream stream_{};
  std::vector<char> buffer_;
};

/// Digits of times hardly repeat: the long search of higher levels takes three times as long and finds less.
constexpr int kZstdLevelForText = 1;

/// A block as a frame.
class FrameCompressor {
 public:
  explicit FrameCompressor(int level) : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) return;
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level == 0 ? kZstdLevelForText : level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  /// The frame lies in here until the next call. An error tells the reason alone.
  Result<std::string_view> compress(std::string_view text) {
    if (context_ == nullptr) return Error{ErrorKind::kSystem, "no memory for zstd"};
    if (const std::size_t bound = ZSTD_compressBound(text.size()); buffer_.size() < bound)
      buffer_.resize(bound);
    const std::size_t size =
        ZSTD_compress2(context_.get(), buffer_.data(), buffer_.size(), text.data(), text.size());
    if (ZSTD_isError(size) != 0)
      return Error{ErrorKind::kSystem, std::string("zstd: ") + ZSTD_getErrorName(size)};
    return std::string_view(buffer_.data(), size);
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_;
  std::vector<char> buffer_;
};

class ZstdSink final : public FileSink {
 public:
  ZstdSink(std::unique_ptr<OutputFile> file, int level, unsigned threads)
      : FileSink(std::move(file)), level_(level), jobs_(threads) {}
  Compression compression() const override { return Compression::kZstd; }

  Status write_block(std::string_view text) override {
    if (jobs_.full()) {
      if (jobs_.empty()) return write_here(text);
      if (Status status = write_oldest(); !status) return status;
    }
    std::shared_ptr<Work> work = std::move(idle_);
    if (!work) work = std::make_shared<Work>(level_);
    work->text.assign(text);
    jobs_.start([work] {
      work->frame = work->compressor.compress(work->text);
      return work;
    });
    return {};
  }

  Result<std::vector<std::uint64_t>> end_blocks() override {
    while (!jobs_.empty()) {
      if (Status status = write_oldest(); !status) return status.error();
    }
    return FileSink::end_blocks();
  }
  Status finish() override {
    if (const auto offsets = end_blocks(); !offsets) return offsets.error();
    return FileSink::finish();
  }

 private:
  /// A block on its way; used again for a later one.
  struct Work {
    explicit Work(int level) : compressor(level) {}

    FrameCompressor compressor;
    std::string text;
    Result<std::string_view> frame = std::string_view();
  };

  /// Without threads.
  Status write_here(std::string_view text) {
    if (!idle_) idle_ = std::make_shared<Work>(level_);
    return write(idle_->compressor.compress(text));
  }
  Status write_oldest() {
    idle_ = jobs_.take();
    return write(idle_->frame);
  }
  Status write(const Result<std::string_view>& frame) {
    return frame.ok() ? append_block(*frame) : failed(frame.error().message);
  }

  int level_;
  std::shared_ptr<Work> idle_;
  OrderedJobs<std::shared_ptr<Work>> jobs_;
};

Status check_level(const std::string& path, int level, int highest) {
  if (level >= 0 && level <= highest) return {};
  return usage_error(path + ": compression level " + std::to_string(level) + "; expected 1 to " +
                     std::to_string(highest) + ", or 0 for the default");
}

constexpr int kGzipLevels = 9;
constexpr int kZstdLevels = 19;

}  // namespace

Compression compression_of_name(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::kGzip;
  return path.ends_with(".zst") ? Compression::kZstd : Compression::kNone;
}

Status check_zstd_level(const std::string& path, int level) { return check_level(path, level, kZstdLevels); }

Result<std::unique_ptr<ByteSink>> ByteSink::create(const std::string& path, int level, unsigned threads) {
  const Compression compression = compression_of_name(path);
  const bool gzip = compression == Compression::kGzip;
  const bool zstd = compression == Compression::kZstd;
  if (gzip || zstd) {
    if (Status status = check_level(path, level, gzip ? kGzipLevels : kZstdLevels); !status)
      return status.error();
  }
  auto file = OutputFile::create(path);
  if (!file) return file.error();
  if (gzip) return GzipSink::create(std::move(*file), level);
  if (zstd) return std::unique_ptr<ByteSink>(new ZstdSink(std::move(*file), level, threads));
  return std::unique_ptr<ByteSink>(new PlainSink(std::move(*file)));
}

}  // namespace vef::formats
