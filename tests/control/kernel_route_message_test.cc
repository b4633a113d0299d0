// SPDX-License-Identifier: Apache-2.0
// Route messages: exact values, what is of no interest, what is malformed.
#include "control/kernel/route_message.hh"

#include <gtest/gtest.h>

#include "tests/control/kernel_message_samples.hh"

namespace rackway::control::kernel_tests {
namespace {

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
  EXPECT_TRUE(ignores(route_header(AF_MPLS, 20), "20.0.0.0"));
  EXPECT_TRUE(ignores(route_header(AF_INET, 4), "224.0.0.0"));
  EXPECT_TRUE(ignores(route_header(AF_INET6, 8), "ff00::"));
  EXPECT_TRUE(ignores(route_header(AF_INET6, 10), "fe80::"));
  EXPECT_FALSE(ignores(route_header(AF_INET, 3), "224.0.0.0"));
  EXPECT_FALSE(ignores(route_header(AF_INET, 4), "240.0.0.0"));
  EXPECT_FALSE(ignores(route_header(AF_INET6, 9), "fe80::"));
  EXPECT_FALSE(ignores(route_header(AF_INET6, 10), "fec0::"));
}

// It may take the place of one that is supported, so it is not passed over.
TEST(RouteMessage, UnsupportedTypeIsTold) {
  for (const int type : {+RTN_THROW, +RTN_NAT, +RTN_MULTICAST, +RTN_UNSPEC, 77}) {
    BuiltRoute request(route_header(AF_INET, 8, type));
    put_plain_route(request);
    EXPECT_EQ(parsed_as<RouteMessage>(request).route.type, std::nullopt) << type;
  }
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

}  // namespace
}  // namespace rackway::control::kernel_tests
