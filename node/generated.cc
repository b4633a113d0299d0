// SPDX-License-Identifier: Apache-2.0
#include "node/generated.hh"

#include <rte_ether.h>

#include <algorithm>
#include <cstring>

#include "base/byte_order.hh"

namespace rackway::node {
namespace {

// What the checks find out about frames that come in.
void set_family_and_destination(Burst& burst, std::size_t i) noexcept {
  const std::uint8_t* const octets = burst.octets[i];
  const std::uint8_t* const ip = octets + RTE_ETHER_HDR_LEN;
  if (load_be<std::uint16_t>(octets + 12) == RTE_ETHER_TYPE_IPV4) {
    burst.ipv4 |= bit(i);
    burst.ipv4_destination[i].value = load_be<std::uint32_t>(ip + 16);
  } else {
    burst.ipv6 |= bit(i);
    std::memcpy(burst.ipv6_destination[i].bytes.data(), ip + 24, 16);
  }
}

}  // namespace

void Generated::fill(Burst& burst, std::size_t first, const Context& context) const noexcept {
  burst.begin(static_cast<std::uint16_t>(std::min<std::size_t>(size_ - first, kBurst)));
  for (std::size_t i = 0; i < burst.size; ++i) {
    burst.frames[i] = frames_[first + i];
    burst.octets[i] = rte_pktmbuf_mtod(burst.frames[i], std::uint8_t*);
    burst.flow_hash[i] = flow_hash_[first + i];
    set_family_and_destination(burst, i);
    if (way_[first + i] == Way::back) burst.transmit(i, context.port.value);
  }
}

}  // namespace rackway::node
