// SPDX-License-Identifier: Apache-2.0
// Our own tables as an engine.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fib/ipv4_table.hh"
#include "fib/ipv6_table.hh"
#include "tests/bench/fib/engine.hh"

namespace rackway::bench {

template <class Table>
class OwnEngine final
    : public BulkEngine<OwnEngine<Table>, typename Table::Address, fib::NextHopId> {
 public:
  using Address = typename Table::Address;

  explicit OwnEngine(std::span<const fib::TableRoute> routes)
      : BulkEngine<OwnEngine, Address, fib::NextHopId>("rackway") {
    load_seconds_ = seconds([&] {
      table_ = Table();
      load(table_, routes);
    });
  }

  static void load(Table& table, std::span<const fib::TableRoute> routes) {
    for (const auto& route : routes) table.set(route.prefix, route.next_hop);
    table.refresh();
  }

  [[nodiscard]] Table& table() { return table_; }
  [[nodiscard]] const Table& table() const { return table_; }

  void look_up(const Address* addresses, fib::NextHopId* results) const {
    table_.lookup({addresses, kBurst}, {results, kBurst});
  }
  [[nodiscard]] std::uint32_t next_hop_of(fib::NextHopId id) const {
    return id == Table::kDefault ? kNoRoute : id.value;
  }
  void look_up_one_by_one(std::span<const Address> addresses) const override {
    for (const Address& address : addresses) {
      const fib::NextHopId id = table_.lookup(address);
      consume(&id);
    }
  }
  [[nodiscard]] bool has_one_by_one() const override { return true; }

  [[nodiscard]] bool apply(std::span<const Change> changes) override {
    for (const Change& change : changes) {
      if (change.next_hop == kNoRoute) {
        table_.remove(change.prefix);
      } else {
        table_.set(change.prefix, fib::NextHopId{change.next_hop});
      }
      table_.refresh();
    }
    return true;
  }
  [[nodiscard]] bool has_updates() const override { return true; }

  [[nodiscard]] double lookup_bytes() const override { return double(table_.lookup_bytes()); }
  [[nodiscard]] double load_seconds() const override { return load_seconds_; }

 private:
  Table table_;
  double load_seconds_;
};

}  // namespace rackway::bench
