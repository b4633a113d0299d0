// SPDX-License-Identifier: Apache-2.0
#include "node/stage/untag.hh"

#include "node/stage/own_address.hh"
#include "node/stage/tag.hh"

namespace rackway::node {
namespace {

constexpr std::uint64_t kDeviceFoundTag = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED |
                                          RTE_MBUF_F_RX_QINQ | RTE_MBUF_F_RX_QINQ_STRIPPED;

bool is_tag(std::uint16_t type) noexcept {
  return type == RTE_ETHER_TYPE_VLAN || type == RTE_ETHER_TYPE_QINQ;
}

// A tag as it came: in line, or already taken off by the device.
struct Tag {
  std::uint16_t number;     // priority and VLAN
  std::uint16_t next_type;  // EtherType behind it
  bool in_line;
};

}  // namespace

Mask Untag::run(Burst& burst, const Context& context) const noexcept {
  Mask untagged = 0;
  VlanId known;  // the last one that was found to have an address
  const auto untag = [&](std::size_t i, const Tag& tag) {
    const VlanId vlan = vlan_in(tag.number);
    if (is_tag(tag.next_type)) return burst.drop(i, DropReason::vlan_unsupported);
    if (vlan.value > kMaxVlan) return burst.drop(i, DropReason::vlan_reserved);
    if (vlan != VlanId{} && vlan != known) {
      if (own_addresses(context, vlan).empty()) return burst.drop(i, DropReason::vlan_unknown);
      known = vlan;
    }
    if (tag.in_line) take_tag_off(burst, i);
    burst.tag[i] = tag.number;
    untagged |= bit(i);
  };
  for_each(burst.undecided & ~burst.plain, [&](std::size_t i) {
    rte_mbuf& frame = *burst.frames[i];
    const bool taken_off = (frame.ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0;
    frame.ol_flags &= ~kDeviceFoundTag;
    if (frame.data_len < RTE_ETHER_HDR_LEN) return;  // EthernetCheck counts it
    const std::uint8_t* const octets = burst.octets[i];
    const auto type = load_be<std::uint16_t>(octets + kMacBytes);
    if (taken_off) return untag(i, {frame.vlan_tci, type, false});
    if (type != RTE_ETHER_TYPE_VLAN) return;
    if (frame.data_len < RTE_ETHER_HDR_LEN + kTagBytes) {
      return burst.drop(i, DropReason::frame_too_short);
    }
    untag(i, {load_be<std::uint16_t>(octets + kMacBytes + 2),
              load_be<std::uint16_t>(octets + kMacBytes + 4), true});
  });
  burst.tagged = untagged;
  return untagged;
}

}  // namespace rackway::node
