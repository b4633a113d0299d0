// SPDX-License-Identifier: Apache-2.0
// Makes the cluster's FIB out of what is wanted (WantedRoutes): targets and path sets become
// groups, neighbours on our interfaces adjacencies, addresses on them the nodes' own. Keeps the
// numbers, remembers what changed and gives the difference to the present FIB as a delta.
//
// Routes of one path set share a group, which follows where the path set leads: that is one changed
// record, however many routes there are.
//
// Nodes commit an epoch at slightly different times, and none may send by an adjacency that the
// egress node has not got yet, or has no more. So a group names an adjacency only one epoch after
// it came, and an adjacency goes only one epoch after the last group named it; the builder stays
// changed() for the second half. take_delta() is in tests/model/fib_builder.pml.
//
// Frames that were sent by the last group may still be on their way when every node has forgotten
// it: they wait where a core has not got its CPU. So an adjacency lingers besides for as many calls
// of age() as the builder was told.
//
// After a controller's restart, restore() takes what the nodes still forward by. Those routes and
// neighbours stay, marked stale, until the kernel names them again or settle() sweeps the rest.
// One thread. Knows of no messages and no epochs but the number that it is told.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "control/adjacency_indices.hh"
#include "control/index_ceiling.hh"
#include "control/route_plan.hh"
#include "control/wanted_routes.hh"
#include "fib/fib.hh"
#include "fib/hash_map.hh"

namespace rackway::control {

class FibBuilder {
 public:
  // nodes: how many the cluster has. The view must outlive the builder.
  FibBuilder(std::size_t nodes, KernelView kernel, unsigned linger = 0, IndexCeiling ceiling = {},
             const topo::RouteDistances& distances = {});

  // The port appears in the kernel as this link; its VLANs come and go with the kernel's links.
  void bind(int ifindex, InterfaceRef port);

  void take(const KernelChanges& changes);
  // For sources other than the kernel; take_routes() when they have said something.
  [[nodiscard]] Rib& rib() { return wanted_.rib(); }
  [[nodiscard]] const Rib& rib() const { return wanted_.rib(); }
  void take_routes();
  // Of a route by links of the kernel's. Means something else when interfaces_version() does.
  [[nodiscard]] Paths paths_of(const KernelRoute& route) const { return wanted_.paths_of(route); }
  [[nodiscard]] std::uint64_t interfaces_version() const { return interfaces_version_; }
  void restore(const fib::Delta& snapshot);
  // At the start, after restore() if there was anything to take over: nodes may name adjacencies of
  // an older controller that are not in what was taken over, until all have epoch `until`, which is
  // to be one of this controller.
  void distrust_older(bool took_over, Epoch until);
  // Sweeps what is still stale.
  void settle();
  [[nodiscard]] std::size_t stale() const { return wanted_.stale(); }
  // Stale routes that the kernel has named again.
  [[nodiscard]] std::size_t confirmed() const { return wanted_.confirmed(); }

  // True when take_delta() may have something to give.
  [[nodiscard]] bool changed() const;
  // What must change in `present` to make it what is wanted, or come closer to it. epoch: that the
  // delta will have. All nodes that forward must have `present` by now.
  [[nodiscard]] fib::Delta take_delta(const fib::Fib& present, Epoch epoch);
  // Time has passed, as much as every time: what has lingered long enough may go.
  void age();
  // The delta did not go in: everything is compared anew next time.
  void compare_everything();
  // For an audit: the next delta also compares these routes of the FIB with what is wanted, or all
  // that is wanted besides routes. It has something to say then only if there is a difference.
  void look_again(std::span<const fib::Route> routes);
  void look_again_at_rest();
  // How many the FIB is to have, when nothing has changed().
  [[nodiscard]] std::size_t routes() const { return routes_.size(); }
  // Neighbours that had to wait for an index may have one then: see changed().
  void all_nodes_have(Epoch epoch);

  // Routes with more next hops than a group has room for; those beyond are not used.
  [[nodiscard]] std::size_t cut_short() const { return cut_short_.size(); }

  // Next hops of routes whose neighbour the kernel has not resolved.
  [[nodiscard]] std::vector<KernelNeighborKey> unresolved() const;

  // The interfaces that the kernel has, and the link of one (null: none).
  [[nodiscard]] const std::map<InterfaceRef, int>& interfaces() const {
    return wanted_.interfaces();
  }
  [[nodiscard]] const KernelLink* link_of(InterfaceRef interface) const {
    return wanted_.link_of(interface);
  }
  [[nodiscard]] std::uint16_t mtu_of(InterfaceRef interface) const {
    return wanted_.mtu_of(interface);
  }
  // In which epoch the record became what it is; nothing: before this controller, or not yet.
  [[nodiscard]] std::optional<Epoch> epoch_of(const IpPrefix& prefix) const;
  [[nodiscard]] std::optional<Epoch> epoch_of(GroupId group) const;
  [[nodiscard]] std::optional<Epoch> epoch_of(fib::AdjacencyKey adjacency) const;
  [[nodiscard]] WantedRoutes::Origin origin(const IpPrefix& prefix) const {
    return wanted_.origin(prefix);
  }

