// SPDX-License-Identifier: Apache-2.0
// Puts the page together: page/page.html with every {{name}} replaced once. Replacements are never searched
// for further names, so what a trace says cannot reach another place of the page.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "escape.h"
#include "output_file.h"
#include "page_assets.h"
#include "page_parts.h"
#include "vef/analyzer/report.h"
#include "vef/base/units.h"

namespace vef::analyzer {
namespace {

using Replacements = std::vector<std::pair<std::string_view, std::string>>;

std::string fill(std::string_view page, const Replacements& replacements) {
  std::string out;
  while (true) {
    const std::size_t begin = page.find("{{");
    const std::size_t end = begin == std::string_view::npos ? begin : page.find("}}", begin);
    if (end == std::string_view::npos) return out.append(page);
    out.append(page.substr(0, begin));
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    for (const auto& [key, value] : replacements) {
      if (key == name) out.append(value);
    }
    page.remove_prefix(end + 2);
  }
}

struct ExpansionText {
  const char* sentence;
  const char* method;
};

/// What the page says about `expansion`; see vef/tracelib/collectives.h for the definitions.
ExpansionText expansion_text(tracelib::Expansion expansion) {
  switch (expansion) {
    case tracelib::Expansion::kN:
      return {"Collectives as stars (n).",
              "n: a rooted collective over n tasks is n − 1 messages straight from or to its root; an "
              "all-reduce is "
              "a reduction to the communicator’s first task and a broadcast from it, a barrier the same with "
              "empty "
              "messages; all-gather and all-to-all send one message for every ordered pair; a reduce-scatter "
              "is a reduction "
              "and a scatter, a scan one message from each task to the next."};
    case tracelib::Expansion::kLogN:
      return {
          "Collectives as binomial trees (log n).",
          "log n: a rooted collective over n tasks is a binomial tree of n − 1 messages; an all-reduce is a "
          "reduction to the communicator’s first task and a broadcast from it; all-gather is a ring, "
          "all-to-all "
          "a pairwise exchange, a barrier a dissemination, a reduce-scatter a reduction and a scatter, a "
          "scan "
          "recursive doubling."};
    case tracelib::Expansion::kOpenMpi:
      return {"Collectives as in Open MPI.",
              "openmpi: each collective is the messages of the algorithm that Open MPI 4.1.4 chooses by "
              "default for "
              "the size of the communicator and of the message."};
    case tracelib::Expansion::kMpich:
      return {
          "Collectives as in MPICH.",
          "mpich: each collective is the messages of the algorithm that MPICH 4.0 chooses by default for the "
          "size of the communicator and of the message."};
  }
  return {"", ""};
}

std::string interval_sentence(const Analysis& analysis) {
  if (analysis.over_time.intervals == 0) return "No message.";
  return "Per interval of " + time_text(analysis.over_time.width) + " of ideal-network time.";
}

std::string blocks_sentence(const Analysis& analysis) {
  const std::string expansion = expansion_text(analysis.expansion).sentence;
  if (analysis.matrix.block == 1) return expansion;
  return expansion + " Each cell sums " + format_count(static_cast<std::uint64_t>(analysis.matrix.block)) +
         " × " + format_count(static_cast<std::uint64_t>(analysis.matrix.block)) + " tasks.";
}

std::string subtitle(const Analysis& analysis) {
  return "Static analysis of " + analysis.source + ", " +
         format_count(static_cast<std::uint64_t>(analysis.header.tasks)) + " tasks. " +
         expansion_text(analysis.expansion).sentence;
}

}  // namespace

Result<std::string> render_report(const Analysis& analysis) {
  Result<std::string> data = page_data(analysis);
  if (!data) return data.error();
  return fill(assets::kPageHtml,
              {{"title", escape_html(page_title(analysis))},
               {"subtitle", escape_html(subtitle(analysis))},
               {"cards", cards_html(analysis)},
               {"metadata", metadata_html(analysis)},
               {"tables", tables_html(analysis)},
               {"interval", escape_html(interval_sentence(analysis))},
               {"expansion", escape_html(expansion_text(analysis.expansion).sentence)},
               {"expansion_method", escape_html(expansion_text(analysis.expansion).method)},
               {"blocks", escape_html(blocks_sentence(analysis))},
               {"data", escape_script(*data)},
               {"page_css", std::string(assets::kPageCss)},
               {"page_js", std::string(assets::kPageJs)},
               {"uplot_css", std::string(assets::kUplotCss)},
               {"uplot_js", std::string(assets::kUplotJs)},
               {"uplot_license", escape_html(assets::kUplotLicense)}});
}

Status write_report(const Analysis& analysis, const std::string& path) {
  Result<std::string> page = render_report(analysis);
  if (!page) return page.error();
  OutputFile file(path);
  file.write(*page);
  return file.finish();
}

}  // namespace vef::analyzer
