// SPDX-License-Identifier: Apache-2.0
#include "node/steering_handover.hh"

#include <gtest/gtest.h>

#include <thread>

#include "topo/fabric_shapes.hh"

namespace rackway::node {
namespace {

// Of a line of so many nodes, this one at its end.
std::unique_ptr<vlb::Steering> of_line(std::size_t nodes) {
  std::vector<topo::LinkEnds> links;
  for (std::uint16_t i = 1; i < nodes; ++i) {
    links.push_back({NodeId{static_cast<std::uint16_t>(i - 1)}, NodeId{i}});
  }
  return std::make_unique<vlb::Steering>(topo::FabricTable(NodeId{0}, nodes, links), NodeId{0});
}

void bring_up(vlb::Steering& steering) {
  steering.see(vlb::view_of_carriers(steering.table(), {true}), 0);
}

TEST(SteeringHandover, ChangesPlacesWithTheOneThatIsOfferedLast) {
  SteeringHandover handover;
  auto current = std::move(*of_line(2));
  EXPECT_FALSE(handover.take(current));
  handover.offer(of_line(3));
  handover.offer(of_line(4));
  EXPECT_TRUE(handover.take(current));
  EXPECT_EQ(current.table().nodes(), 4u);
  EXPECT_FALSE(handover.take(current));
  EXPECT_EQ(current.table().nodes(), 4u);
}

TEST(SteeringHandover, ANewOneIsToBeToldWhichLinksAreLive) {
  SteeringHandover handover;
  auto current = std::move(*of_line(2));
  bring_up(current);
  EXPECT_NE(current.onward(NodeId{1}), vlb::kNoLink);
  handover.offer(of_line(3));
  ASSERT_TRUE(handover.take(current));
  EXPECT_EQ(current.onward(NodeId{1}), vlb::kNoLink);
  bring_up(current);
  EXPECT_NE(current.onward(NodeId{2}), vlb::kNoLink);
}

// Leaks and races are for the sanitizers to find.
TEST(SteeringHandover, FromThreadToThread) {
  SteeringHandover handover;
  constexpr std::size_t kLast = 40;
  std::thread core([&] {
    auto current = std::move(*of_line(2));
    std::size_t seen = 2;
    while (seen != kLast) {
      if (!handover.take(current)) continue;
      ASSERT_GT(current.table().nodes(), seen);
      seen = current.table().nodes();
      bring_up(current);
      ASSERT_NE(current.onward(NodeId{static_cast<std::uint16_t>(seen - 1)}), vlb::kNoLink);
    }
  });
  for (std::size_t nodes = 3; nodes <= kLast; ++nodes) {
    handover.offer(of_line(nodes));
    handover.collect();
  }
  core.join();
}

}  // namespace
}  // namespace rackway::node
