// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <nlohmann/json.hpp>

namespace vef::cli {

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

OperationCounter::OperationCounter(const formats::Communicators& communicators)
    : records_(communicators.size()) {
  for (const auto& members : communicators) members_.push_back(members.size());
}

std::uint64_t OperationCounter::operations(std::size_t op) const {
  std::uint64_t count = 0;
  for (std::size_t comm = 0; comm < records_.size(); ++comm) {
    if (members_[comm] != 0) count += records_[comm][op] / members_[comm];
  }
  return count;
}

}  // namespace vef::cli
