// SPDX-License-Identifier: Apache-2.0
// The routes that zebra tells, as a source of the RIB: netlink messages as they stand in FPM frames
// become routes. Zebra tells of the one route that it has chosen for a prefix, so that a new one
// takes the place of what was there, whatever its flags. Left out are the kernel's own routes and
// tables other than the main one: the kernel itself is asked for these.
//
// When a connection ends everything is stale: in use until zebra has named it again, or sweep().
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "control/fpm/fpm_next_hops.hh"
#include "fib/hash_map.hh"

namespace rackway::control {

class FpmSource {
 public:
  // The builder must outlive this.
  explicit FpmSource(FibBuilder& builder) : builder_(builder), next_hops_(builder) {}

  // The netlink messages of a frame. The caller tells the builder (take_routes) when it has given
  // all there is: what is withdrawn and comes again meanwhile has not changed.
  void take(std::span<const std::byte> messages);
  // To be called after all of them, and when the builder's interfaces may be others.
  void finish();

  // The connection has ended: nothing that was said counts as said any more.
  void mark_stale();
  // Removes what is still stale; returns how many routes.
  std::size_t sweep();

  struct Counters {
    std::uint64_t messages{};   // of netlink
    std::uint64_t malformed{};  // among them
    std::uint64_t ignored{};    // routes that are not zebra's, or of kinds that are not supported
    std::uint64_t no_room{};    // routes that the FIB has no room for
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::size_t routes() const { return routes_.size(); }
  // Of these, those whose next-hop object is unknown: they are not in the RIB.
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  [[nodiscard]] std::size_t stale() const { return stale_; }
  // Stale routes that were named again, in total.
  [[nodiscard]] std::size_t confirmed() const { return confirmed_; }
  [[nodiscard]] std::size_t next_hop_objects() const { return next_hops_.objects(); }

 private:
  struct Route {
    FpmWayId way;
    RouteOrigin origin{};
    bool stale{};
    bool waits{};
  };

  void apply(const RouteMessage& message);
  void apply(const NextHopMessage& message);
  void set(const RouteMessage& message);
  void remove(const IpPrefix& prefix);
  [[nodiscard]] bool is_stale(const IpPrefix& prefix) const;
  void put_into_rib(const IpPrefix& prefix, Route& route);
  void release(const Route& route);
  void confirm(Route& route);
  void set_waits(Route& route, bool waits);
  [[nodiscard]] bool has_room(const IpPrefix& prefix) const;

  FibBuilder& builder_;
  FpmNextHops next_hops_;
  fib::HashMap<IpPrefix, Route> routes_;
  std::uint64_t interfaces_version_ = 0;
  std::size_t waiting_ = 0, stale_ = 0, confirmed_ = 0;
  Counters counters_;
};

}  // namespace rackway::control
