// SPDX-License-Identifier: Apache-2.0
#include "dumpi_file.h"

#include <algorithm>

#include "byte_file.h"
#include "dumpi_functions.h"

namespace vef::neighbours {

namespace {

constexpr std::uint64_t kIndexBytes = 64;  // magic, then where what is: sizes, addresses, counters, header,
                                           // stream, footer, key values
constexpr std::uint8_t kStatuses = 3;      // bits of a call's mask
constexpr std::uint8_t kCpuTime = 4;
constexpr std::uint8_t kWallTime = 8;
constexpr std::uint8_t kThread = 64;
constexpr std::uint8_t kCounters = 128;
constexpr std::uint32_t kOldestVersion = 0x000609;  // 0.6.9; before, some calls were laid out differently

template <class T>
T big(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<T>(value);
}

Result<std::string> read_at(const std::string& path, std::uint64_t offset, std::uint64_t size,
                            const char* what) {
  const auto file = formats::InputFile::open(path);
  if (!file) return file.error();
  const std::uint64_t total = (*file)->size();
  if (offset > total || size > total - offset)
    return input_error(path, 0,
                       std::string(what) + " at byte " + std::to_string(offset) +
                           " does not fit; the file has " + std::to_string(total) + " bytes");
  return (*file)->read_at(offset, size);
}

}  // namespace

Error DumpiFile::fault(std::uint64_t at, const std::string& message) const {
  return input_error(path_, 0, "byte " + std::to_string(at) + ": " + message);
}

Result<DumpiFile> DumpiFile::open(const std::string& path, std::size_t buffer_bytes) {
  DumpiFile file;
  file.path_ = path;
  file.buffer_bytes_ = buffer_bytes;
  const auto magic = read_at(path, 0, kDumpiMagic.size(), "the first number");
  if (!magic) return magic.error();
  if (*magic != kDumpiMagic) return file.fault(0, "no magic number of DUMPI; expected ffaadd44554d5049");
  if (Status status = file.read_index(); !status) return status.error();
  constexpr std::uint64_t kBiases = 8;
  const auto biases = read_at(path, file.begin_, kBiases, "the stream of calls");
  if (!biases) return biases.error();
  file.cpu_bias_ = big<std::uint32_t>(*biases);
  file.wall_bias_ = big<std::uint32_t>(std::string_view(*biases).substr(4));
  file.buffer_start_ = file.begin_ + kBiases;
  return file;
}

Status DumpiFile::read_index() {
  const auto file = formats::InputFile::open(path_);
  if (!file) return file.error();
  const std::uint64_t size = (*file)->size();
  if (size < kIndexBytes + kDumpiMagic.size())
    return input_error(path_, 0, std::to_string(size) + " bytes; expected a whole file of DUMPI");
  const auto index = (*file)->read_at(size - kIndexBytes, kIndexBytes);
  if (!index) return index.error();
  if (!index->starts_with(kDumpiMagic))
    return fault(size - kIndexBytes, "no index of DUMPI; expected one, which a whole file has at its end");
  const auto entry = [&](std::size_t i) {
    return big<std::uint64_t>(std::string_view(*index).substr(8 * i));
  };
  const std::uint64_t header = entry(4);
  begin_ = entry(5);
  end_ = header;
  if (begin_ < kDumpiMagic.size() || begin_ >= header || header > size - kIndexBytes)
    return fault(size - kIndexBytes, "the stream of calls at byte " + std::to_string(begin_) +
                                         " and the header at " + std::to_string(header) +
                                         "; expected them in this order in the file");
  if (Status status = check_version(header); !status) return status;
  return read_sizes(entry(1));
}

Status DumpiFile::check_version(std::uint64_t at) {
  const auto version = read_at(path_, at, 3, "the header");
  if (!version) return version.error();
  std::uint32_t number = 0;
  std::string text;
  for (const char c : *version) {
    number = number << 8 | static_cast<unsigned char>(c);
    text += (text.empty() ? "" : ".") + std::to_string(static_cast<unsigned char>(c));
  }
  if (number < kOldestVersion) return fault(at, "version " + text + "; expected 0.6.9 or later");
  return {};
}

Status DumpiFile::read_sizes(std::uint64_t at) {
  if (at == 0) return {};
  const auto count = read_at(path_, at, 4, "the sizes of datatypes");
  if (!count) return count.error();
  const auto sizes =
      read_at(path_, at + 4, std::uint64_t{4} * big<std::uint32_t>(*count), "the sizes of datatypes");
  if (!sizes) return sizes.error();
  for (std::size_t i = 0; i < sizes->size(); i += 4)
    datatype_sizes_.push_back(big<std::uint32_t>(std::string_view(*sizes).substr(i)));
  return {};
}

bool DumpiFile::fits(std::uint64_t size) {
  if (size <= end_ - offset()) return true;
  status_ = fault(offset(), "the stream of calls ends in the middle of a call; expected its end number");
  return false;
}

bool DumpiFile::need(std::size_t size) {
  if (!status_) return false;
  if (buffer_.size() - next_ >= size) return true;
  const std::uint64_t at = offset();
  if (!fits(size)) return false;
  const std::uint64_t more = std::max<std::uint64_t>(size, std::min<std::uint64_t>(buffer_bytes_, end_ - at));
  auto read = read_at(path_, at, more, "a call");
  if (!read) {
    status_ = read.error();
    return false;
  }
  buffer_ = std::move(*read);
  buffer_start_ = at;
  next_ = 0;
  return true;
}

template <class T>
T DumpiFile::take() {
  if (!need(sizeof(T))) return 0;
  const T value = big<T>(std::string_view(buffer_).substr(next_));
  next_ += sizeof(T);
  return value;
}

void DumpiFile::skip(std::uint64_t size) {
  if (!status_ || !fits(size)) return;
  if (size <= buffer_.size() - next_) {
    next_ += static_cast<std::size_t>(size);
    return;
  }
  buffer_start_ = offset() + size;
  buffer_.clear();
  next_ = 0;
}

std::uint32_t DumpiFile::take_count(std::size_t bytes_each) {
  const std::uint64_t at = offset();
  const auto count = take<std::uint32_t>();
  if (!status_) return 0;
  if (count <= (end_ - offset()) / bytes_each) return count;
  status_ = fault(at, std::to_string(count) + " things in an array; expected what fits into the " +
                          std::to_string(end_ - offset()) + " bytes behind it");
  return 0;
}

Result<bool> DumpiFile::next(DumpiCall& call) {
  if (ended_) return false;
  call.offset = offset();
  call.function = take<std::uint16_t>();
  if (!status_) return status_.error();
  if (call.function == kDumpiEndOfStream) {
    ended_ = true;
    return false;
  }
  const bool known = call.function < kDumpiFunctions.size();
  const DumpiFunction what = known ? kDumpiFunctions[call.function] : DumpiFunction{};
  if (what.name.empty() || what.layout == "!")
    return fault(call.offset, "function " + std::to_string(call.function) +
                                  "; expected one that DUMPI records, or the end (293)");
  const auto mask = take<std::uint8_t>();
  call.thread = (mask & kThread) != 0 ? take<std::uint16_t>() : 0;
  call.has_time = take_times(mask, call);
  if ((mask & kCounters) != 0) skip(std::uint64_t{16} * take<std::uint8_t>());
  take_arguments(what.layout, (mask & kStatuses) != 0, call);
  if (!status_) return status_.error();
  return true;
}

bool DumpiFile::take_times(std::uint8_t mask, DumpiCall& call) {
  if ((mask & kCpuTime) != 0) {
    call.begin = take_time(last_cpu_, cpu_bias_);
    call.end = take_time(last_cpu_, cpu_bias_);
  }
  if ((mask & kWallTime) != 0) {
    call.begin = take_time(last_wall_, wall_bias_);
    call.end = take_time(last_wall_, wall_bias_);
  }
  return (mask & (kCpuTime | kWallTime)) != 0;
}

std::uint64_t DumpiFile::take_time(std::uint64_t& last_seconds, std::uint32_t bias) {
  constexpr std::uint64_t kWrap = 1 << 16;  // seconds have 16 bits
  constexpr std::uint64_t kNanos = 1'000'000'000;
  const std::uint64_t at = offset();
  std::uint64_t seconds = take<std::uint16_t>();
  const auto nanoseconds = take<std::uint32_t>();
  if (!status_) return 0;
  if (nanoseconds >= kNanos) {
    status_ = fault(at, std::to_string(nanoseconds) + " nanoseconds; expected less than 10^9");
    return 0;
  }
  seconds += last_seconds / kWrap * kWrap;
  if (seconds + kWrap / 2 < last_seconds) seconds += kWrap;
  last_seconds = std::max(last_seconds, seconds);
  return (bias + seconds) * kNanos + nanoseconds;
}

void DumpiFile::take_arguments(std::string_view layout, bool with_statuses, DumpiCall& call) {
  call.values.clear();
  call.statuses.clear();
  call.list_count = 0;
  std::int64_t rank = -1;
  std::int64_t root = -1;
  const auto next_list = [&]() -> std::vector<std::int32_t>& {
    if (call.list_count == call.lists.size()) call.lists.emplace_back();
    call.lists[call.list_count].clear();
    return call.lists[call.list_count++];
  };
  for (std::size_t i = 0; i < layout.size() && status_; ++i) {
    switch (layout[i]) {
      case 'i':
      case 'r':
      case 'o':
        call.values.push_back(static_cast<std::int32_t>(take<std::uint32_t>()));
        if (layout[i] == 'r') rank = call.values.back();
        if (layout[i] == 'o') root = call.values.back();
        break;
      case 'h':
        call.values.push_back(take<std::uint16_t>());
        break;
      case 'b':
        call.values.push_back(take<std::uint8_t>());
        break;
      case 'l':
        call.values.push_back(static_cast<std::int64_t>(take<std::uint64_t>()));
        break;
      case 'a':
      case 't':
        take_list(next_list(), layout[i] == 't');
        break;
      case 'A': {
        std::vector<std::int32_t>& all = next_list();
        for (auto rows = take_count(4); rows != 0 && status_; --rows) take_list(all, false);
        break;
      }
      case 'c':
      case 'C':
      case 'D':
        skip_strings(layout[i] == 'c' ? 0 : layout[i] == 'C' ? 1 : 2);
        break;
      case 's':
        if (with_statuses) take_statuses(call);
        break;
      case '(':
        if (rank != root) i = layout.find(')', i);
        break;
      default:
        break;
    }
  }
}

void DumpiFile::take_list(std::vector<std::int32_t>& list, bool handles) {
  for (auto count = take_count(handles ? 2 : 4); count != 0 && status_; --count)
    list.push_back(handles ? std::int32_t{take<std::uint16_t>()}
                           : static_cast<std::int32_t>(take<std::uint32_t>()));
}

void DumpiFile::take_statuses(DumpiCall& call) {
  constexpr std::size_t kStatusBytes = 14;
  for (auto count = take_count(kStatusBytes); count != 0 && status_; --count) {
    DumpiStatus status;
    skip(4);  // bytes: a message is as big as its sender says
    status.source = static_cast<std::int32_t>(take<std::uint32_t>());
    status.cancelled = take<std::uint8_t>() != 0;
    skip(1);
    status.tag = static_cast<std::int32_t>(take<std::uint32_t>());
    call.statuses.push_back(status);
  }
}

void DumpiFile::skip_strings(int depth) {
  if (depth == 0) {
    skip(take_count(1));
    return;
  }
  for (auto count = take_count(4); count != 0 && status_; --count) skip_strings(depth - 1);
}

}  // namespace vef::neighbours
