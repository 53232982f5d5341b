// SPDX-License-Identifier: Apache-2.0
#include "named_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "vef_text_buffer.h"

namespace vef::neighbours {

namespace fs = std::filesystem;

Result<std::string> find_named_file(const std::string& index, std::uint64_t line, std::string_view name,
                                    bool allow_outside) {
  std::error_code failed;
  const auto fault = [&](const std::string& what) {
    return input_error(index, line, formats::quoted(name) + " " + what);
  };
  if (name.empty() || name.find('\0') != std::string_view::npos) return fault("is no file's name");
  const fs::path folder = fs::canonical(fs::absolute(index, failed).parent_path(), failed);
  if (failed) return fault("cannot be looked for: " + failed.message());
  fs::path file = fs::canonical(folder / name, failed);
  if (failed) file = fs::canonical(fs::path(name), failed);
  if (failed) return fault("is not there; expected a file in the folder of " + index);
  const auto end = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first;
  if (end != folder.end() && !allow_outside)
    return fault("lies outside the folder of the file that names it; --allow-outside permits that");
  if (!fs::is_regular_file(file, failed)) return fault("is no regular file");
  return file.string();
}

Result<std::string> create_files_folder(const std::string& index) {
  std::error_code failed;
  const std::string folder = index + "_files";
  fs::create_directories(folder, failed);
  if (failed) return input_error(index, 0, "cannot create " + folder + ": " + failed.message());
  return folder;
}

}  // namespace vef::neighbours
