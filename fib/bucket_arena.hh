// SPDX-License-Identifier: Apache-2.0
// The buckets of all groups that have more than one, in one array, so that a position in it is all
// that has to be kept of a group. Blocks are powers of two; a freed one serves the next group of
// its size. One writer while nobody reads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fib/fib.hh"

namespace rackway::fib {

class BucketArena {
 public:
  // size: a power of two. Throws std::bad_alloc and has changed nothing then.
  [[nodiscard]] std::uint32_t allocate(std::size_t size) {
    auto& free = free_[order(size)];
    if (!free.empty()) {
      const std::uint32_t first = free.back();
      free.pop_back();
      return first;
    }
    free.reserve(blocks_[order(size)] + 1);  // releasing can not fail
    const auto first = static_cast<std::uint32_t>(buckets_.size());
    buckets_.resize(buckets_.size() + size);
    ++blocks_[order(size)];
    return first;
  }
  void release(std::uint32_t first, std::size_t size) noexcept {
    free_[order(size)].push_back(first);
  }
  void clear() noexcept { *this = {}; }

  [[nodiscard]] bool empty() const noexcept { return buckets_.empty(); }
  [[nodiscard]] const Bucket* data() const noexcept { return buckets_.data(); }
  [[nodiscard]] std::span<Bucket> block(std::uint32_t first, std::size_t size) noexcept {
    return {buckets_.data() + first, size};
  }

 private:
  static constexpr std::size_t kOrders = 17;  // up to 65,536 buckets
  static std::size_t order(std::size_t size) noexcept {
    return static_cast<std::size_t>(std::countr_zero(size));
  }

  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> free_[kOrders];
  std::size_t blocks_[kOrders]{};  // made of each size
};

}  // namespace rackway::fib
