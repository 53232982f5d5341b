// SPDX-License-Identifier: Apache-2.0
// Which files a Chakra trace consists of.
#include <filesystem>
#include <system_error>

#include "chakra.h"
#include "text_scanner.h"

namespace vef::neighbours {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostRanks = 1U << 24;
constexpr std::string_view kSuffixes[] = {".et", ".et.gz", ".et.zst"};

bool is_file(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

/// Splits "prefix.RANK.et"; false: the name is another.
bool split(std::string_view path, ChakraFiles& files, std::uint64_t& rank) {
  for (const std::string_view suffix : kSuffixes) {
    if (!path.ends_with(suffix)) continue;
    std::string_view front = path.substr(0, path.size() - suffix.size());
    const std::size_t dot = front.rfind('.');
    if (dot == std::string_view::npos) return false;
    const std::string_view number = front.substr(dot + 1);
    if (!formats::parse_number(number, kMostRanks - 1, rank) || number != std::to_string(rank)) return false;
    files.prefix = front.substr(0, dot);
    files.suffix = suffix;
    return true;
  }
  return false;
}

/// By the common part of the names: "prefix" or "prefix.et". False: there is no file of rank 0.
bool find_first(std::string_view path, ChakraFiles& files) {
  for (const std::string_view suffix : kSuffixes) {
    for (const std::string_view cut : {std::string_view(), suffix}) {
      if (!path.ends_with(cut)) continue;
      files.prefix = path.substr(0, path.size() - cut.size());
      files.suffix = suffix;
      if (is_file(files.prefix + ".0" + files.suffix)) return true;
    }
  }
  return false;
}

}  // namespace

std::int64_t highest_chakra_rank(const std::string& prefix, const std::string& suffix) {
  std::error_code failed;
  const fs::path folder = fs::path(prefix).parent_path();
  const std::string wanted = fs::path(prefix).filename().string();
  std::int64_t highest = -1;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    ChakraFiles files;
    std::uint64_t rank = 0;
    if (split(entry->path().filename().string(), files, rank) && files.prefix == wanted &&
        files.suffix == suffix)
      highest = std::max(highest, static_cast<std::int64_t>(rank));
  }
  return highest;
}

bool is_chakra_prefix(const std::string& path) {
  ChakraFiles files;
  return find_first(path, files);
}

Result<ChakraFiles> find_chakra_files(const std::string& path) {
  ChakraFiles files;
  std::uint64_t rank = 0;
  if (is_file(path) && !split(path, files, rank)) {
    files.paths = {path};  // a trace of one rank, under any name
    return files;
  }
  if (!is_file(path) && !find_first(path, files))
    return input_error(path, 0, "there is no such file, nor one that begins so; expected PREFIX.RANK.et");
  const std::int64_t highest = highest_chakra_rank(files.prefix, files.suffix);
  for (std::int64_t i = 0; i <= highest; ++i) {
    files.paths.push_back(files.prefix + "." + std::to_string(i) + files.suffix);
    if (!is_file(files.paths.back()))
      return input_error(files.paths.back(), 0,
                         "is not there; expected a file for each rank from 0 to " + std::to_string(highest));
  }
  return files;
}

}  // namespace vef::neighbours
