// SPDX-License-Identifier: Apache-2.0
#include "capture_info.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace vef::merge {

namespace {

constexpr std::pair<const char*, const char*> kKeys[] = {
    {"program", "application"},       {"command", "command line"}, {"mpi_library", "MPI library"},
    {"mpi_family", "MPI family"},     {"start_wall_ns", "start"},  {"shim_version", "recorder"},
    {"options", "recording options"},
};

/// A value as text: strings as they are, lists of strings (an argv) with spaces between.
std::string to_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string text;
  for (const auto& item : value) text += (text.empty() ? "" : " ") + to_text(item);
  return text;
}

/// Nanoseconds since 1970 as "2026-03-01 12:30:05 UTC"; other values as they are.
std::string to_date(const nlohmann::json& value) {
  if (!value.is_number_unsigned()) return to_text(value);
  const auto seconds = static_cast<std::time_t>(value.get<std::uint64_t>() / 1'000'000'000);
  std::tm utc{};
  char text[64];
  if (gmtime_r(&seconds, &utc) == nullptr) return to_text(value);
  return std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc) == 0 ? to_text(value) : text;
}

/// Metadata is text of one line each.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\0') c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

formats::Metadata metadata_of(const nlohmann::json& json) {
  formats::Metadata metadata;
  for (const auto& [key, name] : kKeys) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) continue;
    if (std::string text =
            one_line(std::string_view(key) == "start_wall_ns" ? to_date(*found) : to_text(*found));
        !text.empty())
      metadata.emplace_back(name, std::move(text));
  }
  return metadata;
}

Selection selection_of(const nlohmann::json& json) {
  Selection selection;
  if (const auto ranks = json.find("ranks"); ranks != json.end() && ranks->is_string()) {
    selection.ranks = ranks->get<std::string>();
  }
  for (const char* key :
       {"records_point_to_point", "records_collectives", "records_one_sided", "records_files"}) {
    const auto found = json.find(key);
    if (found != json.end() && found->is_boolean() && !found->get<bool>()) selection.leaves_out_calls = true;
  }
  return selection;
}

template <class Number>
Number number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<Number>() : Number{0};
}

std::string string(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Entries that are not as expected are left out.
std::vector<ClockOffset> clock_offsets_of(const nlohmann::json& json) {
  std::vector<ClockOffset> offsets;
  const auto list = json.find("clock_offsets");
  if (list == json.end() || !list->is_array()) return offsets;
  for (const nlohmann::json& entry : *list) {
    if (!entry.is_object()) continue;
    const ClockOffset offset{.rank = number<formats::TaskId>(entry, "rank"),
                             .offset = number<std::int64_t>(entry, "offset_ns"),
                             .round_trip = number<std::uint64_t>(entry, "round_trip_ns"),
                             .end_offset = number<std::int64_t>(entry, "end_offset_ns"),
                             .end_round_trip = number<std::uint64_t>(entry, "end_round_trip_ns")};
    if (offset.rank > 0 && offset.round_trip > 0) offsets.push_back(offset);
  }
  return offsets;
}

}  // namespace

CaptureInfo read_capture_info(const std::string& directory) {
  CaptureInfo info;
  const std::string path = (std::filesystem::path(directory) / "capture.json").string();
  std::ifstream in(path, std::ios::binary);
  if (!in) return info;
  const nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object()) {
    info.note = path + ": no JSON object; the trace does not name the program";
    return info;
  }
  info.metadata = metadata_of(json);
  info.selection = selection_of(json);
  info.clock_offsets = clock_offsets_of(json);
  info.job = string(json, "job");
  info.spawned_by = string(json, "spawned_by");
  info.spawned_by_rank =
      json.contains("spawned_by_rank") ? number<std::int32_t>(json, "spawned_by_rank") : -1;
  info.start = number<std::uint64_t>(json, "start_wall_ns");
  info.end = number<std::uint64_t>(json, "end_wall_ns");
  return info;
}

}  // namespace vef::merge
