// SPDX-License-Identifier: Apache-2.0
#include "node/stage/resolve.hh"

#include <immintrin.h>

#include <algorithm>

#include "node/ipv6_chain.hh"
#include "node/slot_mask.hh"
#include "node/stage/local_class.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::node {
namespace {

const rte_ipv4_hdr* ipv4(const Slot& slot) noexcept {
  return rte_pktmbuf_mtod_offset(&slot.frame(), const rte_ipv4_hdr*, RTE_ETHER_HDR_LEN);
}
const rte_ipv6_hdr* ipv6(const Slot& slot) noexcept {
  return rte_pktmbuf_mtod_offset(&slot.frame(), const rte_ipv6_hdr*, RTE_ETHER_HDR_LEN);
}
bool is_ipv4(const Slot& slot) noexcept {
  return slot.is(slot.burst().ipv4);
}
std::uint32_t ip_size(const Slot& slot) noexcept {
  return is_ipv4(slot) ? ipv4_size(slot.octets()) : ipv6_size(slot.octets());
}

// Octets of the packet that can be read: not of the padding behind it.
std::size_t readable_bytes(const Slot& slot) noexcept {
  return std::min<std::size_t>(ip_size(slot), slot.frame().data_len - RTE_ETHER_HDR_LEN);
}

void to_router(const Slot& slot) noexcept {
  const std::uint8_t* packet = slot.octets() + RTE_ETHER_HDR_LEN;
  if (!is_ipv4(slot)) return slot.punt(local_class_ipv6(packet, readable_bytes(slot)));
  // Options have been punted before. A later fragment has no transport header.
  constexpr std::size_t kHeader = sizeof(rte_ipv4_hdr);
  const bool later_fragment = (ipv4(slot)->fragment_offset & RTE_BE16(0x1fff)) != 0;
  slot.punt(local_class(ipv4(slot)->next_proto_id, packet + kHeader,
                        later_fragment ? 0 : readable_bytes(slot) - kHeader));
}

// RFC 3927 2.7: a packet from or to such an address must not leave its link, whatever its TTL.
bool link_local_ipv4(const Slot& slot) noexcept {
  constexpr rte_be32_t kMask = RTE_BE32(0xffff0000), kNet = RTE_BE32(0xa9fe0000);
  if (!is_ipv4(slot)) return false;
  return (ipv4(slot)->src_addr & kMask) == kNet || (ipv4(slot)->dst_addr & kMask) == kNet;
}

// RFC 4291 2.5.6: a packet from a link-local address must not leave its link.
bool link_local_source(const Slot& slot) noexcept {
  if (is_ipv4(slot)) return false;
  const std::uint8_t* source = ipv6(slot)->src_addr;
  return source[0] == 0xfe && (source[1] & 0xc0) == 0x80;
}

bool ttl_spent(const Slot& slot) noexcept {
  return (is_ipv4(slot) ? ipv4(slot)->time_to_live : ipv6(slot)->hop_limits) <= 1;
}

void decrement_ttl(const Slot& slot) noexcept {
  is_ipv4(slot) ? decrement_ipv4_ttl(slot.octets()) : decrement_ipv6_hop_limit(slot.octets());
}

// "Net" where there is no route at all, "host" where one says so: RFC 1812 5.2.7.1.
IcmpError unreachable(const Slot& slot) noexcept {
  const bool no_route = slot.burst().next_hop[slot.index()] == fib::kIpv4Default;
  return no_route || !is_ipv4(slot) ? IcmpError::no_route : IcmpError::host_unreachable;
}

void too_big(const Slot& slot, std::uint16_t mtu) noexcept {
  const bool may_be_cut =
      is_ipv4(slot) && (ipv4(slot)->fragment_offset & RTE_BE16(RTE_IPV4_HDR_DF_FLAG)) == 0;
  may_be_cut ? slot.burst().fragment(slot.index(), mtu)
             : slot.burst().answer_too_big(slot.index(), mtu);
}

// What has no live member to go to.
void nowhere_to_go(const Slot& slot) noexcept {
  if (link_local_source(slot)) {
    slot.answer(IcmpError::beyond_scope, DropReason::link_local_forward);
  } else if (ttl_spent(slot)) {
    slot.answer(IcmpError::ttl_exceeded, DropReason::ttl_spent);
  } else {
    slot.answer(IcmpError::host_unreachable, DropReason::egress_down);
  }
}

// True for a packet that goes on by the group's bucket; else its fate is decided.
bool goes_on(const Slot& slot, fib::GroupKind kind, const fib::Bucket& bucket) noexcept {
  switch (kind) {
    case fib::GroupKind::local: to_router(slot); return false;
    case fib::GroupKind::blackhole: slot.drop(DropReason::blackhole); return false;
    case fib::GroupKind::broadcast: slot.drop(DropReason::directed_broadcast); return false;
    default: break;
  }
  // From here on the packet is not for the router: the sender is told what can not go on.
  if (link_local_ipv4(slot)) {
    slot.drop(DropReason::link_local_forward);
  } else if (link_local_source(slot)) {
    slot.answer(IcmpError::beyond_scope, DropReason::link_local_forward);
  } else if (ttl_spent(slot)) {
    slot.answer(IcmpError::ttl_exceeded, DropReason::ttl_spent);
  } else if (kind == fib::GroupKind::glean) {
    slot.punt_unresolved();
  } else if (kind == fib::GroupKind::unreachable) {
    slot.answer(unreachable(slot), DropReason::no_route);
  } else if (kind == fib::GroupKind::prohibit) {
    slot.answer(IcmpError::prohibited, DropReason::prohibited);
  } else if (ip_size(slot) > bucket.mtu) {
    too_big(slot, bucket.mtu);
  } else {
    return true;
  }
  return false;
}

// A live bucket for a flow whose own is dead, spread anew: one of the live ones, each as likely,
// the same for all packets of the flow while the same are alive. Null if none is.
template <class Live>
const fib::Bucket* another_bucket(std::span<const fib::Bucket> buckets, std::uint32_t flow_hash,
                                  Live&& live) noexcept {
  constexpr unsigned kTries = 8;
  for (unsigned i = 0; i < kTries; ++i) {
    flow_hash = (flow_hash ^ flow_hash >> 15) * 0x2c1b3c6du + 0x9e3779b9u;
    const auto& bucket = buckets[static_cast<std::uint64_t>(flow_hash) * buckets.size() >> 32];
    if (live(bucket)) return &bucket;
  }
  const auto found = std::ranges::find_if(buckets, live);
  return found == buckets.end() ? nullptr : &*found;
}

}  // namespace

