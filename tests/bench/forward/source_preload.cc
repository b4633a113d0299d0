// SPDX-License-Identifier: Apache-2.0
// Preloaded into a DPDK program (LD_PRELOAD), gives each port that the program starts the packet
// source of the environment, and makes ports in memory pass for a NIC's: they know packet types,
// and are not asked for checksums that they can not check (every checksum of the source is good).
// The program itself is as its authors wrote it.
#include <dlfcn.h>
#include <rte_ethdev.h>
#include <rte_mbuf_ptype.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/bench/forward/packet_source.hh"

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int rte_eth_dev_start(std::uint16_t port) {
  static auto* const start = next<int(std::uint16_t)>("rte_eth_dev_start");
  const int error = start(port);
  if (error != 0) return error;
  try {
    if (auto* made = rackway::bench::source_of_environment()) made->source.feed(port);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "packet source: %s\n", fault.what());
    std::_Exit(1);
  }
  return 0;
}

__attribute__((visibility("default"))) int rte_eth_dev_configure(std::uint16_t port,
                                                                 std::uint16_t rx_queues,
                                                                 std::uint16_t tx_queues,
                                                                 const rte_eth_conf* asked) {
  static auto* const configure =
      next<int(std::uint16_t, std::uint16_t, std::uint16_t, const rte_eth_conf*)>(
          "rte_eth_dev_configure");
  rte_eth_conf granted = *asked;
  granted.rxmode.offloads = 0;
  return configure(port, rx_queues, tx_queues, &granted);
}

__attribute__((visibility("default"))) int rte_eth_rx_queue_setup(
    std::uint16_t port, std::uint16_t queue, std::uint16_t descriptors, unsigned socket,
    const rte_eth_rxconf* asked, rte_mempool* pool) {
  static auto* const set_up =
      next<int(std::uint16_t, std::uint16_t, std::uint16_t, unsigned, const rte_eth_rxconf*,
               rte_mempool*)>("rte_eth_rx_queue_setup");
  if (asked == nullptr) return set_up(port, queue, descriptors, socket, asked, pool);
  rte_eth_rxconf granted = *asked;
  granted.offloads = 0;
  return set_up(port, queue, descriptors, socket, &granted, pool);
}

__attribute__((visibility("default"))) int rte_eth_dev_get_supported_ptypes(std::uint16_t,
                                                                            std::uint32_t mask,
                                                                            std::uint32_t* types,
                                                                            int room) {
  int known = 0;
  for (const std::uint32_t type : {RTE_PTYPE_L2_ETHER, RTE_PTYPE_L3_IPV4, RTE_PTYPE_L3_IPV6}) {
    if ((type & mask) == 0) continue;
    if (known < room) types[known] = type;
    ++known;
  }
  return known;
}

}  // extern "C"
