// SPDX-License-Identifier: Apache-2.0
#include "record_counts.h"

namespace vef::formats {

std::string RecordCounts::excess(const Record& record) const {
  if (record.kind != RecordKind::kCollective) {
    return "one point-to-point record more; the header promises " + std::to_string(header_.messages);
  }
  if (collective_records_ > header_.collective_records) {
    return "one collective record more; the header promises " + std::to_string(header_.collective_records);
  }
  return "G" + std::to_string(record.id) + " is one collective more; the header promises " +
         std::to_string(header_.collectives);
}

std::string RecordCounts::lack() const {
  if (messages_ < header_.messages || collective_records_ < header_.collective_records) {
    return "ends after " + std::to_string(messages_ + collective_records_) + " records (" +
           std::to_string(messages_) + " point-to-point, " + std::to_string(collective_records_) +
           " collective); the header promises " +
           std::to_string(header_.messages + header_.collective_records) + " (" +
           std::to_string(header_.messages) + " and " + std::to_string(header_.collective_records) + ")";
  }
  if (collectives_.size() < header_.collectives) {
    return "ends after " + std::to_string(collectives_.size()) + " collectives; the header promises " +
           std::to_string(header_.collectives);
  }
  return "";
}

std::string RecordCounts::difference() const {
  const auto compare = [](std::uint64_t written, std::uint64_t promised, const char* what) -> std::string {
    if (written == promised) return "";
    return std::to_string(written) + " " + what + "; expected the header's " + std::to_string(promised);
  };
  std::string different = compare(messages_, header_.messages, "point-to-point records");
  if (different.empty()) different = compare(collectives_.size(), header_.collectives, "collectives");
  if (different.empty())
    different = compare(collective_records_, header_.collective_records, "collective records");
  return different;
}

}  // namespace vef::formats
