// SPDX-License-Identifier: Apache-2.0
// Zebra's connection over a real socket of the loopback: frames in any pieces, connections that
// end, are replaced, or talk nonsense, and the sweep by a clock of the test's.
#include "control/fpm/fpm_feed.hh"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/startup_error.hh"
#include "base/unique_fd.hh"
#include "control/kernel/network_namespace.hh"
#include "tests/control/built_router.hh"
#include "tests/control/kernel_sandbox.hh"
#include "tests/control/quiet_log.hh"
#include "tests/control/zebra_frames.hh"

namespace rackway::control::testing {
namespace {

using namespace std::chrono_literals;

// Zebra's end.
class Zebra {
 public:
  explicit Zebra(std::uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  void say(const Octets& octets) {
    EXPECT_EQ(::send(fd_.get(), octets.data(), octets.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(octets.size()));
  }
  // Waits, not for long, for the other end to close it.
  [[nodiscard]] bool is_closed() const {
    pollfd waits{.fd = fd_.get(), .events = POLLIN};
    char octet{};
    return ::poll(&waits, 1, 5000) == 1 && ::recv(fd_.get(), &octet, 1, 0) <= 0;
  }

 private:
  UniqueFd fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

class FpmFeedTest : public ::testing::Test {
 protected:
  FpmFeedTest() {
    quiet_log();
    router_.kernel.connect(kPort00, "10.0.1.1", 24);
    router_.publish();
  }
  topo::ControllerConfig config() const {
    topo::ControllerConfig config;
    config.network_namespace = sandbox_.name();
    config.settle_ms = 20'000;
    config.settle_max_ms = 180'000;
    config.fpm = topo::FpmConfig{.port = 0};
    return config;
  }
  [[nodiscard]] std::unique_ptr<Zebra> connect() {
    std::unique_ptr<Zebra> zebra;
    inside_namespace(sandbox_.name(),
                     [&] { zebra = std::make_unique<Zebra>(feed_.server().port()); });
    turn();
    return zebra;
  }
  void turn(std::chrono::milliseconds passed = 0ms) {
    now_ += passed;
    pollfd waits{.fd = feed_.fd(), .events = POLLIN};
    (void)::poll(&waits, 1, passed == 0ms ? 5000 : 0);
    feed_.turn(now_);
  }
  static Octets table(const std::vector<std::string_view>& prefixes) {
    auto octets = frame_of(next_hop_message(2, ifindex_of(kPort00), "10.0.1.2"));
    for (const auto prefix : prefixes) append(octets, frame_of(route_message(false, prefix, 2)));
    return octets;
  }
  [[nodiscard]] std::vector<std::string> events() const {
    std::vector<std::string> all;
    for (const auto& entry : log_.entries()) all.push_back(entry.own);
    return all;
  }

  kernel_tests::Sandbox sandbox_;
  BuiltRouter router_;
  topo::ClusterDocument document_{.nodes = {{.name = "n1"}}};
  EventLog log_{document_};
  FpmFeed::Clock::time_point now_{1h};
  FpmFeed feed_{config(), *router_.builder, log_};
};

TEST_F(FpmFeedTest, RoutesComeAndAWithdrawnOneGoes) {
  auto zebra = connect();
  EXPECT_TRUE(feed_.server().is_connected());
  zebra->say(table({"198.51.100.0/24", "198.51.101.0/24"}));
  turn();
  EXPECT_EQ(feed_.source().routes(), 2u);
  EXPECT_EQ(router_.builder->rib().routes(RouteSource::fpm), 2u);
  zebra->say(frame_of(route_message(true, "198.51.100.0/24", 0)));
  turn();
  EXPECT_EQ(feed_.source().routes(), 1u);
  EXPECT_EQ(feed_.server().counters().frames, 4u);
  EXPECT_EQ(feed_.source().counters().messages, 4u);
}

TEST_F(FpmFeedTest, WhatIsNotNamedAgainGoesAfterTheTableWasQuiet) {
  auto zebra = connect();
  zebra->say(table({"198.51.100.0/24", "198.51.101.0/24"}));
  turn();
  zebra.reset();
  turn();
  EXPECT_FALSE(feed_.server().is_connected());
  EXPECT_EQ(feed_.source().stale(), 2u);
  turn(100s);
  EXPECT_EQ(feed_.source().routes(), 2u);
  zebra = connect();
  turn(100s);  // it has said nothing yet
  EXPECT_EQ(feed_.source().routes(), 2u);
  zebra->say(table({"198.51.101.0/24"}));
  turn();
  turn(19s);
  EXPECT_EQ(feed_.source().routes(), 2u);
  turn(1s);
  EXPECT_EQ(feed_.source().routes(), 1u);
  EXPECT_EQ(feed_.swept(), 1u);
  EXPECT_EQ(router_.builder->rib().routes(RouteSource::fpm), 1u);
  EXPECT_EQ(events(),
            (std::vector<std::string>{
                "zebra has connected its FPM",
                "zebra's FPM connection has ended (zebra has closed it): its 2 routes are kept",
                "zebra has connected its FPM", "swept 1 routes that zebra has not named again"}));
}

TEST_F(FpmFeedTest, OfAZebraThatStaysAwayAllGoes) {
  auto zebra = connect();
  zebra->say(table({"198.51.100.0/24"}));
  turn();
  zebra.reset();
  turn();
  turn(179s);
  EXPECT_EQ(feed_.source().routes(), 1u);
  turn(1s);
  EXPECT_EQ(feed_.source().routes(), 0u);
}

TEST_F(FpmFeedTest, ANewConnectionTakesThePlaceOfTheOld) {
  auto old = connect();
  old->say(table({"198.51.100.0/24"}));
  turn();
  const auto zebra = connect();
  EXPECT_TRUE(old->is_closed());
  EXPECT_EQ(feed_.source().stale(), 1u);
  zebra->say(table({"198.51.100.0/24"}));
  turn();
  EXPECT_EQ(feed_.source().stale(), 0u);
  EXPECT_EQ(feed_.server().counters().connections, 2u);
}

TEST_F(FpmFeedTest, NonsenseEndsTheConnectionAndIsCounted) {
  auto zebra = connect();
  auto octets = table({"198.51.100.0/24"});
  append(octets, from_hex("deadbeefdeadbeef"));
  zebra->say(octets);
  turn();
  EXPECT_TRUE(zebra->is_closed());
  EXPECT_FALSE(feed_.server().is_connected());
  EXPECT_EQ(feed_.server().counters().malformed, 1u);
  EXPECT_EQ(feed_.source().routes(), 1u);
  EXPECT_EQ(feed_.source().stale(), 1u);
  zebra = connect();
  EXPECT_TRUE(feed_.server().is_connected());
}

TEST_F(FpmFeedTest, APortThatIsTakenIsSaid) {
  auto taken = config();
  taken.fpm->port = feed_.server().port();
  EXPECT_THROW(FpmFeed(taken, *router_.builder, log_), StartupError);
}

}  // namespace
}  // namespace rackway::control::testing
