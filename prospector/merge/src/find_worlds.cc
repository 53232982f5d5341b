// SPDX-License-Identifier: Apache-2.0
#include "find_worlds.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

#include "vef/base/text.h"
#include "vef/formats/rank_log_reader.h"

namespace vef::merge {

namespace {

namespace fs = std::filesystem;

bool has_logs(const fs::path& directory) {
  const auto logs = formats::list_rank_logs(directory.string());
  return logs.ok() && !logs->empty();
}

fs::path whole_path(const std::string& directory) {
  std::error_code code;
  fs::path path = fs::weakly_canonical(directory, code);
  if (code) path = fs::absolute(directory, code).lexically_normal();
  return path.filename().empty() ? path.parent_path() : path;
}

/// The N of DIR.N; 0: it is none.
std::uint64_t suffix_of(const std::string& name, const std::string& directory) {
  const std::string prefix = directory + ".";
  if (!name.starts_with(prefix)) return 0;
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, number);
  return error == std::errc() && stop == end ? number : 0;
}

template <class Visit>
void visit_directories(const fs::path& parent, Visit visit) {
  std::error_code code;
  for (fs::directory_iterator it(parent, code), end; !code && it != end; it.increment(code)) {
    std::error_code unused;
    if (it->is_directory(unused)) visit(it->path());
  }
}

/// DIR.1, DIR.2, ... that hold a recording, by number.
std::vector<fs::path> numbered_beside(const fs::path& directory) {
  std::vector<std::pair<std::uint64_t, fs::path>> found;
  visit_directories(directory.parent_path(), [&](const fs::path& path) {
    const std::uint64_t number = suffix_of(path.filename().string(), directory.filename().string());
    if (number != 0 && has_logs(path)) found.emplace_back(number, path);
  });
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

/// Names of jobs come again after days: a spawned world begins while its parents run.
bool spawned_it(const CaptureInfo& parent, const CaptureInfo& child) {
  if (parent.job.empty() || child.spawned_by != parent.job || child.start < parent.start) return false;
  return parent.end == 0 || child.start <= parent.end;
}

}  // namespace

std::vector<Capture> find_worlds(const std::vector<std::string>& directories, bool alone) {
  std::vector<Capture> worlds;
  std::set<fs::path> taken;
  std::vector<Capture> beside;
  for (const std::string& directory : directories) {
    const fs::path whole = whole_path(directory);
    if (!taken.insert(whole).second) continue;
    worlds.push_back({directory, read_capture_info(directory)});
    if (alone) continue;
    for (const fs::path& path : numbered_beside(whole)) {
      // Named as the given one is.
      const std::string name = (fs::path(directory).lexically_normal() / "").parent_path().string();
      const std::string suffix = path.filename().string().substr(whole.filename().string().size());
      const std::string shown = whole_path(name + suffix) == path ? name + suffix : path.string();
      beside.push_back({shown, read_capture_info(path.string())});
    }
  }
  for (std::size_t parent = 0; parent < worlds.size(); ++parent) {
    for (Capture& capture : beside) {
      if (!spawned_it(worlds[parent].info, capture.info) ||
          !taken.insert(whole_path(capture.directory)).second)
        continue;
      worlds.push_back(capture);
    }
  }
  return worlds;
}

std::vector<std::string> other_recordings(const std::string& directory,
                                          const std::vector<std::string>& merged) {
  const fs::path given = whole_path(directory);
  std::set<fs::path> known = {given};
  for (const std::string& path : merged) known.insert(whole_path(path));
  std::set<std::string> found;
  for (const fs::path& path : numbered_beside(given)) {
    if (!known.contains(path)) found.insert(path.string());
  }
  visit_directories(given, [&](const fs::path& path) {
    if (has_logs(path) && !known.contains(path)) found.insert(path.string());
  });
  return {found.begin(), found.end()};
}

std::string listed(const std::vector<std::string>& paths) {
  constexpr std::size_t kListed = 10;
  std::string text;
  for (std::size_t i = 0; i < paths.size() && i < kListed; ++i)
    text += (text.empty() ? "" : ", ") + escaped(paths[i]);
  return text + (paths.size() > kListed ? " and " + std::to_string(paths.size() - kListed) + " more" : "");
}

}  // namespace vef::merge
