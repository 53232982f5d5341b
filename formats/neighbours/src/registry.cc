// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>

#include "byte_file.h"
#include "byte_source.h"
#include "format_list.h"
#include "metadata_loss.h"
#include "vef/neighbours/neighbours.h"
#include "vef4_lowering.h"

namespace vef::neighbours {

using formats::TraceReader;
using formats::TraceWriter;

namespace {

Format vef_format() {
  Format format;
  format.name = "vef";
  format.title = "VEF trace (.gz and .zst compress; .vefb is binary)";
  format.endings = {".vef", ".vefb"};
  format.keeps = "everything; metadata in .vef.zst and .vefb only";
  format.loses = "nothing";
  format.recognises = [](std::string_view head) { return head.starts_with("VEF"); };
  format.open = [](const std::string& path, const Options& options, Losses&) {
    return TraceReader::open(path, {.threads = options.threads});
  };
  format.create = [](const std::string& path, const TraceReader& trace, const Options& options,
                     Losses& losses) {
    if (!TraceWriter::keeps_metadata(path)) note_metadata(trace, losses);
    return TraceWriter::create(path, trace.header(), trace.communicators(), trace.metadata(),
                               {options.level, options.threads});
  };
  return format;
}

/// Written only: what VEF3 has not is lowered.
Format vef3_format() {
  Format format = vef_format();
  format.name = "vef3";
  format.title = "VEF3 trace, whatever the input needs (by --to only)";
  format.endings = {};
  format.keeps = "everything that VEF3 has; metadata as in vef";
  format.loses = "collective operations of VEF4 (become others, or messages); with --lossy answers";
  format.lowering = Lowering::kVef4;
  format.recognises = nullptr;
  format.open = nullptr;
  return format;
}

const std::vector<Format>& registry() {
  static const std::vector<Format> formats = {vef_format(),         vef3_format(),    goal_text_format(),
                                              goal_binary_format(), simgrid_format(), dumpi_format(),
                                              dumpi_ascii_format(), paraver_format(), chrome_format(),
                                              chakra_format(),      otf2_format()};
  return formats;
}

const std::vector<DirectConversion>& direct_conversions() {
  static const std::vector<DirectConversion> conversions = goal_conversions();
  return conversions;
}

bool is_readable(const Format& format) { return format.open != nullptr; }
bool is_writable(const Format& format) { return format.create != nullptr; }

std::string names_of(bool (*fits)(const Format&)) {
  std::string names;
  for (const Format& format : registry()) {
    if (fits(format)) names.append(names.empty() ? "" : ", ").append(format.name);
  }
  return names;
}

Result<const Format*> by_name(const std::string& name, bool (*fits)(const Format&), const char* option) {
  for (const Format& format : registry()) {
    if (format.name == name && fits(format)) return &format;
  }
  return usage_error(std::string(option) + ": found '" + name + "'; expected " + names_of(fits));
}

/// The format whose ending is the longest that fits, or null.
const Format* by_ending(std::string_view path, bool (*fits)(const Format&)) {
  for (const std::string_view compressed : {".gz", ".zst"}) {
    if (path.ends_with(compressed)) path.remove_suffix(compressed.size());
  }
  const Format* best = nullptr;
  std::size_t longest = 0;
  for (const Format& format : registry()) {
    if (!fits(format)) continue;
    for (const std::string_view ending : format.endings) {
      if (!path.ends_with(ending) || ending.size() <= longest) continue;
      longest = ending.size();
      best = &format;
    }
  }
  return best;
}

/// The first bytes, decompressed. Of pipes and standard input nothing is taken.
Result<std::string> read_head(const std::string& path) {
  struct stat status {};
  if (path == formats::kStandardInput) return std::string();
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return std::string();
  auto source = formats::ByteSource::open(path);
  if (!source) return source.error();
  std::string head(kHeadBytes, '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    const auto count = (*source)->read(head.data() + size, head.size() - size);
    if (!count || *count == 0) break;  // what is wrong is said when the file is read
    size += *count;
  }
  head.resize(size);
  return head;
}

Result<std::uint64_t> copy_records(TraceReader& reader, TraceWriter& writer,
                                   const ProgressFunction& progress) {
  formats::Record record;
  for (std::uint64_t count = 0;; ++count) {
    constexpr std::uint64_t kBetweenUpdates = 1 << 16;
    if (progress && count % kBetweenUpdates == 0) progress(reader.bytes_read(), reader.bytes_total());
    const auto more = reader.next(record);
    if (!more) return more.error();
    if (!*more) break;
    if (Status status = writer.write(record); !status) return status.error();
  }
  if (Status status = writer.finish(); !status) return status.error();
  return reader.header().messages + reader.header().collective_records;
}

}  // namespace

void Losses::add(std::string_view what, std::string_view why, std::uint64_t count) {
  const auto found =
      std::find_if(kinds_.begin(), kinds_.end(), [&](const Loss& loss) { return loss.what == what; });
  if (found != kinds_.end()) {
    found->count += count;
  } else if (count != 0) {
    kinds_.push_back({count, std::string(what), std::string(why)});
  }
}

std::span<const Format> all_formats() { return registry(); }

Result<const Format*> format_to_read(const std::string& path, const std::string& name) {
  if (!name.empty()) return by_name(name, is_readable, "--from");
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    for (const Format& format : registry()) {
      if (format.is_prefix != nullptr && format.is_prefix(path)) return &format;
    }
  }
  const auto head = read_head(path);
  if (!head) return head.error();
  for (const Format& format : registry()) {
    if (is_readable(format) && format.recognises != nullptr && format.recognises(*head)) return &format;
  }
  const Format* found = by_ending(path, is_readable);
  return found != nullptr ? found : registry().data();
}

