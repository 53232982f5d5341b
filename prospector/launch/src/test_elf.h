// SPDX-License-Identifier: Apache-2.0
// Makes small ELF files for the tests: a header, one loaded segment, a dynamic section.
#pragma once

#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include "temporary_folder.h"

namespace vef::launch {

using test_support::TemporaryFolder;

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

/// Layout: header, two program headers, dynamic section, strings; file offsets are addresses - 0x400000.
inline std::string make_elf(const std::vector<std::string>& needed, const std::string& runpath = "") {
  constexpr std::uint64_t kBase = 0x400000;
  std::string strings(1, '\0');
  std::vector<Elf64_Dyn> dynamic;
  const auto add = [&](Elf64_Sxword tag, const std::string& text) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = strings.size();
    dynamic.push_back(entry);
    strings += text + '\0';
  };
  for (const std::string& name : needed) add(DT_NEEDED, name);
  if (!runpath.empty()) add(DT_RUNPATH, runpath);
  const std::uint64_t dynamic_at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
  const std::uint64_t strings_at = dynamic_at + (dynamic.size() + 3) * sizeof(Elf64_Dyn);
  Elf64_Dyn entry{};
  entry.d_tag = DT_STRTAB;
  entry.d_un.d_ptr = kBase + strings_at;
  dynamic.push_back(entry);
  entry.d_tag = DT_STRSZ;
  entry.d_un.d_val = strings.size();
  dynamic.push_back(entry);
  dynamic.push_back(Elf64_Dyn{});

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  Elf64_Phdr load{};
  load.p_type = PT_LOAD;
  load.p_vaddr = kBase;
  load.p_filesz = strings_at + strings.size();
  Elf64_Phdr section{};
  section.p_type = PT_DYNAMIC;
  section.p_offset = dynamic_at;
  section.p_vaddr = kBase + dynamic_at;
  section.p_filesz = dynamic.size() * sizeof(Elf64_Dyn);

  std::string file;
  const auto append = [&](const void* data, std::size_t size) {
    file.append(static_cast<const char*>(data), size);
  };
  append(&header, sizeof header);
  append(&load, sizeof load);
  append(&section, sizeof section);
  append(dynamic.data(), dynamic.size() * sizeof(Elf64_Dyn));
  return file + strings;
}

}  // namespace vef::launch
