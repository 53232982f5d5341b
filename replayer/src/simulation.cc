// SPDX-License-Identifier: Apache-2.0
#include "vef/replayer/simulation.h"

#include <utility>

#include "engine.h"

namespace vef::replayer {

namespace {

constexpr std::uint64_t kMaxQueues = 1 << 26;

}  // namespace

class Simulation::Impl : public Engine {
 public:
  using Engine::Engine;
};

Result<Simulation> Simulation::create(const NetworkConfig& config) {
  if (Status status = check_config(config); !status) return status.error();
  Result<Topology> topology = make_topology(config.topology);
  if (!topology) return topology.error();
  // Input queues: one per port and channel, with virtual output queues one more factor.
  std::uint64_t queues = std::uint64_t{topology->ports()} * config.switches.virtual_channels;
  if (config.switches.queues == InputQueues::kVoq) queues *= summarise(*topology).radix;
  if (queues > kMaxQueues) {
    return Error{ErrorKind::kInput, "[switch] the input queues of all ports are " + std::to_string(queues) +
                                        "; expected at most " + std::to_string(kMaxQueues) +
                                        " (fewer virtual channels, or input-queues = \"fifo\")"};
  }
  return Simulation(config, std::move(topology).value());
}

Simulation::Simulation(const NetworkConfig& config, Topology topology)
    : impl_(std::make_unique<Impl>(config, std::move(topology))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::inject(const Injection& message, Picoseconds now) { impl_->inject(message, now); }
Picoseconds Simulation::run_until(Picoseconds limit, std::vector<Delivery>& delivered) {
  return impl_->run_until(limit, delivered);
}
std::uint64_t Simulation::messages_under_way() const {
  return impl_->counts().messages - impl_->counts().delivered;
}
std::string Simulation::describe_deadlock() const { return impl_->describe_deadlock(); }
bool Simulation::is_idle(std::string* what) const { return impl_->is_idle(what); }
const SimulationCounts& Simulation::counts() const { return impl_->counts(); }
const Topology& Simulation::topology() const { return impl_->topology(); }
const NetworkConfig& Simulation::config() const { return impl_->config(); }
LinkCounts Simulation::link_counts(PortId from) const { return impl_->link_counts(from); }

}  // namespace vef::replayer
