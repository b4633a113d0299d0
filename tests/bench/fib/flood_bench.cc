// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/flood_bench.hh"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>

#include "fib/rcu.hh"
#include "fib/reserved_memory.hh"
#include "tests/bench/core.hh"
#include "tests/bench/fib/engine.hh"
#include "tests/bench/measure.hh"

namespace rackway::bench {
namespace {

using fib::Delta;
using fib::TableRoute;

constexpr double kSeconds = 0.5;  // of each measurement
constexpr std::size_t kEpochPairs = 50;

GroupId group_of(const TableRoute& route) {
  return {route.next_hop.value - fib::kFirstNextHop};
}

Delta snapshot_of(std::span<const TableRoute> routes) {
  Delta delta;
  std::uint32_t groups = 0;
  for (const TableRoute& route : routes) {
    delta.routes.push_back({route.prefix, group_of(route)});
    groups = std::max(groups, group_of(route).value + 1);
  }
  for (std::uint32_t i = 0; i < groups; ++i) {
    delta.groups.push_back({GroupId{i}, fib::GroupKind::blackhole, {}});
  }
  return delta;
}

// A third withdrawn, the rest with another's next hop; then all as it was.
std::vector<Delta> epochs_of(std::span<const TableRoute> routes) {
  std::mt19937_64 random(2);
  std::vector<Delta> epochs;
  for (std::size_t pair = 0; pair < kEpochPairs; ++pair) {
    Delta away, back;
    std::vector<std::size_t> chosen;
    while (chosen.size() < kEpochChanges) {
      chosen.push_back(random() % routes.size());
      std::sort(chosen.begin(), chosen.end());
      chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    }
    for (const std::size_t i : chosen) {
      const TableRoute& route = routes[i];
      back.routes.push_back({route.prefix, group_of(route)});
      if (random() % 3 == 0) {
        away.removed_routes.push_back(route.prefix);
      } else {
        away.routes.push_back({route.prefix, group_of(routes[random() % routes.size()])});
      }
    }
    epochs.push_back(std::move(away));
    epochs.push_back(std::move(back));
  }
  return epochs;
}

// Reads and writes all over it.
class OtherWork {
 public:
  explicit OtherWork(std::size_t octets) : memory_(octets), words_(octets / sizeof(Word)) {
    std::memset(memory_.data() + memory_.extend(octets), 1, octets);
  }
  void operator()() {
    auto* const words = reinterpret_cast<Word*>(memory_.data());
    for (int i = 0; i < 1000; ++i) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      words[(state_ >> 32) * words_ >> 32] += state_;
    }
    consume(words);
  }

 private:
  using Word = std::uint64_t;
  fib::ReservedMemory memory_;
  std::size_t words_;
  std::uint64_t state_ = 1;
};

}  // namespace

template <class Address>
FloodBench<Address>::FloodBench(std::span<const TableRoute> routes,
                                std::span<const Address> addresses, std::size_t working_set)
    : addresses_(addresses), working_set_(working_set), epochs_(epochs_of(routes)) {
  const auto prepared = fib_.prepare_snapshot(snapshot_of(routes));
  if (!prepared) throw std::runtime_error("a FIB does not take the table");
  fib_.commit();
}

template <class Address>
FloodBench<Address>::~FloodBench() = default;

// Lookups a second of one registered reader that lets go after each burst.
template <class Address>
double FloodBench<Address>::read() const {
  fib::rcu::ReaderThread reader;
  std::array<fib::NextHopId, kBurst> results;
  std::size_t looked_up = 0;
  const auto some = [&] {
    for (int i = 0; i < 256; ++i, looked_up += kBurst) {
      fib_.active()->lookup(addresses_.subspan(looked_up % addresses_.size(), kBurst), results);
      consume(results.data());
      reader.quiescent();
    }
  };
  some();
  looked_up = 0;
  double took = 0;
  while (took < kSeconds) took += seconds(some);
  return double(looked_up) / took;
}

template <class Address>
template <class Work>
double FloodBench<Address>::read_beside(int core, Work work) const {
  std::atomic<int> rounds{0};  // relaxed: only its progress counts
  std::atomic<bool> stop{false};
  std::thread other([&] {
    pin_to_core(core);
    while (!stop.load(std::memory_order_relaxed)) {
      work();
      rounds.fetch_add(1, std::memory_order_relaxed);
    }
  });
  while (rounds.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
  const double rate = read();
  stop.store(true, std::memory_order_relaxed);
  other.join();
  return rate;
}

template <class Address>
void FloodBench<Address>::publish_next() {
  if (!fib_.prepare(epochs_[next_])) throw std::runtime_error("a FIB does not take an epoch");
  fib_.commit();
  next_ = (next_ + 1) % epochs_.size();
}

template <class Address>
FloodFigures FloodBench<Address>::run(unsigned rounds, int writer_core) {
  std::vector<double> rest, flood, other, epochs;
  OtherWork other_work(working_set_);
  for (unsigned round = 0; round < rounds; ++round) {
    std::size_t published = 0;
    double writing = 0;
    rest.push_back(read());
    flood.push_back(read_beside(writer_core, [&] {
      writing += seconds([&] { publish_next(); });
      ++published;
    }));
    epochs.push_back(double(published) / writing);
    other.push_back(read_beside(writer_core, [&] { other_work(); }));
  }
  return {median(rest), median(flood), median(other), median(epochs)};
}

template class FloodBench<Ipv4Address>;
template class FloodBench<Ipv6Address>;

}  // namespace rackway::bench
