// SPDX-License-Identifier: Apache-2.0
#include "fib/processor.hh"
#include "node/slot_mask.hh"
#include "node/stage/departures.hh"

namespace rackway::node {
namespace {

void sort(const Burst& burst, Mask slots, Departures& sorted) noexcept {
  std::size_t groups = 0, frames = 0;
  while (slots != 0) {
    const std::uint16_t output = burst.output[static_cast<std::size_t>(std::countr_zero(slots))];
    const Mask leaving = equal(burst.output, output) & slots;
    slots &= ~leaving;
    const std::size_t first = frames;
    std::uint64_t bytes = 0;
    for_each(leaving, [&](std::size_t i) {
      sorted.frames[frames++] = burst.frames[i];
      bytes += burst.frames[i]->pkt_len;
    });
    sorted.groups[groups++] = {leaving, bytes, output, static_cast<std::uint16_t>(first),
                               static_cast<std::uint16_t>(frames - first)};
  }
  sorted.size = groups;
}

}  // namespace

SortByOutput sort_by_output_scalar() noexcept {
  return sort;
}

SortByOutput choose_sort_by_output() noexcept {
  return fib::runs_avx512() ? sort_by_output_avx512() : sort_by_output_scalar();
}

}  // namespace rackway::node
