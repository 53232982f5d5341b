// SPDX-License-Identifier: Apache-2.0
// OTF2 in the list of formats.
#include "format_list.h"
#include "otf2.h"

namespace vef::neighbours {

Format otf2_format() {
  Format format;
  format.name = "otf2";
  format.title = "archive of OTF2 (Score-P, Vampir, TraceR): NAME.otf2, NAME.def, NAME/";
  format.endings = {".otf2"};
  format.keeps =
      "messages, sizes, computing, order, collectives, communicators; out: times of an ideal network";
  format.loses = "out: what depends on what beyond receives and collectives, metadata";
  format.recognises = [](std::string_view head) {
    constexpr std::size_t kMagicAt = 2;  // behind the kind of chunk and the order of bytes
    return head.size() > kMagicAt && head.substr(kMagicAt).starts_with("OTF2");
  };
  format.lowering = Lowering::kScans;
  format.open = [](const std::string& path, const Options& options, Losses& losses) {
    return open_counted(
        path, [path](Losses& counted) { return open_otf2(path, counted); }, losses, options.progress);
  };
  format.create = [](const std::string& path, const formats::TraceReader& trace, const Options&,
                     Losses& losses) -> Result<std::unique_ptr<formats::TraceWriter>> {
    return create_otf2(path, trace, losses);
  };
  return format;
}

}  // namespace vef::neighbours
