// SPDX-License-Identifier: Apache-2.0
// The ways of routes that zebra tells: by next-hop objects, which have ids, or given with the
// route. Each way is a path set of its own in the RIB, so that an object that becomes another moves
// all its routes as one change. A way is unknown as long as its object is, or a member of its
// group.
//
// Ids mean something within one connection only: a zebra that starts anew counts anew. What routes
// of an earlier connection go by stays as it is, without a name, and an object of the same content
// takes its place, so that a table that comes again moves nothing. If such an object becomes
// another before any route has named it, it leaves them where they are. One thread.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/id.hh"
#include "control/fib_builder.hh"
#include "control/kernel/netlink_messages.hh"

namespace rackway::control {

using FpmWayId = Id<struct FpmWayTag, std::uint32_t>;

class FpmNextHops {
 public:
  // The builder must outlive this.
  explicit FpmNextHops(FibBuilder& builder) : builder_(builder) {}
  FpmNextHops(const FpmNextHops&) = delete;
  FpmNextHops& operator=(const FpmNextHops&) = delete;

  // ---- objects
  // New, or another than before.
  void put(const NextHopMessage& message);
  // Its routes wait for another of that id; groups go on without it, and go with their last member.
  void remove(std::uint32_t id);
  // The connection has ended.
  void forget_ids();

  // ---- one route more or less
  [[nodiscard]] FpmWayId acquire(std::uint32_t id);
  [[nodiscard]] FpmWayId acquire(KernelRouteType type, const std::vector<RouteHop>& hops);
  // told: whether in this connection.
  enum class Told : std::uint8_t { now, before };
  void release(FpmWayId way, Told told);

  // Nothing: it is unknown.
  [[nodiscard]] std::optional<PathsId> paths(FpmWayId way) const;
  // Of the ways that routes go by, those that have become known, or unknown, since the last call.
  [[nodiscard]] std::set<FpmWayId> take_turned();

  // The builder's interfaces are others.
  void interfaces_changed();

  [[nodiscard]] std::size_t objects() const { return objects_.size(); }

 private:
  struct Content {
    KernelRouteType type{KernelRouteType::unicast};
    std::vector<KernelNextHop> hops;  // sorted
    auto operator<=>(const Content&) const = default;
  };
  struct Object {
    std::optional<NextHopMessage> message;  // nothing: routes name it, and it is unknown
    std::optional<FpmWayId> way;
  };
  struct Way {
    std::size_t routes{};
    std::optional<std::uint32_t> id;  // of the object
    std::size_t by_id{};              // of the routes, those that named it so in this connection
    bool given_with_route{};          // in this connection
    std::optional<Content> content;   // nothing: unknown
    PathsId paths{kNoPaths};
  };

  [[nodiscard]] std::optional<Content> content_of(const NextHopMessage& message) const;
  [[nodiscard]] Paths paths_of(const Content& content) const;
  void follow(std::uint32_t id);
  void follow_with_groups(std::uint32_t id);
  void forget_members(std::uint32_t id, const Object& object);
  void forget_member(std::uint32_t group, std::uint32_t member);
  void erase_if_unused(std::uint32_t id);
  void leave_to_stale(Object& object);
  [[nodiscard]] FpmWayId new_way();
  void set_content(FpmWayId way, std::optional<Content> content);
  [[nodiscard]] std::optional<FpmWayId> take_nameless(const Content& content);
  void erase_nameless(FpmWayId way);
  void free_if_unused(FpmWayId way);
  [[nodiscard]] Way& at(FpmWayId way) { return ways_[way.value]; }

  FibBuilder& builder_;
  std::unordered_map<std::uint32_t, Object> objects_;
  std::unordered_map<std::uint32_t, std::set<std::uint32_t>> groups_by_member_;
  std::vector<Way> ways_;
  std::vector<FpmWayId> free_;
  std::multimap<Content, FpmWayId> nameless_;  // ways of no object
  std::set<FpmWayId> turned_;
};

}  // namespace rackway::control
