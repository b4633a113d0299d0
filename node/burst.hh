// SPDX-License-Identifier: Apache-2.0
// A burst of frames on its way through the node, and what the stages know of each. Every slot ends
// with a fate; the last stage counts it. A stage looks only at slots whose fate is undecided.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <cstdint>
#include <span>

#include "base/id.hh"
#include "cluster/drop_reason.hh"
#include "fib/fib.hh"
#include "node/place.hh"

namespace rackway::node {

inline constexpr std::uint16_t kBurst = 32;

using cluster::DropReason;
using cluster::PuntClass;

enum class Fate : std::uint8_t { undecided, transmit, punt, drop };
enum class Protocol : std::uint8_t { other, ipv4, ipv6 };
// How a frame that leaves by a fabric link got there, for its counters.
enum class Passage : std::uint8_t { none, direct, via_relay, relayed };

struct Slot {
  rte_mbuf* frame;
  Fate fate;
  Protocol protocol;
  bool l2_group;      // the destination MAC was a group address
  DropReason reason;  // of a drop; of a punt: what it counts as when policing stops it
  PuntClass punt_class;
  Passage passage;
  std::uint16_t output;  // index in Places::outputs, if transmit
  std::uint32_t flow_hash;
  fib::NextHopId next_hop;

  [[nodiscard]] std::uint8_t* octets() const noexcept {
    return rte_pktmbuf_mtod(frame, std::uint8_t*);
  }
  [[nodiscard]] bool undecided() const noexcept { return fate == Fate::undecided; }
  void drop(DropReason why) noexcept {
    fate = Fate::drop;
    reason = why;
  }
  void punt(PuntClass to, DropReason when_policed = DropReason::punt_policed) noexcept {
    fate = Fate::punt;
    punt_class = to;
    reason = when_policed;
  }
  void transmit(std::size_t to, Passage how = Passage::none) noexcept {
    fate = Fate::transmit;
    output = static_cast<std::uint16_t>(to);
    passage = how;
  }
};

struct Burst {
  std::array<rte_mbuf*, kBurst> frames;
  std::array<Slot, kBurst> slots;
  std::uint16_t size{0};
  bool injected{false};  // the frames come from the controller

  // Slots for the first n frames, all undecided.
  void begin(std::uint16_t n) noexcept {
    size = n;
    for (std::uint16_t i = 0; i < n; ++i) {
      slots[i] = {};
      slots[i].frame = frames[i];
    }
  }
  [[nodiscard]] std::span<Slot> all() noexcept { return {slots.data(), size}; }
};

// What stays the same for a burst: where it came in and what the node knows while it handles it.
struct Context {
  const fib::Fib& fib;
  NodeId self;
  PortId port;  // external ports only
  Place& in;
  std::span<const fib::PortAddress> addresses;  // the router's own on that port
  bool controller_present;
  std::uint8_t epoch_mark;
};

}  // namespace rackway::node
