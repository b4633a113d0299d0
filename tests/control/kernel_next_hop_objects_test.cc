// SPDX-License-Identifier: Apache-2.0
// Routes through next-hop objects (`ip nexthop`), as routing daemons install them: the object is
// changed or goes while routes refer to it.
#include <gtest/gtest.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "control/kernel/kernel_mirror.hh"
#include "control/kernel/netlink_request.hh"
#include "control/kernel/netlink_socket.hh"
#include "tests/control/kernel_sandbox.hh"

namespace rackway::control::kernel_tests {
namespace {

// Objects 1 and 2 are next hops on two links, 10 is both; 61, 62, 60 the same for IPv6.
class NextHopObjectsTest : public testing::Test {
 protected:
  NextHopObjectsTest() {
    sandbox_.add_link("va");
    sandbox_.add_link("vb");
    sandbox_.ip("addr add 10.0.1.1/24 dev va");
    sandbox_.ip("addr add 10.0.2.1/24 dev vb");
    sandbox_.ip("addr add fd00:1::1/64 dev va nodad");
    sandbox_.ip("addr add fd00:2::1/64 dev vb nodad");
    sandbox_.ip("nexthop add id 1 via 10.0.1.2 dev va");
    sandbox_.ip("nexthop add id 2 via 10.0.2.2 dev vb");
    sandbox_.ip("nexthop add id 10 group 1/2,3");
    sandbox_.ip("nexthop add id 61 via fd00:1::2 dev va");
    sandbox_.ip("nexthop add id 62 via fd00:2::2 dev vb");
    sandbox_.ip("nexthop add id 60 group 61/62,3");
    mirror_.emplace(sandbox_.name());
    EXPECT_TRUE(eventually(*mirror_, [&] { return mirror_->addresses().size() == 10; }));
    ip("route add 20.0.0.0/24 nhid 10");
    ip("route add 20.0.1.0/24 nhid 1");
    ip("-6 route add fd20::/64 nhid 60");
    ip("-6 route add fd21::/64 nhid 61");
    resyncs_ = mirror_->counters().resyncs;
  }
  void ip(const std::string& arguments) {
    sandbox_.ip(arguments);
    catch_up(*mirror_);
  }
  // "10.0.1.2*1 10.0.2.2*3", "-" when there is no route.
  std::string hops(const std::string& to) const {
    const auto found = mirror_->routes().find(prefix(to));
    if (found == mirror_->routes().end()) return "-";
    std::string text;
    for (const KernelNextHop& hop : found->second.next_hops) {
      text += (text.empty() ? "" : " ") + hop.gateway.value().to_string() + "*" +
              std::to_string(hop.weight);
    }
    return text;
  }

