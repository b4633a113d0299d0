// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv6_burst.hh"

namespace rackway::fib {

#if defined(__AVX2__)
void lookup_ipv6_avx2(const Ipv6View& view, const Ipv6Address* addresses, std::size_t count,
                      NextHopId* out) noexcept {
  Ipv6Burst<Avx2>::run(view, addresses, count, out);
}
#endif

}  // namespace rackway::fib
