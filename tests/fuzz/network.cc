// SPDX-License-Identifier: Apache-2.0
// A network file, and the network that it describes if that is small.
#include "target.h"
#include "vef/replayer/config.h"
#include "vef/replayer/simulation.h"
#include "vef/replayer/topology.h"

using namespace vef;

bool fuzz::run(std::string_view input) {
  const auto config = replayer::parse_network_config(input, "network.toml");
  if (!config) {
    fuzz::check_message(config.error().message);
    return false;
  }
  // Whatever the file says: that it is impossible, or takes too much, is an error.
  const auto topology = replayer::make_topology(config->topology);
  if (!topology) fuzz::check_message(topology.error().message);
  return true;
}

std::vector<std::string> fuzz::seeds() { return {}; }
