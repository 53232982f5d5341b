// SPDX-License-Identifier: Apache-2.0
// How many bytes the datatypes of a rank have.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dumpi_file.h"

namespace vef::neighbours {

class DumpiDatatypes {
 public:
  static constexpr std::int64_t kNull = 1;

  /// `sizes`: what the file says at its end, where a number that was used for several datatypes has the size
  /// of the first, and 0 means unknown.
  explicit DumpiDatatypes(const std::vector<std::uint32_t>& sizes);

  /// Takes notice of a call that makes a datatype or tells a size.
  void note(const DumpiCall& call);
  /// No value: not known.
  std::optional<std::uint64_t> size(std::int64_t datatype) const;

 private:
  void derive(std::int64_t made, std::uint64_t elements, std::int64_t of);
  void derive_struct(const DumpiCall& call);

  std::unordered_map<std::int64_t, std::uint64_t> sizes_;
};

}  // namespace vef::neighbours
