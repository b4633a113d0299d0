// SPDX-License-Identifier: Apache-2.0
// The orders of the API that are about routes (docs/api.md): {"order": "route-add", ...}. JSON
// stays in here.
#pragma once

#include <optional>
#include <string>

#include "base/result.hh"
#include "control/operator_routes.hh"

namespace rackway::control {

struct RouteOrderDone {
  std::string answer;    // rows; empty: what answers `question`
  std::string question;  // whose answer shows what came of it
};

// Nothing if the request is no such order. Else it has been carried out, or the error says why not.
[[nodiscard]] std::optional<Result<RouteOrderDone>> follow_route_order(const std::string& request,
                                                                       OperatorRoutes& routes);

}  // namespace rackway::control
