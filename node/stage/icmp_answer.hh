// SPDX-License-Identifier: Apache-2.0
// Tells the senders of packets that Resolve stopped why: ICMP errors, from an address of the router
// on the port where the packet came in, as often as the limiter lets. They are frames like others
// and find their way by a lookup of their own. An asker on the port's own link whom the router does
// not know, or whose address is link-local, gets his straight back to the MAC that his frame came
// from. Which packets are answered at all is said in icmp_error_rules.hh; counted are, at the
// packet's port, the errors that were sent and those that were due and were not: too many, no
// address to send them from, no buffer, or nobody there to send them to.
#pragma once

#include "node/generated.hh"
#include "node/icmp_error.hh"
#include "node/icmp_limiter.hh"

namespace rackway::node {

class IcmpAnswer {
 public:
  IcmpAnswer(std::size_t ports, rte_mempool& pool, Pace pace)
      : limiter_(ports, pace), builder_(pool) {}

  // At most one frame for each slot of the burst; there is room for them.
  void run(const Burst& burst, const Context& context, Generated& generated) noexcept;

 private:
  // False when the answer is withheld.
  [[nodiscard]] bool answer(const Burst& burst, std::size_t i, const IpPacket& packet,
                            const Context& context, Generated& generated) noexcept;

  IcmpLimiter limiter_;
  IcmpErrorBuilder builder_;
};

}  // namespace rackway::node