void Resolve::avoid_dead_nodes(Burst& burst, Buckets& buckets,
                               const Context& context) const noexcept {
  for_each(burst.undecided, [&](std::size_t i) {
    if (buckets[i] == fib::kNoBucket || reaches(buckets[i], context.self)) return;
    const auto live = [&](const fib::Bucket& bucket) { return reaches(bucket, context.self); };
    const auto* other =
        another_bucket(context.fib.group(burst.next_hop[i]).buckets, burst.flow_hash[i], live);
    if (other != nullptr) {
      buckets[i] = *other;
    } else {
      nowhere_to_go(Slot(burst, i));
    }
  });
}

void Resolve::send_plain(Burst& burst, Mask to_neighbors, const Buckets& buckets,
                         std::span<const fib::LocalAdjacency> adjacencies) const noexcept {
  // A group names only adjacencies that are there.
  neighbor_send_.send_all(burst, to_neighbors & burst.ipv4, buckets, adjacencies,
                          [](std::uint8_t* octets) { decrement_ipv4_ttl(octets); });
  neighbor_send_.send_all(burst, to_neighbors & burst.ipv6, buckets, adjacencies,
                          [](std::uint8_t* octets) { decrement_ipv6_hop_limit(octets); });
}

Mask Resolve::resolve_with_care(Burst& burst, const Context& context,
                                const Buckets& buckets) const noexcept {
  const auto adjacencies = context.fib.adjacencies_of(context.self);
  Mask to_fabric = 0;
  for_each(burst.undecided, [&](std::size_t i) {
    const Slot slot(burst, i);
    if (!goes_on(slot, context.fib.group(burst.next_hop[i]).kind, buckets[i])) return;
    decrement_ttl(slot);
    if (buckets[i].node == context.self) {
      neighbor_send_.send_if_possible(burst, i, buckets[i].index, ip_size(slot), adjacencies);
    } else {
      to_fabric |= bit(i);
    }
  });
  return to_fabric;
}

// Writes the tags. A value of its own: the octets of a packet may be any object's for all the
// compiler knows, and what is in objects would be loaded anew after each.
struct Resolve::Tagging {
  const fib::Bucket* buckets;
  const vlb::Path* paths;  // of the slots in the order in which they are asked for
  vlb::TagWriter tag;
  std::size_t first_link;

