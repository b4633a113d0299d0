// SPDX-License-Identifier: Apache-2.0
// A burst of frames on its way through the node, and what the stages know of each. Facts lie in
// arrays by slot and in masks with one bit a slot, so that a stage goes over all slots of a kind
// without asking each. Every slot ends with a fate; the last stage counts it. A stage decides only
// slots that are undecided. Owned by one forwarding core.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <bit>
#include <cstdint>

#include "base/id.hh"
#include "cluster/drop_reason.hh"
#include "fib/fib.hh"
#include "node/icmp_error.hh"
#include "node/place.hh"

namespace rackway::node {

inline constexpr std::uint16_t kBurst = 64;

using cluster::DropReason;
using cluster::PuntClass;

enum class Fate : std::uint8_t { undecided, transmit, punt, take_in, drop };

using Mask = std::uint64_t;  // bit i: slot i
static_assert(kBurst == 64);

[[nodiscard]] constexpr Mask bit(std::size_t slot) noexcept {
  return Mask{1} << slot;
}
[[nodiscard]] constexpr Mask first_bits(std::size_t count) noexcept {
  return count == kBurst ? ~Mask{0} : bit(count) - 1;
}

// Calls visit(slot) for every bit, lowest first. A burst whose bits are all set from the first on,
// which is the common one, is a counted loop.
template <class Visit>
inline void for_each(Mask mask, Visit&& visit) noexcept {
  if ((mask & (mask + 1)) == 0) {
    const auto count = static_cast<std::size_t>(std::popcount(mask));
    for (std::size_t i = 0; i < count; ++i) visit(i);
  } else {
    for (; mask != 0; mask &= mask - 1) visit(static_cast<std::size_t>(std::countr_zero(mask)));
  }
}

class Slot;

struct Burst {
  alignas(64) std::array<rte_mbuf*, kBurst> frames;
  std::uint16_t size{0};
  bool injected{false};  // the frames come from the controller

  // Disjoint; together the slots of the burst.
  Mask undecided{}, transmitted{}, punted{}, taken_in{}, dropped{};

  // Known of undecided slots.
  Mask plain{};         // passed every check of PlainCheck; nothing needs a second look
  Mask ipv4{}, ipv6{};  // what the frame carries; neither: ARP
  Mask l2_group{};      // the destination MAC was a group address
  Mask tagged{};        // Untag took a tag off, be it one of VLAN 0

  // By slot; valid once the stage that finds it out has run.
  alignas(64) std::array<std::uint8_t*, kBurst> octets;  // first octet of the frame
  alignas(64)
      std::array<std::uint16_t, kBurst> ip_size;  // octets of the IP packet, padding not counted
  std::array<std::uint16_t, kBurst> tag;          // of tagged ones: priority and VLAN, as received
  alignas(64) std::array<std::uint32_t, kBurst> flow_hash;
  alignas(64) std::array<Ipv4Address, kBurst> ipv4_destination;
  alignas(64) std::array<Ipv6Address, kBurst> ipv6_destination;
  alignas(64) std::array<fib::NextHopId, kBurst> next_hop;

  // transmitted: index in Places::outputs
  alignas(64) std::array<std::uint16_t, kBurst> output;
  Mask via_relay{};  // sent into the fabric, not straight to its egress node
  Mask hellos{};     // undecided; of kind hello

  Mask unresolved{};  // punted because the neighbour is not resolved yet
  // dropped; punted: what it counts as when policing stops it
  std::array<DropReason, kBurst> reason;
  std::array<PuntClass, kBurst> punt_class;

  // Of dropped slots: whose sender is told why, and whose packet goes on in fragments instead.
  // Disjoint.
  Mask answered{}, to_fragment{};
  std::array<IcmpError, kBurst> error;             // answered
  std::array<std::uint16_t, kBurst> next_hop_mtu;  // too_big or to_fragment

