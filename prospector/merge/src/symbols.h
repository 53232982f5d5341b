// SPDX-License-Identifier: Apache-2.0
// From an address in a file of a program to the function and the line it belongs to, as far as the file is
// still there and has symbols and debugging information (elfutils' libdw; separate debugging files are found
// by build id).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace vef::merge {

/// What is known of one address. Unknown parts are empty or 0.
struct SourcePlace {
  std::string function;  // demangled
  std::string file;
  int line = 0;
};

class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// The place of `address` (as the file counts them, and addr2line takes them) in the file at `path`. A file
  /// with another build id (hexadecimal; empty: not compared) is not the one that ran: nothing is known then.
  SourcePlace find(const std::string& path, const std::string& build_id, std::uint64_t address);

  /// Why a file told nothing: "PATH: no such file", ...; empty: it was read.
  const std::string& problem(const std::string& path, const std::string& build_id);

 private:
  class File;
  File& open(const std::string& path, const std::string& build_id);
  std::map<std::pair<std::string, std::string>, std::unique_ptr<File>> files_;
};

}  // namespace vef::merge
