// SPDX-License-Identifier: Apache-2.0
// The rules by which the kernel's route messages make up its table, message by message.
#include "control/kernel/route_table.hh"

#include <gtest/gtest.h>

namespace rackway::control::kernel_tests {
namespace {

using Applied = RouteTable::Applied;

IpAddress addr(const std::string& text) {
  return IpAddress::parse(text).value();
}
const IpPrefix kV4 = *IpPrefix::parse("20.0.0.0/8");
const IpPrefix kV6 = *IpPrefix::parse("fd20::/64");

RouteHop via(const std::string& gateway, bool usable = true) {
  return {{7, addr(gateway), 1}, usable};
}

struct Told {
  RouteMessage message;

  Told(const IpPrefix& prefix, std::vector<RouteHop> hops) {
    message.prefix = prefix;
    message.route.hops = std::move(hops);
  }
  Told& metric(std::uint32_t value) {
    message.route.metric = value;
    return *this;
  }
  Told& object(std::uint32_t id) {
    message.route.nexthop_id = id;
    return *this;
  }
  Told& local() {
    message.route.local_table = true;
    return *this;
  }
  Told& type(KernelRouteType value) {
    message.route.type = value;
    return *this;
  }
  Told& replace() {
    message.replace = true;
    return *this;
  }
  Told& append() {
    message.append = true;
    return *this;
  }
  Told& removed() {
    message.removed = true;
    return *this;
  }
};

class RouteTableTest : public testing::Test {
 protected:
  Applied tell(const Told& told) { return table_.apply(told.message); }
  // The gateways of the used route, "-" without one.
  std::string best(const IpPrefix& prefix) const {
    const auto route = table_.best(prefix);
    if (!route) return "-";
    std::string text;
    for (const KernelNextHop& hop : route->next_hops) {
      text += (text.empty() ? "" : " ") + (hop.gateway ? hop.gateway->to_string() : "direct");
    }
    return text;
  }
  RouteTable table_;
};

TEST_F(RouteTableTest, UnknownDeletionIsTold) {
  EXPECT_EQ(tell(Told(kV4, {via("10.0.0.2")}).removed()), Applied::unknown);
  tell(Told(kV4, {via("10.0.0.2")}));
  EXPECT_EQ(tell(Told(kV4, {via("10.0.0.3")}).removed()), Applied::unknown);
  EXPECT_EQ(tell(Told(kV4, {via("10.0.0.2")}).metric(5).removed()), Applied::unknown);
  EXPECT_EQ(best(kV4), "10.0.0.2");
  EXPECT_EQ(tell(Told(kV4, {via("10.0.0.2")}).removed()), Applied::sure);
  EXPECT_EQ(best(kV4), "-");
}

TEST_F(RouteTableTest, ToldTwiceIsThereOnce) {
  for (const IpPrefix& prefix : {kV4, kV6}) {
    const std::string gateway = prefix == kV4 ? "10.0.0.2" : "fd00::2";
    tell(Told(prefix, {via(gateway)}).append());
    tell(Told(prefix, {via(gateway)}).append());
    EXPECT_EQ(tell(Told(prefix, {via(gateway)}).removed()), Applied::sure);
    EXPECT_EQ(best(prefix), "-");
  }
}

TEST_F(RouteTableTest, Ipv4EqualsStandInOrder) {
  tell(Told(kV4, {via("10.0.0.2")}));
  tell(Told(kV4, {via("10.0.0.3")}).append());
  EXPECT_EQ(best(kV4), "10.0.0.2");
  tell(Told(kV4, {via("10.0.0.4")}));
  EXPECT_EQ(best(kV4), "10.0.0.4");
  EXPECT_EQ(tell(Told(kV4, {via("10.0.0.5")}).replace()), Applied::doubtful);
  EXPECT_EQ(best(kV4), "10.0.0.5");
  tell(Told(kV4, {via("10.0.0.5")}).removed());
  tell(Told(kV4, {via("10.0.0.2")}).removed());
  EXPECT_EQ(best(kV4), "10.0.0.3");
  EXPECT_EQ(tell(Told(kV4, {via("10.0.0.6")}).replace()), Applied::sure);
  EXPECT_EQ(best(kV4), "10.0.0.6");
}

TEST_F(RouteTableTest, Ipv6NextHopsJoin) {
  tell(Told(kV6, {via("fd00::2")}));
  tell(Told(kV6, {via("fd00::3"), via("fd00::2")}).append());
  EXPECT_EQ(best(kV6), "fd00::2 fd00::3");
  tell(Told(kV6, {via("fd00::2")}).removed());
  EXPECT_EQ(best(kV6), "fd00::3");
  EXPECT_EQ(tell(Told(kV6, {via("fd00::2"), via("fd00::3")}).removed()), Applied::unknown);
  tell(Told(kV6, {via("fd00::3")}).removed());
  EXPECT_EQ(best(kV6), "-");
}

TEST_F(RouteTableTest, Ipv6DirectRoutesAndObjectsDoNotJoin) {
  const RouteHop one{{7, std::nullopt, 1}, true}, two{{8, std::nullopt, 1}, true};
  tell(Told(kV6, {one}));
  tell(Told(kV6, {two}));
  tell(Told(kV6, {via("fd00::2")}));
  tell(Told(kV6, {via("fd00::9")}).object(60));
  EXPECT_EQ(best(kV6), "direct");
  tell(Told(kV6, {one}).removed());
  tell(Told(kV6, {two}).removed());
  EXPECT_EQ(best(kV6), "fd00::2");
  tell(Told(kV6, {via("fd00::2")}).removed());
  EXPECT_EQ(best(kV6), "fd00::9");
}

TEST_F(RouteTableTest, Ipv6ReplacementTakesItsLikeFirst) {
  const RouteHop direct{{7, std::nullopt, 1}, true};
  tell(Told(kV6, {direct}));
  tell(Told(kV6, {via("fd00::2")}));
  EXPECT_EQ(tell(Told(kV6, {via("fd00::3")}).replace()), Applied::doubtful);
  EXPECT_EQ(best(kV6), "direct");
  tell(Told(kV6, {via("fd00::3")}).removed());
  EXPECT_EQ(tell(Told(kV6, {via("fd00::4")}).replace()), Applied::sure);
  EXPECT_EQ(best(kV6), "fd00::4");
}

TEST_F(RouteTableTest, DeadRoutesGiveWay) {
  tell(Told(kV4, {via("10.0.0.2", false)}).metric(1));
  EXPECT_EQ(best(kV4), "-");
  tell(Told(kV4, {via("10.0.0.3", false), via("10.0.0.4")}).metric(2));
  EXPECT_EQ(best(kV4), "10.0.0.4");
  tell(Told(kV4, {}).metric(0));  // without next hops, so for nobody
  EXPECT_EQ(best(kV4), "10.0.0.4");
}

TEST_F(RouteTableTest, UnsupportedTypeHidesWhatStandsBehind) {
  tell(Told(kV4, {via("10.0.0.2")}).metric(5));
  Told unsupported(kV4, {});
  unsupported.message.route.type.reset();
  tell(unsupported);
  EXPECT_EQ(best(kV4), "-");
  tell(unsupported.removed());
  EXPECT_EQ(best(kV4), "10.0.0.2");
}

TEST_F(RouteTableTest, LocalBeforeMainWhateverTheMetric) {
  tell(Told(kV4, {via("10.0.0.2")}));
  tell(Told(kV4, {{{1, std::nullopt, 1}, true}}).local().metric(99).type(KernelRouteType::local));
  EXPECT_EQ(table_.best(kV4)->type, KernelRouteType::local);
  tell(Told(kV4, {via("10.0.0.2")}).removed());
  EXPECT_EQ(table_.best(kV4)->type, KernelRouteType::local);
}

TEST_F(RouteTableTest, RefusingRoutesHaveNoNextHops) {
  tell(Told(kV6, {{{1, std::nullopt, 1}, true}}).type(KernelRouteType::blackhole));
  EXPECT_TRUE(table_.best(kV6)->next_hops.empty());
}

TEST_F(RouteTableTest, CountsUsesOfObjects) {
  tell(Told(kV4, {via("10.0.0.2")}).object(5));
  tell(Told(kV4, {via("10.0.0.2")}).object(5).metric(7));
  EXPECT_TRUE(table_.uses_next_hop(5));
  tell(Told(kV4, {via("10.0.0.3")}).object(6).replace());
  EXPECT_TRUE(table_.uses_next_hop(5));
  EXPECT_TRUE(table_.uses_next_hop(6));
  tell(Told(kV4, {via("10.0.0.2")}).object(5).metric(7).removed());
  EXPECT_FALSE(table_.uses_next_hop(5));
  tell(Told(kV4, {via("10.0.0.4")}).replace());
  EXPECT_FALSE(table_.uses_next_hop(6));
  EXPECT_FALSE(table_.uses_next_hop(0));
}

}  // namespace
}  // namespace rackway::control::kernel_tests