  // For the first n frames, all undecided.
  void begin(std::uint16_t n) noexcept {
    size = n;
    undecided = first_bits(n);
    transmitted = punted = taken_in = dropped = hellos = plain = ipv4 = ipv6 = l2_group = tagged =
        via_relay = 0;
    answered = to_fragment = unresolved = 0;
  }

  void drop(std::size_t i, DropReason why) noexcept {
    undecided &= ~bit(i);
    transmitted &= ~bit(i);
    punted &= ~bit(i);
    dropped |= bit(i);
    reason[i] = why;
  }
  void answer(std::size_t i, IcmpError with, DropReason why) noexcept {
    drop(i, why);
    answered |= bit(i);
    error[i] = with;
  }
  void answer_too_big(std::size_t i, std::uint16_t mtu) noexcept {
    answer(i, IcmpError::too_big, DropReason::too_big);
    next_hop_mtu[i] = mtu;
  }
  void fragment(std::size_t i, std::uint16_t mtu) noexcept {
    drop(i, DropReason::fragmented);
    to_fragment |= bit(i);
    next_hop_mtu[i] = mtu;
  }
  void punt(std::size_t i, PuntClass to, DropReason when_policed) noexcept {
    undecided &= ~bit(i);
    punted |= bit(i);
    punt_class[i] = to;
    reason[i] = when_policed;
  }
  // A hello: the node itself has it.
  void take_in(std::size_t i) noexcept {
    undecided &= ~bit(i);
    taken_in |= bit(i);
  }
  void transmit(std::size_t i, std::size_t to) noexcept {
    undecided &= ~bit(i);
    transmitted |= bit(i);
    output[i] = static_cast<std::uint16_t>(to);
  }

  // That the frame came in by; 0 without a tag.
  [[nodiscard]] VlanId vlan(std::size_t i) const noexcept {
    const bool has_tag = (tagged & bit(i)) != 0;
    return {static_cast<std::uint16_t>(has_tag ? tag[i] & 0x0fff : 0)};
  }

  [[nodiscard]] Fate fate(std::size_t i) const noexcept {
    if ((transmitted & bit(i)) != 0) return Fate::transmit;
    if ((punted & bit(i)) != 0) return Fate::punt;
    if ((taken_in & bit(i)) != 0) return Fate::take_in;
    return (dropped & bit(i)) != 0 ? Fate::drop : Fate::undecided;
  }
};

// One slot of a burst, for stages that look at frames one by one.
class Slot {
 public:
  Slot(Burst& burst, std::size_t index) noexcept : burst_(&burst), index_(index) {}

  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] Burst& burst() const noexcept { return *burst_; }
  [[nodiscard]] rte_mbuf& frame() const noexcept { return *burst_->frames[index_]; }
  [[nodiscard]] std::uint8_t* octets() const noexcept { return burst_->octets[index_]; }
  [[nodiscard]] bool is(Mask mask) const noexcept { return (mask & bit(index_)) != 0; }

  void drop(DropReason why) const noexcept { burst_->drop(index_, why); }
  void punt(PuntClass to, DropReason when_policed = DropReason::punt_policed) const noexcept {
    burst_->punt(index_, to, when_policed);
  }
  void punt_unresolved() const noexcept {
    burst_->unresolved |= bit(index_);
    punt(PuntClass::exception);
  }
  void transmit(std::size_t to) const noexcept { burst_->transmit(index_, to); }
  void answer(IcmpError with, DropReason why) const noexcept { burst_->answer(index_, with, why); }

 private:
  Burst* burst_;
  std::size_t index_;
};

// What stays the same for a burst: where it came in and what the node knows while it handles it.
struct Context {
  const fib::Fib& fib;
  NodeId self;
  PortId port;  // external ports only
  Place& in;
  Counters& counters;  // of `in`, this core's
  bool controller_present;
  std::uint8_t epoch_mark;
  std::uint32_t now;    // for flowlets, see vlb::FlowletTable
  std::uint64_t ticks;  // of a clock that never goes back, for rates
};

}  // namespace rackway::node
