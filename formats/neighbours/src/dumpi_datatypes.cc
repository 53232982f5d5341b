// SPDX-License-Identifier: Apache-2.0
#include "dumpi_datatypes.h"

#include <algorithm>
#include <array>

#include "dumpi_functions.h"
#include "vef/base/units.h"

namespace vef::neighbours {

namespace {

// By number: error, null, char, signed char, unsigned char, byte, wchar, short, unsigned short, int,
// unsigned, long, unsigned long, float, double, long double, long long int, unsigned long long, long long,
// packed, lb, ub, then with an int: float, double, long, short, int, long double. As on x86-64.
constexpr std::array<std::uint8_t, 28> kBuiltIn = {0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                                   8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

std::uint64_t natural(std::int64_t value) { return value < 0 ? 0 : static_cast<std::uint64_t>(value); }

std::uint64_t sum(const std::vector<std::int32_t>& values) {
  std::uint64_t total = 0;
  for (const std::int32_t value : values) saturating_add_to(total, natural(value));
  return total;
}

}  // namespace

DumpiDatatypes::DumpiDatatypes(const std::vector<std::uint32_t>& sizes) {
  for (std::size_t i = 0; i < kBuiltIn.size(); ++i) sizes_[static_cast<std::int64_t>(i)] = kBuiltIn[i];
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 0) sizes_[static_cast<std::int64_t>(i)] = sizes[i];
  }
}

std::optional<std::uint64_t> DumpiDatatypes::size(std::int64_t datatype) const {
  const auto found = sizes_.find(datatype);
  if (found == sizes_.end()) return std::nullopt;
  return found->second;
}

void DumpiDatatypes::derive(std::int64_t made, std::uint64_t elements, std::int64_t of) {
  if (const auto bytes = size(of)) sizes_[made] = saturating_multiply(elements, *bytes);
}

void DumpiDatatypes::derive_struct(const DumpiCall& call) {
  const std::vector<std::int32_t>& lengths = call.lists[0];
  const std::vector<std::int32_t>& types = call.lists[2];
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < std::min(lengths.size(), types.size()); ++i) {
    const auto bytes = size(types[i]);
    if (!bytes) return;
    saturating_add_to(total, saturating_multiply(natural(lengths[i]), *bytes));
  }
  sizes_[call.values.back()] = total;
}

void DumpiDatatypes::note(const DumpiCall& call) {
  const auto& values = call.values;
  const std::size_t last = values.size() - 1;
  switch (call.function) {
    case dumpi_number("Type_contiguous"):
      derive(values[2], natural(values[0]), values[1]);
      break;
    case dumpi_number("Type_vector"):
    case dumpi_number("Type_hvector"):
    case dumpi_number("Type_create_hvector"):
      derive(values[4], saturating_multiply(natural(values[0]), natural(values[1])), values[3]);
      break;
    case dumpi_number("Type_indexed"):
    case dumpi_number("Type_hindexed"):
    case dumpi_number("Type_create_hindexed"):
      derive(values[2], sum(call.lists[0]), values[1]);
      break;
    case dumpi_number("Type_create_indexed_block"):
      derive(values[3], saturating_multiply(natural(values[0]), natural(values[1])), values[2]);
      break;
    case dumpi_number("Type_struct"):
    case dumpi_number("Type_create_struct"):
      derive_struct(call);
      break;
    case dumpi_number("Type_create_subarray"): {
      std::uint64_t elements = 1;
      for (const std::int32_t length : call.lists[1])
        elements = saturating_multiply(elements, natural(length));
      derive(values[3], elements, values[2]);
      break;
    }
    case dumpi_number("Type_dup"):
    case dumpi_number("Type_create_resized"):
      derive(values[last], 1, values[0]);
      break;
    case dumpi_number("Type_size"):
      sizes_[values[0]] = natural(values[1]);
      break;
    case dumpi_number("Type_match_size"):
      sizes_[values[2]] = natural(values[1]);
      break;
    default:
      break;
  }
}

}  // namespace vef::neighbours
