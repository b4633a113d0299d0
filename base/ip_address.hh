// SPDX-License-Identifier: Apache-2.0
// IPv4 and IPv6 addresses. The two families have types of their own where the family is known;
// IpAddress holds either, for the control plane and the wire.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/byte_order.hh"

namespace rackway {

enum class Family : std::uint8_t { ipv4 = 4, ipv6 = 6 };

[[nodiscard]] constexpr int address_bits(Family family) {
  return family == Family::ipv4 ? 32 : 128;
}

struct Ipv4Address {
  static constexpr int kBits = 32;
  std::uint32_t value{};  // host byte order: 10.0.0.1 is 0x0a000001
  constexpr auto operator<=>(const Ipv4Address&) const = default;
};

struct Ipv6Address {
  static constexpr int kBits = 128;
  std::array<std::uint8_t, 16> bytes{};  // network byte order
  constexpr auto operator<=>(const Ipv6Address&) const = default;
};

class IpAddress {
 public:
  constexpr IpAddress() = default;  // 0.0.0.0
  constexpr IpAddress(Ipv4Address a) : family_(Family::ipv4) {
    for (int i = 0; i < 4; ++i) bytes_[i] = static_cast<std::uint8_t>(a.value >> (24 - 8 * i));
  }
  constexpr IpAddress(Ipv6Address a) : family_(Family::ipv6), bytes_(a.bytes) {}

  [[nodiscard]] static std::optional<IpAddress> parse(std::string_view text);
  // size is 4 or 16, network byte order; anything else is nullopt.
  [[nodiscard]] static std::optional<IpAddress> from_bytes(const void* bytes, std::size_t size);

  [[nodiscard]] constexpr Family family() const { return family_; }
  [[nodiscard]] constexpr bool is_v4() const { return family_ == Family::ipv4; }
  [[nodiscard]] constexpr std::size_t size() const { return is_v4() ? 4 : 16; }
  [[nodiscard]] const std::uint8_t* data() const { return bytes_.data(); }  // network byte order
  [[nodiscard]] Ipv4Address v4() const { return {load_be<std::uint32_t>(bytes_.data())}; }
  [[nodiscard]] Ipv6Address v6() const { return {bytes_}; }
  // 0.0.0.0 or ::
  [[nodiscard]] bool is_unspecified() const;
  // 169.254.0.0/16 or fe80::/10
  [[nodiscard]] bool is_link_local() const;
  [[nodiscard]] std::string to_string() const;

  constexpr auto operator<=>(const IpAddress&) const = default;
  // As the default, which calls memcmp() for the octets; tables ask this of every prefix.
  constexpr bool operator==(const IpAddress& other) const {
    if (std::is_constant_evaluated()) return family_ == other.family_ && bytes_ == other.bytes_;
    std::uint64_t mine[2], others[2];
    std::memcpy(mine, bytes_.data(), sizeof mine);
    std::memcpy(others, other.bytes_.data(), sizeof others);
    return family_ == other.family_ && ((mine[0] ^ others[0]) | (mine[1] ^ others[1])) == 0;
  }

 private:
  Family family_ = Family::ipv4;
  std::array<std::uint8_t, 16> bytes_{};  // IPv4 uses the first four, the rest is zero
};

// An address and how many of its leading bits count. The bits behind them are zero.
struct IpPrefix {
  IpAddress address;
  std::uint8_t length{};  // 0..32 or 0..128

  constexpr auto operator<=>(const IpPrefix&) const = default;

  // "10.0.0.0/8"; host bits that are set make it invalid, as does a missing length.
  [[nodiscard]] static std::optional<IpPrefix> parse(std::string_view text);
  // The prefix of that length that covers the address: host bits are cleared; a
  // length over the family's is that of a host.
  [[nodiscard]] static IpPrefix covering(IpAddress address, std::uint8_t length);
  [[nodiscard]] static IpPrefix host(IpAddress address) {
    return {address, static_cast<std::uint8_t>(address_bits(address.family()))};
  }
  [[nodiscard]] bool covers(const IpAddress& address) const;
  [[nodiscard]] std::string to_string() const;
};

}  // namespace rackway

template <>
struct std::hash<rackway::IpAddress> {
  std::size_t operator()(const rackway::IpAddress& a) const noexcept {
    std::uint64_t high, low;
    std::memcpy(&high, a.data(), 8);
    std::memcpy(&low, a.data() + 8, 8);
    std::uint64_t mixed = (high ^ (low * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    return mixed ^ (mixed >> 32) ^ static_cast<std::uint64_t>(a.family());
  }
};

template <>
struct std::hash<rackway::IpPrefix> {
  std::size_t operator()(const rackway::IpPrefix& p) const noexcept {
    return std::hash<rackway::IpAddress>{}(p.address) * 131 + p.length;
  }
};
