// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/static_routes.hh"

#include <gtest/gtest.h>

#include "tests/control/kernel_sandbox.hh"

namespace rackway::control::kernel_tests {
namespace {

using Type = topo::StaticRoute::Type;
using Lines = std::vector<std::string>;

topo::StaticRoute to(const std::string& text, const std::vector<std::string>& gateways) {
  topo::StaticRoute route{prefix(text), Type::unicast, {}};
  for (const std::string& gateway : gateways) route.via.push_back(addr(gateway));
  return route;
}

class StaticRoutesTest : public testing::Test {
 protected:
  StaticRoutesTest() {
    sandbox_.add_link("va");
    sandbox_.add_link("vb");
    sandbox_.ip("addr add 10.0.1.1/24 dev va");
    sandbox_.ip("addr add 10.0.2.1/24 dev vb");
    sandbox_.ip("addr add fd00:1::1/64 dev va");
    sandbox_.ip("addr add fd00:2::1/64 dev vb");
  }
  Lines install(const std::vector<topo::StaticRoute>& routes) const {
    return StaticRoutes(sandbox_.name(), routes).install();
  }
  // "10.0.1.2 10.0.2.2" of the route that the kernel uses; "-" without one.
  std::string present(const std::string& text) const {
    const KernelMirror mirror(sandbox_.name());
    const auto found = mirror.routes().find(prefix(text));
    if (found == mirror.routes().end()) return "-";
    EXPECT_EQ(found->second.protocol, kStaticRouteProtocol);
    std::set<IpAddress> gateways;
    for (const auto& hop : found->second.next_hops) gateways.insert(hop.gateway.value());
    std::string all;
    for (const IpAddress& gateway : gateways) all += (all.empty() ? "" : " ") + gateway.to_string();
    return all;
  }
  // The routes of our protocol as `ip` shows them.
  std::string ours() const {
    return sandbox_.output_of("-4 route show proto 82") +
           sandbox_.output_of("-6 route show proto 82");
  }
  Sandbox sandbox_;
};

TEST_F(StaticRoutesTest, AreInstalled) {
  const std::vector<topo::StaticRoute> routes{
      to("0.0.0.0/0", {"10.0.1.2"}), to("20.0.0.0/8", {"10.0.1.2", "10.0.2.2"}),
      to("::/0", {"fd00:1::2"}), to("fd20::/64", {"fd00:1::2", "fd00:2::2", "fd00:2::3"})};
  EXPECT_EQ(install(routes), Lines{});
  EXPECT_EQ(present("0.0.0.0/0"), "10.0.1.2");
  EXPECT_EQ(present("20.0.0.0/8"), "10.0.1.2 10.0.2.2");
  EXPECT_EQ(present("::/0"), "fd00:1::2");
  EXPECT_EQ(present("fd20::/64"), "fd00:1::2 fd00:2::2 fd00:2::3");
}

TEST_F(StaticRoutesTest, RefusingTypes) {
  const auto types = {std::pair{Type::blackhole, KernelRouteType::blackhole},
                      std::pair{Type::unreachable, KernelRouteType::unreachable},
                      std::pair{Type::prohibit, KernelRouteType::prohibit}};
  for (const auto& [type, kernel_type] : types) {
    for (const std::string text : {"20.0.0.0/8", "fd20::/64"}) {
      EXPECT_EQ(install({{prefix(text), type, {}}}), Lines{});
      EXPECT_EQ(KernelMirror(sandbox_.name()).routes().at(prefix(text)).type, kernel_type);
    }
  }
  EXPECT_EQ(install({to("fd20::/64", {"fd00:1::2"})}), Lines{});
  EXPECT_EQ(present("fd20::/64"), "fd00:1::2");
}

TEST_F(StaticRoutesTest, NothingToDoChangesNothing) {
  StaticRoutes routes(sandbox_.name(), {to("20.0.0.0/8", {"10.0.1.2", "10.0.2.2"}),
                                        to("fd20::/64", {"fd00:1::2", "fd00:2::2"}),
                                        {prefix("30.0.0.0/8"), Type::blackhole, {}},
                                        {prefix("fd30::/64"), Type::prohibit, {}}});
  EXPECT_EQ(routes.install(), Lines{});
  KernelMirror mirror(sandbox_.name());
  (void)mirror.take_changes();
  EXPECT_EQ(routes.install(), Lines{});
  catch_up(mirror);
  EXPECT_EQ(mirror.counters().events, 0u);
}

TEST_F(StaticRoutesTest, ChangedDocument) {
  EXPECT_EQ(install({to("20.0.0.0/8", {"10.0.1.2"}), to("fd20::/64", {"fd00:1::2"}),
                     to("21.0.0.0/8", {"10.0.1.2"})}),
            Lines{});
  EXPECT_EQ(install({to("20.0.0.0/8", {"10.0.2.2", "10.0.1.3"}),
                     to("fd20::/64", {"fd00:2::2", "fd00:2::3"})}),
            Lines{});
  EXPECT_EQ(present("20.0.0.0/8"), "10.0.1.3 10.0.2.2");
  EXPECT_EQ(present("fd20::/64"), "fd00:2::2 fd00:2::3");
  EXPECT_EQ(present("21.0.0.0/8"), "-");
  EXPECT_EQ(install({to("fd20::/64", {"fd00:2::3"})}), Lines{});
  EXPECT_EQ(present("20.0.0.0/8"), "-");
  EXPECT_EQ(present("fd20::/64"), "fd00:2::3");
  EXPECT_EQ(install({}), Lines{});
  EXPECT_EQ(ours(), "");
}

TEST_F(StaticRoutesTest, ReplacedWithoutAGap) {
  EXPECT_EQ(install({to("20.0.0.0/8", {"10.0.1.2"})}), Lines{});
  KernelMirror mirror(sandbox_.name());
  EXPECT_EQ(install({to("20.0.0.0/8", {"10.0.1.3", "10.0.1.4"})}), Lines{});
  catch_up(mirror);
  EXPECT_EQ(mirror.counters().events, 1u);
}

TEST_F(StaticRoutesTest, WaitsForAnAddress) {
  StaticRoutes routes(sandbox_.name(),
                      {to("20.0.0.0/8", {"10.0.3.2"}), to("fd20::/64", {"fd00:3::2"})});
  const Lines expected{"20.0.0.0/8: next hop 10.0.3.2 is on no connected subnet",
                       "fd20::/64: next hop fd00:3::2 is on no connected subnet"};
  EXPECT_EQ(routes.install(), expected);
  EXPECT_EQ(present("20.0.0.0/8"), "-");
  sandbox_.ip("addr add 10.0.3.1/24 dev va");
  sandbox_.ip("addr add fd00:3::1/64 dev va");
  EXPECT_EQ(routes.install(), Lines{});
  EXPECT_EQ(present("20.0.0.0/8"), "10.0.3.2");
  EXPECT_EQ(present("fd20::/64"), "fd00:3::2");
}

TEST_F(StaticRoutesTest, ADefaultRouteDoesNotMakeANextHopReachable) {
  const std::vector<topo::StaticRoute> routes{to("0.0.0.0/0", {"10.0.1.2"}),
                                              to("20.0.0.0/8", {"10.0.3.2"})};
  const Lines expected{"20.0.0.0/8: next hop 10.0.3.2 is on no connected subnet"};
  EXPECT_EQ(install(routes), expected);
  EXPECT_EQ(install(routes), expected);
}

TEST_F(StaticRoutesTest, OwnAddressIsNoNextHop) {
  EXPECT_EQ(install({to("20.0.0.0/8", {"10.0.1.1"})}).size(), 1u);
  EXPECT_EQ(install({to("fd20::/64", {"fd00:1::1"})}).size(), 1u);
  EXPECT_EQ(ours(), "");
}

TEST_F(StaticRoutesTest, ConnectedNextHopsServeWhileOthersWait) {
  StaticRoutes routes(sandbox_.name(), {to("20.0.0.0/8", {"10.0.1.2", "10.0.3.2"}),
                                        to("fd20::/64", {"fd00:3::2", "fd00:2::2"})});
  const Lines expected{"20.0.0.0/8: next hop 10.0.3.2 is on no connected subnet",
                       "fd20::/64: next hop fd00:3::2 is on no connected subnet"};
  EXPECT_EQ(routes.install(), expected);
  EXPECT_EQ(present("20.0.0.0/8"), "10.0.1.2");
  EXPECT_EQ(present("fd20::/64"), "fd00:2::2");
  sandbox_.ip("addr add 10.0.3.1/24 dev va");
  sandbox_.ip("addr add fd00:3::1/64 dev va");
  EXPECT_EQ(routes.install(), Lines{});
  EXPECT_EQ(present("20.0.0.0/8"), "10.0.1.2 10.0.3.2");
  EXPECT_EQ(present("fd20::/64"), "fd00:2::2 fd00:3::2");
}

TEST_F(StaticRoutesTest, LinkDownAndUp) {
  StaticRoutes routes(sandbox_.name(),
                      {to("20.0.0.0/8", {"10.0.1.2"}), to("21.0.0.0/8", {"10.0.1.2", "10.0.2.2"}),
                       to("fd21::/64", {"fd00:1::2", "fd00:2::2"})});
  EXPECT_EQ(routes.install(), Lines{});
  sandbox_.ip("link set va down");
  EXPECT_EQ(routes.install().size(), 3u);
  EXPECT_EQ(present("20.0.0.0/8"), "-");
  EXPECT_EQ(present("21.0.0.0/8"), "10.0.2.2");
  EXPECT_EQ(present("fd21::/64"), "fd00:2::2");
  sandbox_.ip("link set va up");
  sandbox_.ip("addr add fd00:1::1/64 dev va");
  EXPECT_EQ(routes.install(), Lines{});
  EXPECT_EQ(present("20.0.0.0/8"), "10.0.1.2");
  EXPECT_EQ(present("21.0.0.0/8"), "10.0.1.2 10.0.2.2");
  EXPECT_EQ(present("fd21::/64"), "fd00:1::2 fd00:2::2");
}

TEST_F(StaticRoutesTest, RouteRemovedByHandComesBack) {
  StaticRoutes routes(sandbox_.name(), {to("20.0.0.0/8", {"10.0.1.2"})});
  EXPECT_EQ(routes.install(), Lines{});
  sandbox_.ip("route del 20.0.0.0/8");
  EXPECT_EQ(routes.install(), Lines{});
  EXPECT_EQ(present("20.0.0.0/8"), "10.0.1.2");
}

TEST_F(StaticRoutesTest, RoutesOfOthersStay) {
  sandbox_.ip("route add 20.0.0.0/8 via 10.0.2.9");
  sandbox_.ip("route add 21.0.0.0/8 via 10.0.2.9 proto bgp metric 20");
  sandbox_.ip("route add 22.0.0.0/8 via 10.0.2.9 proto 82 table 7");
  const Lines expected{"20.0.0.0/8: another route of this prefix and metric is there"};
  EXPECT_EQ(install({to("20.0.0.0/8", {"10.0.1.2"}), to("21.0.0.0/8", {"10.0.1.2"})}), expected);
  EXPECT_EQ(present("21.0.0.0/8"), "10.0.1.2");
  EXPECT_EQ(install({}), Lines{});
  EXPECT_NE(sandbox_.output_of("route show 20.0.0.0/8").find("10.0.2.9"), std::string::npos);
  EXPECT_NE(sandbox_.output_of("route show 21.0.0.0/8").find("10.0.2.9"), std::string::npos);
  EXPECT_NE(sandbox_.output_of("route show table 7").find("10.0.2.9"), std::string::npos);
}

TEST_F(StaticRoutesTest, StandBeforeThoseOfRoutingDaemons) {
  for (const std::string text : {"20.0.0.0/8", "fd20::/64"}) {
    const bool v4 = text == "20.0.0.0/8";
    sandbox_.ip("route add " + text + (v4 ? " via 10.0.2.9" : " via fd00:2::9") +
                " proto bgp metric 20");
    EXPECT_EQ(install({to(text, {v4 ? "10.0.1.2" : "fd00:1::2"})}), Lines{});
    EXPECT_EQ(present(text), v4 ? "10.0.1.2" : "fd00:1::2");
  }
}

TEST_F(StaticRoutesTest, StraysOfOurProtocolGo) {
  sandbox_.ip("route add 20.0.0.0/8 via 10.0.1.2 proto 82 metric 77");
  sandbox_.ip("route add fd20::/64 via fd00:1::2 proto 82");
  sandbox_.ip("route add blackhole 30.0.0.0/8 proto 82");
  EXPECT_EQ(install({to("20.0.0.0/8", {"10.0.1.2"})}), Lines{});
  EXPECT_EQ(ours().find("metric 77"), std::string::npos) << ours();
  EXPECT_EQ(present("20.0.0.0/8"), "10.0.1.2");
  EXPECT_EQ(present("fd20::/64"), "-");
  EXPECT_EQ(present("30.0.0.0/8"), "-");
}

TEST_F(StaticRoutesTest, SixtyFourNextHops) {
  std::vector<std::string> v4, v6;
  for (int i = 0; i < 64; ++i) {
    v4.push_back("10.0.1." + std::to_string(10 + i));
    v6.push_back("fd00:1::" + std::to_string(10 + i));
  }
  EXPECT_EQ(install({to("20.0.0.0/8", v4), to("fd20::/64", v6)}), Lines{});
  const KernelMirror mirror(sandbox_.name());
  EXPECT_EQ(mirror.routes().at(prefix("20.0.0.0/8")).next_hops.size(), 64u);
  EXPECT_EQ(mirror.routes().at(prefix("fd20::/64")).next_hops.size(), 64u);
}

TEST_F(StaticRoutesTest, ManyRoutes) {
  std::vector<topo::StaticRoute> routes;
  for (int i = 0; i < 2000; ++i) {
    routes.push_back(to("20." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ".0/24",
                        {"10.0.1.2", "10.0.2.2"}));
  }
  EXPECT_EQ(install(routes), Lines{});
  EXPECT_EQ(present("20.7.200.0/24"), "10.0.1.2 10.0.2.2");
  EXPECT_EQ(install(routes), Lines{});
  EXPECT_EQ(install({}), Lines{});
  EXPECT_EQ(ours(), "");
}

TEST_F(StaticRoutesTest, MissingNamespaceIsToldNotThrown) {
  StaticRoutes routes("rwt-no-such", {to("20.0.0.0/8", {"10.0.1.2"})});
  EXPECT_EQ(routes.install().size(), 1u);
}

}  // namespace
}  // namespace rackway::control::kernel_tests
