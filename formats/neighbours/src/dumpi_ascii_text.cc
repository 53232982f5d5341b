// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include "dumpi_ascii.h"

namespace vef::neighbours {

namespace {

struct Datatype {
  std::string_view name;
  unsigned bytes;  // as on x86-64
};
constexpr std::array<Datatype, dumpi::kLongLong + 1> kDatatypes = {{{"MPI_DATATYPE_ERROR", 0},
                                                                    {"MPI_DATATYPE_NULL", 0},
                                                                    {"MPI_CHAR", 1},
                                                                    {"MPI_SIGNED_CHAR", 1},
                                                                    {"MPI_UNSIGNED_CHAR", 1},
                                                                    {"MPI_BYTE", 1},
                                                                    {"MPI_WCHAR", 4},
                                                                    {"MPI_SHORT", 2},
                                                                    {"MPI_UNSIGNED_SHORT", 2},
                                                                    {"MPI_INT", 4},
                                                                    {"MPI_UNSIGNED", 4},
                                                                    {"MPI_LONG", 8},
                                                                    {"MPI_UNSIGNED_LONG", 8},
                                                                    {"MPI_FLOAT", 4},
                                                                    {"MPI_DOUBLE", 8},
                                                                    {"MPI_LONG_DOUBLE", 16},
                                                                    {"MPI_LONG_LONG_INT", 8},
                                                                    {"MPI_UNSIGNED_LONG_LONG", 8},
                                                                    {"MPI_LONG_LONG", 8}}};

std::string seconds(std::uint64_t nanoseconds) {
  constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;
  char text[32];
  std::snprintf(text, sizeof(text), "%llu.%09llu",
                static_cast<unsigned long long>(nanoseconds / kNanosPerSecond),
                static_cast<unsigned long long>(nanoseconds % kNanosPerSecond));
  return text;
}

}  // namespace

DumpiText& DumpiText::time(std::string_view call, std::string_view what, std::uint64_t nanoseconds) {
  const std::string now = seconds(nanoseconds);
  text_.append(call).append(what).append(" at walltime ").append(now);
  text_.append(", cputime ").append(now).append(" seconds in thread 0.\n");
  return *this;
}

DumpiText& DumpiText::entering(std::string_view call, std::uint64_t nanoseconds) {
  return time(call, " entering", nanoseconds);
}

DumpiText& DumpiText::returning(std::string_view call, std::uint64_t nanoseconds) {
  return time(call, " returning", nanoseconds);
}

DumpiText& DumpiText::number(std::string_view name, std::uint64_t value) {
  text_.append("int ").append(name).append("=").append(std::to_string(value)).append("\n");
  return *this;
}

DumpiText& DumpiText::numbers(std::string_view name, const std::vector<std::uint64_t>& values) {
  if (values.empty()) return no_numbers(name, 0);
  text_.append("int ").append(name).append("[").append(std::to_string(values.size())).append("]=[");
  for (std::size_t i = 0; i < values.size(); ++i)
    text_.append(i == 0 ? "" : ", ").append(std::to_string(values[i]));
  text_.append("]\n");
  return *this;
}

DumpiText& DumpiText::no_numbers(std::string_view name, std::size_t size) {
  text_.append("int ").append(name).append("[").append(std::to_string(size)).append("]=<IGNORED>\n");
  return *this;
}

DumpiText& DumpiText::handle(std::string_view type, std::string_view name, std::uint64_t value,
                             std::string_view meaning) {
  text_.append(type).append(" ").append(name).append("=").append(std::to_string(value));
  text_.append(" (").append(meaning).append(")\n");
  return *this;
}

DumpiText& DumpiText::datatype(std::string_view name, std::uint64_t type) {
  return handle("MPI_Datatype", name, type, kDatatypes[type].name);
}

DumpiText& DumpiText::comm(std::string_view name, std::uint64_t comm) {
  const std::string_view meaning = comm == dumpi::kWorld    ? "MPI_COMM_WORLD"
                                   : comm == dumpi::kNoComm ? "MPI_COMM_NULL"
                                                            : "user-defined-comm";
  return handle("MPI_Comm", name, comm, meaning);
}

DumpiText& DumpiText::group(std::string_view name, std::uint64_t group) {
  return handle("MPI_Group", name, group,
                group == dumpi::kEmptyGroup ? "MPI_GROUP_EMPTY" : "user-defined-group");
}

DumpiText& DumpiText::request(std::uint64_t request) {
  return text("MPI_Request request=[" + std::to_string(request) + "]\n");
}

DumpiText& DumpiText::no_status() { return text("MPI_Status status=<IGNORED>\n"); }

DumpiText& DumpiText::operation() { return text("MPI_Op op=8 (MPI_BOR)\n"); }

DumpiText& DumpiText::text(std::string_view lines) {
  text_.append(lines);
  return *this;
}

DumpiText& DumpiText::header() {
  // A start at 0 is no time to ascii2dumpi.
  return text(
      "version=1.0.0\nstarttime=Fri Jan  2 00:00:00 1970\nhostname=vefkit\nusername=vefkit\n"
      "meshdim=0\nmeshsize=[]\nmeshcrd=[]\n");
}

DumpiText& DumpiText::datatype_sizes() {
  for (std::size_t i = 0; i < kDatatypes.size(); ++i) {
    text("Datatype " + std::to_string(i) + " (");
    text(kDatatypes[i].name).text(") has size " + std::to_string(kDatatypes[i].bytes) + "\n");
  }
  return *this;
}

}  // namespace vef::neighbours
