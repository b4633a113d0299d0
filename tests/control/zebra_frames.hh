// SPDX-License-Identifier: Apache-2.0
// FPM frames as zebra of FRR 8.4.4 (Debian 12) sent them, on a router with 10.9.0.1/24 and
// 2001:db8:9::1/64 on the interface 3; and frames made of any messages.
#pragma once

#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "control/kernel/netlink_request.hh"

namespace rackway::control::testing {

using Octets = std::vector<std::byte>;

inline Octets from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Octets octets;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    octets.push_back(static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1])));
  }
  return octets;
}

inline void append(Octets& to, const Octets& more) {
  to.insert(to.end(), more.begin(), more.end());
}

inline Octets frame_of(const Octets& messages) {
  const auto size = messages.size() + 4;
  Octets frame{std::byte{1}, std::byte{1}, static_cast<std::byte>(size >> 8),
               static_cast<std::byte>(size & 0xff)};
  append(frame, messages);
  return frame;
}

// Octets of the stream, in order. 2001:db8:9::/64 and fe80::/64 are left out.
inline const std::vector<std::string_view> kZebraStarts{
    // Next hop 3: on interface 3. 10.9.0.0/24 by it, the kernel's own.
    "0101002c28000000680001050000000013de059102000b000000000008000100030000000800050003000000",
    "0101003834000000180001050000000013de059102180000fe02000100000000080001000a090000080006001400"
    "000008001e0003000000",
};
// 198.51.100.0/24 via 10.9.0.2, which is next hop 9.
inline constexpr std::string_view kZebraNextHop9 =
    "0101003430000000680001050000000013de059102000b00000000000800010009000000080006000a090002080005"
    "0003000000";
inline constexpr std::string_view kZebraRouteBy9 =
    "0101003834000000180001050000000013de059102180000fec400010000000008000100c633640008000600140000"
    "0008001e0009000000";
// It goes via 10.9.0.2 and 10.9.0.3: next hop 14, the group 13 of both, and one frame that deletes
// the route and adds it.
inline constexpr std::string_view kZebraNextHop14 =
    "0101003430000000680001050000000013de059102000b0000000000080001000e000000080006000a090003080005"
    "0003000000";
inline constexpr std::string_view kZebraGroup13 =
    "0101003834000000680001050000000013de059100000b0000000000080001000d0000001400020009000000000000"
    "000e00000000000000";
inline constexpr std::string_view kZebraReplacesBy13 =
    "010100642c000000190001040000000013de059102180000fec400000000000008000100c633640008000600140000"
    "0034000000180001050000000013de059102180000fec400010000000008000100c6336400080006001400000008"
    "001e000d000000";
// 203.0.113.0/24 is a blackhole, 203.0.114.0/24 unreachable; neither names its next hop.
inline constexpr std::string_view kZebraBlackhole =
    "010100302c000000180001050000000013de059102180000fec400060000000008000100cb00710008000600140000"
    "00";
inline constexpr std::string_view kZebraUnreachable =
    "010100302c000000180001050000000013de059102180000fec400070000000008000100cb00720008000600140000"
    "00";
// 2001:db8:78::/48 via fe80::1, which is next hop 31.
inline constexpr std::string_view kZebraNextHop31 =
    "010100403c000000680001050000000013de05910a000b0000000000080001001f00000014000600fe800000000000"
    "0000000000000000010800050003000000";
inline constexpr std::string_view kZebraRouteBy31 =
    "0101004440000000180001040000000013de05910a300000fec40001000000001400010020010db800780000000000"
    "0000000000080006001400000008001e001f000000";
// 198.51.100.0/24 is withdrawn.
inline constexpr std::string_view kZebraWithdraws =
    "010100302c000000190001040000000013de059102180000fec400000000000008000100c633640008000600140000"
    "00";
// Without next-hop objects: 198.51.101.0/24 via 10.9.0.2 and 10.9.0.3.
inline constexpr std::string_view kZebraMultipath =
    "0101005450000000180001050000000013de059102180000fec400010000000008000100c633650008000600140000"
    "00240009801000000003000000080005000a0900021000000003000000080005000a090003";

inline Octets octets_of(const NetlinkRequest& request) {
  const auto* start = reinterpret_cast<const std::byte*>(request.header());
  return {start, start + request.size()};
}

inline Octets next_hop_message(std::uint32_t id, int ifindex, std::string_view gateway) {
  NetlinkRequest request(RTM_NEWNEXTHOP, NLM_F_CREATE | NLM_F_REPLACE, nhmsg{.nh_family = AF_INET});
  request.put(NHA_ID, id)
      .put(NHA_GATEWAY, IpAddress::parse(gateway).value())
      .put(NHA_OIF, static_cast<std::uint32_t>(ifindex));
  return octets_of(request);
}

inline Octets group_message(std::uint32_t id, const std::vector<std::uint32_t>& members) {
  std::vector<nexthop_grp> group;
  for (const auto member : members) group.push_back({.id = member});
  NetlinkRequest request(RTM_NEWNEXTHOP, NLM_F_CREATE | NLM_F_REPLACE, nhmsg{});
  request.put(NHA_ID, id).put(NHA_GROUP, group.data(), group.size() * sizeof(nexthop_grp));
  return octets_of(request);
}

inline Octets removed_next_hop_message(std::uint32_t id) {
  NetlinkRequest request(RTM_DELNEXTHOP, 0, nhmsg{});
  request.put(NHA_ID, id);
  return octets_of(request);
}

// next_hop: id of an object; 0: none.
inline Octets route_message(bool removed, std::string_view to, std::uint32_t next_hop,
                            std::uint8_t protocol = 186) {
  const auto prefix = IpPrefix::parse(to).value();
  rtmsg header{};
  header.rtm_family = prefix.address.is_v4() ? AF_INET : AF_INET6;
  header.rtm_dst_len = prefix.length;
  header.rtm_table = RT_TABLE_MAIN;
  header.rtm_protocol = protocol;
  header.rtm_type = removed ? RTN_UNSPEC : RTN_UNICAST;
  NetlinkRequest request(removed ? RTM_DELROUTE : RTM_NEWROUTE, 0, header);
  request.put(RTA_DST, prefix.address);
  if (next_hop != 0) request.put(RTA_NH_ID, next_hop);
  return octets_of(request);
}

}  // namespace rackway::control::testing
