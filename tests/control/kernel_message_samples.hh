// SPDX-License-Identifier: Apache-2.0
// Netlink messages for tests of their parser, built attribute by attribute.
#pragma once

#include <gtest/gtest.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "control/kernel/netlink_messages.hh"
#include "control/kernel/netlink_request.hh"

namespace rackway::control::kernel_tests {

using Buffer = std::vector<std::byte>;

inline Buffer bytes_of(const NetlinkRequest& request) {
  const auto* start = reinterpret_cast<const std::byte*>(request.header());
  return {start, start + request.size()};
}

template <class Message>
Message parsed_as(const NetlinkRequest& request) {
  const auto message = parse_message(bytes_of(request));
  if (!message || !std::holds_alternative<Message>(*message)) {
    ADD_FAILURE() << "malformed or of no interest";
    return {};
  }
  return std::get<Message>(*message);
}

inline bool is_malformed(const NetlinkRequest& request) {
  return !parse_message(bytes_of(request));
}

inline bool is_of_no_interest(const NetlinkRequest& request) {
  const auto message = parse_message(bytes_of(request));
  return message && std::holds_alternative<std::monostate>(*message);
}

inline IpAddress addr(const std::string& text) {
  return IpAddress::parse(text).value();
}
inline IpPrefix prefix(const std::string& text) {
  return IpPrefix::parse(text).value();
}

inline rtmsg route_header(int family, int length, int type = RTN_UNICAST) {
  rtmsg header{};
  header.rtm_family = static_cast<unsigned char>(family);
  header.rtm_dst_len = static_cast<unsigned char>(length);
  header.rtm_table = RT_TABLE_MAIN;
  header.rtm_protocol = 11;
  header.rtm_type = static_cast<unsigned char>(type);
  return header;
}

// A request is not copied, so the builders fill in one that they are given.
struct BuiltRoute : NetlinkRequest {
  explicit BuiltRoute(const rtmsg& header = route_header(AF_INET, 8), std::uint16_t flags = 0,
                      std::uint16_t type = RTM_NEWROUTE)
      : NetlinkRequest(type, flags, header) {}
};

inline void put_plain_route(NetlinkRequest& request) {
  request.put(RTA_DST, addr("20.0.0.0"));
  request.put(RTA_OIF, 7u).put(RTA_GATEWAY, addr("10.0.0.2"));
}

inline rtnexthop* put_hop(NetlinkRequest& request, int ifindex, int hops, int flags) {
  rtnexthop header{};
  header.rtnh_len = sizeof header;
  header.rtnh_ifindex = ifindex;
  header.rtnh_hops = static_cast<unsigned char>(hops);
  header.rtnh_flags = static_cast<unsigned char>(flags);
  return request.append(header);
}

inline void put_gateway(NetlinkRequest& request, rtnexthop* hop, const IpAddress& gateway) {
  const std::size_t before = request.size();
  request.put(RTA_GATEWAY, gateway);
  hop->rtnh_len = static_cast<unsigned short>(hop->rtnh_len + request.size() - before);
}

inline void put_multipath_route(NetlinkRequest& request) {
  request.put(RTA_DST, addr("fd20::")).put(RTA_PRIORITY, 1024u).put(RTA_NH_ID, 60u);
  nlattr* nest = request.begin_nest(RTA_MULTIPATH);
  put_gateway(request, put_hop(request, 7, 0, 0), addr("fd00:1::2"));
  put_gateway(request, put_hop(request, 8, 255, RTNH_F_LINKDOWN), addr("fd00:2::2"));
  put_gateway(request, put_hop(request, 9, 1, RTNH_F_DEAD), addr("fd00:3::2"));
  request.end_nest(nest);
}

inline void put_link(NetlinkRequest& request) {
  request.put(IFLA_IFNAME, std::string("n1-p0"));
  request.put(IFLA_MTU, 1500u).put(IFLA_ADDRESS, "\x02\0\0\0\0\x01", 6);
  nlattr* nest = request.begin_nest(IFLA_LINKINFO);
  request.put(IFLA_INFO_KIND, std::string("tun"));
  request.end_nest(nest);
}

// A link of kind vlan upon the link 5.
inline void put_vlan(NetlinkRequest& request, std::uint16_t id, std::uint16_t protocol = 0x8100) {
  const std::uint8_t network_order[2] = {static_cast<std::uint8_t>(protocol >> 8),
                                         static_cast<std::uint8_t>(protocol & 0xff)};
  request.put(IFLA_IFNAME, std::string("n1-p0.x")).put(IFLA_MTU, 1500u).put(IFLA_LINK, 5u);
  nlattr* nest = request.begin_nest(IFLA_LINKINFO);
  request.put(IFLA_INFO_KIND, std::string("vlan"));
  nlattr* data = request.begin_nest(IFLA_INFO_DATA);
  request.put(IFLA_VLAN_PROTOCOL, network_order, sizeof network_order);
  request.put(IFLA_VLAN_ID, &id, sizeof id);
  request.end_nest(data);
  request.end_nest(nest);
}

inline ifinfomsg link_header(unsigned flags = IFF_UP | IFF_LOWER_UP) {
  ifinfomsg header{};
  header.ifi_index = 7;
  header.ifi_flags = flags;
  return header;
}

inline ndmsg neighbor_header(unsigned state) {
  ndmsg header{};
  header.ndm_family = AF_INET;
  header.ndm_ifindex = 7;
  header.ndm_state = static_cast<std::uint16_t>(state);
  return header;
}

inline void put_neighbor(NetlinkRequest& request) {
  request.put(NDA_DST, addr("10.0.0.2")).put(NDA_LLADDR, "\x02\0\0\0\0\x02", 6);
}

// One message of each kind with everything in it.
inline std::vector<Buffer> samples() {
  std::vector<Buffer> all;
  BuiltRoute plain, multipath(route_header(AF_INET6, 64));
  put_plain_route(plain);
  plain.put(RTA_PRIORITY, 20u).put(RTA_TABLE, 254u).put(RTA_PREFSRC, addr("10.0.0.1"));
  put_multipath_route(multipath);
  NetlinkRequest link(RTM_NEWLINK, 0, link_header());
  put_link(link);
  NetlinkRequest vlan(RTM_NEWLINK, 0, link_header());
  put_vlan(vlan, 100);
  ifaddrmsg address_header{};
  address_header.ifa_family = AF_INET6;
  address_header.ifa_index = 7;
  NetlinkRequest address(RTM_NEWADDR, 0, address_header);
  address.put(IFA_ADDRESS, addr("fd00::1")).put(IFA_FLAGS, 0u);
  NetlinkRequest neighbor(RTM_NEWNEIGH, 0, neighbor_header(NUD_REACHABLE));
  put_neighbor(neighbor);
  neighbor.put(NDA_FLAGS_EXT, 1u);
  const std::uint8_t group[16] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0xe7, 3, 0, 0};
  NetlinkRequest next_hop(RTM_NEWNEXTHOP, 0, nhmsg{});
  next_hop.put(NHA_ID, 10u).put(NHA_GROUP, group, sizeof group);
  for (const NetlinkRequest* request :
       {static_cast<NetlinkRequest*>(&plain), static_cast<NetlinkRequest*>(&multipath), &link,
        &vlan, &address, &neighbor, &next_hop}) {
    all.push_back(bytes_of(*request));
  }
  return all;
}

}  // namespace rackway::control::kernel_tests
