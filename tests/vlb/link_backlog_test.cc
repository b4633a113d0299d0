// SPDX-License-Identifier: Apache-2.0
#include "vlb/link_backlog.hh"

#include <gtest/gtest.h>

namespace rackway::vlb {
namespace {

constexpr double kRate = 8e9;  // 1000 octets a microsecond

TEST(LinkBacklog, FillsAndDrains) {
  LinkBacklog backlog(kRate);
  EXPECT_EQ(backlog.at(0, 100), 0);
  EXPECT_EQ(backlog.at(50'000, 100), 50);
  EXPECT_EQ(backlog.at(50'000, 120), 30);
  EXPECT_EQ(backlog.at(60'000, 130), 30);
  EXPECT_EQ(backlog.at(60'000, 500), 0);
  EXPECT_EQ(backlog.at(61'000, 500), 1);
}

TEST(LinkBacklog, HasAnEnd) {
  LinkBacklog backlog(kRate);
  EXPECT_EQ(backlog.at(1'000'000'000, 1), 10'000);
  EXPECT_EQ(backlog.at(1'000'000'000, 9'001), 1'000);
}

TEST(LinkBacklog, TheClockMayComeAround) {
  LinkBacklog backlog(kRate);
  (void)backlog.at(0, 0xffff'fff0);
  (void)backlog.at(40'000, 0xffff'fff0);
  EXPECT_EQ(backlog.at(40'000, 0x10), 8);
}

TEST(LinkBacklog, WithoutARateThereIsNone) {
  LinkBacklog backlog;
  EXPECT_EQ(backlog.at(1'000'000, 1), 0);
}

}  // namespace
}  // namespace rackway::vlb
