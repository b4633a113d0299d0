// SPDX-License-Identifier: Apache-2.0
// The 802.1Q tag in a frame's octets: four of them between the MAC addresses and the EtherType.
// Taking one off moves the addresses up, putting one on moves them down; the rest of the frame
// stays where it is.
#pragma once

#include <rte_ether.h>
#include <rte_mbuf.h>

#include <cstdint>
#include <cstring>

#include "base/byte_order.hh"
#include "base/id.hh"
#include "node/burst.hh"

namespace rackway::node {

inline constexpr std::uint16_t kTagBytes = RTE_VLAN_HLEN;
inline constexpr std::size_t kMacBytes = 2 * RTE_ETHER_ADDR_LEN;

// Priority and drop eligibility are in the upper four bits of the tag's number.
[[nodiscard]] constexpr VlanId vlan_in(std::uint16_t tci) noexcept {
  return {static_cast<std::uint16_t>(tci & 0x0fff)};
}

// Of a slot whose frame has a tag in line.
inline void take_tag_off(Burst& burst, std::size_t i) noexcept {
  std::uint8_t* const octets = burst.octets[i];
  std::memmove(octets + kTagBytes, octets, kMacBytes);
  rte_pktmbuf_adj(burst.frames[i], kTagBytes);
  burst.octets[i] = octets + kTagBytes;
}

// False when there is no room in front of the frame.
[[nodiscard]] inline bool insert_tag(rte_mbuf& frame, std::uint16_t tci) noexcept {
  char* const front = rte_pktmbuf_prepend(&frame, kTagBytes);
  if (front == nullptr) return false;
  auto* const octets = reinterpret_cast<std::uint8_t*>(front);
  std::memmove(octets, octets + kTagBytes, kMacBytes);
  store_be<std::uint16_t>(octets + kMacBytes, RTE_ETHER_TYPE_VLAN);
  store_be<std::uint16_t>(octets + kMacBytes + 2, tci);
  return true;
}
[[nodiscard]] inline bool put_tag_on(Burst& burst, std::size_t i, std::uint16_t tci) noexcept {
  if (!insert_tag(*burst.frames[i], tci)) return false;
  burst.octets[i] -= kTagBytes;
  return true;
}

// Back out of the port that the frame came in by, in its VLAN.
inline void send_back(const Slot& slot, PortId port) noexcept {
  Burst& burst = slot.burst();
  const std::size_t i = slot.index();
  if (burst.vlan(i) != VlanId{} && !put_tag_on(burst, i, burst.tag[i])) {
    return slot.drop(DropReason::no_headroom);
  }
  slot.transmit(port.value);
}

}  // namespace rackway::node
