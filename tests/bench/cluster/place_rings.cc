// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/place_rings.hh"

#include <rte_ethdev.h>

#include <string>

#include "base/startup_error.hh"

namespace rackway::bench {
namespace {

std::uint16_t receive(void* ring, rte_mbuf** frames, std::uint16_t count) {
  return static_cast<std::uint16_t>(rte_ring_sc_dequeue_burst(
      static_cast<rte_ring*>(ring), reinterpret_cast<void**>(frames), count, nullptr));
}

std::uint16_t transmit(void* ring, rte_mbuf** frames, std::uint16_t count) {
  return static_cast<std::uint16_t>(rte_ring_sp_enqueue_burst(
      static_cast<rte_ring*>(ring), reinterpret_cast<void**>(frames), count, nullptr));
}

rte_ring* new_ring(std::size_t number) {
  auto* ring = rte_ring_create(("place-" + std::to_string(number)).c_str(), PlaceRings::kFrames + 1,
                               SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
  if (ring == nullptr) throw StartupError("no memory for rings", "", "give more memory");
  return ring;
}

}  // namespace

PlaceRings::PlaceRings(std::size_t nodes, std::size_t places)
    : places_(places), rx_(places), tx_(places) {
  if (places > RTE_MAX_ETHPORTS) {
    throw StartupError("too many places for DPDK's ports", std::to_string(places), "fewer nodes");
  }
  for (std::size_t i = 0; i < 2 * nodes * places; ++i) rings_.push_back(new_ring(i));
  for (std::size_t i = 0; i < places; ++i) {
    auto& port = rte_eth_fp_ops[i];
    port.rx_pkt_burst = receive;
    port.tx_pkt_burst = transmit;
    port.rxq = {&rx_[i], &no_callback_};
    port.txq = {&tx_[i], &no_callback_};
  }
}

PlaceRings::~PlaceRings() {
  for (std::size_t i = 0; i < places_; ++i) rte_eth_fp_ops[i] = {};
  for (auto* ring : rings_) rte_ring_free(ring);
}

void PlaceRings::seat(std::size_t node) noexcept {
  for (std::size_t i = 0; i < places_; ++i) {
    rx_[i] = to_node(node, i);
    tx_[i] = from_node(node, i);
  }
}

}  // namespace rackway::bench
