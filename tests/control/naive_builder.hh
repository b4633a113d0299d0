// SPDX-License-Identifier: Apache-2.0
// What FibBuilder is held against: the FIB of a kernel's whole state, worked out from nothing each
// time by searching through everything.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/control/fake_kernel.hh"
#include "tests/control/fib_picture.hh"

namespace rackway::control::testing {

struct NaiveBuilder {
  const FakeKernel& kernel;
  std::map<int, InterfaceRef> ports;
  // What is kept from before a restart.
  std::map<IpPrefix, Target> stale_routes{};
  std::map<Neighbor, MacAddress> stale_neighbors{};

  [[nodiscard]] std::optional<InterfaceRef> interface_of(int ifindex) const {
    if (const auto at = ports.find(ifindex); at != ports.end()) return at->second;
    const auto link = kernel.links.find(ifindex);
    if (link == kernel.links.end() || !link->second.vlan) return std::nullopt;
    const auto port = ports.find(link->second.vlan->parent);
    if (port == ports.end()) return std::nullopt;
    return InterfaceRef{port->second.node, port->second.port, link->second.vlan->id};
  }

  // Every neighbour that packets can be sent to.
  [[nodiscard]] std::map<Neighbor, MacAddress> neighbors() const {
    auto all = stale_neighbors;
    for (const auto& [key, mac] : kernel.neighbors) {
      if (const auto port = interface_of(key.ifindex)) all[{*port, key.address}] = mac;
    }
    return all;
  }

  [[nodiscard]] std::uint16_t mtu(InterfaceRef interface) const {
    const InterfaceRef port{interface.node, interface.port};
    const auto most = interface == port ? std::uint16_t{65535} : mtu(port);
    for (const auto& [ifindex, link] : kernel.links) {
      if (interface_of(ifindex) == interface) {
        return std::min(most, static_cast<std::uint16_t>(std::clamp(link.mtu, 68u, 65535u)));
      }
    }
    return std::min(most, std::uint16_t{1500});
  }

  [[nodiscard]] bool takes_frames(InterfaceRef interface, int ifindex) const {
    return interface.vlan == VlanId{} || kernel.links.at(ifindex).up;
  }

  [[nodiscard]] bool on_link(const KernelNeighborKey& neighbor) const {
    const std::pair<const IpPrefix, KernelRoute>* best = nullptr;
    for (const auto& entry : kernel.routes) {
      const auto& [to, route] = entry;
      if (!to.covers(neighbor.address) || to == IpPrefix::host(neighbor.address)) continue;
      if (best == nullptr || best->first.length < to.length) best = &entry;
    }
    if (best == nullptr || best->second.type != KernelRouteType::unicast) return false;
    const auto& hops = best->second.next_hops;
    return std::any_of(hops.begin(), hops.end(), [&](const auto& hop) {
      return hop.ifindex == neighbor.ifindex && !hop.gateway;
    });
  }

  [[nodiscard]] std::map<IpPrefix, Target> routes() const {
    auto all = stale_routes;
    std::set<IpPrefix> hosts;
    for (const auto& [key, mac] : kernel.neighbors) {
      const auto port = interface_of(key.ifindex);
      if (!port || key.address.is_link_local() || !on_link(key)) continue;
      if (!hosts.insert(IpPrefix::host(key.address)).second) continue;  // the first interface's
      all[IpPrefix::host(key.address)] = {fib::GroupKind::forward, {{{*port, key.address}, 1}}};
    }
    for (const auto& [to, route] : kernel.routes) all[to] = target(route);
    return all;
  }