Result<const Format*> format_to_write(const std::string& path, const std::string& name) {
  if (!name.empty()) return by_name(name, is_writable, "--to");
  if (const Format* found = by_ending(path, is_writable)) return found;
  std::string endings;
  for (const Format& format : registry()) {
    if (!is_writable(format)) continue;
    for (const std::string_view ending : format.endings)
      endings.append(endings.empty() ? "" : ", ").append(ending);
  }
  return usage_error(path + ": its ending tells no format that is written; expected one of " + endings +
                     ", or --to");
}

Result<std::unique_ptr<TraceReader>> open_trace(const std::string& path, const std::string& from,
                                                const Options& options, Losses& losses) {
  const auto format = format_to_read(path, from);
  if (!format) return format.error();
  return (*format)->open(path, options, losses);
}

Result<formats::Trace> read_trace(const std::string& path, const std::string& from, const Options& options,
                                  Losses& losses) {
  auto reader = open_trace(path, from, options, losses);
  if (!reader) return reader.error();
  return formats::read_trace(**reader);
}

Result<Conversion> convert(const std::string& input, const std::string& output, const std::string& from,
                           const std::string& to, const Options& options) {
  const auto source = format_to_read(input, from);
  if (!source) return source.error();
  const auto target = format_to_write(output, to);
  if (!target) return target.error();
  Conversion conversion;
  conversion.from = (*source)->name;
  conversion.to = (*target)->name;
  for (const DirectConversion& direct : direct_conversions()) {
    if (direct.from != conversion.from || direct.to != conversion.to) continue;
    const auto count = direct.run(input, output, options);
    if (!count) return count.error();
    conversion.records = *count;
    return conversion;
  }
  auto reader = open_lowered(input, **source, (*target)->lowering, options, conversion.losses);
  if (!reader) return reader.error();
  auto writer = (*target)->create(output, **reader, options, conversion.losses);
  if (!writer) return writer.error();
  const auto count = copy_records(**reader, **writer, options.progress);
  if (!count) return count.error();
  conversion.records = *count;
  return conversion;
}

}  // namespace vef::neighbours
