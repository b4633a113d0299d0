// SPDX-License-Identifier: Apache-2.0
#include <rte_lpm.h>
#include <rte_memory.h>
#include <rte_vect.h>

#include <stdexcept>

#include "tests/bench/fib/peer_engines.hh"
#include "tests/bench/fib/peer_sizes.hh"

namespace rackway::bench {
namespace {

struct Loaded {
  struct Close {
    void operator()(rte_lpm* table) const { rte_lpm_free(table); }
  };
  std::unique_ptr<rte_lpm, Close> lpm;
  double lookup_bytes, seconds;
};

// What both forms have in common.
template <class Derived>
class RteLpmEngine : public BulkEngine<Derived, Ipv4Address, std::uint32_t> {
 public:
  RteLpmEngine(std::shared_ptr<Loaded> loaded, const char* name)
      : BulkEngine<Derived, Ipv4Address, std::uint32_t>(name), loaded_(std::move(loaded)) {}

  [[nodiscard]] rte_lpm* lpm() const { return loaded_->lpm.get(); }
  [[nodiscard]] double lookup_bytes() const override { return loaded_->lookup_bytes; }
  [[nodiscard]] double load_seconds() const override { return loaded_->seconds; }

 private:
  std::shared_ptr<Loaded> loaded_;
};

class Bulk final : public RteLpmEngine<Bulk> {
 public:
  explicit Bulk(std::shared_ptr<Loaded> loaded) : RteLpmEngine(std::move(loaded), "rte_lpm bulk") {}

  void look_up(const Ipv4Address* addresses, std::uint32_t* results) const {
    static_assert(sizeof(Ipv4Address) == sizeof(std::uint32_t));
    rte_lpm_lookup_bulk(lpm(), reinterpret_cast<const std::uint32_t*>(addresses), results, kBurst);
  }
  [[nodiscard]] std::uint32_t next_hop_of(std::uint32_t result) const {
    return (result & RTE_LPM_LOOKUP_SUCCESS) != 0 ? result & 0x00ffffff : kNoRoute;
  }
  void look_up_one_by_one(std::span<const Ipv4Address> addresses) const override {
    for (const Ipv4Address address : addresses) {
      std::uint32_t next_hop = kNoRoute;
      (void)rte_lpm_lookup(lpm(), address.value, &next_hop);
      consume(&next_hop);
    }
  }
  [[nodiscard]] bool has_one_by_one() const override { return true; }
};

class FourAtOnce final : public RteLpmEngine<FourAtOnce> {
 public:
  explicit FourAtOnce(std::shared_ptr<Loaded> loaded)
      : RteLpmEngine(std::move(loaded), "rte_lpm x4") {}

  void look_up(const Ipv4Address* addresses, std::uint32_t* results) const {
    for (std::size_t i = 0; i < kBurst; i += 4) {
      const auto four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(addresses + i));
      rte_lpm_lookupx4(lpm(), four, results + i, kNoRoute);
    }
  }
  [[nodiscard]] std::uint32_t next_hop_of(std::uint32_t result) const { return result; }
};

}  // namespace

Engines<Ipv4Address> load_rte_lpm(std::span<const fib::TableRoute> routes) {
  const std::uint32_t groups = tbl8_groups(routes);
  const rte_lpm_config config{static_cast<std::uint32_t>(routes.size()) + 1024, groups, 0};
  const auto loaded = std::make_shared<Loaded>();
  bool complete = false;
  loaded->seconds = seconds([&] {
    loaded->lpm.reset(rte_lpm_create("lpm", SOCKET_ID_ANY, &config));
    complete = loaded->lpm != nullptr;
    for (const auto& [prefix, next_hop] : routes) {
      complete = complete && rte_lpm_add(loaded->lpm.get(), prefix.address.v4().value,
                                         prefix.length, next_hop.value) == 0;
    }
  });
  if (!complete) throw std::runtime_error("rte_lpm does not take the table");
  loaded->lookup_bytes = ((1u << 24) + 256.0 * groups) * sizeof(rte_lpm_tbl_entry);
  Engines<Ipv4Address> engines;
  engines.push_back(std::make_unique<Bulk>(loaded));
  engines.push_back(std::make_unique<FourAtOnce>(loaded));
  return engines;
}

}  // namespace rackway::bench
