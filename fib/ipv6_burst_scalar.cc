// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv6_burst.hh"

namespace rackway::fib {

void lookup_ipv6_scalar(const Ipv6View& view, const Ipv6Address* addresses, std::size_t count,
                        NextHopId* out) noexcept {
  Ipv6Burst<Scalar>::run(view, addresses, count, out);
}

}  // namespace rackway::fib
