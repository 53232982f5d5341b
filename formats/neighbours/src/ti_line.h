// SPDX-License-Identifier: Apache-2.0
// One line of a time-independent trace at work.
#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ti_actions.h"
#include "ti_types.h"
#include "vef/base/units.h"
#include "vef_text_buffer.h"

namespace vef::neighbours {

inline constexpr double kTiMostBytes = 9e18;
inline constexpr double kTiMostFlops = 1e300;

inline bool parse_real(std::string_view text, double& value) {
  const auto end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(value);
}

/// A fault without a file's name.
inline Error ti_fault(const std::string& message) { return {ErrorKind::kInput, message}; }

/// Arguments are read in order; the first fault stays.
struct TiActions::Line {
  const std::vector<std::string_view>& words;
  std::uint64_t number;
  formats::TaskId rank;
  Task& task;
  formats::TaskId ranks;
  std::size_t next = 2;
  Status status;

  std::string_view action() const { return words[1]; }
  bool more() const { return next < words.size(); }

  double amount(const char* what, double lowest, double highest, bool whole) {
    double value = 0;
    if (!more()) {
      if (status) status = ti_fault(std::string(action()) + " lacks its " + what);
      return 0;
    }
    const std::string_view word = words[next++];
    if (!parse_real(word, value) || value < lowest || value > highest ||
        (whole && value != std::floor(value))) {
      if (status)
        status = ti_fault(std::string(what) + " " + formats::quoted(word) + "; expected a " +
                          (whole ? "whole " : "") + "number in its range");
      return 0;
    }
    return value;
  }
  std::uint64_t count(const char* what) {
    return static_cast<std::uint64_t>(amount(what, 0, kTiMostBytes, true));
  }
  formats::TaskId peer(const char* what) {
    return static_cast<formats::TaskId>(amount(what, 0, ranks - 1.0, true));
  }
  std::int64_t tag() {
    return static_cast<std::int64_t>(
        amount("tag", 0, static_cast<double>(std::numeric_limits<std::int32_t>::max()), true));
  }
  formats::TaskId root() { return more() ? peer("root") : 0; }

  /// Bytes of an element.
  std::uint64_t datatype() {
    if (!more()) return kTiDatatypeBytes[task.datatype];
    const double number_of_type = amount("datatype", -1, kTiDatatypeBytes.size() - 1.0, true);
    return number_of_type < 0 ? 0 : kTiDatatypeBytes[static_cast<std::size_t>(number_of_type)];
  }
  std::uint64_t bytes(std::uint64_t elements, std::uint64_t element) {
    const std::uint64_t size = saturating_multiply(elements, element);
    if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) && status)
      status = ti_fault("a size of more than 2^63 bytes");
    return size;
  }
  std::vector<std::uint64_t> counts(const char* what) {
    std::vector<std::uint64_t> values;
    for (formats::TaskId i = 0; i < ranks && status; ++i) values.push_back(count(what));
    values.resize(static_cast<std::size_t>(ranks));
    return values;
  }
};

}  // namespace vef::neighbours
