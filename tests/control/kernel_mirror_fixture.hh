// SPDX-License-Identifier: Apache-2.0
// A mirror of a namespace with two cables, and words for the routes over them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/kernel/kernel_mirror.hh"
#include "tests/control/kernel_sandbox.hh"

namespace rackway::control::kernel_tests {

inline constexpr std::uint8_t kProtocolKernel = 2, kProtocolBoot = 3;

// Two cables, a and b, with 10.0.1.1/24, fd00:1::1/64 and 10.0.2.1/24, fd00:2::1/64.
class KernelMirrorTest : public testing::Test {
 protected:
  KernelMirrorTest() {
    sandbox_.add_link("va");
    sandbox_.add_link("vb");
    sandbox_.ip("addr add 10.0.1.1/24 dev va");
    sandbox_.ip("addr add 10.0.2.1/24 dev vb");
    sandbox_.ip("addr add fd00:1::1/64 dev va nodad");
    sandbox_.ip("addr add fd00:2::1/64 dev vb nodad");
    mirror_.emplace(sandbox_.name());
    EXPECT_TRUE(eventually(*mirror_, [&] { return mirror_->addresses().size() == 10; }));
    a_ = ifindex_of(*mirror_, "va");
    b_ = ifindex_of(*mirror_, "vb");
    (void)mirror_->take_changes();
    resyncs_ = mirror_->counters().resyncs;
  }

  KernelRoute route(const std::string& text) const {
    const auto found = mirror_->routes().find(prefix(text));
    return found == mirror_->routes().end() ? KernelRoute{} : found->second;
  }
  bool has_route(const std::string& text) const { return mirror_->routes().contains(prefix(text)); }
  // Runs `ip` and takes in what the kernel tells of it.
  void ip(const std::string& arguments) {
    sandbox_.ip(arguments);
    catch_up(*mirror_);
  }
  KernelRoute unicast(std::vector<KernelNextHop> next_hops) const {
    std::sort(next_hops.begin(), next_hops.end());
    return {KernelRouteType::unicast, kProtocolBoot, std::move(next_hops)};
  }
  KernelNextHop via_a(const std::string& gateway, std::uint16_t weight = 1) const {
    return {a_, addr(gateway), weight};
  }
  KernelNextHop via_b(const std::string& gateway, std::uint16_t weight = 1) const {
    return {b_, addr(gateway), weight};
  }
  // Events alone were enough.
  void expect_no_resync() const { EXPECT_EQ(mirror_->counters().resyncs, resyncs_); }

  Sandbox sandbox_;
  std::optional<KernelMirror> mirror_;
  int a_{}, b_{};
  std::uint64_t resyncs_{};
};

}  // namespace rackway::control::kernel_tests
