// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/forward/bench_node.hh"

#include <rte_dev.h>
#include <rte_ethdev.h>

#include "base/startup_error.hh"

namespace rackway::bench {
namespace {

using node::Place;

constexpr std::uint16_t kNodes = 5;
constexpr NodeId kSelf{0};
constexpr std::uint16_t kMtu = 1500;
constexpr unsigned kDescriptors = 1024;  // as l3fwd
constexpr unsigned kQueue = 4096;

// How many external ports and fabric links there are, and which of them bring packets.
struct Layout {
  std::uint16_t ports, links;
  bool from_ports;
};

Layout layout(Duty duty) {
  switch (duty) {
    case Duty::routed:
    case Duty::groups: return {kPorts, 0, true};
    case Duty::to_fabric:
    case Duty::half_fabric: return {kPorts, kNodes - 1, true};
    case Duty::relay: return {0, kNodes - 1, false};
    case Duty::egress: return {kPorts, kNodes - 1, false};
  }
  return {};
}

vlb::Steering steering(Duty duty) {
  std::vector<topo::LinkEnds> mesh;
  for (std::uint16_t a = 0; a < kNodes; ++a) {
    for (std::uint16_t b = a + 1; b < kNodes; ++b) mesh.push_back({NodeId{a}, NodeId{b}});
  }
  const bool alone = layout(duty).links == 0;
  if (alone) return {topo::FabricTable(kSelf, 1, {}), kSelf};
  vlb::SteeringSetup setup;
  setup.mode = topo::SteeringMode::valiant;  // all paths are used
  return {topo::FabricTable(kSelf, kNodes, mesh), kSelf, setup};
}

rte_ring* queue(const std::string& name) {
  auto* ring = rte_ring_create(name.c_str(), kQueue, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
  if (ring == nullptr) throw StartupError("no memory for queues", name, "give more memory");
  return ring;
}

void require(bool holds, const char* what, const std::string& device) {
  if (!holds) throw StartupError(what, device, "see what DPDK wrote above");
}

std::uint16_t open(const std::string& device, rte_mempool* pool, std::uint16_t queues) {
  require(rte_dev_probe(device.c_str()) == 0, "can not open", device);
  std::uint16_t port = 0;
  require(rte_eth_dev_get_port_by_name(device.substr(0, device.find(',')).c_str(), &port) == 0,
          "is no Ethernet device", device);
  const rte_eth_conf plain{};
  require(rte_eth_dev_configure(port, queues, queues, &plain) == 0, "has too few queues", device);
  for (std::uint16_t i = 0; i < queues; ++i) {
    require(rte_eth_rx_queue_setup(port, i, kDescriptors, 0, nullptr, pool) == 0 &&
                rte_eth_tx_queue_setup(port, i, kDescriptors, 0, nullptr) == 0,
            "has too few queues", device);
  }
  require(rte_eth_dev_start(port) == 0, "does not start", device);
  return port;
}

std::unique_ptr<Place> place(const std::string& name, std::uint16_t port, std::uint16_t cores) {
  auto made = std::make_unique<Place>(cores);
  made->name = name;
  made->device = port;
  made->receive_queues = cores;
  made->mac = kRouterMac;
  made->mtu = kMtu;
  made->usable.store(true);
  return made;
}

std::string device(std::size_t number, bool brings, const std::string& pcap) {
  const std::string digit = std::to_string(number);
  if (brings && !pcap.empty()) {
    return "net_pcap" + digit + ",rx_pcap=" + pcap + ",infinite_rx=1";
  }
  return "net_null" + digit + ",size=64" + (brings ? "" : ",no-rx=1");
}

}  // namespace

std::optional<Duty> duty_of(const std::string& name) {
  if (name == "routed") return Duty::routed;
  if (name == "to-fabric") return Duty::to_fabric;
  if (name == "half-fabric") return Duty::half_fabric;
  if (name == "relay") return Duty::relay;
  if (name == "egress") return Duty::egress;
  if (name == "groups") return Duty::groups;
  return std::nullopt;
}

BenchNode::BenchNode(Duty duty, std::span<const FileRoute> routes, rte_mempool* pool,
                     const std::string& pcap, std::uint16_t cores)
    : shared(kSelf, steering(duty), cores) {
  shared.pool = pool;
  for (std::uint16_t core = 0; core < cores; ++core) {
    shared.lcores[core]->punt_queue = queue("punt-" + std::to_string(core));
    shared.lcores[core]->inject_queue = queue("inject-" + std::to_string(core));
  }
  shared.controller_present.store(true);
  const Layout here = layout(duty);
  for (std::size_t i = 0; i < std::size_t{here.ports} + here.links; ++i) {
    const bool port = i < here.ports;
    const bool brings = port == here.from_ports;
    const auto dpdk_port = open(device(i, brings, pcap), pool, cores);
    if (brings) sources_.push_back(dpdk_port);
    shared.places.outputs.push_back(
        place((port ? "port " : "fabric ") + std::to_string(i), dpdk_port, cores));
  }
  shared.places.ports = here.ports;
  shared.places.controller.name = "inject";
  const auto prepared = shared.fib.prepare_snapshot(content(duty, routes));
  if (!prepared) throw StartupError(prepared.error().message, "", "mend the table");
  shared.fib.commit();
}

BenchNode::~BenchNode() {
  for (const auto& output : shared.places.outputs) {
    rte_eth_dev_stop(output->device);
    rte_eth_dev_close(output->device);
  }
}

void BenchNode::feed_from(PacketSource& source, std::uint16_t core) const {
  for (const auto port : sources_) source.feed(port, core);
}

}  // namespace rackway::bench
