// SPDX-License-Identifier: Apache-2.0
// Messages of links, addresses, neighbours and next-hop objects: exact values, what is of no
// interest, what is malformed; and datagrams of several.
#include "control/kernel/netlink_messages.hh"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/control/kernel_message_samples.hh"

namespace rackway::control::kernel_tests {
namespace {

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

std::optional<KernelVlan> vlan_of(std::uint16_t id, std::uint16_t protocol = 0x8100) {
  NetlinkRequest request(RTM_NEWLINK, 0, link_header());
  put_vlan(request, id, protocol);
  return parsed_as<LinkMessage>(request).link.vlan;
}

TEST(LinkMessage, VlanOfAnotherLink) {
  EXPECT_EQ(vlan_of(1), (KernelVlan{5, {1}}));
  EXPECT_EQ(vlan_of(4094), (KernelVlan{5, {4094}}));
}

TEST(LinkMessage, ServiceTagsPriorityTagsAndReservedOnesAreNoVlan) {
  EXPECT_EQ(vlan_of(100, 0x88a8), std::nullopt);
  EXPECT_EQ(vlan_of(0), std::nullopt);
  EXPECT_EQ(vlan_of(4095), std::nullopt);
}

TEST(LinkMessage, VlanOfALinkInAnotherNamespaceIsNone) {
  NetlinkRequest request(RTM_NEWLINK, 0, link_header());
  put_vlan(request, 100);
  request.put(IFLA_LINK_NETNSID, 0u);
  EXPECT_EQ(parsed_as<LinkMessage>(request).link.vlan, std::nullopt);
}

// A macvlan has such a parent, too, and data of its own whose attributes mean something else.
void put_link_of_kind(NetlinkRequest& request, const std::string& kind) {
  request.put(IFLA_IFNAME, std::string("x0")).put(IFLA_LINK, 5u);
  nlattr* nest = request.begin_nest(IFLA_LINKINFO);
  request.put(IFLA_INFO_KIND, kind);
  nlattr* data = request.begin_nest(IFLA_INFO_DATA);
  request.put(IFLA_VLAN_ID, 4u);  // of 32 bits
  request.end_nest(data);
  request.end_nest(nest);
}

TEST(LinkMessage, OtherKindsUponALinkAreNoVlan) {
  NetlinkRequest request(RTM_NEWLINK, 0, link_header());
  put_link_of_kind(request, "macvlan");
  EXPECT_EQ(parsed_as<LinkMessage>(request).link.vlan, std::nullopt);
}

TEST(LinkMessage, VlanWithANumberOfTheWrongSizeIsMalformed) {
  NetlinkRequest request(RTM_NEWLINK, 0, link_header());
  put_link_of_kind(request, "vlan");
  EXPECT_TRUE(is_malformed(request));
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
  for (const std::string& lladdr : {std::string(6, '\0'), std::string("\x01\0\x5e\0\0\x01", 6),
                                    std::string(5, '\2'), std::string(8, '\2'), std::string()}) {
    NetlinkRequest request(RTM_NEWNEIGH, 0, neighbor_header(NUD_REACHABLE));
    request.put(NDA_DST, addr("10.0.0.2")).put(NDA_LLADDR, lladdr.data(), lladdr.size());
    EXPECT_EQ(parsed_as<NeighborMessage>(request).mac, std::nullopt);
  }
}

TEST(NextHopMessage, OneNextHop) {
  NetlinkRequest request(RTM_NEWNEXTHOP, 0, nhmsg{.nh_family = AF_INET6});
  request.put(NHA_ID, 7u).put(NHA_OIF, 3u).put(NHA_GATEWAY, addr("fe80::1"));
  const NextHopMessage expected{.id = 7, .hop = {{3, addr("fe80::1"), 1}, true}};
  EXPECT_EQ(parsed_as<NextHopMessage>(request), expected);
  request.put(NHA_ENCAP, 0u);
  EXPECT_FALSE(parsed_as<NextHopMessage>(request).hop.usable);
  NetlinkRequest dead(RTM_NEWNEXTHOP, 0, nhmsg{.nh_flags = RTNH_F_DEAD});
  dead.put(NHA_ID, 7u);
  EXPECT_FALSE(parsed_as<NextHopMessage>(dead).hop.usable);
  NetlinkRequest blackhole(RTM_NEWNEXTHOP, 0, nhmsg{.nh_family = AF_INET});
  blackhole.put(NHA_ID, 8u).put(NHA_BLACKHOLE, nullptr, 0);
  EXPECT_TRUE(parsed_as<NextHopMessage>(blackhole).blackhole);
  // A gateway of the other family than the object says.
  NetlinkRequest mixed(RTM_NEWNEXTHOP, 0, nhmsg{.nh_family = AF_INET6});
  mixed.put(NHA_ID, 9u).put(NHA_GATEWAY, addr("10.0.0.1"));
  EXPECT_TRUE(is_malformed(mixed));
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

}  // namespace
}  // namespace rackway::control::kernel_tests
