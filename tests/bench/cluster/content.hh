// SPDX-License-Identifier: Apache-2.0
// The FIB of the cluster: behind every node 256 routes /24 to the neighbour of its external port.
#pragma once

#include <cstddef>

#include "fib/records.hh"

namespace rackway::bench {

// everything_local: all routes lead out of node 0.
[[nodiscard]] fib::Delta cluster_content(std::size_t nodes, bool everything_local);

}  // namespace rackway::bench
