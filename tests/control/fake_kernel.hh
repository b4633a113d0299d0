// SPDX-License-Identifier: Apache-2.0
// A kernel that a test changes by hand, as a KernelMirror would show it, and the addresses of the
// cluster that the tests of the FIB builder use: two nodes with two ports each, and two interfaces
// that are no ports.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "control/fib_builder.hh"

namespace rackway::control::testing {

inline constexpr int kLoopback = 1, kTunnel = 2, kVlan = 30, kOtherVlan = 31;
inline constexpr std::size_t kNodes = 2;
inline constexpr InterfaceRef kPort00{{0}, {0}}, kPort01{{0}, {1}}, kPort10{{1}, {0}},
    kPort11{{1}, {1}};
inline const std::map<int, InterfaceRef> kPorts{
    {10, kPort00}, {11, kPort01}, {20, kPort10}, {21, kPort11}};

// RTPROT_* of linux/rtnetlink.h
inline constexpr std::uint8_t kByKernel = 2, kByBoot = 3, kByStatic = 4, kByBgp = 186;

inline IpAddress ip(std::string_view text) {
  return IpAddress::parse(text).value();
}
inline IpPrefix prefix(std::string_view text) {
  return IpPrefix::parse(text).value();
}
inline MacAddress mac(unsigned number) {
  return {{2, 0, 0, 0, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)}};
}

inline int ifindex_of(InterfaceRef port) {
  const auto at = std::find_if(kPorts.begin(), kPorts.end(),
                               [&](const auto& entry) { return entry.second == port; });
  return at->first;
}

inline KernelNextHop via(InterfaceRef port, std::string_view gateway, unsigned weight = 1) {
  return {ifindex_of(port), ip(gateway), static_cast<std::uint16_t>(weight)};
}
inline KernelNextHop on(InterfaceRef port) {
  return {ifindex_of(port), std::nullopt, 1};
}
inline KernelRoute unicast(std::vector<KernelNextHop> next_hops, std::uint8_t protocol = kByBgp) {
  std::sort(next_hops.begin(), next_hops.end());
  return {KernelRouteType::unicast, protocol, std::move(next_hops)};
}
inline KernelRoute of_type(KernelRouteType type, std::vector<KernelNextHop> next_hops = {}) {
  return {type, kByKernel, std::move(next_hops)};
}

class FakeKernel {
 public:
  FakeKernel() {
    for (const auto& [ifindex, port] : kPorts) set_mtu(ifindex, 1500);
    set_mtu(kLoopback, 65536);
    set_mtu(kTunnel, 1400);
  }
  FakeKernel(const FakeKernel&) = delete;  // views point here

  void set_mtu(int ifindex, std::uint32_t mtu) {
    auto& link = links[ifindex];
    link = {.ifindex = ifindex, .up = true, .carrier = true, .mtu = mtu, .vlan = link.vlan};
    changes.links.insert(ifindex);
  }
  // A VLAN of the port, up.
  void add_vlan(int ifindex, InterfaceRef port, std::uint16_t id, std::uint32_t mtu = 1500) {
    links[ifindex] = {.ifindex = ifindex,
                      .up = true,
                      .carrier = true,
                      .mtu = mtu,
                      .vlan = KernelVlan{ifindex_of(port), {id}}};
    changes.links.insert(ifindex);
  }
  void remove_link(int ifindex) {
    links.erase(ifindex);
    changes.links.insert(ifindex);
  }
  void add(const KernelAddress& address) {
    addresses.insert(address);
    changes.addresses.insert(address.ifindex);
  }
  void remove(const KernelAddress& address) {
    addresses.erase(address);
    changes.addresses.insert(address.ifindex);
  }
  void set(const KernelNeighborKey& key, const MacAddress& address) {
    neighbors[key] = address;
    changes.neighbors.insert(key);
  }
  void remove(const KernelNeighborKey& key) {
    neighbors.erase(key);
    changes.neighbors.insert(key);
  }
  void set(const IpPrefix& to, KernelRoute route) {
    routes[to] = std::move(route);
    changes.routes.insert(to);
  }
  void remove(const IpPrefix& to) {
    routes.erase(to);
    changes.routes.insert(to);
  }

  // ---- in words
  void neighbor(InterfaceRef port, std::string_view address, unsigned mac_number) {
    set(KernelNeighborKey{ifindex_of(port), ip(address)}, mac(mac_number));
  }
  void no_neighbor(InterfaceRef port, std::string_view address) {
    remove(KernelNeighborKey{ifindex_of(port), ip(address)});
  }
  void route(std::string_view to, KernelRoute how) { set(prefix(to), std::move(how)); }
  void no_route(std::string_view to) { remove(prefix(to)); }
  // The address and the kernel's own route to its subnet.
  void connect(InterfaceRef port, std::string_view address, std::uint8_t length) {
    add(KernelAddress{ifindex_of(port), ip(address), length});
    set(IpPrefix::covering(ip(address), length), unicast({on(port)}, kByKernel));
  }

  [[nodiscard]] KernelView view() const { return {links, addresses, neighbors, routes}; }
  KernelChanges take_changes() { return std::exchange(changes, {}); }

  std::map<int, KernelLink> links;
  std::set<KernelAddress> addresses;
  std::map<KernelNeighborKey, MacAddress> neighbors;
  std::map<IpPrefix, KernelRoute> routes;
  KernelChanges changes;
};

}  // namespace rackway::control::testing
