// SPDX-License-Identifier: Apache-2.0
// A burst of IPv6 lookups with single loads: in passes over those addresses that have not come to
// an end, each pass one node further, so that the misses of a pass overlap. The lists of who goes
// on are kept without branches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fib/ipv6_walk.hh"

namespace rackway::fib {
namespace {

template <class Isa>
class Ipv6Burst {
 public:
  // What a burst function promises.
  [[gnu::always_inline]] static void run(const Ipv6View& view, const Ipv6Address* addresses,
                                         std::size_t count, NextHopId* out) noexcept {
    Ipv6Burst burst{view, addresses, out};
    burst.pass_root(count);
    burst.pass_tables();
    burst.sort_by_kind(count);
    switch (view.log_width) {
      case 0: burst.pass_leaves<0>(); break;
      case 1: burst.pass_leaves<1>(); break;
      default: burst.pass_leaves<2>();
    }
    burst.leave_to_root(count);
  }

 private:
  Ipv6Burst(const Ipv6View& view, const Ipv6Address* addresses, NextHopId* out)
      : view_(view), addresses_(addresses), out_(out) {}

  [[gnu::always_inline]] void pass_root(std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const auto head = load_be<std::uint64_t>(addresses_[i].bytes.data());
      heads_[i] = head;
      const Ipv6Cell cell = root_cells(view_.base)[head >> 48];
      cells_[i] = cell;
      note(list_, on_the_way_, i, cell, kTables);
    }
  }

  // Bits behind kReach of the first base are behind the head.
  [[nodiscard, gnu::always_inline]] std::uint32_t window(std::size_t i, Ipv6Cell cell) noexcept {
    return static_cast<std::uint32_t>(heads_[i] << kFirstBase << skip_of(cell) >> 32);
  }

  using List = std::array<std::uint16_t, kIpv6Burst + 1>;  // one may be written too much

  // On a list if the first four bits of its cell are among those kinds. In arithmetic, as compilers
  // make a branch of a choice, and this one can not be foreseen.
  static constexpr std::uint32_t kTables = ((1u << kShortLeaf) - 1) << 8;
  [[gnu::always_inline]] static void note(List& list, std::size_t& count, std::size_t i,
                                          Ipv6Cell cell, std::uint32_t kinds) noexcept {
    list[count] = static_cast<std::uint16_t>(i);
    count += kinds >> (cell >> kKindBit) & 1;
  }

  [[gnu::always_inline]] void pass_tables() noexcept {
    std::size_t open = on_the_way_;
    while (open > 0) {
      std::size_t again = 0;
      for (std::size_t n = 0; n < open; ++n) {
        const std::size_t i = list_[n];
        const Ipv6Cell table = cells_[i];
        const std::uint32_t value = window(i, table) >> (kLongBits - stride_of(table));
        const Ipv6Cell cell = cell_at<2>(view_.base + offset_of(table), value);
        cells_[i] = cell;
        __builtin_prefetch(view_.base + offset_of(cell));
        note(list_, again, i, cell, kTables);
      }
      open = again;
    }
  }

  // Who has come to an end, and who asks for which kind of line.
  [[gnu::always_inline]] void sort_by_kind(std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const Ipv6Cell cell = cells_[i];
      out_[i].value = cell;
      note(shorts_, short_count_, i, cell, 1u << (8 + kShortLeaf));
      note(longs_, long_count_, i, cell, 1u << (8 + kLongLeaf));
      note(forks_, forked_, i, cell, 1u << (8 + kFork));
    }
  }

  template <unsigned log_width>
  [[gnu::always_inline]] void pass_leaves() noexcept {
    for (std::size_t n = 0; n < short_count_; ++n) {
      const std::size_t i = shorts_[n];
      const Ipv6Cell leaf = cells_[i];
      out_[i].value = in_leaf<Isa, log_width>(view_.base + offset_of(leaf), true, window(i, leaf));
    }
    for (std::size_t n = 0; n < long_count_; ++n) {
      const std::size_t i = longs_[n];
      const Ipv6Cell leaf = cells_[i];
      out_[i].value = in_leaf<Isa, log_width>(view_.base + offset_of(leaf), false, window(i, leaf));
    }
    for (std::size_t n = 0; n < forked_; ++n) {
      const std::size_t i = forks_[n];
      out_[i].value = walk<Isa>(view_, cells_[i], addresses_[i]);
    }
  }

  [[gnu::always_inline]] void leave_to_root(std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      if (out_[i].value == 0) out_[i].value = root_next_hops(view_.base)[heads_[i] >> 48];
    }
  }

  const Ipv6View view_;
  const Ipv6Address* const addresses_;
  NextHopId* const out_;
  std::size_t on_the_way_ = 0, short_count_ = 0, long_count_ = 0, forked_ = 0;
  std::array<std::uint64_t, kIpv6Burst> heads_;
  std::array<Ipv6Cell, kIpv6Burst> cells_;
  List list_, shorts_, longs_, forks_;
};

}  // namespace
}  // namespace rackway::fib
