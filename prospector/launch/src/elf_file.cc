// SPDX-License-Identifier: Apache-2.0
#include "elf_file.h"

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace vef::launch {
namespace {

constexpr std::uint64_t kLargestTable = 64U << 20;  // of headers or strings; larger ones are not believed

class ElfReader {
 public:
  explicit ElfReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {}

  std::optional<ElfDependencies> read() {
    if (!read_at(0, header_)) return {};
    const bool ours = std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == kByteOrder &&
                      header_.e_phentsize == sizeof(Elf64_Phdr);
    if (!ours || !read_segments() || !read_dynamic()) return {};
    return collect();
  }

 private:
  static constexpr unsigned char kByteOrder =
      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

  template <class T>
  bool read_at(std::uint64_t offset, T& value) {
    return read_bytes(offset, &value, sizeof value);
  }
  bool read_bytes(std::uint64_t offset, void* to, std::uint64_t size) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
    return static_cast<bool>(file_);
  }

  bool read_segments() {
    segments_.resize(header_.e_phnum);
    return read_bytes(header_.e_phoff, segments_.data(), segments_.size() * sizeof(Elf64_Phdr));
  }

  bool read_dynamic() {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_DYNAMIC || segment.p_filesz > kLargestTable) continue;
      dynamic_.resize(segment.p_filesz / sizeof(Elf64_Dyn));
      return read_bytes(segment.p_offset, dynamic_.data(), dynamic_.size() * sizeof(Elf64_Dyn));
    }
    return false;
  }

  std::optional<std::uint64_t> file_offset(std::uint64_t address) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address - segment.p_vaddr < segment.p_filesz) {
        return segment.p_offset + (address - segment.p_vaddr);
      }
    }
    return {};
  }

  std::optional<ElfDependencies> collect() {
    std::uint64_t table_address = 0;
    std::uint64_t table_size = 0;
    for (const Elf64_Dyn& entry : dynamic_) {
      if (entry.d_tag == DT_STRTAB) table_address = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) table_size = entry.d_un.d_val;
    }
    const auto offset = file_offset(table_address);
    if (!offset || table_size > kLargestTable) return {};
    std::string strings(table_size, '\0');
    if (!read_bytes(*offset, strings.data(), table_size)) return {};
    ElfDependencies found;
    for (const Elf64_Dyn& entry : dynamic_) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_un.d_val >= table_size) continue;
      const std::string text = strings.c_str() + entry.d_un.d_val;
      if (entry.d_tag == DT_NEEDED) found.needed.push_back(text);
      if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) add_search_paths(text, found.search_paths);
    }
    return found;
  }

  void add_search_paths(std::string_view text, std::vector<std::string>& paths) const {
    const std::string origin = std::filesystem::path(path_).parent_path().string();
    while (!text.empty()) {
      const std::size_t colon = text.find(':');
      std::string path(text.substr(0, colon));
      for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
        const std::size_t at = path.find(word);
        if (at != std::string::npos) path.replace(at, word.size(), origin);
      }
      if (!path.empty()) paths.push_back(path);
      text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    }
  }

  std::string path_;
  std::ifstream file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> dynamic_;
};

}  // namespace

std::optional<ElfDependencies> read_elf_dependencies(const std::string& path) {
  return ElfReader(path).read();
}

}  // namespace vef::launch
