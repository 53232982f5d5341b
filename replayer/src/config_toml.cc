// SPDX-License-Identifier: Apache-2.0
// Network files: TOML to NetworkConfig. Sections and keys are read by name; what has not been read by the end
// is unknown, and an error.
//
// toml++ asserts (Debug) or promises the compiler (NDEBUG, clang) that a table's name begins like a key
// before it checks it: a damaged file would abort or worse. Without its assertions the check behind them
// gives the error.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "vef/base/text.h"
#include "vef/replayer/config.h"

namespace vef::replayer {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replace, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

/// "; did you mean 'x'?" for the nearest known name, if it is near; else the list of all.
std::string suggestion(std::string_view found, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  std::size_t best = std::max<std::size_t>(2, found.size() / 3) + 1;
  std::string all;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(found, name);
    if (distance < best) {
      best = distance;
      nearest = &name;
    }
    all += (all.empty() ? "" : ", ") + name;
  }
  if (nearest != nullptr) return "; did you mean '" + *nearest + "'?";
  return "; expected one of " + all;
}

template <class E>
using Names = std::initializer_list<std::pair<const char*, E>>;

/// Reads the keys of one section. The first fault is kept; the values stay at their defaults.
class Section {
 public:
  Section(const toml::table& file, std::string name, const std::string& path, std::optional<Error>& fault)
      : name_(std::move(name)), path_(path), fault_(fault) {
    const toml::node* node = file.get(name_);
    if (node == nullptr) return;
    table_ = node->as_table();
    if (table_ == nullptr) fail(*node, "'" + name_ + "' is a value; expected a section [" + name_ + "]");
  }

  template <class E>
  void choice(const char* key, Names<E> names, E& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto text = node->value_exact<std::string>();
    std::vector<std::string> known;
    for (const auto& [name, meaning] : names) {
      known.emplace_back(name);
      if (text && *text == name) {
        value = meaning;
        return;
      }
    }
    if (text) {
      fail(*node, "'" + *text + "' is no " + label(key) + suggestion(*text, known));
    } else {
      wrong_type(*node, key,
                 "one of " + std::accumulate(std::next(known.begin()), known.end(), "\"" + known[0] + "\"",
                                             [](auto a, const auto& b) { return a + ", \"" + b + "\""; }));
    }
  }
  void time(const char* key, Picoseconds& value) {
    quantity(key, value, parse_time, "a time with its unit such as \"5ns\"");
  }
  void rate(const char* key, std::uint64_t& value) {
    quantity(key, value, parse_rate, "a rate with its unit such as \"400Gbps\"");
  }
  void bytes(const char* key, std::uint64_t& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (const auto number = node->value_exact<std::int64_t>(); number && *number >= 0) {
      value = static_cast<std::uint64_t>(*number);
    } else {
      quantity(key, value, parse_bytes, "bytes, a number or with a unit such as \"128KiB\"");
    }
  }
  void count(const char* key, std::uint32_t& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (const auto number = as_count(*node)) {
      value = *number;
    } else {
      wrong_type(*node, key, "a whole number of at least 1");
    }
  }
  void seed(const char* key, std::uint64_t& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (const auto number = node->value_exact<std::int64_t>(); number && *number >= 0) {
      value = static_cast<std::uint64_t>(*number);
    } else {
      wrong_type(*node, key, "a whole number of at least 0");
    }
  }
  void counts(const char* key, std::vector<std::uint32_t>& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    std::vector<std::uint32_t> read;
    const toml::array* array = node->as_array();
    bool good = array != nullptr;
    for (std::size_t i = 0; good && i < array->size(); ++i) {
      const auto number = as_count(*array->get(i));
      good = number.has_value();
      if (good) read.push_back(*number);
    }
    if (good) {
      value = std::move(read);
    } else {
      wrong_type(*node, key, "a list of whole numbers of at least 1, such as [16, 16]");
    }
  }
  void number(const char* key, double& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (node->is_number()) {
      value = *node->value<double>();
    } else {
      wrong_type(*node, key, "a number");
    }
  }
  /// A length: a number of metres, or text such as "3m".
  void metres(const char* key, double& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (const auto text = node->value_exact<std::string>()) {
      std::istringstream in(*text);
      double number = 0;
      std::string unit;
      if (in >> number >> unit && unit == "m" && in.eof()) {
        value = number;
        return;
      }
    } else if (node->is_number()) {
      value = *node->value<double>();
      return;
    }
    wrong_type(*node, key, "metres, a number or text such as \"3m\"");
  }

  /// Every key must have been asked for.
  void finish() {
    if (table_ == nullptr) return;
    for (const auto& [key, node] : *table_) {
      const std::string name(key.str());
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      fail(key.source().begin.line,
           "unknown key '" + name + "' in [" + name_ + "]" + suggestion(name, known_));
    }
  }

