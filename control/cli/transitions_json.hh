// SPDX-License-Identifier: Apache-2.0
// What `rackway plan --transitions --json` prints.
#pragma once

#include <string>
#include <vector>

#include "topo/plan/transitions.hh"

namespace rackway::cli {

[[nodiscard]] std::string transitions_json(const std::vector<plan::Transition>& transitions);

}  // namespace rackway::cli
