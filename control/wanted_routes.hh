// SPDX-License-Identifier: Apache-2.0
// What the cluster's FIB should say: the routes of the RIB, the host routes of neighbours on
// connected subnets, MACs, MTUs, addresses. The kernel is a source of the RIB: its routes are put
// there in terms of interfaces and neighbours when it has changed them. Everything else of the
// kernel is read when asked; which link is which interface is remembered.
//
// After a controller's restart it also keeps what the nodes still forward by (stale) as wanted,
// until the kernel has named it or release_stale(). One thread. FibBuilder owns it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/kernel/kernel_mirror.hh"
#include "control/rib/rib.hh"
#include "control/route_plan.hh"
#include "fib/records.hh"

namespace rackway::control {

// What is read of the kernel; a KernelMirror's members, or a test's.
struct KernelView {
  const std::map<int, KernelLink>& links;
  const std::set<KernelAddress>& addresses;
  const std::map<KernelNeighborKey, MacAddress>& neighbors;
  const std::map<IpPrefix, KernelRoute>& routes;
};

// Where a prefix goes: as its path set does, whatever becomes of that, or to a target of its own.
struct WantedWay {
  PathsId paths{kNoPaths};
  Target target{};  // of its own
};

class WantedRoutes {
 public:
  // The view must outlive this.
  explicit WantedRoutes(KernelView kernel, const topo::RouteDistances& distances = {})
      : kernel_(kernel), rib_(distances) {}

  [[nodiscard]] const KernelView& kernel() const { return kernel_; }
  [[nodiscard]] Rib& rib() { return rib_; }
  [[nodiscard]] const Rib& rib() const { return rib_; }
  // The kernel's route of this prefix came, went, or means something else.
  void kernel_route_changed(const IpPrefix& prefix);
  // Of a route by links of the kernel's, in terms of our interfaces.
  [[nodiscard]] Paths paths_of(const KernelRoute& route) const;

  // ---- interfaces
  // What the kernel's link is: a VLAN of one of our ports, or nothing.
  [[nodiscard]] std::optional<InterfaceRef> vlan_of_port(int ifindex) const;
  void bind(int ifindex, InterfaceRef interface);
  // Gives the host prefixes of the neighbours on it: they were another interface's.
  std::vector<IpPrefix> unbind(InterfaceRef interface);
  [[nodiscard]] bool is_bound(InterfaceRef interface) const {
    return ifindexes_.contains(interface);
  }
  // Nothing: the link is none of ours.
  [[nodiscard]] std::optional<InterfaceRef> interface_of(int ifindex) const;
  [[nodiscard]] const std::map<InterfaceRef, int>& interfaces() const { return ifindexes_; }
  // The kernel's link of the interface; null when it has none.
  [[nodiscard]] const KernelLink* link_of(InterfaceRef interface) const;

  // ---- neighbours
  // The kernel has it now, or no longer. On an interface of ours.
  void neighbor_changed(const KernelNeighborKey& key);
  // Host prefixes of the kernel's neighbours on our interfaces that it covers.
  [[nodiscard]] std::vector<IpPrefix> hosts_within(const IpPrefix& prefix) const;
  [[nodiscard]] std::optional<KernelNeighborKey> key_of(const Neighbor& neighbor) const;
  [[nodiscard]] std::optional<MacAddress> mac_of(const Neighbor& neighbor) const;

  // ---- what is wanted
  [[nodiscard]] std::optional<WantedWay> way(const IpPrefix& prefix) const;
  // More next hops than a group has room for: the first ones are the target.
  [[nodiscard]] bool is_cut_short(const IpPrefix& prefix) const;
  // A VLAN's is its own, but no more than its port's.
  [[nodiscard]] std::uint16_t mtu_of(InterfaceRef interface) const;
  // A VLAN that is down takes no frames, which it does by having no addresses.
  [[nodiscard]] std::set<fib::PortAddress> addresses_on(InterfaceRef interface) const;

  struct Origin {
    std::string protocol;  // see docs/api.md
    bool stale;
  };
  [[nodiscard]] Origin origin(const IpPrefix& prefix) const;

  // ---- what the nodes still hold from before a restart
  void keep(const IpPrefix& prefix, const Target& target) { stale_routes_[prefix] = target; }
  void keep(const Neighbor& neighbor, const MacAddress& mac) { stale_neighbors_[neighbor] = mac; }
  // What a source names is its own from then on, also if it goes again before anybody looks.
  void confirm(const IpPrefix& prefix);
  void confirm(const Neighbor& neighbor);
  [[nodiscard]] std::size_t stale() const { return stale_routes_.size(); }
  // Stale routes that a route of the RIB has named again.
  [[nodiscard]] std::size_t confirmed() const { return confirmed_; }

  struct Stale {
    std::map<IpPrefix, Target> routes;
    std::map<Neighbor, MacAddress> neighbors;
  };
  // No longer wanted from now on.
  Stale release_stale();

 private:
  [[nodiscard]] bool on_link(const KernelNeighborKey& neighbor) const;
  [[nodiscard]] std::optional<KernelNeighborKey> host_neighbor(const IpPrefix& prefix) const;
  [[nodiscard]] bool known_to_kernel(const Neighbor& neighbor) const;

  KernelView kernel_;
  Rib rib_;
  std::map<int, InterfaceRef> interfaces_;
  std::map<InterfaceRef, int> ifindexes_;
  std::map<IpAddress, std::set<int>> neighbors_by_address_;  // of the kernel, on our interfaces
  std::map<IpPrefix, Target> stale_routes_;
  std::map<Neighbor, MacAddress> stale_neighbors_;
  std::size_t confirmed_ = 0;
};

}  // namespace rackway::control
