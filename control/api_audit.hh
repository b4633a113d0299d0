// SPDX-License-Identifier: Apache-2.0
// The API's table of what audits have found (docs/api.md). Private to the API.
#pragma once

#include <nlohmann/json.hpp>

#include "control/api.hh"

namespace rackway::control {

// A row a check: the controller's own, then one of each node.
[[nodiscard]] nlohmann::ordered_json audit_rows(const ApiView& view);

}  // namespace rackway::control
