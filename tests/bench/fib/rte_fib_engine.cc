// SPDX-License-Identifier: Apache-2.0
#include <rte_fib.h>
#include <rte_memory.h>

#include <array>
#include <stdexcept>
#include <string>

#include "tests/bench/fib/peer_engines.hh"
#include "tests/bench/fib/peer_sizes.hh"

namespace rackway::bench {
namespace {

struct Loaded {
  struct Close {
    void operator()(rte_fib* table) const { rte_fib_free(table); }
  };
  std::unique_ptr<rte_fib, Close> fib;
  unsigned octets;  // of a next hop
  double lookup_bytes, seconds;
};

bool announce(rte_fib& fib, const IpPrefix& prefix, std::uint32_t next_hop) {
  return rte_fib_add(&fib, prefix.address.v4().value, prefix.length, next_hop) == 0;
}

bool load(Loaded& loaded, std::span<const fib::TableRoute> routes, rte_fib_dir24_8_nh_sz width,
          std::uint32_t groups) {
  rte_fib_conf config{};
  config.type = RTE_FIB_DIR24_8;
  config.default_nh = kNoRoute;
  config.max_routes = static_cast<int>(routes.size()) + 1024;
  config.dir24_8.nh_sz = width;
  config.dir24_8.num_tbl8 = groups;
  loaded.fib.reset();
  bool complete = false;
  loaded.seconds = seconds([&] {
    loaded.fib.reset(rte_fib_create("fib", SOCKET_ID_ANY, &config));
    complete = loaded.fib != nullptr;
    for (const auto& [prefix, next_hop] : routes) {
      complete = complete && announce(*loaded.fib, prefix, next_hop.value);
    }
  });
  loaded.octets = 1u << width;
  loaded.lookup_bytes = ((1u << 24) + 256.0 * groups) * loaded.octets;
  return complete;
}

class RteFibEngine final : public BulkEngine<RteFibEngine, Ipv4Address, std::uint64_t> {
 public:
  RteFibEngine(std::shared_ptr<Loaded> loaded, rte_fib_lookup_type type, const std::string& how)
      : BulkEngine("rte_fib " + std::to_string(loaded->octets) + "B " + how),
        loaded_(std::move(loaded)),
        type_(type) {}

  void begin() const { rte_fib_select_lookup(loaded_->fib.get(), type_); }
  void look_up(const Ipv4Address* addresses, std::uint64_t* results) const {
    static_assert(sizeof(Ipv4Address) == sizeof(std::uint32_t));
    auto* const numbers =
        const_cast<std::uint32_t*>(reinterpret_cast<const std::uint32_t*>(addresses));
    rte_fib_lookup_bulk(loaded_->fib.get(), numbers, results, kBurst);
  }
  [[nodiscard]] std::uint32_t next_hop_of(std::uint64_t result) const {
    return static_cast<std::uint32_t>(result);
  }

  [[nodiscard]] bool apply(std::span<const Change> changes) override {
    bool all = true;
    for (const Change& change : changes) {
      if (change.next_hop == kNoRoute) {
        all &= rte_fib_delete(loaded_->fib.get(), change.prefix.address.v4().value,
                              change.prefix.length) == 0;
      } else {
        all &= announce(*loaded_->fib, change.prefix, change.next_hop);
      }
    }
    return all;
  }
  [[nodiscard]] bool has_updates() const override {
    return type_ == RTE_FIB_LOOKUP_DIR24_8_SCALAR_MACRO;
  }
  [[nodiscard]] double lookup_bytes() const override { return loaded_->lookup_bytes; }
  [[nodiscard]] double load_seconds() const override { return loaded_->seconds; }

 private:
  std::shared_ptr<Loaded> loaded_;
  rte_fib_lookup_type type_;
};

}  // namespace

// A width that can not hold the table is refused at once: groups share its range of numbers with
// next hops.
Engines<Ipv4Address> load_rte_fib(std::span<const fib::TableRoute> routes) {
  const std::uint32_t groups = tbl8_groups(routes);
  const auto loaded = std::make_shared<Loaded>();
  bool complete = false;
  for (const auto width : {RTE_FIB_DIR24_8_1B, RTE_FIB_DIR24_8_2B, RTE_FIB_DIR24_8_4B}) {
    if ((complete = load(*loaded, routes, width, groups))) break;
  }
  if (!complete) throw std::runtime_error("rte_fib does not take the table");
  Engines<Ipv4Address> engines;
  engines.push_back(
      std::make_unique<RteFibEngine>(loaded, RTE_FIB_LOOKUP_DIR24_8_SCALAR_MACRO, "scalar"));
  if (rte_fib_select_lookup(loaded->fib.get(), RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512) == 0) {
    engines.push_back(
        std::make_unique<RteFibEngine>(loaded, RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512, "AVX-512"));
  }
  return engines;
}

}  // namespace rackway::bench
