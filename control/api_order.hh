// SPDX-License-Identifier: Apache-2.0
// The requests of the API that change something (docs/api.md): {"order": "drain", "name": "n3"}.
#pragma once

#include <optional>
#include <string>

#include "base/result.hh"
#include "control/vlb_orders.hh"
#include "topo/cluster_document.hh"

namespace rackway::control {

// Nothing if the request is no order. Carries out the order and returns the question whose answer
// shows it, or says what is wrong with it.
[[nodiscard]] std::optional<Result<std::string>> follow_order(const std::string& request,
                                                              const topo::ClusterDocument& document,
                                                              VlbOrders& orders);

// What the API answers when something is wrong.
[[nodiscard]] std::string refusal(const Error& error);

}  // namespace rackway::control
