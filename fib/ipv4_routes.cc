// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv4_routes.hh"

#include <algorithm>
#include <utility>

namespace rackway::fib {
namespace {

auto first_from(auto& block, std::uint32_t key) {
  // New routes mostly come in order.
  if (block.empty() || block.back().key < key) return block.end();
  return std::lower_bound(
      block.begin(), block.end(), key,
      [](const auto& record, std::uint32_t wanted) { return record.key < wanted; });
}

}  // namespace

std::optional<NextHopId> Ipv4Routes::set(std::uint32_t address, unsigned length,
                                         NextHopId next_hop) {
  auto& block = blocks_[address >> 16];
  const std::uint32_t key = key_of(address, length);
  const auto at = first_from(block, key);
  if (at != block.end() && at->key == key) return std::exchange(at->next_hop, next_hop);
  block.insert(at, {key, next_hop});
  ++size_;
  return std::nullopt;
}

std::optional<NextHopId> Ipv4Routes::remove(std::uint32_t address, unsigned length) {
  auto& block = blocks_[address >> 16];
  const std::uint32_t key = key_of(address, length);
  const auto at = first_from(block, key);
  if (at == block.end() || at->key != key) return std::nullopt;
  const NextHopId before = at->next_hop;
  block.erase(at);
  if (block.empty()) block = {};
  --size_;
  return before;
}

std::optional<NextHopId> Ipv4Routes::find(std::uint32_t address, unsigned length) const {
  const auto& block = blocks_[address >> 16];
  const std::uint32_t key = key_of(address, length);
  const auto at = first_from(block, key);
  if (at == block.end() || at->key != key) return std::nullopt;
  return at->next_hop;
}

// Shorter routes that begin at the same address come before the first, none behind it.
std::span<const Ipv4Routes::Record> Ipv4Routes::below(std::uint32_t address,
                                                      unsigned length) const {
  const auto& block = blocks_[address >> 16];
  const std::uint32_t end = (address & 0xffff) + (std::uint32_t{1} << (32 - length));
  const auto first = first_from(block, key_of(address, length + 1));
  const auto last =
      std::find_if(first, block.end(), [end](const Record& record) { return record.low() >= end; });
  return {first, last};
}

std::span<const Ipv4Routes::Record> Ipv4Routes::behind(std::uint32_t high,
                                                       std::optional<Place> last) const {
  const auto& block = blocks_[high];
  if (!last) return block;
  return {first_from(block, key_of(last->address, last->length) + 1), block.end()};
}

std::size_t Ipv4Routes::bytes() const {
  std::size_t bytes = blocks_.capacity() * sizeof(blocks_[0]);
  for (const auto& block : blocks_) bytes += block.capacity() * sizeof(Record);
  return bytes;
}

}  // namespace rackway::fib
