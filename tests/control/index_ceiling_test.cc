// SPDX-License-Identifier: Apache-2.0
#include "control/index_ceiling.hh"

#include <gtest/gtest.h>

#include "base/startup_error.hh"
#include "tests/control/quiet_log.hh"
#include "tests/fib/scratch_folder.hh"

namespace rackway::control::testing {
namespace {

using fib::testing::file_at;
using fib::testing::put_file;
using fib::testing::ScratchFolder;

TEST(IndexCeiling, KeptNowhereIsNotKnownAndCoversAll) {
  IndexCeiling ceiling;
  EXPECT_FALSE(ceiling.before());
  EXPECT_TRUE(ceiling.cover({kMaxAdjacencies - 1}));
}

TEST(IndexCeiling, OutlivesItselfInBlocks) {
  const ScratchFolder folder;
  const auto file = folder.file("indices");
  {
    IndexCeiling ceiling(file);
    EXPECT_FALSE(ceiling.before());
    EXPECT_EQ(folder.names().size(), 0u);
    EXPECT_TRUE(ceiling.cover({0}));
    EXPECT_EQ(file_at(file), "1024\n");
    EXPECT_TRUE(ceiling.cover({1023}));
    EXPECT_EQ(file_at(file), "1024\n");
    EXPECT_TRUE(ceiling.cover({1024}));
    EXPECT_TRUE(ceiling.cover({7}));
  }
  EXPECT_EQ(IndexCeiling(file).before(), 2048u);
  IndexCeiling next(file);
  EXPECT_TRUE(next.cover({5}));
  EXPECT_EQ(file_at(file), "2048\n");
  EXPECT_TRUE(next.cover({kMaxAdjacencies - 1}));
  EXPECT_EQ(IndexCeiling(file).before(), kMaxAdjacencies);
}

TEST(IndexCeiling, WhatCanNotBeRecordedIsNotCovered) {
  quiet_log();
  const ScratchFolder folder;
  IndexCeiling ceiling(folder.file("gone") / "indices");
  EXPECT_FALSE(ceiling.cover({0}));
  EXPECT_FALSE(ceiling.cover({0}));
  std::filesystem::create_directory(folder.file("gone"));
  EXPECT_TRUE(ceiling.cover({0}));
}

TEST(IndexCeiling, AFileThatSaysSomethingElseIsRefused) {
  const ScratchFolder folder;
  for (const auto* content : {"", "x", "-1", "16777217", "12 13", "99999999999"}) {
    put_file(folder.file("indices"), content);
    EXPECT_THROW(IndexCeiling{folder.file("indices")}, StartupError) << content;
  }
}

}  // namespace
}  // namespace rackway::control::testing
