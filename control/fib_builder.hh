// SPDX-License-Identifier: Apache-2.0
// Makes the cluster's FIB out of what the kernel knows: kernel routes become routes to groups,
// kernel neighbours on our ports become adjacencies and host routes, addresses on our ports become
// the nodes' own. Remembers what changed and gives the difference to the present FIB as a delta.
//
// After a controller's restart, restore() takes what the nodes still forward by. Those routes and
// neighbours stay, marked stale, until the kernel names them again or settle() sweeps the rest.
// One thread. Knows of no messages and no epochs but the number that it is told.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "control/adjacency_indices.hh"
#include "control/kernel/kernel_mirror.hh"
#include "control/route_plan.hh"
#include "fib/fib.hh"

namespace rackway::control {

// What the builder reads of the kernel; a KernelMirror's members, or a test's.
struct KernelView {
  const std::map<int, KernelLink>& links;
  const std::set<KernelAddress>& addresses;
  const std::map<KernelNeighborKey, MacAddress>& neighbors;
  const std::map<IpPrefix, KernelRoute>& routes;
};

class FibBuilder {
 public:
  // nodes: how many the cluster has. The view must outlive the builder.
  FibBuilder(std::size_t nodes, KernelView kernel);

  // The port appears in the kernel as this interface.
  void bind(int ifindex, PortRef port);

  void take(const KernelChanges& changes);
  void restore(const fib::Delta& snapshot);
  // Sweeps what is still stale.
  void settle();
  [[nodiscard]] std::size_t stale() const { return stale_routes_.size(); }
  // Stale routes that the kernel has named again.
  [[nodiscard]] std::size_t confirmed() const { return confirmed_; }

  // True when take_delta() may have something to give.
  [[nodiscard]] bool changed() const;
  // What must change in `present` to make it what is wanted. epoch: that the delta will have.
  [[nodiscard]] fib::Delta take_delta(const fib::Fib& present, Epoch epoch);
  // The delta did not go in: everything is compared anew next time.
  void compare_everything();
  void all_nodes_have(Epoch epoch);

  // Next hops of routes whose neighbour the kernel has not resolved.
  [[nodiscard]] std::vector<KernelNeighborKey> unresolved() const;

  struct Origin {
    std::string protocol;  // see docs/api.md
    bool stale;
  };
  [[nodiscard]] Origin origin(const IpPrefix& prefix) const;

 private:
  struct Adjacency {
    AdjacencyId index;
    MacAddress mac;
    std::uint16_t mtu;
  };
  struct Group {
    GroupId id;
    std::size_t routes{};
  };
  using Groups = std::map<Target, Group>;

  // ---- what is wanted
  [[nodiscard]] std::optional<Target> wanted(const IpPrefix& prefix) const;
  [[nodiscard]] Target target_of(const KernelRoute& route) const;
  [[nodiscard]] bool on_link(const KernelNeighborKey& neighbor) const;
  [[nodiscard]] std::optional<KernelNeighborKey> host_neighbor(const IpPrefix& prefix) const;
  [[nodiscard]] std::optional<KernelNeighborKey> key_of(const Neighbor& neighbor) const;
  [[nodiscard]] bool known_to_kernel(const Neighbor& neighbor) const;
  [[nodiscard]] std::optional<MacAddress> mac_of(const Neighbor& neighbor) const;
  [[nodiscard]] std::uint16_t mtu_of(PortRef port) const;
  [[nodiscard]] std::optional<PortRef> port_of(int ifindex) const;

  // ---- bookkeeping of one difference
  void refresh_adjacencies(Epoch epoch);
  void refresh_routes(const fib::Fib& present);
  void set_route(const IpPrefix& prefix, const std::optional<Target>& target,
                 const fib::Fib& present);
  GroupId new_group_id();
  Groups::iterator acquire(const Target& target, const IpPrefix& prefix, const fib::Fib& present);
  void release(Groups::iterator group);
  void unbind(PortRef port);
  void mark_present(const fib::Fib& present);
  void mark_route(const IpPrefix& prefix);
  void mark_neighbors_within(const IpPrefix& prefix);
  void mark_neighbor(const Neighbor& neighbor);

  void restore_adjacency(const fib::Adjacency& record);
  [[nodiscard]] std::optional<Target> restored_target(const fib::Group& record) const;
  [[nodiscard]] std::optional<GroupId> restored_id(const Target& target, const IpPrefix& prefix,
                                                   const fib::Fib& present) const;

  // ---- records
  [[nodiscard]] std::set<fib::PortAddress> addresses_on(PortRef port) const;
  [[nodiscard]] fib::Group group_record(const Target& target, GroupId id) const;
  void emit_adjacencies(const fib::Fib& present, fib::Delta& delta);
  void emit_groups(const fib::Fib& present, fib::Delta& delta);
  void emit_routes(const fib::Fib& present, fib::Delta& delta);
  void emit_addresses(const fib::Fib& present, fib::Delta& delta);

  KernelView kernel_;
  std::map<int, PortRef> ports_;
  std::map<PortRef, int> interfaces_;
  std::vector<AdjacencyIndices> indices_;  // by node

  std::map<Neighbor, Adjacency> adjacencies_;
  std::map<fib::AdjacencyKey, Neighbor> neighbors_by_key_;
  Groups groups_;
  std::map<GroupId, Groups::iterator> groups_by_id_;
  std::map<Neighbor, std::set<GroupId>> groups_by_neighbor_;
  std::set<GroupId> free_groups_;
  GroupId next_group_{0};
  std::unordered_map<IpPrefix, Groups::iterator> routes_;
  std::map<IpAddress, std::set<int>> neighbors_by_address_;  // of the kernel, on our ports

  // ---- what the nodes still hold from before a restart
  std::map<IpPrefix, Target> stale_routes_;
  std::map<Neighbor, MacAddress> stale_neighbors_;
  std::map<Target, GroupId> restored_ids_;
  std::set<GroupId> restored_groups_;  // kept for their targets until settle(), not free
  std::size_t confirmed_ = 0;

  // ---- what to look at in the next take_delta()
  bool compare_present_ = false;  // all of the FIB
  std::set<IpPrefix> dirty_routes_;
  std::set<Neighbor> dirty_neighbors_;
  std::set<GroupId> dirty_groups_;
  std::set<fib::AdjacencyKey> dirty_adjacencies_;
  std::set<PortRef> dirty_addresses_;
};

}  // namespace rackway::control