 private:
  static std::optional<std::uint32_t> as_count(const toml::node& node) {
    const auto number = node.value_exact<std::int64_t>();
    if (!number || *number < 1 || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
  }
  std::string label(const char* key) const { return "[" + name_ + "] " + key; }
  const toml::node* find(const char* key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
    return table_ == nullptr ? nullptr : table_->get(key);
  }
  template <class T>
  void quantity(const char* key, T& value, Result<T> (*parse)(std::string_view), const char* expected) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto text = node->value_exact<std::string>();
    if (!text) {
      wrong_type(*node, key, expected);
      return;
    }
    if (Result<T> parsed = parse(*text)) {
      value = *parsed;
    } else {
      fail(*node, label(key) + ": " + parsed.error().message);
    }
  }
  void wrong_type(const toml::node& node, const char* key, const std::string& expected) {
    std::ostringstream found;
    found << node.type();
    fail(node,
         label(key) + " is of the wrong kind or out of range (" + found.str() + "); expected " + expected);
  }
  void fail(const toml::node& node, const std::string& message) { fail(node.source().begin.line, message); }
  void fail(std::uint64_t line, const std::string& message) {
    if (!fault_) fault_ = input_error(path_, line, escaped(message));
  }

  std::string name_;
  const std::string& path_;
  std::optional<Error>& fault_;
  const toml::table* table_ = nullptr;
  std::vector<std::string> known_;
};

void read_switch_graph(Section& in, TopologyConfig& c) {
  in.count("nodes-per-switch", c.nodes_per_switch);
  if (c.kind == TopologyKind::kDragonfly) {
    in.count("groups", c.groups);
    in.count("switches-per-group", c.switches_per_group);
    in.count("global-links", c.global_links);
    in.choice<GlobalWiring>("global-wiring",
                            {{"absolute", GlobalWiring::kAbsolute},
                             {"relative", GlobalWiring::kRelative},
                             {"circulant", GlobalWiring::kCirculant}},
                            c.wiring);
    return;
  }
  in.count("lanes", c.lanes);
  if (c.kind == TopologyKind::kSlimFly) {
    in.count("q", c.q);
  } else if (c.kind == TopologyKind::kJellyfish) {
    in.count("switches", c.switches);
    in.count("network-ports", c.network_ports);
    in.seed("seed", c.seed);
  } else {
    in.counts("dimensions", c.dimensions);
  }
}

void read_topology(Section& in, TopologyConfig& c) {
  in.choice<TopologyKind>("kind",
                          {{"single-switch", TopologyKind::kSingleSwitch},
                           {"fat-tree", TopologyKind::kFatTree},
                           {"megafly", TopologyKind::kMegafly},
                           {"torus", TopologyKind::kTorus},
                           {"mesh", TopologyKind::kMesh},
                           {"hyperx", TopologyKind::kHyperX},
                           {"dragonfly", TopologyKind::kDragonfly},
                           {"slim-fly", TopologyKind::kSlimFly},
                           {"jellyfish", TopologyKind::kJellyfish}},
                          c.kind);
  // Only the keys of the kind are known: one that would do nothing is a mistake.
  if (c.kind == TopologyKind::kSingleSwitch) {
    in.count("nodes", c.nodes);
  } else if (c.kind == TopologyKind::kFatTree) {
    in.counts("down", c.down);
    in.counts("up", c.up);
  } else if (c.kind != TopologyKind::kMegafly) {
    read_switch_graph(in, c);
  } else {
    in.count("groups", c.groups);
    in.count("leaves", c.leaves);
    in.count("spines", c.spines);
    in.count("nodes-per-leaf", c.nodes_per_leaf);
    in.count("leaf-spine-links", c.leaf_spine_links);
    in.count("global-links", c.global_links);
  }
}

void read_switch(Section& in, SwitchConfig& c) {
  in.choice<Architecture>("architecture", {{"iq", Architecture::kIq}, {"cioq", Architecture::kCioq}},
                          c.architecture);
  in.choice<Switching>(
      "switching",
      {{"cut-through", Switching::kCutThrough}, {"store-and-forward", Switching::kStoreAndForward}},
      c.switching);
  in.choice<InputQueues>("input-queues", {{"fifo", InputQueues::kFifo}, {"voq", InputQueues::kVoq}},
                         c.queues);
  in.bytes("input-buffer", c.input_buffer);
  if (c.architecture == Architecture::kCioq) {
    in.bytes("output-buffer", c.output_buffer);
    in.number("speed-up", c.speed_up);
  }
  in.time("pipeline-latency", c.pipeline_latency);
  in.count("virtual-channels", c.virtual_channels);
}

