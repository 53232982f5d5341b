// SPDX-License-Identifier: Apache-2.0
// What the tests of neighbours share: files in a folder of their own, records as short texts, damage.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "test_files.h"
#include "vef/formats/validate.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours::testing {

using formats::testing::read_file;
using formats::testing::TemporaryFolder;
using formats::testing::write_file;

/// Task 0 sends message 0 at 5, is the root of a broadcast 2 later, computes 1, waits for message 2,
/// computes 7. Task 1 is ready at 3, has message 0 at 5, computes 20, sends 2 at 25 and enters the broadcast
/// at once.
inline constexpr std::string_view kTwoTasks =
    "VEF3 2 6 1 1 2 0 1000\n"
    "C0 0 1\n"
    "0 0 1 10 4 5 -1\n"
    "1 1 1 0 0 3 -1\n"
    "2 1 0 4 6 20 0\n"
    "G0 C0 0 0 8 0 1 2 0\n"
    "G0 C0 0 1 0 8 1 0 2\n"
    "3 0 0 0 3 1 G0\n"
    "4 0 0 0 2 7 2\n"
    "5 1 1 0 3 0 G0\n";

/// "m3 0>1 8B +5 s2": message 3 from 0 to 1 of 8 bytes, 5 units after the sending of 2. "mark 1 +0 r3": a
/// mark of task 1 after the arrival of 3. "c4 C0 barrier 1 8/0 =7": collective 4, task 1, sizes, at 7.
inline std::string brief(const formats::Record& record) {
  std::string text;
  if (record.kind == formats::RecordKind::kMark) {
    text = "mark " + std::to_string(record.task);
  } else if (record.kind == formats::RecordKind::kMessage) {
    text = (record.answer ? "a" : "m") + std::to_string(record.id) + " " + std::to_string(record.task) + ">" +
           std::to_string(record.peer) + " " + std::to_string(record.send_bytes) + "B";
  } else {
    text = "c" + std::to_string(record.id) + " C" + std::to_string(record.comm) + " " +
           std::string(formats::collective_name(record.op)) + " " + std::to_string(record.task) + " " +
           std::to_string(record.send_bytes) + "/" + std::to_string(record.recv_bytes);
  }
  if (record.dep == formats::DepKind::kIndependent) return text + " =" + std::to_string(record.time);
  return text + " +" + std::to_string(record.time) + " " + " src"[static_cast<std::size_t>(record.dep)] +
         std::to_string(record.dep_id);
}

inline std::vector<std::string> briefs(const formats::Trace& trace, formats::TaskId task = -1) {
  std::vector<std::string> texts;
  for (const formats::Record& record : trace.records) {
    if (task < 0 || record.task == task) texts.push_back(brief(record));
  }
  return texts;
}

inline std::vector<std::string> kinds_of(const Losses& losses) {
  std::vector<std::string> texts;
  for (const Loss& loss : losses.kinds()) texts.push_back(std::to_string(loss.count) + " " + loss.what);
  return texts;
}

class NeighbourTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name, std::string_view bytes) {
    return write_file(folder_.path() + "/" + name, bytes);
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  /// Reads a whole trace that must be one that can be executed (but for cycles).
  formats::Trace read(const std::string& name) {
    losses_ = {};
    auto trace = read_trace(name, "", options_, losses_);
    EXPECT_TRUE(trace.ok()) << trace.error().message;
    if (!trace) return {};
    const auto faults = formats::validate(*trace);
    EXPECT_TRUE(faults.empty()) << faults.front().line << ": " << faults.front().message;
    return std::move(*trace);
  }
  /// What is wrong with `bytes`, without the folder.
  std::string fault_of(const std::string& name, std::string_view bytes) {
    Losses losses;
    const auto trace = read_trace(file(name, bytes), "", options_, losses);
    if (trace) return "nothing";
    std::string text = trace.error().message;
    const std::size_t at = text.find(folder_.path());
    return at == std::string::npos ? text : text.erase(at, folder_.path().size() + 1);
  }
  Conversion convert_file(const std::string& from, const std::string& to) {
    auto conversion = convert(from, path(to), "", "", options_);
    EXPECT_TRUE(conversion.ok()) << conversion.error().message;
    return conversion ? std::move(*conversion) : Conversion();
  }

  /// Every beginning of `bytes` is refused with a message or read as what it is; `least`: how many of them at
  /// least must be refused.
  void try_truncations(const std::string& name, const std::string& bytes, std::size_t least) {
    std::size_t refused = 0;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      Losses losses;
      const auto trace =
          read_trace(file(name, std::string_view(bytes).substr(0, size)), from_, options_, losses);
      refused += trace.ok() ? 0 : 1;
      if (!trace) {
        EXPECT_NE(trace.error().message.find(name), std::string::npos) << trace.error().message;
      }
    }
    EXPECT_GE(refused, least);
  }

  /// Flipped bits end in a message or in a trace.
  void try_flips(const std::string& name, const std::string& bytes, int rounds) {
    std::mt19937 random(20261130);
    for (int i = 0; i < rounds; ++i) {
      std::string damaged = bytes;
      for (auto flips = 1 + random() % 3; flips != 0; --flips)
        damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
      Losses losses;
      const auto trace = read_trace(file(name, damaged), from_, options_, losses);
      if (!trace) {
        EXPECT_FALSE(trace.error().message.empty());
      }
    }
  }

  Options options_;
  Losses losses_;
  std::string from_;  // format of damaged files

 private:
  TemporaryFolder folder_;
};

}  // namespace vef::neighbours::testing
