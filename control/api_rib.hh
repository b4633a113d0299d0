// SPDX-License-Identifier: Apache-2.0
// The API's tables of the RIB (docs/api.md): what every source has for a prefix, and why packets to
// an address go where they go. Private to the API.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.hh"
#include "control/api.hh"

namespace rackway::control {

// Rows of `rib`: all, or those of a prefix, or of the prefix by which an address goes.
[[nodiscard]] Result<nlohmann::ordered_json> rib_rows(const ApiView& view, const std::string& name);

// The one row of `explain`.
[[nodiscard]] Result<nlohmann::ordered_json> explanation(const ApiView& view,
                                                         const std::string& name);

}  // namespace rackway::control
