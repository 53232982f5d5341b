// SPDX-License-Identifier: Apache-2.0
#include "vef/replayer/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vef/replayer/topology.h"

namespace vef::replayer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const std::string& text) {
  const Result<NetworkConfig> config = parse_network_config(text, "net.toml");
  return config ? "no error" : config.error().message;
}

NetworkConfig read_ready(const std::string& name) {
  Result<NetworkConfig> config = read_network_config(VEF_SOURCE_DIR "/networks/" + name + ".toml");
  EXPECT_TRUE(config.ok()) << config.error().message;
  return std::move(config).value();
}

// The paper's configurations, line by line.
TEST(Config, TheReadyNetworksAreThoseOfThePaper) {
  for (const char* topology : {"fat-tree-256", "megafly-288"}) {
    const NetworkConfig one = read_ready(std::string(topology) + "-conf1");
    EXPECT_EQ(one.name, std::string(topology) + "-conf1");
    EXPECT_EQ(one.switches.architecture, Architecture::kCioq);
    EXPECT_EQ(one.switches.input_buffer, 131'072u);
    EXPECT_EQ(one.switches.output_buffer, 49'152u);
    EXPECT_EQ(one.flow.kind, FlowControlKind::kPfc);
    EXPECT_EQ(one.packet.mtu, 9600u);
    EXPECT_FALSE(one.packet.fixed_size);
    EXPECT_EQ(one.link.bandwidth, 400'000'000'000u);
    EXPECT_EQ(one.link.delay(), 15'000);
    EXPECT_EQ(one.switches.virtual_channels, 1u);

    const NetworkConfig two = read_ready(std::string(topology) + "-conf2");
    EXPECT_EQ(two.switches.architecture, Architecture::kIq);
    EXPECT_EQ(two.switches.input_buffer, 131'072u);
    EXPECT_EQ(two.flow.kind, FlowControlKind::kCredits);
    EXPECT_EQ(two.packet.mtu, 4096u);
    EXPECT_TRUE(two.packet.fixed_size);
    EXPECT_EQ(two.link.bandwidth, 100'000'000'000u);
    EXPECT_EQ(two.link.delay(), 15'000);
    EXPECT_EQ(two.switches.virtual_channels, 1u);
    for (const NetworkConfig& config : {one, two}) {
      const Result<Topology> t = make_topology(config.topology);
      ASSERT_TRUE(t.ok());
      const TopologySummary s = summarise(*t, &config.topology);
      const bool fat_tree = std::string(topology) == "fat-tree-256";
      EXPECT_EQ(s.nodes, fat_tree ? 256u : 288u);
      EXPECT_EQ(s.switches, fat_tree ? 32u : 72u);
      EXPECT_EQ(s.ports_used, fat_tree ? 768u : 1152u);
      EXPECT_EQ(s.diameter, fat_tree ? 3u : 4u);
      EXPECT_FALSE(find_channel_cycle(*t));
    }
  }
}

TEST(Config, ReadsEveryKey) {
  const Result<NetworkConfig> read = parse_network_config(R"(
[topology]
kind = "megafly"
groups = 5
leaves = 2
spines = 2
nodes-per-leaf = 3
leaf-spine-links = 1
global-links = 4
[routing]
kind = "d-mod-k"
[switch]
architecture = "cioq"
switching = "store-and-forward"
input-queues = "voq"
input-buffer = "64KiB"
output-buffer = 32768
speed-up = 1.5
pipeline-latency = "350ns"
virtual-channels = 2
[link]
bandwidth = "100 Gb/s"
length = "2.5m"
delay-per-metre = "4ns"
[packet]
mtu = 2048
header = "62B"
size = "fixed"
[flow-control]
kind = "pfc"
xoff = 20000
xon = 10000
[node]
scheduling = "round-robin"
local-messages = "memory"
local-latency = "200ns"
memory-bandwidth = "800Gbps"
)",
                                                          "net.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const NetworkConfig& c = *read;
  EXPECT_EQ(c.topology.groups, 5u);
  EXPECT_EQ(c.topology.nodes_per_leaf, 3u);
  EXPECT_EQ(c.topology.global_links, 4u);
  EXPECT_EQ(c.switches.switching, Switching::kStoreAndForward);
  EXPECT_EQ(c.switches.queues, InputQueues::kVoq);
  EXPECT_EQ(c.switches.input_buffer, 65'536u);
  EXPECT_EQ(c.switches.output_buffer, 32'768u);
  EXPECT_EQ(c.switches.speed_up, 1.5);
  EXPECT_EQ(c.switches.pipeline_latency, 350'000);
  EXPECT_EQ(c.switches.virtual_channels, 2u);
  EXPECT_EQ(c.link.delay(), 10'000);
  EXPECT_EQ(c.packet.header, 62u);
  EXPECT_EQ(pfc_xoff(c), 20'000u);
  EXPECT_EQ(pfc_xon(c), 10'000u);
  EXPECT_EQ(c.node.scheduling, NicScheduling::kRoundRobin);
  EXPECT_EQ(c.node.local_latency, 200'000);
  EXPECT_EQ(c.node.memory_bandwidth, 800'000'000'000u);
}

TEST(Config, AnEmptyFileIsTheDefault) {
  const Result<NetworkConfig> read = parse_network_config("", "net.toml");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->topology.kind, TopologyKind::kFatTree);
}

TEST(Config, MistakesAreErrorsWithFileAndLine) {
  EXPECT_THAT(error_of("[link]\nbandwith = \"1Gbps\"\n"),
              AllOf(StartsWith("net.toml:2: "), HasSubstr("did you mean 'bandwidth'")));
  EXPECT_THAT(error_of("[swich]\n"), AllOf(StartsWith("net.toml:1: "), HasSubstr("did you mean 'switch'")));
  EXPECT_THAT(error_of("\n[topology]\nkind = \"fat-three\"\n"),
              AllOf(StartsWith("net.toml:3: "), HasSubstr("did you mean 'fat-tree'")));
  EXPECT_THAT(error_of("[link]\nbandwidth = 100\n"), AllOf(StartsWith("net.toml:2: "), HasSubstr("400Gbps")));
  EXPECT_THAT(error_of("[link]\nbandwidth = \"100 apples\"\n"), StartsWith("net.toml:2: "));
  EXPECT_THAT(error_of("[topology]\ndown = [16, \"x\"]\n"), StartsWith("net.toml:2: "));
  EXPECT_THAT(error_of("[topology]\ndown = [16, -1]\n"), StartsWith("net.toml:2: "));
  EXPECT_THAT(error_of("[switch\n"), StartsWith("net.toml:1: "));
  EXPECT_THAT(error_of("link = 3\n"), StartsWith("net.toml:1: "));
  // A key that would have no effect is a mistake, too.
  EXPECT_THAT(error_of("[switch]\narchitecture = \"iq\"\nspeed-up = 2\n"),
              HasSubstr("unknown key 'speed-up'"));
  EXPECT_THAT(error_of("[topology]\nkind = \"megafly\"\nglobal-links = 7\n"), HasSubstr("global-links is 7"));
  EXPECT_THAT(error_of("[switch]\ninput-buffer = \"9kB\"\n"),
              AllOf(StartsWith("net.toml:2: "), HasSubstr("9000")));
  EXPECT_THAT(error_of("\n\n[topology]\nkind = \"megafly\"\nglobal-links = 7\n"), StartsWith("net.toml:5: "));
  EXPECT_THAT(error_of("\n[topology]\ndown = [2000000000, 2000000000]\nup = [2]\n"),
              StartsWith("net.toml:2: "));
  EXPECT_THAT(error_of("[topology]\ndown = [2000000000, 2000000000]\nup = [2]\n"), HasSubstr("nodes"));
}

TEST(Config, CharactersBeyondAsciiBelongIntoTextsAndComments) {
  EXPECT_TRUE(parse_network_config("# caf\u00e9 \u02bc\n[topology] # \u00e9\n", "n.toml").ok());
  EXPECT_THAT(error_of("[topology]\nkind = \"fat-tr\u00e9e\"\n"),
              HasSubstr("net.toml:2: 'fat-tr\u00e9e' is no"));
  EXPECT_THAT(error_of("[topology]\nk\u02bcind = 1\n"), HasSubstr("net.toml:2: a character beyond ASCII"));
  EXPECT_THAT(error_of("[topology]\n\nkind = \"\"\"fat-tree\"\"\"\n"),
              HasSubstr("net.toml:3: a text of several lines"));
}

TEST(Config, MessagesAreOneLineWhateverTheFileHas) {
  EXPECT_THAT(error_of("[topology]\ngroups = i\n"), AllOf(StartsWith("net.toml:2: "), Not(HasSubstr("\n"))));
  EXPECT_THAT(error_of("[topology]\n\"a\\nb\" = 1\n"), HasSubstr("unknown key 'a\\x0ab'"));
  EXPECT_THAT(error_of("[topology]\nkind = \"a\\nb\"\n"), HasSubstr("'a\\x0ab' is no"));
  EXPECT_THAT(error_of("[\"a\\nb\"]\n"), HasSubstr("unknown section [a\\x0ab]"));
}

TEST(Config, AMissingFileIsNamed) {
  const auto read = read_network_config("/nowhere/net.toml");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, StartsWith("/nowhere/net.toml: "));
}

// Every truncation and every changed byte of a real file is an error or a valid configuration.
TEST(Config, SurvivesDamagedFiles) {
  const std::string text =
      "[topology]\nkind = \"megafly\"\ngroups = 9\n[switch]\ninput-buffer = \"128KiB\"\nspeed-up = 2\n"
      "[link]\nbandwidth = \"400Gbps\"\nlength = \"3m\"\ndelay-per-metre = \"5ns\"\n[flow-control]\nxoff = "
      "50000\n";
  std::size_t valid = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    valid += parse_network_config(text.substr(0, n), "net.toml").ok() ? 1 : 0;
    for (const char byte : {'\0', '\n', '"', '[', '=', '9', 'z', '\x80', '\xff', '-'}) {
      std::string damaged = text;
      damaged[n] = byte;
      valid += parse_network_config(damaged, "net.toml").ok() ? 1 : 0;
    }
  }
  EXPECT_GT(valid, 0u);
}

}  // namespace
}  // namespace vef::replayer
