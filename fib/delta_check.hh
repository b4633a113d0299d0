// SPDX-License-Identifier: Apache-2.0
// Whether a delta may be applied to a FIB: everything that Fib::apply() refuses is found here,
// before anything changes. Costs what the delta costs, not what the FIB holds.
#pragma once

#include "base/result.hh"
#include "fib/fib_content.hh"
#include "fib/records.hh"

namespace rackway::fib {

// The error names the first record at fault.
[[nodiscard]] Result<void> check_delta(const FibContent& content, const Delta& delta);

}  // namespace rackway::fib
