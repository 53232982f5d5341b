// SPDX-License-Identifier: Apache-2.0
// Files as the operating system has them: a blockwise input file, and an output file that appears whole or
// not at all. One object per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vef/base/result.h"

namespace vef::formats {

/// The path that stands for standard input.
inline constexpr std::string_view kStandardInput = "-";

/// Reads a file (or pipe, or standard input) front to back in blocks of its own buffer.
class InputFile {
 public:
  static Result<std::unique_ptr<InputFile>> open(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// The bytes that are read but not consumed. If there are fewer than `wanted` (at most the buffer's size),
  /// reads more until there are or the file ends. Empty: the end.
  Result<std::string_view> peek(std::size_t wanted = 1);
  void consume(std::size_t count) { begin_ += count; }

  /// `size` bytes at `offset`, whatever peek() has read; only for regular files.
  Result<std::string> read_at(std::uint64_t offset, std::size_t size) const;

  /// Bytes consumed, and the file's size (0 where it has none: pipes).
  std::uint64_t offset() const { return read_ - (end_ - begin_); }
  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  InputFile(std::string path, int descriptor, std::uint64_t size);

  std::string path_;
  int descriptor_;
  std::uint64_t size_;
  std::uint64_t read_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// A file that is written under a temporary name beside its target and renamed by commit(). A target that
/// exists and is no regular file (a device, a pipe) is written directly. Without commit() the temporary file
/// is removed.
class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status write(std::string_view bytes);
  /// Writes over what is there already; only regular files.
  Status write_at(std::uint64_t offset, std::string_view bytes);
  /// Syncs the file, renames it and syncs its folder.
  Status commit();
  std::uint64_t offset() const { return offset_; }
  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, std::string target, std::string temporary, int descriptor);

  std::string path_;       // as the caller named it, for messages
  std::string target_;     // links resolved
  std::string temporary_;  // empty: written directly
  int descriptor_;
  std::uint64_t offset_ = 0;
};

}  // namespace vef::formats
