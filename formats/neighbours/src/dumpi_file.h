// SPDX-License-Identifier: Apache-2.0
// The file of one rank as DUMPI writes it: what it says of the rank, and its calls one after another.
//
// The file is opened for every read, so that thousands of ranks can be read side by side; memory is a buffer.
// Facts: sstsimulator/sst-dumpi, commit a4c8bf5, dumpi/common/{io.c,iodefs.h}. All numbers are big endian:
// magic; the stream (two times in seconds that those of the calls count from, calls, the end's number);
// header, footer, key values, counters, addresses, sizes of datatypes; an index of eight numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vef/base/result.h"

namespace vef::neighbours {

inline constexpr std::string_view kDumpiMagic = "\xff\xaa\xdd\x44UMPI";

struct DumpiStatus {
  std::int32_t source = 0;
  std::int32_t tag = 0;
  bool cancelled = false;
};

/// A call. Arguments are in the order of the stream: numbers and handles in `values`, arrays of them in
/// `lists`; strings are skipped.
struct DumpiCall {
  std::uint16_t function = 0;
  std::uint64_t offset = 0;
  std::uint16_t thread = 0;
  bool has_time = false;
  std::uint64_t begin = 0;  // nanoseconds
  std::uint64_t end = 0;
  std::vector<std::int64_t> values;
  std::vector<std::vector<std::int32_t>> lists;
  std::size_t list_count = 0;  // further lists are left from calls before
  std::vector<DumpiStatus> statuses;

  std::int32_t value(std::size_t i) const { return static_cast<std::int32_t>(values[i]); }
};

class DumpiFile {
 public:
  static Result<DumpiFile> open(const std::string& path, std::size_t buffer_bytes);

  /// False: the end of the stream.
  Result<bool> next(DumpiCall& call);

  const std::string& path() const { return path_; }
  /// By the numbers of datatypes; 0: unknown.
  const std::vector<std::uint32_t>& datatype_sizes() const { return datatype_sizes_; }
  std::uint64_t bytes_read() const { return offset(); }
  std::uint64_t bytes_total() const { return end_; }
  Error fault(std::uint64_t at, const std::string& message) const;

 private:
  DumpiFile() = default;

  Status read_index();
  Status read_sizes(std::uint64_t at);
  Status check_version(std::uint64_t at);

  std::uint64_t offset() const { return buffer_start_ + next_; }
  /// Makes `size` bytes available, at most a few hundred; the first fault stays in status_.
  bool need(std::size_t size);
  bool fits(std::uint64_t size);
  template <class T>
  T take();
  void skip(std::uint64_t size);
  /// A number of things of at least `bytes_each`, which the rest of the file must hold.
  std::uint32_t take_count(std::size_t bytes_each);
  bool take_times(std::uint8_t mask, DumpiCall& call);
  std::uint64_t take_time(std::uint64_t& last_seconds, std::uint32_t bias);
  void take_arguments(std::string_view layout, bool with_statuses, DumpiCall& call);
  void take_list(std::vector<std::int32_t>& list, bool handles);
  void take_statuses(DumpiCall& call);
  void skip_strings(int depth);

  std::string path_;
  std::size_t buffer_bytes_ = 0;
  std::uint64_t begin_ = 0;  // of the stream
  std::uint64_t end_ = 0;    // of the stream, which the header follows
  std::vector<std::uint32_t> datatype_sizes_;
  std::string buffer_;
  std::uint64_t buffer_start_ = 0;
  std::size_t next_ = 0;
  std::uint32_t cpu_bias_ = 0;
  std::uint32_t wall_bias_ = 0;
  std::uint64_t last_cpu_ = 0;
  std::uint64_t last_wall_ = 0;
  bool ended_ = false;
  Status status_;
};

}  // namespace vef::neighbours