void read_rest(const std::function<void(const char*, const std::function<void(Section&)>&)>& section,
               NetworkConfig& c) {
  section("routing", [&](Section& in) {
    in.choice<RoutingKind>("kind",
                           {{"d-mod-k", RoutingKind::kDModK},
                            {"dimension-order", RoutingKind::kDimensionOrder},
                            {"minimal", RoutingKind::kMinimal}},
                           c.routing);
  });
  section("link", [&](Section& in) {
    in.rate("bandwidth", c.link.bandwidth);
    in.metres("length", c.link.length_m);
    in.time("delay-per-metre", c.link.delay_per_metre);
  });
  section("packet", [&](Section& in) {
    in.bytes("mtu", c.packet.mtu);
    in.bytes("header", c.packet.header);
    in.choice<bool>("size", {{"variable", false}, {"fixed", true}}, c.packet.fixed_size);
  });
  section("flow-control", [&](Section& in) {
    in.choice<FlowControlKind>(
        "kind", {{"credits", FlowControlKind::kCredits}, {"pfc", FlowControlKind::kPfc}}, c.flow.kind);
    if (c.flow.kind != FlowControlKind::kPfc) return;
    in.bytes("xoff", c.flow.xoff);
    in.bytes("xon", c.flow.xon);
  });
  section("node", [&](Section& in) {
    in.choice<NicScheduling>("scheduling",
                             {{"fifo", NicScheduling::kFifo}, {"round-robin", NicScheduling::kRoundRobin}},
                             c.node.scheduling);
    in.choice<bool>("local-messages", {{"memory", false}, {"network", true}}, c.node.local_through_network);
    if (c.node.local_through_network) return;
    in.time("local-latency", c.node.local_latency);
    in.rate("memory-bandwidth", c.node.memory_bandwidth);
  });
}

std::string file_name(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  if (name.ends_with(".toml")) name.resize(name.size() - 5);
  return name;
}

/// toml++ 3.0 is undefined for names with characters beyond ASCII (its test for white space has no answer to
/// some), so these are found before it sees them. Strings and comments may have any.
Status check_names(std::string_view text, const std::string& path) {
  std::uint64_t line = 1;
  char quote = 0;
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      quote = 0;
      comment = false;
    } else if (comment) {
      continue;
    } else if (quote != 0) {
      if (quote == '"' && c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (text.substr(i, 3) == "\"\"\"" || text.substr(i, 3) == "'''") {
      return input_error(path, line, "a text of several lines; expected texts of one line");
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      comment = true;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return input_error(path, line,
                         "a character beyond ASCII outside of texts and comments; expected a name");
    }
  }
  return {};
}

/// The line of what a message such as "[switch] speed-up is ..." speaks of: the key's, else the section's; 0
/// where the file has neither.
std::uint64_t line_of(const toml::table& file, const std::string& message) {
  const std::size_t end = message.find("] ");
  if (!message.starts_with('[') || end == std::string::npos) return 0;
  const toml::table* section = file[message.substr(1, end - 1)].as_table();
  if (section == nullptr) return 0;
  const toml::node* key = section->get(message.substr(end + 2, message.find(' ', end + 2) - end - 2));
  return key != nullptr ? key->source().begin.line : section->source().begin.line;
}

}  // namespace

Result<NetworkConfig> parse_network_config(std::string_view text, const std::string& path) {
  if (Status names = check_names(text, path); !names) return names.error();
  const toml::parse_result parsed = toml::parse(text, std::string_view(path));
  if (!parsed) {
    return input_error(path, parsed.error().source().begin.line, escaped(parsed.error().description()));
  }
  const toml::table& file = parsed.table();
  NetworkConfig config;
  config.name = file_name(path);
  std::optional<Error> fault;
  std::vector<std::string> sections;
  const auto section = [&](const char* name, const std::function<void(Section&)>& read) {
    sections.emplace_back(name);
    Section in(file, name, path, fault);
    read(in);
    in.finish();
  };
  section("topology", [&](Section& in) { read_topology(in, config.topology); });
  section("switch", [&](Section& in) { read_switch(in, config.switches); });
  read_rest(section, config);
  for (const auto& [key, node] : file) {
    const std::string name(key.str());
    if (fault || std::find(sections.begin(), sections.end(), name) != sections.end()) continue;
    fault = input_error(path, key.source().begin.line,
                        "unknown section [" + escaped(name) + "]" + suggestion(name, sections));
  }
  if (fault) return *fault;
  if (Status status = check_config(config); !status) {
    const std::string& message = status.error().message;
    return input_error(path, line_of(file, message), message);
  }
  return config;
}

Result<NetworkConfig> read_network_config(const std::string& path) {
  constexpr std::size_t kMaxSize = 1 << 20;
  std::ifstream in(path, std::ios::binary);
  if (!in) return system_error(path, "cannot be opened", errno);
  std::string text(kMaxSize + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (in.gcount() == 0 && !in.eof())) return system_error(path, "cannot be read", errno);
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxSize) return input_error(path, 0, "is larger than 1 MiB; expected a network file");
  return parse_network_config(text, path);
}

}  // namespace vef::replayer
