// SPDX-License-Identifier: Apache-2.0
#include "topo/rate.hh"

#include <gtest/gtest.h>

namespace rackway::topo {
namespace {

TEST(Rate, IsANumberWithAUnit) {
  EXPECT_EQ(parse_rate("1M"), 1u);
  EXPECT_EQ(parse_rate("400M"), 400u);
  EXPECT_EQ(parse_rate("100G"), 100'000u);
  EXPECT_EQ(parse_rate("2.5G"), 2'500u);
  EXPECT_EQ(parse_rate("0.001G"), 1u);
  EXPECT_EQ(parse_rate("1.28T"), 1'280'000u);
  EXPECT_EQ(parse_rate("1000T"), kMaxRate);
}

TEST(Rate, NothingElseIs) {
  for (const char* text :
       {"",      "G",    "100",   "100g", "100K", "-1G",     "+1G",
        "1 G",   " 1G",  "1G ",   ".5G",  "1.G",  "1.2345G", "1.5M",
        "0G",    "0.0G", "1001T", "1e3G", "0x1G", "1,5G",    "99999999999999999999G",
        "1.2.3G"}) {
    EXPECT_EQ(parse_rate(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace rackway::topo
