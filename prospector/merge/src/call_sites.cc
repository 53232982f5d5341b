// SPDX-License-Identifier: Apache-2.0
#include "call_sites.h"

#include <algorithm>
#include <set>

#include "symbols.h"
#include "vef/formats/mpi_call.h"

namespace vef::merge {
namespace {

constexpr unsigned kModuleShift = 48;
constexpr std::uint64_t kOffsets = (std::uint64_t{1} << kModuleShift) - 1;

std::string hexadecimal(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// Looks frames up, and keeps why files told nothing.
class Namer {
 public:
  std::string name(const std::string& module, std::uint64_t return_address) {
    const std::size_t end = module.find('\n');
    const std::string path = module.substr(0, end);
    const std::string build_id = end == std::string::npos ? "" : module.substr(end + 1);
    if (path.empty()) return hexadecimal(return_address);
    // The call lies before the address to which it returns.
    const SourcePlace place = symbols_.find(path, build_id, return_address - 1);
    if (const std::string& problem = symbols_.problem(path, build_id); !problem.empty())
      problems_.insert(problem);
    const std::string where = place.line != 0 ? last_part(place.file) + ":" + std::to_string(place.line)
                                              : last_part(path) + "+" + hexadecimal(return_address);
    return place.function.empty() ? where : place.function + " (" + where + ")";
  }
  const std::set<std::string>& problems() const { return problems_; }

 private:
  Symbols symbols_;
  std::set<std::string> problems_;
};

std::string counts(const SiteUse& use) {
  return std::to_string(use.calls) + (use.calls == 1 ? " call, " : " calls, ") + std::to_string(use.bytes) +
         " bytes";
}

}  // namespace

void RankSites::take(const formats::RankEvent& event) {
  if (event.kind == formats::EventKind::kModule) {
    modules_[event.request] = event.text;
  } else if (event.kind == formats::EventKind::kSite) {
    frames_[event.site].assign(event.requests.begin(), event.requests.end());
  } else {
    SiteUse& use = uses_[{event.site, event.call}];
    ++use.calls;
    const bool receives = !event.completions.empty() && event.kind != formats::EventKind::kSendrecv;
    if (!receives) {
      use.bytes += event.bytes;
    } else {
      for (const auto& completion : event.completions) use.bytes += completion.bytes;
    }
  }
}

class SiteNames::Namer : public vef::merge::Namer {};

SiteNames::SiteNames() : namer_(std::make_unique<Namer>()) {}
SiteNames::~SiteNames() = default;

std::string SiteNames::name(const RankSites& rank, std::uint32_t site) {
  const auto found = rank.frames_.find(site);
  if (found == rank.frames_.end()) return "";
  std::string text;
  for (const std::uint64_t frame : found->second) {
    const auto module = rank.modules_.find(frame >> kModuleShift);
    if (!text.empty()) text += " < ";
    text += namer_->name(module == rank.modules_.end() ? std::string() : module->second, frame & kOffsets);
  }
  return text;
}

void CallSites::add(const RankSites& rank) {
  std::map<std::uint64_t, std::uint32_t> modules;  // the rank's number -> ours
  for (const auto& [number, name] : rank.modules_) {
    const auto [it, added] = module_numbers_.try_emplace(name, static_cast<std::uint32_t>(modules_.size()));
    if (added) modules_.push_back(name);
    modules[number] = it->second;
  }
  for (const auto& [key, use] : rank.uses_) {
    std::vector<Frame> frames;
    if (const auto found = rank.frames_.find(key.first); found != rank.frames_.end()) {
      for (const std::uint64_t frame : found->second) {
        const auto module = modules.find(frame >> kModuleShift);
        frames.push_back({module == modules.end() ? 0 : module->second, frame & kOffsets});
      }
    }
    Total& total = uses_[{std::move(frames), key.second}];
    total.use.calls += use.calls;
    total.use.bytes += use.bytes;
    ++total.ranks;
  }
}

formats::Metadata CallSites::describe(std::size_t most) const {
  using Entry = decltype(uses_)::value_type;
  std::vector<const Entry*> entries;
  for (const Entry& entry : uses_) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry* a, const Entry* b) { return a->second.use.calls > b->second.use.calls; });
  formats::Metadata metadata;
  Namer namer;
  SiteUse rest;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [key, total] = *entries[i];
    if (i >= most) {
      rest.calls += total.use.calls;
      rest.bytes += total.use.bytes;
      continue;
    }
    std::string text =
        formats::mpi_call_name(key.second) + (key.first.empty() ? " at an unknown place" : " at ");
    for (std::size_t k = 0; k < key.first.size(); ++k) {
      text += (k == 0 ? "" : " < ") + namer.name(modules_[key.first[k].module], key.first[k].offset);
    }
    text += ": " + counts(total.use) + ", " + std::to_string(total.ranks) +
            (total.ranks == 1 ? " rank" : " ranks");
    metadata.emplace_back("call site " + std::to_string(i + 1), std::move(text));
  }
  if (entries.size() > most) {
    metadata.emplace_back("further call sites", std::to_string(entries.size() - most) + ": " + counts(rest));
  }
  std::string problems;
  for (const std::string& problem : namer.problems()) problems += (problems.empty() ? "" : "; ") + problem;
  if (!problems.empty()) metadata.emplace_back("call sites without symbols", problems);
  return metadata;
}

}  // namespace vef::merge
