// SPDX-License-Identifier: Apache-2.0
#include "control/fpm/fpm_source.hh"

#include <tuple>
#include <variant>

#include "control/kernel/route_protocol.hh"

namespace rackway::control {

void FpmSource::take(std::span<const std::byte> messages) {
  const bool whole = for_each_message(messages, [&](std::span<const std::byte> one) {
    ++counters_.messages;
    const auto message = parse_message(one);
    if (!message) {
      ++counters_.malformed;
    } else if (const auto* route = std::get_if<RouteMessage>(&*message)) {
      apply(*route);
    } else if (const auto* next_hop = std::get_if<NextHopMessage>(&*message)) {
      apply(*next_hop);
    } else {
      ++counters_.ignored;
    }
  });
  if (!whole) ++counters_.malformed;
}

void FpmSource::apply(const NextHopMessage& message) {
  if (message.removed) return next_hops_.remove(message.id);
  next_hops_.put(message);
}

// A route of the kernel's own in the place of one of zebra's ends that one; that it goes says
// nothing of what zebra has chosen since. A zebra that has just started withdraws what it finds in
// the kernel of the one before it: not what it has told, hence no word on what is stale.
void FpmSource::apply(const RouteMessage& message) {
  const bool is_ours = is_of_zebra(message.route.protocol) && !message.route.local_table;
  if (message.removed) {
    if (is_ours && !is_stale(message.prefix)) remove(message.prefix);
    return;
  }
  if (is_ours && message.route.type) return set(message);
  ++counters_.ignored;
  remove(message.prefix);
}

// The new way is there before the old one goes: they may be the same.
void FpmSource::set(const RouteMessage& message) {
  const auto& [prefix, told] = std::tie(message.prefix, message.route);
  if (!has_room(prefix)) {
    ++counters_.no_room;
    return;
  }
  const bool by_object = told.nexthop_id != 0 && *told.type == KernelRouteType::unicast;
  const auto way =
      by_object ? next_hops_.acquire(told.nexthop_id) : next_hops_.acquire(*told.type, told.hops);
  const auto [at, is_new] = routes_.try_emplace(prefix);
  Route& route = at->second;
  const auto before = route;
  route.way = way;
  route.origin = origin_of_protocol(told.protocol);
  confirm(route);
  put_into_rib(prefix, route);
  if (!is_new) release(before);
}

void FpmSource::remove(const IpPrefix& prefix) {
  const auto at = routes_.find(prefix);
  if (at == routes_.end()) return;
  Route route = at->second;
  const auto before = route;
  confirm(route);
  set_waits(route, false);
  builder_.rib().remove(prefix, RouteSource::fpm);
  routes_.erase(prefix);
  release(before);
}

void FpmSource::release(const Route& route) {
  using Told = FpmNextHops::Told;
  next_hops_.release(route.way, route.stale ? Told::before : Told::now);
}

bool FpmSource::is_stale(const IpPrefix& prefix) const {
  const auto at = routes_.find(prefix);
  return at != routes_.end() && at->second.stale;
}

void FpmSource::put_into_rib(const IpPrefix& prefix, Route& route) {
  const auto paths = next_hops_.paths(route.way);
  set_waits(route, !paths);
  if (paths) {
    builder_.rib().set(prefix, RouteSource::fpm, route.origin, *paths);
  } else {
    builder_.rib().remove(prefix, RouteSource::fpm);
  }
}

void FpmSource::confirm(Route& route) {
  if (!route.stale) return;
  route.stale = false;
  --stale_;
  ++confirmed_;
}

void FpmSource::set_waits(Route& route, bool waits) {
  if (route.waits == waits) return;
  route.waits = waits;
  waiting_ += waits ? 1 : -1;
}

bool FpmSource::has_room(const IpPrefix& prefix) const {
  if (routes_.contains(prefix)) return true;
  const auto& rib = builder_.rib();
  const auto family = prefix.address.family();
  return rib.prefixes(family) <
         (family == Family::ipv4 ? fib::kMaxIpv4Routes : fib::kMaxIpv6Routes);
}

// A look at every route, which only objects cost that come after their routes, or go before them.
void FpmSource::finish() {
  if (interfaces_version_ != builder_.interfaces_version()) {
    interfaces_version_ = builder_.interfaces_version();
    next_hops_.interfaces_changed();
  }
  const auto turned = next_hops_.take_turned();
  if (turned.empty()) return;
  for (auto& [prefix, route] : routes_) {
    if (turned.contains(route.way)) put_into_rib(prefix, route);
  }
}

// ---- connections

void FpmSource::mark_stale() {
  for (auto& [prefix, route] : routes_) route.stale = true;
  stale_ = routes_.size();
  next_hops_.forget_ids();
}

std::size_t FpmSource::sweep() {
  std::vector<IpPrefix> gone;
  for (const auto& [prefix, route] : routes_) {
    if (route.stale) gone.push_back(prefix);
  }
  const auto confirmed = confirmed_;
  for (const auto& prefix : gone) remove(prefix);
  confirmed_ = confirmed;
  return gone.size();
}

}  // namespace rackway::control
