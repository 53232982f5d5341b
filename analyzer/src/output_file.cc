// SPDX-License-Identifier: Apache-2.0
#include "output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace vef::analyzer {

namespace {

bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (!is_special(path_)) temporary_ = path_ + ".tmp" + std::to_string(getpid());
  const int descriptor =
      temporary_.empty()
          ? open(path_.c_str(), O_WRONLY | O_CLOEXEC)
          : open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    fault_ = errno;
    return;
  }
  file_ = fdopen(descriptor, "w");
  if (file_ == nullptr) {
    fault_ = errno;
    close(descriptor);
  }
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
  if (fault_ != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fault_ = errno;
}

Status OutputFile::finish() {
  if (file_ != nullptr && std::fclose(std::exchange(file_, nullptr)) != 0 && fault_ == 0) fault_ = errno;
  if (fault_ == 0 && !temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0)
    fault_ = errno;
  if (fault_ != 0) return system_error(path_, "cannot write the file", fault_);
  temporary_.clear();
  return {};
}

}  // namespace vef::analyzer
