// SPDX-License-Identifier: Apache-2.0
// Gathers the records of each collective until all members of its communicator have taken part: a stream has
// the parts of one operation far from each other. Memory follows the operations that are not complete.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vef/formats/trace.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

class OpenCollectives {
 public:
  struct Whole {
    WholeCollective call;
    formats::CommId comm = 0;
    std::uint64_t id = 0;
    std::vector<std::uint64_t> notes;  // by rank in the communicator
  };

  explicit OpenCollectives(const formats::Communicators& communicators) : communicators_(communicators) {
    ranks_.resize(communicators.size());
  }

  /// Adds a part; `note` is the caller's. The operation, if this was its last part. Faults have no file's
  /// name.
  Result<std::optional<Whole>> add(const formats::Record& part, std::uint64_t note);
  /// A fault if an operation lacks a part.
  Status finish() const;

 private:
  struct Open {
    Whole whole;
    std::vector<bool> present;
    std::size_t missing = 0;
  };

  /// The member's rank, or -1.
  std::int32_t rank_in(formats::CommId comm, formats::TaskId task);

  formats::Communicators communicators_;
  std::vector<std::unordered_map<formats::TaskId, std::int32_t>> ranks_;  // filled when needed
  std::unordered_map<std::uint64_t, Open> open_;
};

}  // namespace vef::neighbours
