// SPDX-License-Identifier: Apache-2.0
// What a fuzz target is made of. It takes any bytes, hands them to a reader, and returns; that a reader may
// not crash, hang, ask for absurd memory or say more than one line is what driver.cc (or libFuzzer) finds
// out.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace vef::fuzz {

// Each target defines these two.
/// Reads the input. Whether it was all right.
bool run(std::string_view input);
/// Inputs that are all right, to begin with.
std::vector<std::string> seeds();

/// Ends the program, as a crash would: the input shows a fault.
[[noreturn]] inline void fail(std::string_view what) {
  std::fprintf(stderr, "fault: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

/// An error message is one line, and says something.
inline void check_message(std::string_view message) {
  if (message.empty()) fail("an error without a message");
  for (const char c : message) {
    if (c == '\n' || c == '\0') fail("an error message of more than one line");
  }
}

/// A folder in memory for what the readers want to have by name; the same for all inputs of a process.
class Folder {
 public:
  Folder() {
    std::string pattern = "/dev/shm/vef-fuzz-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) fail("cannot make a folder in /dev/shm");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string path = path_ + "/" + name;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      fail("cannot write " + path);
    ::close(file);
    return path;
  }
  void remove(const std::string& name) const { ::unlink((path_ + "/" + name).c_str()); }

 private:
  std::string path_;
};

inline std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Several files in one input: for each but the last its length in two bytes, then all of them.
inline std::string bundle(const std::vector<std::string>& files) {
  std::string head, rest;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i + 1 < files.size()) {
      head += static_cast<char>(files[i].size() & 0xff);
      head += static_cast<char>(files[i].size() >> 8 & 0xff);
    }
    rest += files[i];
  }
  return head + rest;
}
inline std::vector<std::string_view> unbundle(std::string_view input, std::size_t count) {
  std::vector<std::string_view> files(count);
  if (input.size() < 2 * (count - 1)) return files;
  std::string_view rest = input.substr(2 * (count - 1));
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t size = rest.size();
    if (i + 1 < count) {
      const auto low = static_cast<unsigned char>(input[2 * i]);
      const auto high = static_cast<unsigned char>(input[2 * i + 1]);
      size = std::min<std::size_t>(size, low | static_cast<std::size_t>(high) << 8);
    }
    files[i] = rest.substr(0, size);
    rest.remove_prefix(size);
  }
  return files;
}

}  // namespace vef::fuzz
