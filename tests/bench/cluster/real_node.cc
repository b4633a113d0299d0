// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/real_node.hh"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <string>

#include "base/startup_error.hh"
#include "tests/bench/cluster/frame.hh"

namespace rackway::bench {
namespace {

constexpr unsigned kPunts = 256;
constexpr std::uint16_t kMtu = 1500;

rte_ring* punt_ring(NodeId self) {
  auto* ring = rte_ring_create(("punt-" + std::to_string(self.value)).c_str(), kPunts,
                               SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
  if (ring == nullptr) throw StartupError("no memory for rings", "", "give more memory");
  return ring;
}

}  // namespace

RealNode::NodePlaces::NodePlaces(std::size_t links) {
  ports = 1;
  for (std::size_t i = 0; i < 1 + links; ++i) {
    auto place = std::make_unique<node::Place>();
    place->name = i == 0 ? "p0" : "fabric " + std::to_string(i - 1);
    place->device = static_cast<std::uint16_t>(i);
    place->mac = kRouterMac;
    place->mtu = kMtu;
    place->usable.store(true);
    outputs.push_back(std::move(place));
  }
}

RealNode::RealNode(NodeId self, vlb::Steering steering, std::span<const double> link_rates,
                   rte_mempool& pool)
    : self_(self),
      steering_(std::move(steering)),
      places_(steering_.table().local_links().size()),
      punts_(punt_ring(self)),
      journey_(places_, steering_, punts_, slow_path_, pool, rte_get_tsc_hz()),
      backlogs_(link_rates.begin(), link_rates.end()) {}

RealNode::~RealNode() {
  rte_ring_free(punts_);
}

node::Context RealNode::context(const fib::Fib& fib, node::Place& in, vlb::Time now) const {
  return {.fib = fib,
          .self = self_,
          .port = PortId{},
          .in = in,
          .counters = in.counters[0],
          .controller_present = true,
          .epoch_mark = 1,
          .now = now,
          .ticks = std::uint64_t{now} * (rte_get_tsc_hz() / 1'000'000)};
}

// As node::ForwardingCore does after each round of polls.
void RealNode::tell_backlogs(vlb::Time now) {
  for (std::size_t link = 0; link < backlogs_.size(); ++link) {
    const auto& counters = places_.link(link).counters[0];
    const auto octets = counters.octets_on_cable() + counters.refused_bytes.get();
    steering_.set_backlog(link, backlogs_[link].at(octets, now));
  }
}

template <class Take>
std::uint64_t RealNode::poll(node::Place& place, unsigned frames, Take take) {
  const std::uint64_t begin = rte_rdtsc();
  for (unsigned left = frames; left > 0;) {
    const auto received = rte_eth_rx_burst(place.device, 0, burst_.frames.data(), node::kBurst);
    burst_.begin(received);
    take();
    left -= received;
  }
  return rte_rdtsc() - begin;
}

void RealNode::step(const fib::Fib& fib, const PlaceRings& rings, std::span<const unsigned> relayed,
                    vlb::Time now, RoleCycles& cycles) {
  if (const unsigned frames = rte_ring_count(rings.to_node(self_.value, 0)); frames > 0) {
    const auto in = context(fib, places_.port(PortId{0}), now);
    cycles.add_ingress(poll(in.in, frames, [&] { journey_.from_external_port(burst_, in); }),
                       frames);
  }
  for (std::size_t link = 0; link < links(); ++link) {
    const unsigned frames = rte_ring_count(rings.to_node(self_.value, 1 + link));
    if (frames == 0) continue;
    const auto in = context(fib, places_.link(link), now);
    cycles.add_link(poll(in.in, frames, [&] { journey_.from_fabric_link(burst_, in); }),
                    relayed[link], frames - relayed[link]);
  }
  tell_backlogs(now);
}

}  // namespace rackway::bench
