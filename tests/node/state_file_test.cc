// SPDX-License-Identifier: Apache-2.0
#include "node/state_file.hh"

#include <gtest/gtest.h>

#include "fib/file_checksum.hh"
#include "fib/file_replacement.hh"
#include "fib/snapshot_file.hh"
#include "tests/fib/sample_records.hh"
#include "tests/fib/scratch_folder.hh"
#include "tests/fib/snapshot_octets.hh"
#include "tests/node/sample_state.hh"

namespace rackway::node::testing {
namespace {

using fib::testing::file_at;
using fib::testing::octets;
using fib::testing::put_file;

class StateFileTest : public ::testing::Test {
 protected:
  void put(const std::string& bytes) const { put_file(path_, bytes); }
  // Why the file is refused, without its path.
  std::string refusal(const std::string& node = "n2") const {
    const auto read = read_state(path_, node);
    if (read) return "not refused";
    const auto& said = read.error().message;
    const auto prefix = path_.string() + ": ";
    return said.starts_with(prefix) ? said.substr(prefix.size()) : "without a path: " + said;
  }
  // The head with other octets at the place, and a checksum that fits.
  std::string resealed(std::size_t at, std::string_view other) const {
    std::string head = kHead.substr(0, kHead.size() - fib::kChecksumSize);
    head.replace(at, other.size(), other);
    return head + fib::checksum_of(head) + kFib;
  }

  const fib::testing::ScratchFolder folder_;
  const std::filesystem::path path_ = folder_.file("state");
  const std::string kHead = encode_state_head("n2", 0x0102030405060708, {9}, sample_orders());
  const fib::Fib kContent = fib::testing::fib_of(fib::testing::sample());
  const std::string kFib = fib::encode_snapshot(kContent.snapshot(), kContent.digest());
};

TEST_F(StateFileTest, ComesBackAsItWasWritten) {
  put(kHead + kFib);
  const auto state = read_state(path_, "n2");
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->boot_id, 0x0102030405060708);
  EXPECT_EQ(state->epoch, Epoch{9});
  EXPECT_TRUE(state->orders == sample_orders());
  EXPECT_TRUE(state->content == kContent.snapshot());
}

TEST_F(StateFileTest, GoldenHead) {
  const auto welcome = cluster::encode(sample_orders().welcome);
  const auto size = kHead.size();
  EXPECT_EQ(kHead.substr(0, 40),
            octets("52 4b 57 59 4e 4f 44 45  00 01") + std::string(2, '\0') +
                static_cast<char>(size >> 8) + static_cast<char>(size) +
                octets("00 02 6e 32  00 04  01 02 03 04 05 06 07 08  00 00 00 00 00 00 00 09"
                       "00 00") +
                static_cast<char>(welcome.size() >> 8) + static_cast<char>(welcome.size()));
  EXPECT_EQ(kHead.substr(40, welcome.size()), welcome);
  EXPECT_EQ(kHead.substr(40 + welcome.size(), size - fib::kChecksumSize - 40 - welcome.size()),
            octets("00 00 00 03  11 02 01"                        // VLB settings
                   "00 00 00 09  10 00 00 00 01  00 00 00 00"));  // links that are down
}

TEST_F(StateFileTest, AnyFlippedBitIsRefused) {
  const auto whole = kHead + kFib;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    put(bytes);
    ASSERT_NE(refusal(), "not refused") << at;
  }
}

TEST_F(StateFileTest, AnyShorterOneIsRefused) {
  const auto whole = kHead + kFib;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(whole.substr(0, size));
    ASSERT_NE(refusal(), "not refused") << size;
  }
}

TEST_F(StateFileTest, EachKindOfDamageIsNamed) {
  EXPECT_EQ(refusal(), "can not open it: No such file or directory");
  put("");
  EXPECT_EQ(refusal(), "is not the state of a node");
  put(kFib);
  EXPECT_EQ(refusal(), "is not the state of a node");
  put(resealed(9, octets("02")));
  EXPECT_EQ(refusal(), "is a state of version 2, not 1");
  put(kHead.substr(0, 40));
  EXPECT_EQ(refusal(), "is truncated: it has 40 octets");
  put(kHead.substr(0, 30) + "x" + kHead.substr(31) + kFib);
  EXPECT_EQ(refusal(), "is damaged: its checksum is wrong");
  put(resealed(18, octets("00 03")));
  EXPECT_EQ(refusal(), "has messages of version 3, not 4");
  put(resealed(40, octets("09")));  // a Rejected where the Welcome should be
  EXPECT_EQ(refusal(), "has malformed messages");
}

TEST_F(StateFileTest, DamageOfTheFibIsNamed) {
  put(kHead);
  EXPECT_EQ(refusal(), "its FIB: is not a snapshot of a FIB");
  put(kHead + kFib.substr(0, kFib.size() - 1));
  EXPECT_EQ(refusal(), "its FIB: is truncated: it has " + std::to_string(kFib.size() - 1) +
                           " octets, not " + std::to_string(kFib.size()));
  put(kHead + kFib + "x");
  EXPECT_EQ(refusal(), "its FIB: is longer than it says: it has " +
                           std::to_string(kFib.size() + 1) + " octets, not " +
                           std::to_string(kFib.size()));
  put(kHead + kFib.substr(0, 50) + "x" + kFib.substr(51));
  EXPECT_EQ(refusal(), "its FIB: is damaged: its checksum is wrong");
}

TEST_F(StateFileTest, AnotherNodesIsRefused) {
  put(kHead + kFib);
  EXPECT_EQ(refusal("n3"), "is of node n2, not n3");
}

TEST_F(StateFileTest, WhatIsNoFileIsRefused) {
  std::filesystem::create_directory(path_);
  EXPECT_EQ(refusal(), "is not a regular file");
}

}  // namespace
}  // namespace rackway::node::testing
