// SPDX-License-Identifier: Apache-2.0
// The two forms of ZeroMQ endpoint that Rackway uses: tcp://HOST:PORT, where HOST is a name, an
// IPv4 address, an IPv6 address in brackets or * (all of the machine's addresses), and ipc:///PATH.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rackway::topo {

// What is wrong with the endpoint, in a few words; nothing if it is well formed.
[[nodiscard]] std::optional<std::string> endpoint_fault(std::string_view endpoint);

// Whether nobody but the owner of a file can reach it, which is so for ipc:// alone: every user of
// this machine can reach its loopback addresses.
[[nodiscard]] bool is_private_endpoint(std::string_view endpoint);

}  // namespace rackway::topo
