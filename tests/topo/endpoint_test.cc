// SPDX-License-Identifier: Apache-2.0
#include "topo/endpoint.hh"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace rackway::topo {
namespace {

TEST(Endpoint, TakesTcpAndIpc) {
  for (const char* good :
       {"tcp://10.0.0.1:1", "tcp://[::1]:65535", "tcp://controller.example_1-a:7600",
        "tcp://*:7600", "tcp://10.0.0.1:07600", "ipc:///x", "ipc:///run/rackway/api.sock"}) {
    EXPECT_EQ(endpoint_fault(good), std::nullopt) << good;
  }
}

TEST(Endpoint, SaysWhatIsWrong) {
  const std::string scheme = "it does not begin with tcp:// or ipc://";
  const std::string host = "its host is not a name or an address";
  const std::string port = "its port is not 1 to 65535";
  const std::string path = "its path is not that of a file from / on";
  const std::vector<std::pair<std::string, std::string>> faults{
      {"", scheme},
      {"10.0.0.1:7600", scheme},
      {"TCP://10.0.0.1:7600", scheme},
      {"inproc://x", scheme},
      {"tcp://", "it has no port"},
      {"tcp://10.0.0.1", "it has no port"},
      {"tcp://:7600", host},
      {"tcp://10.0.0.256:7600", host},
      {"tcp://10.0.0:7600", host},
      {"tcp://2001:db8::1:7600", host},
      {"tcp://[10.0.0.1]:7600", host},
      {"tcp://[::1:7600", host},
      {"tcp://[:7600", host},
      {"tcp://a b:7600", host},
      {"tcp://a/b:7600", host},
      {"tcp://" + std::string(254, 'a') + ":1", host},
      {"tcp://a:", port},
      {"tcp://a:0", port},
      {"tcp://a:65536", port},
      {"tcp://a:-1", port},
      {"tcp://a:+1", port},
      {"tcp://a:7600 ", port},
      {"tcp://a:0x10", port},
      {"tcp://a:*", port},
      {"ipc://", path},
      {"ipc:///", path},
      {"ipc://run/api.sock", path},
      {"ipc:///run/", path},
      {"ipc:///run/a b", "its path has a blank or a character that is not printable ASCII"},
      {"ipc:///" + std::string(107, 'a'), "its path has over 107 octets"},
  };
  for (const auto& [endpoint, fault] : faults) {
    EXPECT_EQ(endpoint_fault(endpoint), fault) << endpoint;
  }
  EXPECT_EQ(endpoint_fault("ipc:///" + std::string(106, 'a')), std::nullopt);
}

}  // namespace
}  // namespace rackway::topo
