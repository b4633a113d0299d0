// SPDX-License-Identifier: Apache-2.0
#include "control/table_file/path_attributes.hh"

#include <optional>

#include "base/wire.hh"

namespace rackway::table_file {
namespace {

constexpr std::uint8_t kExtendedLength = 0x10;  // of an attribute's flags: two octets of length
enum Attribute : std::uint8_t {
  kOrigin = 1,
  kAsPath = 2,
  kNextHop = 3,
  kLocalPreference = 5,
  kMpReach = 14,
};
enum Segment : std::uint8_t { kSet = 1, kSequence = 2, kConfedSequence = 3, kConfedSet = 4 };

// 4 or 16 octets, or 16 and as many link-local ones.
std::optional<IpAddress> address_in(std::string_view octets) {
  if (octets.size() == 32) octets = octets.substr(0, 16);
  return IpAddress::from_bytes(octets.data(), octets.size());
}

// The whole form begins with an AFI below 256, the short one with a length that is not 0.
std::optional<IpAddress> mp_next_hop(std::string_view value) {
  WireReader in(value);
  const bool is_whole = !value.empty() && value.front() == 0;
  if (is_whole) (void)in.bytes(3);  // AFI, SAFI
  const auto length = in.number<std::uint8_t>();
  const auto octets = in.bytes(length);
  if (!in.ok() || (!is_whole && !in.at_end())) return std::nullopt;
  return address_in(octets);
}

std::optional<std::uint32_t> as_path_length(std::string_view value, std::size_t as_octets) {
  WireReader in(value);
  std::uint32_t length = 0;
  while (!in.at_end()) {
    const auto segment = in.number<std::uint8_t>();
    const auto count = in.number<std::uint8_t>();
    (void)in.bytes(count * as_octets);
    if (!in.ok() || segment < kSet || segment > kConfedSet) return std::nullopt;
    if (segment == kSequence) length += count;
    if (segment == kSet && count > 0) ++length;
  }
  return length;
}

// The attributes while they are read.
struct Reading {
  Family family;
  std::size_t as_octets;
  PathAttributes result{};
  std::optional<IpAddress> classic{}, multiprotocol{};

  // False when it is broken.
  bool take(std::uint8_t type, std::string_view value) {
    WireReader in(value);
    switch (type) {
      case kOrigin: result.origin = in.number<std::uint8_t>(); break;
      case kLocalPreference: result.local_preference = in.number<std::uint32_t>(); break;
      case kAsPath: {
        const auto length = as_path_length(value, as_octets);
        result.as_path_length = length.value_or(0);
        return length.has_value();
      }
      case kNextHop: classic = address_in(value); return value.size() == 4 && classic;
      case kMpReach: multiprotocol = mp_next_hop(value); return multiprotocol.has_value();
      default: return true;
    }
    return in.ok() && in.at_end();
  }

  // IPv4 prefixes have the classic one, unless their next hop is of the other family (RFC 8950).
  [[nodiscard]] std::optional<IpAddress> next_hop() const {
    return family == Family::ipv4 && classic ? classic : multiprotocol;
  }
};

}  // namespace

bool is_usable_next_hop(const IpAddress& address) {
  const auto first = address.data()[0];
  if (address.is_unspecified() || address.is_link_local()) return false;
  if (address.is_v4()) return first != 127 && first < 224;
  return first != 0xff && address != IpAddress::parse("::1");
}

tl::expected<PathAttributes, Skip> read_path_attributes(std::string_view octets,
                                                        Family prefix_family,
                                                        std::size_t as_octets) {
  Reading reading{prefix_family, as_octets};
  WireReader in(octets);
  while (!in.at_end()) {
    const auto flags = in.number<std::uint8_t>();
    const auto type = in.number<std::uint8_t>();
    const std::size_t length =
        (flags & kExtendedLength) != 0 ? in.number<std::uint16_t>() : in.number<std::uint8_t>();
    const auto value = in.bytes(length);
    if (!in.ok() || !reading.take(type, value)) return tl::unexpected(Skip::broken_attributes);
  }
  const auto next_hop = reading.next_hop();
  if (!next_hop) return tl::unexpected(Skip::no_next_hop);
  if (!is_usable_next_hop(*next_hop)) return tl::unexpected(Skip::unusable_next_hop);
  reading.result.next_hop = *next_hop;
  return reading.result;
}

}  // namespace rackway::table_file
