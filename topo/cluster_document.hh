// SPDX-License-Identifier: Apache-2.0
// The cluster document (cluster.json) as an immutable value: which nodes there are, their external
// ports, how the fabric joins them, where the controller is. Parsed once; everything in it has been
// checked. Field reference: docs/cluster_document.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hh"
#include "base/ip_address.hh"
#include "base/mac_address.hh"
#include "topo/hello_config.hh"
#include "topo/rate.hh"
#include "topo/steering_mode.hh"
#include "topo/urpf.hh"

namespace rackway::topo {

struct PortConfig {
  std::string name;         // unique within the node, e.g. "p0"; [A-Za-z0-9_.-]{1,8}
  std::string device;       // DPDK device string, e.g. "net_af_packet0,iface=ext0"
  std::uint16_t mtu{1500};  // octets of IP, 1280..9216
  Urpf urpf{Urpf::off};
  Mbps rate{0};  // 0: not said
};

struct NodeConfig {
  std::string name;               // unique, [A-Za-z0-9_-]{1,6}, so that "n1-p0" fits IFNAMSIZ
  std::vector<PortConfig> ports;  // PortId is the index; 0..256 of them (none: a pure relay)
  Mbps rate{0};                   // of all its ports together; 0: not said
};

// One cable of the fabric. The index of a link in the document is its number everywhere.
struct LinkConfig {
  NodeId a, b;                     // a != b
  std::string device_a, device_b;  // DPDK device string at either end
  Mbps rate{0};                    // either way; 0: not said
};

struct VlbConfig {
  SteeringMode mode{SteeringMode::adaptive};  // until the operator says another
  // Bounds of the pause after which a flow may change its path, microseconds.
  std::uint32_t least_flowlet_gap_us{500}, most_flowlet_gap_us{50'000};
};

struct StaticRoute {
  IpPrefix prefix;
  enum class Type : std::uint8_t { unicast, blackhole, unreachable, prohibit } type{Type::unicast};
  std::vector<IpAddress> via;  // next hops of the prefix's family, 1..64 if unicast, else none
};

// How far routes of each origin are trusted, 1..254: of several for one prefix the least distance
// wins. What is connected has 0. docs/control_plane.md has the origins.
struct RouteDistances {
  std::uint8_t kernel{1}, document{1}, added{1}, bgp{20}, ospf{110}, isis{115}, rip{120},
      other{150}, imported{200};
};

// Where the controller listens, in the router's namespace, for FRR's zebra to tell its routes.
struct FpmConfig {
  IpAddress address{Ipv4Address{0x7f000001}};
  std::uint16_t port{2620};  // FRR's own default
};

struct ControllerConfig {
  std::string control{"tcp://127.0.0.1:7600"};     // ZeroMQ endpoint for nodes: epochs, state
  std::string packets{"tcp://127.0.0.1:7601"};     // ZeroMQ endpoint for nodes: punt, inject
  std::string api{"ipc:///run/rackway/api.sock"};  // ZeroMQ endpoint for `rackway`
  std::string network_namespace{"rackway"};        // where the ports appear as TAPs
  std::uint32_t settle_ms{20000};  // after a restart: how long routes must have been quiet before
                                   // those that nobody announced again are swept
  std::uint32_t settle_max_ms{180000};      // and the longest wait for such a quiet
  std::uint32_t netlink_buffer{64u << 20};  // octets of the kernel's changes that may wait
  std::uint32_t audit_s{60};                // how often everything is compared anew; 0: never
  RouteDistances distances;
  std::optional<FpmConfig> fpm;  // nothing: routes of FRR's daemons are those in the kernel
};

struct ClusterDocument {
  std::string name;
  ControllerConfig controller;
  std::vector<NodeConfig> nodes;  // NodeId is the index; 1..4096
  std::vector<LinkConfig> links;  // at most one between two nodes in this version
  // That every link has each way: what the node with the most cores needs. 1..64.
  std::uint16_t fabric_queues{1};
  HelloConfig hello;
  VlbConfig vlb;
  std::vector<StaticRoute> routes;

  // Of all external ports: what every fabric link has to carry. 1500 without any port.
  [[nodiscard]] std::uint16_t largest_mtu() const;
  [[nodiscard]] std::optional<NodeId> find_node(const std::string& node_name) const;
  // Of a node's external ports: what it says itself, else what its ports say; 0 if one does not.
  [[nodiscard]] Mbps external_rate(NodeId node) const;
  // By node, how much of the cluster's traffic enters there: external_rate() if that is known of
  // all nodes that have ports, else the number of ports.
  [[nodiscard]] std::vector<std::uint32_t> external_rates() const;
};

// Reads and checks a document. Throws StartupError with what is wrong, the JSON pointer of the
// place (e.g. "/nodes/2/ports/0/mtu"), the value and the bound. Unknown keys are refused.
[[nodiscard]] ClusterDocument parse_cluster_document(const std::string& json_text,
                                                     const std::string& file_name);
// The same from a file; also throws when it can not be read or is over 16 MiB.
[[nodiscard]] ClusterDocument read_cluster_document(const std::string& path);

}  // namespace rackway::topo
