// SPDX-License-Identifier: Apache-2.0
// An IP packet as it lies in the frame that brought it: in one segment or in several, with padding
// behind it or none. Its header has been checked (Ipv4Check, Ipv6Check): version, lengths, and that
// the first segment holds all of it. A view: the frame stays its owner's and is not changed.
#pragma once

#include <rte_ether.h>
#include <rte_mbuf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/byte_order.hh"
#include "base/ip_address.hh"

namespace rackway::node {

struct IpPacket {
  const rte_mbuf& frame;
  Family family;
  bool l2_group = false;  // the destination MAC was a group address when the frame came in
  std::uint16_t l2_size = RTE_ETHER_HDR_LEN;  // octets in front of it

  [[nodiscard]] const std::uint8_t* header() const noexcept {
    return rte_pktmbuf_mtod_offset(&frame, const std::uint8_t*, l2_size);
  }
  // Octets by its own header: padding is none of it.
  [[nodiscard]] std::size_t size() const noexcept {
    if (family == Family::ipv4) return load_be<std::uint16_t>(header() + 2);
    return std::size_t{40} + load_be<std::uint16_t>(header() + 4);
  }
  // `count` octets (not none) from `offset`, which it has: in place, or in `buffer` if segments
  // part them.
  [[nodiscard]] const std::uint8_t* octets(std::size_t offset, std::size_t count,
                                           std::uint8_t* buffer) const noexcept {
    return static_cast<const std::uint8_t*>(
        rte_pktmbuf_read(&frame, static_cast<std::uint32_t>(l2_size + offset),
                         static_cast<std::uint32_t>(count), buffer));
  }
  void copy(std::size_t offset, std::size_t count, std::uint8_t* to) const noexcept {
    if (count == 0) return;
    const std::uint8_t* from = octets(offset, count, to);
    if (from != to) std::memcpy(to, from, count);
  }
};

}  // namespace rackway::node
