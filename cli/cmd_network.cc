// SPDX-License-Identifier: Apache-2.0
// vef network: describes a simulated network.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "output.h"
#include "vef/base/units.h"
#include "vef/replayer/config.h"
#include "vef/replayer/topology.h"

namespace vef::cli {
namespace {

using namespace vef::replayer;  // NOLINT: this file speaks of nothing else

struct Options {
  std::string file;
  bool json = false;
};

const char* topology_name(TopologyKind kind) {
  switch (kind) {
    case TopologyKind::kSingleSwitch:
      return "single switch";
    case TopologyKind::kFatTree:
      return "fat tree";
    case TopologyKind::kMegafly:
      return "megafly";
    case TopologyKind::kTorus:
      return "torus";
    case TopologyKind::kMesh:
      return "mesh";
    case TopologyKind::kHyperX:
      return "hyperx";
    case TopologyKind::kDragonfly:
      return "dragonfly";
    case TopologyKind::kSlimFly:
      return "slim fly";
    case TopologyKind::kJellyfish:
      return "jellyfish";
  }
  return "";
}

std::string switch_text(const NetworkConfig& config) {
  const SwitchConfig& s = config.switches;
  std::string text =
      fmt::format("{}, {}, {} input queues, {} in", s.architecture == Architecture::kIq ? "IQ" : "CIOQ",
                  s.switching == Switching::kCutThrough ? "cut-through" : "store-and-forward",
                  s.queues == InputQueues::kFifo ? "FIFO" : "virtual output", format_bytes(s.input_buffer));
  if (s.architecture == Architecture::kCioq) {
    text += fmt::format(", {} out, speed-up {}", format_bytes(s.output_buffer), s.speed_up);
  }
  return text + fmt::format(", {} virtual channel{}", s.virtual_channels, s.virtual_channels == 1 ? "" : "s");
}

std::string flow_text(const NetworkConfig& config) {
  if (config.flow.kind == FlowControlKind::kPfc) {
    return fmt::format("PFC, XOFF at {}, XON at {}, headroom {}", format_bytes(pfc_xoff(config)),
                       format_bytes(pfc_xon(config)), format_bytes(pfc_headroom(config)));
  }
  return fmt::format("credits, enough for {:.4g} % of the bandwidth", 100 * credit_limit(config));
}

std::string cycle_text(const Topology& topology, const std::optional<std::vector<PortId>>& cycle) {
  if (!cycle) return "none: the routes cannot deadlock";
  std::string text;
  for (const PortId port : *cycle) text += topology.port_name(port) + " -> ";
  return text + topology.port_name(cycle->front());
}

void print_json(const NetworkConfig& config, const TopologySummary& s, bool deadlock_free) {
  nlohmann::ordered_json json = {{"name", config.name},
                                 {"topology", topology_name(config.topology.kind)},
                                 {"nodes", s.nodes},
                                 {"switches", s.switches},
                                 {"radix", s.radix},
                                 {"switch_ports_used", s.ports_used},
                                 {"links_between_switches", s.links},
                                 {"node_links", s.node_links},
                                 {"diameter_switches", s.diameter},
                                 {"average_distance_switches", s.average_distance},
                                 {"deadlock_free", deadlock_free},
                                 {"bandwidth_bps", config.link.bandwidth},
                                 {"link_delay_ps", config.link.delay()},
                                 {"mtu", config.packet.mtu},
                                 {"credit_limit", credit_limit(config)}};
  if (s.bisection_links > 0) {
    json["bisection_links"] = s.bisection_links;
    json["bisection_bps"] = s.bisection_links * config.link.bandwidth;
  }
  if (config.flow.kind == FlowControlKind::kPfc) {
    json["pfc"] = {{"headroom", pfc_headroom(config)}, {"xoff", pfc_xoff(config)}, {"xon", pfc_xon(config)}};
  }
  fmt::print("{}\n", json_text(json));
}

void row(const char* name, const std::string& text) { fmt::print("  {:<18} {}\n", name, text); }

void print_text(const NetworkConfig& config, const Topology& topology, const TopologySummary& s,
                const std::optional<std::vector<PortId>>& cycle) {
  fmt::print("{}: {}\n", config.name, topology_name(config.topology.kind));
  row("nodes", format_count(s.nodes));
  row("switches", fmt::format("{} of at most {} ports, {} ports used", format_count(s.switches), s.radix,
                              format_count(s.ports_used)));
  row("links",
      fmt::format("{} between switches, {} to nodes", format_count(s.links), format_count(s.node_links)));
  row("diameter", fmt::format("{} switches; {:.4g} on average", s.diameter, s.average_distance));
  if (s.bisection_links > 0) {
    row("bisection", fmt::format("{} links{}{}, {} each way", format_count(s.bisection_links),
                                 s.bisection_note.empty() ? "" : " ", s.bisection_note,
                                 format_rate(s.bisection_links * config.link.bandwidth)));
  }
  row("channel cycles", cycle_text(topology, cycle));
  row("link",
      fmt::format("{}, {} delay", format_rate(config.link.bandwidth), format_time(config.link.delay())));
  row("packets", fmt::format("up to {} of payload, {} of header, {}", format_bytes(config.packet.mtu),
                             format_bytes(config.packet.header),
                             config.packet.fixed_size ? "all of full size" : "as long as needed"));
  row("switch", switch_text(config));
  row("flow control", flow_text(config));
}

int run_network(const Options& options) {
  const auto config = read_network_config(options.file);
  if (!config) return report_error(config.error());
  const auto topology = make_topology(config->topology);
  if (!topology) return report_error(topology.error());
  const TopologySummary summary = summarise(*topology, &config->topology);
  const auto cycle = find_channel_cycle(*topology);
  if (options.json) {
    print_json(*config, summary, !cycle);
  } else {
    print_text(*config, *topology, summary, cycle);
  }
  return kDone;
}

}  // namespace

Command add_network(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("network", "Describe a simulated network: size, distances, bisection");
  app->add_option("FILE", options->file, "network file (TOML)")->required();
  app->add_flag("--json", options->json, "print the description as JSON");
  app->footer(
      "Examples:\n"
      "  vef network networks/fat-tree-256-conf1.toml\n"
      "  vef network networks/megafly-288-conf2.toml --json");
  return {app, [options] { return run_network(*options); }};
}

}  // namespace vef::cli
