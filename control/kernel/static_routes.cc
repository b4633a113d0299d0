// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/static_routes.hh"

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/startup_error.hh"
#include "control/kernel/kernel_mirror.hh"
#include "control/kernel/netlink_messages.hh"
#include "control/kernel/netlink_request.hh"
#include "control/kernel/netlink_socket.hh"

namespace rackway::control {
namespace {

using Gateways = std::set<IpAddress>;

int address_family(const IpAddress& address) {
  return address.is_v4() ? AF_INET : AF_INET6;
}

unsigned char kernel_type(topo::StaticRoute::Type type) {
  switch (type) {
    case topo::StaticRoute::Type::blackhole: return RTN_BLACKHOLE;
    case topo::StaticRoute::Type::unreachable: return RTN_UNREACHABLE;
    case topo::StaticRoute::Type::prohibit: return RTN_PROHIBIT;
    default: return RTN_UNICAST;
  }
}

KernelRouteType mirrored_type(topo::StaticRoute::Type type) {
  switch (type) {
    case topo::StaticRoute::Type::blackhole: return KernelRouteType::blackhole;
    case topo::StaticRoute::Type::unreachable: return KernelRouteType::unreachable;
    case topo::StaticRoute::Type::prohibit: return KernelRouteType::prohibit;
    default: return KernelRouteType::unicast;
  }
}

rtmsg header_of(const IpPrefix& prefix, unsigned char type) {
  rtmsg header{};
  header.rtm_family = static_cast<unsigned char>(address_family(prefix.address));
  header.rtm_dst_len = prefix.length;
  header.rtm_table = RT_TABLE_MAIN;
  header.rtm_protocol = kStaticRouteProtocol;
  header.rtm_scope = RT_SCOPE_UNIVERSE;
  header.rtm_type = type;
  return header;
}

// The kernel's default, 1024, would put IPv6 routes behind those of routing daemons (FRR's have
// 20).
std::uint32_t metric_of(const IpPrefix& prefix) {
  return prefix.address.is_v4() ? 0 : 1;
}

using Key = std::pair<IpPrefix, std::uint32_t>;  // with the metric

Key key_of(const topo::StaticRoute& route) {
  return {route.prefix, metric_of(route.prefix)};
}

// What the kernel holds of ours.
struct Present {
  std::optional<KernelRouteType> type;
  Gateways gateways;
};

// One install(), with a socket of its own: what is there, what is to be, and the way between.
class Installation {
 public:
  explicit Installation(const std::string& network_namespace) : requests_(network_namespace) {}

  NetlinkReply read_present() {
    return until_consistent([this] {
      present_.clear();
      return read_present(AF_INET).and_then([this] { return read_present(AF_INET6); });
    });
  }
  void remove_all_but(const std::vector<topo::StaticRoute>& wanted);
  void bring_about(const topo::StaticRoute& wanted);
  std::vector<std::string> take_complaints() { return std::move(complaints_); }

 private:
  NetlinkReply read_present(int family);
  void note_present(const RouteMessage& message);
  void remove(const Key& key);
  bool is_connected(const IpAddress& gateway);
  Gateways connected_gateways(const topo::StaticRoute& wanted);
  bool is_done(const topo::StaticRoute& wanted, const Gateways& connected) const;
  NetlinkReply put(const topo::StaticRoute& wanted, const Gateways& gateways);
  void complain(const IpPrefix& prefix, const std::string& reason) {
    complaints_.push_back(prefix.to_string() + ": " + reason);
  }

