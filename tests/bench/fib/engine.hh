// SPDX-License-Identifier: Apache-2.0
// One implementation of longest-prefix match, loaded with a table, as the benchmark drives it.
// Next hops are numbers from fib::kFirstNextHop on, whatever an implementation returns for them;
// kNoRoute says that nothing covers the address. One thread.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ip_address.hh"
#include "fib/table_route.hh"
#include "tests/bench/measure.hh"

namespace rackway::bench {

inline constexpr std::size_t kBurst = 64;
inline constexpr std::uint32_t kNoRoute = 0;
inline constexpr std::uint32_t kMostNextHops = 32'000;  // what 2 octets of rte_fib hold

struct Change {
  IpPrefix prefix;
  std::uint32_t next_hop;  // kNoRoute: withdraw
};

template <class Address>
class Engine {
 public:
  explicit Engine(std::string name) : name_(std::move(name)) {}
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

  // Looks all of them up and forgets the results; their number is a multiple of kBurst.
  virtual void look_up_bursts(std::span<const Address> addresses) const = 0;
  virtual void look_up_one_by_one(std::span<const Address>) const { assert(false); }
  [[nodiscard]] virtual bool has_one_by_one() const { return false; }
  [[nodiscard]] virtual std::vector<std::uint32_t> next_hops(
      std::span<const Address> addresses) const = 0;

  // Each change counts before the next is begun. False: one was refused.
  [[nodiscard]] virtual bool apply(std::span<const Change>) { return false; }
  [[nodiscard]] virtual bool has_updates() const { return false; }

  // Octets that lookups read, seconds that loading took.
  [[nodiscard]] virtual double lookup_bytes() const = 0;
  [[nodiscard]] virtual double load_seconds() const = 0;

 private:
  std::string name_;
};

// The parts that differ in one call only. Derived has look_up(const Address*, Result*) for kBurst
// addresses and next_hop_of(Result).
template <class Derived, class Address, class Result>
class BulkEngine : public Engine<Address> {
 public:
  using Engine<Address>::Engine;

  void look_up_bursts(std::span<const Address> addresses) const override {
    derived().begin();
    alignas(64) std::array<Result, kBurst> results;
    for (std::size_t i = 0; i < addresses.size(); i += kBurst) {
      derived().look_up(addresses.data() + i, results.data());
      consume(results.data());
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> next_hops(
      std::span<const Address> addresses) const override {
    derived().begin();
    alignas(64) std::array<Result, kBurst> results;
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < addresses.size(); i += kBurst) {
      derived().look_up(addresses.data() + i, results.data());
      for (const Result result : results) found.push_back(derived().next_hop_of(result));
    }
    return found;
  }

  // Before a pass.
  void begin() const {}

 private:
  [[nodiscard]] const Derived& derived() const { return static_cast<const Derived&>(*this); }
};

}  // namespace rackway::bench
