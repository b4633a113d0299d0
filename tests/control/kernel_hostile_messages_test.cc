// SPDX-License-Identifier: Apache-2.0
// No harm from cut, changed and random messages (to be run under the address sanitizer as well).
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "control/kernel/netlink_messages.hh"
#include "tests/control/kernel_message_samples.hh"

namespace rackway::control::kernel_tests {
namespace {

// What every value that comes out must keep, whatever went in.
void expect_sound(const std::optional<NetlinkMessage>& message) {
  if (!message) return;
  if (const auto* route = std::get_if<RouteMessage>(&*message)) {
    EXPECT_LE(route->prefix.length, address_bits(route->prefix.address.family()));
    for (const RouteHop& hop : route->route.hops) EXPECT_TRUE(hop.hop.ifindex > 0 || !hop.usable);
  }
  if (const auto* address = std::get_if<AddressMessage>(&*message)) {
    EXPECT_LE(address->address.length, address_bits(address->address.address.family()));
  }
  if (const auto* link = std::get_if<LinkMessage>(&*message)) {
    EXPECT_LT(link->link.name.size(), std::size_t{IFNAMSIZ});
  }
}

TEST(HostileMessages, EveryTruncation) {
  for (const Buffer& sample : samples()) {
    for (std::size_t size = 0; size < sample.size(); ++size) {
      Buffer cut(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(parse_message(cut));
      EXPECT_EQ(for_each_message(cut, [](auto) {}), size == 0);
      if (size < 16) continue;
      const auto length = static_cast<std::uint32_t>(size);  // and as if it had been meant so
      std::memcpy(cut.data(), &length, sizeof length);
      expect_sound(parse_message(cut));
    }
  }
}

TEST(HostileMessages, RandomMutations) {
  std::mt19937 random(1);
  for (const Buffer& sample : samples()) {
    for (int i = 0; i < 50000; ++i) {
      Buffer bytes = sample;
      const auto count = 1 + random() % 4;
      for (unsigned n = 0; n < count; ++n) {
        // Not the length, or nothing would be read.
        bytes[4 + random() % (bytes.size() - 4)] = static_cast<std::byte>(random());
      }
      expect_sound(parse_message(bytes));
    }
  }
}

TEST(HostileMessages, RandomBytes) {
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    Buffer bytes(16 + random() % 120);
    for (std::byte& b : bytes)
      b = static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 24);
    const auto length = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(bytes.data(), &length, sizeof length);
    bytes[4] = static_cast<std::byte>(16 + random() % 120);
    bytes[5] = {};
    expect_sound(parse_message(bytes));
    for_each_message(bytes, [](auto message) { expect_sound(parse_message(message)); });
  }
}

}  // namespace
}  // namespace rackway::control::kernel_tests
