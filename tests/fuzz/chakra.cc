// SPDX-License-Identifier: Apache-2.0
// Chakra's execution traces: the files of three ranks.
#include "neighbours.h"

using namespace vef;

namespace {

constexpr std::size_t kRanks = 3;

std::string name_of(std::size_t rank) { return "p." + std::to_string(rank) + ".et"; }

}  // namespace

bool fuzz::run(std::string_view input) {
  static const Folder folder;
  const auto files = unbundle(input, kRanks);
  for (std::size_t rank = 0; rank < kRanks; ++rank) folder.write(name_of(rank), files[rank]);
  return fuzz::read_file_as("chakra", folder.path() + "/p");
}

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> seeds;
  const Folder folder;
  const std::string rooted =
      folder.write("rooted.vef",
                   "VEF3 3 0 2 5 14 0 1000\nC0 0 1 2\nC1 2 0\n"
                   "G0 C0 0 0 8 0 0 1000 -1\nG0 C0 0 1 0 8 0 0 -1\nG0 C0 0 2 0 8 0 0 -1\n"
                   "G1 C0 1 0 8 0 3 0 G0\nG1 C0 1 1 0 8 3 0 G0\nG1 C0 1 2 8 0 3 0 G0\n"
                   "G2 C0 3 0 1 6 3 0 G1\nG2 C0 3 1 2 0 3 0 G1\nG2 C0 3 2 3 0 3 0 G1\n"
                   "G3 C0 7 0 9 1 3 0 G2\nG3 C0 7 1 8 1 3 0 G2\nG3 C0 7 2 7 1 3 0 G2\n"
                   "G4 C1 4 2 0 5 3 0 G3\nG4 C1 4 0 9 4 3 0 G3\n");
  for (const std::string& trace : {rooted, std::string(VEF_SOURCE_DIR "/tests/data/small.vef")}) {
    const auto conversion = neighbours::convert(trace, folder.path() + "/p.et", "", "", {});
    if (!conversion) fail(conversion.error().message);
    std::vector<std::string> files;
    for (std::size_t rank = 0; rank < kRanks; ++rank)
      files.push_back(contents(folder.path() + "/" + name_of(rank)));
    seeds.push_back(bundle(files));
  }
  return seeds;
}
