// SPDX-License-Identifier: Apache-2.0
// DPDK's EAL for the life of this object, with hugepages of its own where root may reserve them,
// else in ordinary memory. Pins the calling thread to the core. One in a process.
#pragma once

#include <memory>

#include "tests/bench/huge_pages.hh"

namespace rackway::bench {

class DpdkEnvironment {
 public:
  // Throws StartupError.
  explicit DpdkEnvironment(int core);
  ~DpdkEnvironment();
  DpdkEnvironment(const DpdkEnvironment&) = delete;
  DpdkEnvironment& operator=(const DpdkEnvironment&) = delete;

  [[nodiscard]] bool has_huge_pages() const { return has_huge_pages_; }

 private:
  std::unique_ptr<HugePages> pages_;
  bool has_huge_pages_;
};

}  // namespace rackway::bench
