// SPDX-License-Identifier: Apache-2.0
// The API's `explain` as text for people: which source won over which, through which recursion, to
// which group, adjacencies and nodes. JSON goes in here and no further.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rackway::cli {

[[nodiscard]] std::string explain_text(const nlohmann::ordered_json& row);

}  // namespace rackway::cli
