// SPDX-License-Identifier: Apache-2.0
// DUMPI's traces as its `dumpi2ascii` prints them: text of calls, one argument a line.
//
// Facts: sstsimulator/sst-dumpi, commit a4c8bf5, dumpi/bin/{dumpi2ascii.c,dumpi2ascii-defs.h,
// dumpi2ascii-callbacks.c}, names and numbers dumpi/common/constants.{h,c}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "element_units.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

namespace dumpi {

inline constexpr std::uint64_t kNoType = 0;  // shown for what only the root has
inline constexpr std::uint64_t kByte = 5;
inline constexpr std::uint64_t kLongLong = 18;
inline constexpr std::uint64_t kNoComm = 1;
inline constexpr std::uint64_t kWorld = 2;
inline constexpr std::uint64_t kFirstComm = 4;
inline constexpr std::uint64_t kEmptyGroup = 2;
inline constexpr std::uint64_t kFirstGroup = 3;
inline constexpr std::uint64_t kFirstRequest = 2;
inline constexpr std::uint64_t kMostHandles = 0xffff;  // the binary form has 16 bits

/// The datatype whose elements are counted.
inline std::uint64_t type_of(const ElementUnits& units) { return units.bytes == 1 ? kByte : kLongLong; }

}  // namespace dumpi

class DumpiText {
 public:
  DumpiText& entering(std::string_view call, std::uint64_t nanoseconds);
  DumpiText& returning(std::string_view call, std::uint64_t nanoseconds);

  DumpiText& number(std::string_view name, std::uint64_t value);
  DumpiText& numbers(std::string_view name, const std::vector<std::uint64_t>& values);
  /// An array that the rank does not have.
  DumpiText& no_numbers(std::string_view name, std::size_t size);
  DumpiText& datatype(std::string_view name, std::uint64_t type);
  DumpiText& comm(std::string_view name, std::uint64_t comm);
  DumpiText& group(std::string_view name, std::uint64_t group);
  DumpiText& request(std::uint64_t request);
  DumpiText& no_status();
  /// What a reduction computes: MPI_BOR, for it is not known, and that fits all datatypes that are written.
  DumpiText& operation();
  DumpiText& text(std::string_view lines);

  /// What stands before the calls, and the sizes of the datatypes, which stand after them.
  DumpiText& header();
  DumpiText& datatype_sizes();

  std::string take() { return std::exchange(text_, {}); }
  std::size_t size() const { return text_.size(); }

 private:
  DumpiText& time(std::string_view call, std::string_view what, std::uint64_t nanoseconds);
  DumpiText& handle(std::string_view type, std::string_view name, std::uint64_t value,
                    std::string_view meaning);

  std::string text_;
};

/// What the members of a collective print between entering it and returning.
struct DumpiCollective {
  std::string_view name;
  std::vector<std::string> arguments;  // by rank in the communicator
  bool rounded = false;                // a size was no multiple of the elements'
};
/// `comm`: its number in DUMPI. A fault has no file's name.
Result<DumpiCollective> dumpi_collective(const WholeCollective& call, std::uint64_t comm);

}  // namespace vef::neighbours
