// SPDX-License-Identifier: Apache-2.0
// Sorts lines by time in bounded memory: what does not fit waits, sorted, in an unnamed temporary file beside
// the output. Lines of equal keys do not occur.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vef/base/result.h"

namespace vef::neighbours {

class SortedLines {
 public:
  struct Key {
    std::uint64_t time = 0;
    std::uint64_t order = 0;  // among those of one time
    bool operator<(const Key& other) const {
      return time != other.time ? time < other.time : order < other.order;
    }
  };

  /// `beside`: the path of the output. `memory`: how many bytes may wait in memory.
  explicit SortedLines(const std::string& beside, std::size_t memory = std::size_t{256} << 20)
      : beside_(beside), memory_(memory) {}
  ~SortedLines();
  SortedLines(const SortedLines&) = delete;
  SortedLines& operator=(const SortedLines&) = delete;

  /// `text`: one or more lines, with their ends.
  Status add(const Key& key, std::string_view text);
  /// Gives all of them in order; once.
  Status take(const std::function<Status(std::string_view text)>& give);

 private:
  struct Entry {
    Key key;
    std::size_t begin = 0;  // in text_
    std::size_t size = 0;
  };
  struct Run;

  void sort();
  Status spill();

  std::string beside_;
  std::size_t memory_;
  std::string text_;
  std::vector<Entry> entries_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;                                     // of the file
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs_;  // begin and end
};

}  // namespace vef::neighbours
