// SPDX-License-Identifier: Apache-2.0
// What a controller may have told a node, apart from the FIB.
#pragma once

#include "node/state_file.hh"

namespace rackway::node::testing {

inline Orders sample_orders() {
  return {.welcome = {.self = NodeId{1},
                      .node_names = {"n1", "n2"},
                      .ports = {{"p0", "net_null0", 1500, topo::Urpf::strict}},
                      .links = {{NodeId{0}, NodeId{1}}},
                      .link_devices = {"net_memif0"},
                      .node_rates = {100'000, 40'000},
                      .external_rate = 40'000,
                      .link_rates = {25'000},
                      .packets = "tcp://127.0.0.1:7601"},
          .settings = {topo::SteeringMode::valiant, true},
          .links_down = {{0}}};
}

}  // namespace rackway::node::testing
