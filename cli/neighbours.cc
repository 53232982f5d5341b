// SPDX-License-Identifier: Apache-2.0
#include "neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "vef/base/units.h"

namespace vef::cli {

void add_input_options(CLI::App& app, InputOptions& options) {
  app.add_option("--from", options.from, "format of the input (default: found; vef convert --list)");
  app.add_flag("--allow-outside", options.reading.allow_outside,
               "let an input that names other files name some outside its folder");
  app.add_option("--flops-per-second", options.reading.flops_per_second,
                 "speed of a processor, for formats that count operations instead of time")
      ->check(CLI::Range(1.0, 1e30))
      ->capture_default_str();
  // Decoding is soon done compared to all else: more threads would wait.
  constexpr unsigned kMostByDefault = 4;
  options.reading.threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMostByDefault) - 1;
  app.add_option_function<unsigned>(
         "--threads", [&options](unsigned threads) { options.reading.threads = threads - 1; },
         "threads to read and write with (default: one for each processor, at most 4)")
      ->check(CLI::Range(1, 256));
}

neighbours::CollectiveExpander expander(tracelib::Expansion expansion) {
  return [expansion, schedule = tracelib::Schedule()](
             const neighbours::WholeCollective& whole, std::int32_t rank,
             std::vector<neighbours::CollectiveStep>& steps) mutable {
    tracelib::CollectiveCall call;
    call.op = whole.op;
    call.size = static_cast<std::int32_t>(whole.send_bytes.size());
    call.root = tracelib::find_root(whole.op, whole.send_bytes, whole.recv_bytes);
    call.send_bytes = whole.send_bytes;
    call.recv_bytes = whole.recv_bytes;
    tracelib::expand(call, expansion, rank, schedule);
    for (const tracelib::Step& step : schedule.steps)
      steps.push_back({step.peer, step.is_send, false, step.bytes});
    for (const std::uint32_t end : schedule.round_ends) steps[end - 1].ends_round = true;
  };
}

void print_losses(const std::string& file, const neighbours::Losses& losses) {
  for (const neighbours::Loss& loss : losses.kinds())
    fmt::print(stderr, "vef: {}: {} {}: {}\n", file, format_count(loss.count), loss.what, loss.why);
}

Result<formats::Trace> read_any_trace(const std::string& path, const InputOptions& options) {
  neighbours::Losses losses;
  auto trace = neighbours::read_trace(path, options.from, options.reading, losses);
  if (trace) print_losses(path, losses);
  return trace;
}

}  // namespace vef::cli
