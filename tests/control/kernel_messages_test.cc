// SPDX-License-Identifier: Apache-2.0
// The parser of netlink messages: exact values of messages that are built here, and no harm from
// cut, changed and random ones (to be run under the address sanitizer as well).
#include "control/kernel/netlink_messages.hh"

#include <gtest/gtest.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cstring>
#include <random>

#include "control/kernel/netlink_request.hh"

namespace rackway::control {
namespace {

using Buffer = std::vector<std::byte>;

Buffer bytes_of(const NetlinkRequest& request) {
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

bool is_malformed(const NetlinkRequest& request) {
  return !parse_message(bytes_of(request));
}

bool is_of_no_interest(const NetlinkRequest& request) {
  const auto message = parse_message(bytes_of(request));
  return message && std::holds_alternative<std::monostate>(*message);
}

IpAddress addr(const std::string& text) {
  return IpAddress::parse(text).value();
}
IpPrefix prefix(const std::string& text) {
  return IpPrefix::parse(text).value();
}

rtmsg route_header(int family, int length, int type = RTN_UNICAST) {
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

void put_plain_route(NetlinkRequest& request) {
  request.put(RTA_DST, addr("20.0.0.0"));
  request.put(RTA_OIF, 7u).put(RTA_GATEWAY, addr("10.0.0.2"));
}

rtnexthop* put_hop(NetlinkRequest& request, int ifindex, int hops, int flags) {
  rtnexthop header{};
  header.rtnh_len = sizeof header;
  header.rtnh_ifindex = ifindex;
  header.rtnh_hops = static_cast<unsigned char>(hops);
  header.rtnh_flags = static_cast<unsigned char>(flags);
  return request.append(header);
}

void put_gateway(NetlinkRequest& request, rtnexthop* hop, const IpAddress& gateway) {
  const std::size_t before = request.size();
  request.put(RTA_GATEWAY, gateway);
  hop->rtnh_len = static_cast<unsigned short>(hop->rtnh_len + request.size() - before);
}

void put_multipath_route(NetlinkRequest& request) {
  request.put(RTA_DST, addr("fd20::")).put(RTA_PRIORITY, 1024u).put(RTA_NH_ID, 60u);
  nlattr* nest = request.begin_nest(RTA_MULTIPATH);
  put_gateway(request, put_hop(request, 7, 0, 0), addr("fd00:1::2"));
  put_gateway(request, put_hop(request, 8, 255, RTNH_F_LINKDOWN), addr("fd00:2::2"));
  put_gateway(request, put_hop(request, 9, 1, RTNH_F_DEAD), addr("fd00:3::2"));
  request.end_nest(nest);
}

TEST(RouteMessage, PlainIpv4) {
  BuiltRoute request(route_header(AF_INET, 8), NLM_F_REPLACE);
  put_plain_route(request);
  request.put(RTA_PRIORITY, 20u);
  const auto message = parsed_as<RouteMessage>(request);
  EXPECT_FALSE(message.removed);
  EXPECT_TRUE(message.replace);
  EXPECT_FALSE(message.append);
  EXPECT_EQ(message.prefix, prefix("20.0.0.0/8"));
  EXPECT_FALSE(message.route.local_table);
  EXPECT_EQ(message.route.metric, 20u);
  EXPECT_EQ(message.route.type, KernelRouteType::unicast);
  EXPECT_EQ(message.route.protocol, 11);
  const std::vector<RouteHop> hops{{{7, addr("10.0.0.2"), 1}, true}};
  EXPECT_EQ(message.route.hops, hops);
}

TEST(RouteMessage, RemovedAndAppended) {
  BuiltRoute request(route_header(AF_INET, 8), NLM_F_APPEND, RTM_DELROUTE);
  put_plain_route(request);
  EXPECT_TRUE(parsed_as<RouteMessage>(request).removed);
  EXPECT_TRUE(parsed_as<RouteMessage>(request).append);
}

TEST(RouteMessage, Multipath) {
  BuiltRoute request(route_header(AF_INET6, 64));
  put_multipath_route(request);
  const auto message = parsed_as<RouteMessage>(request);
  EXPECT_EQ(message.prefix, prefix("fd20::/64"));
  EXPECT_EQ(message.route.metric, 1024u);
  EXPECT_EQ(message.route.nexthop_id, 60u);
  const std::vector<RouteHop> hops{{{7, addr("fd00:1::2"), 1}, true},
                                   {{8, addr("fd00:2::2"), 256}, true},
                                   {{9, addr("fd00:3::2"), 2}, false}};
  EXPECT_EQ(message.route.hops, hops);
}

TEST(RouteMessage, DeadSingleHopAndEncapsulationAreUnusable) {
  rtmsg header = route_header(AF_INET, 8);
  header.rtm_flags = RTNH_F_DEAD;
  BuiltRoute dead(header);
  put_plain_route(dead);
  EXPECT_FALSE(parsed_as<RouteMessage>(dead).route.hops.at(0).usable);
  BuiltRoute labelled;
  put_plain_route(labelled);
  labelled.put(RTA_ENCAP, 0u);
  EXPECT_FALSE(parsed_as<RouteMessage>(labelled).route.hops.at(0).usable);
}

TEST(RouteMessage, ViaAnotherFamily) {
  struct {
    std::uint16_t family = AF_INET6;
    std::uint8_t address[16]{0xfe, 0x80};
  } via;
  BuiltRoute request;
  request.put(RTA_DST, addr("20.0.0.0")).put(RTA_OIF, 7u).put(RTA_VIA, &via, sizeof via);
  EXPECT_EQ(parsed_as<RouteMessage>(request).route.hops.at(0).hop.gateway, addr("fe80::"));
  via.family = AF_MPLS;
  BuiltRoute labelled;
  labelled.put(RTA_DST, addr("20.0.0.0")).put(RTA_OIF, 7u).put(RTA_VIA, &via, sizeof via);
  EXPECT_FALSE(parsed_as<RouteMessage>(labelled).route.hops.at(0).usable);
  via.family = AF_INET;  // of the wrong size now
  BuiltRoute wrong;
  wrong.put(RTA_DST, addr("20.0.0.0")).put(RTA_OIF, 7u).put(RTA_VIA, &via, sizeof via);
  EXPECT_TRUE(is_malformed(wrong));
  BuiltRoute tiny;
  tiny.put(RTA_DST, addr("20.0.0.0")).put(RTA_VIA, &via, 1);
  EXPECT_TRUE(is_malformed(tiny));
}

TEST(RouteMessage, DefaultRouteHasNoDestination) {
  BuiltRoute v4(route_header(AF_INET, 0)), v6(route_header(AF_INET6, 0));
  EXPECT_EQ(parsed_as<RouteMessage>(v4).prefix, prefix("0.0.0.0/0"));
  EXPECT_EQ(parsed_as<RouteMessage>(v6).prefix, prefix("::/0"));
}

TEST(RouteMessage, TableAttributeWinsOverHeader) {
  rtmsg header = route_header(AF_INET, 8);
  header.rtm_table = RT_TABLE_COMPAT;
  BuiltRoute local(header), other;
  put_plain_route(local);
  local.put(RTA_TABLE, std::uint32_t{RT_TABLE_LOCAL});
  EXPECT_TRUE(parsed_as<RouteMessage>(local).route.local_table);
  put_plain_route(other);
  other.put(RTA_TABLE, 1000u);
  EXPECT_TRUE(is_of_no_interest(other));
}

TEST(RouteMessage, OfNoInterest) {
  const auto ignores = [](const rtmsg& header, const std::string& destination) {
    BuiltRoute request(header);
    request.put(RTA_DST, addr(destination)).put(RTA_OIF, 7u);
    return is_of_no_interest(request);
  };
  rtmsg tos = route_header(AF_INET, 8), from = route_header(AF_INET6, 64), cached = tos;
  tos.rtm_tos = 0x10;
  from.rtm_src_len = 64;
  cached.rtm_flags = RTM_F_CLONED;
  EXPECT_TRUE(ignores(tos, "20.0.0.0"));
  EXPECT_TRUE(ignores(from, "fd00::"));
  EXPECT_TRUE(ignores(cached, "20.0.0.0"));
  EXPECT_TRUE(ignores(route_header(AF_INET, 8, RTN_THROW), "20.0.0.0"));
  EXPECT_TRUE(ignores(route_header(AF_INET, 8, RTN_MULTICAST), "20.0.0.0"));
  EXPECT_TRUE(ignores(route_header(AF_MPLS, 20), "20.0.0.0"));
  EXPECT_TRUE(ignores(route_header(AF_INET, 4), "224.0.0.0"));
  EXPECT_TRUE(ignores(route_header(AF_INET6, 8), "ff00::"));
  EXPECT_TRUE(ignores(route_header(AF_INET6, 10), "fe80::"));
  EXPECT_FALSE(ignores(route_header(AF_INET, 3), "224.0.0.0"));
  EXPECT_FALSE(ignores(route_header(AF_INET, 4), "240.0.0.0"));
  EXPECT_FALSE(ignores(route_header(AF_INET6, 9), "fe80::"));
  EXPECT_FALSE(ignores(route_header(AF_INET6, 10), "fec0::"));
}

TEST(RouteMessage, HostBitsAreCleared) {
  BuiltRoute request(route_header(AF_INET, 8));
  request.put(RTA_DST, addr("20.1.2.3"));
  EXPECT_EQ(parsed_as<RouteMessage>(request).prefix, prefix("20.0.0.0/8"));
}

TEST(RouteMessage, Malformed) {
  BuiltRoute long_prefix(route_header(AF_INET, 33));
  long_prefix.put(RTA_DST, addr("20.0.0.0"));
  EXPECT_TRUE(is_malformed(long_prefix));
  BuiltRoute no_destination(route_header(AF_INET, 8));
  EXPECT_TRUE(is_malformed(no_destination));
  BuiltRoute wrong_family(route_header(AF_INET, 8));
  wrong_family.put(RTA_DST, addr("fd00::"));
  EXPECT_TRUE(is_malformed(wrong_family));
  for (const int length : {0, 4, 7, 9, 200, 65535}) {  // a next hop has at least eight octets
    BuiltRoute request(route_header(AF_INET, 0));
    nlattr* nest = request.begin_nest(RTA_MULTIPATH);
    put_hop(request, 7, 0, 0)->rtnh_len = static_cast<unsigned short>(length);
    request.end_nest(nest);
    EXPECT_TRUE(is_malformed(request)) << length;
  }
  for (const std::uint16_t attribute : {RTA_OIF, RTA_PRIORITY, RTA_TABLE, RTA_NH_ID}) {
    for (const std::size_t size : {0, 1, 3, 5, 8}) {
      BuiltRoute request(route_header(AF_INET, 0));
      request.put(attribute, "\0\0\0\0\0\0\0\0", size);
      EXPECT_TRUE(is_malformed(request)) << attribute << " " << size;
    }
  }
}

void put_link(NetlinkRequest& request) {
  request.put(IFLA_IFNAME, std::string("n1-p0"));
  request.put(IFLA_MTU, 1500u).put(IFLA_ADDRESS, "\x02\0\0\0\0\x01", 6);
  nlattr* nest = request.begin_nest(IFLA_LINKINFO);
  request.put(IFLA_INFO_KIND, std::string("tun"));
  request.end_nest(nest);
}

ifinfomsg link_header(unsigned flags = IFF_UP | IFF_LOWER_UP) {
  ifinfomsg header{};
  header.ifi_index = 7;
  header.ifi_flags = flags;
  return header;
}

TEST(LinkMessage, Whole) {
  NetlinkRequest request(RTM_NEWLINK, 0, link_header());
  put_link(request);
  const LinkMessage expected{
      false,
      {7, "n1-p0", true, true, 1500, *MacAddress::parse("02:00:00:00:00:01")},
      IFF_UP | IFF_LOWER_UP,
      "tun"};
  EXPECT_EQ(parsed_as<LinkMessage>(request), expected);
}

TEST(LinkMessage, OtherFamiliesAreOfNoInterest) {
  ifinfomsg header = link_header();
  header.ifi_family = AF_BRIDGE;
  NetlinkRequest request(RTM_DELLINK, 0, header);
  put_link(request);
  EXPECT_TRUE(is_of_no_interest(request));
}

TEST(LinkMessage, AddressOfAnotherKindOfLinkIsNone) {
  NetlinkRequest request(RTM_NEWLINK, 0, link_header(0));
  request.put(IFLA_IFNAME, std::string("ib0")).put(IFLA_ADDRESS, "01234567890123456789", 20);
  EXPECT_EQ(parsed_as<LinkMessage>(request).link.mac, MacAddress{});
  EXPECT_FALSE(parsed_as<LinkMessage>(request).link.up);
}

TEST(LinkMessage, Malformed) {
  NetlinkRequest nameless(RTM_NEWLINK, 0, link_header());
  EXPECT_TRUE(is_malformed(nameless));
  NetlinkRequest unterminated(RTM_NEWLINK, 0, link_header());
  unterminated.put(IFLA_IFNAME, "abcd", 4);
  EXPECT_TRUE(is_malformed(unterminated));
  NetlinkRequest long_name(RTM_NEWLINK, 0, link_header());
  long_name.put(IFLA_IFNAME, std::string(16, 'x'));
  EXPECT_TRUE(is_malformed(long_name));
  ifinfomsg header = link_header();
  header.ifi_index = 0;
  NetlinkRequest indexless(RTM_NEWLINK, 0, header);
  put_link(indexless);
  EXPECT_TRUE(is_malformed(indexless));
}

TEST(AddressMessage, OwnAddressNotThePeers) {
  ifaddrmsg header{};
  header.ifa_family = AF_INET;
  header.ifa_prefixlen = 32;
  header.ifa_index = 7;
  NetlinkRequest request(RTM_DELADDR, 0, header);
  request.put(IFA_ADDRESS, addr("10.9.0.2")).put(IFA_LOCAL, addr("10.9.0.1"));
  const AddressMessage expected{true, {7, addr("10.9.0.1"), 32}, true};
  EXPECT_EQ(parsed_as<AddressMessage>(request), expected);
}

TEST(AddressMessage, DuplicateDetection) {
  const auto is_usable = [](std::uint32_t flags) {
    ifaddrmsg header{};
    header.ifa_family = AF_INET6;
    header.ifa_prefixlen = 64;
    header.ifa_index = 7;
    NetlinkRequest request(RTM_NEWADDR, 0, header);
    request.put(IFA_ADDRESS, addr("fd00::1")).put(IFA_FLAGS, flags);
    return parsed_as<AddressMessage>(request).usable;
  };
  EXPECT_TRUE(is_usable(IFA_F_PERMANENT));
  EXPECT_FALSE(is_usable(IFA_F_PERMANENT | IFA_F_TENTATIVE));
  EXPECT_TRUE(is_usable(IFA_F_TENTATIVE | IFA_F_OPTIMISTIC));
  EXPECT_FALSE(is_usable(IFA_F_TENTATIVE | IFA_F_OPTIMISTIC | IFA_F_DADFAILED));
}

TEST(AddressMessage, Malformed) {
  ifaddrmsg header{};
  header.ifa_family = AF_INET;
  header.ifa_prefixlen = 24;
  header.ifa_index = 7;
  NetlinkRequest empty(RTM_NEWADDR, 0, header);
  EXPECT_TRUE(is_malformed(empty));
  NetlinkRequest wrong(RTM_NEWADDR, 0, header);
  wrong.put(IFA_LOCAL, addr("fd00::1"));
  EXPECT_TRUE(is_malformed(wrong));
  header.ifa_prefixlen = 33;
  NetlinkRequest too_long(RTM_NEWADDR, 0, header);
  too_long.put(IFA_LOCAL, addr("10.0.0.1"));
  EXPECT_TRUE(is_malformed(too_long));
}

ndmsg neighbor_header(unsigned state) {
  ndmsg header{};
  header.ndm_family = AF_INET;
  header.ndm_ifindex = 7;
  header.ndm_state = static_cast<std::uint16_t>(state);
  return header;
}

void put_neighbor(NetlinkRequest& request) {
  request.put(NDA_DST, addr("10.0.0.2")).put(NDA_LLADDR, "\x02\0\0\0\0\x02", 6);
}

TEST(NeighborMessage, StatesThatCount) {
  for (unsigned state = 0; state < 512; state = state == 0 ? 1 : state * 2) {
    NetlinkRequest request(RTM_NEWNEIGH, 0, neighbor_header(state));
    put_neighbor(request);
    const auto message = parsed_as<NeighborMessage>(request);
    const KernelNeighborKey key{7, addr("10.0.0.2")};
    EXPECT_EQ(message.key, key);
    EXPECT_EQ(message.mac.has_value(),
              state != 0 && state != NUD_INCOMPLETE && state != NUD_FAILED && state < 256)
        << state;
    EXPECT_EQ(message.fixed, state == NUD_PERMANENT || state == NUD_NOARP) << state;
  }
}

TEST(NeighborMessage, RemovedHasNoMac) {
  NetlinkRequest request(RTM_DELNEIGH, 0, neighbor_header(NUD_PERMANENT));
  put_neighbor(request);
  const NeighborMessage expected{true, {7, addr("10.0.0.2")}, std::nullopt, false, false};
  EXPECT_EQ(parsed_as<NeighborMessage>(request), expected);
}

TEST(NeighborMessage, ManagedAndProxy) {
  NetlinkRequest managed(RTM_NEWNEIGH, 0, neighbor_header(NUD_REACHABLE));
  put_neighbor(managed);
  managed.put(NDA_FLAGS_EXT, std::uint32_t{NTF_EXT_MANAGED});
  EXPECT_TRUE(parsed_as<NeighborMessage>(managed).managed);
  ndmsg header = neighbor_header(NUD_PERMANENT);
  header.ndm_flags = NTF_PROXY;
  NetlinkRequest proxy(RTM_NEWNEIGH, 0, header);
  put_neighbor(proxy);
  EXPECT_TRUE(is_of_no_interest(proxy));
}

TEST(NeighborMessage, UnusableLinkLayerAddresses) {
  for (const std::string lladdr : {std::string(6, '\0'), std::string("\x01\0\x5e\0\0\x01", 6),
                                   std::string(5, '\2'), std::string(8, '\2'), std::string()}) {
    NetlinkRequest request(RTM_NEWNEIGH, 0, neighbor_header(NUD_REACHABLE));
    request.put(NDA_DST, addr("10.0.0.2")).put(NDA_LLADDR, lladdr.data(), lladdr.size());
    EXPECT_EQ(parsed_as<NeighborMessage>(request).mac, std::nullopt);
  }
}

TEST(NextHopMessage, Group) {
  const std::uint8_t group[16] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0xe7, 3, 0, 0};
  NetlinkRequest request(RTM_NEWNEXTHOP, 0, nhmsg{});
  request.put(NHA_ID, 10u).put(NHA_GROUP, group, sizeof group);
  const NextHopMessage expected{false, 10, {{1, 1}, {258, 1000}}};
  EXPECT_EQ(parsed_as<NextHopMessage>(request), expected);
  NetlinkRequest cut(RTM_NEWNEXTHOP, 0, nhmsg{});
  cut.put(NHA_ID, 10u).put(NHA_GROUP, group, 12);
  EXPECT_TRUE(is_malformed(cut));
  NetlinkRequest nameless(RTM_NEWNEXTHOP, 0, nhmsg{});
  EXPECT_TRUE(is_malformed(nameless));
}

TEST(NetlinkMessages, UnknownTypeAndUnknownAttribute) {
  NetlinkRequest unknown(RTM_NEWRULE, 0, rtmsg{});
  EXPECT_TRUE(is_of_no_interest(unknown));
  BuiltRoute request;
  put_plain_route(request);
  request.put(999, "xyz", 3);
  EXPECT_EQ(parsed_as<RouteMessage>(request).prefix, prefix("20.0.0.0/8"));
}

TEST(NetlinkMessages, LengthMustBeThatOfTheBytes) {
  BuiltRoute request;
  put_plain_route(request);
  Buffer bytes = bytes_of(request);
  bytes.push_back({});
  EXPECT_FALSE(parse_message(bytes));
  EXPECT_FALSE(parse_message({}));
}

TEST(NetlinkMessages, DatagramIsTakenApart) {
  BuiltRoute request;
  put_plain_route(request);
  const Buffer one = bytes_of(request);
  Buffer two = one;
  two.insert(two.end(), one.begin(), one.end());
  int count = 0;
  const auto visit = [&](std::span<const std::byte> message) {
    ++count;
    EXPECT_EQ(message.size(), one.size());
  };
  EXPECT_TRUE(for_each_message(two, visit));
  EXPECT_EQ(count, 2);
  for (std::size_t size = one.size() + 1; size < two.size(); ++size) {
    EXPECT_FALSE(for_each_message(std::span(two).first(size), [](auto) {})) << size;
  }
}

TEST(NetlinkMessages, LengthsInTheHeaderAreNotTrusted) {
  BuiltRoute request;
  put_plain_route(request);
  for (const std::uint32_t length : {0u, 1u, 15u, 0x7fffffffu, 0xfffffff0u, 0xffffffffu}) {
    Buffer bytes = bytes_of(request);
    std::memcpy(bytes.data(), &length, sizeof length);
    EXPECT_FALSE(for_each_message(bytes, [](auto) {})) << length;
    EXPECT_FALSE(parse_message(bytes)) << length;
  }
}

// One message of each kind with everything in it.
std::vector<Buffer> samples() {
  std::vector<Buffer> all;
  BuiltRoute plain, multipath(route_header(AF_INET6, 64));
  put_plain_route(plain);
  plain.put(RTA_PRIORITY, 20u).put(RTA_TABLE, 254u).put(RTA_PREFSRC, addr("10.0.0.1"));
  put_multipath_route(multipath);
  NetlinkRequest link(RTM_NEWLINK, 0, link_header());
  put_link(link);
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
        &address, &neighbor, &next_hop}) {
    all.push_back(bytes_of(*request));
  }
  return all;
}

// What every value that comes out must keep, whatever went in.
void expect_sound(const std::optional<NetlinkMessage>& message) {
  if (!message) return;
  if (const auto* route = std::get_if<RouteMessage>(&*message)) {
    EXPECT_LE(route->prefix.length, address_bits(route->prefix.address.family()));
    for (const RouteHop& hop : route->route.hops) EXPECT_TRUE(hop.hop.ifindex > 0 || !hop.usable);
  }
  if (const auto* address = std::get_if<AddressMessage>(&*message)) {
    EXPECT_LE(address->address.length, address_bits(address->address.address.family()));
  }
  if (const auto* link = std::get_if<LinkMessage>(&*message)) {
    EXPECT_LT(link->link.name.size(), std::size_t{IFNAMSIZ});
  }
}

TEST(HostileMessages, EveryTruncation) {
  for (const Buffer& sample : samples()) {
    for (std::size_t size = 0; size < sample.size(); ++size) {
      Buffer cut(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(parse_message(cut));
      EXPECT_EQ(for_each_message(cut, [](auto) {}), size == 0);
      if (size < 16) continue;
      const auto length = static_cast<std::uint32_t>(size);  // and as if it had been meant so
      std::memcpy(cut.data(), &length, sizeof length);
      expect_sound(parse_message(cut));
    }
  }
}

TEST(HostileMessages, RandomMutations) {
  std::mt19937 random(1);
  for (const Buffer& sample : samples()) {
    for (int i = 0; i < 50000; ++i) {
      Buffer bytes = sample;
      const auto count = 1 + random() % 4;
      for (unsigned n = 0; n < count; ++n) {
        // Not the length, or nothing would be read.
        bytes[4 + random() % (bytes.size() - 4)] = static_cast<std::byte>(random());
      }
      expect_sound(parse_message(bytes));
    }
  }
}

TEST(HostileMessages, RandomBytes) {
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    Buffer bytes(16 + random() % 120);
    for (std::byte& b : bytes)
      b = static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 24);
    const auto length = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(bytes.data(), &length, sizeof length);
    bytes[4] = static_cast<std::byte>(16 + random() % 120);
    bytes[5] = {};
    expect_sound(parse_message(bytes));
    for_each_message(bytes, [](auto message) { expect_sound(parse_message(message)); });
  }
}

}  // namespace
}  // namespace rackway::control
