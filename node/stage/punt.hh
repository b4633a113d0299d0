// SPDX-License-Identifier: Apache-2.0
// Hands punted frames to the slow path, each class within its own rate (token buckets of
// librte_meter), so that a flood of one class does not starve another; packets to neighbours who
// are not resolved besides within the limits of UnresolvedLimiter. What does not pass is a counted
// drop.
#pragma once

#include <rte_meter.h>
#include <rte_ring.h>

#include <array>

#include "node/burst.hh"
#include "node/unresolved_limiter.hh"
#include "node/wake_up.hh"

namespace rackway::node {

class Punt {
 public:
  // queue: single producer (this core), single consumer (the slow path), of rte_mbuf pointers whose
  // port is the PortId and whose hash.usr is the PuntClass.
  Punt(rte_ring* queue, WakeUp& consumer);

  // Punts from the slots of fate punt; those that do not pass become drops.
  void run(Burst& burst, const Context& context) noexcept;

 private:
  struct Policer {
    rte_meter_srtcm_profile profile;
    rte_meter_srtcm bucket;
  };
  [[nodiscard]] bool passes(const Burst& burst, std::size_t i, std::uint64_t now) noexcept;
  [[nodiscard]] bool within_rate(PuntClass punt_class, std::uint64_t now) noexcept;

  rte_ring* queue_;
  WakeUp& consumer_;
  std::array<Policer, cluster::kPuntClasses> policers_;
  UnresolvedLimiter unresolved_;
};

}  // namespace rackway::node
