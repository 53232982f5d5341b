// SPDX-License-Identifier: Apache-2.0
// Compares the messages that a real library sent, as run_collectives wrote them, with the expansion: for
// every rank the same messages, in the same order. usage: compare_messages openmpi|mpich FILE... Prints one
// line per operation and number of ranks, and the first differences; exit 1 if anything differs.
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "vef/tracelib/collectives.h"

namespace {

using vef::formats::CollectiveOp;
using namespace vef::tracelib;

struct Message {
  std::int32_t peer = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Message&) const = default;
};

constexpr int kVectorForm = 8;  // added to the operation's number

struct Line {
  bool vector_form = false;
  CollectiveOp op = CollectiveOp::kBarrier;
  std::int32_t ranks = 0, root = 0, rank = 0;
  std::uint64_t bytes = 0;
  std::uint32_t element = 0;
  std::vector<Message> messages;
};

bool parse(const std::string& text, Line& line) {
  std::istringstream in(text);
  int op = 0;
  std::size_t count = 0;
  if (!(in >> op >> line.ranks >> line.root >> line.bytes >> line.element >> line.rank >> count))
    return false;
  line.vector_form = op >= kVectorForm;
  op %= kVectorForm;
  if (op < 0 || op >= vef::formats::kCollectiveOps || line.ranks < 1 || line.ranks > 4096) return false;
  line.op = static_cast<CollectiveOp>(op);
  line.messages.clear();
  for (Message m; line.messages.size() < count && in >> m.peer >> m.bytes;) line.messages.push_back(m);
  return line.messages.size() == count;
}

std::uint64_t block_of(const Line& line, std::size_t i) {
  return line.vector_form ? line.bytes * ((7 * i + 3) % 5) : line.bytes;
}

/// The messages of line.rank by the expansion; the sizes of the records as VEF defines them.
std::vector<Message> expected(const Line& line, Expansion expansion, std::string* algorithm) {
  const auto n = static_cast<std::size_t>(line.ranks);
  std::vector<std::uint64_t> send(n, 0), recv(n, 0);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += block_of(line, i);
  for (std::size_t i = 0; i < n; ++i) {
    const bool root = i == static_cast<std::size_t>(line.root);
    const std::uint64_t block = block_of(line, i);
    if (line.op == CollectiveOp::kBroadcast) (root ? send : recv)[i] = line.bytes;
    if (line.op == CollectiveOp::kReduce) (root ? recv : send)[i] = line.bytes;
    if (line.op == CollectiveOp::kAllreduce) send[i] = recv[i] = line.bytes;
    if (line.op == CollectiveOp::kGather) send[i] = block, recv[i] = root ? sum : 0;
    if (line.op == CollectiveOp::kScatter) recv[i] = block, send[i] = root ? sum : 0;
    if (line.op == CollectiveOp::kAllgather) send[i] = block, recv[i] = sum;
    if (line.op == CollectiveOp::kAlltoall) send[i] = block, recv[i] = line.vector_form ? 1 : 0;
  }
  const CollectiveCall call{line.op, line.ranks, line.root, send, recv, line.element};
  *algorithm = chosen_algorithm(call, expansion);
  Schedule schedule;
  expand(call, expansion, line.rank, schedule);
  std::vector<Message> messages;
  for (const Step& step : schedule.steps) {
    if (step.is_send) messages.push_back({step.peer, step.bytes});
  }
  return messages;
}

void print_messages(const char* what, const std::vector<Message>& messages) {
  std::printf("    %s:", what);
  for (std::size_t i = 0; i < messages.size() && i < 12; ++i) {
    std::printf(" %d<-%llu", messages[i].peer, static_cast<unsigned long long>(messages[i].bytes));
  }
  std::printf("%s\n", messages.size() > 12 ? " ..." : "");
}

struct Score {
  std::uint64_t same = 0, different = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto expansion = parse_expansion(argc > 2 ? argv[1] : "");
  if (!expansion.ok()) return 2;
  std::map<std::tuple<CollectiveOp, bool, std::int32_t>, Score> scores;
  int shown = 0;
  bool good = true;
  for (int f = 2; f < argc; ++f) {
    std::ifstream file(argv[f]);
    std::string text;
    for (Line line; std::getline(file, text);) {
      if (!parse(text, line)) {
        std::printf("%s: not a line of run_collectives: %s\n", argv[f], text.substr(0, 60).c_str());
        return 1;
      }
      std::string algorithm;
      const auto wanted = expected(line, *expansion, &algorithm);
      Score& score = scores[{line.op, line.vector_form, line.ranks}];
      ++(wanted == line.messages ? score.same : score.different);
      if (wanted == line.messages || ++shown > 10) continue;
      std::printf("%s%s, %d ranks, root %d, %llu bytes of elements of %u, rank %d (%s):\n",
                  std::string(vef::formats::collective_name(line.op)).c_str(), line.vector_form ? "v" : "",
                  line.ranks, line.root, static_cast<unsigned long long>(line.bytes), line.element, line.rank,
                  algorithm.c_str());
      print_messages("library  ", line.messages);
      print_messages("expansion", wanted);
    }
  }
  for (const auto& [key, score] : scores) {
    const auto& [op, vector_form, ranks] = key;
    good = good && score.different == 0;
    std::printf("%-10s %s %4d ranks: %6llu message lists equal, %llu different\n",
                std::string(vef::formats::collective_name(op)).c_str(), vector_form ? "(v)" : "   ", ranks,
                static_cast<unsigned long long>(score.same),
                static_cast<unsigned long long>(score.different));
  }
  if (scores.empty()) std::printf("nothing to compare\n");
  return good && !scores.empty() ? 0 : 1;
}
