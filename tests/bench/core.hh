// SPDX-License-Identifier: Apache-2.0
// Which core a thread runs on.
#pragma once

#include <optional>

namespace rackway::bench {

// Of those that this process may use.
[[nodiscard]] int last_core();
[[nodiscard]] bool may_use_core(int core);
// One that is not the core given; none if there is none.
[[nodiscard]] std::optional<int> other_core(int core);

void pin_to_core(int core);

}  // namespace rackway::bench
