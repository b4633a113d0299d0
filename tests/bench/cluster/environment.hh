// SPDX-License-Identifier: Apache-2.0
// DPDK for the cluster in one process: without hugepages, PCI or anything that outlives the
// process, and a pool of buffers. One in a process.
#pragma once

#include <rte_mempool.h>

#include <cstdint>

namespace rackway::bench {

class Environment {
 public:
  struct Buffers {
    unsigned count;
    std::uint16_t largest_frame;  // octets without check sequence
  };
  // Of frames of 64 octets: as many as wait in front of the full links of the largest mesh.
  static constexpr Buffers kSmallBuffers{262143, 60};

  // core: that the calling thread stays on.
  Environment(int core, Buffers buffers);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  [[nodiscard]] rte_mempool& pool() const { return *pool_; }
  [[nodiscard]] rte_mempool& small_pool() const { return *small_pool_; }

 private:
  rte_mempool *pool_{}, *small_pool_{};
};

}  // namespace rackway::bench
