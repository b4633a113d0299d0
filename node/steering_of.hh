// SPDX-License-Identifier: Apache-2.0
// The steering that follows from what the controller has said of the cluster.
#pragma once

#include <cstddef>
#include <vector>

#include "cluster/messages.hh"
#include "vlb/steering.hh"

namespace rackway::node {

// Of one of so many forwarding cores, each of which sees its share of what enters.
// down: by number of fabric link, those that shortest paths may not use.
[[nodiscard]] vlb::Steering steering_of(const cluster::Welcome& welcome, std::size_t cores,
                                        const std::vector<bool>& down = {});

}  // namespace rackway::node
