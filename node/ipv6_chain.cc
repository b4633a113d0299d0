// SPDX-License-Identifier: Apache-2.0
#include "node/ipv6_chain.hh"

#include "base/byte_order.hh"

namespace rackway::node {
namespace {

constexpr std::uint8_t kHopByHop = 0, kFragment = 44, kAuthentication = 51;
constexpr std::size_t kSmallestHeader = 8;

std::size_t size_of_header(std::uint8_t protocol, const std::uint8_t* header) noexcept {
  if (protocol == kFragment) return kSmallestHeader;  // its second octet is reserved
  if (protocol == kAuthentication) return (std::size_t{header[1]} + 2) * 4;  // RFC 4302 2.2
  return (std::size_t{header[1]} + 1) * 8;
}

bool is_later_fragment(const std::uint8_t* header) noexcept {
  return (load_be<std::uint16_t>(header + 2) & 0xfff8) != 0;
}

}  // namespace

Ipv6Chain follow_extension_headers(const std::uint8_t* packet, std::size_t readable) noexcept {
  const std::size_t packet_end = kIpv6HeaderSize + load_be<std::uint16_t>(packet + 4);
  Ipv6Chain chain{.protocol = packet[6]};
  const auto stop = [&chain](ChainEnd why) {
    chain.end = why;
    return chain;
  };
  for (int followed = 0; is_extension_header(chain.protocol); ++followed) {
    if (chain.protocol == kHopByHop && followed > 0) return stop(ChainEnd::malformed);
    if (chain.offset + kSmallestHeader > packet_end) return stop(ChainEnd::malformed);
    if (followed == kMaxExtensionHeaders || chain.offset + kSmallestHeader > readable) {
      return stop(ChainEnd::out_of_reach);
    }
    const std::uint8_t* header = packet + chain.offset;
    const std::size_t size = size_of_header(chain.protocol, header);
    if (chain.offset + size > packet_end) return stop(ChainEnd::malformed);
    const bool fragment = chain.protocol == kFragment;
    chain.protocol = header[0];
    chain.offset += static_cast<std::uint32_t>(size);
    chain.fragment = chain.fragment || fragment;
    if (fragment && is_later_fragment(header)) return stop(ChainEnd::later_fragment);
  }
  return chain;
}

}  // namespace rackway::node
