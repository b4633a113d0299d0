// SPDX-License-Identifier: Apache-2.0
// The ICMP and ICMPv6 error messages of a router: RFC 792, RFC 1812 4.3, RFC 1191, RFC 4443. Which
// packets may be answered is in icmp_error_rules.hh, how often in icmp_limiter.hh; ask both first.
// A message is a frame of its own, in one segment: an Ethernet header whose addresses are still
// zero, the IP header, the ICMP header, and a quote of the packet as it lies in its frame. Build it
// before the packet's TTL is decremented, as the quote shows what the sender sent.
// A builder belongs to one forwarding core.
#pragma once

#include <rte_mbuf.h>

#include <cstdint>

#include "base/ip_address.hh"
#include "node/ip_packet.hh"

namespace rackway::node {

enum class IcmpError : std::uint8_t {  // ICMP type/code       ICMPv6
  ttl_exceeded,                        // 11/0                 3/0
  no_route,                            // 3/0                  1/0
  host_unreachable,                    // 3/1                  1/3
  prohibited,                          // 3/13                 1/1
  too_big,                             // 3/4, with the MTU    2/0, with the MTU
  beyond_scope,                        // not in IPv4          1/2
};

inline constexpr std::uint8_t kIcmpHopLimit = 64;

struct IcmpReport {
  IcmpError error;
  IpAddress source;                        // of the message; the packet's family
  std::uint16_t mtu{};                     // too_big: octets of IP that the next hop takes
  std::uint8_t hop_limit = kIcmpHopLimit;  // one more for a message that is to be forwarded
};

class IcmpErrorBuilder {
 public:
  explicit IcmpErrorBuilder(rte_mempool& pool) : pool_(pool) {}

  // Null when the pool is empty or its buffers are too small.
  [[nodiscard]] rte_mbuf* build(const IpPacket& about, const IcmpReport& report) noexcept;

 private:
  rte_mempool& pool_;
  std::uint16_t next_id_{0};
};

}  // namespace rackway::node
