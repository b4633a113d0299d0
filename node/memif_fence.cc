// SPDX-License-Identifier: Apache-2.0
// Puts DatapathGate around memif's unmapping of shared memory. The link option
// --wrap=memif_free_regions sends the driver's calls here. By then the driver has marked the device
// as not connected, so a core that comes back finds nothing to receive.
#include "node/datapath_gate.hh"

struct rte_eth_dev;

extern "C" {
void __real_memif_free_regions(rte_eth_dev* device);
void __wrap_memif_free_regions(rte_eth_dev* device);
}

void __wrap_memif_free_regions(rte_eth_dev* device) {
  const rackway::node::DatapathHold hold;
  __real_memif_free_regions(device);
}
