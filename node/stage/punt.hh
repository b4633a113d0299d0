// SPDX-License-Identifier: Apache-2.0
// Hands punted frames to the slow path, each class within its own rate, so that a flood of one
// class does not starve another; packets to neighbours who are not resolved besides within the
// limits of UnresolvedLimiter. What does not pass is a counted drop. The buckets are not
// librte_meter's, which reads the clock itself.
#pragma once

#include <rte_ring.h>

#include <vector>

#include "node/burst.hh"
#include "node/token_bucket.hh"
#include "node/unresolved_limiter.hh"
#include "node/wake_up.hh"

namespace rackway::node {

class Punt {
 public:
  // queue: single producer (this core), single consumer (the slow path), of rte_mbuf pointers whose
  // port is the PortId and whose hash.usr is the PuntClass.
  Punt(rte_ring* queue, WakeUp& consumer, Pace pace);

  // Punts from the slots of fate punt; those that do not pass become drops.
  void run(Burst& burst, const Context& context) noexcept;

 private:
  struct Policer {
    Tokens tokens;
    TokenBucket bucket;
  };
  [[nodiscard]] bool passes(const Burst& burst, std::size_t i, std::uint64_t now) noexcept;

  rte_ring* queue_;
  WakeUp& consumer_;
  std::vector<Policer> policers_;  // by PuntClass
  UnresolvedLimiter unresolved_;
};

}  // namespace rackway::node
