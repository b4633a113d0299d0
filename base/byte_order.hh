// SPDX-License-Identifier: Apache-2.0
// Reads and writes big-endian (network byte order) integers at any alignment.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>

namespace rackway {

static_assert(std::endian::native == std::endian::little, "written for little-endian machines");

template <std::unsigned_integral T>
[[nodiscard]] constexpr T swap_bytes(T v) noexcept {
  if constexpr (sizeof(T) == 1) return v;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(v);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(v);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(v);
}

template <std::unsigned_integral T>
[[nodiscard]] T load_be(const void* at) noexcept {
  T v;
  std::memcpy(&v, at, sizeof v);
  return swap_bytes(v);
}

template <std::unsigned_integral T>
void store_be(void* at, T v) noexcept {
  v = swap_bytes(v);
  std::memcpy(at, &v, sizeof v);
}

}  // namespace rackway
