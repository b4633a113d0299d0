// SPDX-License-Identifier: Apache-2.0
// Stage 1 on an external port: recognises, without a branch that depends on a packet, those that
// need no second look: to the port's own MAC, IPv4 without options or IPv6 whose next header is no
// extension and not ICMP, header right in every respect, unicast addresses of no special range, TTL
// not spent. Most traffic is like that. Everything else is left to the careful stages, whose rules
// (EthernetCheck, Ipv4Check, Ipv6Check) this stage never contradicts: what is plain here they would
// leave undecided with the same facts. tests/node/plain_check_test.cc holds both against each
// other.
#pragma once

#include "node/burst.hh"
#include "node/stage/plain_frames.hh"

namespace rackway::node {

class PlainCheck {
 public:
  explicit PlainCheck(PlainFrames plain = choose_plain_frames()) : plain_(plain) {}

  // Requires octets. Sets plain, ipv4, ipv6 and the facts of those of the slots that are plain.
  void run(Burst& burst, Mask among, const Context& context) const noexcept;

 private:
  PlainFrames plain_;
};

}  // namespace rackway::node
