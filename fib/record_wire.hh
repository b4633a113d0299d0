// SPDX-License-Identifier: Apache-2.0
// FIB records as bytes, for messages and files: docs/wire_format.md. A change here is a change of
// the version of each.
#pragma once

#include "base/wire.hh"
#include "fib/records.hh"

namespace rackway::fib {

void write_address(WireWriter& out, const IpAddress& address);
[[nodiscard]] IpAddress read_address(WireReader& in);

void write(WireWriter& out, const Digest& digest);
[[nodiscard]] Digest read_digest(WireReader& in);

void write(WireWriter& out, const Delta& delta);
// Makes the reader bad on anything out of its range.
[[nodiscard]] Delta read_delta(WireReader& in);

}  // namespace rackway::fib
