// SPDX-License-Identifier: Apache-2.0
// Frames cut out of a stream: what zebra sends, in pieces of any size, and what is no frame.
#include "control/fpm/fpm_frames.hh"

#include <gtest/gtest.h>

#include <random>

#include "tests/control/zebra_frames.hh"

namespace rackway::control::testing {
namespace {

std::vector<Octets> all_of(FpmFrames& frames) {
  std::vector<Octets> all;
  while (const auto messages = frames.next()) all.emplace_back(messages->begin(), messages->end());
  return all;
}

Octets octets(std::initializer_list<int> values) {
  Octets all;
  for (const int value : values) all.push_back(static_cast<std::byte>(value));
  return all;
}

TEST(FpmFrames, SeveralMessagesInOneFrame) {
  const auto frame = from_hex(kZebraReplacesBy13);
  FpmFrames frames;
  frames.take(frame);
  const auto messages = frames.next();
  ASSERT_TRUE(messages);
  EXPECT_TRUE(std::equal(messages->begin(), messages->end(), frame.begin() + 4, frame.end()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(messages->data()) % 4, 0u);
  EXPECT_FALSE(frames.next());
  EXPECT_FALSE(frames.malformed());
}

TEST(FpmFrames, AFrameOverSeveralReads) {
  const auto frame = from_hex(kZebraNextHop9);
  FpmFrames frames;
  for (std::size_t i = 0; i + 1 < frame.size(); ++i) {
    frames.take({&frame[i], 1});
    ASSERT_FALSE(frames.next()) << i;
  }
  frames.take({&frame.back(), 1});
  EXPECT_EQ(all_of(frames), std::vector<Octets>{Octets(frame.begin() + 4, frame.end())});
}

// Lengths that are no multiple of four as well: what follows is aligned all the same.
TEST(FpmFrames, TheCutsDoNotMatter) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Octets stream;
    std::vector<Octets> expected;
    for (auto count = random() % 20; count > 0; --count) {
      Octets messages(random() % 8 == 0 ? random() % 65532 : random() % 100);
      for (auto& octet : messages) octet = static_cast<std::byte>(random());
      append(stream, frame_of(messages));
      expected.push_back(std::move(messages));
    }
    FpmFrames frames;
    std::vector<Octets> seen;
    for (std::size_t at = 0; at < stream.size();) {
      const auto size =
          std::min<std::size_t>(1 + random() % (1u << random() % 18), stream.size() - at);
      frames.take({&stream[at], size});
      at += size;
      for (auto& one : all_of(frames)) seen.push_back(std::move(one));
    }
    ASSERT_EQ(seen, expected);
    ASSERT_FALSE(frames.malformed());
  }
}

TEST(FpmFrames, AFrameOfNothing) {
  FpmFrames frames;
  frames.take(octets({1, 1, 0, 4}));
  EXPECT_EQ(all_of(frames), std::vector<Octets>{Octets{}});
}

TEST(FpmFrames, WhatIsNoFrame) {
  const std::vector<Octets> faults{octets({0, 1, 0, 8}),                        // version
                                   octets({2, 1, 0, 8}), octets({1, 0, 0, 8}),  // no type
                                   octets({1, 2, 0, 8}),                        // protobuf
                                   octets({1, 1, 0, 3}),  // shorter than its header
                                   octets({1, 1, 0, 0})};
  for (const auto& fault : faults) {
    FpmFrames frames;
    frames.take(from_hex(kZebraNextHop9));
    frames.take(fault);
    EXPECT_EQ(all_of(frames).size(), 1u);
    EXPECT_TRUE(frames.malformed());
    frames.take(from_hex(kZebraNextHop9));
    EXPECT_FALSE(frames.next());
    EXPECT_TRUE(frames.malformed());
  }
}

}  // namespace
}  // namespace rackway::control::testing
