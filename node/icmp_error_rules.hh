// SPDX-License-Identifier: Apache-2.0
// Which packets a router may answer with an ICMP error: RFC 1812 4.3.2.7 and RFC 4443 2.4 (e). The
// rules keep errors from answering errors, and one packet from being answered by many. In doubt
// (the ICMP type can not be read, the upper layer is unknown) there is no answer.
// Not known here, and for the caller to see to: broadcasts to a subnet, anycast sources.
// Pure functions.
#pragma once

#include "node/icmp_error.hh"

namespace rackway::node {

[[nodiscard]] bool may_be_answered(const IpPacket& packet, IcmpError with) noexcept;

}  // namespace rackway::node
