// SPDX-License-Identifier: Apache-2.0
// A reader of a fib::LeftRight while another core changes it as fast as it can, in epochs of 1,000
// route changes; and, to tell our structure's share from that of two busy cores, while the other
// core does unrelated work in as much memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fib/left_right.hh"
#include "fib/table_route.hh"

namespace rackway::bench {

inline constexpr std::size_t kEpochChanges = 1'000;

// Medians over the rounds; lookups and epochs a second.
struct FloodFigures {
  double at_rest, under_flood, beside_other_work, epochs;
};

template <class Address>
class FloodBench {
 public:
  // working_set: octets that the writer goes about in.
  FloodBench(std::span<const fib::TableRoute> routes, std::span<const Address> addresses,
             std::size_t working_set);
  ~FloodBench();

  // The calling thread is the reader and is pinned.
  [[nodiscard]] FloodFigures run(unsigned rounds, int writer_core);

 private:
  [[nodiscard]] double read() const;
  template <class Work>
  [[nodiscard]] double read_beside(int core, Work work) const;
  void publish_next();

  std::span<const Address> addresses_;
  std::size_t working_set_;
  fib::LeftRight fib_;
  std::vector<fib::Delta> epochs_;  // each second one undoes the one before
  std::size_t next_ = 0;
};

extern template class FloodBench<Ipv4Address>;
extern template class FloodBench<Ipv6Address>;

}  // namespace rackway::bench
