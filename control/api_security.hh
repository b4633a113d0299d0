// SPDX-License-Identifier: Apache-2.0
// The API's table of keys and of who did wrong by them (docs/api.md). Private to the API.
#pragma once

#include <nlohmann/json.hpp>

#include "control/api.hh"

namespace rackway::control {

[[nodiscard]] nlohmann::ordered_json security_row(const ApiView& view, NodeId node);
// Of those whose key is no node's: `node` is empty.
[[nodiscard]] nlohmann::ordered_json strangers_row(const ApiView& view);

}  // namespace rackway::control
