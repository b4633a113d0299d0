// SPDX-License-Identifier: Apache-2.0
// A FIB builder on a fake kernel, and the FIB that its deltas make; every delta must fit. And the
// fixture of the tests of it.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "tests/control/fake_kernel.hh"
#include "tests/control/fib_picture.hh"

namespace rackway::control::testing {

inline void bind_all(FibBuilder& builder) {
  for (const auto& [ifindex, port] : kPorts) builder.bind(ifindex, port);
}

struct BuiltRouter {
  BuiltRouter() { start(); }

  // A builder that knows nothing yet but its ports.
  void start() {
    builder.emplace(kNodes, kernel.view());
    bind_all(*builder);
  }

  // The kernel's changes become an epoch.
  fib::Delta publish() {
    builder->take(kernel.take_changes());
    return publish_taken();
  }
  fib::Delta publish_taken() {
    auto delta = builder->take_delta(fib, {epoch.value + 1});
    ++epoch.value;
    EXPECT_FALSE(builder->changed());
    const auto applied = fib.apply(delta);
    EXPECT_TRUE(applied.has_value()) << applied.error().message;
    return delta;
  }

  // A new builder, as after a restart of the controller: the nodes still have the FIB, the kernel
  // is read from the beginning.
  void restart() {
    kernel.take_changes();
    start();
    builder->restore(fib.snapshot());
  }

  [[nodiscard]] std::string way(std::string_view to) const { return way_to(fib, prefix(to)); }
  [[nodiscard]] GroupId group_of(std::string_view to) const { return fib.find(prefix(to))->group; }
  [[nodiscard]] AdjacencyId index_of(PortRef port, std::string_view address) const {
    for (const auto& record : fib.snapshot().adjacencies) {
      const PortRef at{record.key.node, record.port};
      if (at == port && record.next_hop == ip(address)) return record.key.index;
    }
    ADD_FAILURE() << "no adjacency of " << address;
    return {};
  }

  FakeKernel kernel;
  fib::Fib fib;
  Epoch epoch;
  std::optional<FibBuilder> builder;
};

class FibBuilderTest : public ::testing::Test {
 protected:
  FibBuilderTest() : kernel_(router_.kernel) {}
  // 10.0.1.0/24 on port 00 and 10.0.2.0/24 on port 01, published.
  void connect_two() {
    kernel_.connect(kPort00, "10.0.1.1", 24);
    kernel_.connect(kPort01, "10.0.2.1", 24);
    router_.publish();
  }
  void expect_empty() {
    EXPECT_EQ(router_.fib.snapshot(), fib::Delta{});
    EXPECT_EQ(router_.fib.digest(), fib::Digest{});
  }

  BuiltRouter router_;
  FakeKernel& kernel_;
};

}  // namespace rackway::control::testing
