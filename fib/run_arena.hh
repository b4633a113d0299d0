// SPDX-License-Identifier: Apache-2.0
// Runs of 64 cells as lookups read them: a bitmap in which bit i says that a run begins at cell i,
// and behind it one leaf for each run, of 1, 2 or 4 octets. Sizes are powers of two from 16 octets
// on and aligned to themselves, so that up to 64 octets one cache line holds all. A single run for
// a next hop is shared by all who need it. Named by the octet at which it begins; at 0 is the
// single run of leaf 0, also in fresh memory. One writer while nobody reads.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fib/cell_run.hh"
#include "fib/hash_map.hh"
#include "fib/reserved_memory.hh"

namespace rackway::fib {

template <class Leaf>
class RunArena {
 public:
  using Ref = std::uint32_t;

  struct Placed {
    Ref ref;
    std::uint64_t inner_runs;  // those that do not show the outer next hop: bit i for the i-th run
  };

  // The owner's references lie in the same memory, so that few pages hold all that lookups read.
  RunArena(std::size_t refs, std::size_t capacity);

  [[nodiscard]] Ref* refs() noexcept { return reinterpret_cast<Ref*>(memory_.data() + kFront); }
  [[nodiscard]] const Ref* refs() const noexcept {
    return reinterpret_cast<const Ref*>(memory_.data() + kFront);
  }
  [[nodiscard]] const std::byte* at(Ref ref) const noexcept { return memory_.data() + ref; }
  // The leaf of one cell, 0..63, of a block at(ref).
  [[nodiscard]] static Leaf leaf(const std::byte* block, unsigned cell) noexcept {
    std::uint64_t starts;
    std::memcpy(&starts, block, sizeof starts);
    const int run = std::popcount(starts << (63 - cell));
    Leaf leaf;
    std::memcpy(&leaf, block + sizeof starts + static_cast<std::size_t>(run - 1) * sizeof leaf,
                sizeof leaf);
    return leaf;
  }

  [[nodiscard]] Ref single(Leaf leaf);
  // In the place of `old` if it is of the same size, else in another, and `old` is given back.
  [[nodiscard]] Placed replace(Ref old, const CellRun& cells);
  void give_back(Ref ref);
  // Another leaf for the outer runs of a block.
  [[nodiscard]] Ref repaint(Ref ref, std::uint64_t inner_runs, Leaf leaf);
  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.used(); }

 private:
  static constexpr std::size_t kGranule = 16;
  static constexpr std::size_t kClasses = 6;  // 16 to 512 octets
  static constexpr std::size_t kFront = 64;   // the block of index 0; then the owner's references

  static unsigned class_of(unsigned runs) {
    const std::size_t size = sizeof(std::uint64_t) + runs * sizeof(Leaf);
    return static_cast<unsigned>(std::bit_width((size - 1) / kGranule));
  }
  [[nodiscard]] std::byte* writable(Ref ref) noexcept { return memory_.data() + ref; }
  [[nodiscard]] unsigned runs_of(Ref ref) const {
    std::uint64_t starts;
    std::memcpy(&starts, at(ref), sizeof starts);
    return static_cast<unsigned>(std::popcount(starts));
  }
  [[nodiscard]] bool shared(Ref ref) const { return runs_of(ref) == 1; }
  [[nodiscard]] Ref take(unsigned size_class);
  void refill(unsigned size_class);

  ReservedMemory memory_;
  std::array<std::vector<Ref>, kClasses> free_;
  HashMap<Leaf, Ref> singles_;
};

template <class Leaf>
RunArena<Leaf>::RunArena(std::size_t refs, std::size_t capacity) : memory_(capacity) {
  (void)memory_.extend(kFront + refs * sizeof(Ref));
  const std::uint64_t one_run = 1;
  std::memcpy(writable(0), &one_run, sizeof one_run);
}

template <class Leaf>
auto RunArena<Leaf>::single(Leaf leaf) -> Ref {
  if (leaf == 0) return 0;
  Ref& ref = singles_[leaf];
  if (ref == 0) {
    ref = take(0);
    const std::uint64_t one_run = 1;
    std::memcpy(writable(ref), &one_run, sizeof one_run);
    std::memcpy(writable(ref) + sizeof one_run, &leaf, sizeof leaf);
  }
  return ref;
}

template <class Leaf>
auto RunArena<Leaf>::replace(Ref old, const CellRun& cells) -> Placed {
  std::array<Leaf, kCells> leaves;
  std::uint64_t starts = 0, inner_runs = 0;
  unsigned runs = 0;
  cells.for_each_run([&](unsigned cell, std::uint32_t id, bool outer) {
    starts |= std::uint64_t{1} << cell;
    inner_runs |= std::uint64_t{!outer} << runs;
    leaves[runs++] = static_cast<Leaf>(id);
  });
  if (runs == 1) {
    give_back(old);
    return {single(leaves[0]), inner_runs};
  }
  const bool fits = !shared(old) && class_of(runs_of(old)) == class_of(runs);
  if (!fits) give_back(old);
  const Ref ref = fits ? old : take(class_of(runs));
  std::memcpy(writable(ref), &starts, sizeof starts);
  std::memcpy(writable(ref) + sizeof starts, leaves.data(), runs * sizeof(Leaf));
  return {ref, inner_runs};
}

template <class Leaf>
void RunArena<Leaf>::give_back(Ref ref) {
  if (!shared(ref)) free_[class_of(runs_of(ref))].push_back(ref);
}

template <class Leaf>
auto RunArena<Leaf>::repaint(Ref ref, std::uint64_t inner_runs, Leaf leaf) -> Ref {
  const unsigned runs = runs_of(ref);
  if (runs == 1) return inner_runs == 0 ? single(leaf) : ref;
  std::byte* const leaves = writable(ref) + sizeof(std::uint64_t);
  for (std::uint64_t rest = ~inner_runs << (kCells - runs) >> (kCells - runs); rest != 0;
       rest &= rest - 1) {
    const auto run = static_cast<std::size_t>(std::countr_zero(rest));
    std::memcpy(leaves + run * sizeof leaf, &leaf, sizeof leaf);
  }
  return ref;
}

template <class Leaf>
auto RunArena<Leaf>::take(unsigned size_class) -> Ref {
  if (free_[size_class].empty()) refill(size_class);
  const Ref ref = free_[size_class].back();
  free_[size_class].pop_back();
  return ref;
}

// One piece of fresh memory, aligned to the greatest size, cut into blocks of the class.
template <class Leaf>
void RunArena<Leaf>::refill(unsigned size_class) {
  constexpr std::size_t kPiece = kGranule << (kClasses - 1);
  const std::size_t unaligned = memory_.used() % kPiece;
  const std::size_t begin = memory_.extend(unaligned == 0 ? kPiece : 2 * kPiece - unaligned);
  const std::size_t first = (begin + kPiece - 1) / kPiece * kPiece;
  const std::size_t step = kGranule << size_class;
  for (std::size_t at = kPiece; at > 0; at -= step) {
    free_[size_class].push_back(static_cast<Ref>(first + at - step));
  }
}

}  // namespace rackway::fib