  Sandbox sandbox_;
  std::optional<KernelMirror> mirror_;
  std::uint64_t resyncs_{};
};

TEST_F(NextHopObjectsTest, RoutesAreExpanded) {
  EXPECT_EQ(hops("20.0.0.0/24"), "10.0.1.2*1 10.0.2.2*3");
  EXPECT_EQ(hops("20.0.1.0/24"), "10.0.1.2*1");
  EXPECT_EQ(hops("fd20::/64"), "fd00:1::2*1 fd00:2::2*3");
  EXPECT_EQ(hops("fd21::/64"), "fd00:1::2*1");
  EXPECT_TRUE(is_equal(*mirror_, KernelMirror(sandbox_.name())));
}

TEST_F(NextHopObjectsTest, ReplacedObjectChangesItsRoutes) {
  ip("nexthop replace id 1 via 10.0.1.3 dev va");
  ip("nexthop replace id 61 via fd00:1::3 dev va");
  EXPECT_EQ(hops("20.0.0.0/24"), "10.0.1.3*1 10.0.2.2*3");
  EXPECT_EQ(hops("20.0.1.0/24"), "10.0.1.3*1");
  EXPECT_EQ(hops("fd20::/64"), "fd00:1::3*1 fd00:2::2*3");
  EXPECT_EQ(hops("fd21::/64"), "fd00:1::3*1");
  EXPECT_EQ(mirror_->counters().resyncs, resyncs_);
}

TEST_F(NextHopObjectsTest, ReplacedGroupChangesItsRoutes) {
  ip("nexthop replace id 10 group 2");
  ip("nexthop replace id 60 group 62");
  EXPECT_EQ(hops("20.0.0.0/24"), "10.0.2.2*1");
  EXPECT_EQ(hops("fd20::/64"), "fd00:2::2*1");
  ip("nexthop replace id 10 group 1,4/2,5");
  ip("nexthop replace id 60 group 61,4/62,5");
  EXPECT_EQ(hops("20.0.0.0/24"), "10.0.1.2*4 10.0.2.2*5");
  EXPECT_EQ(hops("fd20::/64"), "fd00:1::2*4 fd00:2::2*5");
  EXPECT_TRUE(is_equal(*mirror_, KernelMirror(sandbox_.name())));
}

TEST_F(NextHopObjectsTest, DeletedMemberLeavesTheGroup) {
  ip("nexthop del id 1");
  ip("nexthop del id 61");
  EXPECT_EQ(hops("20.0.0.0/24"), "10.0.2.2*3");
  EXPECT_EQ(hops("20.0.1.0/24"), "-");
  EXPECT_EQ(hops("fd20::/64"), "fd00:2::2*3");
  EXPECT_EQ(hops("fd21::/64"), "-");
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(NextHopObjectsTest, DeletedGroupTakesItsRoutes) {
  ip("nexthop del id 10");
  ip("nexthop del id 60");
  EXPECT_EQ(hops("20.0.0.0/24"), "-");
  EXPECT_EQ(hops("fd20::/64"), "-");
  EXPECT_EQ(hops("20.0.1.0/24"), "10.0.1.2*1");
}

TEST_F(NextHopObjectsTest, DeletedUnusedObjectsCostNoResync) {
  ip("nexthop add id 3 via 10.0.1.9 dev va");
  ip("nexthop add id 11 group 3");
  ip("nexthop del id 11");
  ip("nexthop del id 3");
  ip("route del 20.0.0.0/24");
  ip("nexthop del id 10");
  EXPECT_EQ(mirror_->counters().resyncs, resyncs_);
}

TEST_F(NextHopObjectsTest, RouteMovesBetweenObjectAndPlainNextHop) {
  ip("-6 route replace fd21::/64 via fd00:2::9");
  ip("route replace 20.0.1.0/24 via 10.0.2.9");
  EXPECT_EQ(hops("fd21::/64"), "fd00:2::9*1");
  EXPECT_EQ(hops("20.0.1.0/24"), "10.0.2.9*1");
  ip("-6 route replace fd21::/64 nhid 60");
  ip("route replace 20.0.1.0/24 nhid 10");
  EXPECT_EQ(hops("fd21::/64"), "fd00:1::2*1 fd00:2::2*3");
  EXPECT_EQ(hops("20.0.1.0/24"), "10.0.1.2*1 10.0.2.2*3");
  EXPECT_TRUE(is_equal(*mirror_, KernelMirror(sandbox_.name())));
}

TEST_F(NextHopObjectsTest, LinkDownTakesObjectsAndRoutes) {
  ip("link set va down");
  EXPECT_EQ(hops("20.0.0.0/24"), "10.0.2.2*3");
  EXPECT_EQ(hops("20.0.1.0/24"), "-");
  EXPECT_TRUE(becomes_equal_to_fresh(*mirror_, sandbox_));
}

TEST_F(NextHopObjectsTest, BlackholeObject) {
  ip("nexthop add id 5 blackhole");
  ip("route add 20.0.2.0/24 nhid 5");
  EXPECT_EQ(mirror_->routes().at(prefix("20.0.2.0/24")).type, KernelRouteType::blackhole);
  EXPECT_TRUE(is_equal(*mirror_, KernelMirror(sandbox_.name())));
}

TEST_F(NextHopObjectsTest, AResilientGroupIsAGroup) {
  ip("nexthop add id 20 group 1,2/2 type resilient buckets 32");
  ip("route add 20.0.4.0/24 nhid 20");
  EXPECT_EQ(hops("20.0.4.0/24"), "10.0.1.2*2 10.0.2.2*1");
  ip("nexthop replace id 20 group 1/2,7 type resilient");
  EXPECT_EQ(hops("20.0.4.0/24"), "10.0.1.2*1 10.0.2.2*7");
  EXPECT_TRUE(is_equal(*mirror_, KernelMirror(sandbox_.name())));
}

// Objects 1001 and on, each another next hop.
class ManyNextHopsTest : public NextHopObjectsTest {
 protected:
  void add_group(std::uint32_t size) {
    std::string lines = "addr add 10.50.0.1/16 dev va\n";
    std::vector<std::uint8_t> group;
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t id = 1001 + i;
      lines += "nexthop add id " + std::to_string(id) + " via 10.50." +
               std::to_string(1 + i / 250) + "." + std::to_string(1 + i % 250) + " dev va\n";
      const auto octet = [](std::uint32_t value) { return static_cast<std::uint8_t>(value); };
      for (const auto value : {octet(id), octet(id >> 8), octet(0), octet(0), octet(i % 200)}) {
        group.push_back(value);
      }
      group.insert(group.end(), 3, 0);
    }
    sandbox_.batch(lines);
    NetlinkRequests requests(sandbox_.name());
    NetlinkRequest request(RTM_NEWNEXTHOP, NLM_F_CREATE | NLM_F_REPLACE, nhmsg{});
    request.put(NHA_ID, std::uint32_t{30}).put(NHA_GROUP, group.data(), group.size());
    const auto reply = requests.ask(request);
    ASSERT_TRUE(reply) << reply.error().reason;
    ip("route add 20.0.5.0/24 nhid 30");
  }
};

// As many as a group of the FIB can have, and more than that.
TEST_F(ManyNextHopsTest, AreAllReadWithTheirWeights) {
  add_group(600);
  const auto& route = mirror_->routes().at(prefix("20.0.5.0/24"));
  ASSERT_EQ(route.next_hops.size(), 600u);
  for (std::size_t i = 0; i < 600; ++i) {
    ASSERT_EQ(route.next_hops[i].weight, 1 + i % 200) << i;
  }
  EXPECT_TRUE(is_equal(*mirror_, KernelMirror(sandbox_.name())));
}

// Kernels from 6.12 take 16 bits in a group, where a route message still has 8.
TEST_F(NextHopObjectsTest, WeightOfSixteenBits) {
  const std::uint8_t group[16] = {1, 0, 0, 0, 0xe7, 0x03, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0};
  NetlinkRequests requests(sandbox_.name());
  NetlinkRequest request(RTM_NEWNEXTHOP, NLM_F_CREATE | NLM_F_REPLACE, nhmsg{});
  request.put(NHA_ID, std::uint32_t{10}).put(NHA_GROUP, group, sizeof group);
  if (!requests.ask(request)) GTEST_SKIP() << "this kernel has 8-bit weights";
  catch_up(*mirror_);
  EXPECT_EQ(hops("20.0.0.0/24"), "10.0.1.2*1000 10.0.2.2*2");
  EXPECT_EQ(KernelMirror(sandbox_.name()).routes(), mirror_->routes());
}

}  // namespace
}  // namespace rackway::control::kernel_tests
