// SPDX-License-Identifier: Apache-2.0
// A FIB builder on a fake kernel, and the FIB that its deltas make; every delta must fit. And the
// fixture of the tests of it.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/control/fake_kernel.hh"
#include "tests/control/fib_picture.hh"

namespace rackway::control::testing {

inline void bind_all(FibBuilder& builder) {
  for (const auto& [ifindex, port] : kPorts) builder.bind(ifindex, port);
}

template <class Record>
void append(std::vector<Record>& to, const std::vector<Record>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

inline void append(fib::Delta& to, const fib::Delta& more) {
  append(to.adjacencies, more.adjacencies);
  append(to.groups, more.groups);
  append(to.routes, more.routes);
  append(to.addresses, more.addresses);
  append(to.removed_adjacencies, more.removed_adjacencies);
  append(to.removed_groups, more.removed_groups);
  append(to.removed_routes, more.removed_routes);
  append(to.removed_addresses, more.removed_addresses);
}

// Whatever an ingress node names, the egress node takes for the same neighbour.
inline void expect_understood(const fib::Fib& ingress, const fib::Fib& egress) {
  for (const auto& group : ingress.snapshot().groups) {
    for (const auto& member : group.members) {
      const auto* meant = ingress.find(member.adjacency);
      const auto* known = egress.find(member.adjacency);
      ASSERT_NE(known, nullptr) << meant->next_hop.to_string();
      EXPECT_EQ(known->next_hop, meant->next_hop);
      EXPECT_EQ(known->port, meant->port);
      EXPECT_EQ(known->vlan, meant->vlan);
    }
  }
}

struct BuiltRouter {
  BuiltRouter() { start(); }

  // A builder that knows nothing yet but its ports.
  void start(unsigned linger = 0) {
    builder.emplace(kNodes, kernel.view(), linger);
    bind_all(*builder);
  }

  // The kernel's changes become epochs, two at most; returns what all of them said.
  fib::Delta publish() {
    builder->take(kernel.take_changes());
    return publish_taken();
  }
  fib::Delta publish_taken() {
    auto said = publish_epoch();
    if (builder->changed()) append(said, publish_epoch());
    EXPECT_FALSE(builder->changed());
    return said;
  }
  // One epoch of what was taken, and nodes that have it before the others or after them.
  fib::Delta publish_epoch() {
    auto delta = builder->take_delta(fib, {epoch.value + 1});
    ++epoch.value;
    const auto before = fib.clone();
    const auto applied = fib.apply(delta);
    EXPECT_TRUE(applied.has_value()) << applied.error().message;
    expect_understood(before, fib);
    expect_understood(fib, before);
    return delta;
  }

  // A new builder, as after a restart of the controller: the nodes still have the FIB, the kernel
  // is read from the beginning.
  void restart(unsigned linger = 0) {
    kernel.take_changes();
    start(linger);
    builder->restore(fib.snapshot());
  }

  [[nodiscard]] std::string way(std::string_view to) const { return way_to(fib, prefix(to)); }
  [[nodiscard]] GroupId group_of(std::string_view to) const { return fib.find(prefix(to))->group; }
  [[nodiscard]] AdjacencyId index_of(InterfaceRef port, std::string_view address) const {
    for (const auto& record : fib.snapshot().adjacencies) {
      const InterfaceRef at{record.key.node, record.port, record.vlan};
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
