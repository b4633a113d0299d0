// SPDX-License-Identifier: Apache-2.0
// DPDK's implementations of longest-prefix match as engines. The EAL is up; nothing here outlives
// it. Each is loaded in the narrowest form that holds the table.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tests/bench/fib/engine.hh"

namespace rackway::bench {

template <class Address>
using Engines = std::vector<std::unique_ptr<Engine<Address>>>;

// rte_fib, DIR24_8: scalar, and AVX-512 where the processor has it; both read the same table.
[[nodiscard]] Engines<Ipv4Address> load_rte_fib(std::span<const fib::TableRoute> routes);
// rte_fib6, TRIE, in the same way.
[[nodiscard]] Engines<Ipv6Address> load_rte_fib6(std::span<const fib::TableRoute> routes);
// rte_lpm by rte_lpm_lookup_bulk() and by rte_lpm_lookupx4(). A full table takes minutes: each rule
// is first sought among all of its length.
[[nodiscard]] Engines<Ipv4Address> load_rte_lpm(std::span<const fib::TableRoute> routes);
[[nodiscard]] Engines<Ipv6Address> load_rte_lpm6(std::span<const fib::TableRoute> routes);

}  // namespace rackway::bench
