// SPDX-License-Identifier: Apache-2.0
#include <rte_fib6.h>
#include <rte_memory.h>

#include <array>
#include <stdexcept>
#include <string>

#include "tests/bench/fib/peer_engines.hh"
#include "tests/bench/fib/peer_sizes.hh"

namespace rackway::bench {
namespace {

// It counts what it sets aside by rules that withdrawing and announcing again do not balance, so
// that kUpdates of them use up a fifth more than loading did. In per cent of the latter.
constexpr std::uint32_t kUpdateReserve = 140;

struct Loaded {
  struct Close {
    void operator()(rte_fib6* table) const { rte_fib6_free(table); }
  };
  std::unique_ptr<rte_fib6, Close> fib;
  unsigned octets;  // of a next hop
  double lookup_bytes, seconds;
};

bool announce(rte_fib6& fib, const IpPrefix& prefix, std::uint32_t next_hop) {
  return rte_fib6_add(&fib, prefix.address.data(), prefix.length, next_hop) == 0;
}

bool load(Loaded& loaded, std::span<const fib::TableRoute> routes, rte_fib_trie_nh_sz width,
          std::uint32_t groups) {
  rte_fib6_conf config{};
  config.type = RTE_FIB6_TRIE;
  config.default_nh = kNoRoute;
  config.max_routes = static_cast<int>(routes.size()) + 1024;
  config.trie.nh_sz = width;
  config.trie.num_tbl8 = groups;
  loaded.fib.reset();
  bool complete = false;
  loaded.seconds = seconds([&] {
    loaded.fib.reset(rte_fib6_create("fib", SOCKET_ID_ANY, &config));
    complete = loaded.fib != nullptr;
    for (const auto& [prefix, next_hop] : routes) {
      complete = complete && announce(*loaded.fib, prefix, next_hop.value);
    }
  });
  loaded.octets = 1u << width;
  loaded.lookup_bytes = ((1u << 24) + 256.0 * groups) * loaded.octets;
  return complete;
}

class RteFib6Engine final : public BulkEngine<RteFib6Engine, Ipv6Address, std::uint64_t> {
 public:
  RteFib6Engine(std::shared_ptr<Loaded> loaded, rte_fib6_lookup_type type, const std::string& how)
      : BulkEngine("rte_fib6 " + std::to_string(loaded->octets) + "B " + how),
        loaded_(std::move(loaded)),
        type_(type) {}

  void begin() const { rte_fib6_select_lookup(loaded_->fib.get(), type_); }
  void look_up(const Ipv6Address* addresses, std::uint64_t* results) const {
    static_assert(sizeof(Ipv6Address) == RTE_FIB6_IPV6_ADDR_SIZE);
    using Octets = std::uint8_t[RTE_FIB6_IPV6_ADDR_SIZE];
    auto* const octets = const_cast<Octets*>(reinterpret_cast<const Octets*>(addresses));
    rte_fib6_lookup_bulk(loaded_->fib.get(), octets, results, kBurst);
  }
  [[nodiscard]] std::uint32_t next_hop_of(std::uint64_t result) const {
    return static_cast<std::uint32_t>(result);
  }

  [[nodiscard]] bool apply(std::span<const Change> changes) override {
    bool all = true;
    for (const Change& change : changes) {
      if (change.next_hop == kNoRoute) {
        all &= rte_fib6_delete(loaded_->fib.get(), change.prefix.address.data(),
                               change.prefix.length) == 0;
      } else {
        all &= announce(*loaded_->fib, change.prefix, change.next_hop);
      }
    }
    return all;
  }
  [[nodiscard]] bool has_updates() const override { return type_ == RTE_FIB6_LOOKUP_TRIE_SCALAR; }
  [[nodiscard]] double lookup_bytes() const override { return loaded_->lookup_bytes; }
  [[nodiscard]] double load_seconds() const override { return loaded_->seconds; }

 private:
  std::shared_ptr<Loaded> loaded_;
  rte_fib6_lookup_type type_;
};

}  // namespace

// A width that can not hold the table is refused at once: groups share its range of numbers with
// next hops.
Engines<Ipv6Address> load_rte_fib6(std::span<const fib::TableRoute> routes) {
  const std::uint32_t groups = trie_tbl8_groups(routes) * kUpdateReserve / 100;
  const auto loaded = std::make_shared<Loaded>();
  const auto load_wide = [&](std::uint32_t count) {
    return load(*loaded, routes, RTE_FIB6_TRIE_4B, count);
  };
  if (!load(*loaded, routes, RTE_FIB6_TRIE_2B, groups) && !load_with_least(groups, load_wide)) {
    throw std::runtime_error("rte_fib6 does not take the table");
  }
  Engines<Ipv6Address> engines;
  engines.push_back(std::make_unique<RteFib6Engine>(loaded, RTE_FIB6_LOOKUP_TRIE_SCALAR, "scalar"));
  if (rte_fib6_select_lookup(loaded->fib.get(), RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512) == 0) {
    engines.push_back(
        std::make_unique<RteFib6Engine>(loaded, RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512, "AVX-512"));
  }
  return engines;
}

}  // namespace rackway::bench
