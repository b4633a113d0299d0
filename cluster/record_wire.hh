// SPDX-License-Identifier: Apache-2.0
// FIB records as bytes, for the messages that carry deltas and snapshots.
#pragma once

#include "cluster/wire.hh"
#include "fib/records.hh"

namespace rackway::cluster {

void write(WireWriter& out, const fib::Delta& delta);
// Makes the reader bad on anything out of its range.
[[nodiscard]] fib::Delta read_delta(WireReader& in);

}  // namespace rackway::cluster
