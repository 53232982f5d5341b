// SPDX-License-Identifier: Apache-2.0
// What several subcommands print.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vef/formats/trace.h"

namespace vef::cli {

/// JSON text of a result. Names of files need not be UTF-8; what is not becomes U+FFFD. `indent` -1: one
/// line.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);

/// Counts collective operations from their records: a communicator's records of a kind divided by its
/// members.
class OperationCounter {
 public:
  explicit OperationCounter(const formats::Communicators& communicators);

  /// `record` is collective.
  void add(const formats::Record& record) {
    ++records_[static_cast<std::size_t>(record.comm)][static_cast<std::size_t>(record.op)];
  }
  std::uint64_t operations(std::size_t op) const;

 private:
  std::vector<std::uint64_t> members_;  // by communicator, as the next
  std::vector<std::array<std::uint64_t, formats::kCollectiveOps>> records_;
};

}  // namespace vef::cli