 private:
  struct Adjacency {
    AdjacencyId index;
    MacAddress mac;
    std::uint16_t mtu;
    bool leaving;  // no group is to name it any more
    Epoch epoch{};
  };
  struct Group {
    Target target;
    PathsId paths{kNoPaths};  // whose target it is; none: it is that of all routes with that target
    std::size_t routes{};     // 0: there is no such group
    Epoch epoch{};
  };
  // What is kept of every route: small.
  struct RouteState {
    GroupId group;
    std::uint32_t epoch{};  // from first_epoch_ on, 1 being that one; 0: before
  };

  // ---- bookkeeping of one difference
  void refresh_adjacencies(Epoch epoch);
  void refresh_adjacency(const Neighbor& neighbor, Epoch epoch);
  [[nodiscard]] std::optional<AdjacencyId> new_index(NodeId node, Epoch epoch);
  void refresh_routes(const fib::Fib& present, Epoch epoch, fib::Delta& delta);
  void note_cut_short(const IpPrefix& prefix, const std::optional<WantedWay>& way);
  [[nodiscard]] RouteState* set_route(const IpPrefix& prefix, std::optional<WantedWay> way,
                                      const fib::Fib& present);
  GroupId new_group_id();
  [[nodiscard]] std::optional<GroupId> find_group(const WantedWay& way) const;
  GroupId add_group(WantedWay way, const IpPrefix& prefix, const fib::Fib& present);
  void release(GroupId group);
  void refresh_groups();
  void name_neighbors(GroupId group);
  void unname_neighbors(GroupId group);
  void unbind(InterfaceRef interface);
  void follow_vlans(const std::set<int>& links);
  void mark(const KernelChanges& changes);
  [[nodiscard]] KernelChanges all_on(const std::set<int>& links) const;
  void mark_present(const fib::Fib& present);
  void mark_route(const IpPrefix& prefix);
  void mark_neighbor(const Neighbor& neighbor);
  void mark_neighbors_on(InterfaceRef interface);
  void mark_port(InterfaceRef interface);

  void restore_adjacency(const fib::Adjacency& record);
  [[nodiscard]] std::optional<Target> restored_target(const fib::Group& record) const;
  [[nodiscard]] std::optional<GroupId> restored_id(const Target& target, const IpPrefix& prefix,
                                                   const fib::Fib& present) const;

  // ---- records
  struct GroupRecord {
    fib::Group group;
    bool complete;  // false: of some next hop the adjacency is too new to be named
  };
  [[nodiscard]] GroupRecord group_record(const Target& target, GroupId id,
                                         const fib::Fib& present) const;
  [[nodiscard]] std::set<fib::AdjacencyKey> named_by_dirty_groups(const fib::Fib& present) const;
  [[nodiscard]] bool has_group(GroupId id) const {
    return id.value < groups_.size() && groups_[id.value].routes > 0;
  }
  [[nodiscard]] std::optional<fib::Adjacency> adjacency_record(fib::AdjacencyKey key) const;
  void emit_adjacencies(const fib::Fib& present, Epoch epoch, fib::Delta& delta);
  [[nodiscard]] bool has_lingered(fib::AdjacencyKey key);
  void forget_adjacency(fib::AdjacencyKey key, Epoch epoch);
  void emit_groups(const fib::Fib& present, Epoch epoch, fib::Delta& delta);
  void emit_addresses(const fib::Fib& present, fib::Delta& delta);

  WantedRoutes wanted_;
  std::uint64_t interfaces_version_ = 0;
  std::vector<AdjacencyIndices> indices_;  // by node
  IndexCeiling ceiling_;
  std::set<Neighbor> without_index_;  // there was none to be had

  std::map<Neighbor, Adjacency> adjacencies_;
  std::map<fib::AdjacencyKey, Neighbor> neighbors_by_key_;
  std::vector<Group> groups_;  // by id
  std::map<Target, GroupId> groups_by_target_;
  std::vector<std::optional<GroupId>> groups_by_paths_;
  std::map<Neighbor, std::set<GroupId>> groups_by_neighbor_;
  std::set<GroupId> free_groups_;
  GroupId next_group_{0};
  fib::HashMap<IpPrefix, RouteState> routes_;
  std::optional<Epoch> first_epoch_;  // of ours
  std::set<IpPrefix> cut_short_;

  unsigned linger_;
  std::map<fib::AdjacencyKey, unsigned> lingering_;  // named by no group; for how long still

  // ---- what the nodes held before a restart
  std::map<Target, GroupId> restored_ids_;
  std::set<GroupId> restored_groups_;  // kept for their targets until settle(), not free

  // ---- what to look at in the next take_delta()
  bool compare_present_ = false;        // all of the FIB
  std::vector<IpPrefix> dirty_routes_;  // perhaps twice
  std::vector<PathsId> dirty_paths_;
  std::set<Neighbor> dirty_neighbors_;
  std::set<GroupId> dirty_groups_;
  std::set<fib::AdjacencyKey> dirty_adjacencies_;
  std::set<InterfaceRef> dirty_addresses_;
};

}  // namespace rackway::control