  [[nodiscard]] Target target(const KernelRoute& route) const {
    switch (route.type) {
      case KernelRouteType::unicast: break;
      case KernelRouteType::local: return {fib::GroupKind::local, {}};
      case KernelRouteType::broadcast: return {fib::GroupKind::broadcast, {}};
      case KernelRouteType::blackhole: return {fib::GroupKind::blackhole, {}};
      case KernelRouteType::unreachable: return {fib::GroupKind::unreachable, {}};
      case KernelRouteType::prohibit: return {fib::GroupKind::prohibit, {}};
    }
    Target forward{fib::GroupKind::forward, {}};
    for (const auto& hop : route.next_hops) {
      const auto port = interface_of(hop.ifindex);
      if (port && !hop.gateway) return {fib::GroupKind::glean, {}};
      if (port) forward.next_hops.push_back({{*port, *hop.gateway}, hop.weight});
    }
    if (forward.next_hops.empty()) return {fib::GroupKind::local, {}};
    std::sort(forward.next_hops.begin(), forward.next_hops.end());
    return forward;
  }

  // As picture_of() of the FIB.
  [[nodiscard]] std::string picture() const {
    const auto macs = neighbors();
    std::set<Target> targets;
    std::multiset<std::string> lines;
    for (const auto& [to, target] : routes()) {
      targets.insert(target);
      std::multiset<std::string> hops;
      for (const auto& [neighbor, weight] : target.next_hops) {
        const auto at = macs.find(neighbor);
        if (at == macs.end()) continue;
        hops.insert(text_of(neighbor, at->second, mtu(neighbor.interface)) + "*" +
                    std::to_string(weight));
      }
      const bool resolved = target.kind != fib::GroupKind::forward || !hops.empty();
      const auto kind = resolved ? target.kind : fib::GroupKind::glean;
      lines.insert(to.to_string() + " " + text_of(kind, hops));
    }
    for (const auto& [neighbor, mac] : macs) {
      lines.insert("adjacency " + text_of(neighbor, mac, mtu(neighbor.interface)));
    }
    for (const auto& [ifindex, address, length] : kernel.addresses) {
      const auto at = interface_of(ifindex);
      if (!at || !takes_frames(*at, ifindex)) continue;
      lines.insert(text_of(fib::PortAddress{at->node, at->port, at->vlan, address, length}));
    }
    lines.insert("groups " + std::to_string(targets.size()));
    return text_of(lines);
  }

  // Next hops that the kernel should resolve.
  [[nodiscard]] std::set<KernelNeighborKey> unresolved() const {
    std::set<KernelNeighborKey> all;
    for (const auto& [to, target] : routes()) {
      for (const auto& hop : target.next_hops) {
        const auto ifindex = find_ifindex(hop.neighbor.interface);
        if (!ifindex) continue;
        const KernelNeighborKey key{*ifindex, hop.neighbor.address};
        if (!kernel.neighbors.contains(key)) all.insert(key);
      }
    }
    return all;
  }

  [[nodiscard]] std::optional<int> find_ifindex(InterfaceRef interface) const {
    for (const auto& [ifindex, port] : ports) {
      if (port == interface) return ifindex;
    }
    for (const auto& [ifindex, link] : kernel.links) {
      if (interface_of(ifindex) == interface) return ifindex;
    }
    return std::nullopt;
  }

  // The nodes hold this while the controller starts.
  void restore(const fib::Delta& snapshot) {
    std::map<fib::AdjacencyKey, Neighbor> by_key;
    std::map<GroupId, Target> targets;
    for (const auto& record : snapshot.adjacencies) {
      by_key[record.key] = {{record.key.node, record.port, record.vlan}, record.next_hop};
      stale_neighbors[by_key[record.key]] = record.destination;
    }
    for (const auto& record : snapshot.groups) {
      auto& target = targets[record.id] = {record.kind, {}};
      for (const auto& member : record.members) {
        target.next_hops.push_back({by_key.at(member.adjacency), member.weight});
      }
      std::sort(target.next_hops.begin(), target.next_hops.end());
    }
    for (const auto& route : snapshot.routes) stale_routes[route.prefix] = targets.at(route.group);
  }

  // What the kernel names is its own from now on.
  void confirm() {
    const auto own = NaiveBuilder{kernel, ports};
    for (const auto& [to, target] : own.routes()) stale_routes.erase(to);
    for (const auto& [neighbor, mac] : own.neighbors()) stale_neighbors.erase(neighbor);
  }
};

}  // namespace rackway::control::testing
