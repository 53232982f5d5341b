// SPDX-License-Identifier: Apache-2.0
#include "unseen_calls.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "message.h"
#include "mpi_library.h"
#include "recorder.h"

namespace vef::shim {
namespace {

static_assert(sizeof(void*) == 8);  // relocations with addends, symbol numbers in the upper half

constexpr std::size_t kMostNamed = 64;

/// A module that is part of an MPI library, or the recorder.
bool is_library_of_mpi(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const std::string_view name = slash != nullptr ? slash + 1 : path;
  for (const std::string_view start :
       {"libmpi", "libpmpi", "libmpich", "libopen-", "libmca_", "mca_", "libvef-", "libfmpich"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

/// What a loaded object imports: the undefined ones of the symbols that its relocations name. (The number of
/// symbols stands nowhere; the hash tables tell it only sometimes.)
struct Imports {
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
  };
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  Relocations calls;
  Relocations data;
};

/// The loader has relocated the addresses in the dynamic section, on some systems not.
const void* address_of(const dl_phdr_info& info, ElfW(Addr) value) {
  return reinterpret_cast<const void*>(value < info.dlpi_addr ? value + info.dlpi_addr : value);
}

Imports imports_of(const dl_phdr_info& info) {
  Imports imports;
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  }
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    const void* const address = address_of(info, dynamic->d_un.d_ptr);
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        imports.symbols = static_cast<const ElfW(Sym)*>(address);
        break;
      case DT_STRTAB:
        imports.names = static_cast<const char*>(address);
        break;
      case DT_JMPREL:
        imports.calls.first = static_cast<const ElfW(Rela)*>(address);
        break;
      case DT_PLTRELSZ:
        imports.calls.bytes = dynamic->d_un.d_val;
        break;
      case DT_RELA:
        imports.data.first = static_cast<const ElfW(Rela)*>(address);
        break;
      case DT_RELASZ:
        imports.data.bytes = dynamic->d_un.d_val;
        break;
      default:
        break;
    }
  }
  return imports;
}

/// MPI_x, PMPI_x, MPIX_x, PMPIX_x with x as functions are written: MPI_Send, but neither MPI_SEND nor
/// MPI_COMM_WORLD.
bool is_function_of_mpi(std::string_view name) {
  if (name.starts_with("P")) name.remove_prefix(1);
  if (!name.starts_with("MPI_") && !name.starts_with("MPIX_")) return false;
  name.remove_prefix(name.find('_') + 1);
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return name.size() > 1 && name[0] >= 'A' && name[0] <= 'Z' && (lower(name[1]) || name.starts_with("T_")) &&
         name.back() != '_';
}

bool is_known(std::string_view name) {
  if (name.starts_with("P")) name.remove_prefix(1);
  return std::binary_search(kKnownFunctions, kKnownFunctions + kKnownFunctionCount, name);
}

struct Unknown {
  std::string_view names[kMostNamed];
  std::size_t count = 0;

  void add(std::string_view name) {
    if (count < kMostNamed && std::find(names, names + count, name) == names + count) names[count++] = name;
  }
};

void visit_relocations(const Imports& imports, const Imports::Relocations& relocations, Unknown& unknown) {
  if (relocations.first == nullptr || imports.symbols == nullptr || imports.names == nullptr) return;
  for (std::size_t i = 0; i < relocations.bytes / sizeof(ElfW(Rela)); ++i) {
    const std::size_t index = ELF64_R_SYM(relocations.first[i].r_info);
    const ElfW(Sym)& symbol = imports.symbols[index];
    if (index == 0 || symbol.st_shndx != SHN_UNDEF) continue;
    const std::string_view name = imports.names + symbol.st_name;
    if (is_function_of_mpi(name) && !is_known(name)) unknown.add(name);
  }
}

int visit(dl_phdr_info* info, std::size_t, void* result) {
  if (is_library_of_mpi(info->dlpi_name)) return 0;
  const Imports imports = imports_of(*info);
  visit_relocations(imports, imports.calls, *static_cast<Unknown*>(result));
  visit_relocations(imports, imports.data, *static_cast<Unknown*>(result));
  return 0;
}

/// The MPI library that is loaded, whoever opened it.
int visit_mpi_library(dl_phdr_info* info, std::size_t, void* found) {
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const std::string_view name = slash != nullptr ? slash + 1 : info->dlpi_name;
  if (!name.starts_with("libmpi.so") && !name.starts_with("libmpich.so")) return 0;
  *static_cast<void**>(found) = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  return 1;
}

/// At the end of a process in which no call was seen: was MPI used all the same?
[[gnu::destructor]] void report_bypass() {
  if (process.mode.load(std::memory_order_relaxed) != Mode::kUnstarted) return;
  void* library = nullptr;
  dl_iterate_phdr(visit_mpi_library, &library);
  if (library == nullptr) return;
  const auto initialized = reinterpret_cast<int (*)(int*)>(dlsym(library, "PMPI_Initialized"));
  int used = 0;
  if (initialized == nullptr || initialized(&used) != MPI_SUCCESS || used == 0) return;
  say_once(
      "the program opened the MPI library itself (dlopen, ctypes), and its calls passed by the recorder: "
      "nothing is recorded");
}

}  // namespace

bool find_unknown_calls(char* text, std::size_t size) {
  Unknown unknown;
  dl_iterate_phdr(visit, &unknown);
  if (unknown.count == 0) return false;
  std::sort(unknown.names, unknown.names + unknown.count);
  std::size_t length = static_cast<std::size_t>(
      std::snprintf(text, size, "the program calls what the recorder does not know:"));
  for (std::size_t i = 0; i < unknown.count && length + 2 < size; ++i) {
    const int written = std::snprintf(text + length, size - length, " %.*s",
                                      static_cast<int>(unknown.names[i].size()), unknown.names[i].data());
    length = std::min(size - 1, length + static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace vef::shim
