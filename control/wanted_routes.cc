// SPDX-License-Identifier: Apache-2.0
#include "control/wanted_routes.hh"

#include <algorithm>
#include <utility>

#include "control/kernel/route_protocol.hh"

namespace rackway::control {
namespace {

fib::GroupKind kind_of(KernelRouteType type) {
  switch (type) {
    case KernelRouteType::unicast: return fib::GroupKind::forward;
    case KernelRouteType::local: return fib::GroupKind::local;
    case KernelRouteType::broadcast: return fib::GroupKind::broadcast;
    case KernelRouteType::blackhole: return fib::GroupKind::blackhole;
    case KernelRouteType::unreachable: return fib::GroupKind::unreachable;
    case KernelRouteType::prohibit: return fib::GroupKind::prohibit;
  }
  return fib::GroupKind::unreachable;
}

bool is_host(const IpPrefix& prefix) {
  return prefix.length == address_bits(prefix.address.family());
}

}  // namespace

// ---- interfaces and neighbours

void WantedRoutes::bind(int ifindex, InterfaceRef interface) {
  interfaces_[ifindex] = interface;
  ifindexes_[interface] = ifindex;
}

std::vector<IpPrefix> WantedRoutes::unbind(InterfaceRef interface) {
  std::vector<IpPrefix> hosts;
  const auto at = ifindexes_.find(interface);
  for (auto& [address, interfaces] : neighbors_by_address_) {
    if (interfaces.erase(at->second) > 0) hosts.push_back(IpPrefix::host(address));
  }
  std::erase_if(neighbors_by_address_, [](const auto& entry) { return entry.second.empty(); });
  interfaces_.erase(at->second);
  ifindexes_.erase(at);
  return hosts;
}

// A VLAN within a VLAN is none.
std::optional<InterfaceRef> WantedRoutes::vlan_of_port(int ifindex) const {
  const auto link = kernel_.links.find(ifindex);
  if (link == kernel_.links.end() || !link->second.vlan) return std::nullopt;
  const auto& [parent, id] = *link->second.vlan;
  const auto port = interface_of(parent);
  if (!port || port->vlan != VlanId{}) return std::nullopt;
  return InterfaceRef{port->node, port->port, id};
}

const KernelLink* WantedRoutes::link_of(InterfaceRef interface) const {
  const auto ifindex = ifindexes_.find(interface);
  if (ifindex == ifindexes_.end()) return nullptr;
  const auto link = kernel_.links.find(ifindex->second);
  return link == kernel_.links.end() ? nullptr : &link->second;
}

std::optional<InterfaceRef> WantedRoutes::interface_of(int ifindex) const {
  const auto at = interfaces_.find(ifindex);
  if (at == interfaces_.end()) return std::nullopt;
  return at->second;
}

void WantedRoutes::neighbor_changed(const KernelNeighborKey& key) {
  auto& interfaces = neighbors_by_address_[key.address];
  if (kernel_.neighbors.contains(key)) {
    interfaces.insert(key.ifindex);
  } else {
    interfaces.erase(key.ifindex);
  }
  if (interfaces.empty()) neighbors_by_address_.erase(key.address);
}

std::vector<IpPrefix> WantedRoutes::hosts_within(const IpPrefix& prefix) const {
  std::vector<IpPrefix> hosts;
  for (auto at = neighbors_by_address_.lower_bound(prefix.address);
       at != neighbors_by_address_.end() && prefix.covers(at->first); ++at) {
    hosts.push_back(IpPrefix::host(at->first));
  }
  return hosts;
}

// ---- what is wanted

std::optional<WantedWay> WantedRoutes::way(const IpPrefix& prefix) const {
  if (auto winner = rib_.winner(prefix)) {
    const auto paths = winner->candidate.paths;
    if (!winner->own && rib_.may_move(paths)) return WantedWay{paths};
    return WantedWay{kNoPaths, rib_.target_of(*winner)};
  }
  if (const auto neighbor = host_neighbor(prefix)) {
    return WantedWay{
        kNoPaths,
        {fib::GroupKind::forward, {{{interfaces_.at(neighbor->ifindex), neighbor->address}, 1}}}};
  }
  if (const auto stale = stale_routes_.find(prefix); stale != stale_routes_.end()) {
    return WantedWay{kNoPaths, stale->second};
  }
  return std::nullopt;
}

void WantedRoutes::kernel_route_changed(const IpPrefix& prefix) {
  const auto route = kernel_.routes.find(prefix);
  if (route == kernel_.routes.end()) return rib_.remove(prefix, RouteSource::kernel);
  rib_.set(prefix, RouteSource::kernel, origin_of_protocol(route->second.protocol),
           paths_of(route->second));
}

// Next hops through links that are none of our interfaces (loopback, tunnels) are the kernel's
// business; a next hop without gateway means a connected subnet, whose hosts have to be resolved.
Paths WantedRoutes::paths_of(const KernelRoute& route) const {
  Paths paths{{kind_of(route.type), {}}, {}, {}};
  auto& target = paths.target;
  if (target.kind != fib::GroupKind::forward) return paths;
  for (const auto& hop : route.next_hops) {
    const auto interface = interface_of(hop.ifindex);
    if (!interface) continue;
    if (hop.gateway) {
      target.next_hops.push_back({{*interface, *hop.gateway}, hop.weight});
    } else {
      paths.on_link.push_back(*interface);
    }
  }
  if (!paths.on_link.empty()) {
    std::ranges::sort(paths.on_link);
    target = {fib::GroupKind::glean, {}};
  } else if (target.next_hops.empty()) {
    target.kind = fib::GroupKind::local;
  }
  if (target.next_hops.size() > fib::kMaxGroupMembers) {
    target.next_hops.resize(fib::kMaxGroupMembers);
  }
  std::ranges::sort(target.next_hops);
  return paths;
}

bool WantedRoutes::is_cut_short(const IpPrefix& prefix) const {
  const auto winner = rib_.winner(prefix);
  if (!winner || winner->candidate.source != RouteSource::kernel) return false;
  const auto route = kernel_.routes.find(prefix);
  const auto usable = std::ranges::count_if(route->second.next_hops, [&](const auto& hop) {
    return hop.gateway && interface_of(hop.ifindex);
  });
  return static_cast<std::size_t>(usable) > fib::kMaxGroupMembers;
}

// A neighbour is reached directly when the route that covers it says so.
bool WantedRoutes::on_link(const KernelNeighborKey& neighbor) const {
  const auto interface = interface_of(neighbor.ifindex);
  const auto match =
      rib_.longest_match(neighbor.address, address_bits(neighbor.address.family()) - 1);
  if (!interface || !match) return false;
  const auto& links = rib_.paths(match->winner.candidate.paths).on_link;
  return std::ranges::find(links, *interface) != links.end();
}

std::optional<KernelNeighborKey> WantedRoutes::host_neighbor(const IpPrefix& prefix) const {
  if (!is_host(prefix) || prefix.address.is_link_local()) return std::nullopt;
  const auto at = neighbors_by_address_.find(prefix.address);
  if (at == neighbors_by_address_.end()) return std::nullopt;
  for (const int ifindex : at->second) {
    const KernelNeighborKey key{ifindex, prefix.address};
    if (on_link(key)) return key;
  }
  return std::nullopt;
}

std::optional<KernelNeighborKey> WantedRoutes::key_of(const Neighbor& neighbor) const {
  const auto ifindex = ifindexes_.find(neighbor.interface);
  if (ifindex == ifindexes_.end()) return std::nullopt;
  return KernelNeighborKey{ifindex->second, neighbor.address};
}

bool WantedRoutes::known_to_kernel(const Neighbor& neighbor) const {
  const auto key = key_of(neighbor);
  return key && kernel_.neighbors.contains(*key);
}

std::optional<MacAddress> WantedRoutes::mac_of(const Neighbor& neighbor) const {
  if (known_to_kernel(neighbor)) return kernel_.neighbors.at(*key_of(neighbor));
  if (const auto stale = stale_neighbors_.find(neighbor); stale != stale_neighbors_.end()) {
    return stale->second;
  }
  return std::nullopt;
}

std::uint16_t WantedRoutes::mtu_of(InterfaceRef interface) const {
  constexpr std::uint32_t kLeast = 68, kDefault = 1500, kMost = 65535;  // RFC 791 3.2
  const auto* link = link_of(interface);
  const auto own =
      static_cast<std::uint16_t>(link == nullptr ? kDefault : std::clamp(link->mtu, kLeast, kMost));
  if (interface.vlan == VlanId{}) return own;
  return std::min(own, mtu_of({interface.node, interface.port}));
}

std::set<fib::PortAddress> WantedRoutes::addresses_on(InterfaceRef interface) const {
  std::set<fib::PortAddress> addresses;
  const auto bound = ifindexes_.find(interface);
  if (bound == ifindexes_.end()) return addresses;
  const auto* link = link_of(interface);
  if (interface.vlan != VlanId{} && (link == nullptr || !link->up)) return addresses;
  const int ifindex = bound->second;
  for (auto at = kernel_.addresses.lower_bound({ifindex, {}, 0});
       at != kernel_.addresses.end() && at->ifindex == ifindex; ++at) {
    addresses.insert({interface.node, interface.port, interface.vlan, at->address, at->length});
  }
  return addresses;
}

// ---- before a restart

void WantedRoutes::confirm(const IpPrefix& prefix) {
  if (stale_routes_.empty()) return;
  if (rib_.winner(prefix)) {
    confirmed_ += stale_routes_.erase(prefix);
  } else if (host_neighbor(prefix)) {
    stale_routes_.erase(prefix);
  }
}

void WantedRoutes::confirm(const Neighbor& neighbor) {
  if (known_to_kernel(neighbor)) stale_neighbors_.erase(neighbor);
}

WantedRoutes::Stale WantedRoutes::release_stale() {
  return {std::exchange(stale_routes_, {}), std::exchange(stale_neighbors_, {})};
}

WantedRoutes::Origin WantedRoutes::origin(const IpPrefix& prefix) const {
  const auto winner = rib_.winner(prefix);
  if (!winner) {
    if (host_neighbor(prefix)) return {"neighbor", false};
    return {"", stale_routes_.contains(prefix)};
  }
  switch (winner->candidate.source) {
    case RouteSource::document: return {"rackway", false};
    case RouteSource::fpm: return {std::string(to_string(winner->candidate.origin)), false};
    case RouteSource::kernel:
      return {protocol_name(kernel_.routes.find(prefix)->second.protocol), false};
    default: return {std::string(to_string(winner->candidate.source)), false};
  }
}

}  // namespace rackway::control