  // Of slots that go into the fabric, in order: those that had no path.
  template <class Before>
  Mask run(Burst& burst, Mask slots, Before&& before) {
    Mask lost = 0, via_relay = 0;
    for_each(slots, [&](std::size_t i) {
      const vlb::Path path = *paths++;
      std::uint8_t* const octets = burst.octets[i];
      before(octets);
      if (path.link == vlb::kNoLink) [[unlikely]] {
        lost |= bit(i);
        return;
      }
      tag.write(octets, path.target, buckets[i].node, buckets[i].index);
      burst.output[i] = static_cast<std::uint16_t>(first_link + path.link);
      via_relay |= Mask{path.relayed} << i;
    });
    burst.via_relay |= via_relay;
    return lost;
  }
};

// The paths of the slots of all kinds, one kind after the other.
void Resolve::choose_paths(const Burst& burst, const ToFabric& to_fabric, const Buckets& buckets,
                           vlb::Time now, std::array<vlb::Path, kBurst>& paths) noexcept {
  alignas(64) std::array<NodeId, kBurst> egress;
  if (to_fabric.ipv4 == first_bits(burst.size) || to_fabric.ipv6 == first_bits(burst.size)) {
    for (std::size_t i = 0; i < kBurst; ++i) egress[i] = buckets[i].node;
    return steering_.choose({egress.data(), burst.size}, {burst.flow_hash.data(), burst.size}, now,
                            {paths.data(), burst.size});
  }
  alignas(64) std::array<std::uint32_t, kBurst> flow_hash;
  std::size_t count = 0;
  for (const Mask slots : {to_fabric.ipv4, to_fabric.ipv6, to_fabric.with_care}) {
    for_each(slots, [&](std::size_t i) {
      egress[count] = buckets[i].node;
      flow_hash[count++] = burst.flow_hash[i];
    });
  }
  steering_.choose({egress.data(), count}, {flow_hash.data(), count}, now, {paths.data(), count});
}

void Resolve::send_to_fabric(Burst& burst, const ToFabric& to_fabric, const Buckets& buckets,
                             const Context& context) noexcept {
  std::array<vlb::Path, kBurst> paths;
  choose_paths(burst, to_fabric, buckets, context.now, paths);
  // One frame stands for all, another one each time.
  const Mask all = to_fabric.all();
  const auto count = static_cast<std::uint64_t>(std::popcount(all));
  const Mask sample = _pdep_u64(Mask{1} << (context.now * 0x9e3779b1u * count >> 32), all);
  const auto sampled = static_cast<std::size_t>(std::countr_zero(sample));
  steering_.tally(buckets[sampled].node,
                  burst.frames[sampled]->pkt_len * static_cast<std::uint32_t>(count));
  Tagging tagging{.buckets = buckets.data(),
                  .paths = paths.data(),
                  .tag = vlb::TagWriter({.hop_budget = steering_.table().hop_budget(),
                                         .time_stamp = vlb::time_stamp_at(context.now),
                                         .epoch_mark = context.epoch_mark,
                                         .ingress = context.self}),
                  .first_link = ports_};
  const Mask lost = tagging.run(burst, to_fabric.ipv4, [](std::uint8_t* octets) {
    decrement_ipv4_ttl(octets);
  }) | tagging.run(burst, to_fabric.ipv6, [](std::uint8_t* octets) {
    decrement_ipv6_hop_limit(octets);
  }) | tagging.run(burst, to_fabric.with_care, [](std::uint8_t*) {});
  burst.transmitted |= all & ~lost;
  burst.undecided &= ~all;
  for_each(lost, [&](std::size_t i) { burst.drop(i, DropReason::fabric_no_path); });
}

void Resolve::run(Burst& burst, const Context& context) noexcept {
  if (burst.undecided == 0) return;
  alignas(64) Buckets buckets;
  context.fib.pick({burst.next_hop.data(), burst.size}, {burst.flow_hash.data(), burst.size},
                   {buckets.data(), burst.size});
  if (!steering_.reaches_all()) [[unlikely]]
    avoid_dead_nodes(burst, buckets, context);
  const Mask fits = fitting(buckets, burst.ip_size) & burst.plain & burst.undecided;
  const Mask ours = of_node(buckets, context.self);
  send_plain(burst, fits & ours, buckets, context.fib.adjacencies_of(context.self));
  ToFabric to_fabric{.ipv4 = fits & ~ours & burst.ipv4, .ipv6 = fits & ~ours & burst.ipv6};
  burst.undecided &= ~to_fabric.all();
  if (burst.undecided != 0) to_fabric.with_care = resolve_with_care(burst, context, buckets);
  if (to_fabric.all() != 0) send_to_fabric(burst, to_fabric, buckets, context);
}

}  // namespace rackway::node
