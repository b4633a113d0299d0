// SPDX-License-Identifier: Apache-2.0
#include "base/byte_order.hh"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace rackway {
namespace {

TEST(ByteOrder, SwapsEveryWidth) {
  EXPECT_EQ(swap_bytes(std::uint8_t{0x12}), 0x12);
  EXPECT_EQ(swap_bytes(std::uint16_t{0x1234}), 0x3412);
  EXPECT_EQ(swap_bytes(std::uint32_t{0x12345678}), 0x78563412u);
  EXPECT_EQ(swap_bytes(std::uint64_t{0x0123456789abcdef}), 0xefcdab8967452301u);
}

// The buffer has the value at an odd address, and bytes beside it that must stay as they are.
template <class T>
void expect_big_endian(T value, const std::array<std::uint8_t, 10>& expected) {
  std::array<std::uint8_t, 10> buffer;
  buffer.fill(0xee);
  store_be<T>(&buffer[1], value);
  EXPECT_EQ(buffer, expected);
  EXPECT_EQ(load_be<T>(&buffer[1]), value);
}

TEST(ByteOrder, StoresAndLoadsBigEndianAtAnyAlignment) {
  expect_big_endian<std::uint8_t>(0x12,
                                  {0xee, 0x12, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee});
  expect_big_endian<std::uint16_t>(0x1234,
                                   {0xee, 0x12, 0x34, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee});
  expect_big_endian<std::uint32_t>(0x12345678,
                                   {0xee, 0x12, 0x34, 0x56, 0x78, 0xee, 0xee, 0xee, 0xee, 0xee});
  expect_big_endian<std::uint64_t>(0x0123456789abcdef,
                                   {0xee, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xee});
}

}  // namespace
}  // namespace rackway
