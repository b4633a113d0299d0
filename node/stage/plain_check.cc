// SPDX-License-Identifier: Apache-2.0
#include "node/stage/plain_check.hh"

#include <rte_ether.h>

#include "base/byte_order.hh"
#include "node/stage/rewrite.hh"

namespace rackway::node {
namespace {

bool begins_with_ipv6(const Burst& burst) noexcept {
  return burst.size > 0 && burst.frames[0]->data_len >= kLeastPlainFrame &&
         load_be<std::uint16_t>(burst.octets[0] + 12) == RTE_ETHER_TYPE_IPV6;
}

}  // namespace

void PlainCheck::run(Burst& burst, Mask among, const Context& context) const noexcept {
  const std::uint64_t mac = mac_word(context.in.mac);
  Mask ipv4, ipv6;
  // The family of the first packet first: often it is that of all.
  if (begins_with_ipv6(burst)) {
    ipv6 = plain_.ipv6(burst, among, mac);
    ipv4 = plain_.ipv4(burst, among & ~ipv6, mac);
  } else {
    ipv4 = plain_.ipv4(burst, among, mac);
    ipv6 = plain_.ipv6(burst, among & ~ipv4, mac);
  }
  burst.ipv4 |= ipv4;
  burst.ipv6 |= ipv6;
  burst.plain |= ipv4 | ipv6;
}

}  // namespace rackway::node
