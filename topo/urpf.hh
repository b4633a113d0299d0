// SPDX-License-Identifier: Apache-2.0
// What an external port asks of a packet's source address (RFC 3704): nothing, that there is a
// route to it (loose), or that its route leads back to where the packet came from (strict).
#pragma once

#include <cstdint>

namespace rackway::topo {

enum class Urpf : std::uint8_t { off = 0, loose = 1, strict = 2 };
inline constexpr std::uint8_t kUrpfModes = 3;

}  // namespace rackway::topo
