// SPDX-License-Identifier: Apache-2.0
// The blocks of a multibit trie: equal arrays of 32-bit entries in one piece of memory, named by
// index, cache-line aligned, recycled through a free list. Beside each block stands its use count,
// which the trie keeps. Memory goes back to the system when the last block is given back.
// Pointers into blocks are valid until the next take() or give_back(). Not thread-safe for writers.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rackway::fib {

template <std::size_t kEntries>
class BlockArena {
 public:
  using Entry = std::uint32_t;
  using Index = std::uint32_t;

  // A block of which every entry is `fill`, with a use count of 0.
  [[nodiscard]] Index take(Entry fill) {
    Index block = static_cast<Index>(blocks_.size());
    if (free_.empty()) {
      blocks_.emplace_back();
      uses_.push_back(0);
    } else {
      block = free_.back();
      free_.pop_back();
    }
    blocks_[block].entries.fill(fill);
    return block;
  }

  void give_back(Index block) {
    assert(uses_[block] == 0);
    free_.push_back(block);
    if (in_use() == 0) *this = BlockArena();
  }

  [[nodiscard]] Entry* entries(Index block) noexcept { return blocks_[block].entries.data(); }
  [[nodiscard]] const Entry* entries(Index block) const noexcept {
    return blocks_[block].entries.data();
  }
  [[nodiscard]] std::uint16_t& uses(Index block) noexcept { return uses_[block]; }
  [[nodiscard]] std::size_t in_use() const noexcept { return blocks_.size() - free_.size(); }
  // Octets held for blocks, free ones included.
  [[nodiscard]] std::size_t bytes() const noexcept { return blocks_.capacity() * sizeof(Block); }

 private:
  struct alignas(64) Block {
    std::array<Entry, kEntries> entries;
  };
  std::vector<Block> blocks_;
  std::vector<std::uint16_t> uses_;
  std::vector<Index> free_;
};

}  // namespace rackway::fib