  NetlinkRequests requests_;
  std::map<Key, Present> present_;
  std::map<IpAddress, bool> connected_;
  std::vector<std::string> complaints_;
};

// The kernel looks through all its routes but sends only ours.
NetlinkReply Installation::read_present(int family) {
  rtmsg header{};
  header.rtm_family = static_cast<unsigned char>(family);
  header.rtm_protocol = kStaticRouteProtocol;
  NetlinkRequest request(RTM_GETROUTE, 0, header);
  return requests_.dump(request, [this](std::span<const std::byte> bytes) {
    const auto message = parse_message(bytes);
    if (message && std::holds_alternative<RouteMessage>(*message)) {
      note_present(std::get<RouteMessage>(*message));
    }
  });
}

void Installation::note_present(const RouteMessage& message) {
  if (message.route.protocol != kStaticRouteProtocol || message.route.local_table) return;
  Present& present = present_[{message.prefix, message.route.metric}];
  present.type = message.route.type;
  for (const RouteHop& hop : message.route.hops) {
    if (hop.hop.gateway) present.gateways.insert(*hop.hop.gateway);
  }
}

void Installation::remove_all_but(const std::vector<topo::StaticRoute>& wanted) {
  std::set<Key> kept;
  for (const topo::StaticRoute& route : wanted) kept.insert(key_of(route));
  for (const auto& [key, present] : present_) {
    if (!kept.contains(key)) remove(key);
  }
}

void Installation::remove(const Key& key) {
  rtmsg header = header_of(key.first, RTN_UNSPEC);
  header.rtm_scope = RT_SCOPE_NOWHERE;  // any
  NetlinkRequest request(RTM_DELROUTE, 0, header);
  request.put(RTA_DST, key.first.address).put(RTA_PRIORITY, key.second);
  const auto reply = requests_.ask(request);
  if (reply || reply.error().code == ESRCH) return;
  complain(key.first, "can not remove it: " + reply.error().reason);
}

// Whether the kernel would send to that address without a gateway, so that it can be one.
bool Installation::is_connected(const IpAddress& gateway) {
  const auto known = connected_.find(gateway);
  if (known != connected_.end()) return known->second;
  rtmsg header{};
  header.rtm_family = static_cast<unsigned char>(address_family(gateway));
  header.rtm_dst_len = static_cast<unsigned char>(address_bits(gateway.family()));
  header.rtm_flags = RTM_F_FIB_MATCH;  // the route itself, not what became of it in the cache
  NetlinkRequest request(RTM_GETROUTE, 0, header);
  request.put(RTA_DST, gateway);
  bool connected = false;
  const auto reply = requests_.ask(request, [&](std::span<const std::byte> bytes) {
    const auto message = parse_message(bytes);
    if (!message || !std::holds_alternative<RouteMessage>(*message)) return;
    const HeldRoute& route = std::get<RouteMessage>(*message).route;
    connected = route.type == KernelRouteType::unicast && !route.hops.empty() &&
                !route.hops.front().hop.gateway;
  });
  return connected_[gateway] = reply && connected;
}

Gateways Installation::connected_gateways(const topo::StaticRoute& wanted) {
  Gateways connected;
  for (const IpAddress& gateway : wanted.via) {
    if (is_connected(gateway)) {
      connected.insert(gateway);
    } else {
      complain(wanted.prefix, "next hop " + gateway.to_string() + " is on no connected subnet");
    }
  }
  return connected;
}

// A next hop that is there but dead may stay: the kernel revives it by itself.
bool Installation::is_done(const topo::StaticRoute& wanted, const Gateways& connected) const {
  const auto found = present_.find(key_of(wanted));
  if (found == present_.end()) return false;
  const auto& [type, gateways] = found->second;
  return type == mirrored_type(wanted.type) &&
         std::includes(gateways.begin(), gateways.end(), connected.begin(), connected.end()) &&
         std::all_of(gateways.begin(), gateways.end(), [&](const IpAddress& gateway) {
           return std::find(wanted.via.begin(), wanted.via.end(), gateway) != wanted.via.end();
         });
}

// A route of which only some next hops are connected is put with those: one port that is down must
// not take away the others.
void Installation::bring_about(const topo::StaticRoute& wanted) {
  const Gateways connected = connected_gateways(wanted);
  if (is_done(wanted, connected)) return;
  if (connected.empty() && wanted.type == topo::StaticRoute::Type::unicast) {
    if (present_.contains(key_of(wanted))) remove(key_of(wanted));  // with other next hops or type
    return;
  }
  const auto reply = put(wanted, connected);
  if (reply) return;
  complain(wanted.prefix, reply.error().code == EEXIST
                              ? "another route of this prefix and metric is there"
                              : reply.error().reason);
}

void put_next_hops(NetlinkRequest& request, const Gateways& gateways) {
  if (gateways.size() == 1) request.put(RTA_GATEWAY, *gateways.begin());
  if (gateways.size() <= 1) return;
  nlattr* multipath = request.begin_nest(RTA_MULTIPATH);
  for (const IpAddress& gateway : gateways) {
    const std::size_t before = request.size();
    rtnexthop* hop = request.append(rtnexthop{});
    request.put(RTA_GATEWAY, gateway);
    hop->rtnh_len = static_cast<unsigned short>(request.size() - before);
  }
  request.end_nest(multipath);
}

NetlinkReply Installation::put(const topo::StaticRoute& wanted, const Gateways& gateways) {
  // Replaced only where ours is: without that, a route of someone else would go.
  const bool is_present = present_.contains(key_of(wanted));
  NetlinkRequest request(
      RTM_NEWROUTE,
      static_cast<std::uint16_t>(NLM_F_CREATE | (is_present ? NLM_F_REPLACE : NLM_F_EXCL)),
      header_of(wanted.prefix, kernel_type(wanted.type)));
  request.put(RTA_DST, wanted.prefix.address).put(RTA_PRIORITY, metric_of(wanted.prefix));
  put_next_hops(request, gateways);
  return requests_.ask(request);
}

}  // namespace

StaticRoutes::StaticRoutes(std::string network_namespace, std::vector<topo::StaticRoute> routes)
    : network_namespace_(std::move(network_namespace)), routes_(std::move(routes)) {}

std::vector<std::string> StaticRoutes::install() {
  try {
    Installation installation(network_namespace_);
    if (const auto reply = installation.read_present(); !reply) {
      return {"static routes: can not read the present ones: " + reply.error().reason};
    }
    installation.remove_all_but(routes_);
    for (const topo::StaticRoute& route : routes_) installation.bring_about(route);
    return installation.take_complaints();
  } catch (const StartupError& error) {  // the namespace is gone
    return {std::string("static routes: ") + error.what()};
  }
}

}  // namespace rackway::control
