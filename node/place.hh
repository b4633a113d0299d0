// SPDX-License-Identifier: Apache-2.0
// Where frames come in and go out: the node's external ports and its fabric links, each a DPDK
// device, plus the controller's frames and the node's own, which only come in. A frame's output is
// its index in Places::outputs: external ports by PortId first, then fabric links by local index.
// Made at start by the agent; the forwarding cores use them; counters are read by anyone. Every
// core has a queue of its own to send by, and an equal part of those to receive from.
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
  explicit Place(std::size_t cores = 1) : counters(cores) {}

  std::string name;        // "p0", "fabric n2": for people
  std::uint16_t device{};  // DPDK port id
  // Queue q is polled by core q modulo the number of cores; core c sends by queue c.
  std::uint16_t receive_queues{1};
  MacAddress mac;
  std::uint16_t mtu{};               // octets of IP
  topo::Urpf urpf{topo::Urpf::off};  // external ports only
  // False while the device is stopped or its link is down: the cores leave it alone. Release by who
  // changes it (with the cores parked when the device stops), acquire by the cores.
  std::atomic<bool> usable{false};
  // Agent only: the device finds its peer by being started (memif client), last tried then.
  bool connects{false};
  std::uint64_t started_ms{0};
  CountersByCore counters;
};

struct Places {
  explicit Places(std::size_t of_cores = 1)
      : cores(of_cores), controller(of_cores), generated(of_cores) {}

  std::size_t cores;
  std::vector<std::unique_ptr<Place>> outputs;
  std::size_t ports{};  // how many of them are external ports
  Place controller;     // injected frames
  Place generated;      // frames of the node's own: ICMP errors, fragments

  [[nodiscard]] std::size_t links() const { return outputs.size() - ports; }
  [[nodiscard]] Place& port(PortId id) const { return *outputs[id.value]; }
  [[nodiscard]] Place& link(std::size_t local) const { return *outputs[ports + local]; }
};

}  // namespace rackway::node
