// SPDX-License-Identifier: Apache-2.0
// DPDK for the cluster in one process: without hugepages, PCI or anything that outlives the
// process, and a pool of buffers. One in a process.
#pragma once

#include <rte_mempool.h>

#include <cstdint>

namespace rackway::bench {

class Environment {
 public:
  // core: that the calling thread stays on. largest_frame: octets without check sequence.
  Environment(int core, unsigned buffers, std::uint16_t largest_frame);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  [[nodiscard]] rte_mempool& pool() const { return *pool_; }

 private:
  rte_mempool* pool_{};
};

}  // namespace rackway::bench
