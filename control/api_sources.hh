// SPDX-License-Identifier: Apache-2.0
// The API's table of the sources of routes (docs/api.md). Private to the API.
#pragma once

#include <nlohmann/json.hpp>

#include "control/api.hh"

namespace rackway::control {

// A row a source, in the order of RouteSource.
[[nodiscard]] nlohmann::ordered_json source_rows(const ApiView& view);

}  // namespace rackway::control
