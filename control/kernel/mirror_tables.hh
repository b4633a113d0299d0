// SPDX-License-Identifier: Apache-2.0
// The content of a kernel mirror and the rules by which a message changes it; no socket, so that
// the rules can be tested by messages alone. What changed since the last take_changes() is kept
// beside. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "control/kernel/kernel_mirror.hh"
#include "control/kernel/netlink_messages.hh"
#include "control/kernel/route_table.hh"

namespace rackway::control {

class MirrorTables {
 public:
  explicit MirrorTables(DaemonRoutes daemons = DaemonRoutes::in_kernel) : daemons_(daemons) {}

  // What the change may have done to routes besides what the kernel tells.
  enum class Silent : std::uint8_t { nothing, perhaps, unknown_route };
  Silent apply(const NetlinkMessage& message);

  // Becomes what a dump gave; the difference is noted as changes.
  void become(MirrorTables&& dumped);

  KernelChanges take_changes();
  [[nodiscard]] const std::map<int, KernelLink>& links() const { return links_; }
  [[nodiscard]] const std::set<KernelAddress>& addresses() const { return addresses_; }
  [[nodiscard]] const std::map<KernelNeighborKey, MacAddress>& neighbors() const {
    return neighbors_;
  }
  [[nodiscard]] const std::map<IpPrefix, KernelRoute>& routes() const { return routes_; }
  // The kernel keeps it resolved without being asked, or must not be asked.
  [[nodiscard]] bool is_settled(const KernelNeighborKey& neighbor) const {
    return settled_.contains(neighbor);
  }

 private:
  Silent apply_one(std::monostate) { return Silent::nothing; }
  Silent apply_one(const LinkMessage& message);
  Silent apply_one(const AddressMessage& message);
  Silent apply_one(const NeighborMessage& message);
  Silent apply_one(const RouteMessage& message);
  Silent apply_one(const NextHopMessage& message);
  void forget_link(int ifindex);
  [[nodiscard]] bool has_address(int ifindex, Family family) const;
  [[nodiscard]] bool routes_use(std::uint32_t next_hop_id) const;
  void publish(const IpPrefix& prefix);

  DaemonRoutes daemons_;
  std::map<int, KernelLink> links_;
  std::map<int, std::uint32_t> link_flags_;  // IFF_*, more than a KernelLink tells
  std::set<KernelAddress> addresses_;
  std::map<KernelNeighborKey, MacAddress> neighbors_;
  std::set<KernelNeighborKey> settled_;
  std::unordered_map<std::uint32_t, std::vector<NextHopMember>> groups_;
  RouteTable table_;
  std::map<IpPrefix, KernelRoute> routes_;  // table_.best() of each prefix
  KernelChanges changes_;
};

}  // namespace rackway::control
