// SPDX-License-Identifier: Apache-2.0
// The IPv4 routes of a table in order of address, then length: one sorted array for each 2^16
// addresses, so that what a lookup structure is made of lies together and a change moves little.
// One writer while nobody reads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fib/next_hop_id.hh"

namespace rackway::fib {

class Ipv4Routes {
 public:
  // A route whose address's upper 16 bits are known from where it stands.
  struct Record {
    std::uint32_t key;  // lower 16 bits of the address, then 8 bits of length: sorts as wanted
    NextHopId next_hop;
    [[nodiscard]] unsigned length() const { return key & 0xff; }
    [[nodiscard]] unsigned low() const { return key >> 8; }
  };

  Ipv4Routes() : blocks_(kBlocks) {}

  // Both return what the prefix had before. Host bits are clear, the length is at most 32.
  std::optional<NextHopId> set(std::uint32_t address, unsigned length, NextHopId next_hop);
  std::optional<NextHopId> remove(std::uint32_t address, unsigned length);
  [[nodiscard]] std::optional<NextHopId> find(std::uint32_t address, unsigned length) const;

  // The routes longer than `length` within the prefix of that length, which is 16 or more.
  [[nodiscard]] std::span<const Record> below(std::uint32_t address, unsigned length) const;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const;

  struct Place {
    std::uint32_t address;
    unsigned length;
  };
  // visit(address, length, next_hop) for at most that many routes behind the place, in order; from
  // the first on if there is none.
  template <class Visit>
  void visit_after(std::optional<Place> last, std::size_t most, Visit visit) const {
    for (std::uint32_t high = last ? last->address >> 16 : 0; most > 0 && high < kBlocks; ++high) {
      for (const Record& record : behind(high, last)) {
        if (most-- == 0) return;
        visit(high << 16 | record.low(), record.length(), record.next_hop);
      }
      last.reset();
    }
  }

  // visit(address, length, next_hop) for every route, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t high = 0; high < kBlocks; ++high) {
      for (const Record& record : blocks_[high]) {
        visit(high << 16 | record.low(), record.length(), record.next_hop);
      }
    }
  }

 private:
  static constexpr std::uint32_t kBlocks = 1u << 16;
  static std::uint32_t key_of(std::uint32_t address, unsigned length) {
    return (address & 0xffff) << 8 | length;
  }

  // Of one block.
  [[nodiscard]] std::span<const Record> behind(std::uint32_t high, std::optional<Place> last) const;

  std::vector<std::vector<Record>> blocks_;  // by the upper 16 bits
  std::size_t size_ = 0;
};

}  // namespace rackway::fib
