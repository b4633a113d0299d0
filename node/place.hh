// SPDX-License-Identifier: Apache-2.0
// Where frames come in and go out: the node's external ports and its fabric links, each a DPDK
// device, plus the controller's frames and the node's own, which only come in. A frame's output is
// its index in Places::outputs: external ports by PortId first, then fabric links by local index.
// Made at start by the agent; the forwarding core uses them; counters are read by anyone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/id.hh"
#include "base/mac_address.hh"
#include "node/counters.hh"
#include "topo/urpf.hh"

namespace rackway::node {

struct Place {
  std::string name;        // "p0", "fabric n2": for people
  std::uint16_t device{};  // DPDK port id
  MacAddress mac;
  std::uint16_t mtu{};               // octets of IP
  topo::Urpf urpf{topo::Urpf::off};  // external ports only
  // False while the device is stopped or its link is down: the core leaves it alone. Release by who
  // changes it (with the core parked when the device stops), acquire by the core.
  std::atomic<bool> usable{false};
  // Agent only: the device finds its peer by being started (memif client), last tried then.
  bool connects{false};
  std::uint64_t started_ms{0};
  Counters counters;
};

struct Places {
  std::vector<std::unique_ptr<Place>> outputs;
  std::size_t ports{};  // how many of them are external ports
  Place controller;     // injected frames
  Place generated;      // frames of the node's own: ICMP errors, fragments

  [[nodiscard]] std::size_t links() const { return outputs.size() - ports; }
  [[nodiscard]] Place& port(PortId id) const { return *outputs[id.value]; }
  [[nodiscard]] Place& link(std::size_t local) const { return *outputs[ports + local]; }
};

}  // namespace rackway::node
