// SPDX-License-Identifier: Apache-2.0
// Blocks of whole cache lines, 1 to some ten thousand, in one piece of memory, named by the index
// of their first line. Freed blocks are kept by size; sizes are rounded up so that there are few
// and a block that changes a little keeps its place. One writer while nobody reads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fib/reserved_memory.hh"

namespace rackway::fib {

inline constexpr std::size_t kLineBytes = 64;

class LineArena {
 public:
  struct Block {
    std::uint32_t line = 0;
    std::uint32_t lines = 0;  // as rounded; 0: no block
  };

  // front: lines at the beginning that belong to the owner.
  LineArena(std::size_t front, std::size_t capacity) : memory_(capacity) {
    (void)memory_.extend(front * kLineBytes);
  }

  [[nodiscard]] std::byte* at(std::uint32_t line) noexcept {
    return memory_.data() + std::size_t{line} * kLineBytes;
  }
  [[nodiscard]] const std::byte* at(std::uint32_t line) const noexcept {
    return memory_.data() + std::size_t{line} * kLineBytes;
  }

  // A block of that many lines in the place of `old` if that is of the same size.
  [[nodiscard]] Block replace(Block old, std::uint32_t lines) {
    const Block wanted{0, rounded(lines)};
    if (wanted.lines == old.lines) return old;
    give_back(old);
    auto& free = free_of(wanted.lines);
    if (free.empty()) {
      const std::size_t at = memory_.extend(wanted.lines * kLineBytes);
      return {static_cast<std::uint32_t>(at / kLineBytes), wanted.lines};
    }
    const std::uint32_t line = free.back();
    free.pop_back();
    return {line, wanted.lines};
  }
  void give_back(Block block) {
    if (block.lines > 0) free_of(block.lines).push_back(block.line);
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.used(); }

 private:
  // To four sizes between one power of two and the next.
  static std::uint32_t rounded(std::uint32_t lines) {
    if (lines <= 4) return lines;
    const std::uint32_t step = std::bit_floor(lines - 1) / 4;
    return (lines + step - 1) / step * step;
  }
  static std::size_t class_of(std::uint32_t lines) {
    if (lines <= 4) return lines;
    const auto power = static_cast<unsigned>(std::bit_width(lines - 1)) - 1;
    return 4 * std::size_t{power} + (lines - 1) / (std::size_t{1} << (power - 2));
  }
  std::vector<std::uint32_t>& free_of(std::uint32_t lines) {
    const std::size_t size_class = class_of(lines);
    if (free_.size() <= size_class) free_.resize(size_class + 1);
    return free_[size_class];
  }

  ReservedMemory memory_;
  std::vector<std::vector<std::uint32_t>> free_;  // by class of size
};

}  // namespace rackway::fib
