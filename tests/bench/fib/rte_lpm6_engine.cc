// SPDX-License-Identifier: Apache-2.0
#include <rte_lpm6.h>
#include <rte_memory.h>

#include <stdexcept>

#include "tests/bench/fib/peer_engines.hh"
#include "tests/bench/fib/peer_sizes.hh"

namespace rackway::bench {
namespace {

struct CloseLpm6 {
  void operator()(rte_lpm6* lpm) const { rte_lpm6_free(lpm); }
};

class RteLpm6Engine final : public BulkEngine<RteLpm6Engine, Ipv6Address, std::int32_t> {
 public:
  explicit RteLpm6Engine(std::span<const fib::TableRoute> routes) : BulkEngine("rte_lpm6 bulk") {
    const auto load_with = [&](std::uint32_t groups) { return load(routes, groups); };
    if (!load_with_least(tbl8_groups(routes), load_with)) {
      throw std::runtime_error("rte_lpm6 does not take the table");
    }
  }

  void look_up(const Ipv6Address* addresses, std::int32_t* results) const {
    static_assert(sizeof(Ipv6Address) == RTE_LPM6_IPV6_ADDR_SIZE);
    using Octets = std::uint8_t[RTE_LPM6_IPV6_ADDR_SIZE];
    auto* const octets = const_cast<Octets*>(reinterpret_cast<const Octets*>(addresses));
    rte_lpm6_lookup_bulk_func(lpm_.get(), octets, results, kBurst);
  }
  [[nodiscard]] std::uint32_t next_hop_of(std::int32_t result) const {
    return result < 0 ? kNoRoute : static_cast<std::uint32_t>(result);
  }
  [[nodiscard]] double lookup_bytes() const override { return lookup_bytes_; }
  [[nodiscard]] double load_seconds() const override { return seconds_; }

 private:
  bool load(std::span<const fib::TableRoute> routes, std::uint32_t groups) {
    const rte_lpm6_config config{static_cast<std::uint32_t>(routes.size()) + 1024, groups, 0};
    lpm_.reset();
    bool complete = false;
    seconds_ = seconds([&] {
      lpm_.reset(rte_lpm6_create("lpm6", SOCKET_ID_ANY, &config));
      complete = lpm_ != nullptr;
      for (const auto& [prefix, next_hop] : routes) {
        complete = complete && rte_lpm6_add(lpm_.get(), prefix.address.data(), prefix.length,
                                            next_hop.value) == 0;
      }
    });
    lookup_bytes_ = ((1u << 24) + 256.0 * groups) * sizeof(std::uint32_t);
    return complete;
  }

  std::unique_ptr<rte_lpm6, CloseLpm6> lpm_;
  double lookup_bytes_ = 0, seconds_ = 0;
};

}  // namespace

Engines<Ipv6Address> load_rte_lpm6(std::span<const fib::TableRoute> routes) {
  Engines<Ipv6Address> engines;
  engines.push_back(std::make_unique<RteLpm6Engine>(routes));
  return engines;
}

}  // namespace rackway::bench
