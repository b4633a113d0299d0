// SPDX-License-Identifier: Apache-2.0
#include "cluster/allow_list.hh"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "tests/cluster/key_folder.hh"

namespace rackway::cluster::testing {
namespace {

PublicKey key(char digit) {
  return *parse_public_key(std::string(kKeyDigits, digit));
}
std::string allowed(char digit) {
  return "allowed " + std::string(kKeyDigits, digit) + "\n";
}
std::string revoked(char digit) {
  return "revoked " + std::string(kKeyDigits, digit) + "\n";
}

using Keys = std::map<PublicKey, std::string>;

TEST(AllowList, KeysAreAllowedAndRevokedAndAllowedAgain) {
  const KeyFolder folder;
  const auto list = folder.file("list");
  ASSERT_TRUE(allow_key(list, "n1", key('1')));
  ASSERT_TRUE(allow_key(list, "n1", key('2')));
  ASSERT_TRUE(allow_key(list, "n2", key('3')));
  EXPECT_EQ(read_allow_list(list)->allowed,
            (Keys{{key('1'), "n1"}, {key('2'), "n1"}, {key('3'), "n2"}}));
  ASSERT_TRUE(revoke_keys(list, "n1", key('1')));
  EXPECT_EQ(folder.text_of("list/n1"), allowed('2') + revoked('1'));
  ASSERT_TRUE(revoke_keys(list, "n1", std::nullopt));
  EXPECT_EQ(read_allow_list(list)->allowed, (Keys{{key('3'), "n2"}}));
  EXPECT_EQ(read_allow_list(list)->revoked, (Keys{{key('1'), "n1"}, {key('2'), "n1"}}));
  ASSERT_TRUE(allow_key(list, "n1", key('1')));
  EXPECT_EQ(folder.text_of("list/n1"), allowed('1') + revoked('2'));
}

TEST(AllowList, NoTwoNodesHaveAKey) {
  const KeyFolder folder;
  const auto list = folder.file("list");
  ASSERT_TRUE(allow_key(list, "n1", key('1')));
  EXPECT_EQ(allow_key(list, "n2", key('1')).error().message,
            "it is the key of node n1; every node has its own");
  folder.write("list/n2", allowed('1') + allowed('2'), 0644);
  const auto read = read_allow_list(list);
  EXPECT_EQ(read->allowed, (Keys{{key('2'), "n2"}}));
  EXPECT_EQ(read->faults,
            (std::vector<std::string>{"the key " + std::string(kKeyDigits, '1') +
                                      " is of n1 and of n2: neither is let in by it"}));
}

TEST(AllowList, WhatIsNotThereIsNotRevoked) {
  const KeyFolder folder;
  const auto list = folder.file("list");
  EXPECT_FALSE(revoke_keys(list, "n1", std::nullopt));
  ASSERT_TRUE(allow_key(list, "n1", key('1')));
  EXPECT_EQ(revoke_keys(list, "n1", key('2')).error().message,
            "node n1 has no such key allowed in " + list);
  EXPECT_EQ(revoke_keys(list, "n2", std::nullopt).error().message,
            "node n2 has no such key allowed in " + list);
  EXPECT_EQ(read_allow_list(list)->allowed, (Keys{{key('1'), "n1"}}));
}

TEST(AllowList, ABadFileIsToldAndHarmsNoOtherNode) {
  const KeyFolder folder;
  folder.write("list/n1", allowed('1'), 0644);
  folder.write("list/n2", "allowed 12\n", 0644);
  folder.write("list/n3", "allow everybody\n", 0644);
  folder.write("list/n4", allowed('4'), 0666);
  folder.write("list/n5", "# a note\n\n" + allowed('0'), 0644);
  folder.write("list/long-name", allowed('5'), 0644);
  folder.write("list/.n6", allowed('6'), 0644);  // somebody is writing it
  const auto list = folder.file("list");
  const auto read = read_allow_list(list);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->allowed, (Keys{{key('1'), "n1"}}));
  EXPECT_EQ(read->faults,
            (std::vector<std::string>{
                "'long-name' is not the name of a node",
                list + "/n2: the key of line 1: it has 2 characters, a key has 64 hex digits",
                list + "/n3: line 1 is neither `allowed KEY` nor `revoked KEY`",
                list + "/n4: others can write to it (mode 0666); chmod go-w",
                list + "/n5: the key of line 3: it is all zero, which is nobody's key"}));
}

TEST(AllowList, AFolderThatOthersCanWriteToIsRefused) {
  const KeyFolder folder;
  folder.write("list/n1", allowed('1'), 0644);
  const auto list = folder.file("list");
  ASSERT_EQ(::chmod(list.c_str(), 0777), 0);
  EXPECT_EQ(read_allow_list(list).error().message,
            list + ": others can write to it (mode 0777); chmod go-w");
  EXPECT_EQ(read_allow_list(folder.file("none")).error().message,
            folder.file("none") + ": No such file or directory");
}

TEST(AllowList, NamesDoNotLeaveTheFolder) {
  const KeyFolder folder;
  for (const auto* name : {"../n1", "", ".", "..", "a/b", "toolong", "n 1"}) {
    const auto done = allow_key(folder.file("list"), name, key('1'));
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().message, "'" + std::string(name) + "' is not the name of a node");
  }
}

TEST(AllowList, ItsStateTellsEveryChange) {
  const KeyFolder folder;
  const auto list = folder.file("list");
  std::vector<std::string> states{state_of_allow_list(list)};
  ASSERT_TRUE(allow_key(list, "n1", key('1')));
  states.push_back(state_of_allow_list(list));
  EXPECT_EQ(state_of_allow_list(list), states.back());
  ASSERT_TRUE(allow_key(list, "n1", key('2')));
  states.push_back(state_of_allow_list(list));
  ASSERT_TRUE(revoke_keys(list, "n1", std::nullopt));
  states.push_back(state_of_allow_list(list));
  std::filesystem::remove(list + "/n1");
  states.push_back(state_of_allow_list(list));
  for (std::size_t i = 1; i < states.size(); ++i) EXPECT_NE(states[i], states[i - 1]) << i;
}

TEST(AllowList, TwoWritersLoseNothing) {
  const KeyFolder folder;
  const auto list = folder.file("list");
  const auto allow = [&](std::string_view digits) {
    for (const char digit : digits) EXPECT_TRUE(allow_key(list, "n1", key(digit)));
  };
  std::thread other([&] { allow("2468"); });
  allow("1357");
  other.join();
  EXPECT_EQ(read_allow_list(list)->allowed.size(), 8u);
}

}  // namespace
}  // namespace rackway::cluster::testing
