// SPDX-License-Identifier: Apache-2.0
// What Resolve found too big for its next hop and free to be cut (IPv4 without DF) goes on in
// fragments, all of them or none. They have the flow hash of their packet, and with it its path and
// the next hop whose MTU they are cut for. A packet that can not be cut is a counted drop.
#pragma once

#include "node/generated.hh"

namespace rackway::node {

class Fragment {
 public:
  explicit Fragment(rte_mempool& pool) : pool_(pool) {}

  void run(Burst& burst, Generated& generated) const noexcept;

 private:
  rte_mempool& pool_;
};

}  // namespace rackway::node
