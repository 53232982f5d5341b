// SPDX-License-Identifier: Apache-2.0
// vef convert: between VEF and the formats of neighbouring tools, and between the own forms.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "neighbours.h"
#include "output.h"
#include "progress.h"
#include "vef/base/units.h"

namespace vef::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string input;
  std::string output;
  InputOptions reading;
  std::string to;
  std::string expansion = "openmpi";
  bool list = false;
  bool json = false;
  bool quiet = false;
};

std::string endings_of(const neighbours::Format& format) {
  std::string endings;
  for (const std::string_view ending : format.endings)
    endings.append(endings.empty() ? "" : " ").append(ending);
  return endings;
}

int list_formats(bool json) {
  Json out = Json::array();
  for (const neighbours::Format& format : neighbours::all_formats()) {
    if (json) {
      out.push_back({{"name", format.name},
                     {"title", format.title},
                     {"endings", format.endings},
                     {"read", format.open != nullptr},
                     {"written", format.create != nullptr},
                     {"keeps", format.keeps},
                     {"loses", format.loses}});
      continue;
    }
    const char* ways = format.open == nullptr ? "out" : format.create == nullptr ? "in" : "in, out";
    fmt::print("{:<12} {:<8} {:<18} {}\n", format.name, ways, endings_of(format), format.title);
    fmt::print("{:<12} keeps {}\n{:<12} loses {}\n", "", format.keeps, "", format.loses);
  }
  if (json) fmt::print("{}\n", json_text(out));
  return kDone;
}

void print_json(const Options& options, const neighbours::Conversion& conversion) {
  Json out;
  out["input"] = options.input;
  out["output"] = options.output;
  out["from"] = conversion.from;
  out["to"] = conversion.to;
  out["records"] = conversion.records;
  out["losses"] = Json::array();
  for (const neighbours::Loss& loss : conversion.losses.kinds())
    out["losses"].push_back({{"count", loss.count}, {"what", loss.what}, {"why", loss.why}});
  fmt::print("{}\n", json_text(out));
}

int run_convert(const Options& options) {
  if (options.list) return list_formats(options.json);
  if (options.input.empty() || options.output.empty())
    return report_error(usage_error("convert: IN and OUT are required; see vef convert --help"));
  const auto expansion = tracelib::parse_expansion(options.expansion);
  if (!expansion) return report_error(expansion.error());
  neighbours::Options converting = options.reading.reading;
  converting.expand = expander(*expansion);
  Progress progress("converting", !options.quiet);
  converting.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  const auto conversion =
      neighbours::convert(options.input, options.output, options.reading.from, options.to, converting);
  if (!conversion) return report_error(conversion.error());
  print_losses(options.input, conversion->losses);
  if (options.json) {
    print_json(options, *conversion);
  } else {
    fmt::print("{}: {} to {}, {} records\n", options.output, conversion->from, conversion->to,
               format_count(conversion->records));
  }
  return kDone;
}

}  // namespace

Command add_convert(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("convert", "Convert a trace to or from a format of another tool");
  app->add_option("IN", options->input, "a trace of any format that is read");
  app->add_option("OUT", options->output, "the new trace; its ending tells the format");
  app->add_option("--to", options->to, "format of the output (default: by the ending)");
  add_input_options(*app, options->reading);
  app->add_option(
         "--expansion", options->expansion,
         "how collectives become messages where the format has none: n (stars), log-n (trees), or as "
         "the library does: openmpi, mpich")
      ->capture_default_str();
  app->add_flag(
      "--lossy", options->reading.reading.lossy,
      "to vef3: leave out answers, the messages of one-sided reads and locks that VEF3 cannot hold");
  app->add_option("--level", options->reading.reading.level, "compression level (default: the compressor's)")
      ->check(CLI::Range(1, 19));
  app->add_flag("--list", options->list, "list the formats, what each keeps and what it loses");
  app->add_flag("--json", options->json, "print the result as JSON");
  app->add_flag("--quiet", options->quiet, "no progress bar");
  app->footer(
      "What a format cannot keep is said on stderr, once for each kind, with its count.\n"
      "Examples:\n"
      "  vef convert app.vef.zst app.goal --expansion openmpi   # for LogGOPSim, after its txt2bin: or "
      "app.bin at once\n"
      "  vef convert schedule.goal schedule.vef.zst\n"
      "  vef convert app.vef app.vef.zst --level 19\n"
      "  vef convert app.vef.zst plain.vef --to vef3            # for tools that do not read VEF4\n"
      "  vef convert --list");
  return {app, [options] { return run_convert(*options); }};
}

}  // namespace vef::cli
