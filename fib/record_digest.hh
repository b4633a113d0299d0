// SPDX-License-Identifier: Apache-2.0
// The 128-bit hash of one record, and the sum that makes the digest of a FIB of them. The hash is
// XXH3_128bits, seed 0, of the record's canonical bytes: fixed widths, big-endian, fields in this
// order, an address always as family (4 or 6) and 16 octets of which IPv4 uses the first four:
//   adjacency     u8 1, u16 node, u32 index, u16 port, 6 octets MAC, u16 mtu, address next hop
//   group         u8 2, u32 id, u8 kind, u16 members, each: u16 node, u32 index, u16 weight
//   route         u8 3, address, u8 length, u32 group
//   port address  u8 4, u16 node, u16 port, address, u8 length
// Nodes of different builds compare digests, so a change here is a change of the wire format.
#pragma once

#include "fib/records.hh"

namespace rackway::fib {

[[nodiscard]] Digest digest_of(const Adjacency& adjacency);
[[nodiscard]] Digest digest_of(const Group& group);  // at most kMaxGroupMembers members
[[nodiscard]] Digest digest_of(const Route& route);
[[nodiscard]] Digest digest_of(const PortAddress& address);
// Of a FIB of the records that the delta sets; what it removes is not looked at.
[[nodiscard]] Digest digest_of(const Delta& content);

// Both halves apart, mod 2^64.
inline Digest& operator+=(Digest& sum, const Digest& record) {
  sum.high += record.high;
  sum.low += record.low;
  return sum;
}
inline Digest& operator-=(Digest& sum, const Digest& record) {
  sum.high -= record.high;
  sum.low -= record.low;
  return sum;
}

}  // namespace rackway::fib
