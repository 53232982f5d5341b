// SPDX-License-Identifier: Apache-2.0
// Traces of DUMPI of one rank: the input is the rank's file; one that begins with a letter is the .meta.
#include <cctype>

#include "neighbours.h"
#include "test_dumpi.h"

using namespace vef;
using namespace vef::neighbours::testing;

bool fuzz::run(std::string_view input) {
  if (!input.empty() && std::isalpha(static_cast<unsigned char>(input.front())) != 0)
    return fuzz::read_as("dumpi", input);
  static const Folder folder;
  folder.write("t-0000.bin", input);
  return fuzz::read_file_as("dumpi", folder.write("t.meta", "numprocs=1\nfileprefix=t\n"));
}

std::vector<std::string> fuzz::seeds() {
  DumpiRank messages;
  messages.init().call(12, message(1, -1, -1) + i32(2)).call(8, message(3, 0, 1) + i32(3));
  messages.call(18, i32(2) + ints({2, 3}) + big(2, 4) + status(0, 1) + status(0, 0));
  messages.call(30, message(1, 0, 4) + i32(5))
      .call(26, message(1, 0, 4) + i32(6))
      .call(32, i32(2) + ints({5, 6}));
  messages.call(20, i32(2) + ints({5, 6}) + i32(2) + ints({0, 1}) + no_status());
  messages.call(
      33, i32(3) + u16(kInt) + i32(0) + i32(1) + i32(3) + u16(kInt) + i32(0) + i32(1) + u16(2) + no_status());
  messages.call(8, message(3, 0, 7) + i32(3)).call(22, i32(0) + i32(7) + u16(2) + i32(1) + one_status(0, 7));
  messages.call(1, message(3, 0, 7) + no_status()).finalize();
  DumpiRank groups;
  groups.init().call(86, u16(2) + i32(1) + i32(0) + u16(4)).call(35, i32(3) + u16(kInt) + u16(28));
  groups.call(72, u16(4) + u16(3)).call(78, u16(3) + i32(1) + big(1, 4) + ints({0, 0, 1}) + u16(4));
  groups.call(85, u16(2) + u16(4) + u16(5))
      .call(99, u16(5) + i32(1) + ints({1}) + ints({0}) + i32(0) + u16(6));
  groups.call(111, i32(1) + u16(6) + ints({1}) + u16(7)).call(53, i32(4) + u16(28) + i32(0) + u16(7));
  groups.call(55,
              i32(0) + i32(1) + i32(4) + u16(kByte) + i32(0) + u16(4) + ints({4}) + ints({0}) + u16(kByte));
  groups.call(61, i32(1) + ints({1}) + ints({0}) + u16(kByte) + ints({1}) + ints({0}) + u16(kByte) + u16(2));
  groups.call(66, i32(1) + ints({2}) + u16(kByte) + u8(3) + u16(2))
      .call(67, i32(8) + u16(kByte) + u8(3) + u16(2));
  groups.call(145, i32(8) + i32(1) + u16(0) + u16(2) + u16(1)).call(146, u8(0) + u16(1)).finalize();
  return {messages.file(), groups.file(std::vector<std::uint32_t>(30, 4))};
}
