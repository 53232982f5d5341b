// SPDX-License-Identifier: Apache-2.0
#include "symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace vef::merge {
namespace {

std::string hexadecimal(const unsigned char* bytes, int count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

}  // namespace

/// One file of the program, opened for looking things up.
class Symbols::File {
 public:
  File(const std::string& path, const std::string& build_id) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
      problem = path + ": no such file";
      return;
    }
    static const Dwfl_Callbacks kCallbacks = {.find_elf = dwfl_build_id_find_elf,
                                              .find_debuginfo = dwfl_standard_find_debuginfo,
                                              .section_address = dwfl_offline_section_address,
                                              .debuginfo_path = nullptr};
    dwfl_ = dwfl_begin(&kCallbacks);
    module_ = dwfl_ == nullptr ? nullptr : dwfl_report_offline(dwfl_, "", path.c_str(), -1);
    if (module_ == nullptr) {
      problem = path + ": no ELF file";
      return;
    }
    dwfl_report_end(dwfl_, nullptr, nullptr);
    GElf_Addr unused = 0;
    const unsigned char* id = nullptr;
    const int id_bytes =
        dwfl_module_getelf(module_, &bias_) != nullptr ? dwfl_module_build_id(module_, &id, &unused) : 0;
    const std::string found = id_bytes > 0 ? hexadecimal(id, id_bytes) : std::string();
    if (!build_id.empty() && found != build_id) {
      problem = path + ": has changed since (build id " + (found.empty() ? "none" : found) + "; expected " +
                build_id + ")";
      module_ = nullptr;
    }
  }
  ~File() {
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  SourcePlace find(std::uint64_t address) const {
    SourcePlace place;
    if (module_ == nullptr) return place;
    const Dwarf_Addr at = address + bias_;
    if (const char* name = dwfl_module_addrname(module_, at); name != nullptr)
      place.function = demangled(name);
    Dwfl_Line* line = dwfl_module_getsrc(module_, at);
    int number = 0;
    const char* file =
        line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    if (file != nullptr) {
      place.file = file;
      place.line = number;
    }
    return place;
  }

  std::string problem;

 private:
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr bias_ = 0;
};

Symbols::Symbols() = default;
Symbols::~Symbols() = default;

Symbols::File& Symbols::open(const std::string& path, const std::string& build_id) {
  auto& file = files_[{path, build_id}];
  if (!file) file = std::make_unique<File>(path, build_id);
  return *file;
}

SourcePlace Symbols::find(const std::string& path, const std::string& build_id, std::uint64_t address) {
  return open(path, build_id).find(address);
}

const std::string& Symbols::problem(const std::string& path, const std::string& build_id) {
  return open(path, build_id).problem;
}

}  // namespace vef::merge
