// SPDX-License-Identifier: Apache-2.0
// The route part of netlink_messages.hh, apart because routes are most of it: one destination, one
// or many next hops in three notations (RTA_GATEWAY, RTA_VIA, RTA_MULTIPATH). Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "control/kernel/netlink_attributes.hh"
#include "control/kernel/netlink_messages.hh"

namespace rackway::control {

// AF_INET, AF_INET6; else nullopt.
[[nodiscard]] std::optional<Family> family_of(unsigned address_family);

// payload is what follows the netlink header, whose flags are given.
[[nodiscard]] std::optional<NetlinkMessage> parse_route(bool removed, std::uint16_t message_flags,
                                                        Bytes payload);

}  // namespace rackway::control
