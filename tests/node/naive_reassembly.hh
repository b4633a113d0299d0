// SPDX-License-Identifier: Apache-2.0
// Puts the fragments of an IPv4 packet together again, octet by octet into a map, and says what is
// wrong with them. Fragments of a fragment give that fragment. Shares nothing with the fragmenter.
// No gtest in here: the fuzzer uses it too.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/node/frames.hh"

namespace rackway::node::testing {

struct Fragment {
  Bytes l2, header, payload;
  std::size_t offset{};  // octets
  bool more{};
  bool reserved_flag{}, dont_fragment{};
};

inline void whole(bool holds, const char* what) {
  if (!holds) throw std::logic_error(std::string("fragments: ") + what);
}

inline Fragment read_fragment(const Bytes& frame, std::size_t l2_size = kEthernet) {
  const auto packet = std::span(frame).subspan(l2_size);
  const std::size_t header = (packet[0] & 15u) * 4;
  whole(packet[0] >> 4 == 4 && header >= 20, "version and header length");
  whole(get16(packet, 2) == packet.size() && header <= packet.size(), "total length");
  whole(internet_checksum(packet.first(header)) == 0, "checksum");
  const auto field = get16(packet, 6);
  return {.l2 = {frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(l2_size)},
          .header = {packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(header)},
          .payload = {packet.begin() + static_cast<std::ptrdiff_t>(header), packet.end()},
          .offset = (field & 0x1fffu) * 8,
          .more = (field & 0x2000) != 0,
          .reserved_flag = (field & 0x8000) != 0,
          .dont_fragment = (field & 0x4000) != 0};
}

// The packet (without what is in front of it, without padding) that was cut into these frames.
inline Bytes reassembled(const std::vector<Bytes>& frames, std::size_t l2_size = kEthernet) {
  std::map<std::size_t, std::uint8_t> octets;  // by offset in the whole
  std::size_t start = SIZE_MAX;
  Fragment first, last;
  for (const auto& frame : frames) {
    const auto fragment = read_fragment(frame, l2_size);
    for (std::size_t i = 0; i < fragment.payload.size(); ++i) {
      whole(octets.emplace(fragment.offset + i, fragment.payload[i]).second, "overlap");
    }
    if (fragment.offset < start) {
      first = fragment;
      start = fragment.offset;
    }
    if (last.header.empty() || fragment.offset >= last.offset) last = fragment;
  }
  whole(octets.empty() || octets.rbegin()->first - start + 1 == octets.size(), "a hole");
  Bytes packet = first.header;
  for (const auto& [at, octet] : octets) packet.push_back(octet);
  put16(packet, 2, packet.size());
  put16(packet, 6, start / 8 | (last.more ? 0x2000u : 0u) | (first.reserved_flag ? 0x8000u : 0u));
  put16(packet, 10, 0);
  put16(packet, 10, internet_checksum(std::span(packet).first(first.header.size())));
  return packet;
}

}  // namespace rackway::node::testing
