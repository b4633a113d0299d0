// SPDX-License-Identifier: Apache-2.0
// The messages of rtnetlink that matter here, as values. Pure functions over bytes: no socket, no
// state, nothing read beyond the span, every length checked (an attribute of the wrong size makes
// the message malformed, unknown attributes are skipped). Formats: linux/rtnetlink.h, if_link.h,
// if_addr.h, neighbour.h, nexthop.h; rtnetlink(7).
// The bytes must be aligned to 4, as netlink itself aligns them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/ip_address.hh"
#include "base/mac_address.hh"
#include "control/kernel/kernel_mirror.hh"

namespace rackway::control {

struct LinkMessage {
  bool removed{};
  KernelLink link;
  std::uint32_t flags{};  // IFF_*
  std::string kind;       // as `ip -d link` shows it ("tun", "veth"), empty for hardware
  bool operator==(const LinkMessage&) const = default;
};

struct AddressMessage {
  bool removed{};
  KernelAddress address;
  // Not while duplicate address detection runs, nor when it failed (RFC 4862 5.4).
  bool usable{};
  bool operator==(const AddressMessage&) const = default;
};

struct NeighborMessage {
  bool removed{};
  KernelNeighborKey key;
  std::optional<MacAddress> mac;  // of a usable entry only
  bool fixed{};                   // permanent or without resolution: not ours to touch
  bool managed{};                 // the kernel keeps it resolved by itself
  bool operator==(const NeighborMessage&) const = default;
};

struct RouteHop {
  KernelNextHop hop;
  bool usable{true};  // not dead, no encapsulation
  bool operator==(const RouteHop&) const = default;
};

// A route as the kernel holds it: several of them may stand at one prefix.
struct HeldRoute {
  bool local_table{};  // else main
  std::uint32_t metric{};
  std::optional<KernelRouteType> type{KernelRouteType::unicast};  // none: one not supported here
  std::uint8_t protocol{};
  std::uint32_t nexthop_id{};  // of a next-hop object, 0: none
  std::uint32_t variant{};     // hash of what else tells IPv4 routes of one key apart
  std::vector<RouteHop> hops;
  bool operator==(const HeldRoute&) const = default;
};

struct RouteMessage {
  bool removed{};
  bool replace{};  // it took the place of another (NLM_F_REPLACE)
  bool append{};   // it stands behind those of its metric (NLM_F_APPEND, or a message of a dump)
  IpPrefix prefix;
  HeldRoute route;
  bool operator==(const RouteMessage&) const = default;
};

struct NextHopMember {
  std::uint32_t id{};
  std::uint16_t weight{1};
  bool operator==(const NextHopMember&) const = default;
};

// A next-hop object: a group with members, a blackhole, or one next hop.
struct NextHopMessage {
  bool removed{};
  std::uint32_t id{};
  std::vector<NextHopMember> members;
  bool blackhole{};
  RouteHop hop{};  // its weight is 1: that is the group's affair
  bool operator==(const NextHopMessage&) const = default;
};

// monostate: well-formed but of no interest (another table, another family, a cached route, ...).
using NetlinkMessage = std::variant<std::monostate, LinkMessage, AddressMessage, NeighborMessage,
                                    RouteMessage, NextHopMessage>;

// message is one netlink message with its header. nullopt: malformed.
[[nodiscard]] std::optional<NetlinkMessage> parse_message(std::span<const std::byte> message);

// Calls visit with each message of a datagram; false when the bytes end inside one.
bool for_each_message(std::span<const std::byte> datagram,
                      const std::function<void(std::span<const std::byte>)>& visit);

}  // namespace rackway::control
