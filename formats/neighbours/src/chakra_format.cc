// SPDX-License-Identifier: Apache-2.0
// Chakra in the list of formats.
#include <algorithm>

#include "chakra.h"
#include "counted_reader.h"
#include "format_list.h"
#include "goal_records.h"
#include "protobuf.h"
#include "text_scanner.h"

namespace vef::neighbours {

namespace {

/// The metadata in front: a version of digits and dots.
bool is_chakra(std::string_view head) {
  std::uint64_t size = 0;
  ProtoField version;
  if (!take_varint(head, size) || size > head.size()) return false;
  ProtoScanner fields(head.substr(0, static_cast<std::size_t>(size)));
  return fields.next(version) && version.number == 1 && version.wire == ProtoWire::kBytes &&
         !version.bytes.empty() && is_digit(version.bytes.front()) &&
         std::all_of(version.bytes.begin(), version.bytes.end(),
                     [](char c) { return is_digit(c) || c == '.'; });
}

Result<std::unique_ptr<formats::TraceReader>> open(const std::string& path, const Options& options,
                                                   Losses& losses) {
  return open_counted(
      path,
      [path, options](Losses& counted) -> Result<std::unique_ptr<RecordSource>> {
        auto input = open_chakra(path, options, counted);
        if (!input) return input.error();
        return open_goal_records(std::move(*input), path, counted);
      },
      losses, options.progress);
}

}  // namespace

Format chakra_format() {
  Format format;
  format.name = "chakra";
  format.title = "execution traces of Chakra (ASTRA-sim), PREFIX.RANK.et: any of them, or PREFIX";
  format.endings = {".et"};
  format.keeps = "messages, sizes, computing, dependencies, collectives, process groups";
  format.loses =
      "in: tags, tensors, the freedom of a rank's nodes to change places; out: absolute times, metadata";
  format.lowering = Lowering::kScans;
  format.recognises = is_chakra;
  format.is_prefix = is_chakra_prefix;
  format.open = open;
  format.create = [](const std::string& path, const formats::TraceReader& trace, const Options&,
                     Losses& losses) -> Result<std::unique_ptr<formats::TraceWriter>> {
    if (Status status = refuse_compressed(path); !status) return status.error();
    return create_chakra(path, trace, losses);
  };
  return format;
}

}  // namespace vef::neighbours
