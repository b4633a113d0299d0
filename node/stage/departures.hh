// SPDX-License-Identifier: Apache-2.0
// The frames of a burst sorted by the output that they leave by, in two forms that give the same.
// The one for AVX-512 has no loop whose length hangs on a packet, as there are often many outputs
// with a few frames each.
#pragma once

#include <array>
#include <cstdint>

#include "node/burst.hh"

namespace rackway::node {

struct Departures {
  struct Group {
    Mask slots;
    std::uint64_t bytes;  // of all its frames
    std::uint16_t output;
    std::uint16_t first, size;  // in frames
  };
  std::size_t size{};
  std::array<Group, kBurst> groups;  // outputs in order of their first slots
  // Group after group, each in order of its slots; vectors write beyond the last.
  std::array<rte_mbuf*, kBurst + 8> frames;
};

// Of those slots, whose outputs are known.
using SortByOutput = void (*)(const Burst& burst, Mask slots, Departures& sorted) noexcept;
[[nodiscard]] SortByOutput sort_by_output_scalar() noexcept;
[[nodiscard]] SortByOutput sort_by_output_avx512() noexcept;
// The best that this processor runs.
[[nodiscard]] SortByOutput choose_sort_by_output() noexcept;

}  // namespace rackway::node
