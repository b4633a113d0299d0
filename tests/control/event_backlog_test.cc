// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/event_backlog.hh"

#include <gtest/gtest.h>
#include <linux/rtnetlink.h>
#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/startup_error.hh"
#include "control/kernel/netlink_messages.hh"
#include "tests/control/kernel_sandbox.hh"

namespace rackway::control::kernel_tests {
namespace {

using Received = EventBacklog::Received;

// A batch ends with a route of another table, which comes and goes.
const std::string kFence = "fence";

// Routes 20.0.0.0/32 and on, through the loopback, the changes of which a backlog is told.
class EventBacklogTest : public testing::Test {
 protected:
  void add_routes(int from, int to) const { batch("add", from, to); }
  void delete_routes(int from, int to) const { batch("del", from, to); }

  // The prefixes of the routes that wait, "-" before those that are deleted, "overrun" for one.
  static std::vector<std::string> waiting(EventBacklog& backlog) {
    std::vector<std::string> seen;
    std::span<const std::byte> datagram;
    for (;;) {
      switch (backlog.receive(datagram)) {
        case Received::nothing: return seen;
        case Received::overrun: seen.emplace_back("overrun"); break;
        case Received::datagram:
          for_each_message(datagram, [&](std::span<const std::byte> message) {
            const auto parsed = parse_message(message);
            ASSERT_TRUE(parsed);
            const auto* route = std::get_if<RouteMessage>(&*parsed);
            seen.push_back(route == nullptr
                               ? kFence
                               : (route->removed ? "-" : "") + route->prefix.to_string());
          });
      }
    }
  }
  static bool is_readable(const EventBacklog& backlog, int milliseconds) {
    pollfd waiting{backlog.fd(), POLLIN, 0};
    return ::poll(&waiting, 1, milliseconds) == 1;
  }

  Sandbox sandbox_;

 private:
  static std::string address(int number) {
    return "20.0." + std::to_string(number / 256) + "." + std::to_string(number % 256);
  }
  void batch(const std::string& word, int from, int to) const {
    std::string lines;
    for (int i = from; i < to; ++i) lines += "route " + word + " " + address(i) + " dev lo\n";
    sandbox_.batch(lines);
  }
};

constexpr std::initializer_list<int> kIpv4Routes = {RTNLGRP_IPV4_ROUTE};
constexpr std::uint32_t kKernelBuffer = 8u << 20;

TEST_F(EventBacklogTest, NothingWaits) {
  EventBacklog backlog(sandbox_.name(), kIpv4Routes, kKernelBuffer);
  EXPECT_TRUE(waiting(backlog).empty());
  EXPECT_FALSE(is_readable(backlog, 0));
  EXPECT_EQ(backlog.arrived(), 0u);
  EXPECT_EQ(backlog.taken(), 0u);
}

TEST_F(EventBacklogTest, IsToldInTheKernelsOrder) {
  EventBacklog backlog(sandbox_.name(), kIpv4Routes, kKernelBuffer);
  add_routes(0, 2);
  delete_routes(0, 1);
  const std::vector<std::string> told = {"20.0.0.0/32",  "20.0.0.1/32", kFence, kFence,
                                         "-20.0.0.0/32", kFence,        kFence};
  EXPECT_EQ(waiting(backlog), told);
  EXPECT_EQ(backlog.taken(), told.size());
  EXPECT_EQ(backlog.arrived(), told.size());
}

// By the thread inside: nobody has asked.
TEST_F(EventBacklogTest, IsReadableUntilAllIsTaken) {
  EventBacklog backlog(sandbox_.name(), kIpv4Routes, kKernelBuffer);
  add_routes(0, 1);
  EXPECT_TRUE(is_readable(backlog, 15'000));
  EXPECT_TRUE(is_readable(backlog, 0));
  EXPECT_EQ(waiting(backlog).size(), 3u);
  EXPECT_FALSE(is_readable(backlog, 0));
  add_routes(1, 2);
  EXPECT_TRUE(is_readable(backlog, 15'000));
}

TEST_F(EventBacklogTest, WhatIsDiscardedDoesNotComeBack) {
  EventBacklog backlog(sandbox_.name(), kIpv4Routes, kKernelBuffer);
  add_routes(0, 5);
  std::span<const std::byte> datagram;
  ASSERT_EQ(backlog.receive(datagram), Received::datagram);
  EXPECT_EQ(backlog.discard(), 0u);
  EXPECT_EQ(backlog.taken(), 7u);
  EXPECT_EQ(backlog.arrived(), 7u);
  add_routes(5, 6);
  EXPECT_EQ(waiting(backlog), (std::vector<std::string>{"20.0.0.5/32", kFence, kFence}));
}

// Several batches inside.
TEST_F(EventBacklogTest, ALongOneComesWholeAndInOrder) {
  constexpr int kRoutes = 20'000, kPiece = 2'000;
  EventBacklog backlog(sandbox_.name(), kIpv4Routes, kKernelBuffer);
  for (int from = 0; from < kRoutes; from += kPiece) {
    add_routes(from, from + kPiece);
    // Into the backlog; it is not asked for before the end.
    ASSERT_EQ(backlog.arrived(), static_cast<std::uint64_t>(from / kPiece + 1) * (kPiece + 2));
  }
  std::vector<std::string> seen = waiting(backlog);
  std::erase_if(seen, [](const auto& word) { return word == kFence; });
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(kRoutes));
  for (int i = 0; i < kRoutes; ++i) {
    ASSERT_EQ(seen[static_cast<std::size_t>(i)],
              "20.0." + std::to_string(i / 256) + "." + std::to_string(i % 256) + "/32");
  }
}

// One that is full soon, and so is the kernel's buffer behind it.
constexpr std::size_t kFewOctets = 10'000;
constexpr std::uint32_t kSmallKernelBuffer = 256u << 10;

// First what was in time, then that something is missing; and it goes on after it.
TEST_F(EventBacklogTest, AFullOneTellsOfTheOverrun) {
  EventBacklog backlog(sandbox_.name(), kIpv4Routes, kSmallKernelBuffer, kFewOctets);
  add_routes(0, 50);
  ASSERT_EQ(backlog.arrived(), 52u);
  add_routes(50, 3'000);
  const std::vector<std::string> seen = waiting(backlog);
  ASSERT_GT(seen.size(), 52u);
  ASSERT_LT(seen.size(), 3'000u);
  EXPECT_EQ(seen[0], "20.0.0.0/32");
  EXPECT_EQ(seen[49], "20.0.0.49/32");
  EXPECT_EQ(std::ranges::count(seen, "overrun"), 1);
  add_routes(3'000, 3'001);
  EXPECT_EQ(waiting(backlog), (std::vector<std::string>{"20.0.11.184/32", kFence, kFence}));
}

TEST_F(EventBacklogTest, DiscardingCountsOverruns) {
  EventBacklog backlog(sandbox_.name(), kIpv4Routes, kSmallKernelBuffer, kFewOctets);
  add_routes(0, 3'000);
  EXPECT_EQ(backlog.discard(), 1u);
  EXPECT_TRUE(waiting(backlog).empty());
}

TEST_F(EventBacklogTest, AFullOneCanBeGivenUp) {
  EventBacklog backlog(sandbox_.name(), kIpv4Routes, kSmallKernelBuffer, kFewOctets);
  add_routes(0, 3'000);
}

TEST_F(EventBacklogTest, AMissingNamespaceIsRefused) {
  EXPECT_THROW(EventBacklog("no-such-namespace", kIpv4Routes, kKernelBuffer), StartupError);
}

}  // namespace
}  // namespace rackway::control::kernel_tests
