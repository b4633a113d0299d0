// SPDX-License-Identifier: Apache-2.0
// What `rackway plan` prints for people.
#pragma once

#include <string>
#include <vector>

#include "topo/plan/planner.hh"
#include "topo/plan/recabling.hh"
#include "topo/plan/transitions.hh"

namespace rackway::cli {

[[nodiscard]] std::string report_text(const plan::Report& report);
[[nodiscard]] std::string catalogue_text(const plan::Catalogue& catalogue);
[[nodiscard]] std::string transitions_text(const std::vector<plan::Transition>& transitions);
[[nodiscard]] std::string recabling_text(const plan::Recabling& recabling);

}  // namespace rackway::cli
