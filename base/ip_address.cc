// SPDX-License-Identifier: Apache-2.0
#include "base/ip_address.hh"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace rackway {

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string terminated(text);
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1) return from_bytes(&bytes, 4);
  if (::inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return from_bytes(&bytes, 16);
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::from_bytes(const void* bytes, std::size_t size) {
  if (size != 4 && size != 16) return std::nullopt;
  IpAddress address;
  address.family_ = size == 4 ? Family::ipv4 : Family::ipv6;
  std::memcpy(address.bytes_.data(), bytes, size);
  return address;
}

bool IpAddress::is_unspecified() const {
  return std::all_of(bytes_.begin(), bytes_.end(), [](std::uint8_t b) { return b == 0; });
}

bool IpAddress::is_link_local() const {
  if (is_v4()) return bytes_[0] == 169 && bytes_[1] == 254;
  return bytes_[0] == 0xfe && (bytes_[1] & 0xc0) == 0x80;
}

std::string IpAddress::to_string() const {
  char text[INET6_ADDRSTRLEN];
  ::inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), text, sizeof text);
  return text;
}

std::optional<IpPrefix> IpPrefix::parse(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  const auto digits = text.substr(slash + 1);
  unsigned length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (length > static_cast<unsigned>(address_bits(address->family()))) return std::nullopt;
  const auto prefix = covering(*address, static_cast<std::uint8_t>(length));
  if (prefix.address != *address) return std::nullopt;
  return prefix;
}

IpPrefix IpPrefix::covering(IpAddress address, std::uint8_t length) {
  length = std::min(length, static_cast<std::uint8_t>(address_bits(address.family())));
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), address.data(), address.size());
  for (std::size_t i = 0; i < address.size(); ++i) {
    const int kept = std::clamp(static_cast<int>(length) - static_cast<int>(8 * i), 0, 8);
    bytes[i] &= static_cast<std::uint8_t>(0xff00 >> kept);
  }
  return {*IpAddress::from_bytes(bytes.data(), address.size()), length};
}

bool IpPrefix::covers(const IpAddress& other) const {
  return other.family() == address.family() && covering(other, length).address == address;
}

std::string IpPrefix::to_string() const {
  return address.to_string() + "/" + std::to_string(length);
}

}  // namespace rackway
