// SPDX-License-Identifier: Apache-2.0
// GOAL schedules, text and binary.
#include "neighbours.h"

using namespace vef;

bool fuzz::run(std::string_view input) {
  const bool is_binary = input.size() > 8 && input.substr(2, 6) == std::string_view("\0\0\0\0\0\0", 6);
  return fuzz::read_as(is_binary ? "goal-bin" : "goal", input);
}

std::vector<std::string> fuzz::seeds() {
  constexpr const char* kTrace = VEF_SOURCE_DIR "/tests/data/vef3/ring-4-send-recv-a.vef";
  return {fuzz::converted(kTrace, "t.goal"), fuzz::converted(kTrace, "t.bin"),
          "num_ranks 2\nrank 0 {\na: recv 1b from -1 tag -1 cpu 1 nic 2\n/* c */ b: calc 5 cpu 2\nb "
          "irequires a\n}\n"
          "rank 1 {\nsend 1b to 0 tag 7 // d\n}\n"};
}
