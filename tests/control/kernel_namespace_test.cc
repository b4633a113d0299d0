// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <stdexcept>

#include "base/startup_error.hh"
#include "control/kernel/network_namespace.hh"
#include "tests/control/kernel_sandbox.hh"

namespace rackway::control::kernel_tests {
namespace {

ino_t current_namespace() {
  struct stat found {};
  EXPECT_EQ(::stat("/proc/thread-self/ns/net", &found), 0);
  return found.st_ino;
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const StartupError& error) {
    return error.what();
  }
  return "";
}

TEST(InsideNamespace, RunsThereAndReturns) {
  const Sandbox sandbox;
  const ino_t home = current_namespace();
  ino_t away = home;
  inside_namespace(sandbox.name(), [&] { away = current_namespace(); });
  EXPECT_NE(away, home);
  EXPECT_EQ(current_namespace(), home);
}

TEST(InsideNamespace, ReturnsWhenTheBodyThrows) {
  const Sandbox sandbox;
  const ino_t home = current_namespace();
  EXPECT_THROW(inside_namespace(sandbox.name(), [] { throw std::runtime_error("x"); }),
               std::runtime_error);
  EXPECT_EQ(current_namespace(), home);
}

TEST(InsideNamespace, Nests) {
  const Sandbox outer, inner;
  inside_namespace(outer.name(), [&] {
    const ino_t between = current_namespace();
    inside_namespace(inner.name(), [&] { EXPECT_NE(current_namespace(), between); });
    EXPECT_EQ(current_namespace(), between);
  });
}

TEST(InsideNamespace, MissingOneIsNamed) {
  bool entered = false;
  const std::string message =
      message_of([&] { inside_namespace("rwt-no-such", [&] { entered = true; }); });
  EXPECT_FALSE(entered);
  EXPECT_NE(message.find("/run/netns/rwt-no-such"), std::string::npos) << message;
  EXPECT_NE(message.find("ip netns add"), std::string::npos) << message;
}

TEST(InsideNamespace, NamesAreOnePathComponent) {
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("../../proc/self/ns/net"),
        std::string("a\0b", 3), std::string(256, 'x')}) {
    EXPECT_THROW(inside_namespace(name, [] {}), StartupError) << name;
    EXPECT_THROW(ensure_namespace(name), StartupError) << name;
  }
}

TEST(InsideNamespace, WhatIsNoNamespaceIsRefused) {
  const std::string name = "rwt-" + std::to_string(::getpid()) + "-file";
  std::ofstream("/run/netns/" + name) << "";
  EXPECT_NE(message_of([&] { inside_namespace(name, [] {}); }), "");
  ::unlink(("/run/netns/" + name).c_str());
}

std::string setting(const std::string& path) {
  std::string value;
  std::ifstream("/proc/sys/net/" + path) >> value;
  return value;
}

TEST(EnsureNamespace, MakesARouter) {
  const std::string name = "rwt-" + std::to_string(::getpid()) + "-new";
  EXPECT_TRUE(ensure_namespace(name));
  EXPECT_FALSE(ensure_namespace(name));
  inside_namespace(name, [] {
    EXPECT_EQ(setting("ipv4/ip_forward"), "1");
    EXPECT_EQ(setting("ipv6/conf/all/forwarding"), "1");
    EXPECT_EQ(setting("ipv6/conf/default/forwarding"), "1");
    EXPECT_EQ(setting("ipv6/conf/default/keep_addr_on_down"), "1");
  });
  EXPECT_TRUE(KernelMirror(name).links().at(1).up);
  EXPECT_EQ(std::system(("ip netns del " + name).c_str()), 0);
}

TEST(EnsureNamespace, LeavesAnExistingOneAsItIs) {
  const Sandbox sandbox;
  sandbox.run("sysctl -q -w net.ipv4.ip_forward=0");
  EXPECT_FALSE(ensure_namespace(sandbox.name()));
  inside_namespace(sandbox.name(), [] { EXPECT_EQ(setting("ipv4/ip_forward"), "0"); });
}

}  // namespace
}  // namespace rackway::control::kernel_tests
