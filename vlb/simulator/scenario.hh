// SPDX-License-Identifier: Apache-2.0
// What is simulated: the cluster, the traffic offered to it, what fails when, and for how long. A
// plain value. Octets are of Ethernet frames, rates of cables in bits/s, times picoseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "topo/fabric_table.hh"
#include "vlb/simulator/cores.hh"
#include "vlb/simulator/line.hh"
#include "vlb/steering.hh"
#include "vlb/traffic/flow_mix.hh"
#include "vlb/traffic/packet.hh"
#include "vlb/traffic/packet_sizes.hh"
#include "vlb/traffic/recording.hh"
#include "vlb/traffic/traffic_matrix.hh"

namespace rackway::simulator {

struct NodeModel {
  double external_rate{10e9};  // bits/s, all external ports together; 0: a pure relay
  unsigned cores{1};
};

struct LinkModel {
  topo::LinkEnds ends;
  LineModel line;  // either direction
};

// Something stops working, or works again.
struct Fault {
  enum class Of : std::uint8_t { node, link, a_to_b, b_to_a };
  Picoseconds at;
  Of of;
  std::uint32_t number;  // of the node or the link
  bool works;
};

struct Hello {
  Picoseconds interval{10 * traffic::kMillisecond};
  unsigned multiplier{3};  // so many missing: the link is dead
};

struct Scenario {
  std::vector<NodeModel> nodes;
  std::vector<LinkModel> links;
  Costs costs;
  unsigned receive_queue{4096};                // packets that may wait for a core
  std::uint32_t external_buffer{1024 * 1024};  // octets, in front of a node's external ports

  Hello hello;
  Picoseconds look{traffic::kMillisecond};  // how often a node measures its links and steers anew
  // Makes a node's steering.
  std::function<vlb::Steering(topo::FabricTable, NodeId)> steering;

  traffic::TrafficMatrix matrix{0};
  traffic::FlowMix mix{traffic::FlowMix::heavy_tailed()};
  traffic::PacketSizes sizes{traffic::PacketSizes::imix()};
  std::uint64_t seed{1};
  // In the place of packets made of all that, if there is one.
  std::shared_ptr<const traffic::Recording> recording;
  // Of a packet, as an ingress node would see it; the generator's own if there is none.
  std::function<std::uint32_t(const traffic::Packet&)> flow_hash;

  Picoseconds warm_up{20 * traffic::kMillisecond};    // not measured
  Picoseconds measured{100 * traffic::kMillisecond};  // then packets are born no more
  std::vector<Fault> faults;
};

// The external rates of the nodes, as the matrices want them.
[[nodiscard]] inline std::vector<double> rates_of(const std::vector<NodeModel>& nodes) {
  std::vector<double> rates;
  for (const auto& node : nodes) rates.push_back(node.external_rate);
  return rates;
}

}  // namespace rackway::simulator
