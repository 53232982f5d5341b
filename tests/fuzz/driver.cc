// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target where libFuzzer is not at hand: its seeds, which must be taken, the files of its corpus,
// and a fixed number of changes of these, drawn from a fixed seed, so that every run is the same. An input
// that crashes, fails a sanitizer or takes longer than ten seconds is written to the working directory as
// fault-TARGET.
//
//   fuzz_TARGET [--runs N] [--seed S] [FILE|DIRECTORY...]
//   fuzz_TARGET --write DIRECTORY     writes the seeds, for libFuzzer
#include <algorithm>
#include <csignal>
#include <cstring>
#include <random>

#include "target.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_UNDEFINED__)
#include <sanitizer/common_interface_defs.h>
#endif

// Its runtime has no callback of its own.
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }  // NOLINT

namespace {

constexpr unsigned kSeconds = 10;
constexpr std::size_t kLargest = 1 << 16;

std::string input;
std::string fault_file = "fault";

// Async-signal safe: what was tried last is written, and the program ends.
void keep_input() {
  const int file = ::open(fault_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  const ssize_t written = ::write(file, input.data(), input.size());
  ::close(file);
  if (written < 0) return;
  const char text[] = "the input was kept: ";
  if (::write(2, text, sizeof text - 1) < 0 || ::write(2, fault_file.data(), fault_file.size()) < 0 ||
      ::write(2, "\n", 1) < 0)
    return;
}

void on_signal(int number) {
  keep_input();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

bool run(const std::string& bytes) {
  input = bytes;
  ::alarm(kSeconds);
  return vef::fuzz::run(input);
}

/// Changes of the kinds that find faults in readers: bits, bytes, numbers at their limits, parts that are cut
/// out, doubled, moved or taken from another input, and decimal numbers that are out of range.
class Changes {
 public:
  Changes(std::uint64_t seed, const std::vector<std::string>& pool) : random_(seed), pool_(pool) {}

  std::string next() {
    std::string bytes = pool_[below(pool_.size())];
    for (std::size_t i = 1 + below(4); i > 0; --i) change(bytes);
    if (bytes.size() > kLargest) bytes.resize(kLargest);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(std::string& bytes) {
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min(1 + below(1 + below(64)), bytes.size() - at);
    switch (below(9)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 1:
        if (!bytes.empty()) bytes[at] = static_cast<char>(random_());
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(below(bytes.size()), bytes.substr(at, length));
        break;
      case 5: {
        const std::string& other = pool_[below(pool_.size())];
        bytes.replace(at, length, other.substr(below(other.size()), length));
        break;
      }
      case 6:
        put_number(bytes, at);
        break;
      case 7:
        put_decimal(bytes, at);
        break;
      default:
        for (std::size_t i = at; i < at + length; ++i) bytes[i] = static_cast<char>(random_());
    }
  }

  void put_number(std::string& bytes, std::size_t at) {
    constexpr std::uint64_t kNumbers[] = {0,
                                          1,
                                          0x7f,
                                          0x80,
                                          0xff,
                                          0x7fff,
                                          0xffff,
                                          0x7fffffff,
                                          0x80000000,
                                          0xffffffff,
                                          0x100000000,
                                          ~std::uint64_t{0} >> 1,
                                          ~std::uint64_t{0}};
    const std::uint64_t number = kNumbers[below(std::size(kNumbers))];
    const std::size_t size = std::min<std::size_t>(std::size_t{1} << below(4), bytes.size() - at);
    std::memcpy(bytes.data() + at, &number, size);
  }

  void put_decimal(std::string& bytes, std::size_t at) {
    constexpr const char* kTexts[] = {
        "-1",    "0",  "4294967296", "9223372036854775807",   "18446744073709551616",
        "1e999", "00", "",           "9999999999999999999999"};
    const std::size_t first = bytes.find_first_of("0123456789", at);
    if (first == std::string::npos) return;
    std::size_t last = bytes.find_first_not_of("0123456789", first);
    if (last == std::string::npos) last = bytes.size();
    bytes.replace(first, last - first, kTexts[below(std::size(kTexts))]);
  }

  std::mt19937_64 random_;
  const std::vector<std::string>& pool_;
};

int write_seeds(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  int count = 0;
  for (const std::string& seed : vef::fuzz::seeds()) {
    std::ofstream out(directory / ("seed-" + std::to_string(count++)), std::ios::binary);
    out << seed;
    if (!out.flush()) vef::fuzz::fail("cannot write to " + directory.string());
  }
  return 0;
}

void add(std::vector<std::string>& pool, const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) {
    pool.push_back(vef::fuzz::contents(path));
    return;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file() && entry.file_size() <= kLargest) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // the same pool on every machine
  for (const auto& file : files) pool.push_back(vef::fuzz::contents(file));
}

}  // namespace

int main(int argc, char** argv) {
  fault_file += "-" + std::filesystem::path(argv[0]).filename().string();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_UNDEFINED__)
  __sanitizer_set_death_callback(keep_input);
#endif
  for (const int number : {SIGABRT, SIGALRM, SIGFPE, SIGXCPU}) std::signal(number, on_signal);
  std::uint64_t runs = 1000, seed = 1;
  std::vector<std::string> pool = vef::fuzz::seeds();
  const std::size_t own = pool.size();
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--write" && has_value) return write_seeds(argv[++i]);
    if (argument == "--runs" && has_value) {
      runs = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--seed" && has_value) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      add(pool, argument);
    }
  }
  if (pool.empty()) vef::fuzz::fail("nothing to begin with");
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (!run(pool[i]) && i < own) vef::fuzz::fail("an input that is all right was not taken for it");
  }
  run("");
  Changes changes(seed, pool);
  for (std::uint64_t i = 0; i < runs; ++i) run(changes.next());
  ::alarm(0);
  std::printf("%zu inputs and %llu changes of them\n", pool.size(), static_cast<unsigned long long>(runs));
}
