// SPDX-License-Identifier: Apache-2.0
#include "modules.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace vef::shim {
namespace {

AddressRange range_of(const dl_phdr_info& info) {
  AddressRange range;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    if (range.end == 0 || begin < range.begin) range.begin = begin;
    if (end > range.end) range.end = end;
  }
  return range;
}

void read_build_id(const dl_phdr_info& info, char* text) {
  constexpr std::size_t kMostBytes = 64;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info.dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* id = name + (note.n_namesz + 3) / 4 * 4;
      at = id + (note.n_descsz + 3) / 4 * 4;
      if (at > end) return;
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || std::memcmp(name, "GNU", 4) != 0) continue;
      for (std::size_t k = 0; k < note.n_descsz && k < kMostBytes; ++k) {
        std::snprintf(text + 2 * k, 3, "%02x", static_cast<unsigned char>(id[k]));
      }
      return;
    }
  }
}

struct Search {
  std::uintptr_t address;
  Module* module;
};

int visit_module(dl_phdr_info* info, std::size_t, void* data) {
  const auto& search = *static_cast<Search*>(data);
  if (!range_of(*info).has(search.address)) return 0;
  Module& module = *search.module;
  module.bias = info->dlpi_addr;
  std::snprintf(module.path, sizeof module.path, "%s", info->dlpi_name);
  if (module.path[0] == '\0') {  // the program itself
    const ssize_t length = readlink("/proc/self/exe", module.path, sizeof module.path - 1);
    module.path[length > 0 ? length : 0] = '\0';
  }
  read_build_id(*info, module.build_id);
  return 1;
}

bool is_mpi_library(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  // libmpi.so, libmpi_mpifh.so, libmpi_usempif08.so, libmpich.so, libmpichfort.so, libmpifort.so,
  // libmpicxx.so, ...
  return std::strncmp(name, "libmpi", 6) == 0 && std::strstr(name, ".so") != nullptr;
}

struct Ranges {
  AddressRange* ranges;
  std::size_t room;
  std::size_t count;
};

int visit_range(dl_phdr_info* info, std::size_t, void* data) {
  auto& found = *static_cast<Ranges*>(data);
  const AddressRange range = range_of(*info);
  const bool inner =
      is_mpi_library(info->dlpi_name) || range.has(reinterpret_cast<std::uintptr_t>(&visit_range));
  if (inner && found.count < found.room) found.ranges[found.count++] = range;
  return 0;
}

}  // namespace

bool find_module(std::uintptr_t address, Module& module) {
  Search search{address, &module};
  return dl_iterate_phdr(visit_module, &search) != 0;
}

std::size_t find_inner_ranges(AddressRange* ranges, std::size_t room) {
  Ranges found{ranges, room, 0};
  dl_iterate_phdr(visit_range, &found);
  return found.count;
}

}  // namespace vef::shim
