// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace vef::shim {
namespace {

void print(const char* format, std::va_list arguments) {
  char line[1024] = "vef: ";
  const int written = std::vsnprintf(line + 5, sizeof line - 6, format, arguments);
  if (written < 0) return;
  std::size_t length = std::strlen(line);
  line[length++] = '\n';
  [[maybe_unused]] const ssize_t done = write(STDERR_FILENO, line, length);
}

bool speaks_for_node() {
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_RANK", "PMIX_RANK"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) return std::strcmp(value, "0") == 0;
  }
  return true;
}

}  // namespace

void say(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
}

void say_once(const char* format, ...) {
  if (!speaks_for_node()) return;
  std::va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
}

}  // namespace vef::shim
