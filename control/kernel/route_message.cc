// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/route_message.hh"

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace rackway::control {
namespace {

std::optional<KernelRouteType> route_type(unsigned type) {
  switch (type) {
    case RTN_UNICAST: return KernelRouteType::unicast;
    case RTN_LOCAL:
    case RTN_ANYCAST: return KernelRouteType::local;  // IPv6 subnet-router anycast: ours to answer
    case RTN_BROADCAST: return KernelRouteType::broadcast;
    case RTN_BLACKHOLE: return KernelRouteType::blackhole;
    case RTN_UNREACHABLE: return KernelRouteType::unreachable;
    case RTN_PROHIBIT: return KernelRouteType::prohibit;
    default: return std::nullopt;
  }
}

// Multicast is routed by other tables, and fe80::/10 is every link's own.
bool is_left_out(const IpPrefix& prefix) {
  const std::uint8_t* bytes = prefix.address.data();
  if (prefix.address.is_v4()) return prefix.length >= 4 && (bytes[0] & 0xf0) == 0xe0;
  if (prefix.length >= 8 && bytes[0] == 0xff) return true;
  return prefix.length >= 10 && prefix.address.is_link_local();
}

// FNV-1a over what the kernel compares of two IPv4 routes beyond their next hops.
void mix(std::uint32_t& hash, Bytes bytes) {
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint32_t>(b)) * 16777619u;
}

// RTA_VIA: a gateway of another family than the destination's (RFC 8950).
bool read_via(Bytes via, RouteHop& into) {
  std::uint16_t address_family{};
  if (via.size() < sizeof address_family) return false;
  std::memcpy(&address_family, via.data(), sizeof address_family);
  const auto family = family_of(address_family);
  if (!family) {
    into.usable = false;  // labels, which the nodes do not push
    return true;
  }
  return Attribute{RTA_VIA, via.subspan(sizeof address_family)}.read(into.hop.gateway, *family);
}

// What one attribute says of a next hop, be it the route's only one or of many.
bool read_hop(const Attribute& attribute, Family family, RouteHop& into) {
  switch (attribute.type) {
    case RTA_OIF: return attribute.read(into.hop.ifindex);
    case RTA_GATEWAY: return attribute.read(into.hop.gateway, family);
    case RTA_VIA: return read_via(attribute.payload, into);
    case RTA_ENCAP: into.usable = false; return true;
    default: return true;
  }
}

bool read_hops(Bytes bytes, Family family, std::vector<RouteHop>& hops) {
  while (!bytes.empty()) {
    const auto header = read_struct<rtnexthop>(bytes);
    if (!header || header->rtnh_len < sizeof(rtnexthop) || header->rtnh_len > bytes.size()) {
      return false;
    }
    RouteHop hop;
    hop.hop.ifindex = header->rtnh_ifindex;
    hop.hop.weight = static_cast<std::uint16_t>(header->rtnh_hops + 1);
    const Bytes attributes = bytes.first(header->rtnh_len).subspan(sizeof(rtnexthop));
    const bool sound = for_each_attribute(
        attributes, [&](const Attribute& attribute) { return read_hop(attribute, family, hop); });
    if (!sound) return false;
    if ((header->rtnh_flags & RTNH_F_DEAD) != 0 || hop.hop.ifindex <= 0) hop.usable = false;
    hops.push_back(hop);
    bytes = bytes.subspan(std::min<std::size_t>(MNL_ALIGN(header->rtnh_len), bytes.size()));
  }
  return true;
}

// The attributes of a route while they are read.
struct Reading {
  Family family;
  std::uint32_t table;
  std::optional<IpAddress> destination{};
  HeldRoute route{};
  RouteHop only{};

  bool read(const Attribute& attribute) {
    switch (attribute.type) {
      case RTA_DST: return attribute.read(destination, family);
      case RTA_TABLE: return attribute.read(table);
      case RTA_PRIORITY: return attribute.read(route.metric);
      case RTA_NH_ID: return attribute.read(route.nexthop_id);
      case RTA_MULTIPATH: return read_hops(attribute.payload, family, route.hops);
      case RTA_PREFSRC:
      case RTA_METRICS: mix(route.variant, attribute.payload); return true;
      default: return read_hop(attribute, family, only);
    }
  }
};

IpAddress any_address(Family family) {
  return family == Family::ipv4 ? IpAddress(Ipv4Address{}) : IpAddress(Ipv6Address{});
}

// In one of the two tables that every packet is looked up in, and there not for one type of service
// or one source only, nor a cached exception.
bool is_for_every_packet(const rtmsg& header, std::uint32_t table) {
  return (table == RT_TABLE_MAIN || table == RT_TABLE_LOCAL) && header.rtm_tos == 0 &&
         header.rtm_src_len == 0 && (header.rtm_flags & RTM_F_CLONED) == 0;
}

HeldRoute held_route(Reading reading, const rtmsg& header) {
  HeldRoute& route = reading.route;
  route.local_table = reading.table == RT_TABLE_LOCAL;
  route.type = route_type(header.rtm_type);
  route.protocol = header.rtm_protocol;
  route.variant = reading.family == Family::ipv4 ? route.variant ^ header.rtm_scope : 0;
  if (route.hops.empty() && reading.only.hop.ifindex > 0) {
    if ((header.rtm_flags & RTNH_F_DEAD) != 0) reading.only.usable = false;
    route.hops.push_back(reading.only);
  }
  return std::move(route);
}

}  // namespace

std::optional<Family> family_of(unsigned address_family) {
  if (address_family == AF_INET) return Family::ipv4;
  if (address_family == AF_INET6) return Family::ipv6;
  return std::nullopt;
}

std::optional<NetlinkMessage> parse_route(bool removed, std::uint16_t message_flags,
                                          Bytes payload) {
  const auto header = read_struct<rtmsg>(payload);
  if (!header) return std::nullopt;
  const auto family = family_of(header->rtm_family);
  if (!family) return NetlinkMessage{};
  Reading reading{*family, header->rtm_table};
  const bool sound =
      for_each_attribute(payload.subspan(sizeof(rtmsg)),
                         [&](const Attribute& attribute) { return reading.read(attribute); });
  if (!sound || header->rtm_dst_len > address_bits(*family)) return std::nullopt;
  if (header->rtm_dst_len > 0 && !reading.destination) return std::nullopt;
  const IpPrefix prefix =
      IpPrefix::covering(reading.destination.value_or(any_address(*family)), header->rtm_dst_len);
  if (!is_for_every_packet(*header, reading.table) || is_left_out(prefix)) {
    return NetlinkMessage{};
  }
  return RouteMessage{.removed = removed,
                      .replace = (message_flags & NLM_F_REPLACE) != 0,
                      // A dump is in the kernel's order.
                      .append = (message_flags & (NLM_F_APPEND | NLM_F_MULTI)) != 0,
                      .prefix = prefix,
                      .route = held_route(std::move(reading), *header)};
}

}  // namespace rackway::control
