// SPDX-License-Identifier: Apache-2.0
// The packet's journey through a node, in the order in which it happens. Three entrances:
//
//   external port   PlainCheck, and for what is not plain: Untag (and what had a tag is looked at
//                     once more) -> EthernetCheck -> Arp -> Ipv4Check -> Ipv6Check;
//                     SourceCheck, if the port asks for it; then Lookup -> Resolve
//                     (Resolve: punt, drop, rewrite for a neighbour, or tag and into the fabric)
//   fabric link     Relay (on towards the egress node, or rewrite for a neighbour), and Hello
//   controller      Inject
//
// What Resolve could not send on, and whose sender is to know or which goes on in fragments, gives
// rise to frames of the node's own (IcmpAnswer, Fragment), which enter as if by a place of theirs:
//
//   generated       Lookup -> Resolve
//
// and one way out for all: Punt -> Transmit, which also counts. Each stage is in a file of its own
// under node/stage/. One forwarding core owns a Journey; nothing in it is shared that is written.
#pragma once

#include <rte_prefetch.h>
#include <rte_ring.h>

#include "node/burst.hh"
#include "node/generated.hh"
#include "node/stage/arp.hh"
#include "node/stage/ethernet_check.hh"
#include "node/stage/fragment.hh"
#include "node/stage/hello.hh"
#include "node/stage/icmp_answer.hh"
#include "node/stage/inject.hh"
#include "node/stage/ipv4_check.hh"
#include "node/stage/ipv6_check.hh"
#include "node/stage/lookup.hh"
#include "node/stage/plain_check.hh"
#include "node/stage/punt.hh"
#include "node/stage/relay.hh"
#include "node/stage/resolve.hh"
#include "node/stage/source_check.hh"
#include "node/stage/transmit.hh"
#include "node/stage/untag.hh"
#include "vlb/steering.hh"

namespace rackway::node {

class Journey {
 public:
  // pool: of the frames that the node makes. pace: of Context::ticks.
  // core: its number, for queues and counters.
  Journey(Places& places, vlb::Steering& steering, rte_ring* punt_queue, WakeUp& slow_path,
          rte_mempool& pool, Pace pace, std::uint16_t core = 0, HelloTakers takers = {})
      : places_(places),
        core_(core),
        resolve_{steering, places},
        icmp_answer_(places.ports, pool, pace),
        fragment_(pool),
        relay_{steering, places},
        hello_(places, takers),
        punt_(punt_queue, slow_path, pace),
        transmit_(places, core) {}

  // burst.begin() has been called for the frames received at context.in.
  void from_external_port(Burst& burst, const Context& context) noexcept {
    take(burst, context.counters);
    plain_check_.run(burst, burst.undecided, context);
    if (burst.plain != burst.undecided) check_with_care(burst, context);
    if (context.in.urpf != topo::Urpf::off) source_check_.run(burst, context);
    lookup_.run(burst, context);
    resolve_.run(burst, context);
    if ((burst.answered | burst.to_fragment) != 0) [[unlikely]]
      generate(burst, context);
    punt_.run(burst, context);
    transmit_.run(burst, context, false);
  }

  void from_fabric_link(Burst& burst, const Context& context) noexcept {
    take(burst, context.counters);
    relay_.run(burst, context);
    if (burst.hellos != 0) [[unlikely]]
      hello_.run(burst, context);
    transmit_.run(burst, context, true);
  }

  void from_controller(Burst& burst, const Context& context) noexcept {
    take(burst, context.counters);
    burst.injected = true;
    Inject::run(burst, places_);
    transmit_.run(burst, context, false);
    burst.injected = false;
  }

 private:
  // The frames that a burst gives rise to, and their whole way.
  void generate(Burst& burst, const Context& context) noexcept;

  // Counts what came in and asks for the first cache line of every frame.
  static void take(Burst& burst, Counters& in) noexcept {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < burst.size; ++i) {
      burst.octets[i] = rte_pktmbuf_mtod(burst.frames[i], std::uint8_t*);
      rte_prefetch0(burst.octets[i]);
      bytes += burst.frames[i]->pkt_len;
    }
    in.received.add(burst.size);
    in.received_bytes.add(bytes);
  }

  void check_with_care(Burst& burst, const Context& context) noexcept {
    if (const Mask untagged = untag_.run(burst, context); untagged != 0) {
      plain_check_.run(burst, untagged, context);
    }
    ethernet_check_.run(burst, context);
    arp_.run(burst, context);
    ipv4_check_.run(burst, context);
    ipv6_check_.run(burst, context);
  }

  Places& places_;
  std::uint16_t core_;
  PlainCheck plain_check_;
  Untag untag_;
  EthernetCheck ethernet_check_;
  Arp arp_;
  Ipv4Check ipv4_check_;
  Ipv6Check ipv6_check_;
  SourceCheck source_check_;
  Lookup lookup_;
  Resolve resolve_;
  IcmpAnswer icmp_answer_;
  Fragment fragment_;
  Relay relay_;
  Hello hello_;
  Punt punt_;
  Transmit transmit_;
  Generated generated_;
  Burst own_burst_;  // of generated frames
};

}  // namespace rackway::node
